//! The tape: what the gradient reads of each step, and its segments.

use spikelet_kernel::block::{LANES, Lanes};
use spikelet_network::Error;

use super::setup::{Cell, Setup};

/// The steps of a segment: for each population `[step][block][word][lane]`.
#[derive(Default)]
pub(super) struct Segment {
    first: u32,
    words: Vec<Vec<[u32; LANES]>>,
    blocks: Vec<usize>,
}

impl Segment {
    /// Room for the steps from `first` on of this number of trials.
    pub(super) fn begin(&mut self, setup: &Setup, trials: usize, first: u32, steps: u32) {
        self.first = first;
        self.blocks = setup.cells.iter().map(|cell| cell.blocks(trials)).collect();
        self.words.resize_with(setup.cells.len(), Vec::new);
        for ((words, cell), blocks) in self.words.iter_mut().zip(&setup.cells).zip(&self.blocks) {
            let count = if cell.gradient.is_some() { cell.taped_words() * blocks * steps as usize } else { 0 };
            words.resize(count, [0; LANES]);
        }
    }

    fn place(&self, cell: &Cell, (population, block, step): (usize, usize, u32)) -> usize {
        ((step - self.first) as usize * self.blocks[population] + block) * cell.taped_words()
    }

    /// Records a block before its step.
    pub(super) fn record(
        &mut self,
        cell: &Cell,
        at: (usize, usize, u32),
        variables: &[Lanes],
        sums: &[i32],
        starts: &[(usize, Option<usize>)],
        last_spikes: &[i32; LANES],
    ) {
        let first = self.place(cell, at);
        let mut words = self.words[at.0][first..][..cell.taped_words()].iter_mut();
        for (array, words) in cell.taped.iter().zip(&mut words) {
            words.iter_mut().zip(&variables[*array]).for_each(|(word, value)| *word = value.to_bits());
        }
        if cell.tapes_input {
            for ((start, _), words) in starts.iter().zip(&mut words) {
                words.iter_mut().zip(&sums[*start..]).for_each(|(word, sum)| *word = *sum as u32);
            }
        }
        if let (true, Some(words)) = (cell.tapes_last_spikes, words.next()) {
            words.iter_mut().zip(last_spikes).for_each(|(word, step)| *word = *step as u32);
        }
    }

    /// Reads what was recorded: arrays, sums of all ports one after the other, steps of the last spikes.
    pub(super) fn read(
        &self,
        cell: &Cell,
        at: (usize, usize, u32),
        variables: &mut [Lanes],
        sums: &mut [i32],
        last_spikes: &mut [i32; LANES],
    ) {
        let first = self.place(cell, at);
        let mut words = self.words[at.0][first..][..cell.taped_words()].iter();
        for (array, words) in cell.taped.iter().zip(&mut words) {
            variables[*array].iter_mut().zip(words).for_each(|(value, word)| *value = f32::from_bits(*word));
        }
        if cell.tapes_input {
            for (sums, words) in sums.as_chunks_mut::<LANES>().0.iter_mut().zip(&mut words) {
                sums.iter_mut().zip(words).for_each(|(sum, word)| *sum = *word as i32);
            }
        }
        if let (true, Some(words)) = (cell.tapes_last_spikes, words.next()) {
            last_spikes.iter_mut().zip(words).for_each(|(step, word)| *step = *word as i32);
        }
    }
}

/// How long segments are, and what that takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TapePlan {
    /// Steps of a segment; all steps in one if it is as many.
    pub(super) segment: u32,
    /// Bytes for a batch.
    pub(super) bytes: u64,
}

/// Bytes of a batch by the length of segments.
struct TapeSize {
    steps: u32,
    /// Of what the gradient reads of a step, in all chunks.
    step: u64,
    /// Of that in one chunk on each thread.
    step_of_threads: u64,
    /// Of the state, in all chunks.
    state: u64,
}

impl TapeSize {
    fn of(&self, segment: u32) -> u64 {
        if segment >= self.steps {
            return self.step * u64::from(self.steps);
        }
        self.state * u64::from(self.steps.div_ceil(segment)) + self.step_of_threads * u64::from(segment)
    }

    /// The segment that takes least: about the square root of the number of steps (Griewank & Walther 2008, chapter 12, with one level).
    fn least(&self) -> u32 {
        (1..=self.steps.max(1)).min_by_key(|segment| self.of(*segment)).unwrap_or(1)
    }
}

impl TapePlan {
    /// The segments of batches of this many trials: as the training says, or in as much memory as there is.
    ///
    /// # Errors
    /// The tape is larger than the memory: says which segment would fit.
    pub(super) fn new(setup: &Setup, trials: usize, threads: usize, free: Option<u64>) -> Result<TapePlan, Error> {
        let (plan, tape) = (&setup.plan, &setup.plan.tape);
        let size = plan.chunk(trials).max(1);
        let words = |trials: usize, of: &dyn Fn(&Cell) -> usize| -> u64 {
            setup.cells.iter().map(|cell| (of(cell) * cell.blocks(trials) * LANES * 4) as u64).sum()
        };
        let in_all = |of: &dyn Fn(&Cell) -> usize| -> u64 {
            (0..trials).step_by(size).map(|first| words(size.min(trials - first), of)).sum()
        };
        let taped = |cell: &Cell| if cell.gradient.is_some() { cell.taped_words() } else { 0 };
        let at_once = threads.min(trials.div_ceil(size)) as u64;
        let sizes = TapeSize {
            steps: plan.steps,
            step: in_all(&taped),
            step_of_threads: at_once * words(size.min(trials), &taped),
            state: in_all(&Cell::state_words),
        };
        let memory = tape.memory.or(free).unwrap_or(u64::MAX);
        let least = sizes.least();
        let segment = match tape.segment {
            Some(segment) => segment.clamp(1, plan.steps.max(1)),
            None if sizes.of(plan.steps) <= memory => plan.steps,
            None => least,
        };
        let bytes = sizes.of(segment);
        if bytes <= memory {
            return Ok(TapePlan { segment, bytes });
        }
        let found = format!("{bytes} bytes for {trials} trials of {} steps", plan.steps);
        let expected = format!("at most {memory} bytes");
        let way_out = if sizes.of(least) <= memory {
            format!("write \"segment\": {least}, which takes {} bytes", sizes.of(least))
        } else {
            let each = (sizes.of(least) / trials.max(1) as u64).max(1);
            let fit = memory / each;
            format!("use smaller batches: about {fit} trials fit in segments of {least} steps; or a window and shorter samples")
        };
        Err(Error::invalid("tape", found, expected, way_out))
    }
}
