//! A fibre on a GPU: how its rows are drawn, and what it has learned.

use spikelet::{ProceduralRows, RowDistribution};
use spikelet_assemblies::{BrainOptions, Error, Source, UNIT, Weights};

use super::arena::Arenas;
use super::job::Job;
use crate::Device;

/// Words of a slot of a hash table: the round in which it was taken, the neurons, and the number of updates.
const SLOT_WORDS: u32 = 4;

/// A fibre.
pub(super) struct Fibre {
    pub(super) source: Source,
    weights: Weights,
    distribution: RowDistribution,
    /// Everything about it in the jobs of its dispatches.
    job: Job,
    /// Slots in use, as far as the host knows.
    pub(super) used: u32,
    /// Expected number of new slots in a round, at most.
    pub(super) per_round: u32,
}

impl Fibre {
    /// A fibre whose source has or fires `pres` neurons, onto an area of `posts`.
    pub(super) fn new(
        device: &Device,
        arenas: &mut Arenas,
        options: &BrainOptions,
        source: Source,
        [pres, posts]: [u32; 2],
        beta: f64,
    ) -> Result<Fibre, Error> {
        let weights = Weights::new(beta, options.w_max);
        let distribution = RowDistribution::bernoulli(options.p, posts);
        let mut job = Job { neurons: posts, ..Job::default() };
        if let RowDistribution::Bernoulli { bits, counts } = &distribution {
            job.bits = *bits;
            job.blocks = posts.div_ceil(1 << bits);
            job.least = counts.least();
            job.thresholds = counts.thresholds().len() as u32;
            job.first_threshold = arenas.tables.take(device, job.thresholds)?;
            arenas.tables.write(device, job.first_threshold, counts.thresholds());
        }
        match source {
            Source::Stimulus(_) => job.stimulus = arenas.stimuli.take(device, posts)?,
            Source::Area(_) => job.used = arenas.lists.take(device, 1)?,
        }
        let mut fibre = Fibre { source, weights, distribution, job, used: 0, per_round: 0 };
        fibre.write_weights(device, arenas)?;
        if matches!(source, Source::Area(_)) {
            // Pairs of a neuron that fired and a winner: exceeded in one of e⁵⁰ rounds, which is then an error.
            let mean = f64::from(pres) * f64::from(pres.min(posts)) * options.p;
            fibre.per_round = (mean + 10.0 * mean.sqrt() + 64.0) as u32;
            fibre.grow(device, arenas, 0)?;
        }
        Ok(fibre)
    }

    fn write_weights(&mut self, device: &Device, arenas: &mut Arenas) -> Result<(), Error> {
        let units: Vec<u32> = (0..=self.weights.max_updates()).map(|updates| self.weights.units(updates)).collect();
        self.job.max_updates = self.weights.max_updates().into();
        self.job.first_weight = arenas.tables.take(device, units.len() as u32)?;
        arenas.tables.write(device, self.job.first_weight, &units);
        Ok(())
    }

    pub(super) fn job(&self) -> Job {
        self.job
    }

    pub(super) fn learns(&self) -> bool {
        self.job.max_updates > 0
    }

    pub(super) fn first_slot(&self) -> u32 {
        self.job.first_slot
    }

    pub(super) fn slot_words(&self) -> u32 {
        self.job.slots * SLOT_WORDS
    }

    /// How many rounds can follow with at most half of the slots in use.
    pub(super) fn rounds_that_fit(&self) -> u32 {
        (self.job.slots / 2).saturating_sub(self.used).checked_div(self.per_round).unwrap_or(u32::MAX)
    }

    /// Makes a hash table for at least eight more rounds. `old` slots have to be read before, and are written to it.
    pub(super) fn grow(&mut self, device: &Device, arenas: &mut Arenas, used: u32) -> Result<u32, Error> {
        let wanted = 2 * (u64::from(used) + 8 * u64::from(self.per_round));
        let slots = u32::try_from(wanted.next_power_of_two()).unwrap_or(u32::MAX).max(1024);
        let first = arenas.learned.take(device, slots.saturating_mul(SLOT_WORDS))?;
        (self.job.first_slot, self.job.slots) = (first, slots);
        Ok(slots)
    }

    /// Writes the slots of a smaller table into the current one.
    pub(super) fn write_slots(&self, device: &Device, arenas: &Arenas, old: &[u32]) {
        let slots = self.job.slots as usize;
        let mut table = vec![0_u32; slots * SLOT_WORDS as usize];
        for old in old.chunks(SLOT_WORDS as usize).filter(|slot| slot[0] != 0) {
            let mut place = (mixed(old[1] ^ mixed(old[2])) % self.job.slots) as usize;
            while table[place * SLOT_WORDS as usize] != 0 {
                place = (place + 1) % slots;
            }
            table[place * SLOT_WORDS as usize..][..SLOT_WORDS as usize].copy_from_slice(old);
        }
        arenas.learned.write(device, self.job.first_slot, &table);
    }

    pub(super) fn set_beta(
        &mut self,
        device: &Device,
        arenas: &mut Arenas,
        options: &BrainOptions,
        beta: f64,
        fibre: String,
    ) -> Result<(), Error> {
        if beta.total_cmp(&self.weights.beta()).is_eq() {
            return Ok(());
        }
        if self.used > 0 {
            return Err(Error::BetaChanged { fibre, old: self.weights.beta(), new: beta });
        }
        self.weights = Weights::new(beta, options.w_max);
        self.write_weights(device, arenas)
    }

    pub(super) fn forget(&mut self, device: &Device, arenas: &mut Arenas) {
        arenas.learned.clear(device, self.job.first_slot, self.slot_words());
        arenas.lists.clear(device, self.job.used, 1);
        self.used = 0;
    }

    /// The synapses between two sets of neurons, from the slots of the table.
    pub(super) fn synapses(
        &self,
        options: &BrainOptions,
        number: u32,
        pres: u32,
        slots: &[u32],
        from: &[u32],
        to: &[u32],
    ) -> Vec<(u32, u32, f32)> {
        let rows = ProceduralRows {
            seed: options.seed,
            projection: number,
            pre: 0..pres,
            post: 0..self.job.neurons,
            skips_self: false,
            distribution: self.distribution.clone(),
        };
        let slots = slots.chunks(SLOT_WORDS as usize).filter(|slot| slot[0] != 0);
        let learned: std::collections::HashMap<(u32, u32), u16> =
            slots.map(|slot| ((slot[1], slot[2]), slot[3] as u16)).collect();
        let mut found = Vec::new();
        for pre in from {
            let mut row = Vec::new();
            rows.for_each(*pre, &rows.post, |edge| row.push(edge.post));
            row.sort_unstable();
            for post in to.iter().filter(|post| row.binary_search(post).is_ok()) {
                let updates = learned.get(&(*pre, *post)).copied().unwrap_or(0);
                found.push((*pre, *post, self.weights.units(updates) as f32 * UNIT));
            }
        }
        found
    }
}

/// The twin of `mixed` in shaders/permutation.wgsl.
fn mixed(x: u32) -> u32 {
    let y = x.wrapping_mul(0x85eb_ca6b);
    (y ^ (y >> 15)).wrapping_mul(0xc2b2_ae35)
}
