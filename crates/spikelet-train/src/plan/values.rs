//! The values of devices from parameters, and the gradient of parameters from that of values.

use spikelet_network::Error;
use spikelet_plan::{ExactPopulation, NeuronValues, Plan};
use spikelet_rows::ring;

use super::{TrainedProjection, TrainingPlan};
use crate::{GroupKind, ParameterGroup};

/// What a device simulates with, from the parameters. All lists have the order of the plan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DeviceValues {
    /// Weights of each projection before rounding, one per synapse.
    pub weights: Vec<Vec<f64>>,
    /// The same in units of their port.
    pub units: Vec<Vec<i32>>,
    /// For each population the shift of each port: sums are in units of 2^-shift.
    pub shifts: Vec<Vec<i32>>,
    /// For each population the values of the constants of its program, in f64 and rounded.
    pub constants: Vec<(Vec<f64>, Vec<f32>)>,
    /// For each population the initial values of its arrays: one for all neurons, or one each.
    pub initial: Vec<Vec<Vec<f64>>>,
    /// The same rounded, where variables in two words have their lower words.
    pub rounded_initial: Vec<Vec<Vec<f32>>>,
}

/// Adjoints of the values of a device, summed over the trials of a batch.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawGradient {
    /// Of the weights of each projection: one per synapse; empty if they are not trained.
    pub weights: Vec<Vec<f64>>,
    /// Of the constants of each population.
    pub constants: Vec<Vec<f64>>,
    /// Of the initial values of the arrays of each population, one per neuron each; empty if none of its values are trained.
    pub initial: Vec<Vec<Vec<f64>>>,
}

/// Steps of central differences, relative to a value: about the cube root of the precision; and the smallest value that they are relative to.
const STEP: f64 = 6e-6;
const SMALL: f64 = 1e-2;

/// The values of a population that no parameter changes.
#[derive(Debug, Clone)]
pub(super) struct FixedValues {
    constants: (Vec<f64>, Vec<f32>),
    initial: Vec<Vec<f64>>,
    rounded_initial: Vec<Vec<f32>>,
}

impl FixedValues {
    pub(super) fn new(plan: &Plan, population: usize) -> FixedValues {
        let (of, exact) = (&plan.populations[population], plan.exact_population(population));
        let constants = (exact.constants, of.constants.clone());
        FixedValues { constants, initial: exact.initial, rounded_initial: of.initial.clone() }
    }
}

/// The numbers of a group, each as often as it is used.
fn expanded(group: &ParameterGroup, numbers: &[f64]) -> Vec<f64> {
    let own = &numbers[group.range.clone()];
    group.tied.as_ref().map_or_else(|| own.to_vec(), |tied| tied.iter().map(|value| own[*value as usize]).collect())
}

impl TrainingPlan {
    /// The values that a device simulates with, for these numbers of [`Parameters::values`](crate::Parameters::values).
    ///
    /// # Errors
    /// A number is infinite or not a number, a time constant is not above 0, or the input of a neuron does not fit.
    pub fn values(&self, numbers: &[f32]) -> Result<DeviceValues, Error> {
        self.values_of(&numbers.iter().map(|number| f64::from(*number)).collect::<Vec<_>>())
    }

    /// The same for numbers before they are rounded.
    pub(crate) fn values_of(&self, numbers: &[f64]) -> Result<DeviceValues, Error> {
        let mut values = DeviceValues::default();
        for projection in &self.projections {
            let group = projection.group.map(|group| &self.parameters.groups[group]);
            let weights = group.map_or_else(|| projection.weights.clone(), |group| expanded(group, numbers));
            if let Some(wrong) = weights.iter().position(|weight| !weight.is_finite()) {
                let path = group.map_or("a weight", |group| &group.path);
                let way_out = "use a smaller rate of learning, or bounds";
                return Err(Error::invalid(path, weights[wrong], format!("a finite weight of synapse {wrong}"), way_out));
            }
            values.weights.push(weights);
        }
        for (index, population) in self.plan.populations.iter().enumerate() {
            let ports = 0..population.ports.len();
            let shifts: Result<Vec<i32>, Error> = ports.map(|port| self.shift(index, port, &values.weights)).collect();
            values.shifts.push(shifts?);
        }
        for (projection, weights) in self.projections.iter().zip(&values.weights) {
            let shift = values.shifts[projection.post][projection.port];
            // As `ring::quantise`: a product with a power of two is exact.
            let scale = libm::ldexp(1.0, shift);
            values.units.push(weights.iter().map(|weight| (weight * scale).round_ties_even() as i32).collect());
        }
        for (index, fixed) in self.fixed.iter().enumerate() {
            let FixedValues { constants, initial, rounded_initial } = if self.populations[index].has_trained_values {
                let NeuronValues { exact, constants, initial } = self.neurons(index, numbers, None)?;
                FixedValues { constants: (exact.constants, constants), initial: exact.initial, rounded_initial: initial }
            } else {
                fixed.clone()
            };
            values.constants.push(constants);
            values.initial.push(initial);
            values.rounded_initial.push(rounded_initial);
        }
        Ok(values)
    }

    /// The values of a population for these numbers, where those of a group have steps added.
    fn neurons(&self, population: usize, numbers: &[f64], steps: Option<(usize, &[f64])>) -> Result<NeuronValues, Error> {
        let groups = self.parameters.groups.iter().enumerate();
        let own = groups.filter_map(|(index, group)| match &group.kind {
            GroupKind::Neurons { population: of, name } if *of == population => Some((index, group, name.as_str())),
            _ => None,
        });
        let given: Vec<(&str, Vec<f64>)> = own
            .map(|(index, group, name)| {
                let mut of_neurons = expanded(group, numbers);
                if let Some((_, steps)) = steps.filter(|(of, _)| *of == index) {
                    of_neurons.iter_mut().zip(steps).for_each(|(number, step)| *number += step);
                }
                (name, of_neurons)
            })
            .collect();
        let given: Vec<(&str, &[f64])> = given.iter().map(|(name, numbers)| (*name, numbers.as_slice())).collect();
        self.plan.neurons_with(population, &given)
    }

    /// The gradient of the loss by the numbers of [`Parameters::values`](crate::Parameters::values), from that by the values of a device
    /// and from these numbers. Derivatives of constants and initial values by parameters are central differences in f64. Not a number
    /// where a value has none.
    pub fn gradient(&self, raw: &RawGradient, numbers: &[f32]) -> Vec<f32> {
        let numbers: Vec<f64> = numbers.iter().map(|number| f64::from(*number)).collect();
        self.gradient_of(raw, &numbers).into_iter().map(|gradient| gradient as f32).collect()
    }

    /// The same in f64.
    pub(crate) fn gradient_of(&self, raw: &RawGradient, numbers: &[f64]) -> Vec<f64> {
        let mut gradient = vec![0.0; numbers.len()];
        for (index, group) in self.parameters.groups.iter().enumerate() {
            let each = match &group.kind {
                GroupKind::Weights { projection } => raw.weights[*projection].clone(),
                GroupKind::Neurons { population, .. } => self.gradient_of_neurons(*population, index, raw, numbers),
            };
            let own = &mut gradient[group.range.clone()];
            for (at, part) in each.into_iter().enumerate() {
                own[group.tied.as_ref().map_or(at, |tied| tied[at] as usize)] += part;
            }
        }
        gradient
    }

    /// The gradient by the values of a group of neurons: one, or one per neuron.
    fn gradient_of_neurons(&self, population: usize, group: usize, raw: &RawGradient, numbers: &[f64]) -> Vec<f64> {
        let values = expanded(&self.parameters.groups[group], numbers);
        let steps: Vec<f64> = values.iter().map(|value| STEP * value.abs().max(SMALL)).collect();
        let changed = |sign: f64| {
            let steps: Vec<f64> = steps.iter().map(|step| sign * step).collect();
            self.neurons(population, numbers, Some((group, &steps))).map(|values| values.exact)
        };
        // At the edge of what is valid, a difference has one side.
        let (above, below) = (changed(1.0), changed(-1.0));
        let sides = f64::from(u8::from(above.is_ok()) + u8::from(below.is_ok()));
        let here = || changed(0.0);
        let (Ok(above), Ok(below)) = (above.or_else(|_| here()), below.or_else(|_| here())) else {
            return vec![f64::NAN; values.len()];
        };
        let slope = |(above, below): (f64, f64), step: f64| (above - below) / (sides * step);
        let size = self.plan.populations[population].size as usize;
        let at = |values: &[f64], neuron: usize| values.get(neuron).or(values.first()).copied().unwrap_or_default();
        let ExactPopulation { constants, initial, .. } = &above;
        let mut gradient = vec![0.0; values.len()];
        for (neuron, step) in (0..size).map(|neuron| (neuron, at(&steps, neuron))) {
            let own = if values.len() == 1 { 0 } else { neuron };
            for (array, adjoints) in raw.initial[population].iter().enumerate() {
                let ends = (at(&initial[array], neuron), at(&below.initial[array], neuron));
                gradient[own] += adjoints[neuron] * slope(ends, step);
            }
        }
        // A value of its own in each neuron does not change what is the same for all.
        for (ends, adjoint) in constants.iter().zip(&below.constants).zip(&raw.constants[population]) {
            gradient[0] += adjoint * slope((*ends.0, *ends.1), steps[0]);
        }
        gradient
    }

    /// The shift of a port: the finest with which all its synapses at once fit, each as large as the largest of its projection. A plan that
    /// is built with these weights has the same.
    fn shift(&self, population: usize, port: usize, weights: &[Vec<f64>]) -> Result<i32, Error> {
        let of = &self.plan.populations[population];
        let given = self.network.populations.get(population).and_then(|own| {
            let variable = &of.program.variables[of.program.ports[port]];
            own.units.get(variable).map(|unit| -libm::ilogb(*unit))
        });
        let mut totals = vec![(0.0, 0_u64); of.size as usize];
        let onto = |of: &TrainedProjection| of.post == population && of.port == port;
        for (projection, weights) in self.projections.iter().zip(weights).filter(|(of, _)| onto(of)) {
            let largest = weights.iter().fold(0.0, |largest: f64, weight| largest.max(weight.abs()));
            for (total, ends) in totals.iter_mut().zip(projection.columns.windows(2)) {
                let count = ends[1] - ends[0];
                total.0 += largest * f64::from(count);
                total.1 += u64::from(count);
            }
        }
        let shifts = totals.iter().filter(|(total, _)| *total != 0.0).map(|(total, count)| ring::shift(*total, *count));
        let finest: Option<i32> = shifts.min().unwrap_or(given.or(Some(0)));
        let fits = |finest: &i32| given.is_none_or(|given| given <= *finest);
        finest.filter(fits).map(|finest| given.unwrap_or(finest)).ok_or_else(|| {
            let expected = "an input that fits into 32 bits in the unit of its variable";
            let way_out = "use a smaller rate of learning, or bounds; or a larger unit, if the population has `units`";
            Error::invalid(&of.name, "weights that are too large", expected, way_out)
        })
    }
}
