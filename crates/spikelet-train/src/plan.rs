//! A network flattened for training: arrays of known size, and the codes of a step and of its gradient.

mod export;
mod groups;
mod projections;
mod values;

use std::collections::HashSet;
use std::num::NonZeroUsize;

use spikelet_lang::gradient::{DetachedReset, GradientLayout, NoGradient, SpikeValue, Surrogate, vjp};
use spikelet_lang::ir::Code;
use spikelet_network::{Error, Network, Storage, SurrogateChoice};
use spikelet_plan::{BuildOptions, Builder, Plan};

use crate::{GroupKind, Method, Parameters, Readout, Training};

use groups::{check_gradients, parameters};
pub use projections::TrainedProjection;
use projections::flatten;
use values::FixedValues;
pub use values::{DeviceValues, RawGradient};

/// Trials of a chunk, and how many bytes the gradients of the weights of all chunks may take before a chunk has more.
const CHUNK: usize = 8;
const CHUNK_BYTES: usize = 1 << 28;

/// A population.
#[derive(Debug, Clone)]
pub struct TrainedPopulation {
    /// Arrays of the codes.
    pub layout: GradientLayout,
    /// The code of a step ([`Program::step`](spikelet_lang::Program::step)).
    pub step: Code,
    /// The code of its gradient ([`vjp`]).
    pub gradient: Code,
    /// The surrogate of its threshold, if its gradient needs one.
    pub surrogate: Option<Surrogate>,
    /// Whether any parameter changes what it does, so that its gradient is needed.
    pub is_trained: bool,
    /// Whether parameters or initial values of its neurons are trained. If not, its layout has no adjoints of constants.
    pub has_trained_values: bool,
}

/// Everything that a device needs for a training.
#[derive(Debug, Clone)]
pub struct TrainingPlan {
    /// The plan of the network.
    pub plan: Plan,
    /// Its network.
    pub network: Network,
    /// Number of steps of a sample.
    pub steps: u32,
    /// The population whose spikes are the input of a sample.
    pub input: usize,
    /// The populations of the plan.
    pub populations: Vec<TrainedPopulation>,
    /// The projections: those of the plan, by pathway.
    pub projections: Vec<TrainedProjection>,
    /// What the loss reads.
    pub readouts: Vec<Readout>,
    /// How the tape is stored.
    pub tape: crate::Tape,
    /// Which resets have no gradient.
    pub detached_reset: DetachedReset,
    /// The parameters before training.
    pub parameters: Parameters,
    /// The values that parameters do not change.
    fixed: Vec<FixedValues>,
}

impl TrainingPlan {
    /// Flattens a training.
    ///
    /// # Errors
    /// Any error of the network; what has no gradient, with its place and the way out.
    pub fn new(training: &Training) -> Result<TrainingPlan, Error> {
        let mut network = training.network.clone();
        network.name_projections();
        if let Some((index, of)) = network.populations.iter().enumerate().find(|(_, of)| !of.events.is_empty()) {
            let expected = "training knows no events beside the spike";
            return Err(Error::invalid(format!("populations[{index}].events"), &of.name, expected, "remove `events`"));
        }
        let threads = NonZeroUsize::MIN;
        let options = BuildOptions { threads, storage: Some(Storage::Stored), exact: true, ..BuildOptions::default() };
        let plan = Builder::new(&network, options)?.finish()?;
        if let Some(generated) = plan.projections.get(network.projections.len()) {
            let expected = "linked variables, and additions to presynaptic neurons, have no gradient";
            return Err(Error::invalid("network", format!("`{}`", generated.name), expected, "write a projection in its place"));
        }
        let population = |name: &str, path: &str| {
            let names = || plan.populations.iter().map(|of| of.name.as_str());
            names().position(|of| of == name).ok_or_else(|| Error::unknown_name(path, "population", name, names()))
        };
        let input = population(&training.input, "input")?;
        if input < network.populations.len() {
            let expected = "a source, whose spikes are those of the data";
            return Err(Error::invalid("input", &training.input, expected, "add a source with `spike_times_ms`: []"));
        }
        let mut projections = Vec::new();
        for index in 0..plan.projections.len() {
            let mut projection = flatten(&plan, index)?;
            let fires = plan.populations[projection.post].program.update.condition.is_some();
            projection.passes_adjoints = !(training.method == Method::Eprop && fires);
            projections.push(projection);
        }

        let mut observed: Vec<Vec<usize>> = vec![Vec::new(); plan.populations.len()];
        let mut readouts = Vec::new();
        for (at, term) in training.loss.iter().enumerate() {
            let path = |key: &str| format!("loss[{at}].{key}");
            let read = population(&term.population, &path("population"))?;
            let mut readout = Readout { population: read, observed: None, reading: term.reading };
            if term.reading.reads_variable() {
                let program = &plan.populations[read].program;
                let name = term.variable.as_deref().ok_or_else(|| {
                    let known = "the name of a variable of the population, which this reading reads";
                    Error::invalid(path("variable"), "nothing", known, "for example \"v\"")
                })?;
                let variable = program.variable(name).ok_or_else(|| {
                    let known = program.variables.iter().map(String::as_str).filter(|name| !name.starts_with("__"));
                    Error::unknown_name(&path("variable"), "variable", name, known)
                })?;
                let places = &mut observed[read];
                let place = places.iter().position(|of| *of == variable).unwrap_or(places.len());
                if place == places.len() {
                    places.push(variable);
                }
                readout.observed = Some(place);
            }
            readouts.push(readout);
        }

        let detached_reset = match (training.tape.detached_reset, training.method) {
            (true, _) => DetachedReset::All,
            (false, Method::Eprop) => DetachedReset::Potential,
            (false, _) => DetachedReset::None,
        };
        let parameters = parameters(training, &plan, &mut projections)?;
        let trained = trained_populations(&plan, &projections, &parameters);
        let mut populations = Vec::new();
        for (index, of) in plan.populations.iter().enumerate() {
            if of.winners.is_some() {
                let expected = "a population in which every neuron above threshold fires";
                return Err(Error::invalid(format!("populations[{index}].winners"), &of.name, expected, "remove `winners`"));
            }
            let mut layout = GradientLayout::new(&of.program, std::mem::take(&mut observed[index]));
            let has_trained_values = parameters.groups.iter().any(|group| group.is_of_neurons(index));
            if !has_trained_values {
                // Their adjoints are not needed.
                layout.constants = 0;
            }
            let is_trained = trained.contains(&index);
            let surrogate = match (is_trained && training.method != Method::EventProp, of.program.update.condition) {
                (true, Some(_)) => Some(plan.surrogate(index, &surrogate_of(training, &network, index))?),
                _ => None,
            };
            let no_gradient = |error: NoGradient| {
                let (path, expected) = (format!("populations[{index}]"), "equations that have a gradient");
                Error::invalid(path, &of.name, expected, error)
            };
            let step = of.program.step(&layout, SpikeValue::Hard).map_err(no_gradient)?;
            let gradient = match is_trained {
                true => vjp(&step, &layout, surrogate.as_ref(), detached_reset).map_err(no_gradient)?,
                false => Code::default(),
            };
            populations.push(TrainedPopulation { layout, step, gradient, surrogate, is_trained, has_trained_values });
        }
        let steps = network.steps() as u32;
        let tape = training.tape.clone();
        if training.method != Method::EventProp {
            check_gradients(&plan, &populations, &parameters)?;
        }
        let fixed = (0..populations.len()).map(|index| FixedValues::new(&plan, index)).collect();
        Ok(TrainingPlan {
            plan,
            network,
            steps,
            input,
            populations,
            projections,
            readouts,
            tape,
            detached_reset,
            parameters,
            fixed,
        })
    }

    /// Consecutive trials that share blocks and buffers of gradients, in a batch of this many: a function of nothing else, so that sums have
    /// the same order on all devices.
    pub fn chunk(&self, trials: usize) -> usize {
        let trained = self.projections.iter().filter(|of| of.group.is_some());
        let bytes = trained.map(|of| 4 * of.targets.len()).sum::<usize>().max(1);
        let mut chunk = CHUNK;
        while chunk < trials && trials.div_ceil(chunk) > CHUNK_BYTES / bytes {
            chunk *= 2;
        }
        chunk
    }
}

/// The populations whose activity depends on a parameter.
fn trained_populations(plan: &Plan, projections: &[TrainedProjection], parameters: &Parameters) -> HashSet<usize> {
    let of_neurons = parameters.groups.iter().filter_map(|group| match group.kind {
        GroupKind::Neurons { population, .. } => Some(population),
        GroupKind::Weights { .. } => None,
    });
    let of_weights = projections.iter().filter(|of| of.group.is_some()).map(|of| of.post);
    let mut trained: HashSet<usize> = of_neurons.chain(of_weights).collect();
    // Everything downstream, at most one population more in each round.
    for _ in 0..plan.populations.len() {
        let more: Vec<usize> = projections.iter().filter(|of| trained.contains(&of.pre)).map(|of| of.post).collect();
        trained.extend(more);
    }
    trained
}

/// The surrogate that a population declares, or that of the training.
fn surrogate_of(training: &Training, network: &Network, index: usize) -> SurrogateChoice {
    let declared = network.populations.get(index).and_then(|population| population.surrogate.as_ref());
    declared.or(training.surrogate.as_ref()).cloned().unwrap_or_else(|| SurrogateChoice::from("superspike"))
}
