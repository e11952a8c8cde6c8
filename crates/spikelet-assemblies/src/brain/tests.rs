use super::*;
use crate::Mode;

fn brain(mode: Mode, threads: usize, p: f64) -> Brain {
    Brain::new(BrainOptions { p, mode, threads, ..BrainOptions::default() }).unwrap()
}

/// The winners of each round of a projection.
fn projected(mode: Mode, threads: usize) -> Vec<Vec<u32>> {
    let mut brain = brain(mode, threads, 0.01);
    let stimulus = brain.add_stimulus("S", 100).unwrap();
    let area = brain.add_area("A", AreaOptions::new(10_000, 100, 0.1)).unwrap();
    brain.set_saving(true);
    brain.project(&[(stimulus.into(), area)], 1).unwrap();
    brain.project(&[(stimulus.into(), area), (area.into(), area)], 24).unwrap();
    brain.saved_winners(area).to_vec()
}

fn common(a: &[u32], b: &[u32]) -> usize {
    a.iter().filter(|neuron| b.binary_search(neuron).is_ok()).count()
}

#[test]
fn an_assembly_forms_in_every_mode() {
    for mode in [Mode::Explicit, Mode::Procedural, Mode::Lazy] {
        let rounds = projected(mode, 1);
        assert_eq!(rounds[24].len(), 100);
        assert!(common(&rounds[23], &rounds[24]) >= 97, "{mode:?}: {}", common(&rounds[23], &rounds[24]));
        assert!(common(&rounds[0], &rounds[24]) < 90, "{mode:?}");
    }
}

#[test]
fn threads_and_storage_give_the_same_winners() {
    let expected = projected(Mode::Explicit, 1);
    for threads in [1, 2, 3, 8] {
        assert!(projected(Mode::Procedural, threads) == expected, "{threads} threads");
    }
}

#[test]
fn rows_that_are_dropped_return_with_what_they_learned() {
    let winners = |memory: u64| {
        let options = BrainOptions { p: 0.05, mode: Mode::Procedural, memory, ..BrainOptions::default() };
        let mut brain = Brain::new(options).unwrap();
        let areas = ["A", "B"].map(|name| brain.add_area(name, AreaOptions::new(4000, 50, 0.1)).unwrap());
        let stimuli: [Source; 2] = ["S", "T"].map(|name| brain.add_stimulus(name, 50).unwrap().into());
        // In turns, so that rows of the other area are not used.
        for _ in 0..6 {
            for (area, stimulus) in areas.into_iter().zip(stimuli) {
                brain.project(&[(stimulus, area), (area.into(), area)], 4).unwrap();
            }
        }
        let bytes: u64 = brain.memory().iter().map(|item| item.bytes).sum();
        (areas.map(|area| brain.winners(area).to_vec()), bytes)
    };
    let (expected, needed) = winners(1 << 30);
    let (found, used) = winners(needed * 7 / 10);
    assert!(found == expected);
    assert!(used < needed, "{used} of {needed} bytes");
}
