use serde_json::json;

use super::*;
use crate::{Cpu, Network, Plan, Simulation, catalogue};

/// Cells that are joined with and without a state, one of them through a gap junction.
fn everything() -> Network {
    let network = json!({
        "name": "n", "dt_ms": 0.1, "duration_ms": 20, "seed": 3,
        "populations": [
            {"name": "A", "size": 900, "equations": "dv/dt = (1.3 - v)/(10*ms) + 0.1*xi/sqrt(ms) : 1", "threshold": "v > 1", "reset": "v = 0",
             "initial": {"v": {"expr": "rand()"}}},
            {"name": "B", "size": 600, "equations": "dv/dt = (1.2 + I - v)/(10*ms) : 1\nI : 1", "threshold": "v > 1", "reset": "v = 0",
             "initial": {"v": {"expr": "rand()"}}}],
        "projections": [
            {"name": "AA", "pre": "A", "post": "A", "connect": {"rule": "fixed_indegree", "n": 20}, "on_pre": "v_post += 0.01", "delay_ms": 0.5},
            {"name": "AB", "pre": "A", "post": "B", "connect": {"rule": "fixed_indegree", "n": 20}, "on_pre": "v_post += 0.01", "delay_ms": 0.8},
            {"name": "BA", "pre": "B", "post": "A", "connect": {"rule": "fixed_indegree", "n": 20}, "on_pre": "v_post += 0.01", "delay_ms": 0.7},
            {"name": "plastic", "pre": "A[700:820]", "post": "A[600:700]", "connect": {"rule": "fixed_indegree", "n": 10},
             "equations": "w : 1\ndx/dt = -x/(20*ms) : 1 (event-driven)\ndy/dt = -y/(20*ms) : 1 (event-driven)",
             "on_pre": "v_post += w\nx += 0.01\nw = clip(w - y, 0, 1)", "on_post": "y += 0.01\nw = clip(w + x, 0, 1)",
             "initial": {"w": 0.05}, "delay_ms": 0.4},
            {"name": "gap", "pre": "B[300:600]", "post": "B", "connect": {"rule": "fixed_indegree", "n": 5},
             "equations": "g = 0.2 : 1 (constant)\nI_post = g*(v_pre - v_post) : 1 (summed)"}],
        "recordings": [{"object": "A", "var": "v", "indices": [0, 650, 899]}, {"object": "plastic", "var": "w", "indices": [0, 5]}]
    });
    Network::from_json(&network.to_string()).unwrap_or_else(|error| panic!("{error}"))
}

fn schedule(network: &Network) -> (Plan, Schedule) {
    let plan = Plan::new(network).unwrap();
    let schedule = Schedule::new(&plan);
    (plan, schedule)
}

#[test]
fn neurons_stop_where_synapses_meet_them_within_a_step() {
    let (_, schedule) = schedule(&everything());
    let plastic = &schedule.stepwise[0];
    assert!(plastic.start >= 600 && plastic.end <= 700 && plastic.len() > 90, "{plastic:?}");
    // Coupled neurons are summed up even without synapses.
    assert_eq!(schedule.stepwise[1], 0..600);
    assert_eq!((schedule.epoch_steps, schedule.hearing_steps), (6, 5));
    assert!(schedule.reads_elsewhere() && !schedule.inseparable);
}

#[test]
fn phases_are_fused_where_nothing_stands_between() {
    let (_, whole) = schedule(&everything());
    let works = |phases: &[Phase]| phases.iter().map(|phase| phase.work.clone()).collect::<Vec<_>>();
    let fused = works(&whole.clone().fused().phases);
    let [deliver, reset, hold, sample, integrate, fire] =
        [Work::Deliver, Work::Reset, Work::Hold, Work::Sample, Work::Integrate, Work::Fire];
    // What B integrates is summed up before.
    let expected = [
        vec![deliver(0), reset(0), hold(0), sample(0), integrate(0), fire(0)],
        vec![deliver(1), reset(1), hold(1)],
        vec![Work::SampleSynapses(3)],
        vec![Work::Couple { projection: 4, summed: 0 }],
        vec![integrate(1), fire(1)],
    ];
    assert_eq!(fused[..5], expected);
    assert!(fused[5..].iter().all(|work| work.len() == 1 && work[0].follows_spikes()));
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

#[test]
fn a_schedule_is_told_in_words() {
    let (plan, schedule) = schedule(&everything());
    let text = schedule.fused().report(&plan).to_string();
    assert!(text.starts_with("epochs of 6 steps; A["), "{text}");
    for line in [
        "deliver, reset, hold, sample, integrate, fire A",
        "couple gap",
        "B.v (pre)",
        "on post plastic",
        "post traces of plastic",
    ] {
        assert!(text.contains(line), "`{line}` is missing:\n{text}");
    }
}
