//! Values of neurons as numbers, for callers that search or train them: evaluated without a network text.

use indexmap::IndexSet;
use spikelet_lang::Dimension;
use spikelet_network::Error;

use crate::layout::arrays::Owner;
use crate::neurons::exact::{ExactPopulation, exact_values};
use crate::neurons::population::check_time_constants;
use crate::values::Values;
use crate::{ArrayId, Plan};

/// The values of a population for some parameters and initial values.
pub struct NeuronValues {
    /// In f64.
    pub exact: ExactPopulation,
    /// Values of the program's constants, rounded.
    pub constants: Vec<f32>,
    /// Initial values of the program's arrays, rounded: one for all neurons, or one per neuron.
    pub initial: Vec<Vec<f32>>,
}

impl Plan {
    /// The parameters and initial values of a population that can be set.
    pub fn neuron_names(&self, population: usize) -> impl Iterator<Item = &str> {
        self.bindings.neurons[population].settable()
    }

    /// The value of a parameter, or an initial value, in inner units: one for all neurons, or one per neuron.
    pub fn neuron_value(&self, population: usize, name: &str) -> Option<&[f64]> {
        self.bindings.neurons[population].values.0.get(name).map(|(_, values)| values.numbers())
    }

    /// The dimension of a variable or parameter of a population.
    pub fn neuron_dimension(&self, population: usize, name: &str) -> Option<Dimension> {
        let neurons = &self.bindings.neurons[population];
        neurons.values.0.get(name).map(|(dimension, _)| *dimension).or_else(|| neurons.model.dimension(name))
    }

    /// Whether a parameter of a population changes anything beside the constants and initial values of this population: functions of time,
    /// or values of synapses.
    pub fn reaches_beyond(&self, population: usize, name: &str) -> bool {
        let Some(binding) = self.binding(&format!("{}.{name}", self.populations[population].name)) else { return true };
        let is_own = |array: &ArrayId| match self.arrays[*array].owner {
            Owner::Neurons { population: of } | Owner::Population { population: of } => of == population,
            _ => false,
        };
        binding.anew || binding.clocks || !binding.arrays.iter().all(is_own)
    }

    /// The values of a population whose parameters or initial values `given` are these numbers, as many as before. What depends on them by
    /// an expression follows, unless it is given, too.
    ///
    /// # Errors
    /// A time constant is not above 0; a value is infinite or not a number.
    pub fn neurons_with(&self, population: usize, given: &[(&str, &[f64])]) -> Result<NeuronValues, Error> {
        let of = &self.populations[population];
        let mut neurons = (*self.bindings.neurons[population]).clone();
        let not_valid = |neurons: &super::CheckedPopulation, name: &str, found: &str| {
            let expected = "values that are finite, and so are those that follow from them";
            Error::invalid(format!("{}.{name}", neurons.path), found, expected, "use bounds, or a smaller rate of learning")
        };
        let mut dependents: [IndexSet<String>; 2] = Default::default();
        for (name, numbers) in given {
            if let Some(wrong) = numbers.iter().find(|number| !number.is_finite()) {
                return Err(not_valid(&neurons, name, &wrong.to_string()));
            }
            let Some((_, values)) = neurons.values.0.get_mut(*name) else { continue };
            *values = match (&*values, *numbers) {
                (Values::Uniform(_), [number]) => Values::Uniform(*number),
                _ => Values::Each(numbers.to_vec()),
            };
            for (all, more) in dependents.iter_mut().zip(neurons.dependents_of(name)) {
                all.extend(more);
            }
        }
        let is_given = |name: &String| given.iter().any(|(given, _)| given == name);
        let [followers, initial] = dependents.clone().map(|names| names.into_iter().filter(|name| !is_given(name)).collect());
        let names = given.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let failed = || not_valid(&self.bindings.neurons[population], &names, "values that do not fit");
        neurons.evaluate_parameters(&followers).ok_or_else(failed)?;
        neurons.evaluate_initial(&initial).ok_or_else(failed)?;
        check_time_constants(&neurons.path, &neurons.model.time_constants(), &neurons.values, "neuron")?;
        // A given initial value has no text that could be evaluated.
        dependents[1].extend(given.iter().map(|(name, _)| (*name).to_owned()));
        let plan = neurons.evaluated(of, &dependents, self.dt_ms).ok_or_else(failed)?;
        let exact = exact_values(&neurons, &of.program, self.dt_ms);
        Ok(NeuronValues { exact, constants: plan.constants, initial: plan.initial })
    }
}
