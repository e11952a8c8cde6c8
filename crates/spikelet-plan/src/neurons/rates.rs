//! Rates of Poisson processes: at most one spike per step, and not negative.

use spikelet_lang::host::{Leaf, evaluate};
use spikelet_lang::syntax::BinaryOp;
use spikelet_lang::term::{Function, Node, Symbol, Term};
use spikelet_network::{Error, Network, Notice, SourceKind, whole};

use super::population::CheckedPopulation;

/// Number of checks of a changing rate: steps and neurons distributed over the run.
const LOOKS: usize = 1 << 18;
/// Maximum number of neurons whose rates are checked.
const NEURONS: usize = 64;
/// Tolerance of a probability above 1, for rounding.
const ROUNDING: f64 = 1e-9;

/// The probability with which a process of a source fires in a step.
struct Probability {
    /// Index of the source.
    source: usize,
    term: Term,
}

/// Rejects constant rates out of range.
pub(crate) fn check(neurons: &CheckedPopulation, network: &Network, population: usize) -> Result<(), Error> {
    for Probability { source, term } in probabilities(neurons, network, population) {
        if !follows(neurons, &term) || changes(&term) {
            continue;
        }
        let count = if neurons.differ(&term) { neurons.size() } else { 1 };
        let wrong = (0..count).map(|neuron| (neuron, neurons.evaluate(&term, neuron, 0.0))).find(|(_, p)| is_wrong(*p));
        let Some((neuron, p)) = wrong else { continue };
        let of = if count > 1 { format!(" in neuron {neuron}") } else { String::new() };
        let (path, value) = (format!("sources[{source}].rate"), format!("{}{of}", in_hertz(p, network)));
        return Err(if p < 0.0 {
            Error::invalid(path, value, "a rate must be 0 or more", "use 0 for no spikes, or check its sign")
        } else {
            let expected =
                format!("a process fires at most once per step of {} ms, at {}", network.dt_ms, in_hertz(1.0, network));
            Error::invalid(path, value, expected, "use a shorter dt_ms, or more processes with lower rates")
        });
    }
    Ok(())
}

/// The same for rates that change with time: the value that they count as while out of range.
pub(crate) fn notices(neurons: &CheckedPopulation, network: &Network, population: usize) -> Vec<Notice> {
    let steps = network.steps() as usize;
    let mut notices = Vec::new();
    for Probability { source, term } in probabilities(neurons, network, population) {
        if !follows(neurons, &term) || !changes(&term) {
            continue;
        }
        let count = if neurons.differ(&term) { neurons.size() } else { 1 };
        let every_neuron = count.div_ceil(NEURONS);
        let every_step = (steps * count.div_ceil(every_neuron)).div_ceil(LOOKS).max(1);
        let looks =
            (0..steps).step_by(every_step).flat_map(|step| (0..count).step_by(every_neuron).map(move |neuron| (step, neuron)));
        let found = looks.map(|(step, neuron)| (step, neuron, neurons.evaluate(&term, neuron, step as f64 * network.dt_ms)));
        let Some((step, neuron, p)) = found.into_iter().find(|(_, _, p)| is_wrong(*p)) else { continue };
        let (path, time) = (format!("sources[{source}].rate"), whole(step as f64 * network.dt_ms));
        let counts = if p < 0.0 {
            "negative rates count as 0; write max(…, 0*Hz) around it if this is intended".to_owned()
        } else {
            let most = in_hertz(1.0, network);
            format!("a process fires at most once per step, so it counts as {most}; use a shorter dt_ms, or more processes")
        };
        let sentence = format!("{path} is {} at {time} ms (neuron {neuron}, step {step}): {counts}", in_hertz(p, network));
        notices.push(Notice::new(path, sentence));
    }
    notices
}

fn is_wrong(p: f64) -> bool {
    !p.is_nan() && !(0.0..=1.0 + ROUNDING).contains(&p)
}

fn in_hertz(p: f64, network: &Network) -> String {
    format!("{} Hz", whole(p / network.dt_ms * 1000.0))
}

/// The probabilities in the model of a population, with their sources.
fn probabilities(neurons: &CheckedPopulation, network: &Network, population: usize) -> Vec<Probability> {
    let Some(of) = network.populations.get(population) else {
        // Sources that have neurons follow the populations.
        let mut with_neurons = network.sources.iter().enumerate().filter(|(_, source)| source.size() > 0);
        let source = with_neurons.nth(population - network.populations.len());
        let Some((source, SourceKind::Poisson { .. })) = source.map(|(index, source)| (index, &source.kind)) else {
            return Vec::new();
        };
        let below = neurons.model.threshold.as_deref();
        let Some(Node::Binary(BinaryOp::Less, _, term)) = below else { return Vec::new() };
        return vec![Probability { source, term: term.clone() }];
    };
    let sources = network.sources.iter().enumerate().filter(|(_, source)| source.kind.acts_on(&of.name)).map(|(index, _)| index);
    let inputs = sources.zip(&neurons.model.inputs);
    inputs.filter_map(|(source, (_, amount))| Some(Probability { source, term: of_binomial(amount)? })).collect()
}

/// The probability in what a poisson_input adds.
fn of_binomial(amount: &Term) -> Option<Term> {
    let mut found = None;
    amount.walk(&mut |node| {
        if let Node::Call(Function::Binomial, arguments) = node {
            found = arguments.get(1).cloned();
        }
    });
    found
}

/// Whether the term depends on parameters, time and the neuron's index alone.
fn follows(neurons: &CheckedPopulation, term: &Term) -> bool {
    !term.any(|symbol| match symbol {
        Some(Symbol::Variable(variable)) => neurons.model.variables[variable].written,
        Some(Symbol::Constant(_) | Symbol::Dt | Symbol::Time | Symbol::Size | Symbol::Index) => false,
        _ => true,
    })
}

/// Whether it depends on time.
fn changes(term: &Term) -> bool {
    term.any(|symbol| symbol == Some(Symbol::Time))
}

impl CheckedPopulation {
    /// Whether a term of parameters differs between neurons.
    fn differ(&self, term: &Term) -> bool {
        term.any(|symbol| match symbol {
            Some(Symbol::Variable(variable)) => self.differs(&self.model.variables[variable].name),
            Some(Symbol::Constant(constant)) => self.differs(&self.model.constants[constant].name),
            other => other == Some(Symbol::Index),
        })
    }

    /// Its value for a neuron at a time.
    fn evaluate(&self, term: &Term, neuron: usize, time_ms: f64) -> f64 {
        evaluate(term, &mut |leaf| match leaf {
            Leaf::Symbol(Symbol::Time) => time_ms,
            Leaf::Symbol(symbol) => self.value(symbol, neuron),
            Leaf::Lookup(table, index) => self.entry(table, index),
            Leaf::Random(..) | Leaf::Gamma(..) => f64::NAN,
        })
    }
}
