//! Populations: model text and parameters → program, constants, initial values.

use std::collections::HashSet;

use indexmap::IndexMap;
use spikelet_lang::term::{Symbol, Term};
use spikelet_lang::{
    Diagnostic, Dimension, Kind, Layout, LibraryModel, NeuronModel, NeuronText, check_neuron, diagnostic, host, library,
    model::Method, syntax,
};

use super::values::{Elements, Named, Values};
use super::{Channel, PopulationPlan, Port, synapses};
use crate::rng::{Key, Purpose};
use crate::{Error, Network, Population, Quantity};

/// A population's model, checked, with its parameters.
struct Neurons {
    model: NeuronModel,
    /// Values of parameters, and of the initial state once that is evaluated.
    values: Named,
    initial: IndexMap<String, Quantity>,
    elements: Indices,
}

/// The neurons of a population as elements of values.
struct Indices {
    first: u32,
    size: u32,
    dt: f64,
    seed: u64,
}

impl Elements for Indices {
    fn count(&self) -> usize {
        self.size as usize
    }

    fn symbol(&self, symbol: Symbol, element: usize) -> f64 {
        match symbol {
            Symbol::Index => element as f64,
            Symbol::Size => f64::from(self.size),
            Symbol::Dt => self.dt,
            _ => f64::NAN,
        }
    }

    fn draw(&self, quantity: u32, site: u32, element: usize) -> [u32; 4] {
        Key(self.seed).draw(Purpose::Initial, quantity, [site, self.first + element as u32, 0])
    }

    fn place(&self, element: usize) -> Option<usize> {
        Some(element)
    }

    fn listed(&self) -> Result<usize, &'static str> {
        Ok(self.size as usize)
    }
}

/// Checks and compiles every population.
pub(super) fn populations(network: &Network) -> Result<(Vec<NeuronModel>, Vec<PopulationPlan>), Error> {
    let neurons: Vec<Neurons> =
        (0..network.populations.len()).map(|index| Neurons::new(network, index)).collect::<Result<_, _>>()?;
    let models: Vec<NeuronModel> = neurons.iter().map(|neurons| neurons.model.clone()).collect();
    let ports = synapses::ports(network, &models)?;
    let plans = neurons.into_iter().zip(ports).enumerate().map(|(index, (neurons, ports))| neurons.plan(network, index, ports));
    let plans = plans.collect::<Result<_, _>>()?;
    Ok((models, plans))
}

impl Neurons {
    /// Checks the model of a population against its parameters.
    fn new(network: &Network, index: usize) -> Result<Neurons, Error> {
        let population = &network.populations[index];
        let path = format!("populations[{index}]");
        let at = |key: &str| format!("{path}.{key}");
        let first = network.populations[..index].iter().map(|other| other.size).sum();
        let elements = Indices { first, size: population.size, dt: network.dt_ms, seed: network.seed };
        let (library, mut text) = texts(population, &path)?;
        let declared: IndexMap<String, Dimension> = syntax::parse_equations("equations", &text.equations)
            .map(|equations| equations.iter().map(|equation| (equation.name.clone(), equation.unit.dimension)).collect())
            .map_err(|found| Error::model(&path, found))?;

        // Defaults of the library, with what the network gives instead of them; then what else it gives.
        let mut parameters: IndexMap<String, Quantity> = IndexMap::new();
        for (name, parameter) in library.iter().flat_map(|model| &model.parameters) {
            parameters.insert(name.clone(), parameter.default.as_str().into());
        }
        let mut values = Named::default();
        let mut dimensions = declared.clone();
        for (ordinal, (name, default)) in parameters.iter().enumerate() {
            values
                .set(name, default, declared.get(name).copied(), &elements, ordinal as u32)
                .map_err(|diagnostic| Error::model(&path, vec![diagnostic]))?;
            dimensions.insert(name.clone(), values.0[name].0);
        }
        if let Some(model) = &library
            && let Some(name) = population.parameters.keys().find(|name| !dimensions.contains_key(*name))
        {
            let known = model.parameters.keys().map(String::as_str);
            return Err(Error::unknown_name(&at("parameters"), &format!("`{}` parameter", model.name), name, known));
        }
        for (ordinal, (name, quantity)) in population.parameters.iter().enumerate() {
            // The draws of a parameter stay the same whichever others are given.
            let ordinal = dimensions.get_index_of(name).unwrap_or(dimensions.len() + ordinal) as u32;
            values
                .set(name, quantity, dimensions.get(name).copied(), &elements, ordinal)
                .map_err(|diagnostic| Error::model(&at("parameters"), vec![diagnostic]))?;
        }

        let mut constants = IndexMap::new();
        for (name, (dimension, value)) in values.0.iter().filter(|(name, _)| !declared.contains_key(*name)) {
            if value.is_uniform() {
                constants.insert(name.clone(), *dimension);
            } else {
                text.each.insert(name.clone(), *dimension);
            }
        }
        let model = check_neuron(&text, &constants).map_err(|diagnostics| Error::model(&path, diagnostics))?;

        let mut initial: IndexMap<String, Quantity> = IndexMap::new();
        for (name, expression) in library.iter().flat_map(|model| &model.initial) {
            initial.insert(name.clone(), Quantity::expr(expression.as_str()));
        }
        for (name, quantity) in &population.initial {
            initial.shift_remove(name);
            initial.insert(name.clone(), quantity.clone());
        }
        Ok(Neurons { model, values, initial, elements })
    }

    fn plan(mut self, network: &Network, index: usize, ports: Vec<String>) -> Result<PopulationPlan, Error> {
        let population = &network.populations[index];
        let path = format!("populations[{index}]");
        for (ordinal, (name, quantity)) in self.initial.iter().enumerate() {
            let Some(variable) = self.model.variable(name) else {
                let known = self.model.variables.iter().map(|variable| variable.name.as_str());
                return Err(Error::unknown_name(&format!("{path}.initial"), "variable", name, known));
            };
            let wanted = self.model.variables[variable].dimension;
            // A site of its own, past those of the parameters.
            let ordinal = 0x1000 + ordinal as u32;
            self.values
                .set(name, quantity, Some(wanted), &self.elements, ordinal)
                .map_err(|diagnostic| Error::model(&format!("{path}.initial"), vec![diagnostic]))?;
        }
        for variable in &self.model.variables {
            let at_rest = (variable.dimension, Values::Uniform(0.0));
            self.values.0.entry(variable.name.clone()).or_insert(at_rest);
        }
        self.check_reset(population, &path)?;
        let differs = |name: &String| !self.values.0[name].1.is_uniform();
        if let Some(shared) = self.model.variables.iter().find(|variable| variable.shared && differs(&variable.name)) {
            let (at, value) = (format!("{path}.parameters.{}", shared.name), "one value for each neuron");
            return Err(Error::invalid(at, value, "it is declared (shared)", "give one value, or remove the flag"));
        }
        let unwritten = self.model.variables.iter().filter(|variable| !variable.written).map(|variable| variable.name.clone());
        let per_neuron: HashSet<String> = unwritten.filter(differs).collect();
        let layout = Layout { per_neuron, ports };
        let program = self.model.compile(&layout).map_err(|diagnostic| Error::model(&path, vec![diagnostic]))?;
        let name_of = |symbol| match symbol {
            Symbol::Constant(constant) => Some(&self.model.constants[constant].name),
            Symbol::Variable(variable) => Some(&self.model.variables[variable].name),
            _ => None,
        };
        let constants = program
            .constants(network.dt_ms, population.size, &|symbol| {
                name_of(symbol).map_or(f64::NAN, |name| self.values.0[name].1.at(0))
            })
            .map_err(|diagnostic| Error::model(&path, vec![diagnostic]))?;
        let initial = program.variables.iter().map(|name| self.values.0[name].1.to_f32()).collect();
        let ports = program.ports.iter().map(|_| Port { lane: 0, shift: 0 }).collect();
        let (name, first, size) = (population.name.clone(), self.elements.first, population.size);
        Ok(PopulationPlan { name, first, size, program, constants, initial, ports })
    }

    /// Refuses a threshold that is certain to be still true right after the reset: the neuron would fire at every step.
    fn check_reset(&self, population: &Population, path: &str) -> Result<(), Error> {
        let (Some(threshold), false) = (&self.model.threshold, self.model.reset.is_empty()) else { return Ok(()) };
        // Variables whose value after the reset follows from the parameters alone.
        let mut known: HashSet<usize> =
            (0..self.model.variables.len()).filter(|variable| !self.model.variables[*variable].written).collect();
        let follows = |term: &Term, known: &HashSet<usize>| {
            !term.any(|symbol| match symbol {
                None | Some(Symbol::NotRefractory) => true,
                Some(Symbol::Variable(variable)) => !known.contains(&variable),
                Some(_) => false,
            })
        };
        for (variable, value) in &self.model.reset {
            if follows(value, &known) {
                known.insert(*variable);
            } else {
                known.remove(variable);
            }
        }
        if !follows(threshold, &known) {
            return Ok(());
        }
        for neuron in 0..population.size as usize {
            let mut state: Vec<f64> =
                self.model.variables.iter().map(|variable| self.values.0[&variable.name].1.at(neuron)).collect();
            let evaluate = |term: &Term, state: &[f64]| {
                host::evaluate(term, &mut |leaf| match leaf {
                    host::Leaf::Symbol(Symbol::Variable(variable)) => state[variable],
                    host::Leaf::Symbol(Symbol::Constant(constant)) => {
                        self.values.0[&self.model.constants[constant].name].1.at(neuron)
                    }
                    host::Leaf::Symbol(symbol) => self.elements.symbol(symbol, neuron),
                    host::Leaf::Random(..) => f64::NAN,
                })
            };
            for (variable, value) in &self.model.reset {
                state[*variable] = evaluate(value, &state);
            }
            if evaluate(threshold, &state) != 0.0 {
                let after: Vec<String> = self
                    .model
                    .variables
                    .iter()
                    .enumerate()
                    .filter(|(variable, _)| threshold.mentions(*variable))
                    .map(|(variable, declared)| {
                        format!("{} = {} {}", declared.name, state[variable], declared.dimension.inner_unit())
                    })
                    .collect();
                let expected = format!(
                    "it is still true right after the reset ({}) in neuron {neuron}, which would fire at every chance",
                    after.join(", ")
                );
                let text = threshold_text(population);
                return Err(Error::invalid(
                    format!("{path}.threshold"),
                    format!("`{text}`"),
                    expected,
                    "keep the value after a reset out of the threshold's reach",
                ));
            }
            let each = |name: &String| !self.values.0[name].1.is_uniform();
            if !self.values.0.keys().any(each) {
                break;
            }
        }
        Ok(())
    }
}

fn threshold_text(population: &Population) -> String {
    let of_library = || population.model.as_ref().and_then(|name| library(name).ok()?.text().ok()?.threshold);
    population.threshold.clone().or_else(of_library).unwrap_or_default()
}

/// The texts of a population, and its library model if it has one.
fn texts(population: &Population, path: &str) -> Result<(Option<LibraryModel>, NeuronText), Error> {
    if let Some(name) = &population.model {
        let model = library(name)
            .map_err(|_| Error::unknown_name(&format!("{path}.model"), "model", name, spikelet_lang::library::names()))?;
        let text = model.text().map_err(|diagnostic| Error::model(path, vec![diagnostic]))?;
        return Ok((Some(model), text));
    }
    let method = population.method.as_deref().map(Method::parse).transpose();
    let text = NeuronText {
        equations: population.equations.clone().unwrap_or_default(),
        update: population.update.clone(),
        threshold: population.threshold.clone(),
        reset: population.reset.clone(),
        refractory: population.refractory.clone(),
        method: method.map_err(|diagnostic| Error::model(path, vec![diagnostic]))?,
        each: IndexMap::new(),
    };
    Ok((None, text))
}

/// What the network's recordings sample.
pub(super) fn channels(network: &Network, models: &[NeuronModel], populations: &[PopulationPlan]) -> Result<Vec<Channel>, Error> {
    let mut channels = Vec::new();
    for (index, recording) in network.recordings.iter().enumerate() {
        let path = format!("recordings[{index}]");
        let Some(population) = populations.iter().position(|population| population.name == recording.object) else {
            let known = populations.iter().map(|population| population.name.as_str());
            return Err(Error::unknown_name(&format!("{path}.object"), "population", &recording.object, known));
        };
        let plan = &populations[population];
        let Some(variable) = plan.program.variable(&recording.var) else {
            let known = plan.program.variables.iter().map(String::as_str);
            return Err(Error::unknown_name(&format!("{path}.var"), "variable", &recording.var, known));
        };
        let model = &models[population];
        let dimension = model.variable(&recording.var).map_or(Dimension::NONE, |at| model.variables[at].dimension);
        let unit = dimension.inner_unit();
        if let Some(asked) = &recording.unit {
            let found = syntax::parse_unit(asked).map_err(|diagnostic| Error::model(&path, vec![diagnostic]))?;
            if found.dimension != dimension {
                let message = format!("`{asked}` is {}; `{}` is {dimension}.", found.dimension, recording.var);
                let whole = diagnostic::Span { start: 0, end: asked.len() };
                return Err(Error::model(&path, vec![Diagnostic::new(Kind::DimensionMismatch, "unit", asked, whole, message)]));
            }
        }
        for neuron in recording.indices.of(plan.size) {
            if neuron >= plan.size {
                let expected = format!("`{}` has {} neurons, counted from 0", plan.name, plan.size);
                return Err(Error::invalid(format!("{path}.indices"), neuron, expected, "name one of them"));
            }
            let label = format!("{}.{}[{neuron}]", plan.name, recording.var);
            channels.push(Channel { label, unit: unit.clone(), population, variable, neuron });
        }
    }
    Ok(channels)
}
