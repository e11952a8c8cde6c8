//! The rows of the neurons of an area.

use std::collections::HashMap;

use spikelet::Pool;
use spikelet_kernel::simd::{Level, prefetch};

use super::row::{LearnedChanges, Row};
use super::rule::Rule;

/// The rows of the neurons of an area.
pub(super) struct Rows {
    rule: Rule,
    /// The place of the row of each neuron; `u32::MAX` if it has none yet.
    places: Vec<u32>,
    rows: Vec<Row>,
    /// What neurons have learned whose rows are freed.
    kept: HashMap<u32, LearnedChanges>,
    /// Memory of rows, and of what they have learned.
    bytes: [u64; 2],
}

const NO_ROW: u32 = u32::MAX;

impl Rows {
    /// No rows so far.
    pub(super) fn new(rule: Rule) -> Rows {
        Rows { rule, places: Vec::new(), rows: Vec::new(), kept: HashMap::new(), bytes: [0; 2] }
    }

    pub(super) fn has_learned(&self) -> bool {
        !self.kept.is_empty() || self.rows.iter().any(Row::has_learned)
    }

    /// Sets all weights back to 1.
    pub(super) fn forget(&mut self) {
        self.rows.iter_mut().for_each(Row::forget);
        self.kept.clear();
        self.bytes[1] = 0;
    }

    /// Frees rows whose last use was before a round, but not what they have learned.
    pub(super) fn drop_before(&mut self, round: u32) {
        let Rows { rows, places, kept, bytes, .. } = self;
        let places = (0..).zip(places.iter()).filter(|(_, place)| **place != NO_ROW);
        for (pre, place) in places {
            let row = &mut rows[*place as usize];
            if row.is_drawn && row.used < round {
                bytes.iter_mut().zip(row.bytes()).for_each(|(sum, bytes)| *sum -= bytes);
                let learned = row.free();
                if !learned.is_empty() {
                    bytes[1] += bytes_of(&learned);
                    kept.insert(pre, learned);
                }
            }
        }
    }

    /// Memory of synapses and of what they have learned.
    pub(super) fn bytes(&self) -> [u64; 2] {
        let table = 4 * self.places.capacity() + size_of::<Row>() * self.rows.capacity();
        [self.bytes[0] + table as u64, self.bytes[1]]
    }

    /// Visits the rows of neurons that have one.
    pub(super) fn each(&self, pres: &[u32], mut visit: impl FnMut(&Row)) {
        for (index, pre) in pres.iter().enumerate() {
            prefetch_after(&self.places, &self.rows, &pres[index..]);
            visit(&self.rows[self.places[*pre as usize] as usize]);
        }
    }

    fn place(&mut self, pre: u32) -> usize {
        if self.places.len() <= pre as usize {
            self.places.resize(pre as usize + 1, NO_ROW);
        }
        let place = &mut self.places[pre as usize];
        if *place == NO_ROW {
            *place = self.rows.len() as u32;
            self.rows.push(Row::default());
        }
        *place as usize
    }

    /// Draws what the rows of these neurons lack, up to the first `known` neurons of the target.
    pub(super) fn draw(&mut self, pres: &[u32], known: u32, round: u32, pool: &Pool) {
        let mut incomplete = Vec::new();
        for pre in pres {
            let place = self.place(*pre);
            let row = &mut self.rows[place];
            row.used = round;
            if !row.is_drawn || row.decided < known {
                incomplete.push(*pre);
            }
        }
        if incomplete.is_empty() {
            return;
        }
        let rule = self.rule.clone();
        let kept = std::mem::take(&mut self.kept);
        let learned = |pre: u32| kept.get(&pre).map_or(&[][..], Vec::as_slice);
        self.change(&incomplete, pool, &mut Vec::new(), |pre, row, _| rule.complete(pre, row, known, learned(pre)));
        self.kept = kept;
        if !self.kept.is_empty() {
            for learned in incomplete.iter().filter_map(|pre| self.kept.remove(pre)) {
                self.bytes[1] -= bytes_of(&learned);
            }
        }
    }

    /// A copy of a row with all synapses onto neurons that exist.
    pub(super) fn complete(&self, pre: u32) -> Row {
        let mut row =
            self.places.get(pre as usize).filter(|place| **place != NO_ROW).map(|place| self.rows[*place as usize].clone());
        let row = row.get_or_insert_default();
        if !row.is_drawn
            && let Rule::Rows(rule) = &self.rule
        {
            let learned = self.kept.get(&pre).map_or(&[][..], Vec::as_slice);
            self.rule.complete(pre, row, rule.post.end, learned);
        }
        std::mem::take(row)
    }

    /// Changes the rows of these neurons; `change` may append to `gains`.
    pub(super) fn change(
        &mut self,
        pres: &[u32],
        pool: &Pool,
        gains: &mut Vec<(u32, u32)>,
        change: impl Fn(u32, &mut Row, &mut Vec<(u32, u32)>) + Sync,
    ) {
        let Rows { places, rows, bytes, .. } = self;
        let mut count = |row: &Row, change: fn(u64, u64) -> u64| {
            bytes.iter_mut().zip(row.bytes()).for_each(|(sum, bytes)| *sum = change(*sum, bytes));
        };
        if pool.threads() == 1 {
            Level::best().run(
                #[inline(always)]
                || {
                    for (index, pre) in pres.iter().enumerate() {
                        prefetch_after(places, rows, &pres[index..]);
                        let row = &mut rows[places[*pre as usize] as usize];
                        count(row, |sum, bytes| sum - bytes);
                        change(*pre, row, gains);
                        count(row, |sum, bytes| sum + bytes);
                    }
                },
            );
            return;
        }
        // Each thread gets the rows that it changes.
        let mut take = |pre: &u32| {
            let row = std::mem::take(&mut rows[places[*pre as usize] as usize]);
            count(&row, |sum, bytes| sum - bytes);
            (*pre, row)
        };
        let per_part = pres.len().div_ceil(4 * pool.threads()).max(1);
        let parts: Vec<Vec<(u32, Row)>> = pres.chunks(per_part).map(|part| part.iter().map(&mut take).collect()).collect();
        let changed = pool.by_turns(parts.into_iter(), |mut part| {
            let mut gains = Vec::new();
            part.iter_mut().for_each(|(pre, row)| change(*pre, row, &mut gains));
            (part, gains)
        });
        for (part, gained) in changed {
            gains.extend(gained);
            for (pre, row) in part {
                count(&row, |sum, bytes| sum + bytes);
                rows[places[pre as usize] as usize] = row;
            }
        }
    }

    /// A synapse onto a newcomer.
    pub(super) fn add_line(&mut self, pre: u32, newcomer: u32) {
        let place = self.place(pre);
        let row = &mut self.rows[place];
        let before = row.bytes();
        row.push(newcomer);
        self.bytes.iter_mut().zip(before).zip(row.bytes()).for_each(|((sum, before), after)| *sum += after - before);
    }

    /// No other synapses from these neurons onto the first `known` neurons of the target.
    pub(super) fn decided_to(&mut self, pres: &[u32], known: u32) {
        for pre in pres {
            let place = self.place(*pre);
            self.rows[place].decided = known;
        }
    }
}

fn bytes_of(learned: &LearnedChanges) -> u64 {
    (learned.capacity() * size_of::<(u32, u16)>()) as u64
}

/// Rows are scattered in memory: those of the next neurons are fetched while this one is processed.
#[inline]
fn prefetch_after(places: &[u32], rows: &[Row], pres: &[u32]) {
    const SYNAPSES_AHEAD: usize = 4;
    let row = |ahead: usize| pres.get(ahead).map(|pre| &rows[places[*pre as usize] as usize]);
    if let Some(row) = row(2 * SYNAPSES_AHEAD) {
        prefetch(row);
    }
    if let Some(row) = row(SYNAPSES_AHEAD) {
        row.prefetch();
    }
}
