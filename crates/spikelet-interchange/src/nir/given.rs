//! Terms of checked models as numbers: one for each neuron or synapse.

use indexmap::IndexMap;
use spikelet_lang::Dimension;
use spikelet_lang::host::{Leaf, evaluate};
use spikelet_lang::model::{Constant, Variable};
use spikelet_lang::term::{Node, Symbol, Term};
use spikelet_network::texts::equations_of;
use spikelet_network::{Error, Population, Projection, Quantity};

use super::values;

/// The values that are given to the names of a population or a projection.
pub(super) struct Given<'a> {
    /// Parameters, then values before the first step, with their keys in files.
    given: [(&'static str, &'a IndexMap<String, Quantity>); 2],
    /// Number of neurons or synapses.
    count: usize,
    /// The time step in ms.
    dt_ms: f64,
    path: &'a str,
}

impl<'a> Given<'a> {
    pub(super) fn of_population(population: &'a Population, dt_ms: f64, path: &'a str) -> Given<'a> {
        let given = [("parameters", &population.parameters), ("initial", &population.initial)];
        Given { given, count: population.size as usize, dt_ms, path }
    }

    /// With the number of synapses.
    pub(super) fn of_projection(projection: &'a Projection, count: usize, dt_ms: f64, path: &'a str) -> Given<'a> {
        let given = [("parameters", &projection.parameters), ("initial", &projection.initial)];
        Given { given, count, dt_ms, path }
    }

    /// What the parameters measure that these equations do not declare.
    ///
    /// # Errors
    /// One of them is no number.
    pub(super) fn undeclared(&self, equations: &str) -> Result<IndexMap<String, Dimension>, Error> {
        let declared = equations_of(equations);
        let (key, parameters) = self.given[0];
        let free = parameters.iter().filter(|(name, _)| !declared.iter().any(|of| of.name == **name));
        free.map(|(name, quantity)| {
            let dimension = values::dimension(quantity, &format!("{}.{key}.{name}", self.path))?;
            Ok((name.clone(), dimension))
        })
        .collect()
    }

    /// The value of a term for each neuron or synapse, in inner units; `None` if it changes in the course of a run, or differs in a way that
    /// only the simulator knows.
    ///
    /// # Errors
    /// A name in it has a value that is no number.
    pub(super) fn each(&self, term: &Term, variables: &[Variable], constants: &[Constant]) -> Result<Option<Vec<f64>>, Error> {
        let mut named: Vec<(Symbol, Vec<f64>)> = Vec::new();
        let (mut symbols, mut is_constant) = (Vec::new(), true);
        term.walk(&mut |node| match node {
            Node::Symbol(symbol) => symbols.push(*symbol),
            Node::Random(..) | Node::Lookup(..) | Node::Own(..) => is_constant = false,
            _ => {}
        });
        for symbol in symbols {
            let (name, dimension) = match symbol {
                Symbol::Variable(at) if !variables[at].written => (&variables[at].name, variables[at].dimension),
                Symbol::Constant(at) => (&constants[at].name, constants[at].dimension),
                Symbol::Dt => continue,
                _ => return Ok(None),
            };
            if !named.iter().any(|(of, _)| *of == symbol) {
                named.push((symbol, self.named(name, dimension)?));
            }
        }
        if !is_constant {
            return Ok(None);
        }
        let value = |at: usize| {
            evaluate(term, &mut |leaf| match leaf {
                Leaf::Symbol(Symbol::Dt) => self.dt_ms,
                Leaf::Symbol(symbol) => named.iter().find(|(of, _)| *of == symbol).map_or(f64::NAN, |(_, values)| values[at]),
                _ => f64::NAN,
            })
        };
        Ok(Some((0..self.count).map(value).collect()))
    }

    /// The values of a name; 0 without one.
    fn named(&self, name: &str, dimension: Dimension) -> Result<Vec<f64>, Error> {
        let found = self.given.iter().find_map(|(key, given)| given.get(name).map(|quantity| (key, quantity)));
        let Some((key, quantity)) = found else { return Ok(vec![0.0; self.count]) };
        values::inner(quantity, self.count, dimension, &format!("{}.{key}.{name}", self.path))
    }
}
