use super::*;
use crate::{AreaOptions, BrainOptions, Mode};

/// A brain with stimuli, and an area with a scaffold or without.
fn brain(mode: Mode, seed: u64, items: usize, has_scaffold: bool) -> (Brain, Vec<StimulusId>, Track) {
    let mut brain = Brain::new(BrainOptions { p: 0.05, seed, mode, ..BrainOptions::default() }).unwrap();
    let refraction = Refraction::Refractory { strength: 20.0, period: 3 };
    let options = AreaOptions::new(10_000, 100, 0.1).refraction(refraction);
    let stimuli = (0..items).map(|item| brain.add_stimulus(&format!("S{item}"), 100).unwrap()).collect();
    let area = brain.add_area("A", options.clone()).unwrap();
    let scaffold = has_scaffold.then(|| brain.add_area("B", options).unwrap());
    (brain, stimuli, Track { area, scaffold })
}

/// The number of items in order after some presentations.
fn recalled(mode: Mode, seed: u64, items: usize, has_scaffold: bool, presentations: u32) -> (usize, Recall) {
    let (mut brain, stimuli, track) = brain(mode, seed, items, has_scaffold);
    let memorised = memorise(&mut brain, &stimuli, track, presentations).unwrap();
    let recall = recall(&mut brain, stimuli[0], track, &memorised.assemblies, 2 * items as u32).unwrap();
    (recall.in_order(), recall)
}

#[test]
fn a_sequence_is_recalled_in_order_after_enough_presentations() {
    for mode in [Mode::Lazy, Mode::Procedural] {
        for seed in 1..=4 {
            let (few, recall) = recalled(mode, seed, 20, false, 3);
            assert!(few < 10, "{mode:?}, seed {seed}: {few} after 3");
            assert_eq!(recall.end, End::Novelty);
            let (many, recall) = recalled(mode, seed, 20, false, 15);
            assert_eq!(many, 20, "{mode:?}, seed {seed}: {recall:?}");
            assert_eq!(recall.order.len(), 20, "after its last assembly no known one fires");
        }
    }
}

#[test]
fn a_scaffold_needs_fewer_presentations() {
    for seed in 1..=4 {
        let [alone, scaffolded] = [false, true].map(|has_scaffold| recalled(Mode::Procedural, seed, 20, has_scaffold, 4).0);
        assert!(scaffolded >= 2 * alone, "seed {seed}: {scaffolded} of 20 in order with a scaffold, {alone} without");
    }
}

#[test]
fn a_recall_stops_when_an_assembly_fires_again() {
    let (mut brain, stimuli, track) = brain(Mode::Procedural, 1, 6, false);
    let thrice: Vec<StimulusId> = stimuli.iter().cycle().take(18).copied().collect();
    let memorised = memorise(&mut brain, &thrice, track, 20).unwrap();
    let recall = recall(&mut brain, stimuli[0], track, &memorised.assemblies, 30).unwrap();
    assert_eq!(recall.end, End::Cycle, "{recall:?}");
    assert!(recall.order.len() < 30, "{recall:?}");
}

#[test]
fn a_recall_needs_a_refractory_area() {
    let mut brain = Brain::new(BrainOptions::default()).unwrap();
    let stimulus = brain.add_stimulus("S", 10).unwrap();
    let area = brain.add_area("A", AreaOptions::new(1000, 10, 0.1)).unwrap();
    let error = recall(&mut brain, stimulus, area, &[], 5).unwrap_err();
    assert!(error.to_string().starts_with("area “A” is not refractory"), "{error}");
}
