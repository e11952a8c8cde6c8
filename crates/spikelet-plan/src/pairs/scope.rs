//! The names of expressions of a pair: indices, sizes, positions, values of both neurons, and constants among the parameters.

use std::collections::HashSet;

use spikelet_lang::syntax::parse_equations;
use spikelet_lang::term::{Symbol, Term};
use spikelet_lang::{Diagnostic, Dimension, host};
use spikelet_network::Quantity;

use super::edges::EdgelessContext;
use crate::neurons::ends::EndValues;
use crate::neurons::sources::LoweredNetwork;
use crate::neurons::texts::texts;
use crate::values::{NamedValues, circle, elsewhere_in_synapses, in_order};

/// Why an expression of a pair cannot use random numbers.
pub(crate) const NOT_DRAWN: &str = "for random connections use `p` of the rule \"bernoulli\", which also has a `condition`, and draws for \
                                    each pair";

/// What a name of neurons without an end is.
const OF_NEURONS: &str = "a name of the neurons; write it with `_pre` or `_post` for the value at the start";

/// The names of the expressions of pairs of a projection.
#[derive(Clone)]
pub(crate) struct PairScope {
    named: NamedValues,
    ends: EndValues,
    pre_size: u32,
    /// Names in the equations of both populations, and of the parameters.
    of_neurons: HashSet<String>,
    parameters: HashSet<String>,
}

impl PairScope {
    /// Those of a projection.
    ///
    /// # Errors
    /// A parameter is invalid.
    pub(crate) fn new(network: &LoweredNetwork<'_>, index: usize, ends: EndValues) -> Result<PairScope, Diagnostic> {
        let projection = &network.network().projections[index];
        let mut named = NamedValues::default();
        let edgeless = EdgelessContext { dt: network.dt_ms, projection, ends: ends.clone() };
        let same_for_all: Vec<(&String, &Quantity)> = projection
            .parameters
            .iter()
            .filter(|(_, quantity)| !matches!(quantity, Quantity::Expr(_) | Quantity::Values { .. }))
            .collect();
        for place in in_order(same_for_all.iter().copied()).map_err(|names| circle(&names))? {
            let (name, quantity) = same_for_all[place];
            named.set(name, quantity, None, &edgeless, 0)?;
        }
        let populations = [&projection.pre.population, &projection.post.population];
        let texts =
            populations.into_iter().filter_map(|end| texts(&network.populations[network.find(end)?], "", network.dt_ms).ok());
        let equations = texts.flat_map(|(_, text)| parse_equations("equations", &text.equations).unwrap_or_default());
        let pre_size = network.find(&projection.pre.population).map_or(0, |pre| network.populations[pre].size);
        let (of_neurons, parameters) =
            (equations.map(|equation| equation.name).collect(), projection.parameters.keys().cloned().collect());
        Ok(PairScope { named, ends, pre_size, of_neurons, parameters })
    }

    /// The symbol and dimension of a name. A pair has no values before it is drawn: parameters must be the same for all.
    pub(crate) fn symbol(&self, name: &str) -> Option<(Symbol, Dimension)> {
        let is_uniform = self.named.0.get(name).is_none_or(|(_, values)| values.is_uniform());
        self.named.lookup(name).filter(|_| is_uniform).or_else(|| self.ends.symbol(name))
    }

    /// Names to suggest.
    pub(crate) fn known(&self) -> Vec<String> {
        let known = ["i", "j", "N", "dt", "d"].into_iter().chain(self.named.0.keys().map(String::as_str));
        known.filter(|name| self.symbol(name).is_some()).map(str::to_owned).chain(self.ends.known()).collect()
    }

    /// What a name is that has no value here.
    pub(crate) fn elsewhere(&self, name: &str) -> Option<String> {
        let of_neurons = || self.of_neurons.contains(name).then_some(OF_NEURONS);
        let of_synapses = || self.parameters.contains(name).then_some("a parameter that differs between synapses");
        let other = || elsewhere_in_synapses(name).or_else(of_neurons).or_else(of_synapses).map(str::to_owned);
        self.ends.elsewhere(name).or_else(other)
    }

    /// The value of a term for a pair; `other` gives symbols that are not of pairs.
    pub(crate) fn value(&self, term: &Term, i: u32, j: u32, other: &dyn Fn(Symbol) -> f64) -> f64 {
        host::evaluate(term, &mut |leaf| match leaf {
            host::Leaf::Symbol(Symbol::Index) => f64::from(i),
            host::Leaf::Symbol(Symbol::PostIndex) => f64::from(j),
            host::Leaf::Symbol(Symbol::Constant(constant)) => self.named.0[constant].1.at(0),
            host::Leaf::Symbol(Symbol::Size) => f64::from(self.pre_size),
            host::Leaf::Symbol(Symbol::Read(read)) => self.ends.value(read, i, j),
            host::Leaf::Symbol(symbol) => other(symbol),
            _ => f64::NAN,
        })
    }
}
