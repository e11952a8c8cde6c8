//! The connectivity of a projection, with conditions and probabilities of pairs: expressions of `i`, `j`, positions, the distance, and values
//! of both neurons at the start.

pub(super) mod edges;
pub(super) mod generator;
pub(super) mod learned;
pub(super) mod sample;
pub(super) mod scope;

use std::ops::Range;
use std::sync::Arc;

use spikelet_lang::check::{Type, ValueScope, resolve};
use spikelet_lang::syntax::parse_expression;
use spikelet_lang::term::Term;
use spikelet_lang::{Diagnostic, Dimension, Kind};
use spikelet_network::connectors::Generator;
use spikelet_network::{Connector, Error, Quantity};
use spikelet_rows::OwnNeurons;
use spikelet_rows::connect::{Connectivity, IndexGenerator, PairPredicate, PairValue};

use crate::neurons::ends::EndValues;
use crate::neurons::sources::LoweredNetwork;
use crate::pairs::generator::ExpressionGenerator;
use crate::pairs::scope::{NOT_DRAWN, PairScope};

/// The connectivity of a projection.
pub(crate) fn connectivity<'a>(network: &LoweredNetwork<'a>, index: usize) -> Result<Connectivity<'a>, Error> {
    let projection = &network.projections[index];
    let size = |name: &str| network.find(name).map_or(0, |population| network.populations[population].size);
    let spaces = network.ends_in_space(index);
    let pre = projection.pre.range(size(&projection.pre.population));
    let post = projection.post.range(size(&projection.post.population));
    let PairConditions { keep, probability, per_pair, generator } = PairConditions::new(network, index, [&pre, &post])?;
    Ok(Connectivity {
        rule: network.rule(index)?,
        path: format!("projections[{index}]"),
        projection: index as u32,
        seed: network.seed,
        pre,
        post,
        recurrent: projection.pre.population == projection.post.population,
        spaces,
        keep,
        probability,
        per_pair,
        generator,
        own: network.find(&projection.post.population).map_or(OwnNeurons::range(0..0, 0), |post| network.part.own(post).clone()),
        most: [projection.max_outdegree, projection.max_indegree],
    })
}

/// The condition of a connector.
#[derive(Default)]
struct PairConditions {
    keep: Option<PairPredicate>,
    probability: Option<PairValue>,
    per_pair: Option<PairValue>,
    generator: Option<Arc<dyn IndexGenerator>>,
}

impl PairConditions {
    fn new(network: &LoweredNetwork<'_>, index: usize, slices: [&Range<u32>; 2]) -> Result<PairConditions, Error> {
        let projection = &network.projections[index];
        let Some(connector) = &projection.connect else { return Ok(PairConditions::default()) };
        let path = format!("projections[{index}].connect");
        let wrong = |diagnostic| Error::model(&path, vec![diagnostic]);
        let scope = PairScope::new(network, index, EndValues::new(network, index)?).map_err(wrong)?;
        let pair = |place: &str, text: &str, wanted: Type| PairExpression::new(&scope, place, text, wanted).map_err(wrong);
        let generator = match connector {
            Connector::Generator(Generator { i, j, skip_if_invalid }) => {
                let text = j.as_ref().or(i.as_ref()).map_or("", String::as_str);
                let (key, neurons) = if j.is_some() { ("j", slices[1]) } else { ("i", slices[0]) };
                let of = (format!("{path}.{key}"), neurons.clone(), *skip_if_invalid);
                let generator = ExpressionGenerator::new(scope.clone(), j.is_none(), text, of).map_err(wrong)?;
                Some(Arc::new(generator) as Arc<dyn IndexGenerator>)
            }
            _ => None,
        };
        let keep = connector.condition().map(|text| pair("condition", text, Type::Boolean)).transpose()?;
        let p = connector.probability().map(|text| pair("p", text, Type::Number(Dimension::NONE))).transpose()?;
        let pure = Type::Number(Dimension::NONE);
        let per_pair: Option<PairValue> = match &projection.synapses_per_pair {
            None | Some(Quantity::Values { .. } | Quantity::Timed { .. }) => None,
            Some(Quantity::Number(number)) => {
                let number = *number;
                Some(Arc::new(move |_, _| number))
            }
            Some(Quantity::Text(text) | Quantity::Expr(text)) => {
                let of = PairExpression::new(&scope, "synapses_per_pair", text, pure);
                let pair = of.map_err(|diagnostic| Error::model(&format!("projections[{index}]"), vec![diagnostic]))?;
                Some(Arc::new(move |i, j| pair.value(i, j)))
            }
        };
        Ok(PairConditions {
            generator,
            per_pair,
            keep: keep.map(|pair| Arc::new(move |i, j| pair.value(i, j) != 0.0) as PairPredicate),
            probability: p.map(|pair| Arc::new(move |i, j| pair.value(i, j)) as PairValue),
        })
    }
}

/// An expression of a pair.
struct PairExpression {
    term: Term,
    scope: PairScope,
}

impl PairExpression {
    fn new(scope: &PairScope, place: &str, text: &str, wanted: Type) -> Result<PairExpression, Diagnostic> {
        let expression = parse_expression(place, text)?;
        let (lookup, elsewhere) = (|name: &str| scope.symbol(name), |name: &str| scope.elsewhere(name));
        let values = ValueScope { names: &lookup, known: scope.known(), sites: Err(NOT_DRAWN), elsewhere: &elsewhere };
        let (term, kind) = resolve(place, text, &expression, &values)?;
        if kind != wanted {
            let expected = match wanted {
                Type::Boolean => "a condition such as `i < 800`",
                Type::Number(_) => "a pure number such as `0.1*exp(-d/(100*um))`",
            };
            let message = format!("`{text}` is {kind}; expected {expected}.");
            return Err(Diagnostic::new(Kind::DimensionMismatch, place, text, expression.span, message));
        }
        Ok(PairExpression { term, scope: scope.clone() })
    }

    fn value(&self, i: u32, j: u32) -> f64 {
        self.scope.value(&self.term, i, j, &|_| f64::NAN)
    }
}
