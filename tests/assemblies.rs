//! A brain, and the network that it is written as: the same winners, from two implementations.

use spikelet::{Backend, Cpu, Network, Plan};
use spikelet_assemblies::{AreaId, AreaOptions, Brain, BrainOptions, Error, Mode, Refraction, Source};
use spikelet_tests::{gpu, run};

fn options(mode: Mode) -> BrainOptions {
    BrainOptions { p: 0.05, seed: 11, mode, ..BrainOptions::default() }
}

/// Two areas and two stimuli; rounds with feedback, winners that are set, a fixed area, and rounds without plasticity. Returns the winners of
/// each area in each step of its network.
fn used(brain: &mut Brain) -> Vec<Vec<Vec<u32>>> {
    let stimuli: Vec<Source> = ["S", "T"].map(|name| brain.add_stimulus(name, 40).unwrap().into()).into();
    let a = brain.add_area("A", AreaOptions::new(1500, 40, 0.1)).unwrap();
    let b = brain.add_area("B", AreaOptions::new(1001, 30, 0.05)).unwrap();
    brain.set_beta(a, b, 0.25).unwrap();
    let mut expected = vec![vec![Vec::new(), Vec::new()]];
    let round = |brain: &mut Brain, expected: &mut Vec<_>, fibres: &[(Source, AreaId)], rounds: usize| {
        for _ in 0..rounds {
            brain.project(fibres, 1).unwrap();
            expected.push([a, b].map(|area| brain.winners(area).to_vec()).into());
        }
    };
    round(brain, &mut expected, &[(stimuli[0], a), (a.into(), a), (a.into(), b), (b.into(), b), (b.into(), a)], 12);
    round(brain, &mut expected, &[(stimuli[1], b), (stimuli[0], b), (b.into(), a)], 4);
    let half: Vec<u32> = brain.winners(a).iter().copied().step_by(2).collect();
    brain.set_winners(a, &half).unwrap();
    brain.set_winners(b, &[5, 7, 1000]).unwrap();
    expected.push([a, b].map(|area| brain.winners(area).to_vec()).into());
    round(brain, &mut expected, &[(a.into(), a), (b.into(), a)], 3);
    brain.fix(a).unwrap();
    round(brain, &mut expected, &[(b.into(), a), (a.into(), b)], 3);
    brain.set_plasticity(false);
    brain.unfix(a);
    round(brain, &mut expected, &[(b.into(), a), (stimuli[1], b)], 3);
    expected
}

/// The neurons of the first two populations that fired in each step.
fn winners_of(network: &Network, backend: Box<dyn Backend>, batch: u32) -> Vec<Vec<Vec<u32>>> {
    let plan = Plan::new(network).unwrap();
    let ranges: Vec<(u32, u32)> = plan.populations[..2].iter().map(|of| (of.first, of.first + of.size)).collect();
    let run = run(network, backend, network.duration_ms, batch).unwrap();
    let mut winners = vec![vec![Vec::new(); 2]; network.duration_ms as usize];
    for spike in &run.spikes {
        if let Some(area) = ranges.iter().position(|(first, end)| (*first..*end).contains(&spike.neuron)) {
            winners[spike.step as usize][area].push(spike.neuron - ranges[area].0);
        }
    }
    winners
}

#[test]
fn the_network_of_a_brain_has_its_winners_on_every_backend() {
    for mode in [Mode::Procedural, Mode::Explicit] {
        let mut brain = Brain::new(options(mode)).unwrap();
        let expected = used(&mut brain);
        let network = brain.to_network("areas").unwrap();
        let network = Network::from_json(&network.to_json()).unwrap();
        let mut backends: Vec<(Box<dyn Backend>, u32)> = vec![(Box::new(Cpu::new(1)), 64), (Box::new(Cpu::new(3)), 1)];
        if mode == Mode::Procedural {
            backends.extend(gpu().map(|gpu| (Box::new(gpu) as Box<dyn Backend>, 64)));
        }
        for (number, (backend, batch)) in backends.into_iter().enumerate() {
            let found = winners_of(&network, backend, batch);
            assert_eq!(found.len(), expected.len());
            for (step, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert!(found == expected, "backend {number}, step {step}");
            }
        }
    }
}

#[test]
fn brains_without_connectivity_have_no_network() {
    let reason = |error: Error| error.to_string();
    let lazy = Brain::new(options(Mode::Lazy)).unwrap();
    assert!(reason(lazy.to_network("lazy").unwrap_err()).contains("`procedural`"));
    let mut refractory = Brain::new(options(Mode::Procedural)).unwrap();
    let refraction = Refraction::Refractory { strength: 1.0, period: 3 };
    refractory.add_area("A", AreaOptions::new(100, 10, 0.1).refraction(refraction)).unwrap();
    assert!(reason(refractory.to_network("refractory").unwrap_err()).contains("area “A” has a refraction"));
}
