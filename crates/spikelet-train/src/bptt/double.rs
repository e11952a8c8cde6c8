//! The same in f64, a neuron at a time: the reference of the tests.

mod trace;

use std::sync::Arc;

use spikelet_kernel::double::{DoubleInputs, run};
use spikelet_lang::gradient::{SpikeValue, vjp};
use spikelet_lang::ir::Code;
use spikelet_network::Error;
use spikelet_plan::Spike;
use spikelet_rows::rng::noise_bits;

use super::input;
use crate::{Batch, DeviceValues, RawGradient, TrainingPlan};
use trace::Trace;

/// What a spike is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spikes {
    /// 1 where the neuron crosses its threshold, as in every simulation.
    Hard,
    /// The integral of the surrogate in every step, in populations that are trained: events and resets have this size. Then gradients
    /// are derivatives. Refractoriness follows the crossing.
    Soft,
}

/// Backpropagation through time in f64, with weights that are not rounded.
pub struct Double {
    plan: Arc<TrainingPlan>,
    codes: Vec<StepCodes>,
    values: Arc<DeviceValues>,
    trials: Vec<Trial>,
}

struct StepCodes {
    step: Code,
    gradient: Option<Code>,
}

/// What happened in a trial.
struct Trial {
    number: u32,
    populations: Vec<Trace>,
}

/// The adjoints of a population.
struct Adjoint {
    /// The arrays of the code of the gradient from the first adjoint on: `[array][neuron]`.
    arrays: Vec<f64>,
    /// `[step][port][neuron]`
    inputs: Vec<Vec<f64>>,
}

/// A step of a trial on the way back, with the adjoints of the loss of the trial.
#[derive(Clone, Copy)]
struct Back<'a> {
    trial: &'a Trial,
    step: u32,
    loss: &'a [Vec<f64>],
}

/// Where a code runs.
struct CodePlace<'a> {
    double: &'a Double,
    population: usize,
    trial: u32,
    step: u32,
    clocks: &'a [f64],
}

impl CodePlace<'_> {
    /// Runs a code for a neuron: the values of its operations.
    fn run(&self, code: &Code, trace: &Trace, neuron: usize, load: &dyn Fn(usize) -> f64, values: &mut Vec<f64>) {
        let plan = &self.double.plan.plan;
        let step = self.step as usize;
        let place = [self.step, plan.populations[self.population].first + neuron as u32, self.trial];
        let inputs = DoubleInputs {
            constants: &self.double.values.constants[self.population].0,
            clocks: self.clocks,
            tables: &trace.tables,
            load,
            port: &|port| trace.inputs[step][port * trace.size + neuron],
            since_spike: (self.step as i32).wrapping_sub(trace.last_spikes[step][neuron]),
            index: neuron as u32,
            step: self.step,
            bits: &|site| noise_bits(plan.seed, site, place),
        };
        run(code, &inputs, values);
    }
}

impl Double {
    /// For a plan.
    ///
    /// # Errors
    /// Spikes are soft, and the integral of the surrogate is not known.
    pub fn new(plan: Arc<TrainingPlan>, spikes: Spikes) -> Result<Double, Error> {
        let mut codes = Vec::new();
        for (of, population) in plan.populations.iter().zip(&plan.plan.populations) {
            let is_soft = spikes == Spikes::Soft && of.is_trained;
            let gradient = of.is_trained.then(|| of.gradient.clone());
            if !is_soft {
                codes.push(StepCodes { step: of.step.clone(), gradient });
                continue;
            }
            let wrong = |error| Error::invalid(&population.name, "its threshold", "a surrogate with an integral", error);
            let step = population
                .program
                .step(&of.layout, of.surrogate.as_ref().map_or(SpikeValue::Hard, SpikeValue::Soft))
                .map_err(wrong)?;
            let gradient = vjp(&step, &of.layout, of.surrogate.as_ref(), plan.detached_reset).map_err(wrong)?;
            codes.push(StepCodes { step, gradient: Some(gradient) });
        }
        Ok(Double { plan, codes, values: Arc::default(), trials: Vec::new() })
    }

    /// Simulates a batch. The result has the shape of [`Readings`](crate::Readings).
    ///
    /// # Errors
    /// An event is outside of the source.
    pub fn forward(&mut self, values: Arc<DeviceValues>, batch: &Batch) -> Result<Vec<Vec<f64>>, Error> {
        self.values = values;
        let mut trials = Vec::new();
        for trial in 0..batch.inputs.len() {
            let input = input(&self.plan, batch, trial..trial + 1)?;
            trials.push(self.simulate(batch.first_trial.wrapping_add(trial as u32), &input));
        }
        self.trials = trials;
        let readouts = self.plan.readouts.iter();
        Ok(readouts.map(|of| self.trials.iter().flat_map(|trial| trial.populations[of.population].read(of)).collect()).collect())
    }

    fn simulate(&self, number: u32, input: &[Vec<u32>]) -> Trial {
        let plan = &*self.plan;
        let steps = plan.steps as usize;
        let longest = plan.projections.iter().flat_map(|of| &of.delays).max().map_or(0, |delay| *delay as usize);
        let mut populations: Vec<Trace> = (0..plan.populations.len())
            .map(|index| {
                let (size, layout) = (plan.plan.populations[index].size as usize, &plan.populations[index].layout);
                let initial = &self.values.initial[index];
                let value = |array: usize, neuron: usize| initial[array].get(neuron).unwrap_or(&initial[array][0]);
                let state = (0..layout.variables).flat_map(|array| (0..size).map(move |neuron| *value(array, neuron)));
                Trace {
                    size,
                    arrays: layout.variables,
                    states: vec![state.collect()],
                    inputs: vec![vec![0.0; layout.ports * size]; steps + longest + 1],
                    last_spikes: vec![vec![i32::MIN / 2; size]],
                    spikes: Vec::new(),
                    observed: Vec::new(),
                    tables: plan.plan.exact_population(index).tables,
                    dt: plan.plan.dt_ms,
                }
            })
            .collect();
        let mut values = Vec::new();
        for step in 0..plan.steps {
            for (index, trace) in populations.iter_mut().enumerate() {
                if index == plan.input {
                    let mut spikes = vec![0.0; trace.size];
                    input[step as usize].iter().for_each(|neuron| spikes[*neuron as usize] = 1.0);
                    trace.spikes.push(spikes);
                    continue;
                }
                self.step(index, trace, (number, step), &mut values);
            }
            for (of, weights) in plan.projections.iter().zip(&self.values.weights) {
                let spikes = populations[of.pre].spikes[step as usize].clone();
                let (size, inputs) = (populations[of.post].size, &mut populations[of.post].inputs);
                for (pre, spike) in spikes.iter().enumerate().filter(|(_, spike)| **spike != 0.0) {
                    for synapse in of.row(pre) {
                        if let Some(onto) = inputs.get_mut((step + 1 + of.delay(synapse)) as usize) {
                            onto[of.port * size + of.targets[synapse] as usize] += weights[synapse] * spike;
                        }
                    }
                }
            }
        }
        Trial { number, populations }
    }

    fn step(&self, population: usize, trace: &mut Trace, (trial, step): (u32, u32), values: &mut Vec<f64>) {
        let (layout, codes) = (&self.plan.populations[population].layout, &self.codes[population]);
        let size = trace.size;
        let clocks = self.plan.plan.exact_clocks(population, &trace.tables, step);
        let place = CodePlace { double: self, population, trial, step, clocks: &clocks };
        let mut after = trace.states[step as usize].clone();
        let mut observed = vec![0.0; layout.observed.len() * size];
        let (mut spikes, mut last_spikes) = (vec![0.0; size], trace.last_spikes[step as usize].clone());
        for neuron in 0..size {
            let load = |array: usize| trace.before(layout, array, step, neuron);
            place.run(&codes.step, trace, neuron, &load, values);
            let fires = codes.step.condition.is_some_and(|condition| values[condition] != 0.0);
            if fires {
                last_spikes[neuron] = step as i32;
                spikes[neuron] = 1.0;
            }
            for (array, value) in &codes.step.stores {
                match *array {
                    array if array < layout.variables => after[array * size + neuron] = values[*value],
                    array if array == layout.spike() => spikes[neuron] = values[*value],
                    array => observed[(array - layout.observation(0)) * size + neuron] = values[*value],
                }
            }
        }
        trace.states.push(after);
        trace.observed.push(observed);
        trace.last_spikes.push(last_spikes);
        trace.spikes.push(spikes);
    }

    /// The gradient of a loss, from its adjoints of what was read of the last batch.
    pub fn backward(&self, adjoints: &[Vec<f64>]) -> RawGradient {
        let plan = &*self.plan;
        let weights = plan.projections.iter().map(|of| vec![0.0; if of.group.is_some() { of.targets.len() } else { 0 }]);
        let mut gradient = RawGradient { weights: weights.collect(), ..RawGradient::default() };
        for (of, population) in plan.populations.iter().zip(&plan.plan.populations) {
            let (size, is_wanted) = (population.size as usize, of.has_trained_values);
            gradient.constants.push(vec![0.0; of.layout.constants]);
            gradient.initial.push(if is_wanted { vec![vec![0.0; size]; of.layout.variables] } else { Vec::new() });
        }
        for (index, trial) in self.trials.iter().enumerate() {
            let part = |all: &Vec<f64>| {
                let length = all.len() / self.trials.len();
                all[index * length..][..length].to_vec()
            };
            self.backward_through(trial, &adjoints.iter().map(part).collect::<Vec<_>>(), &mut gradient);
        }
        gradient
    }

    fn backward_through(&self, trial: &Trial, loss: &[Vec<f64>], gradient: &mut RawGradient) {
        let plan = &*self.plan;
        let mut adjoints: Vec<Adjoint> = (0..plan.populations.len())
            .map(|index| {
                let (trace, layout) = (&trial.populations[index], &plan.populations[index].layout);
                let arrays = vec![0.0; (layout.arrays() - layout.adjoint(0)) * trace.size];
                Adjoint { arrays, inputs: trace.inputs.iter().map(|input| vec![0.0; input.len()]).collect() }
            })
            .collect();
        let mut values = Vec::new();
        for step in (0..plan.steps).rev() {
            let back = Back { trial, step, loss };
            if plan.tape.window.is_some_and(|window| (step + 1).is_multiple_of(window)) {
                self.truncate(&mut adjoints);
            }
            let mut spikes = Vec::new();
            for index in 0..adjoints.len() {
                spikes.push(self.adjoint_of_spikes(index, back, &adjoints));
            }
            for (projection, of) in plan.projections.iter().enumerate().filter(|(_, of)| of.group.is_some()) {
                let (size, inputs) = (trial.populations[of.post].size, &adjoints[of.post].inputs);
                for (pre, spike) in trial.populations[of.pre].spikes[step as usize].iter().enumerate() {
                    for synapse in of.row(pre) {
                        let at = inputs.get((step + 1 + of.delay(synapse)) as usize);
                        let adjoint = at.map_or(0.0, |at| at[of.port * size + of.targets[synapse] as usize]);
                        gradient.weights[projection][synapse] += spike * adjoint;
                    }
                }
            }
            for (index, own) in adjoints.iter_mut().enumerate() {
                self.gradient(index, back, own, &spikes[index], &mut values);
            }
        }
        for (index, own) in adjoints.iter().enumerate().filter(|(index, _)| plan.populations[*index].has_trained_values) {
            let (size, layout) = (trial.populations[index].size, &plan.populations[index].layout);
            let of = |array: usize| &own.arrays[(array - layout.adjoint(0)) * size..][..size];
            for (constant, sum) in gradient.constants[index].iter_mut().enumerate() {
                *sum += of(layout.adjoint_of_constant(constant)).iter().sum::<f64>();
            }
            for (array, sums) in gradient.initial[index].iter_mut().enumerate() {
                sums.iter_mut().zip(of(layout.adjoint(array))).for_each(|(sum, adjoint)| *sum += adjoint);
            }
        }
    }

    fn truncate(&self, adjoints: &mut [Adjoint]) {
        for ((own, of), trace) in adjoints.iter_mut().zip(&self.plan.populations).zip(&self.trials[0].populations) {
            own.inputs.iter_mut().for_each(|inputs| inputs.fill(0.0));
            let moving = (0..of.layout.variables).filter(|array| of.step.stores_to(*array)).map(|array| of.layout.adjoint(array));
            for array in moving.chain([of.layout.adjoint_of_last_spike()]) {
                own.arrays[(array - of.layout.adjoint(0)) * trace.size..][..trace.size].fill(0.0);
            }
        }
    }

    fn adjoint_of_spikes(&self, index: usize, back: Back<'_>, adjoints: &[Adjoint]) -> Vec<f64> {
        let Back { trial, step, loss } = back;
        let (plan, trace) = (&*self.plan, &trial.populations[index]);
        let layout = &plan.populations[index].layout;
        let last = (layout.adjoint_of_last_spike() - layout.adjoint(0)) * trace.size;
        let mut spikes = adjoints[index].arrays[last..][..trace.size].to_vec();
        if self.codes[index].gradient.is_none() {
            return spikes;
        }
        let readouts = plan.readouts.iter().zip(loss).filter(|(of, _)| of.population == index && of.observed.is_none());
        for (of, loss) in readouts {
            for (unit, sum) in spikes.iter_mut().enumerate() {
                *sum += trace.adjoint(of, loss, step as usize, unit);
            }
        }
        for (of, weights) in
            plan.projections.iter().zip(&self.values.weights).filter(|(of, _)| of.pre == index && of.passes_adjoints)
        {
            let (size, inputs) = (trial.populations[of.post].size, &adjoints[of.post].inputs);
            for (pre, sum) in spikes.iter_mut().enumerate() {
                for synapse in of.row(pre) {
                    if let Some(at) = inputs.get((step + 1 + of.delay(synapse)) as usize) {
                        *sum += weights[synapse] * at[of.port * size + of.targets[synapse] as usize];
                    }
                }
            }
        }
        spikes
    }

    /// Runs the code of the gradient of a population, whose spikes have these adjoints.
    fn gradient(&self, index: usize, back: Back<'_>, own: &mut Adjoint, spikes: &[f64], values: &mut Vec<f64>) {
        let Back { trial, step, loss } = back;
        let (plan, trace) = (&*self.plan, &trial.populations[index]);
        let Some(code) = &self.codes[index].gradient else { return };
        let (layout, size) = (&plan.populations[index].layout, trace.size);
        let clocks = plan.plan.exact_clocks(index, &trace.tables, step);
        let place = CodePlace { double: self, population: index, trial: trial.number, step, clocks: &clocks };
        for (neuron, spike) in spikes.iter().enumerate() {
            let observed = |observed: usize| -> f64 {
                let readouts = plan.readouts.iter().zip(loss);
                let own = readouts.filter(|(of, _)| of.population == index && of.observed == Some(observed));
                own.map(|(of, loss)| trace.adjoint(of, loss, step as usize, neuron)).sum()
            };
            let load = |array: usize| {
                let first = layout.adjoint_of_observation(0);
                match array {
                    _ if array < layout.adjoint(0) => trace.before(layout, array, step, neuron),
                    _ if array == layout.adjoint_of_spike() => *spike,
                    _ if (first..first + layout.observed.len()).contains(&array) => observed(array - first),
                    _ => own.arrays[(array - layout.adjoint(0)) * size + neuron],
                }
            };
            place.run(code, trace, neuron, &load, values);
            for (array, value) in &code.stores {
                own.arrays[(array - layout.adjoint(0)) * size + neuron] = values[*value];
            }
            for port in 0..layout.ports {
                let at = (layout.adjoint_of_port(port) - layout.adjoint(0)) * size + neuron;
                own.inputs[step as usize][port * size + neuron] = own.arrays[at];
            }
        }
    }

    /// The spikes of a trial of the last batch, by step, then neuron: where thresholds are crossed.
    pub fn spikes(&self, trial: usize) -> Vec<Spike> {
        let (plan, mut spikes) = (&self.plan.plan, Vec::new());
        for step in 0..self.plan.steps {
            for ((of, trace), index) in plan.populations.iter().zip(&self.trials[trial].populations).zip(0..) {
                let fires = |neuron: &usize| match index == self.plan.input {
                    true => trace.spikes[step as usize][*neuron] != 0.0,
                    false => trace.last_spikes[step as usize + 1][*neuron] == step as i32,
                };
                let own = (0..trace.size).filter(fires);
                spikes.extend(own.map(|neuron| Spike { step, neuron: of.first + neuron as u32 }));
            }
        }
        spikes
    }
}
