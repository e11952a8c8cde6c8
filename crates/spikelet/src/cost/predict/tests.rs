use super::*;
use crate::rng::philox;
use crate::{BuildOptions, Network, Partition, Plan, Played, catalogue};

fn machine() -> Machine {
    Machine::classes().remove(0)
}

#[test]
fn the_excess_is_between_that_of_draws_and_twice_of_it() {
    // Poisson counts as numbers of uniform draws whose product stays above e^-mean.
    let (mean, ranks, rounds) = (20.0_f64, 64_u32, 200_u32);
    let mut sum = 0.0;
    let mut counter = 0_u32;
    for _ in 0..rounds {
        let largest = (0..ranks).map(|_| {
            let (mut product, mut count) = (1.0_f64, 0_u32);
            loop {
                counter += 1;
                let word = philox(7, [counter, 0, 0, 0])[0];
                product *= (f64::from(word) + 0.5) / 4_294_967_296.0;
                if product < (-mean).exp() {
                    return count;
                }
                count += 1;
            }
        });
        sum += f64::from(largest.max().unwrap_or(0)) - mean;
    }
    let (drawn, expected) = (sum / f64::from(rounds), excess(mean, f64::from(ranks)));
    assert!((drawn..2.0 * drawn).contains(&expected), "{expected}, drawn {drawn}");
    assert_eq!([excess(0.0, 8.0), excess(5.0, 1.0)], [0.0, 0.0]);
}

#[test]
fn memory_is_that_of_the_plans_of_parts() {
    for (name, scale) in [("guide_ei", 0.5), ("pd14", 0.02), ("brunel_ai", 0.2), ("plastic_cuba", 0.5)] {
        let network = catalogue::network(name, scale).unwrap();
        let load = Load::new(&network, None, |_| 5.0).unwrap();
        for ranks in [1, 4] {
            let predicted = Prediction::new(&load, &machine(), ranks).unwrap();
            let items: f64 = predicted.memory.iter().filter(|(name, _)| *name != "routes").map(|(_, bytes)| bytes).sum();
            let measured = of_parts(&network, ranks);
            assert!(
                (items / measured - 1.0).abs() < 0.15,
                "{name} on {ranks} ranks: {items}, {measured}, {:?}",
                predicted.memory
            );
        }
    }
}

/// Mean bytes of the plans of all ranks.
fn of_parts(network: &Network, ranks: usize) -> f64 {
    let partition = Partition::blocks(network, ranks).unwrap();
    let bytes = std::thread::scope(|scope| {
        let partition = &partition;
        let threads: Vec<_> = Played::ranks(ranks)
            .into_iter()
            .map(|rank| {
                scope.spawn(move || {
                    let plan = Plan::for_part(network, BuildOptions::default(), partition, &rank);
                    pollster::block_on(plan).unwrap().memory().iter().map(|(_, bytes)| *bytes).sum::<u64>()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum::<u64>()
    });
    bytes as f64 / ranks as f64
}

#[test]
fn more_ranks_compute_less_and_exchange_more() {
    let load = Load::new(&catalogue::network("pd14", 1.0).unwrap(), None, |_| 3.0).unwrap();
    let of: Vec<Prediction> = [1, 4, 64].map(|ranks| Prediction::new(&load, &machine(), ranks).unwrap()).into();
    assert!(of.windows(2).all(|pair| {
        pair[1].update_seconds < 0.3 * pair[0].update_seconds
            && pair[1].event_seconds < 0.3 * pair[0].event_seconds
            && pair[1].exchange_seconds > pair[0].exchange_seconds
            && pair[1].imbalance > pair[0].imbalance
            && pair[1].bytes() < pair[0].bytes()
    }));
    assert_eq!((of[0].messages, of[0].exchange_seconds, of[0].wait_seconds), (0.0, 0.0, 0.0));
    assert!((of[2].messages - 63.0).abs() < 1e-6, "{}", of[2].messages);
    assert!(Prediction::new(&load, &machine(), 0).is_err() && Prediction::new(&load, &machine(), 1 << 40).is_err());
}

#[test]
fn events_and_updates_are_those_of_the_network() {
    let network = catalogue::network("guide_ei", 1.0).unwrap();
    let load = Load::new(&network, None, |name| if name == "E" { 8.0 } else { 14.0 }).unwrap();
    let plan = Plan::new(&network).unwrap();
    let events: f64 = plan.projections.iter().map(|of| of.synapses() as f64 * if of.pre == 0 { 8.0 } else { 14.0 }).sum();
    assert!((load.events() / events - 1.0).abs() < 0.02, "{} and {events}", load.events());
    assert_eq!(load.neurons(), f64::from(plan.neurons()));
    let steps = plan.schedule().epoch_steps;
    assert!(load.exchange_steps == steps || 2 * load.exchange_steps == steps, "{} and {steps}", load.exchange_steps);
}
