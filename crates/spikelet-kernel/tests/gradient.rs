//! Gradients against finite differences in f64, and the printers of their codes.

mod difference;
mod functions;
mod models;
mod printers;
mod programs;
mod surrogates;

use indexmap::IndexMap;
use spikelet_lang::gradient::{DetachedReset, GradientLayout, NoGradient, Shape, SpikeValue, Surrogate, check_counts, vjp};
use spikelet_lang::ir::Code;
use spikelet_lang::model::Role;
use spikelet_lang::program::{EvaluationContext, Propagators};
use spikelet_lang::term::{Symbol, is_rest};
use spikelet_lang::{NeuronModel, NeuronText, PopulationLayout, Program, check_neuron};

use difference::{Dice, Point, agree, execute};

/// The time step of all tests in ms.
const DT: f64 = 0.1;

/// A model whose every state variable is a port, with the values of its parameters.
struct Subject {
    name: String,
    model: NeuronModel,
    program: Program,
    value: Box<dyn Fn(&str) -> f64>,
}

impl Subject {
    fn new(name: &str, model: NeuronModel, compensated: &[&str], value: impl Fn(&str) -> f64 + 'static) -> Subject {
        let state = model.variables.iter().filter(|of| of.role == Role::Declared && of.written && !of.boolean);
        let layout = PopulationLayout {
            ports: state.map(|variable| variable.name.clone()).collect(),
            compensated: compensated.iter().map(|name| (*name).to_owned()).collect(),
            ..PopulationLayout::uniform()
        };
        let program = model.compile(&layout).unwrap_or_else(|error| panic!("{name}: {error}"));
        Subject { name: name.into(), model, program, value: Box::new(value) }
    }

    /// Equations without parameters; all values that nothing writes are 1.5.
    fn of_text(name: &str, text: &NeuronText) -> Subject {
        let model = check_neuron(text, &IndexMap::new()).unwrap_or_else(|found| panic!("{name}: {}", found[0]));
        Subject::new(name, model, &[], |_| 1.5)
    }

    fn layout(&self) -> GradientLayout {
        let observed: Vec<usize> = (0..self.program.variables.len()).step_by(2).collect();
        GradientLayout::new(&self.program, observed)
    }

    /// Whether its threshold is one comparison, or it has none.
    fn compares(&self) -> bool {
        !["assembly_area", "bursts"].contains(&self.name.as_str())
    }

    fn step(&self, spike: SpikeValue<'_>) -> Code {
        self.program.step(&self.layout(), spike).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// The step whose gradient differences can find: soft, or hard without any way through the spikes.
    fn smooth_step(&self, surrogate: &Surrogate) -> Code {
        self.step(if self.compares() { SpikeValue::Soft(surrogate) } else { SpikeValue::Hard })
    }

    fn gradient(&self, step: &Code, surrogate: &Surrogate) -> Code {
        let surrogate = self.compares().then_some(surrogate);
        let detached = if surrogate.is_none() { DetachedReset::All } else { DetachedReset::None };
        let gradient = vjp(step, &self.layout(), surrogate, detached);
        gradient.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// The values of a population at its start; adjoints are 0, and the state is that of `initial`.
    fn start(&self, initial: impl Fn(&str) -> Option<f64>) -> Point {
        let symbol = |symbol: Symbol| match symbol {
            Symbol::Constant(at) => (self.value)(&self.model.constants[at].name),
            Symbol::Variable(at) => (self.value)(&self.model.variables[at].name),
            Symbol::Size => 5.0,
            Symbol::Index => 3.0,
            Symbol::Time => 0.0,
            _ => 1.0,
        };
        let given = EvaluationContext { dt: DT, symbol: &symbol, lookup: &|_, _| 0.25 };
        let rules = &self.program.rules;
        let constants = rules.unrounded(&rules.constants, &given, &mut Propagators::default()).collect();
        let mut arrays = vec![0.0; self.layout().arrays()];
        for (place, name) in self.program.variables.iter().enumerate() {
            let is_parameter = self.model.variable(name).is_some_and(|at| !self.model.variables[at].written);
            arrays[place] = initial(name).unwrap_or_else(|| if is_parameter { (self.value)(name) } else { 0.0 });
        }
        let mut known = Propagators::default();
        let derived = rules.unrounded(&rules.derived, &given, &mut known);
        derived.enumerate().for_each(|(k, value)| arrays[self.program.first_derived() + k] = value);
        let mut point = Point { arrays, constants, ports: vec![0.0; self.program.ports.len()], ..Point::default() };
        self.set_clocks(&mut point);
        point
    }

    /// The clocks of the step of a point.
    fn set_clocks(&self, point: &mut Point) {
        let time = f64::from(point.step) * DT;
        let symbol = |symbol: Symbol| match symbol {
            Symbol::Time => time,
            Symbol::Constant(at) => (self.value)(&self.model.constants[at].name),
            Symbol::Variable(at) => (self.value)(&self.model.variables[at].name),
            _ => 1.0,
        };
        let given = EvaluationContext { dt: DT, symbol: &symbol, lookup: &|_, _| 0.25 };
        let value = |term| if is_rest(term) { 0.0 } else { given.evaluate(term) };
        point.clocks = self.program.rules.clocks.iter().map(value).collect();
    }
}
