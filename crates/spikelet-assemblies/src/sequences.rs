//! Sequences of assemblies (Dabagia, Papadimitriou & Vempala 2025, "Computation with sequences of assemblies in a model of the brain",
//! Neural Computation 37:193).
//!
//! A sequence is presented by projecting one stimulus after the other into an area, a round each. The area projects to itself too, so that
//! synapses from the assembly of each stimulus to that of the next one are strengthened. After some presentations the first stimulus alone
//! lets the assemblies fire in order. With a second area that is connected with the first one in both directions (a scaffold), fewer
//! presentations are sufficient.

use crate::operations::without_plasticity;
use crate::{AreaId, Assembly, Brain, Error, Refraction, Source, StimulusId};

/// Where a sequence is memorised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Track {
    /// The area into which stimuli project.
    pub area: AreaId,
    /// The area that helps.
    pub scaffold: Option<AreaId>,
}

impl From<AreaId> for Track {
    fn from(area: AreaId) -> Track {
        Track { area, scaffold: None }
    }
}

impl Track {
    /// The fibres within and between the areas.
    fn fibres(self) -> Vec<(Source, AreaId)> {
        let Track { area, scaffold } = self;
        let mut fibres = vec![(area.into(), area)];
        if let Some(scaffold) = scaffold {
            fibres.extend([(area.into(), scaffold), (scaffold.into(), scaffold), (scaffold.into(), area)]);
        }
        fibres
    }

    /// Lets no neuron of the areas fire.
    fn clear_winners(self, brain: &mut Brain) -> Result<(), Error> {
        [Some(self.area), self.scaffold].into_iter().flatten().try_for_each(|area| brain.set_winners(area, &[]))
    }
}

/// A sequence that has been memorised.
#[derive(Debug, Clone, PartialEq)]
pub struct Memorised {
    /// The assembly of each stimulus, in the last presentation.
    pub assemblies: Vec<Assembly>,
    /// Mean overlap of each with the one in the presentation before; 0 after the first.
    pub stability: f64,
}

/// Presents a sequence of stimuli some times, a round for each stimulus.
///
/// # Errors
/// A round failed.
pub fn memorise(
    brain: &mut Brain,
    stimuli: &[StimulusId],
    track: impl Into<Track>,
    presentations: u32,
) -> Result<Memorised, Error> {
    let track: Track = track.into();
    let mut memorised = Memorised { assemblies: Vec::new(), stability: 0.0 };
    for _ in 0..presentations {
        track.clear_winners(brain)?;
        let mut assemblies = Vec::new();
        for stimulus in stimuli {
            let mut fibres = track.fibres();
            fibres.push(((*stimulus).into(), track.area));
            brain.project(&fibres, 1)?;
            assemblies.push(Assembly::of(brain, track.area)?);
        }
        let overlaps = assemblies.iter().zip(&memorised.assemblies).map(|(now, before)| now.overlap(before));
        memorised.stability = overlaps.sum::<f64>() / stimuli.len().max(1) as f64;
        memorised.assemblies = assemblies;
    }
    Ok(memorised)
}

/// Why a recall ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// An assembly fired that had fired before.
    Cycle,
    /// Neurons fired that are no known assembly.
    Novelty,
    /// The largest number of rounds was reached.
    Rounds,
}

/// What a recall gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// The index of the known assembly that fired in each round, with the overlap.
    pub order: Vec<(usize, f64)>,
    /// Why it ended.
    pub end: End,
}

impl Recall {
    /// The number of assemblies that fired in the order in which they were memorised, from the first one on.
    pub fn in_order(&self) -> usize {
        self.order.iter().enumerate().take_while(|(round, (item, _))| round == item).count()
    }
}

/// Overlap with an assembly that fired before, above which a recall has come back to it.
pub const CYCLE: f64 = 0.9;
/// Overlap with all known assemblies below which the winners are new.
pub const NOVELTY: f64 = 0.3;

/// Recalls a sequence in order, without plasticity: one round of the cue, then rounds in which the areas alone project, until an assembly
/// fires again, neurons fire that are no known assembly, or `max_rounds` is reached.
///
/// The area must be [refractory](Refraction::Refractory), so that an assembly does not fire again at once.
///
/// # Errors
/// The area is not refractory, or a round failed.
pub fn recall(
    brain: &mut Brain,
    cue: StimulusId,
    track: impl Into<Track>,
    known: &[Assembly],
    max_rounds: u32,
) -> Result<Recall, Error> {
    let track: Track = track.into();
    if !matches!(brain.area_options(track.area).refraction, Refraction::Refractory { period: 1.., .. }) {
        return Err(Error::NotRefractory(brain.name(track.area).into()));
    }
    track.clear_winners(brain)?;
    without_plasticity(brain, |brain| {
        let (mut order, mut fired) = (Vec::new(), Vec::<Assembly>::new());
        let mut fibres = vec![(cue.into(), track.area)];
        for _ in 0..max_rounds {
            brain.project(&fibres, 1)?;
            fibres = track.fibres();
            let now = Assembly::of(brain, track.area)?;
            if fired.iter().any(|before| now.overlap(before) > CYCLE) {
                return Ok(Recall { order, end: End::Cycle });
            }
            match best(&now, known) {
                Some((item, overlap)) if overlap >= NOVELTY => order.push((item, overlap)),
                _ => return Ok(Recall { order, end: End::Novelty }),
            }
            fired.push(now);
        }
        Ok(Recall { order, end: End::Rounds })
    })
}

/// The known assembly that overlaps most with another one; the first of equal ones.
fn best(now: &Assembly, known: &[Assembly]) -> Option<(usize, f64)> {
    let overlaps = known.iter().map(|known| now.overlap(known)).enumerate();
    overlaps.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

#[cfg(test)]
mod tests;
