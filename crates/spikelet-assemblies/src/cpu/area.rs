//! An area: its winners, and how new ones are chosen.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use spikelet::{Pool, Select};

use super::fibre::Fibre;
use crate::{AreaOptions, Error, ONE, Refraction, UNIT};

/// An area with its winners.
pub(super) struct Area {
    pub(super) name: String,
    pub(super) options: AreaOptions,
    /// Whether neurons exist only from their first win on.
    pub(super) is_lazy: bool,
    /// The number of neurons that exist.
    pub(super) known: u32,
    /// The last winners, in ascending order.
    pub(super) winners: Vec<u32>,
    /// The round of the last win of each neuron, if the area is refractory.
    last_wins: Vec<u32>,
    /// The bias of each neuron, if the area is refracted.
    biases: Vec<f32>,
    /// A bit for each neuron, all clear between rounds.
    marks: Vec<u64>,
}

/// Buffers of a round.
#[derive(Default)]
pub(super) struct Work {
    /// The input of each neuron, in units.
    sums: Vec<u32>,
    /// What is compared.
    scores: Vec<f32>,
    /// The inputs of the newcomers among the winners.
    newcomers: Vec<u32>,
    select: Select,
}

/// The largest sum, such that sums are exact as signed numbers too.
const LARGEST: u32 = i32::MAX as u32;

impl Work {
    /// The inputs of the newcomers among the new winners, which are neurons from now on.
    pub(super) fn newcomers(&mut self) -> Vec<u32> {
        self.sums.extend(self.newcomers.iter().map(|input| input * ONE));
        std::mem::take(&mut self.newcomers)
    }
}

impl Area {
    pub(super) fn new(name: &str, options: &AreaOptions, is_lazy: bool) -> Area {
        let known = if is_lazy { 0 } else { options.n };
        Area {
            name: name.into(),
            options: options.clone(),
            is_lazy,
            known,
            winners: Vec::new(),
            last_wins: Vec::new(),
            biases: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Sums the input of each neuron, and computes what is compared.
    pub(super) fn sum(&self, work: &mut Work, inputs: &[(&Fibre, &[u32])], round: u64, pool: &Pool) -> Result<(), Error> {
        let known = self.known as usize;
        work.sums.clear();
        work.sums.resize(known, 0);
        work.scores.resize(known, 0.0);
        let per_thread = known.div_ceil(pool.threads()).max(1);
        let parts = work.sums.chunks_mut(per_thread).zip(work.scores.chunks_mut(per_thread));
        let parts: Vec<Mutex<(&mut [u32], &mut [f32])>> = parts.map(Mutex::new).collect();
        let is_too_large = AtomicBool::new(false);
        pool.run(parts.len(), |thread| {
            let Some(part) = parts.get(thread) else { return };
            let mut part = part.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let (sums, scores) = &mut *part;
            let first = (thread * per_thread) as u32;
            inputs.iter().for_each(|(fibre, firing)| fibre.add(firing, first, sums));
            // Signed numbers are converted faster.
            scores.iter_mut().zip(sums.iter()).for_each(|(score, sum)| *score = *sum as i32 as f32 * UNIT);
            if sums.iter().fold(0, |all, sum| all | *sum) > LARGEST {
                is_too_large.store(true, Ordering::Relaxed);
            }
            self.subtract_penalties(first, scores, round);
        });
        if is_too_large.into_inner() { Err(self.overflow(&work.sums, round)) } else { Ok(()) }
    }

    fn overflow(&self, sums: &[u32], round: u64) -> Error {
        let neuron = sums.iter().position(|sum| *sum > LARGEST).unwrap_or_default() as u32;
        Error::Overflow { area: self.name.clone(), neuron, round, limit: (LARGEST as f32 * UNIT) as u32 }
    }

    fn subtract_penalties(&self, first: u32, scores: &mut [f32], round: u64) {
        let first = first as usize;
        match self.options.refraction {
            Refraction::None => {}
            Refraction::Refractory { strength, period } => {
                let wins = self.last_wins.iter().skip(first);
                for (score, last) in scores.iter_mut().zip(wins).filter(|(_, last)| **last > 0) {
                    let since = (round as u32).wrapping_sub(*last);
                    if since <= period {
                        *score -= strength * (1.0 - (since - 1) as f32 / period as f32);
                    }
                }
            }
            Refraction::Refracted { .. } => {
                scores.iter_mut().zip(self.biases.iter().skip(first)).for_each(|(score, bias)| *score -= bias);
            }
        }
    }

    /// The neurons with the largest scores, and those of the newcomers that are better, in ascending order.
    pub(super) fn choose(&self, work: &mut Work, newcomers: &[u32]) -> Vec<u32> {
        let k = self.options.k as usize;
        let Work { scores, newcomers: chosen, select, .. } = work;
        scores.extend(newcomers.iter().map(|input| *input as f32));
        let winners = select.largest(scores, k).map_or_else(|_| Vec::new(), <[u32]>::to_vec);
        let old = winners.partition_point(|winner| *winner < self.known);
        chosen.clear();
        chosen.extend_from_slice(&newcomers[..winners.len() - old]);
        // Newcomers are in descending order, so that the first of them win.
        winners
    }

    /// Remembers a win.
    pub(super) fn won(&mut self, winners: &[u32], work: &Work, round: u64) {
        let known = self.known as usize;
        match self.options.refraction {
            Refraction::None => {}
            Refraction::Refractory { .. } => {
                self.last_wins.resize(known, 0);
                winners.iter().for_each(|winner| self.last_wins[*winner as usize] = round as u32);
            }
            Refraction::Refracted { strength } => {
                self.biases.resize(known, 0.0);
                let input = |winner: usize| work.sums.get(winner).map_or(0.0, |sum| *sum as f32 * UNIT);
                for winner in winners.iter().map(|winner| *winner as usize) {
                    self.biases[winner] += strength * input(winner);
                }
            }
        }
    }

    /// A bit for each neuron, set for these.
    pub(super) fn mark(&mut self, winners: &[u32]) -> Vec<u64> {
        let mut marks = std::mem::take(&mut self.marks);
        marks.resize((self.known as usize).div_ceil(64), 0);
        winners.iter().for_each(|winner| marks[*winner as usize / 64] |= 1 << (winner % 64));
        marks
    }

    /// Clears the bits again.
    pub(super) fn unmark(&mut self, mut marks: Vec<u64>, winners: &[u32]) {
        winners.iter().for_each(|winner| marks[*winner as usize / 64] = 0);
        self.marks = marks;
    }

    /// Its memory with the buffers of a round.
    pub(super) fn bytes(&self) -> u64 {
        let known = u64::from(self.known);
        let penalties = if self.options.refraction == Refraction::None { 0 } else { 4 * known };
        8 * known + known / 8 + penalties + 4 * u64::from(self.options.k)
    }
}
