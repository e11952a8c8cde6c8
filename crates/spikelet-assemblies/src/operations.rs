//! Operations on assemblies: each is a protocol of rounds, and returns what a report of it needs.
//!
//! A protocol that begins with a round without recurrent input lets a new assembly form even if the area has winners: those that another
//! operation left behind do not take part. Plasticity is as the brain has it set, except where a description says otherwise.

use crate::assembly::common;
use crate::{AreaId, Assembly, Brain, Error, Source, StimulusId};

/// An assembly that an operation has formed.
#[derive(Debug, Clone, PartialEq)]
pub struct Formed {
    /// The winners of the last round.
    pub assembly: Assembly,
    /// The number of neurons of the area that have ever won.
    pub support: u32,
    /// Share of the winners of the last round that had won the round before it. 1 means that the assembly does not change any more.
    pub stability: f64,
}

/// An area whose assembly takes part in an operation, with the stimulus that keeps it firing.
///
/// Without a stimulus the area is fixed during the operation: its assembly fires as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent {
    /// What keeps the assembly firing.
    pub stimulus: Option<StimulusId>,
    /// The area.
    pub area: AreaId,
}

impl From<AreaId> for Parent {
    fn from(area: AreaId) -> Parent {
        Parent { stimulus: None, area }
    }
}

impl From<(StimulusId, AreaId)> for Parent {
    fn from((stimulus, area): (StimulusId, AreaId)) -> Parent {
        Parent { stimulus: Some(stimulus), area }
    }
}

type Fibres = Vec<(Source, AreaId)>;

impl Parent {
    /// The fibres that keep the assembly firing.
    fn fibres(self) -> impl Iterator<Item = (Source, AreaId)> {
        let Parent { stimulus, area } = self;
        stimulus.into_iter().flat_map(move |stimulus| [(stimulus.into(), area), (area.into(), area)])
    }
}

/// Fixes the parents without a stimulus while `operation` runs.
fn with_fixed<T>(
    brain: &mut Brain,
    parents: &[Parent],
    operation: impl FnOnce(&mut Brain) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut fixed = Vec::new();
    for parent in parents.iter().filter(|parent| parent.stimulus.is_none() && !brain.is_fixed(parent.area)) {
        fixed.push(parent.area);
    }
    for area in &fixed {
        brain.fix(*area)?;
    }
    let result = operation(brain);
    fixed.into_iter().for_each(|area| brain.unfix(area));
    result
}

/// Runs `operation` without plasticity.
pub(crate) fn without_plasticity<T>(
    brain: &mut Brain,
    operation: impl FnOnce(&mut Brain) -> Result<T, Error>,
) -> Result<T, Error> {
    let learns = brain.is_plastic();
    brain.set_plasticity(false);
    let result = operation(brain);
    brain.set_plasticity(learns);
    result
}

/// Runs rounds, and describes the assembly that an area has after them.
fn form(brain: &mut Brain, fibres: &[(Source, AreaId)], rounds: u32, area: AreaId) -> Result<Formed, Error> {
    brain.project(fibres, rounds.saturating_sub(1))?;
    let before = brain.winners(area).to_vec();
    brain.project(fibres, rounds.min(1))?;
    let assembly = Assembly::of(brain, area)?;
    let stability = f64::from(common(&before, &assembly.neurons)) / assembly.neurons.len() as f64;
    Ok(Formed { support: brain.support(area), stability, assembly })
}

/// A first round with some fibres, then `rounds` − 1 with more.
fn form_after(brain: &mut Brain, first: &Fibres, more: &Fibres, rounds: u32, area: AreaId) -> Result<Formed, Error> {
    if rounds <= 1 {
        return form(brain, first, rounds, area);
    }
    brain.project(first, 1)?;
    let all: Fibres = first.iter().chain(more).copied().collect();
    form(brain, &all, rounds - 1, area)
}

/// Projects a stimulus, or the assembly of another area, into an area: one round with the source alone, then `rounds` − 1 with recurrent
/// input too.
///
/// # Errors
/// The source has no winners, or a round failed.
pub fn project(brain: &mut Brain, source: impl Into<Source>, area: AreaId, rounds: u32) -> Result<Formed, Error> {
    let source = source.into();
    let parents = match source {
        Source::Area(from) => vec![Parent::from(from)],
        Source::Stimulus(_) => Vec::new(),
    };
    with_fixed(brain, &parents, |brain| form_after(brain, &vec![(source, area)], &vec![(area.into(), area)], rounds, area))
}

/// What a reciprocal projection gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Reciprocal {
    /// The assembly of the second area.
    pub formed: Formed,
    /// Overlap of the original assembly with what one round from the second area back gives, without plasticity.
    pub returned: f64,
    /// The same after `rounds` − 1 more rounds with recurrent input.
    pub settled: f64,
}

/// Projects the assembly of an area into another one and back: one round forth, then `rounds` − 1 in which the second area also projects to
/// itself and back, and the first one is fixed. Then only the second one fires, and what it recovers of the assembly is measured without
/// plasticity. The first area has its assembly again afterwards.
///
/// # Errors
/// The first area has no winners, or a round failed.
pub fn reciprocal_project(brain: &mut Brain, from: AreaId, to: AreaId, rounds: u32) -> Result<Reciprocal, Error> {
    let original = Assembly::of(brain, from)?;
    let (forth, back) = (vec![(from.into(), to)], vec![(to.into(), from), (to.into(), to)]);
    let formed = with_fixed(brain, &[from.into()], |brain| form_after(brain, &forth, &back, rounds, to))?;
    let was_fixed = brain.is_fixed(from);
    brain.unfix(from);
    let [returned, settled] = without_plasticity(brain, |brain| {
        brain.project(&[(to.into(), from)], 1)?;
        let returned = original.overlap(&Assembly::of(brain, from)?);
        brain.project(&[(to.into(), from), (from.into(), from)], rounds.saturating_sub(1))?;
        Ok([returned, original.overlap(&Assembly::of(brain, from)?)])
    })?;
    brain.set_winners(from, &original.neurons)?;
    if was_fixed {
        brain.fix(from)?;
    }
    Ok(Reciprocal { formed, returned, settled })
}

/// What an association gives. Overlaps are of assemblies of the third area.
#[derive(Debug, Clone, PartialEq)]
pub struct Association {
    /// The images of the two parents before the association, that of both together, and those of the two parents afterwards.
    pub images: [Formed; 5],
    /// Overlap of the two images before.
    pub before: f64,
    /// Overlap of each image before with that of both together.
    pub joint: [f64; 2],
    /// Overlap of the two images afterwards.
    pub after: f64,
    /// Overlap of the image of each parent afterwards with that of the other one before.
    pub crossed: [f64; 2],
    /// Overlap of the image of each parent afterwards with that of both together.
    pub kept: [f64; 2],
}

/// Associates the assemblies of two areas in a third one: projects the first parent, then the second one, then both together, `rounds` each,
/// and at last each alone again (the second one first).
///
/// # Errors
/// A parent has no winners, or a round failed.
pub fn associate(brain: &mut Brain, parents: [impl Into<Parent>; 2], area: AreaId, rounds: u32) -> Result<Association, Error> {
    let parents: [Parent; 2] = parents.map(Into::into);
    let mut image = |of: &[Parent]| {
        let fire = of.iter().flat_map(|parent| parent.fibres().chain([(parent.area.into(), area)]));
        let first: Fibres = fire.collect();
        with_fixed(brain, of, |brain| form_after(brain, &first, &vec![(area.into(), area)], rounds, area))
    };
    let [a, b] = [image(&parents[..1])?, image(&parents[1..])?];
    let both = image(&parents)?;
    let b_after = image(&parents[1..])?;
    let a_after = image(&parents[..1])?;
    let overlap = |x: &Formed, y: &Formed| x.assembly.overlap(&y.assembly);
    Ok(Association {
        before: overlap(&a, &b),
        joint: [overlap(&a, &both), overlap(&b, &both)],
        after: overlap(&a_after, &b_after),
        crossed: [overlap(&a_after, &b), overlap(&b_after, &a)],
        kept: [overlap(&a_after, &both), overlap(&b_after, &both)],
        images: [a, b, both, a_after, b_after],
    })
}

/// What a merge gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// The assemblies of the parents.
    pub parents: [Formed; 2],
    /// The assembly of the third area.
    pub merged: Formed,
}

/// Merges the assemblies of two areas into one of a third: one round from both parents, then `rounds` − 1 in which the third area also
/// projects to itself and back to both. Parents with a stimulus fire what it alone makes fire in the first round.
///
/// # Errors
/// A parent has no winners and no stimulus, or a round failed.
pub fn merge(brain: &mut Brain, parents: [impl Into<Parent>; 2], area: AreaId, rounds: u32) -> Result<Merged, Error> {
    let parents: [Parent; 2] = parents.map(Into::into);
    let first: Fibres = parents.iter().flat_map(|parent| parent.fibres().chain([(parent.area.into(), area)])).collect();
    let back = parents.map(|parent| (area.into(), parent.area));
    let more: Fibres = back.into_iter().chain([(area.into(), area)]).collect();
    for parent in parents.iter().filter(|parent| parent.stimulus.is_some()) {
        brain.set_winners(parent.area, &[])?;
    }
    with_fixed(brain, &parents, |brain| {
        if rounds > 1 {
            brain.project(&first, 1)?;
        }
        let all: Fibres = if rounds > 1 { first.iter().chain(&more).copied().collect() } else { first };
        brain.project(&all, rounds.saturating_sub(2))?;
        let before = [parents[0].area, parents[1].area, area].map(|area| brain.winners(area).to_vec());
        brain.project(&all, rounds.min(1))?;
        let formed = |area: AreaId, before: &[u32]| {
            let assembly = Assembly::of(brain, area)?;
            let stability = f64::from(common(before, &assembly.neurons)) / assembly.neurons.len() as f64;
            Ok::<Formed, Error>(Formed { support: brain.support(area), stability, assembly })
        };
        let [a, b] = [formed(parents[0].area, &before[0])?, formed(parents[1].area, &before[1])?];
        Ok(Merged { parents: [a, b], merged: formed(area, &before[2])? })
    })
}

/// Recalls the other parent of a merged assembly: fires a parent, then the area of the merged assembly with it, then the other parent, each a
/// round later, and all of them with recurrent input for `rounds` more.
///
/// # Errors
/// The parent has no winners and no stimulus, or a round failed.
pub fn recall(brain: &mut Brain, parent: impl Into<Parent>, merged: AreaId, other: AreaId, rounds: u32) -> Result<Formed, Error> {
    let parent: Parent = parent.into();
    with_fixed(brain, &[parent], |brain| {
        let mut fibres: Fibres = Vec::new();
        if let Some(stimulus) = parent.stimulus {
            fibres.push((stimulus.into(), parent.area));
            brain.project(&fibres, 1)?;
            fibres.push((parent.area.into(), parent.area));
        }
        fibres.push((parent.area.into(), merged));
        brain.project(&fibres, 1)?;
        fibres.extend([(merged.into(), other), (merged.into(), merged)]);
        brain.project(&fibres, 1)?;
        fibres.push((other.into(), other));
        form(brain, &fibres, rounds, other)
    })
}

/// What a completion gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Completed {
    /// The assembly of the area before.
    pub original: Assembly,
    /// The neurons of it that fired at first.
    pub kept: Assembly,
    /// The assembly afterwards.
    pub formed: Formed,
    /// Overlap of it with the original.
    pub recovered: f64,
}

/// Completes an assembly from a part: only a fraction of the winners of an area fires, then `rounds` rounds of recurrent input alone. Which
/// neurons are kept is a function of the seed of the brain and of `draw`.
///
/// # Errors
/// The fraction is not between 0 and 1 or leaves no neuron, the area has no winners, or a round failed.
pub fn complete(brain: &mut Brain, area: AreaId, fraction: f64, rounds: u32, draw: u32) -> Result<Completed, Error> {
    let original = Assembly::of(brain, area)?;
    let count = (fraction * original.neurons.len() as f64) as u32;
    if !(fraction <= 1.0 && count > 0) {
        return Err(Error::Fraction { value: fraction, least: 1.0 / original.neurons.len() as f64 });
    }
    let kept = original.subset(count, brain.options().seed, draw);
    brain.set_winners(area, &kept.neurons)?;
    let formed = form(brain, &[(area.into(), area)], rounds, area)?;
    Ok(Completed { recovered: original.overlap(&formed.assembly), original, kept, formed })
}

/// What a separation gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Separated {
    /// The assemblies of both stimuli.
    pub formed: [Formed; 2],
    /// Their overlap.
    pub overlap: f64,
}

/// Projects two stimuli into one area, one after the other, `rounds` each; what the recurrent synapses have learned is reset in between.
///
/// # Errors
/// A round failed.
pub fn separate(brain: &mut Brain, stimuli: [StimulusId; 2], area: AreaId, rounds: u32) -> Result<Separated, Error> {
    let first = project(brain, stimuli[0], area, rounds)?;
    brain.forget(area)?;
    let second = project(brain, stimuli[1], area, rounds)?;
    Ok(Separated { overlap: first.assembly.overlap(&second.assembly), formed: [first, second] })
}

/// The smallest overlap with which an assembly is [read out](read_out).
pub const READ_OUT: f64 = 0.7;

/// The assembly of a lexicon that overlaps most with the winners of its area, if the overlap is at least [`READ_OUT`]: its index and the
/// overlap. Of equal ones, the first.
pub fn read_out(brain: &Brain, lexicon: &[Assembly]) -> Option<(usize, f64)> {
    read_out_from(brain, lexicon, READ_OUT)
}

/// The same with another smallest overlap.
pub fn read_out_from(brain: &Brain, lexicon: &[Assembly], least: f64) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64)> = None;
    for (index, assembly) in lexicon.iter().enumerate() {
        let overlap = f64::from(common(&assembly.neurons, brain.winners(assembly.area))) / assembly.neurons.len().max(1) as f64;
        if overlap >= least && best.is_none_or(|(_, best)| overlap > best) {
            best = Some((index, overlap));
        }
    }
    best
}

/// The share of pairs of neurons of an assembly that have a synapse. It exceeds p: neurons that are better connected win.
pub fn density(brain: &Brain, assembly: &Assembly) -> f64 {
    let Assembly { area, neurons } = assembly;
    let pairs = neurons.len() as f64 * neurons.len() as f64;
    brain.synapses(*area, *area, neurons, neurons).len() as f64 / pairs.max(1.0)
}

/// The sum of the weights from the winners of an area to those of another one.
pub fn drive(brain: &Brain, from: AreaId, to: AreaId) -> f64 {
    let synapses = brain.synapses(from, to, brain.winners(from), brain.winners(to));
    synapses.iter().map(|(.., weight)| f64::from(*weight)).sum()
}
