//! Predictions of the cost of networks on many ranks.

use spikelet::cost::{Load, MachineCosts, Prediction, reference};
use spikelet::rng::philox;
use spikelet::{BuildOptions, Network, Partition, Plan, Played, Storage, catalogue};

fn machine() -> MachineCosts {
    MachineCosts {
        name: "a machine".into(),
        source: "these tests".into(),
        assumed: vec!["latency_us".into()],
        update_ns: 1.0,
        event_ns: 1.0,
        row_ns: 50.0,
        drawn_event_ns: 5.0,
        drawn_row_ns: 100.0,
        noise_us: 0.0,
        threads_per_rank: 64,
        ranks_per_node: 2,
        memory_per_rank: 256 << 30,
        latency_us: 0.6,
        bandwidth_gb_s: 25.0,
    }
}

#[test]
fn a_machine_file_is_read_as_it_was_written() {
    let class = machine();
    assert_eq!(MachineCosts::from_json(&class.to_json()), Ok(class.clone()));
    let wrong = |from: &str, to: &str| {
        let text = class.to_json().replace(from, to);
        assert_ne!(text, class.to_json(), "{from}");
        MachineCosts::from_json(&text).expect_err(to).to_string()
    };
    for (from, to, part) in [
        ("\"latency_us\": 0.6", "\"latency_us\": -1.0", "latency_us is -1, but a time is a number of at least 0"),
        ("\"bandwidth_gb_s\": 25.0", "\"bandwidth_gb_s\": 0.0", "bandwidth_gb_s is 0"),
        ("\"ranks_per_node\": 2", "\"ranks_per_node\": 0", "ranks_per_node is 0"),
        ("\"row_ns\"", "\"row\"", "unknown field `row`"),
        ("\"ranks_per_node\": 2", "\"ranks_per_node\": -2", "-2"),
    ] {
        let message = wrong(from, to);
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn the_imbalance_is_between_that_of_draws_and_twice_of_it() {
    // The rate at which each of the ranks has 20 events between two exchanges.
    let (mean, ranks, rounds, degree) = (20.0, 64_u32, 200_u32, 100);
    let load = |rate| Load::new(&reference::events(1000, degree, rate, Storage::Stored).unwrap(), None, |_| 0.0).unwrap();
    let of_one = load(1.0);
    let exchanges = 10_000.0 / f64::from(of_one.exchange_steps);
    let load = load(mean * f64::from(ranks) * exchanges / of_one.events());
    let expected = Prediction::new(&load, &machine(), ranks as usize).unwrap().imbalance;
    // Poisson counts as numbers of uniform draws whose product stays above e^-mean.
    let (mut sum, mut counter) = (0.0, 0_u32);
    for _ in 0..rounds {
        let largest = (0..ranks).map(|_| {
            let (mut product, mut count) = (1.0_f64, 0_u32);
            loop {
                counter += 1;
                product *= (f64::from(philox(7, [counter, 0, 0, 0])[0]) + 0.5) / 4_294_967_296.0;
                if product < (-mean).exp() {
                    return count;
                }
                count += 1;
            }
        });
        sum += f64::from(largest.max().unwrap_or(0)) / mean - 1.0;
    }
    let drawn = sum / f64::from(rounds);
    assert!((drawn..2.0 * drawn).contains(&(expected - 1.0)), "{expected}, drawn {drawn}");
    assert_eq!(Prediction::new(&load, &machine(), 1).unwrap().imbalance, 1.0);
}

#[test]
fn memory_is_that_of_the_plans_of_parts() {
    let cases =
        [("guide_ei", 0.5), ("pd14", 0.02), ("brunel_ai", 0.2), ("plastic_cuba", 0.5), ("fly", 0.02)].map(|(name, scale)| {
            let known = catalogue::entries().iter().any(|entry| entry.name == name);
            assert!(known, "{name}");
            catalogue::network(name, scale).unwrap()
        });
    for network in cases {
        for (storage, ranks) in [(Storage::Stored, 1), (Storage::Stored, 4), (Storage::Procedural, 4)] {
            let load = Load::new(&network, Some(storage), |_| 5.0).unwrap();
            let predicted = Prediction::new(&load, &machine(), ranks).unwrap();
            let items: f64 = predicted.memory.iter().filter(|(name, _)| *name != "routes").map(|(_, bytes)| bytes).sum();
            let measured = of_parts(&network, storage, ranks);
            let name = &network.name;
            assert!(
                (items / measured - 1.0).abs() < 0.15,
                "{name}, {storage:?}, {ranks}: {items}, {measured}, {:?}",
                predicted.memory
            );
        }
    }
}

/// Mean bytes of the plans of all ranks.
fn of_parts(network: &Network, storage: Storage, ranks: usize) -> f64 {
    let partition = Partition::blocks(network, ranks).unwrap();
    let options = BuildOptions { storage: Some(storage), ..BuildOptions::default() };
    let bytes = std::thread::scope(|scope| {
        let partition = &partition;
        let threads: Vec<_> = Played::ranks(ranks)
            .into_iter()
            .map(|rank| {
                scope.spawn(move || {
                    let plan = Plan::for_part(network, options, partition, &rank);
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
    // The rate of a source is known: 10,000 senders with 10 synapses at 50 Hz.
    let known = Load::new(&reference::events(1000, 10, 50.0, Storage::Stored).unwrap(), None, |_| 0.0).unwrap();
    assert!((known.events() - 5e6).abs() < 1.0, "{}", known.events());
}
