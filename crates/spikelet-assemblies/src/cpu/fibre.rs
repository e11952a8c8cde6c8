//! The synapses between a source and an area.

use std::collections::HashMap;
use std::sync::Arc;

use spikelet::lang::simd::{Level, prefetch};
use spikelet::rng::philox;
use spikelet::{Pool, ProceduralRows, RowDistribution};

use super::gaps::Gaps;
use super::row::{LearnedChanges, Row};
use super::{Cpu, newcomers};
use crate::weights::{ONE, Weights};
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

/// The input from a stimulus. All its neurons fire together, so that all their synapses onto a neuron have learned equally often, and one
/// number for each neuron is sufficient.
pub(super) struct StimulusInput {
    size: u32,
    rule: Rule,
    /// For each neuron, the number of synapses.
    lines: Vec<u32>,
    /// For each neuron, the number of updates.
    updates: Vec<u16>,
    /// Their product, in units.
    pub(super) input: Vec<u32>,
}

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

/// How synapses are drawn.
#[derive(Clone)]
enum Rule {
    /// From counters, any row at any time.
    Rows(ProceduralRows),
    /// Only between neurons that exist, when a row is used.
    Lazy { seed: u64, fibre: u32, gaps: Arc<Gaps> },
}

const NO_ROW: u32 = u32::MAX;

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
            FibreSynapses::Stimulus(stimulus) => stimulus.updates.iter().any(|updates| *updates > 0),
            FibreSynapses::Area(rows) => !rows.kept.is_empty() || rows.rows.iter().any(Row::has_learned),
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
            FibreSynapses::Stimulus(stimulus) => {
                let input = &stimulus.input[first as usize..][..sums.len()];
                sums.iter_mut().zip(input).for_each(|(sum, input)| *sum = sum.saturating_add(*input));
            }
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
            FibreSynapses::Stimulus(stimulus) => {
                stimulus.updates.fill(0);
                stimulus.input.iter_mut().zip(&stimulus.lines).for_each(|(input, lines)| *input = lines * ONE);
            }
            FibreSynapses::Area(rows) => {
                rows.rows.iter_mut().for_each(Row::forget);
                rows.kept.clear();
                rows.bytes[1] = 0;
            }
        }
    }

    /// Frees rows whose last use was before a round, but not what they have learned.
    pub(super) fn drop_rows_before(&mut self, round: u32) {
        if let FibreSynapses::Area(rows) = &mut self.synapses {
            let Rows { rows, places, kept, bytes, .. } = rows;
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
    }

    /// Memory of synapses and of what they have learned.
    pub(super) fn parts(&self) -> [u64; 2] {
        match &self.synapses {
            FibreSynapses::Stimulus(stimulus) => [8 * stimulus.lines.capacity() as u64, 2 * stimulus.updates.capacity() as u64],
            FibreSynapses::Area(rows) => {
                let table = 4 * rows.places.capacity() + size_of::<Row>() * rows.rows.capacity();
                [rows.bytes[0] + table as u64, rows.bytes[1]]
            }
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
            Source::Stimulus(_) => {
                let empty = StimulusInput { size: pres, rule, lines: Vec::new(), updates: Vec::new(), input: Vec::new() };
                FibreSynapses::Stimulus(empty)
            }
            Source::Area(_) => {
                FibreSynapses::Area(Rows { rule, places: Vec::new(), rows: Vec::new(), kept: HashMap::new(), bytes: [0; 2] })
            }
        }
    }
}

impl StimulusInput {
    fn learn(&mut self, weights: &Weights, winners: &[u32], gains: &mut Vec<(u32, u32)>) {
        for winner in winners {
            let neuron = *winner as usize;
            let (updates, before) = (weights.after(self.updates[neuron]), self.input[neuron]);
            self.updates[neuron] = updates;
            // A larger sum is reported when it is used.
            let input = u64::from(self.lines[neuron]) * u64::from(weights.units(updates));
            self.input[neuron] = u32::try_from(input).unwrap_or(u32::MAX);
            gains.push((*winner, self.input[neuron] - before));
        }
    }

    /// Draws the number of synapses onto neurons that have none yet.
    fn draw(&mut self, known: u32) {
        let first = self.lines.len() as u32;
        if first >= known {
            return;
        }
        self.lines.resize(known as usize, 0);
        match &self.rule {
            Rule::Rows(rule) => {
                let lines = &mut self.lines;
                (0..self.size).for_each(|pre| rule.for_each(pre, &(0..known), |edge| lines[edge.post as usize] += 1));
            }
            Rule::Lazy { seed, fibre, gaps } => {
                for neuron in first..known {
                    self.lines[neuron as usize] = newcomers::lines(*seed, *fibre, neuron, self.size, gaps.p);
                }
            }
        }
        self.extend_to(known);
    }

    /// A synapse onto a newcomer.
    pub(super) fn add_line(&mut self, newcomer: u32) {
        let count = self.lines.len().max(newcomer as usize + 1);
        self.lines.resize(count, 0);
        self.lines[newcomer as usize] += 1;
    }

    /// No other synapses onto the first `known` neurons.
    pub(super) fn extend_to(&mut self, known: u32) {
        let first = self.input.len();
        self.lines.resize(known as usize, 0);
        self.updates.resize(known as usize, 0);
        self.input.extend(self.lines[first..].iter().map(|lines| lines * ONE));
    }
}

impl Rows {
    /// Visits the rows of neurons that have one.
    fn each(&self, pres: &[u32], mut visit: impl FnMut(&Row)) {
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
    fn draw(&mut self, pres: &[u32], known: u32, round: u32, pool: &Pool) {
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
    fn complete(&self, pre: u32) -> Row {
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
    fn change(
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

impl Rule {
    /// Draws what a row lacks, up to the first `known` neurons of the target. Rows that were freed get back what they have `learned`.
    fn complete(&self, pre: u32, row: &mut Row, known: u32, learned: &[(u32, u16)]) {
        match self {
            Rule::Rows(rule) => {
                row.targets.clear();
                rule.for_each(pre, &rule.post, |edge| row.targets.push(edge.post));
                let bits = if let RowDistribution::Bernoulli { bits, .. } = rule.distribution { bits } else { 31 };
                row.finish(bits, learned);
                row.decided = rule.post.end;
            }
            Rule::Lazy { seed, fibre, gaps } => {
                // The draws of a row are numbered by where they begin.
                let mut next = row.decided;
                row.reserve((f64::from(known - next) * gaps.p * 1.5) as usize + 16);
                'draws: while next < known {
                    for word in philox(*seed, [next, pre, newcomers::ROW | fibre << 8, 0]) {
                        let Some(gap) = gaps.draw(word, known - next) else { break 'draws };
                        row.push(next + gap);
                        next += gap + 1;
                    }
                }
                row.decided = known;
            }
        }
        row.is_drawn = true;
    }
}
