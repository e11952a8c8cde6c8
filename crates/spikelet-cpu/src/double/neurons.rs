//! The neurons of a population.

use spikelet_kernel::double::{DoubleInputs, run};
use spikelet_lang::ir::Code;
use spikelet_plan::{ExactPopulation, Plan};
use spikelet_rows::rng::noise_bits;

use crate::select::{Select, sum_of_winners};

/// The dynamic state of a population.
#[derive(Clone)]
pub(super) struct DoubleNeurons {
    pub(super) population: usize,
    /// Values of the program's constants.
    pub(super) constants: Vec<f64>,
    /// Entries of its tables.
    tables: Vec<f64>,
    /// The arrays of the program, one value per neuron.
    pub(super) variables: Vec<Vec<f64>>,
    /// The step of each neuron's last spike.
    pub(super) last_spikes: Vec<i32>,
    /// Pending input of each port: slot by slot, one sum per neuron.
    pub(super) rings: Vec<Vec<f64>>,
    /// The neurons above threshold, between the phases that test it and fire.
    crossings: Vec<u32>,
    select: Select,
    /// The sum of the values of the winners, if there are any.
    pub(super) sum: Option<f32>,
    /// Whether a value that is compared was not a number since this was last asked.
    not_a_number: bool,
    /// The clocks of this step.
    clocks: Vec<f64>,
    values: Vec<f64>,
}

/// The step of a trial.
#[derive(Clone, Copy)]
pub(super) struct DoubleStep<'a> {
    pub(super) plan: &'a Plan,
    pub(super) trial: u32,
    pub(super) step: u32,
}

impl DoubleStep<'_> {
    /// The slot of a delay buffer that is delivered this many steps from now.
    pub(super) fn slot(&self, ahead: u32) -> usize {
        ((u64::from(self.step) + u64::from(ahead)) % u64::from(self.plan.ring.slots)) as usize
    }
}

impl DoubleNeurons {
    pub(super) fn new(plan: &Plan, population: usize) -> DoubleNeurons {
        let of = &plan.populations[population];
        let (size, ExactPopulation { constants, initial, tables }) = (of.size as usize, plan.exact_population(population));
        DoubleNeurons {
            population,
            constants,
            tables,
            variables: initial.iter().map(|values| spread(values, size)).collect(),
            last_spikes: vec![i32::MIN / 2; size],
            rings: vec![vec![0.0; plan.ring.slots as usize * size]; of.ports.len()],
            crossings: Vec::new(),
            select: Select::default(),
            sum: None,
            not_a_number: false,
            clocks: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Begins a step.
    pub(super) fn begin(&mut self, now: DoubleStep<'_>) {
        self.clocks = now.plan.exact_clocks(self.population, &self.tables, now.step);
    }

    /// Steps since the last spike of a neuron.
    pub(super) fn since_spike(&self, neuron: u32, step: u32) -> i32 {
        (step as i32).wrapping_sub(self.last_spikes[neuron as usize])
    }

    /// Adds input, and empties the slot of this step.
    pub(super) fn deliver(&mut self, now: DoubleStep<'_>) {
        self.execute(&now.plan.populations[self.population].program.deliver_input, now, false);
        let size = self.last_spikes.len();
        for ring in &mut self.rings {
            ring[now.slot(0) * size..][..size].fill(0.0);
        }
    }

    /// Resets neurons that fired in the previous step, and executes the statements of its events.
    pub(super) fn reset(&mut self, now: DoubleStep<'_>) {
        let program = &now.plan.populations[self.population].program;
        self.execute(&program.reset, now, true);
        program.after_events.iter().for_each(|code| self.execute(code, now, false));
    }

    /// Runs the statements of regular steps that are due.
    pub(super) fn run_regularly(&mut self, now: DoubleStep<'_>) {
        for regular in &now.plan.populations[self.population].program.regular {
            if self.clocks[regular.clock] != 0.0 {
                self.execute(&regular.code, now, false);
            }
        }
    }

    pub(super) fn sample_and_hold(&mut self, now: DoubleStep<'_>) {
        self.execute(&now.plan.populations[self.population].program.sample_and_hold, now, false);
    }

    pub(super) fn integrate(&mut self, now: DoubleStep<'_>) {
        self.execute(&now.plan.populations[self.population].program.update, now, false);
    }

    /// Lets only the winners of those above threshold be so; none if a value is not a number. As on all devices, they are compared as f32.
    pub(super) fn select(&mut self, plan: &Plan) {
        let of = &plan.populations[self.population];
        let (Some(rule), Some(score)) = (of.winners, of.program.score) else { return };
        let values = &self.variables[score];
        let values: Vec<f32> = self.crossings.iter().map(|neuron| values[*neuron as usize] as f32).collect();
        let winners = self.select.winners(rule, &values);
        self.not_a_number |= winners.is_err();
        let winners = winners.unwrap_or_default();
        self.sum = (!winners.is_empty()).then(|| sum_of_winners(winners.iter().map(|at| values[*at as usize])));
        self.crossings = winners.iter().map(|at| self.crossings[*at as usize]).collect();
    }

    /// Keeps the neurons from firing in this step.
    pub(super) fn inhibit(&mut self) {
        self.crossings.clear();
    }

    /// Whether a value that is compared was not a number since the last call.
    pub(super) fn take_not_a_number(&mut self) -> bool {
        std::mem::take(&mut self.not_a_number)
    }

    /// Fires neurons above threshold; returns their numbers in the population.
    pub(super) fn fire(&mut self, step: u32) -> Vec<u32> {
        let fired = std::mem::take(&mut self.crossings);
        fired.iter().for_each(|neuron| self.last_spikes[*neuron as usize] = step as i32);
        fired
    }

    /// Empties a slot of pending input, or all of them.
    pub(super) fn forget(&mut self, slot: Option<usize>) {
        let size = self.last_spikes.len();
        for ring in &mut self.rings {
            let sums = slot.map_or(0..ring.len(), |slot| slot * size..(slot + 1) * size);
            ring[sums].fill(0.0);
        }
    }

    /// Adds to the pending input of a neuron, in a slot.
    pub(super) fn add(&mut self, port: usize, slot: usize, neuron: u32, weight: f64) {
        let size = self.last_spikes.len();
        self.rings[port][slot * size + neuron as usize] += weight;
    }

    /// Executes a code for all neurons, or for those that fired in the previous step.
    fn execute(&mut self, code: &Code, now: DoubleStep<'_>, only_fired: bool) {
        if code.stores.is_empty() && code.condition.is_none() {
            return;
        }
        let DoubleStep { plan, trial, step } = now;
        let (first, slot, size) = (plan.populations[self.population].first, now.slot(0), self.last_spikes.len());
        let DoubleNeurons { constants, tables, variables, last_spikes, rings, crossings, clocks, values, .. } = self;
        crossings.clear();
        for neuron in 0..size {
            let since_spike = (step as i32).wrapping_sub(last_spikes[neuron]);
            if only_fired && since_spike != 1 {
                continue;
            }
            let place = [step, first + neuron as u32, trial];
            let inputs = DoubleInputs {
                constants,
                clocks,
                tables,
                load: &|array| variables[array][neuron],
                port: &|port| rings[port][slot * size + neuron],
                since_spike,
                index: neuron as u32,
                step,
                bits: &|site| noise_bits(plan.seed, site, place),
            };
            run(code, &inputs, values);
            for (array, value) in &code.stores {
                variables[*array][neuron] = values[*value];
            }
            if code.condition.is_some_and(|condition| values[condition] != 0.0) {
                crossings.push(neuron as u32);
            }
        }
    }

    /// Whether a variable is infinite or NaN as an f32 before a step, except in neurons that will be reset.
    pub(super) fn diverges(&self, plan: &Plan, step: u32) -> bool {
        let wrong = |value: &f64| !(*value as f32).is_finite();
        let program = &plan.populations[self.population].program;
        let missing = program.columns.as_ref().map(|columns| columns.missing);
        program.moving().into_iter().any(|array| {
            let mut values = self.variables[array].iter().zip(&self.last_spikes);
            // No reset brings a column that is missing.
            values.any(|(value, last)| wrong(value) && (missing == Some(array) || *last != step as i32 - 1))
        })
    }
}

/// One value per element, from one for all or one each.
pub(super) fn spread(values: &[f64], count: usize) -> Vec<f64> {
    match values {
        [value] => vec![*value; count],
        values => values.to_vec(),
    }
}
