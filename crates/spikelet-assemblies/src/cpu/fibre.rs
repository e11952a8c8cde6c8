//! The synapses between a source and an area.

use spikelet::{Pool, ProceduralRows, RowDistribution};

use super::Cpu;
use super::row::Row;
use super::rows::Rows;
use super::rule::Rule;
use super::stimulus::StimulusInput;
use crate::weights::Weights;
use crate::{AreaId, Error, Mode, Source};

/// A fibre: all synapses from a source to an area.
pub(super) struct Fibre {
    pub(super) source: Source,
    pub(super) target: AreaId,
    weights: Weights,
    pub(super) synapses: FibreSynapses,
}

/// Its synapses.
pub(super) enum FibreSynapses {
    Stimulus(StimulusInput),
    Area(Rows),
}

impl Fibre {
    pub(super) fn new(of: &Cpu, number: u32, source: Source, target: AreaId, beta: f64) -> Result<Fibre, Error> {
        let area = &of.areas[target.0];
        let (pres, is_lazy) = match source {
            Source::Stimulus(stimulus) => (of.stimuli[stimulus.0], area.is_lazy),
            Source::Area(source) => (of.areas[source.0].options.n, area.is_lazy || of.areas[source.0].is_lazy),
        };
        let posts = area.options.n;
        let rule = if is_lazy {
            Rule::Lazy { seed: of.seed, fibre: number, gaps: of.gaps.clone() }
        } else {
            Rule::Rows(ProceduralRows {
                seed: of.seed,
                projection: number,
                pre: 0..pres,
                post: 0..posts,
                skips_self: false,
                distribution: RowDistribution::bernoulli(of.p, posts),
            })
        };
        let mut fibre =
            Fibre { source, target, weights: Weights::new(beta, of.w_max), synapses: FibreSynapses::new(source, pres, rule) };
        if let (FibreSynapses::Area(rows), Mode::Explicit) = (&mut fibre.synapses, of.mode) {
            let needed = (f64::from(pres) * (f64::from(posts) * of.p * 4.0 + size_of::<Row>() as f64)) as u64;
            if needed > of.memory {
                return Err(Error::Memory {
                    what: format!("a fibre into area “{}”", area.name), needed, available: of.memory
                });
            }
            rows.draw(&(0..pres).collect::<Vec<u32>>(), posts, 0, &of.pool);
        }
        Ok(fibre)
    }

    pub(super) fn beta(&self) -> f64 {
        self.weights.beta()
    }

    /// Returns false if it has learned with another β.
    pub(super) fn set_beta(&mut self, beta: f64, w_max: f64) -> bool {
        let is_same = (beta - self.weights.beta()).abs() == 0.0;
        let has_learned = match &self.synapses {
            FibreSynapses::Stimulus(stimulus) => stimulus.has_learned(),
            FibreSynapses::Area(rows) => rows.has_learned(),
        };
        if !is_same && !has_learned {
            self.weights = Weights::new(beta, w_max);
        }
        is_same || !has_learned
    }

    /// Draws what the rows of these neurons lack, up to the first `known` neurons of the target.
    pub(super) fn rows_ready(&mut self, pres: &[u32], known: u32, round: u32, pool: &Pool) {
        if let FibreSynapses::Area(rows) = &mut self.synapses {
            rows.draw(pres, known, round, pool);
        }
    }

    /// Draws the synapses from a stimulus to the first `known` neurons of the target, where they are missing.
    pub(super) fn stimulus_ready(&mut self, known: u32) {
        if let FibreSynapses::Stimulus(stimulus) = &mut self.synapses {
            stimulus.draw(known);
        }
    }

    /// Adds its input to the sums of the neurons `first` … . A sum that is too large stays the largest number.
    pub(super) fn add(&self, firing: &[u32], first: u32, sums: &mut [u32]) {
        match &self.synapses {
            FibreSynapses::Stimulus(stimulus) => stimulus.add(first, sums),
            FibreSynapses::Area(rows) => {
                rows.each(firing, |row| row.change(&self.weights, first, sums, u32::saturating_add));
            }
        }
    }

    /// Subtracts the input from these neurons again.
    pub(super) fn subtract(&self, silent: &[u32], first: u32, sums: &mut [u32]) {
        if let FibreSynapses::Area(rows) = &self.synapses {
            rows.each(silent, |row| row.change(&self.weights, first, sums, u32::wrapping_sub));
        }
    }

    /// Counts an update of each synapse from neurons that fired to the winners, whose bits are set in `marks`. Appends the neurons to
    /// `gains`, with the change of a weight.
    pub(super) fn learn(&mut self, firing: &[u32], winners: &[u32], marks: &[u64], pool: &Pool, gains: &mut Vec<(u32, u32)>) {
        let weights = &self.weights;
        if weights.beta() == 0.0 {
            return;
        }
        match &mut self.synapses {
            FibreSynapses::Stimulus(stimulus) => stimulus.learn(weights, winners, gains),
            FibreSynapses::Area(rows) => rows.change(
                firing,
                pool,
                gains,
                #[inline(always)]
                |_, row, gains| row.learn(weights, marks, gains),
            ),
        }
    }

    pub(super) fn forget(&mut self) {
        match &mut self.synapses {
            FibreSynapses::Stimulus(stimulus) => stimulus.forget(),
            FibreSynapses::Area(rows) => rows.forget(),
        }
    }

    /// Frees rows whose last use was before a round, but not what they have learned.
    pub(super) fn drop_rows_before(&mut self, round: u32) {
        if let FibreSynapses::Area(rows) = &mut self.synapses {
            rows.drop_before(round);
        }
    }

    /// Memory of synapses and of what they have learned.
    pub(super) fn parts(&self) -> [u64; 2] {
        match &self.synapses {
            FibreSynapses::Stimulus(stimulus) => stimulus.bytes(),
            FibreSynapses::Area(rows) => rows.bytes(),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.parts().iter().sum()
    }

    pub(super) fn synapses_between(&self, pres: &[u32], posts: &[u32]) -> Vec<(u32, u32, f32)> {
        let FibreSynapses::Area(rows) = &self.synapses else { return Vec::new() };
        let mut found = Vec::new();
        for pre in pres {
            let drawn = rows.complete(*pre);
            let weights = posts.iter().filter_map(|post| Some((*post, drawn.weight(&self.weights, *post)?)));
            found.extend(weights.map(|(post, units)| (*pre, post, units as f32 * crate::UNIT)));
        }
        found
    }
}

impl FibreSynapses {
    fn new(source: Source, pres: u32, rule: Rule) -> FibreSynapses {
        match source {
            Source::Stimulus(_) => FibreSynapses::Stimulus(StimulusInput::new(pres, rule)),
            Source::Area(_) => FibreSynapses::Area(Rows::new(rule)),
        }
    }
}
