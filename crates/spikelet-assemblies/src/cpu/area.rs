//! An area: its winners, and how new ones are chosen.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use spikelet::{Pool, Select};

use super::fibre::Fibre;
use crate::{AreaOptions, Error, LARGEST_INPUT, LARGEST_SUM, ONE, Refraction, UNIT};

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
pub(super) struct Buffers {
    /// The input of each neuron, in units.
    sums: Vec<u32>,
    /// The inputs that are summed: fibres by their numbers, and the neurons that fired.
    summed: Vec<(usize, Vec<u32>)>,
    /// Neurons with the change of their input by learning.
    gains: Vec<(u32, u32)>,
    /// What is compared.
    scores: Vec<f32>,
    /// The inputs of the newcomers among the winners.
    newcomers: Vec<u32>,
    select: Select,
}

/// An input of an area.
pub(super) struct Input<'a> {
    /// The number of the fibre.
    pub(super) number: usize,
    pub(super) fibre: &'a Fibre,
    /// The neurons that fire, unless it is a stimulus.
    pub(super) firing: &'a [u32],
}

impl Buffers {
    /// The inputs of the newcomers among the new winners, which are neurons from now on.
    pub(super) fn newcomers(&mut self) -> Vec<u32> {
        self.sums.extend(self.newcomers.iter().map(|input| input * ONE));
        std::mem::take(&mut self.newcomers)
    }

    /// Lets a fibre learn, and adds the changes to the sums that contain its input.
    pub(super) fn learn(&mut self, fibre: &mut Fibre, firing: &[u32], winners: &[u32], marks: &[u64], pool: &Pool) {
        self.gains.clear();
        fibre.learn(firing, winners, marks, pool, &mut self.gains);
        if !self.summed.is_empty() {
            for (neuron, gain) in &self.gains {
                let sum = &mut self.sums[*neuron as usize];
                *sum = sum.saturating_add(*gain);
            }
        }
    }

    /// Sums everything again in the next round.
    pub(super) fn forget_sums(&mut self) {
        self.summed.clear();
    }

    /// For each input, the neurons that fire in addition to those that are summed, and those that fire no longer; `None` if it is as fast to
    /// sum everything again.
    fn changes(&self, inputs: &[Input<'_>]) -> Option<Vec<[Vec<u32>; 2]>> {
        let is_same = |(input, (number, _)): (&Input<'_>, &(usize, Vec<u32>))| input.number == *number;
        if self.summed.len() != inputs.len() || !inputs.iter().zip(&self.summed).all(is_same) {
            return None;
        }
        let changes: Vec<[Vec<u32>; 2]> =
            inputs.iter().zip(&self.summed).map(|(input, (_, old))| [only(input.firing, old), only(old, input.firing)]).collect();
        let count = |rows: usize| rows as f64;
        let changed: f64 = changes.iter().flatten().map(|rows| count(rows.len())).sum();
        (changed < inputs.iter().map(|input| count(input.firing.len())).sum()).then_some(changes)
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
    ///
    /// Few winners of an assembly change from round to round, so that only what has changed is summed.
    pub(super) fn sum(&self, buffers: &mut Buffers, inputs: &[Input<'_>], round: u64, pool: &Pool) -> Result<(), Error> {
        let known = self.known as usize;
        let changes = buffers.changes(inputs);
        buffers.summed.clear();
        buffers.sums.resize(known, 0);
        buffers.scores.resize(known, 0.0);
        let per_thread = known.div_ceil(pool.threads()).max(1);
        let parts = buffers.sums.chunks_mut(per_thread).zip(buffers.scores.chunks_mut(per_thread));
        let parts: Vec<Mutex<(&mut [u32], &mut [f32])>> = parts.map(Mutex::new).collect();
        let is_too_large = AtomicBool::new(false);
        pool.run(parts.len(), |thread| {
            let Some(part) = parts.get(thread) else { return };
            let mut part = part.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let (sums, scores) = &mut *part;
            let first = (thread * per_thread) as u32;
            if let Some(changes) = &changes {
                for (input, [added, removed]) in inputs.iter().zip(changes) {
                    input.fibre.subtract(removed, first, sums);
                    if !added.is_empty() {
                        input.fibre.add(added, first, sums);
                    }
                }
            } else {
                sums.fill(0);
                inputs.iter().for_each(|input| input.fibre.add(input.firing, first, sums));
            }
            // Signed numbers are converted faster.
            scores.iter_mut().zip(sums.iter()).for_each(|(score, sum)| *score = *sum as i32 as f32 * UNIT);
            if sums.iter().fold(0, |all, sum| all | *sum) > LARGEST_SUM {
                is_too_large.store(true, Ordering::Relaxed);
            }
            self.subtract_penalties(first, scores, round);
        });
        if is_too_large.into_inner() {
            return Err(self.overflow(&buffers.sums, round));
        }
        buffers.summed = inputs.iter().map(|input| (input.number, input.firing.to_vec())).collect();
        Ok(())
    }

    fn overflow(&self, sums: &[u32], round: u64) -> Error {
        let neuron = sums.iter().position(|sum| *sum > LARGEST_SUM).unwrap_or_default() as u32;
        Error::Overflow { area: self.name.clone(), neuron, round, limit: LARGEST_INPUT }
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
    pub(super) fn choose(&self, buffers: &mut Buffers, newcomers: &[u32]) -> Vec<u32> {
        let k = self.options.k as usize;
        let Buffers { scores, newcomers: chosen, select, .. } = buffers;
        scores.extend(newcomers.iter().map(|input| *input as f32));
        let winners = select.largest(scores, k).map_or_else(|_| Vec::new(), <[u32]>::to_vec);
        let old = winners.partition_point(|winner| *winner < self.known);
        chosen.clear();
        chosen.extend_from_slice(&newcomers[..winners.len() - old]);
        // Newcomers are in descending order, so that the first of them win.
        winners
    }

    /// Remembers a win.
    pub(super) fn won(&mut self, winners: &[u32], buffers: &Buffers, round: u64) {
        let known = self.known as usize;
        match self.options.refraction {
            Refraction::None => {}
            Refraction::Refractory { .. } => {
                self.last_wins.resize(known, 0);
                winners.iter().for_each(|winner| self.last_wins[*winner as usize] = round as u32);
            }
            Refraction::Refracted { strength } => {
                self.biases.resize(known, 0.0);
                let input = |winner: usize| buffers.sums.get(winner).map_or(0.0, |sum| *sum as f32 * UNIT);
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

/// The neurons of the first of two ascending lists that are not in the second.
fn only(these: &[u32], others: &[u32]) -> Vec<u32> {
    let mut others = others.iter().copied().peekable();
    let mut is_new = |neuron: &u32| {
        while others.next_if(|other| other < neuron).is_some() {}
        others.peek() != Some(neuron)
    };
    these.iter().copied().filter(|neuron| is_new(neuron)).collect()
}
