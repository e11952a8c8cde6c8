//! Synapses with state.

use std::ops::Range;

use spikelet_kernel::double::{DoubleInputs, run};
use spikelet_lang::End;
use spikelet_lang::ir::Code;
use spikelet_plan::schedule::PhaseKind;
use spikelet_plan::{
    ArrivalPlan, PathwayPlan, PerSynapse, Plan, PortAddition, ProjectionPlan, RegisterSource, StatePlan, SumPart, SumPlan,
};
use spikelet_rows::rng::event_bits;

use super::neurons::{DoubleNeurons, DoubleStep, spread};

/// The synapses of a projection with their dynamic state.
pub(super) struct DoubleSynapses {
    projection: usize,
    pre: Vec<u32>,
    post: Vec<u32>,
    /// The synapses by postsynaptic neuron, each with increasing presynaptic neurons, and their offsets.
    by_post: (Vec<u32>, Vec<usize>),
    /// The same by third neuron, with increasing numbers: offsets and synapses.
    by_third: (Vec<u32>, Vec<u32>),
    /// State and parameters, one value per synapse.
    pub(super) arrays: Vec<Vec<f64>>,
    /// The traces of the neurons of one side.
    pub(super) traces: Vec<Vec<f64>>,
    /// Values of the program's constants.
    pub(super) constants: Vec<f64>,
    /// The results of a code, by register.
    results: Vec<f64>,
    /// The clocks of this step.
    clocks: Vec<f64>,
    values: Vec<f64>,
}

/// A synapse with its neurons; none for codes of traces.
#[derive(Clone, Copy)]
struct SynapseEnds {
    synapse: Option<u32>,
    pre: u32,
    post: u32,
}

impl SynapseEnds {
    /// Those of a trace, which uses one of them.
    fn of_trace(neuron: u32) -> SynapseEnds {
        SynapseEnds { synapse: None, pre: neuron, post: neuron }
    }
}

impl DoubleSynapses {
    /// `None` for synapses without state.
    pub(super) fn new(plan: &Plan, projection: usize) -> Option<DoubleSynapses> {
        let of = &plan.projections[projection];
        let state = of.state.as_ref()?;
        let exact = state.exact.as_ref()?;
        let (rows, mut pre) = (of.rows(), Vec::new());
        for (row, ends) in rows.offsets.windows(2).enumerate() {
            pre.resize(ends[1] as usize, of.pre_slice.start + row as u32);
        }
        let post: Vec<u32> = rows.targets().collect();
        let mut order: Vec<u32> = (0..post.len() as u32).collect();
        // Stable: the presynaptic neurons of a postsynaptic neuron keep their order.
        order.sort_by_key(|synapse| post[*synapse as usize]);
        let column = |neuron: u32| order.partition_point(|synapse| post[*synapse as usize] < neuron);
        let columns = (0..=plan.populations[of.post].size).map(column).collect();
        let thirds = of.third.as_ref().map(|third| third.synapses(plan.populations[third.population].size));
        let size = |end: End| plan.populations[of.population(end)].size as usize;
        Some(DoubleSynapses {
            projection,
            arrays: exact.arrays.iter().map(|values| spread(values, pre.len())).collect(),
            traces: state.traces.iter().zip(&exact.traces).map(|(trace, value)| vec![*value; size(trace.end)]).collect(),
            constants: exact.constants.clone(),
            results: vec![0.0; state.registers.len()],
            clocks: Vec::new(),
            values: Vec::new(),
            by_post: (order, columns),
            by_third: thirds.unwrap_or_default(),
            pre,
            post,
        })
    }

    /// Begins a step.
    pub(super) fn begin(&mut self, now: DoubleStep<'_>) {
        self.clocks = now.plan.exact_synapse_clocks(self.projection, now.step);
    }

    /// Executes a phase. `spikes` are the spikes of the last steps.
    pub(super) fn run(&mut self, phase: PhaseKind, now: DoubleStep<'_>, neurons: &mut [DoubleNeurons], spikes: &[Vec<u32>]) {
        let Some(state) = &now.plan.projections[self.projection].state else { return };
        match phase {
            PhaseKind::RunSynapsesRegularly(_) => self.run_regularly(now, neurons, state),
            PhaseKind::Observe(_) => self.execute_all(&state.program.observe, now, neurons),
            PhaseKind::IntegrateSynapses(_) => self.execute_all(&state.program.update, now, neurons),
            PhaseKind::IntegrateTraces(_) => self.integrate_traces(now, neurons, state),
            PhaseKind::SumInputs { summed, .. } => self.sum_inputs(now, neurons, state, summed),
            PhaseKind::OnSpike { pathway, .. } => self.on_spike(now, neurons, state, pathway, spikes),
            PhaseKind::UpdateTraces(_, end) => self.update_traces(now, neurons, state, end, spikes),
            // Phases of neurons, and of synapses without state.
            _ => {}
        }
    }

    fn place(&self, synapse: u32) -> SynapseEnds {
        SynapseEnds { synapse: Some(synapse), pre: self.pre[synapse as usize], post: self.post[synapse as usize] }
    }

    /// Executes a code for a synapse, or for the trace of a neuron.
    fn execute(&mut self, code: &Code, now: DoubleStep<'_>, neurons: &[DoubleNeurons], place: SynapseEnds) {
        let (plan, step) = (now.plan, now.step);
        let of = &plan.projections[self.projection];
        let Some(state) = &of.state else { return };
        let SynapseEnds { synapse, pre, post } = place;
        let third = of.third.as_ref().zip(synapse).map(|(third, synapse)| (third.population, third.neurons[synapse as usize]));
        let at = |end: End| if end == End::Pre { pre as usize } else { post as usize };
        let DoubleSynapses { arrays, traces, constants, results, clocks, values, projection, .. } = self;
        let load = |register: usize| match state.registers[register] {
            RegisterSource::Own(array) => synapse.map_or(f64::NAN, |synapse| arrays[array][synapse as usize]),
            RegisterSource::Trace(trace) => traces[trace][at(state.traces[trace].end)],
            RegisterSource::Pre(variable) => neurons[of.pre].variables[variable][pre as usize],
            RegisterSource::Post(variable) => neurons[of.post].variables[variable][post as usize],
            RegisterSource::Third(variable) => {
                third.map_or(f64::NAN, |(population, neuron)| neurons[population].variables[variable][neuron as usize])
            }
            RegisterSource::ThirdIndex => third.map_or(f64::NAN, |(_, neuron)| f64::from(neuron)),
            RegisterSource::PostSinceSpike => f64::from(neurons[of.post].since_spike(post, step).min(1 << 24)),
            RegisterSource::PreIndex => f64::from(pre),
            RegisterSource::PostIndex => f64::from(post),
            RegisterSource::Output => 0.0,
        };
        let place = [step, synapse.unwrap_or_default(), now.trial];
        let bits = |site: u32| event_bits(plan.seed, (*projection as u32, site), place);
        run(code, &DoubleInputs { constants, clocks, load: &load, step, bits: &bits, ..DoubleInputs::default() }, values);
        results.fill(0.0);
        for (register, value) in &code.stores {
            let value = values[*value];
            match (state.registers[*register], synapse) {
                (RegisterSource::Own(array), Some(synapse)) => arrays[array][synapse as usize] = value,
                (RegisterSource::Trace(trace), _) => traces[trace][at(state.traces[trace].end)] = value,
                _ => results[*register] = value,
            }
        }
    }

    /// Executes a code for all synapses.
    fn execute_all(&mut self, code: &Code, now: DoubleStep<'_>, neurons: &[DoubleNeurons]) {
        if !code.stores.is_empty() {
            (0..self.pre.len() as u32).for_each(|synapse| self.execute(code, now, neurons, self.place(synapse)));
        }
    }

    /// Runs the statements of regular steps that are due.
    fn run_regularly(&mut self, now: DoubleStep<'_>, neurons: &[DoubleNeurons], state: &StatePlan) {
        for regular in &state.program.regular {
            if self.clocks[regular.clock] != 0.0 {
                self.execute_all(&regular.code, now, neurons);
            }
        }
    }

    /// A summed variable: the sum over the synapses of each neuron, in their order.
    fn sum_inputs(&mut self, now: DoubleStep<'_>, neurons: &mut [DoubleNeurons], state: &StatePlan, summed: usize) {
        let of = &now.plan.projections[self.projection];
        let ((register, code), SumPlan { end, array, parts }) = (&state.program.summed[summed], &state.summed[summed]);
        let end = *end;
        let third = of.third.as_ref().filter(|_| end == End::Third);
        let order = if third.is_some() { self.by_third.1.clone() } else { self.by_post.0.clone() };
        let target = of.population(end);
        let mut sums = vec![0.0; neurons[target].last_spikes.len()];
        let mut last = None;
        for synapse in order {
            self.execute(code, now, neurons, self.place(synapse));
            let neuron = third.map_or(self.post[synapse as usize], |third| third.neurons[synapse as usize]);
            let (place, value) = (neuron as usize, self.results[*register]);
            // A sum begins with its first value, so that −0 stays −0.
            sums[place] = if last.replace(place) == Some(place) { sums[place] + value } else { value };
        }
        for SumPart { neurons: part, adds } in parts {
            let part = part.start as usize..part.end as usize;
            for (value, sum) in neurons[target].variables[*array][part.clone()].iter_mut().zip(&sums[part]) {
                *value = if *adds { *value + sum } else { *sum };
            }
        }
    }

    /// Propagates the spikes of a pathway to the synapses.
    fn on_spike(
        &mut self,
        now: DoubleStep<'_>,
        neurons: &mut [DoubleNeurons],
        state: &StatePlan,
        pathway: usize,
        spikes: &[Vec<u32>],
    ) {
        let of = &*now.plan.projections[self.projection];
        let (ArrivalPlan { adds, writes }, code) = (&state.arrivals[pathway], &state.program.pathways[pathway].code);
        let mut events = self.events(now, of, &of.pathways[pathway], spikes);
        // Events that write to neurons are executed in the order of the rows.
        if !writes.is_empty() {
            events.sort_unstable();
        }
        for synapse in events {
            let place = self.place(synapse);
            self.execute(code, now, neurons, place);
            for PortAddition { register, port, .. } in adds {
                neurons[of.post].add(*port, now.slot(1), place.post, self.results[*register]);
            }
            for (register, array) in writes {
                neurons[of.post].variables[*array][place.post as usize] = self.results[*register];
            }
        }
    }

    /// The synapses that receive the spikes of a pathway in this step.
    fn events(&self, now: DoubleStep<'_>, of: &ProjectionPlan, pathway: &PathwayPlan, spikes: &[Vec<u32>]) -> Vec<u32> {
        let neurons = of.neurons(pathway.end, now.plan);
        let first = now.plan.populations[of.population(pathway.end)].first;
        let mut events = Vec::new();
        for age in ages(pathway) {
            for neuron in fired(spikes, now.step, age, first + neurons.start, neurons.len() as u32) {
                let found: Vec<u32> = match pathway.end {
                    End::Pre => {
                        let ends = &of.rows().offsets[neuron as usize..][..2];
                        (ends[0] as u32..ends[1] as u32).collect()
                    }
                    End::Post => {
                        let (order, columns) = &self.by_post;
                        order[columns[neuron as usize]..columns[neuron as usize + 1]].to_vec()
                    }
                    End::Third => {
                        let (offsets, order) = &self.by_third;
                        order[offsets[neuron as usize] as usize..offsets[neuron as usize + 1] as usize].to_vec()
                    }
                };
                events.extend(found.into_iter().filter(|synapse| match &pathway.delay {
                    PerSynapse::Each(delays) => delays[*synapse as usize] == age,
                    _ => true,
                }));
            }
        }
        events
    }

    /// A step of the clock-driven equations of traces.
    fn integrate_traces(&mut self, now: DoubleStep<'_>, neurons: &[DoubleNeurons], state: &StatePlan) {
        let of = &now.plan.projections[self.projection];
        for neuron in 0..now.plan.populations[of.pre].size {
            self.execute(&state.program.integrate_traces, now, neurons, SynapseEnds::of_trace(neuron));
        }
    }

    /// Updates the traces of the neurons of one side.
    fn update_traces(
        &mut self,
        now: DoubleStep<'_>,
        neurons: &[DoubleNeurons],
        state: &StatePlan,
        end: End,
        spikes: &[Vec<u32>],
    ) {
        let of = &*now.plan.projections[self.projection];
        let Some(pathway) = of.pathways.iter().find(|pathway| pathway.end == end) else { return };
        let population = &now.plan.populations[of.population(end)];
        for age in ages(pathway) {
            for neuron in fired(spikes, now.step, age, population.first, population.size) {
                self.execute(&state.program.traces[end as usize], now, neurons, SynapseEnds::of_trace(neuron));
            }
        }
    }
}

/// Range of delays: ages in steps of spikes that arrive now, oldest last.
fn ages(pathway: &PathwayPlan) -> Range<u32> {
    let bounds = pathway.delay.bounds();
    bounds.start..bounds.end + 1
}

/// Which of the neurons from `first` on, this many of them, fired `age` steps ago, counted from the first.
fn fired(spikes: &[Vec<u32>], step: u32, age: u32, first: u32, count: u32) -> Vec<u32> {
    let fired = step.checked_sub(age).and_then(|step| spikes.get(step as usize % spikes.len().max(1)));
    let neurons = fired.into_iter().flatten().map(|neuron| neuron.wrapping_sub(first));
    neurons.filter(|neuron| *neuron < count).collect()
}
