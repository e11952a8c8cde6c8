//! Assemblies on a GPU: the winners of the CPU.

use spikelet_assemblies::{AreaId, AreaOptions, Brain, BrainOptions, Error, Mode, Source};
use spikelet_gpu::{Device, GpuAssemblies};

/// A brain on the CPU and one on a GPU, with the same areas; `None` without a GPU.
fn brains(options: BrainOptions) -> Option<[Brain; 2]> {
    let device = match pollster::block_on(Device::open()) {
        Ok(device) => device,
        Err(error) if std::env::var_os("SPIKELET_REQUIRE_ADAPTER").is_some() => panic!("{error}"),
        Err(_) => return None,
    };
    let engine = GpuAssemblies::new(&device, &options).unwrap();
    Some([Brain::new(options).unwrap(), Brain::with_engine(options, Box::new(engine)).unwrap()])
}

const OPTIONS: BrainOptions =
    BrainOptions { p: 0.02, seed: 3, mode: Mode::Procedural, w_max: 10_000.0, threads: 1, memory: 1 << 30 };

fn assert_same(brains: &[Brain; 2], areas: &[AreaId], after: &str) {
    for area in areas {
        let [cpu, gpu] = brains.each_ref().map(|brain| brain.winners(*area));
        assert_eq!(cpu, gpu, "after {after}");
        assert!(!cpu.is_empty(), "after {after}");
    }
}

#[test]
fn rounds_have_the_winners_of_the_cpu() {
    let Some(mut brains) = brains(OPTIONS) else { return };
    let mut areas = Vec::new();
    for brain in &mut brains {
        let stimuli: Vec<Source> = ["S", "T"].map(|name| brain.add_stimulus(name, 60).unwrap().into()).into();
        let a = brain.add_area("A", AreaOptions::new(5000, 60, 0.1)).unwrap();
        let b = brain.add_area("B", AreaOptions::new(3001, 50, 0.05)).unwrap();
        brain.set_beta(a, b, 0.5).unwrap();
        brain.set_saving(true);
        // From the second round on with feedback.
        brain.project(&[(stimuli[0], a), (a.into(), a), (a.into(), b), (b.into(), b), (b.into(), a)], 20).unwrap();
        brain.project(&[(stimuli[1], b), (stimuli[0], b), (b.into(), a)], 5).unwrap();
        areas = vec![a, b];
    }
    for area in &areas {
        let [cpu, gpu] = brains.each_ref().map(|brain| brain.saved_winners(*area));
        assert!(cpu == gpu);
        assert_eq!(cpu.len(), 25);
    }
    for brain in &mut brains {
        brain.set_plasticity(false);
        brain.fix(areas[0]).unwrap();
        brain.project(&[(areas[0].into(), areas[1]), (areas[1].into(), areas[0])], 3).unwrap();
        brain.set_plasticity(true);
        brain.project(&[(areas[1].into(), areas[0]), (areas[0].into(), areas[1])], 3).unwrap();
        brain.unfix(areas[0]);
    }
    assert_same(&brains, &areas, "rounds with a fixed area");
    // A part of an assembly, which completes itself.
    for brain in &mut brains {
        let half: Vec<u32> = brain.winners(areas[0]).iter().copied().step_by(2).collect();
        brain.set_winners(areas[0], &half).unwrap();
        brain.project(&[(areas[0].into(), areas[0])], 5).unwrap();
    }
    assert_same(&brains, &areas[..1], "completion");
    let [cpu, gpu] = brains.each_ref().map(|brain| {
        let (a, b) = (brain.winners(areas[0]), brain.winners(areas[1]));
        [brain.synapses(areas[0], areas[1], a, b), brain.synapses(areas[0], areas[0], a, a)]
    });
    assert!(cpu == gpu);
    assert!(cpu.iter().flatten().any(|(_, _, weight)| *weight > 1.0));
    for brain in &mut brains {
        brain.forget(areas[0]).unwrap();
        brain.project(&[(areas[0].into(), areas[0])], 2).unwrap();
    }
    assert_same(&brains, &areas[..1], "weights were set back");
}

#[test]
fn tables_of_changes_grow() {
    let Some(mut brains) = brains(BrainOptions { p: 0.3, ..OPTIONS }) else { return };
    let mut areas = Vec::new();
    for brain in &mut brains {
        let stimulus = brain.add_stimulus("S", 30).unwrap();
        let area = brain.add_area("A", AreaOptions::new(2000, 30, 0.01)).unwrap();
        // In each of the rounds other neurons win, and all synapses between them learn.
        for round in 0..60 {
            let winners: Vec<u32> = (0..30).map(|k| (k * 61 + round * 7) % 2000).collect();
            brain.project(&[(stimulus.into(), area)], 1).unwrap();
            brain.set_winners(area, &winners).unwrap();
            brain.project(&[(area.into(), area)], 2).unwrap();
        }
        areas = vec![area];
    }
    assert_same(&brains, &areas, "60 assemblies");
}

#[test]
fn sums_that_are_too_large_are_errors_with_the_same_text() {
    let Some(mut brains) = brains(BrainOptions { w_max: 1e9, ..OPTIONS }) else { return };
    let errors = brains.each_mut().map(|brain| {
        let stimulus = brain.add_stimulus("S", 50).unwrap();
        let area = brain.add_area("A", AreaOptions::new(2000, 40, 3.0)).unwrap();
        let error = brain.project(&[(stimulus.into(), area), (area.into(), area)], 100).unwrap_err();
        assert!(brain.project(&[(stimulus.into(), area)], 1).is_err());
        error
    });
    let round = |error: &Error| match error {
        Error::Overflow { round, .. } => *round,
        other => panic!("{other}"),
    };
    assert_eq!(round(&errors[0]), round(&errors[1]));
}

#[test]
fn what_only_the_cpu_does_is_refused() {
    let Ok(device) = pollster::block_on(Device::open()) else { return };
    let lazy = GpuAssemblies::new(&device, &BrainOptions { mode: Mode::Lazy, ..OPTIONS });
    assert!(lazy.is_err_and(|error| error.to_string().contains("`procedural`")));
}
