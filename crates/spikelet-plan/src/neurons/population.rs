//! Populations: model text and parameters → program, constants, initial values. Their checks are in `neurons`.

mod at_start;
mod columns;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexMap;
use spikelet_lang::model::{Role, Variable};
use spikelet_lang::program::{EvaluationContext, Propagators, Rules};
use spikelet_lang::syntax::{Declared, EquationKind, Expr};
use spikelet_lang::term::{Symbol, Term};
use spikelet_lang::{
    Diagnostic, Dimension, Kind, NeuronModel, PopulationLayout, check_neuron, diagnostic::Span, of_low_word, slow, syntax,
};
use spikelet_network::{Error, Network, Quantity, WinnerRule};
use spikelet_rows::rng::Purpose;

use super::clocks::Clocks;
use super::sources::LoweredNetwork;
use super::texts::{preset, texts, timed_array};
use crate::values::computed::check_free;
use crate::values::draw_numbers::DrawNumbers;
use crate::values::neuron_elements::NeuronElements;
use crate::values::{Elements, NamedValues, Values, circle, in_order, in_order_of};
use crate::{PopulationPlan, Port};
pub(crate) use at_start::computed;

/// A population's checked model with its parameters.
#[derive(Clone)]
pub(crate) struct CheckedPopulation {
    pub(crate) model: NeuronModel,
    /// Values of parameters, and of the initial state after its evaluation.
    pub(crate) values: NamedValues,
    pub(crate) initial: IndexMap<String, Quantity>,
    pub(crate) parameters: Parameters,
    /// Entries of the model's tables, one after the other. Devices, and everything that is computed from them, use them as f32.
    pub(crate) tables: Vec<f64>,
    pub(crate) elements: NeuronElements,
    /// Variables that start at 0 because they have no value, and that no text of the model assigns.
    pub(crate) at_rest: Vec<usize>,
    /// Which of the neurons above threshold fire, if not all do.
    pub(crate) winners: Option<WinnerRule>,
    /// The scales of the variables whose input is summed in a given unit, 2 to the power of minus this.
    pub(crate) shifts: IndexMap<String, i32>,
    /// The path of the population in the file.
    pub(crate) path: String,
    /// The values of all neurons of the population, if synapses onto own neurons need them.
    pub(crate) everywhere: Option<Arc<NamedValues>>,
}

/// The parameters of a population as written.
#[derive(Clone, Default)]
pub(crate) struct Parameters {
    /// Those of the library model.
    defaults: IndexMap<String, Quantity>,
    /// Values that replace them, or additional ones.
    pub(crate) given: IndexMap<String, Quantity>,
    /// Dimensions of known names.
    dimensions: IndexMap<String, Dimension>,
    /// The numbers of all names, also of initial values and links, for what is drawn.
    pub(crate) draws: DrawNumbers,
}

impl Parameters {
    /// Whether there is one of this name.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.defaults.contains_key(name) || self.given.contains_key(name)
    }

    /// The required dimension of a name, if known, and the number of its draws.
    pub(crate) fn wanted(&self, name: &str) -> (Option<Dimension>, u32) {
        (self.dimensions.get(name).copied(), self.draws.of(name))
    }
}

impl CheckedPopulation {
    /// Checks the model of a population with its parameters, and evaluates these.
    pub(crate) fn new(network: &LoweredNetwork<'_>, index: usize) -> Result<CheckedPopulation, Error> {
        let population = &network.populations[index];
        let path = network.paths[index].clone();
        let at = |key: &str| format!("{path}.{key}");
        let first = network.populations[..index].iter().map(|other| other.size).sum();
        let (space, computed) = (network.spaces[index].clone(), Vec::new());
        let mut elements = NeuronElements {
            first,
            own: network.part.own(index).clone(),
            dt: network.dt_ms,
            seed: network.seed,
            purpose: Purpose::Initial,
            space,
            computed,
            integers: Vec::new(),
        };
        if let Some(spikes) = &network.spikes[index] {
            let model = spikes.model();
            let mut values = NamedValues::default();
            let first = elements.own.iter().map(|neuron| spikes.first[neuron as usize]).collect();
            values.0.insert("next".into(), (Dimension::NONE, Values::Each(first)));
            let tables = spikes.steps.iter().map(|step| f64::from(*step)).collect();
            let (initial, parameters) = (IndexMap::new(), Parameters::default());
            let (at_rest, winners, shifts) = (Vec::new(), None, IndexMap::new());
            return Ok(CheckedPopulation {
                model,
                values,
                initial,
                parameters,
                tables,
                elements,
                at_rest,
                winners,
                shifts,
                path,
                everywhere: None,
            });
        }
        let (library, mut text) = texts(population, &path, network.dt_ms)?;
        let equations = syntax::parse_equations("equations", &text.equations).map_err(|found| Error::model(&path, found))?;
        check_free(&equations, &path, "parameters", &population.parameters)?;
        check_free(&equations, &path, "initial", &population.initial)?;
        let declared: IndexMap<String, Dimension> =
            equations.iter().map(|equation| (equation.name.clone(), equation.unit.dimension)).collect();
        let computed = equations.iter().filter(|equation| matches!(equation.kind, EquationKind::Subexpression(_)));
        elements.computed = computed.map(|equation| equation.name.clone()).collect();
        let integers = equations.iter().filter(|equation| equation.declared == Declared::Integer);
        elements.integers = integers.map(|equation| equation.name.clone()).collect();

        // Defaults of the library, with the values of the network instead; then its other values.
        let preset = preset(library, population.preset.as_deref(), &path)?;
        let mut defaults: IndexMap<String, Quantity> = IndexMap::new();
        for (name, parameter) in library.iter().flat_map(|model| &model.parameters) {
            defaults.insert(name.clone(), parameter.default.as_str().into());
        }
        let given = preset.iter().flat_map(|preset| &preset.parameters);
        let mut given: IndexMap<String, Quantity> = given.map(|(name, text)| (name.clone(), text.as_str().into())).collect();
        given.extend(population.parameters.iter().map(|(name, quantity)| (name.clone(), quantity.clone())));
        let mut initial: IndexMap<String, Quantity> = IndexMap::new();
        let at_start = library.iter().flat_map(|model| &model.initial).chain(preset.iter().flat_map(|preset| &preset.initial));
        for (name, expression) in at_start {
            initial.shift_remove(name);
            // Values of the network override initial values of the model.
            let given = population.parameters.get(name).cloned();
            initial.insert(name.clone(), given.unwrap_or_else(|| Quantity::expr(expression.as_str())));
        }
        for (name, quantity) in &population.initial {
            initial.shift_remove(name);
            initial.insert(name.clone(), quantity.clone());
        }
        let names = defaults.keys().chain(given.keys()).chain(initial.keys());
        let draws = DrawNumbers::new(names.cloned());
        let mut values = NamedValues::default();
        let mut dimensions = declared.clone();
        for (name, default) in &defaults {
            values
                .set(name, default, declared.get(name).copied(), &elements, draws.of(name))
                .map_err(|diagnostic| Error::model(&path, vec![diagnostic]))?;
            dimensions.insert(name.clone(), values.0[name].0);
        }
        if let Some(model) = &library
            && let Some(name) = population.parameters.keys().find(|name| !dimensions.contains_key(*name))
            && population.equations.is_none()
        {
            let known = model.parameters.keys().map(String::as_str);
            return Err(Error::unknown_name(&at("parameters"), &format!("`{}` parameter", model.name), name, known));
        }
        let mut tables = Vec::new();
        let order = in_order(given.iter()).map_err(|names| Error::model(&at("parameters"), vec![circle(&names)]))?;
        let parameters = Parameters { defaults, given, dimensions, draws };
        for (name, quantity) in order.into_iter().filter_map(|place| parameters.given.get_index(place)) {
            let (wanted, draws) = parameters.wanted(name);
            let wrong = |diagnostic| Error::model(&at("parameters"), vec![diagnostic]);
            if let Some(expression) = quantity.function_of_time() {
                values.0.shift_remove(name);
                text.driven.insert(name.clone(), expression.into());
            } else if let Quantity::Timed { .. } = quantity {
                values.0.shift_remove(name);
                let (table, entries) = timed_array(name, quantity, wanted).map_err(wrong)?;
                tables.extend(entries);
                // Called `I(t)` or, with a column per neuron, `I(t, i)`; the name alone means the same.
                let call = if table.columns > 1 { format!("{name}(t, i)") } else { format!("{name}(t)") };
                text.driven.insert(name.clone(), call);
                text.tables.insert(name.clone(), table);
            } else {
                values.set(name, quantity, wanted, &elements, draws).map_err(wrong)?;
            }
        }

        let mut constants = IndexMap::new();
        for (name, (dimension, value)) in values.0.iter().filter(|(name, _)| !declared.contains_key(*name)) {
            if value.is_uniform() {
                constants.insert(name.clone(), *dimension);
            } else {
                text.each.insert(name.clone(), *dimension);
            }
        }
        text.inputs = network.inputs(&population.name)?;
        text.functions = network.functions.clone();
        let model = check_neuron(&text, &constants).map_err(|diagnostics| wrong_texts(&path, diagnostics))?;
        for name in text.driven.keys() {
            if let (Some(wanted), Some(found)) = (parameters.dimensions.get(name), model.dimension(name))
                && *wanted != found
            {
                let message = format!("`{}` is {found}; expected {wanted}.", text.driven[name]);
                let whole = Span { start: 0, end: text.driven[name].len() };
                let diagnostic = Diagnostic::new(Kind::DimensionMismatch, name, &text.driven[name], whole, message);
                return Err(Error::model(&at("parameters"), vec![diagnostic]));
            }
        }

        // Only training uses it, but an error of it is found here.
        population.surrogate.as_ref().map(|surrogate| surrogate.surrogate(&path, &model)).transpose()?;
        let winners = population.winners.as_ref().map(|winners| winners.rule(&at("winners"), population.size)).transpose()?;
        if let Some(name) = population.units.keys().find(|name| model.variable(name).is_none()) {
            let known = model.variables.iter().filter(|of| of.role == Role::Declared).map(|of| of.name.as_str());
            return Err(Error::unknown_name(&at("units"), "variable", name, known));
        }
        let shifts = population.units.iter().map(|(name, unit)| (name.clone(), -libm::ilogb(*unit))).collect();
        let at_rest = Vec::new();
        let mut neurons = CheckedPopulation {
            model,
            values,
            initial,
            parameters,
            tables,
            elements,
            at_rest,
            winners,
            shifts,
            path,
            everywhere: None,
        };
        neurons.check_linked(&population.linked)?;
        neurons.set_initial()?;
        neurons.check_values(&text.equations)?;
        Ok(neurons)
    }

    /// Evaluates initial values; the default is 0.
    pub(crate) fn set_initial(&mut self) -> Result<(), Error> {
        let path = format!("{}.initial", self.path);
        for (index, variable) in self.model.variables.iter().enumerate() {
            let has_value = self.initial.contains_key(&variable.name) || self.values.0.contains_key(&variable.name);
            if variable.role == Role::Declared && !variable.constant && !has_value {
                self.values.0.insert(variable.name.clone(), (variable.dimension, Values::Uniform(0.0)));
                if !variable.written {
                    self.at_rest.push(index);
                }
            }
        }
        let computed: Vec<(String, Vec<String>)> =
            self.elements.computed.iter().map(|name| (name.clone(), at_start::sources(self, name))).collect();
        let through = |expression: &Expr, wanted: &str| {
            computed.iter().any(|(name, sources)| sources.iter().any(|source| source == wanted) && expression.mentions(name))
        };
        let uses = |expression: &Expr, name: &str| expression.mentions(name) || through(expression, name);
        let order = in_order_of(self.initial.iter(), &uses).map_err(|names| Error::model(&path, vec![circle(&names)]))?;
        let initial = self.initial.clone();
        for (name, quantity) in order.into_iter().filter_map(|place| initial.get_index(place)) {
            let Some(variable) = self.model.variable(name) else {
                let known = self.model.variables.iter().map(|variable| variable.name.as_str());
                return Err(Error::unknown_name(&path, "variable", name, known));
            };
            let wanted = self.model.variables[variable].dimension;
            // Subexpressions have a value only here: it is that of the values so far.
            let expression = quantity.expression();
            let mentioned = computed.iter().filter(|(of, _)| expression.as_ref().is_some_and(|value| value.mentions(of)));
            let mentioned: Vec<&String> = mentioned.map(|(of, _)| of).filter(|of| *of != name).collect();
            let is_own = |of: &&&String| computed.iter().any(|(name_of, from)| name_of == **of && from.contains(name));
            if let Some(of) = mentioned.iter().find(is_own) {
                return Err(Error::model(&path, vec![circle(&[name.clone(), (*of).clone()])]));
            }
            for of in &mentioned {
                if let Some(Ok(value)) = at_start::computed(self, of) {
                    self.values.0.insert((*of).clone(), value);
                }
            }
            self.values
                .set(name, quantity, Some(wanted), &self.elements, self.parameters.draws.of(name))
                .map_err(|diagnostic| Error::model(&path, vec![diagnostic]))?;
            mentioned.into_iter().for_each(|of| drop(self.values.0.shift_remove(of)));
        }
        Ok(())
    }

    /// Rejects parameters without a value and invalid time constants, and sets the rest to zero.
    fn check_values(&mut self, equations: &str) -> Result<(), Error> {
        let missing =
            |variable: &&spikelet_lang::model::Variable| variable.constant && !self.values.0.contains_key(&variable.name);
        if let Some(variable) = self.model.variables.iter().find(missing) {
            return Err(Error::model(&self.path, vec![without_value(&variable.name, equations)]));
        }
        for variable in self.model.variables.iter().filter(|variable| variable.role != Role::Local) {
            let at_rest = (variable.dimension, Values::Uniform(0.0));
            self.values.0.entry(variable.name.clone()).or_insert(at_rest);
        }
        check_time_constants(&self.path, &self.model.time_constants(), &self.values, "neuron")?;
        let differs = |name: &String| !self.values.0[name].1.is_uniform();
        if let Some(shared) = self.model.variables.iter().find(|variable| variable.shared && differs(&variable.name)) {
            let key = if self.initial.contains_key(&shared.name) { "initial" } else { "parameters" };
            let (at, value) = (format!("{}.{key}.{}", self.path, shared.name), "one value per neuron");
            return Err(Error::invalid(at, value, "it is declared (shared)", "use one value, or remove the flag"));
        }
        Ok(())
    }

    /// Whether a name is a variable that changes during a run.
    pub(crate) fn is_state(&self, name: &str) -> bool {
        let variable = self.model.variable(name).map(|at| &self.model.variables[at]);
        variable.is_some_and(|variable| variable.role == Role::Declared && variable.written)
    }

    /// Number of neurons with values.
    pub(crate) fn size(&self) -> usize {
        self.elements.count()
    }

    /// The value of a name in the neuron at a place, if it has one.
    pub(crate) fn at_place(&self, name: &str, place: u32) -> Option<f64> {
        self.values.0.get(name).map(|(_, values)| values.at(place as usize))
    }

    /// The value of a name in any neuron of the population, if it has one.
    pub(crate) fn at_neuron(&self, name: &str, neuron: u32) -> Option<f64> {
        match &self.everywhere {
            Some(everywhere) => everywhere.0.get(name).map(|(_, values)| values.at(neuron as usize)),
            None => match &self.values.0.get(name)?.1 {
                Values::Each(values) => self.elements.own.place(neuron).map(|place| values[place as usize]),
                values => Some(values.at(0)),
            },
        }
    }

    /// Number of neurons of the population.
    pub(crate) fn neurons(&self) -> u32 {
        self.elements.own.size()
    }

    /// The initial value of a symbol of the model, for the neuron at a place.
    pub(crate) fn value(&self, symbol: Symbol, neuron: usize) -> f64 {
        match symbol {
            Symbol::Constant(constant) => self.values.0[&self.model.constants[constant].name].1.at(neuron),
            Symbol::Variable(variable) => match self.values.0.get(&self.model.variables[variable].name) {
                Some((_, values)) => values.at(neuron),
                None => f64::NAN,
            },
            other => self.elements.symbol(other, neuron),
        }
    }

    /// The entry of a table of the model.
    pub(crate) fn entry(&self, table: usize, index: f64) -> f64 {
        let sizes = self.model.tables.values().take(table).map(|table| table.rows * table.columns);
        self.tables.get(sizes.sum::<usize>() + index as usize).map_or(f64::NAN, |entry| f64::from(*entry as f32))
    }

    /// The entries of all tables as f32.
    pub(crate) fn rounded_tables(&self) -> Vec<f32> {
        self.tables.iter().map(|entry| *entry as f32).collect()
    }

    /// Whether a variable or constant has one value per neuron.
    pub(crate) fn differs(&self, name: &str) -> bool {
        self.values.0.get(name).is_some_and(|(_, values)| !values.is_uniform())
    }

    /// The places of neurons in which a term can have values of their own: all, or one that stands for all.
    pub(crate) fn places(&self, term: &Term) -> Range<usize> {
        let differs = term.any(|symbol| match symbol {
            Some(Symbol::Variable(variable)) => self.differs(&self.model.variables[variable].name),
            Some(Symbol::Constant(constant)) => self.differs(&self.model.constants[constant].name),
            other => other == Some(Symbol::Index),
        });
        0..if differs { self.size() } else { self.size().min(1) }
    }

    /// Variables that change too slowly for one word, in any neuron.
    pub(crate) fn slow(&self, dt: f64) -> HashSet<String> {
        let starts = Clocks::starts(self.model.tables.values());
        let lookup = |table: usize, index: f64| f64::from(self.tables[starts[table] + index as usize] as f32);
        self.model.slow(&slow::InitialState {
            dt,
            count: self.elements.count(),
            symbol: &|symbol, neuron| self.value(symbol, neuron),
            lookup: &lookup,
        })
    }

    /// Compiles the model for the ports of synapses, the variables that they write, and the recordings.
    pub(crate) fn plan(
        &self,
        network: &Network,
        population: &str,
        mut layout: PopulationLayout,
        ports: Vec<Port>,
    ) -> Result<PopulationPlan, Error> {
        let is_written = |of: &Variable| of.written || layout.ports.contains(&of.name) || layout.written.contains(&of.name);
        let unwritten = self.model.variables.iter().filter(|variable| variable.role != Role::Local && !is_written(variable));
        let (each, same): (Vec<_>, Vec<_>) = unwritten.map(|variable| variable.name.clone()).partition(|name| self.differs(name));
        // A recording needs an array, even if the value is the same for all. No code reads it, so that what is recorded changes no value.
        let recorded = |name: &String| network.recordings.iter().any(|of| of.object == population && of.var == *name);
        layout.per_neuron = each.into_iter().collect();
        layout.observed.extend(same.into_iter().filter(recorded));
        let wrong = |diagnostic| Error::model(&self.path, vec![diagnostic]);
        let program = self.model.compile(&layout).map_err(wrong)?;
        let starts = Clocks::starts(self.model.tables.values());
        let value = |symbol, neuron: usize| self.value(symbol, neuron);
        let lookup = |table: usize, index: f64| f64::from(self.tables[starts[table] + index as usize] as f32);
        let dt = network.dt_ms;
        let given = EvaluationContext { dt, symbol: &|symbol| value(symbol, 0), lookup: &lookup };
        self.check_columns(&program.rules).map_err(wrong)?;
        let constants = program.rules.constants(&given).map_err(wrong)?;
        let clocks = Clocks::new(&program.rules, &|symbol| value(symbol, 0), self.rounded_tables(), starts.clone());
        let kept = program.variables[..program.first_derived()].iter();
        let mut initial: Vec<Vec<f32>> = kept.map(|name| self.start(name)).collect();
        initial.extend(derived(&program.rules, self.elements.count(), dt, &value, &lookup).map_err(wrong)?);
        Ok(PopulationPlan {
            name: population.into(),
            first: self.elements.first,
            size: self.elements.own.size(),
            program,
            constants,
            initial,
            ports,
            clocks,
            first_clock: 0,
            winners: self.winners,
            group: None,
        })
    }

    /// The initial value of a variable, or the part that one word cannot represent.
    pub(crate) fn start(&self, variable: &str) -> Vec<f32> {
        // Values constant during a step, recorded values, and the refractory condition are computed before their use.
        let at_rest = Values::Uniform(0.0);
        let values = |name: &str| self.values.0.get(name).map_or(&at_rest, |(_, values)| values);
        of_low_word(variable).map_or_else(|| values(variable).to_f32(), |of| values(of).low_words())
    }
}

/// Errors in a population's texts; if it has none, those of the first source that adds to it, reported for that source.
fn wrong_texts(path: &str, diagnostics: Vec<Diagnostic>) -> Error {
    let source = |diagnostic: &Diagnostic| diagnostic.place.split_once('.').map(|(source, _)| source.to_owned());
    let (inputs, own): (Vec<_>, Vec<_>) = diagnostics.into_iter().partition(|of| of.place.starts_with("sources["));
    let Some(first) = inputs.first().and_then(source).filter(|_| own.is_empty()) else { return Error::model(path, own) };
    let of_first = inputs.into_iter().filter(|diagnostic| source(diagnostic).is_some_and(|source| source == first));
    let of_key = |diagnostic: Diagnostic| Diagnostic { place: diagnostic.place[first.len() + 1..].to_owned(), ..diagnostic };
    Error::model(&first, of_first.map(of_key).collect())
}

/// A declared parameter without a value.
pub(crate) fn without_value(name: &str, equations: &str) -> Diagnostic {
    let declared = syntax::parse_equations("equations", equations).unwrap_or_default();
    let span = declared.iter().find(|equation| equation.name == name).map_or(Span::default(), |equation| equation.span);
    let message = format!("`{name}` has no value.");
    let diagnostic = Diagnostic::new(Kind::MissingParameterValue, "equations", equations, span, message);
    diagnostic.help("Set it in the parameters or initial values.")
}

/// Rejects time constants of 0 and below.
pub(crate) fn check_time_constants(path: &str, names: &[&str], values: &NamedValues, element: &str) -> Result<(), Error> {
    for name in names {
        let Some((_, values)) = values.0.get(*name) else { continue };
        if let Some((at, value)) = values.numbers().iter().enumerate().find(|(_, value)| **value <= 0.0) {
            let of = if values.is_uniform() { String::new() } else { format!(" in {element} {at}") };
            let refusal = Error::invalid(
                format!("{path}.parameters.{name}"),
                format!("{value} ms{of}"),
                format!("the time constant `{name}` must be above 0"),
                "check its sign and unit",
            );
            return Err(refusal.of_kind(Kind::NonPositiveTimeConstant.name()));
        }
    }
    Ok(())
}

/// Values of the derived numbers, one array each.
pub(crate) fn derived(
    rules: &Rules,
    count: usize,
    dt: f64,
    value: &dyn Fn(Symbol, usize) -> f64,
    lookup: &dyn Fn(usize, f64) -> f64,
) -> Result<Vec<Vec<f32>>, Diagnostic> {
    let mut known = Propagators::default();
    let mut derived = vec![Vec::with_capacity(count); rules.derived.len()];
    for k in 0..if derived.is_empty() { 0 } else { count } {
        let given = EvaluationContext { dt, symbol: &|symbol| value(symbol, k), lookup };
        for (values, value) in derived.iter_mut().zip(rules.values(&rules.derived, &given, &mut known)) {
            values.push(value?);
        }
    }
    Ok(derived)
}
