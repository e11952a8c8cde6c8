//! 256 neurons of a population during a step.

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};

use spikelet_kernel::block::{Aligned, Block, Cell, Compiled, InputSums, LANES, Lanes, ProgramInputs, Registers, crossed};
use spikelet_kernel::simd::Level;
use spikelet_lang::ir::LONG_AGO;
use spikelet_plan::schedule::PhaseKind;
use spikelet_plan::{Plan, Spike, sum};
use spikelet_rows::rng::{NoiseWords, Words, noise_bits, noise_words};

use super::lane_neurons::LaneNeurons;
use super::step_context::{RuntimeValues, StepContext};

/// The step of the last spike of a neuron that has not fired.
pub(super) const LONG_BEFORE: i32 = i32::MIN / 2;

/// A column of the samples: the value of a lane, or the sum of several, which are in increasing order.
pub(super) struct Recorded {
    pub(super) column: usize,
    pub(super) variable: usize,
    pub(super) selected: Vec<usize>,
}

impl Recorded {
    /// Its value.
    fn value(&self, values: &[f32; LANES]) -> f32 {
        match self.selected.as_slice() {
            [lane] => values[*lane],
            [first, .., last] if last - first + 1 == self.selected.len() => sum(&values[*first..=*last]),
            lanes => {
                let mut selected = [0.0; LANES];
                selected.iter_mut().zip(lanes).for_each(|(value, lane)| *value = values[*lane]);
                sum(&selected[..lanes.len()])
            }
        }
    }
}

/// Whether work is that of a whole step.
pub(super) fn is_whole_step(work: &[PhaseKind]) -> bool {
    use PhaseKind::{DeliverInput, Fire, Integrate, Reset, RunRegularly, Sample, SampleAndHold};
    matches!(
        work,
        [DeliverInput(_), Reset(_), SampleAndHold(_), Integrate(_), Fire(_)]
            | [DeliverInput(_), Reset(_), SampleAndHold(_), Sample(_), Integrate(_), Fire(_)]
            | [DeliverInput(_), Reset(_), RunRegularly(_), SampleAndHold(_), Integrate(_), Fire(_)]
            | [DeliverInput(_), Reset(_), RunRegularly(_), SampleAndHold(_), Sample(_), Integrate(_), Fire(_)]
    )
}

/// Output of neurons.
pub(super) struct NeuronOutput<'a> {
    /// The input of this step, of all ports of the shard.
    pub(super) slot: &'a mut [i32],
    pub(super) spikes: &'a mut Vec<Spike>,
    /// The row of this step.
    pub(super) samples: &'a mut [f32],
}

/// 256 neurons of a population.
pub(super) struct NeuronBlock {
    pub(super) population: usize,
    /// Place of the first one among the own neurons of the population.
    pub(super) first: u32,
    /// Number of lanes with neurons.
    pub(super) count: usize,
    /// Population indices of the neurons.
    pub(super) indices: LaneNeurons,
    pub(super) variables: Aligned<f32>,
    pub(super) last_spikes: Aligned<i32>,
    /// The latest of them, and the lanes that fired then.
    pub(super) latest: i32,
    pub(super) fired: Vec<u32>,
    /// First lane of each port in the shard's delay buffer, and of its remainders, if any.
    pub(super) columns: Vec<(usize, Option<usize>)>,
    pub(super) noise: NoiseWords,
    /// Where the threshold condition is true, between the phases that test it and fire, if they are separate.
    pub(super) crossings: Aligned<f32>,
    /// What is sampled in this block.
    pub(super) recorded: Vec<Recorded>,
}

/// Data shared by blocks: scratch memory, and the code of each population.
pub(super) struct Scratch {
    pub(super) registers: Registers,
    cells: Vec<Cell>,
    /// The dynamic arrays of each population, and that which says whether a column of a timed array does not exist.
    moving: Vec<(Vec<usize>, Option<usize>)>,
}

impl Scratch {
    pub(super) fn new(plan: &Plan) -> Scratch {
        let cells = plan.populations.iter().map(|population| Cell::new(&population.program)).collect();
        let programs = plan.populations.iter().map(|population| &population.program);
        let moving = programs.map(|of| (of.moving(), of.columns.as_ref().map(|columns| columns.missing))).collect();
        Scratch { registers: Registers::default(), cells, moving }
    }

    /// The dynamic arrays of a population, and that of missing columns.
    pub(super) fn moving(&self, population: usize) -> (&[usize], Option<usize>) {
        let (arrays, missing) = &self.moving[population];
        (arrays, *missing)
    }

    /// Runs compiled code from now on, for each population that has some.
    pub(super) fn compile(&mut self, plan: &Plan, compiled: &[Option<Compiled>]) {
        for ((cell, population), compiled) in self.cells.iter_mut().zip(&plan.populations).zip(compiled) {
            if let Some(compiled) = compiled {
                cell.compile(&population.program, &population.split_precision(), compiled.clone());
            }
        }
    }

    /// Whether a population has statements of events, or of regular steps.
    pub(super) fn has_statements(&self, population: usize) -> bool {
        self.cells[population].has_statements()
    }

    /// Whether statements of events, or of regular steps, of a population are due.
    pub(super) fn is_due(&self, population: usize, now: &StepContext<'_>) -> bool {
        self.cells[population].is_due(now.clocks_of(population))
    }

    /// Prepares for steps with these constants.
    pub(super) fn begin(&mut self, live: &RuntimeValues) {
        self.cells.iter_mut().zip(&live.constants).for_each(|(cell, constants)| cell.begin(constants));
    }
}

impl NeuronBlock {
    /// A block of the own neurons at the places `range` of a population, with ports at these lanes of the shard's delay buffer, and with what
    /// is `recorded` in it.
    pub(super) fn new(
        plan: &Plan,
        population: usize,
        first: u32,
        (range, starts): &(Range<u32>, Vec<(usize, Option<usize>)>),
        recorded: Vec<Recorded>,
    ) -> NeuronBlock {
        let of = &plan.populations[population];
        let own = plan.own(population);
        let count = (own.len() - first).min(LANES as u32) as usize;
        // Lanes after the last neuron repeat it: they are computed and discarded.
        let neuron = |lane: usize| first as usize + lane.min(count - 1);
        let variables = (0..of.program.variables.len()).map(|array| std::array::from_fn(|lane| of.initial(array, neuron(lane))));
        let into = (first - range.start) as usize;
        NeuronBlock {
            population,
            first,
            count,
            indices: LaneNeurons::new(own, first, count),
            variables: variables.collect(),
            last_spikes: std::iter::once([LONG_BEFORE; LANES]).collect(),
            latest: LONG_BEFORE,
            fired: Vec::new(),
            columns: starts.iter().map(|(start, fine)| (start + into, fine.map(|fine| fine + into))).collect(),
            noise: NoiseWords::default(),
            crossings: Aligned::default(),
            recorded,
        }
    }

    /// Population index of the neuron in a lane.
    pub(super) fn neuron(&self, lane: usize) -> u32 {
        self.indices.at(lane)
    }

    /// Population indices of its first and its last neuron.
    pub(super) fn span(&self) -> RangeInclusive<u32> {
        self.neuron(0)..=self.neuron(self.count - 1)
    }

    /// The step of each neuron's last spike.
    pub(super) fn last_spikes(&self) -> &[i32] {
        &self.last_spikes[0][..self.count]
    }

    /// Steps since the last spike of a lane.
    pub(super) fn since_spike(&self, lane: usize, step: u32) -> f32 {
        (step as i32 - self.last_spikes.at(0, lane)).min(LONG_AGO) as f32
    }

    /// Executes the work of a phase in its order.
    pub(super) fn run(&mut self, work: &[PhaseKind], now: &StepContext<'_>, scratch: &mut Scratch, out: &mut NeuronOutput<'_>) {
        use PhaseKind::{DeliverInput, Fire, Integrate, Reset, RunRegularly, Sample, SampleAndHold};
        match work {
            [DeliverInput(_) | Reset(_), rest @ ..] if now.is_complete => self.run(rest, now, scratch, out),
            [DeliverInput(_), Reset(_), rest @ ..] if self.is_due(now, scratch) => {
                self.complete_step(now, scratch, out);
                self.run(rest, now, scratch, out);
            }
            work if is_whole_step(work) && self.whole_step(now, scratch, out) => {}
            [DeliverInput(_), Reset(_), SampleAndHold(_), rest @ ..]
            | [DeliverInput(_), Reset(_), RunRegularly(_), SampleAndHold(_), rest @ ..] => {
                self.begin_step(now, scratch, out);
                self.run(rest, now, scratch, out);
            }
            [Integrate(_), Fire(_), rest @ ..] => {
                self.update(now, scratch, out);
                self.run(rest, now, scratch, out);
            }
            [first, rest @ ..] => {
                match first {
                    DeliverInput(_) => self.deliver(now, scratch, out),
                    Reset(_) => self.reset(now, scratch),
                    RunRegularly(_) => self.run_regularly(now, scratch),
                    SampleAndHold(_) => self.sample_and_hold(now, scratch),
                    Sample(_) => self.sample(now, out),
                    Integrate(_) => self.integrate(now, scratch),
                    Fire(_) => self.fire_crossed(now, scratch, out),
                    // Work of synapses.
                    _ => {}
                }
                self.run(rest, now, scratch, out);
            }
            [] => {}
        }
    }

    /// Executes a [whole step](is_whole_step) in which no statements are due at once, if it can; returns whether it did.
    pub(super) fn whole_step(&mut self, now: &StepContext<'_>, scratch: &mut Scratch, out: &mut NeuronOutput<'_>) -> bool {
        // Samples are taken within a step.
        (self.recorded.is_empty() || !now.plan.sampling.is_due(now.step))
            && (self.leaks(now, scratch, out) || self.steps(now, scratch, out))
    }

    /// Executes a whole step as compiled code, if there is any; returns whether it did. The loop of leaky cells is as fast.
    #[inline(never)]
    fn steps(&mut self, now: &StepContext<'_>, scratch: &mut Scratch, out: &mut NeuronOutput<'_>) -> bool {
        let Scratch { cells, registers, .. } = scratch;
        let (cell, level, count) = (&cells[self.population], registers.level(), self.count);
        if !cell.steps() {
            return false;
        }
        let Ok(above) = self.block(now, &[], |block, _| cell.step(block, count, out.slot, registers)) else { return false };
        if let Some(above) = above {
            self.fire(level, now, above, out.spikes);
        }
        true
    }

    /// Executes a whole step as one loop, if the model allows it; returns whether it did.
    #[inline]
    fn leaks(&mut self, now: &StepContext<'_>, scratch: &mut Scratch, out: &mut NeuronOutput<'_>) -> bool {
        let Scratch { cells, registers, .. } = scratch;
        let cell = &cells[self.population];
        let Some(taken_before) = cell.leaks(&self.columns) else { return false };
        if self.fired_before(now) || cell.leaves_begin_step() {
            self.block(now, out.slot, |block, fired| cell.finish_begin_step(block, fired, registers));
            self.empty(taken_before.iter().copied(), out.slot);
        }
        let count = self.count;
        let firing = self.block(now, &[], |block, _| cell.leak(block, count, out.slot, registers));
        if let Some(firing) = firing {
            firing.iter().for_each(|lane| self.fire_lane(*lane, now, out.spikes));
        }
        true
    }

    /// Adds input, resets neurons that fired, and computes values that are constant during the step.
    fn begin_step(&mut self, now: &StepContext<'_>, scratch: &mut Scratch, out: &mut NeuronOutput<'_>) {
        let (population, count, Scratch { cells, registers, .. }) = (self.population, self.count, scratch);
        self.block(now, out.slot, |block, fired| cells[population].begin_step(block, count, fired, registers));
        self.empty(0..self.columns.len(), out.slot);
    }

    fn deliver(&mut self, now: &StepContext<'_>, scratch: &mut Scratch, out: &mut NeuronOutput<'_>) {
        let (population, count, Scratch { cells, registers, .. }) = (self.population, self.count, scratch);
        self.block(now, out.slot, |block, _| cells[population].deliver_input(block, count, registers));
        self.empty(0..self.columns.len(), out.slot);
    }

    fn reset(&mut self, now: &StepContext<'_>, scratch: &mut Scratch) {
        let (population, count, Scratch { cells, registers, .. }) = (self.population, self.count, scratch);
        if self.fired_before(now) {
            self.block(now, &[], |block, fired| cells[population].reset(block, count, fired, registers));
        }
        self.block(now, &[], |block, _| cells[population].run_after_events(block, registers));
    }

    /// Completes the step before: adds its input, resets neurons that fired, and executes the statements of its events.
    pub(super) fn complete_step(&mut self, now: &StepContext<'_>, scratch: &mut Scratch, out: &mut NeuronOutput<'_>) {
        self.deliver(now, scratch, out);
        self.reset(now, scratch);
    }

    /// Whether statements of events, or of regular steps, are due.
    fn is_due(&self, now: &StepContext<'_>, scratch: &Scratch) -> bool {
        scratch.is_due(self.population, now)
    }

    fn run_regularly(&mut self, now: &StepContext<'_>, scratch: &mut Scratch) {
        let (population, Scratch { cells, registers, .. }) = (self.population, scratch);
        self.block(now, &[], |block, _| cells[population].run_regularly(block, registers));
    }

    fn sample_and_hold(&mut self, now: &StepContext<'_>, scratch: &mut Scratch) {
        let (population, count, Scratch { cells, registers, .. }) = (self.population, self.count, scratch);
        self.block(now, &[], |block, _| cells[population].sample_and_hold(block, count, registers));
    }

    fn sample(&self, now: &StepContext<'_>, out: &mut NeuronOutput<'_>) {
        if now.plan.sampling.is_due(now.step) {
            for recorded in &self.recorded {
                // On a rank, neurons of a sum may be in two blocks.
                out.samples[recorded.column] += recorded.value(&self.variables[recorded.variable]);
            }
        }
    }

    /// Integrates the step and fires neurons above threshold.
    fn update(&mut self, now: &StepContext<'_>, scratch: &mut Scratch, out: &mut NeuronOutput<'_>) {
        let (population, count, Scratch { cells, registers, .. }) = (self.population, self.count, scratch);
        let level = registers.level();
        let above = self.block(now, &[], |block, _| cells[population].update(block, count, registers));
        if let Some(above) = above {
            self.fire(level, now, above, out.spikes);
        }
    }

    /// Integrates the step; neurons above threshold fire later.
    fn integrate(&mut self, now: &StepContext<'_>, scratch: &mut Scratch) {
        let (population, count, Scratch { cells, registers, .. }) = (self.population, self.count, scratch);
        let above = self.block(now, &[], |block, _| cells[population].update(block, count, registers));
        self.crossings = above.map(|above| std::iter::once(*above).collect()).unwrap_or_default();
    }

    fn fire_crossed(&mut self, now: &StepContext<'_>, scratch: &mut Scratch, out: &mut NeuronOutput<'_>) {
        let crossings = std::mem::take(&mut self.crossings);
        if let Some(above) = crossings.first() {
            self.fire(scratch.registers.level(), now, above, out.spikes);
        }
    }

    /// Appends the neurons above threshold: their values of an array, and their indices in the population.
    pub(super) fn candidates(&self, array: usize, values: &mut Vec<f32>, neurons: &mut Vec<u32>) {
        let Some(above) = self.crossings.first() else { return };
        let (above, of) = (&above[..self.count], &self.variables[array][..self.count]);
        let neuron = |lane: usize| self.neuron(lane);
        if above.iter().fold(true, |all, above| all & (*above != 0.0)) {
            values.extend_from_slice(of);
            neurons.extend((0..self.count).map(neuron));
            return;
        }
        for ((lane, value), _) in of.iter().enumerate().zip(above).filter(|(_, above)| **above != 0.0) {
            values.push(*value);
            neurons.push(neuron(lane));
        }
    }

    /// Lets only these neurons, of those above threshold, be so. Neurons that are not here are ignored.
    pub(super) fn keep(&mut self, neurons: impl Iterator<Item = u32>) {
        let NeuronBlock { indices, count, crossings, .. } = self;
        let mut lanes = neurons.filter_map(|neuron| indices.lane(neuron, *count)).peekable();
        if lanes.peek().is_none() {
            *crossings = Aligned::default();
        } else if let Some(above) = crossings.first_mut() {
            above.fill(0.0);
            lanes.for_each(|lane| above[lane] = 1.0);
        }
    }

    /// The input of these ports was added.
    fn empty(&self, ports: impl Iterator<Item = usize>, slot: &mut [i32]) {
        for (coarse, fine) in ports.map(|port| self.columns[port]) {
            for start in std::iter::once(coarse).chain(fine) {
                slot[start..start + LANES].fill(0);
            }
        }
    }

    /// Fires the neurons in lanes where the threshold condition is true.
    fn fire(&mut self, level: Level, now: &StepContext<'_>, above: &Lanes, spikes: &mut Vec<Spike>) {
        crossed(level, above, self.count, |lane| self.fire_lane(lane as u32, now, spikes));
    }

    fn fire_lane(&mut self, lane: u32, now: &StepContext<'_>, spikes: &mut Vec<Spike>) {
        let step = now.step as i32;
        if self.latest != step {
            self.latest = step;
            self.fired.clear();
        }
        self.fired.push(lane);
        self.last_spikes[0][lane as usize] = step;
        let neuron = now.plan.populations[self.population].first + self.neuron(lane as usize);
        spikes.push(Spike { step: now.step, neuron });
    }

    /// Whether one of these arrays has an infinite or NaN value before a step. Neurons that have just fired are not checked, because they
    /// will be reset, but for `missing`, which no reset changes.
    pub(super) fn diverges(&self, (arrays, missing): (&[usize], Option<usize>), step: u32) -> bool {
        let fired = step as i32 - 1;
        arrays.iter().any(|array| {
            let values = &self.variables[*array][..self.count];
            // Usually all are finite, and testing all at once is a vector loop.
            !values.iter().fold(true, |all, value| all & value.is_finite())
                && (missing == Some(*array)
                    || values.iter().zip(self.last_spikes()).any(|(value, last)| !value.is_finite() && *last != fired))
        })
    }

    /// Replaces the times of the last spikes.
    pub(super) fn set_last_spikes(&mut self, steps: impl IntoIterator<Item = i32>) {
        self.last_spikes[0].iter_mut().zip(steps).for_each(|(step, new)| *step = new);
        self.find_fired();
    }

    /// Whether any neuron fired in the previous step.
    fn fired_before(&self, now: &StepContext<'_>) -> bool {
        self.latest == now.step as i32 - 1
    }

    /// Calls `code` with the block, and with the lanes that fired in the previous step.
    fn block<T>(&mut self, now: &StepContext<'_>, slot: &[i32], code: impl FnOnce(&mut Block<'_>, &[u32]) -> T) -> T {
        let (plan, live, is_fired) = (now.plan, now.live, self.fired_before(now));
        let population = &plan.populations[self.population];
        let neurons = self.indices.as_lanes();
        let noise = RefCell::new(&mut self.noise);
        let bits = |site: u32, lanes: &mut [u32; LANES]| {
            let draw = |level, quarter, words: &mut Words| {
                noise_words(level, plan.seed, site, [quarter, population.first, now.trial], neurons, words);
            };
            noise.borrow_mut().at(site, now.step, draw, lanes);
        };
        let more_bits = |site: u32, lane: usize| {
            let neuron = population.first + neurons.at(lane);
            noise_bits(plan.seed, site, [now.step, neuron, now.trial])[1]
        };
        let inputs = ProgramInputs {
            arrivals: InputSums { sums: slot, starts: &self.columns, units: &live.units[self.population] },
            last_spike: &self.last_spikes[0],
            constants: &live.constants[self.population],
            clocks: now.clocks_of(self.population),
            tables: &population.clocks.tables,
            step: now.step,
            neurons,
            bits: &bits,
            more_bits: &more_bits,
        };
        let fired = if is_fired { self.fired.as_slice() } else { &[] };
        code(&mut Block { variables: &mut self.variables, inputs: &inputs }, fired)
    }
}
