//! The tests of the reference implementation of assemblies, on a brain of ours. `cpp/assemblies.cc` has the same on the reference's own.

use spikelet_assemblies::{AreaId, AreaOptions, Brain, BrainOptions, Mode, Source, StimulusId};

use crate::Result;
use crate::comparison::Values;

/// A test of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Test {
    Projection,
    ExplicitProjection,
    Completion,
    Association,
    Merge,
}

impl Test {
    pub(super) const ALL: [Test; 5] =
        [Test::Projection, Test::Completion, Test::Association, Test::Merge, Test::ExplicitProjection];

    pub(super) fn name(self) -> &'static str {
        match self {
            Test::Projection => "projection",
            Test::ExplicitProjection => "explicit_projection",
            Test::Completion => "completion",
            Test::Association => "association",
            Test::Merge => "merge",
        }
    }

    /// Our mode in which no neuron is left out if the reference leaves none out, else [`Mode::Lazy`].
    pub(super) fn mode(self) -> Mode {
        if self == Test::ExplicitProjection { Mode::Procedural } else { Mode::Lazy }
    }

    /// Runs the test.
    ///
    /// # Errors
    /// There is not enough memory.
    pub(super) fn run(self, mode: Mode, seed: u64) -> Result<Values> {
        match self {
            Test::Projection => projection(Stimulated::new([1_000_000, 1000], 0.001, 0.05, mode, seed)?),
            Test::ExplicitProjection => projection(Stimulated::new([250_000, 500], 0.01, 0.05, mode, seed)?),
            Test::Completion => completion(Stimulated::new([100_000, 317], 0.05, 0.05, mode, seed)?),
            Test::Association => association(Stimulated::new([100_000, 317], 0.05, 0.1, mode, seed)?),
            Test::Merge => merge(Stimulated::new([100_000, 317], 0.01, 0.05, mode, seed)?),
        }
    }
}

/// A brain with the areas A, B and C, and stimuli for A and B.
struct Stimulated {
    brain: Brain,
    stimuli: [StimulusId; 2],
    areas: [AreaId; 3],
}

impl Stimulated {
    fn new([n, k]: [u32; 2], p: f64, beta: f64, mode: Mode, seed: u64) -> Result<Stimulated> {
        let mut brain = Brain::new(BrainOptions { p, seed, mode, memory: 8 << 30, ..BrainOptions::default() })?;
        let stimuli = [brain.add_stimulus("to A", k)?, brain.add_stimulus("to B", k)?];
        let mut area = |name: &str| brain.add_area(name, AreaOptions::new(n, k, beta));
        let areas = [area("A")?, area("B")?, area("C")?];
        Ok(Stimulated { brain, stimuli, areas })
    }

    /// As in the reference, areas that receive no input in a round rest: none of their neurons fires in the next one.
    fn project(&mut self, fibres: &[&[(Source, AreaId)]], rounds: u32) -> Result {
        let fibres = fibres.concat();
        for _ in 0..rounds {
            let is_active = |source: Source| match source {
                Source::Stimulus(_) => true,
                Source::Area(area) => !self.brain.winners(area).is_empty(),
            };
            let active = self.areas.map(|area| fibres.iter().any(|(source, target)| *target == area && is_active(*source)));
            self.brain.project(&fibres, 1)?;
            for (area, _) in self.areas.into_iter().zip(active).filter(|(_, active)| !active) {
                self.brain.set_winners(area, &[])?;
            }
        }
        Ok(())
    }

    fn winners(&self, area: AreaId) -> Vec<u32> {
        self.brain.winners(area).to_vec()
    }
}

fn fibre(from: impl Into<Source>, to: AreaId) -> (Source, AreaId) {
    (from.into(), to)
}

fn common(one: &[u32], other: &[u32]) -> u64 {
    one.iter().filter(|neuron| other.binary_search(neuron).is_ok()).count() as u64
}

fn values<const N: usize>(named: [(&str, u64); N]) -> Values {
    named.map(|(name, value)| (name.to_owned(), value)).into()
}

fn projection(mut of: Stimulated) -> Result<Values> {
    let ([stimulus, _], [a, ..]) = (of.stimuli, of.areas);
    let fibres = [fibre(stimulus, a), fibre(a, a)];
    of.project(&[&fibres], 24)?;
    let before = of.winners(a);
    of.project(&[&fibres], 1)?;
    Ok(values([("kept", common(&before, of.brain.winners(a))), ("support", of.brain.support(a).into())]))
}

fn completion(mut of: Stimulated) -> Result<Values> {
    let ([stimulus, _], [a, ..]) = (of.stimuli, of.areas);
    of.project(&[&[fibre(stimulus, a), fibre(a, a)]], 25)?;
    let whole = of.winners(a);
    // Which neurons are kept does not matter; their numbers say only when each won first.
    let part: Vec<u32> = whole.iter().copied().skip(1).step_by(2).collect();
    of.brain.set_winners(a, &part)?;
    of.project(&[&[fibre(a, a)]], 5)?;
    Ok(values([("recovered", common(&whole, of.brain.winners(a)))]))
}

fn association(mut of: Stimulated) -> Result<Values> {
    let ([to_a, to_b], [a, b, c]) = (of.stimuli, of.areas);
    let (keep_a, keep_b, keep_c) = ([fibre(to_a, a), fibre(a, a)], [fibre(to_b, b), fibre(b, b)], [fibre(c, c)]);
    of.project(&[&keep_a, &keep_b], 10)?;
    of.project(&[&keep_a, &[fibre(a, c)], &keep_c], 10)?;
    let from_a = of.winners(c);
    let mut phase = |sources: &[&[(Source, AreaId)]]| {
        of.project(sources, 1)?;
        of.project(&[sources, &[&keep_c]].concat(), 9)?;
        Ok::<_, crate::Problem>(of.winners(c))
    };
    let (only_a, only_b) = ([keep_a[0], keep_a[1], fibre(a, c)], [keep_b[0], keep_b[1], fibre(b, c)]);
    let from_b = phase(&[&only_b])?;
    let joint = phase(&[&only_a, &only_b])?;
    let b_after = phase(&[&only_b])?;
    let a_after = phase(&[&only_a])?;
    Ok(values([
        ("a_b", common(&from_a, &from_b)),
        ("a_joint", common(&from_a, &joint)),
        ("b_joint", common(&from_b, &joint)),
        ("a_b_after", common(&from_a, &b_after)),
        ("joint_b_after", common(&joint, &b_after)),
        ("b_a_after", common(&from_b, &a_after)),
        ("joint_a_after", common(&joint, &a_after)),
    ]))
}

fn merge(mut of: Stimulated) -> Result<Values> {
    let ([to_a, to_b], [a, b, c]) = (of.stimuli, of.areas);
    let from_a = [fibre(to_a, a), fibre(a, a), fibre(a, c)];
    let from_b = [fibre(to_b, b), fibre(b, b), fibre(b, c)];
    of.project(&[&from_a, &from_b], 1)?;
    of.project(&[&from_a, &from_b, &[fibre(c, a), fibre(c, b), fibre(c, c)]], 50)?;
    let [support_a, support_b, support_c] = [a, b, c].map(|area| of.brain.support(area).into());
    let whole = of.winners(b);
    of.project(&[&from_a[..1]], 1)?;
    of.project(&[&from_a], 1)?;
    of.project(&[&from_a, &[fibre(c, b), fibre(c, c)]], 1)?;
    of.project(&[&from_a, &[fibre(c, b), fibre(c, c), fibre(b, b)]], 50)?;
    let recovered = common(&whole, of.brain.winners(b));
    Ok(values([("support_A", support_a), ("support_B", support_b), ("support_C", support_c), ("recovered", recovered)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program that is compiled with the reference has the same tests.
    #[test]
    fn the_program_has_the_tests() {
        let program = std::fs::read_to_string(super::super::sources().join("assemblies.cc")).unwrap();
        for test in Test::ALL {
            assert!(program.contains(&format!("test == \"{}\"", test.name())), "{test:?}");
        }
    }

    /// What the reference asserts, with a margin where another seed matters.
    #[test]
    fn the_tests_hold() {
        let kept = Test::Projection.run(Mode::Lazy, 1).unwrap()["kept"];
        assert!(kept >= 998, "{kept}");
        let recovered = Test::Completion.run(Mode::Lazy, 1).unwrap()["recovered"];
        assert!(recovered >= 300, "{recovered}");
        let associated = Test::Association.run(Mode::Lazy, 1).unwrap();
        assert!(associated["a_b"] <= 6 && associated["a_joint"] >= 20 && associated["b_joint"] >= 90, "{associated:?}");
        let merged = Test::Merge.run(Mode::Lazy, 1).unwrap();
        assert!(merged["support_A"] <= 3170 && merged["support_C"] <= 6340 && merged["recovered"] >= 290, "{merged:?}");
    }
}
