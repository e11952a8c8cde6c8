//! Populations of which only the winners fire.

use std::collections::BTreeMap;

use spikelet::{Plan, WinnerRule};

use super::BufferLayout;
use crate::select::{BIN_WORDS, Chunks};

/// Loop iterations of an invocation for a chunk beside those over its items: over counts, and to add up.
const CHUNK_ITERATIONS: u64 = 64;

/// `NO_LIST` of shaders/select/population.wgsl.
const NO_LIST: u32 = u32::MAX;
/// The word of a selection that names its group.
const GROUP_WORD: usize = 11;

/// The chunks of all selections, which share their dispatches.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SelectionList {
    /// Their list in `tables`.
    pub(crate) at: u32,
    /// Their number.
    pub(crate) chunks: u32,
    /// Maximum loop iterations of a workgroup that goes through all of them.
    pub(crate) iterations: u64,
    /// Whether any populations inhibit each other.
    pub(crate) has_groups: bool,
}

impl BufferLayout {
    /// Describes the selections, after the words of `ring` that everything else needs, and lists their chunks.
    pub(super) fn place_selections(&mut self, plan: &Plan) {
        let (mut list, mut iterations, mut groups) = (Vec::new(), 0, BTreeMap::<usize, Vec<usize>>::new());
        for (index, population) in plan.populations.iter().enumerate() {
            let Some(rule) = population.winners else { continue };
            let (k, fraction) = match rule {
                WinnerRule::Largest(k) => (k, 0.0),
                WinnerRule::Within(fraction) => (0, fraction),
            };
            let chunks = Chunks::of(plan.own(index).len());
            let decisions = self.take_state(chunks.decision_words() as usize);
            let most = if k > 0 { k } else { plan.own(index).len() };
            let winners = population.group.map(|_| self.take_state(most as usize));
            let of = &self.populations[index];
            let last_spikes = of.array(population.program.variables.len());
            let scores = of.array(population.program.score.unwrap_or_default());
            let bins = self.ring_words;
            self.ring_words += u64::from(BIN_WORDS);
            let selection = self.describe([
                of.record as u32,
                k,
                fraction.to_bits(),
                chunks.size,
                chunks.count,
                of.keys as u32,
                decisions as u32,
                last_spikes as u32,
                bins as u32,
                winners.map_or(NO_LIST, |at| at as u32),
                scores as u32,
                0,
            ]);
            if let Some(group) = population.group {
                groups.entry(group).or_default().push(selection);
            }
            list.extend((0..chunks.count).flat_map(|chunk| [selection as u32, chunk]));
            iterations += u64::from(chunks.count) * (CHUNK_ITERATIONS + chunks.iterations());
        }
        for members in groups.values() {
            let group = self.describe(std::iter::once(members.len() as u32).chain(members.iter().map(|member| *member as u32)));
            members.iter().for_each(|member| self.tables[member + GROUP_WORD] = group as u32);
        }
        let (chunks, has_groups) = ((list.len() / 2) as u32, !groups.is_empty());
        self.selections = SelectionList { at: self.describe(list) as u32, chunks, iterations, has_groups };
    }
}
