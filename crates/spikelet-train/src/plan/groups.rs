//! What is trained, by its paths.

use spikelet_lang::gradient::check_counts;
use spikelet_lang::ir::Op;
use spikelet_network::Error;
use spikelet_plan::Plan;

use super::{TrainedPopulation, TrainedProjection};
use crate::{GroupKind, ParameterGroup, Parameters, Trained, Training};

/// The groups of parameters, and their numbers; notes the group of each projection.
pub(super) fn parameters(training: &Training, plan: &Plan, projections: &mut [TrainedProjection]) -> Result<Parameters, Error> {
    let mut parameters = Parameters::default();
    for (at, trained) in training.train.iter().enumerate() {
        let path = format!("train[{at}].path");
        if parameters.groups.iter().any(|group| group.path == trained.path) {
            return Err(Error::invalid(path, &trained.path, "each path once", "remove one of them"));
        }
        let (kind, values) = match plan.projections.iter().position(|of| of.name == trained.path) {
            Some(projection) => {
                projections[projection].group = Some(parameters.groups.len());
                (GroupKind::Weights { projection }, projections[projection].weights.clone())
            }
            None => of_neurons(training, plan, trained, &path)?,
        };
        let first = parameters.values.len();
        let count = if trained.tied { values.len().min(1) } else { values.len() };
        if trained.tied && matches!(kind, GroupKind::Neurons { .. }) && values.iter().any(|value| *value != values[0]) {
            let (found, expected) = ("values that differ between neurons", "equal values, of which one is trained");
            return Err(Error::invalid(path, found, expected, "give one value for all neurons, or remove `tied`"));
        }
        parameters.values.extend(values[..count].iter().map(|value| *value as f32));
        parameters.groups.push(ParameterGroup {
            path: trained.path.clone(),
            kind,
            range: first..parameters.values.len(),
            bounds: trained.bounds.unwrap_or([f32::NEG_INFINITY, f32::INFINITY]),
            keep_sign: trained.keep_sign,
            tied: trained.tied.then(|| vec![0; values.len()]),
            rate: trained.rate,
        });
    }
    Ok(parameters)
}

/// A parameter or initial value of a population, and its values.
fn of_neurons(training: &Training, plan: &Plan, trained: &Trained, path: &str) -> Result<(GroupKind, Vec<f64>), Error> {
    let (object, name) = trained.path.split_once('.').unwrap_or((&trained.path, ""));
    let reject = |expected: String, way_out: String| Err(Error::invalid(path, &trained.path, expected, way_out));
    if plan.projections.iter().any(|of| of.name == object) {
        if name.starts_with("delay") {
            let expected = "weights, or values of neurons; on the time grid, delays have no gradient";
            let way_out = "train delays in Rust, with `EventProp::with_delays` (method `eventprop`)";
            return reject(expected.into(), way_out.into());
        }
        return reject("the weights of a projection, by its name alone".into(), format!("write {object:?}"));
    }
    let Some(population) = plan.populations.iter().position(|of| of.name == object) else {
        let known = plan.projections.iter().map(|of| of.name.as_str());
        return Err(Error::unknown_name(path, "projection or population", object, known));
    };
    if population >= training.network.populations.len() {
        let expected = "something that has a gradient; spikes of a source are data, or drawn";
        return reject(expected.into(), "train the projections from it".into());
    }
    if name.is_empty() {
        let names: Vec<&str> = plan.neuron_names(population).collect();
        let (expected, first) = (format!("a value of the population: {}", names.join(", ")), names.first().unwrap_or(&"tau"));
        return reject(expected, format!("for example \"{object}.{first}\""));
    }
    let Some(values) = plan.neuron_value(population, name).filter(|_| plan.neuron_names(population).any(|of| of == name)) else {
        let known = plan.neuron_names(population);
        return Err(Error::unknown_name(path, "parameter or initial value with a value in the network", name, known));
    };
    if plan.reaches_beyond(population, name) {
        let expected = "a value that neither functions of time nor synapses use";
        return reject(expected.into(), "use another name there, with the same value".into());
    }
    Ok((GroupKind::Neurons { population, name: name.to_owned() }, values.to_vec()))
}

/// The constants and arrays of a program that a value of neurons changes.
#[derive(Default)]
struct Dependants {
    constants: Vec<usize>,
    arrays: Vec<usize>,
}

impl Dependants {
    /// Those of a parameter or initial value; none if it cannot be changed, which an update finds.
    fn of(plan: &Plan, population: usize, name: &str) -> Option<Dependants> {
        let other: Vec<f64> = plan.neuron_value(population, name)?.iter().map(|value| value * 1.01 + 1e-3).collect();
        let before = plan.neurons_with(population, &[]).ok()?.exact;
        let after = plan.neurons_with(population, &[(name, &other)]).ok()?.exact;
        let constants = before.constants.iter().zip(&after.constants).enumerate();
        let arrays = before.initial.iter().zip(&after.initial).enumerate();
        Some(Dependants {
            constants: constants.filter(|(_, (one, other))| one != other).map(|(at, _)| at).collect(),
            arrays: arrays.filter(|(_, (one, other))| one != other).map(|(at, _)| at).collect(),
        })
    }
}

/// Rejects values of neurons that change nothing that has a gradient, such as the duration of refractoriness, and random counts whose mean
/// is trained.
pub(super) fn check_gradients(plan: &Plan, populations: &[TrainedPopulation], parameters: &Parameters) -> Result<(), Error> {
    let mut changed: Vec<Dependants> = populations.iter().map(|_| Dependants::default()).collect();
    for group in &parameters.groups {
        let GroupKind::Neurons { population, name } = &group.kind else { continue };
        let Some(dependants) = Dependants::of(plan, *population, name) else { continue };
        let TrainedPopulation { gradient, layout, step, .. } = &populations[*population];
        let mut constants = dependants.constants.iter().map(|constant| layout.adjoint_of_constant(*constant));
        let mut arrays = dependants.arrays.iter();
        let has_gradient = constants.any(|place| gradient.stores_to(place))
            || arrays.any(|array| step.stores_to(*array) || gradient.stores_to(layout.adjoint(*array)));
        if !has_gradient {
            let expected = "a value with a gradient; only conditions or counts of steps depend on this one, and they have none";
            let way_out = "remove it from `train`, or write the equations so that the potential depends on it";
            return Err(Error::invalid("train", &group.path, expected, way_out));
        }
        changed[*population].constants.extend(dependants.constants);
        changed[*population].arrays.extend(dependants.arrays);
    }
    for (index, (of, changed)) in populations.iter().zip(&changed).enumerate().filter(|(_, (of, _))| of.is_trained) {
        let varies = |op: &Op| match op {
            Op::Load(array) => of.step.stores_to(*array) || changed.arrays.contains(array),
            Op::Constant(constant) => changed.constants.contains(constant),
            Op::Port(_) => true,
            _ => false,
        };
        check_counts(&of.step, varies).map_err(|error| {
            let name = &plan.populations[index].name;
            let expected = "equations whose random counts do not depend on what is trained";
            Error::invalid(format!("populations[{index}].equations"), name, expected, error)
        })?;
    }
    Ok(())
}
