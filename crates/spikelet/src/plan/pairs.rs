//! The connectivity of a projection, with conditions and probabilities of pairs: expressions of `i`, `j`, positions and the distance.

use std::sync::Arc;

use spikelet_lang::check::{Type, ValueScope, resolve};
use spikelet_lang::syntax::{parse_equations, parse_expression};
use spikelet_lang::term::{Symbol, Term};
use spikelet_lang::{Diagnostic, Dimension, Kind, host};

use super::edges::{EdgelessContext, Spaces, place_symbol, place_value};
use super::sources::LoweredNetwork;
use super::texts::texts;
use super::values::{NamedValues, circle, elsewhere_in_synapses, in_order};
use crate::connect::{Connectivity, PairPredicate, PairValue};
use crate::{Error, OwnNeurons, Quantity};

/// The connectivity of a projection.
pub(super) fn connectivity<'a>(network: &LoweredNetwork<'a>, index: usize) -> Result<Connectivity<'a>, Error> {
    let projection = &network.network().projections[index];
    let size = |name: &str| network.find(name).map_or(0, |population| network.populations[population].size);
    let spaces = network.ends_in_space(index);
    let PairConditions { keep, probability } = PairConditions::new(network, index, &spaces)?;
    Ok(Connectivity {
        rule: projection.rule(),
        path: format!("projections[{index}]"),
        projection: index as u32,
        seed: network.seed,
        pre: projection.pre.range(size(&projection.pre.population)),
        post: projection.post.range(size(&projection.post.population)),
        recurrent: projection.pre.population == projection.post.population,
        spaces,
        keep,
        probability,
        own: network.find(&projection.post.population).map_or(OwnNeurons::range(0..0, 0), |post| network.part.own(post).clone()),
        most: [projection.max_outdegree, projection.max_indegree],
    })
}

/// The condition of a connector.
#[derive(Default)]
struct PairConditions {
    keep: Option<PairPredicate>,
    probability: Option<PairValue>,
}

impl PairConditions {
    fn new(network: &LoweredNetwork<'_>, index: usize, spaces: &Spaces) -> Result<PairConditions, Error> {
        let Some(connector) = &network.projections[index].connect else { return Ok(PairConditions::default()) };
        let wrong = |diagnostic| Error::model(&format!("projections[{index}].connect"), vec![diagnostic]);
        let pair = |place: &str, text: &str, wanted: Type| {
            PairExpression::new(network, index, spaces, place, text, wanted).map_err(wrong)
        };
        let keep = connector.condition().map(|text| pair("condition", text, Type::Boolean)).transpose()?;
        let p = connector.probability().map(|text| pair("p", text, Type::Number(Dimension::NONE))).transpose()?;
        Ok(PairConditions {
            keep: keep.map(|pair| Arc::new(move |i, j| pair.value(i, j) != 0.0) as PairPredicate),
            probability: p.map(|pair| Arc::new(move |i, j| pair.value(i, j)) as PairValue),
        })
    }
}

/// Why an expression of a pair cannot use random numbers.
const NOT_DRAWN: &str = "for random connections use `p` of the rule \"bernoulli\", which also has a `condition`, and draws for \
                         each pair";

/// Whether the equations of a population know a name.
fn declares(network: &LoweredNetwork<'_>, index: usize, name: &str) -> bool {
    let projection = &network.projections[index];
    let ends = [&projection.pre.population, &projection.post.population].into_iter().filter_map(|end| network.find(end));
    ends.filter_map(|end| texts(&network.populations[end], "").ok()).any(|(_, text)| {
        let equations = parse_equations("equations", &text.equations).unwrap_or_default();
        equations.iter().any(|equation| equation.name == name)
    })
}

/// An expression of a pair, and the available constants.
struct PairExpression {
    term: Term,
    named: NamedValues,
    spaces: Spaces,
    pre_size: u32,
}

impl PairExpression {
    fn new(
        network: &LoweredNetwork<'_>,
        index: usize,
        spaces: &Spaces,
        place: &str,
        text: &str,
        wanted: Type,
    ) -> Result<PairExpression, Diagnostic> {
        let projection = &network.projections[index];
        let mut named = NamedValues::default();
        let edgeless = EdgelessContext { dt: network.dt_ms, projection, spaces: spaces.clone() };
        let same_for_all: Vec<(&String, &Quantity)> = projection
            .parameters
            .iter()
            .filter(|(_, quantity)| !matches!(quantity, Quantity::Expr(_) | Quantity::Values { .. }))
            .collect();
        for place in in_order(same_for_all.iter().copied()).map_err(|names| circle(&names))? {
            let (name, quantity) = same_for_all[place];
            named.set(name, quantity, None, &edgeless, 0)?;
        }
        let expression = parse_expression(place, text)?;
        // A pair has no values before it is drawn.
        let is_uniform = |name: &str| named.0.get(name).is_none_or(|(_, values)| values.is_uniform());
        let lookup = |name: &str| {
            let of_place = || Some((place_symbol(spaces, name)?, Dimension::LENGTH));
            named.lookup(name).filter(|_| is_uniform(name)).or_else(of_place)
        };
        let known = ["i", "j", "N", "dt", "d"].into_iter().chain(named.0.keys().map(String::as_str));
        let known = known.filter(|name| lookup(name).is_some()).map(str::to_owned).collect();
        let elsewhere = |name: &str| {
            let of_neurons = || declares(network, index, name).then_some("a name of the neurons, which change during the run");
            let of_synapses = || projection.parameters.contains_key(name).then_some("a parameter that differs between synapses");
            elsewhere_in_synapses(name).or_else(of_neurons).or_else(of_synapses).map(str::to_owned)
        };
        let scope = ValueScope { names: &lookup, known, sites: Err(NOT_DRAWN), elsewhere: &elsewhere };
        let (term, kind) = resolve(place, text, &expression, &scope)?;
        if kind != wanted {
            let expected = match wanted {
                Type::Boolean => "a condition such as `i < 800`",
                Type::Number(_) => "a pure number such as `0.1*exp(-d/(100*um))`",
            };
            let message = format!("`{text}` is {kind}; expected {expected}.");
            return Err(Diagnostic::new(Kind::DimensionMismatch, place, text, expression.span, message));
        }
        let pre_size = network.find(&projection.pre.population).map_or(0, |pre| network.populations[pre].size);
        Ok(PairExpression { term, named, spaces: spaces.clone(), pre_size })
    }

    fn value(&self, i: u32, j: u32) -> f64 {
        host::evaluate(&self.term, &mut |leaf| match leaf {
            host::Leaf::Symbol(Symbol::Index) => f64::from(i),
            host::Leaf::Symbol(Symbol::PostIndex) => f64::from(j),
            host::Leaf::Symbol(Symbol::Constant(constant)) => self.named.0[constant].1.at(0),
            host::Leaf::Symbol(Symbol::Size) => f64::from(self.pre_size),
            host::Leaf::Symbol(Symbol::Read(read)) => place_value(&self.spaces, read, i, j),
            _ => f64::NAN,
        })
    }
}
