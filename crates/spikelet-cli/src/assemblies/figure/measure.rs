//! What the figures measure.

use spikelet_assemblies::operations::{self, Parent};
use spikelet_assemblies::{AreaId, AreaOptions, Assembly, Brain, Error, StimulusId};

use crate::assemblies::Workplace;

/// The parameters of a point.
pub(super) struct Setting<'a> {
    pub(super) n: u32,
    pub(super) k: u32,
    pub(super) beta: f64,
    pub(super) rounds: u32,
    pub(super) workplace: &'a Workplace,
    pub(super) seed: u64,
}

/// A value for each curve of a figure.
pub(super) type Measure = fn(&Setting, f64) -> Result<Vec<f64>, Error>;

/// Completion has this number of rounds.
const COMPLETION: u32 = 5;

impl Setting<'_> {
    /// A brain with areas and a stimulus for each of the first of them.
    fn brain<const N: usize>(&self, beta: f64, names: [&str; N]) -> Result<(Brain, [StimulusId; N], [AreaId; N]), Error> {
        let mut brain = self.workplace.brain(self.seed)?;
        let (mut stimuli, mut areas) = (Vec::new(), Vec::new());
        for name in names {
            stimuli.push(brain.add_stimulus(&format!("to {name}"), self.k)?);
            areas.push(brain.add_area(name, AreaOptions::new(self.n, self.k, beta))?);
        }
        Ok((brain, std::array::from_fn(|index| stimuli[index]), std::array::from_fn(|index| areas[index])))
    }
}

/// The support of a projected assembly; x is β.
pub(super) fn project(of: &Setting, beta: f64) -> Result<Vec<f64>, Error> {
    let (mut brain, [stimulus], [area]) = of.brain(beta, ["A"])?;
    Ok(vec![operations::project(&mut brain, stimulus, area, of.rounds)?.support.into()])
}

/// The supports of merged assemblies; x is β.
pub(super) fn merge(of: &Setting, beta: f64) -> Result<Vec<f64>, Error> {
    let (mut brain, [to_a, to_b, _], [a, b, c]) = of.brain(beta, ["A", "B", "C"])?;
    operations::merge(&mut brain, [(to_a, a), (to_b, b)], c, of.rounds + 1)?;
    Ok([a, b, c].map(|area| brain.support(area).into()).into())
}

/// The overlap of the images of two associated assemblies; x is the number of rounds in which both fire.
pub(super) fn associate(of: &Setting, joint: f64) -> Result<Vec<f64>, Error> {
    let (mut brain, [to_a, to_b, _], [a, b, c]) = of.brain(of.beta, ["A", "B", "C"])?;
    let parents: [Parent; 2] = [(to_a, a).into(), (to_b, b).into()];
    for (stimulus, area) in [(to_a, a), (to_b, b)] {
        operations::project(&mut brain, stimulus, area, of.rounds)?;
    }
    let mut fire = |parents: &[Parent], rounds: u32| {
        let fibres = |parent: &Parent| {
            let stimulus = parent.stimulus.map(|stimulus| (stimulus.into(), parent.area));
            stimulus.into_iter().chain([(parent.area.into(), parent.area), (parent.area.into(), c)])
        };
        let first: Vec<_> = parents.iter().flat_map(fibres).collect();
        brain.project(&first, 1)?;
        brain.project(&[&first[..], &[(c.into(), c)]].concat(), rounds - 1)
    };
    fire(&parents[..1], of.rounds)?;
    fire(&parents[1..], of.rounds)?;
    fire(&parents, joint as u32)?;
    brain.set_plasticity(false);
    let mut image = |stimulus: StimulusId, area: AreaId| {
        brain.project(&[(stimulus.into(), area)], 1)?;
        brain.project(&[(area.into(), c)], 1)?;
        Assembly::of(&brain, c)
    };
    let (from_a, from_b) = (image(to_a, a)?, image(to_b, b)?);
    Ok(vec![from_a.overlap(&from_b)])
}

/// The completed part of an assembly; x is the part that is kept.
pub(super) fn complete(of: &Setting, keep: f64) -> Result<Vec<f64>, Error> {
    let (mut brain, [stimulus], [area]) = of.brain(of.beta, ["A"])?;
    operations::project(&mut brain, stimulus, area, of.rounds)?;
    Ok(vec![operations::complete(&mut brain, area, keep, COMPLETION, 0)?.recovered])
}

/// The density of synapses within an assembly, and that of all; x is β.
pub(super) fn density(of: &Setting, beta: f64) -> Result<Vec<f64>, Error> {
    let (mut brain, [stimulus], [area]) = of.brain(beta, ["A"])?;
    let formed = operations::project(&mut brain, stimulus, area, of.rounds + 1)?;
    Ok(vec![operations::density(&brain, &formed.assembly), of.workplace.options.p])
}
