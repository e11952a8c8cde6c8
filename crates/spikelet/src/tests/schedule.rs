//! The order of a step, and that a backend does the same however it fuses phases.

use crate::schedule::{Phase, PhaseKind, Schedule};
use crate::{Cpu, Network, Plan, Simulation, catalogue};

/// Cells that are joined in every way: with and without a state, kept and drawn, learning, driven by the clock, through gap junctions.
const EVERYTHING: &str = include_str!("../../../../tests/networks/everything.json");

fn everything() -> Network {
    Network::from_json(EVERYTHING).unwrap_or_else(|error| panic!("{error}"))
}

fn schedule(network: &Network) -> (Plan, Schedule) {
    let plan = Plan::new(network).unwrap();
    let schedule = plan.schedule().clone();
    (plan, schedule)
}

#[test]
fn neurons_stop_where_synapses_meet_them_within_a_step() {
    let (_, schedule) = schedule(&everything());
    // Those that are coupled are summed up even where they have no synapses.
    assert_eq!(schedule.stepwise, [600..700, 0..600]);
    assert_eq!((schedule.epoch_steps, schedule.exchange_steps), (6, 5));
    assert!(schedule.reads_elsewhere() && !schedule.inseparable);
}

#[test]
fn phases_are_fused_where_nothing_stands_between() {
    let (_, whole) = schedule(&everything());
    let works = |phases: &[Phase]| phases.iter().map(|phase| phase.kinds.clone()).collect::<Vec<_>>();
    let fused = works(&whole.clone().fused().phases);
    let [deliver, reset, hold, sample, integrate, fire] = [
        PhaseKind::DeliverInput,
        PhaseKind::Reset,
        PhaseKind::SampleAndHold,
        PhaseKind::Sample,
        PhaseKind::Integrate,
        PhaseKind::Fire,
    ];
    // What the second population integrates is summed up before.
    let expected = [
        vec![deliver(0), reset(0), hold(0), sample(0), integrate(0), fire(0)],
        vec![deliver(1), reset(1), hold(1)],
        vec![PhaseKind::SampleSynapses(3)],
        vec![PhaseKind::SumInputs { projection: 5, summed: 0 }],
        vec![integrate(1), fire(1)],
        vec![PhaseKind::IntegrateTraces(4)],
    ];
    assert_eq!(fused[..6], expected);
    assert!(fused[6..].iter().all(|work| work.len() == 1 && work[0].follows_spikes()));
    // Those that run ahead meet no synapses.
    let ahead = works(&Schedule { phases: whole.ahead(), ..whole }.fused().phases);
    assert_eq!(ahead[1], [deliver(1), reset(1), hold(1), integrate(1), fire(1)]);
}

/// Everything that a run tells, whatever is fused, and however the work is cut.
#[test]
fn a_fused_schedule_does_the_same() {
    let run = |network: &Network, cpu: Cpu, batch: u32| {
        pollster::block_on(async {
            let mut simulation = Simulation::new(network, Box::new(cpu)).await.unwrap();
            let (mut spikes, mut samples) = (Vec::new(), Vec::new());
            while simulation.step() < 200 {
                let part = simulation.advance(batch.min(200 - simulation.step())).await.unwrap();
                spikes.extend(part.spikes);
                samples.extend(part.samples);
            }
            (spikes, samples, simulation.snapshot().await.unwrap().to_bytes())
        })
    };
    let small = ["cuba", "ring", "waves", "stdp_song", "bcm_selectivity", "lixirnet", "rstdp_reward"];
    let of_catalogue = small.map(|name| {
        let entry = catalogue::entries().iter().find(|entry| entry.name == name).unwrap();
        entry.network(entry.small).unwrap()
    });
    for network in of_catalogue.iter().chain([&everything()]) {
        let alone = run(network, Cpu::new(1), 200);
        assert!(!alone.0.is_empty(), "{}: {} spikes", network.name, alone.0.len());
        for (threads, batch) in [(1, 7), (2, 200), (3, 50)] {
            assert!(run(network, Cpu::new(threads), batch) == alone, "{}: {threads} threads", network.name);
            assert!(run(network, Cpu::new(threads).unfused(), batch) == alone, "{}: {threads} threads, unfused", network.name);
        }
    }
}

/// The order of a step as docs/internals.md shows it.
#[test]
fn a_schedule_is_told_in_words() {
    let (plan, schedule) = schedule(&everything());
    let text = schedule.fused().report(&plan).to_string();
    let page = include_str!("../../../../docs/internals.md");
    assert!(page.contains(&text), "docs/internals.md shows another one than\n{text}");
}
