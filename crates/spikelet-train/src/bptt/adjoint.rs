//! The adjoints of a chunk, step by step backwards.

use spikelet_kernel::block::{Aligned, LANES, Registers};
use spikelet_kernel::simd::Level;
use spikelet_rows::rng::NoiseWords;

use super::connectivity::Matrices;
use super::events::{Ends, LaneRing};
use super::lanes::{BlockInput, BlockStep, LaneIndices};
use super::readout::ReadNumbers;
use super::setup::{Cell, Setup, Values};
use super::state::{SpikeLog, at, starts};
use super::tape::Segment;

/// The gradient of a chunk.
#[derive(Debug, Clone, Default)]
pub(super) struct ChunkGradient {
    pub(super) weights: Vec<Vec<f32>>,
    pub(super) constants: Vec<Vec<f32>>,
    pub(super) initial: Vec<Vec<Vec<f32>>>,
}

impl ChunkGradient {
    /// The sum of two.
    pub(super) fn plus(mut self, other: &ChunkGradient) -> ChunkGradient {
        let add = |sums: &mut Vec<f32>, terms: &Vec<f32>| sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        self.weights.iter_mut().zip(&other.weights).for_each(|(sums, terms)| add(sums, terms));
        self.constants.iter_mut().zip(&other.constants).for_each(|(sums, terms)| add(sums, terms));
        let initial = self.initial.iter_mut().flatten().zip(other.initial.iter().flatten());
        initial.for_each(|(sums, terms)| add(sums, terms));
        self
    }
}

/// The sum of the gradients of all chunks: pairs of neighbours, pairs of these, and so on; an odd last one waits.
pub(super) fn tree(mut gradients: Vec<ChunkGradient>) -> ChunkGradient {
    while gradients.len() > 1 {
        let mut next = Vec::with_capacity(gradients.len().div_ceil(2));
        let mut left = gradients.into_iter();
        while let Some(one) = left.next() {
            next.push(match left.next() {
                Some(other) => one.plus(&other),
                None => one,
            });
        }
        gradients = next;
    }
    gradients.pop().unwrap_or_default()
}

/// The adjoints of the neurons of a population.
struct NeuronAdjoints {
    indices: Vec<LaneIndices>,
    /// For each block the arrays of the code of the gradient.
    blocks: Vec<Aligned<f32>>,
    noise: Vec<NoiseWords>,
    /// Adjoints of the inputs of ports.
    ports: LaneRing<f32>,
    /// Adjoints of spikes.
    spikes: Vec<f32>,
    observed: Vec<f32>,
    sums: Vec<i32>,
    last_spikes: [i32; LANES],
}

impl NeuronAdjoints {
    fn new(cell: &Cell, initial: &[Vec<f32>], trials: usize, first: u32) -> NeuronAdjoints {
        let blocks = cell.blocks(trials);
        let indices: Vec<_> = (0..blocks).map(|block| LaneIndices::new(block, cell.size, trials, first)).collect();
        let of_block = |indices: &LaneIndices| {
            let value = |array: usize, lane: usize| initial.get(array).map_or(0.0, |of| at(of, indices.neuron(lane)));
            (0..cell.layout.arrays()).map(|array| std::array::from_fn(|lane| value(array, lane))).collect()
        };
        NeuronAdjoints {
            blocks: indices.iter().map(of_block).collect(),
            noise: (0..blocks).map(|_| NoiseWords::default()).collect(),
            ports: LaneRing::new(cell.slots + 1, cell.layout.ports, blocks * LANES),
            spikes: vec![0.0; blocks * LANES],
            observed: vec![0.0; blocks * LANES],
            sums: vec![0; cell.layout.ports * LANES],
            last_spikes: [i32::MIN / 2; LANES],
            indices,
        }
    }

    fn array(&self, array: usize) -> impl Iterator<Item = f32> {
        self.blocks.iter().flat_map(move |block| block[array])
    }
}

/// The adjoints of a chunk.
pub(super) struct Adjoints<'a> {
    setup: &'a Setup,
    values: &'a Values,
    trials: usize,
    neurons: Vec<Option<NeuronAdjoints>>,
    /// The gradients of the weights of each projection: of its synapses, or of its matrices `[delay][pre][post]`.
    weights: Vec<Vec<f32>>,
}

/// What the loss has of a chunk: what was read, and the adjoints of these numbers, for each readout.
pub(super) struct LossAdjoints<'a> {
    pub(super) read: &'a [ReadNumbers],
    pub(super) adjoints: Vec<&'a [f32]>,
}

impl<'a> Adjoints<'a> {
    /// After the last step.
    pub(super) fn new(setup: &'a Setup, values: &'a Values, trials: usize, first: u32) -> Adjoints<'a> {
        let of_cell = |(cell, initial): (&Cell, &Vec<Vec<f32>>)| {
            cell.gradient.is_some().then(|| NeuronAdjoints::new(cell, initial, trials, first))
        };
        let neurons = setup.cells.iter().zip(&values.of.rounded_initial).map(of_cell).collect();
        let weights = setup.plan.projections.iter().zip(&setup.connectivities).map(|(of, connectivity)| {
            let entries = connectivity.matrices.as_ref().map_or(of.targets.len(), Matrices::entries);
            vec![0.0; if of.group.is_some() { entries } else { 0 }]
        });
        let weights = weights.collect();
        Adjoints { setup, values, trials, neurons, weights }
    }

    /// Goes back through a step, which is on the tape.
    pub(super) fn step(
        &mut self,
        step: u32,
        loss: &LossAdjoints<'_>,
        logs: &[SpikeLog],
        tape: &Segment,
        registers: &mut Registers,
    ) {
        let setup = self.setup;
        if setup.plan.tape.window.is_some_and(|window| (step + 1).is_multiple_of(window)) {
            self.truncate();
        }
        for index in 0..setup.cells.len() {
            self.adjoint_of_spikes(registers.level(), index, step, loss);
        }
        for projection in 0..self.weights.len() {
            let of = &setup.plan.projections[projection];
            let Some(post) = self.neurons[of.post].as_ref().filter(|_| of.group.is_some()) else { continue };
            let spikes = logs[of.pre].at(step);
            let (ends, gradient) = (Ends::of(setup, projection), &mut self.weights[projection]);
            ends.gradient_of_weights(registers.level(), spikes, step, &post.ports, gradient);
        }
        for (index, cell) in setup.cells.iter().enumerate() {
            let (Some(gradient), Some(mut neurons)) = (&cell.gradient, self.neurons[index].take()) else { continue };
            let of = &setup.plan.plan.populations[index];
            let now = BlockStep {
                seed: setup.plan.plan.seed,
                first: of.first,
                step,
                constants: &self.values.of.constants[index].1,
                clocks: setup.clocks(index, step),
                tables: &of.clocks.tables,
                units: &self.values.units[index],
            };
            let starts = &starts(1, cell.layout.ports)[0];
            let NeuronAdjoints { indices, blocks, noise, ports, sums, last_spikes, spikes, .. } = &mut neurons;
            let mut fired = logs[index].before(step).iter().map(|lane| *lane as usize).peekable();
            for (block, arrays) in blocks.iter_mut().enumerate() {
                tape.read(cell, (index, block, step), arrays, sums, last_spikes);
                arrays[cell.layout.spike()].fill(0.0);
                while let Some(lane) = fired.next_if(|lane| *lane < (block + 1) * LANES) {
                    arrays[cell.layout.spike()][lane - block * LANES] = 1.0;
                }
                arrays[cell.layout.adjoint_of_spike()].copy_from_slice(&spikes[block * LANES..][..LANES]);
                let input = BlockInput { sums, starts, last_spikes };
                now.run(gradient, arrays, input, (&indices[block], &mut noise[block]), registers);
                for port in 0..cell.layout.ports {
                    let onto = &mut ports.port_mut(step as usize, port)[block * LANES..][..LANES];
                    onto.copy_from_slice(&arrays[cell.layout.adjoint_of_port(port)]);
                }
            }
            self.neurons[index] = Some(neurons);
        }
    }

    /// The adjoints of the spikes of a population and of what is observed of it, before the code of its gradient.
    fn adjoint_of_spikes(&mut self, level: Level, index: usize, step: u32, loss: &LossAdjoints<'_>) {
        let (setup, cell) = (self.setup, &self.setup.cells[index]);
        let Some(mut neurons) = self.neurons[index].take() else { return };
        let lanes = cell.size * self.trials;
        let readouts =
            || setup.plan.readouts.iter().zip(loss.read).zip(&loss.adjoints).filter(|((of, ..), _)| of.population == index);
        for observed in 0..cell.layout.observed.len() {
            neurons.observed.fill(0.0);
            for ((of, read), adjoints) in readouts().filter(|((of, ..), _)| of.observed == Some(observed)) {
                read.add_adjoints(setup, of, adjoints, step, &mut neurons.observed[..lanes]);
            }
            let array = cell.layout.adjoint_of_observation(observed);
            for (arrays, observed) in neurons.blocks.iter_mut().zip(neurons.observed.as_chunks::<LANES>().0) {
                arrays[array] = *observed;
            }
        }
        neurons.spikes.fill(0.0);
        for ((of, read), adjoints) in readouts().filter(|((of, ..), _)| of.observed.is_none()) {
            read.add_adjoints(setup, of, adjoints, step, &mut neurons.spikes[..lanes]);
        }
        let last = cell.layout.adjoint_of_last_spike();
        for (arrays, spikes) in neurons.blocks.iter().zip(neurons.spikes.as_chunks_mut::<LANES>().0) {
            spikes.iter_mut().zip(&arrays[last]).for_each(|(sum, adjoint)| *sum += adjoint);
        }
        let passing = setup.plan.projections.iter().enumerate().filter(|(_, of)| of.pre == index && of.passes_adjoints);
        for (projection, of) in passing {
            let ends = Ends::of(setup, projection);
            let weights = &self.values.by_post[projection];
            let spikes = &mut neurons.spikes;
            if of.post == index {
                ends.adjoint_of_spikes(level, self.trials, step, weights, &neurons.ports, spikes);
            } else if let Some(post) = &self.neurons[of.post] {
                ends.adjoint_of_spikes(level, self.trials, step, weights, &post.ports, spikes);
            }
        }
        self.neurons[index] = Some(neurons);
    }

    /// No adjoint passes from the next step to this one.
    fn truncate(&mut self) {
        for (cell, neurons) in self.setup.cells.iter().zip(&mut self.neurons) {
            let Some(neurons) = neurons else { continue };
            neurons.ports.all_mut().fill(0.0);
            for arrays in &mut neurons.blocks {
                let states = cell.moving.iter().map(|array| cell.layout.adjoint(*array));
                states.chain([cell.layout.adjoint_of_last_spike()]).for_each(|array| arrays[array].fill(0.0));
            }
        }
    }

    /// The gradient, before the first step.
    pub(super) fn finish(self) -> ChunkGradient {
        let weights =
            self.weights.into_iter().zip(&self.setup.connectivities).map(|(weights, connectivity)| {
                match connectivity.matrices.as_ref().filter(|_| !weights.is_empty()) {
                    Some(matrices) => matrices.of_synapses(weights),
                    None => weights,
                }
            });
        let mut gradient = ChunkGradient { weights: weights.collect(), ..ChunkGradient::default() };
        let populations = &self.setup.plan.populations;
        for ((cell, neurons), of) in self.setup.cells.iter().zip(&self.neurons).zip(populations) {
            let Some(neurons) = neurons.as_ref().filter(|_| of.has_trained_values) else {
                gradient.constants.push(Vec::new());
                gradient.initial.push(Vec::new());
                continue;
            };
            let lanes = cell.size * self.trials;
            let constants = (0..cell.layout.constants).map(|constant| {
                let all: Vec<f32> = neurons.array(cell.layout.adjoint_of_constant(constant)).take(lanes).collect();
                all.chunks(cell.size).fold(0.0, |sum, trial| sum + trial.iter().fold(0.0, |sum, adjoint| sum + adjoint))
            });
            gradient.constants.push(constants.collect());
            let initial = (0..cell.layout.variables).map(|array| {
                let mut sums = vec![0.0; cell.size];
                for (lane, adjoint) in neurons.array(cell.layout.adjoint(array)).take(lanes).enumerate() {
                    sums[lane % cell.size] += adjoint;
                }
                sums
            });
            gradient.initial.push(initial.collect());
        }
        gradient
    }
}
