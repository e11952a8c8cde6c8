//! Comparison of a network in f32 with the same network in f64: where they begin to differ, and by how much.

mod comparison;
mod errors;

use std::ops::Range;
use std::sync::Arc;

use spikelet_lang::of_low_word;
use spikelet_plan::StatePlan;

use crate::network::Recording;
use crate::{Backend, BuildOptions, Builder, Cpu, Double, Error, Network, Plan, SampleSource, Simulation, Spike, TrialRun};

use comparison::Counts;
pub use comparison::{Comparison, Difference, PopulationComparison, TraceError, VariableComparison};
use errors::Errors;

/// Steps between two looks at the results.
const BATCH: u32 = 256;

/// What is compared.
#[derive(Debug, Clone, Copy)]
pub struct Compare {
    /// Number of neurons of each population, and of synapses of each projection, whose variables are compared.
    pub elements: u32,
    /// How the plan is built.
    pub options: BuildOptions,
    /// The trial: it determines the noise.
    pub trial: u32,
}

impl Default for Compare {
    fn default() -> Compare {
        Compare { elements: 10, options: BuildOptions::default(), trial: 0 }
    }
}

impl Compare {
    /// Runs a network in f32 on the CPU and in f64: [`Compare::run_on`] with one thread.
    ///
    /// # Errors
    /// As [`Compare::run_on`].
    pub async fn run(&self, network: &Network, progress: impl FnMut(f64)) -> Result<Comparison, Error> {
        self.run_on(Box::new(Cpu::new(1)), network, progress).await
    }

    /// Runs a network in f32 on a device and in f64, with one plan, and compares spikes and all dynamic variables of some neurons and
    /// synapses. `progress` is called with the time in ms.
    ///
    /// # Errors
    /// An error of the network. If a run fails or is ended by a condition, the comparison ends there.
    pub async fn run_on(
        &self,
        device: Box<dyn Backend>,
        network: &Network,
        mut progress: impl FnMut(f64),
    ) -> Result<Comparison, Error> {
        let mut network = Network { recordings: Vec::new(), statistics: Vec::new(), ..network.clone() };
        let plan = Builder::new(&network, BuildOptions { exact: true, ..self.options })?.finish()?;
        network.recordings = recordings(&network, &plan, self.elements);
        let (plan, network) = (Arc::new(plan.recording(&network)?), Arc::new(network));
        let (double, variant) = (Double::new(), |plan: &Arc<Plan>| crate::Variant {
            network: network.clone(),
            plan: plan.clone(),
            trial: self.trial,
        });
        let exact = double.samples();
        let mut single = Simulation::of_trials(vec![variant(&plan)], device).await?;
        let mut double = Simulation::of_trials(vec![variant(&plan)], Box::new(double)).await?;
        let steps = network.steps() as u32;
        let mut counts = Counts::new(&plan);
        let mut errors = Errors::new(&plan);
        let mut first = 0;
        while first < steps {
            let batch = BATCH.min(steps - first);
            let in_single = single.advance(batch).await?;
            let in_double = double.advance(batch).await?;
            let end = single.step().min(double.step());
            let until = |spikes: &[Spike]| -> Vec<Spike> { spikes.iter().filter(|spike| spike.step < end).copied().collect() };
            counts.add([&until(&in_single.spikes), &until(&in_double.spikes)]);
            errors.add(&counts, first..end, &in_single.samples, &exact.rows(first..end, plan.channels.len()));
            first = end;
            progress(f64::from(first) * network.dt_ms);
            if single.is_over() || double.is_over() {
                break;
            }
        }
        let ended = |simulation: &Simulation| ended(&simulation.runs()[0]);
        let variables = errors.variables(&counts, f64::from(first) * network.dt_ms);
        Ok(Comparison::new(&network, &plan, first, [ended(&single), ended(&double)], &counts, variables))
    }
}

/// Why a run ended before its time.
fn ended(run: &TrialRun) -> Option<String> {
    let stopped = run.stopped().map(|stopped| format!("`{}` was true", stopped.condition));
    stopped.or_else(|| run.failure().map(ToString::to_string))
}

/// Recordings of all dynamic variables of some neurons and synapses.
fn recordings(network: &Network, plan: &Plan, elements: u32) -> Vec<Recording> {
    let recording = |object: &str, var: &str, count: u32| Recording {
        object: object.to_owned(),
        var: var.to_owned(),
        indices: spread(0..count, elements).into(),
        ..Recording::default()
    };
    let is_named = |name: &str| !name.starts_with("__") && of_low_word(name).is_none();
    let mut recordings = Vec::new();
    for population in &plan.populations[..network.populations.len()] {
        let names = population.program.moving().into_iter().map(|array| population.program.variables[array].as_str());
        recordings.extend(names.filter(|name| is_named(name)).map(|name| recording(&population.name, name, population.size)));
    }
    for projection in &plan.projections {
        let count = projection.rows().len() as u32;
        let variables = |state: &StatePlan| -> Vec<String> {
            let moves = state.variables().filter(|(array, name)| state.changes(*array) && is_named(name));
            moves.map(|(_, name)| name.to_owned()).collect()
        };
        let names = projection.state.as_ref().filter(|_| count > 0).map(variables).unwrap_or_default();
        recordings.extend(names.iter().map(|name| recording(&projection.name, name, count)));
    }
    recordings
}

/// At most this many numbers of a range, in equal distances.
fn spread(range: Range<u32>, most: u32) -> Vec<u32> {
    let count = most.min(range.len() as u32);
    (0..count).map(|k| range.start + (u64::from(k) * range.len() as u64 / u64::from(count)) as u32).collect()
}

/// The population whose spikes alone affect a channel; `None` if others do, through synapses.
fn population_of(plan: &Plan, sampled: SampleSource) -> Option<usize> {
    match sampled {
        SampleSource::Neuron { population, .. } | SampleSource::Sum { population, .. } => {
            plan.projections.iter().all(|of| of.post != population).then_some(population)
        }
        SampleSource::Synapse { .. } => None,
    }
}
