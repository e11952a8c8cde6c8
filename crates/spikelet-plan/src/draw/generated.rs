//! Projections that are not in the file: linked variables, and what synapses add to their presynaptic neurons.

use std::borrow::Cow;

use indexmap::IndexMap;
use spikelet_lang::check::may_add_to_pre;
use spikelet_lang::model::{Constant, End, Pathway, SynapseModel};
use spikelet_lang::syntax::parse_equations;
use spikelet_lang::term::{Symbol, number, substitute, symbol};
use spikelet_lang::{Dimension, host, library};
use spikelet_network::{Error, Pairs, Projection, Quantity};
use spikelet_rows::OwnNeurons;
use spikelet_rows::connect::{Connectivity, Preparation};

use crate::check::checked::{self, CheckedProjection};
use crate::check::links;
use crate::check::quantities::named;
use crate::neurons::ends::EndValues;
use crate::neurons::population::CheckedPopulation;
use crate::neurons::sources::{Generated, LoweredNetwork};
use crate::pairs::connectivity;
use crate::pairs::edges::EdgelessContext;

impl Generated {
    /// The checked projection between the populations of both sides.
    pub(crate) fn checked(
        &self,
        network: &LoweredNetwork<'_>,
        name: &str,
        ends: [(usize, &CheckedPopulation); 2],
        third: Option<(usize, &CheckedPopulation)>,
    ) -> Result<CheckedProjection, Error> {
        let of = match self {
            Generated::Link(link) => return link.checked(name, ends),
            Generated::ToPre(of) => *of,
        };
        let [pre, post] = ends;
        let (file, forward) = (&network.projections[of], checked::check_between(network, of, [post, pre], third)?);
        let opposite = |end: End| match end {
            End::Pre => End::Post,
            End::Post => End::Pre,
            End::Third => End::Third,
        };
        let of_end = |end: End| {
            let pathways = forward.model.to_pre.iter().filter(move |pathway| pathway.end == opposite(end));
            pathways.map(move |pathway| Pathway { end, ..pathway.clone() })
        };
        let mut pathways: Vec<Pathway> = of_end(End::Pre).chain(of_end(End::Post)).collect();
        pathways.sort_by_key(|pathway| (pathway.end == End::Post, pathway.name.clone()));
        let parameters = make_constants(network, of, &forward, &mut pathways)?;
        let constants = parameters.keys().map(|name| Constant { name: name.clone(), dimension: Dimension::NONE }).collect();
        for pathway in &pathways {
            let (key, delays) = file.delays(opposite(pathway.end));
            let delays = delays.cloned().unwrap_or_default();
            let delay = delays.of(&pathway.name);
            let is_number = delay.text().is_some_and(|text| spikelet_lang::quantity::constant(key, &text).is_ok());
            if !is_number {
                let expected = "what its synapses add to presynaptic neurons needs one delay for all of them";
                let way_out = "write a number, give this pathway a name and a delay of its own, or write a projection in the opposite direction";
                return Err(Error::invalid(format!("projections[{of}].{key}"), delay, expected, way_out));
            }
        }
        let order = pathways.iter().map(|pathway| file.order.get(&pathway.name).copied().unwrap_or(0)).collect();
        Ok(CheckedProjection {
            order,
            model: SynapseModel { pathways, constants, ..SynapseModel::default() },
            parameters,
            ..CheckedProjection::generated(name, [pre.0, post.0])
        })
    }
}

/// Replaces what statements of a projection add to presynaptic neurons by constants, whose values it returns: code does not change with them.
fn make_constants(
    network: &LoweredNetwork<'_>,
    of: usize,
    forward: &CheckedProjection,
    pathways: &mut [Pathway],
) -> Result<IndexMap<String, Quantity>, Error> {
    let statements = pathways.iter_mut().flat_map(|pathway| &mut pathway.statements);
    let mut statements = statements.filter(|statement| statement.value.any(|_| true)).peekable();
    let mut constants = IndexMap::new();
    if statements.peek().is_none() {
        return Ok(constants);
    }
    let projection = &network.projections[of];
    let edgeless = EdgelessContext { dt: network.dt_ms, projection, ends: EndValues::new(network, of)? };
    let values = named(of, forward, &edgeless)?;
    for statement in statements {
        let mut each = None;
        statement.value.any(|symbol| {
            each = symbol.and_then(|symbol| forward.constant_name(symbol)).filter(|name| !values.0[*name].1.is_uniform());
            each.is_some()
        });
        if let Some(name) = each {
            let (found, expected) =
                ("a value per synapse", "what is added to presynaptic neurons must be the same for all synapses");
            let way_out = "use one value for all synapses, or write a projection in the opposite direction";
            return Err(Error::invalid(format!("projections[{of}].parameters.{name}"), found, expected, way_out));
        }
        let value = substitute(&statement.value, &|found| match forward.constant_name(found) {
            Some(name) => number(values.0[name].1.at(0)),
            None if found == Symbol::Dt => number(network.dt_ms),
            None => symbol(found),
        });
        let value = host::evaluate(&value, &mut |_| f64::NAN);
        statement.value = symbol(Symbol::Constant(constants.len()));
        constants.insert(constants.len().to_string(), Quantity::Number(value));
    }
    Ok(constants)
}

impl CheckedProjection {
    /// The name of a constant or variable of its synapses.
    fn constant_name(&self, symbol: Symbol) -> Option<&str> {
        match symbol {
            Symbol::Constant(constant) => Some(&self.model.constants[constant].name),
            Symbol::Variable(variable) => Some(&self.model.variables[variable].name),
            _ => None,
        }
    }
}

impl<'a> LoweredNetwork<'a> {
    /// Adds the generated projections after those of the file, so that these draw the same synapses as without.
    pub(crate) fn with_generated(mut self) -> Result<LoweredNetwork<'a>, Error> {
        for (projection, link) in links::projections(&self)? {
            self.projections.push(Cow::Owned(projection));
            self.generated.push(Generated::Link(link));
        }
        for (index, projection) in self.network().projections.iter().enumerate() {
            let mut texts = [End::Pre, End::Post].into_iter().flat_map(|end| projection.pathways(end));
            let library = projection.model.as_deref().and_then(|name| library(name).ok());
            let equations = [projection.equations.as_deref(), library.as_ref().map(|model| model.equations())];
            let parsed = |text: &str| parse_equations("equations", text).unwrap_or_default();
            let equations: Vec<_> = equations.into_iter().flatten().flat_map(parsed).collect();
            if texts.any(|(_, text)| may_add_to_pre(text, &equations)) {
                let opposite = Projection {
                    // No object of a file can have this name.
                    name: format!("{}.to_pre", projection.name),
                    pre: projection.post.clone(),
                    post: projection.pre.clone(),
                    third: projection.third.clone(),
                    pairs: Some(Pairs::Listed(Vec::new())),
                    delay_ms: projection.delay_post_ms.clone().unwrap_or_default(),
                    delay_post_ms: Some(projection.delay_ms.clone()),
                    ..Projection::default()
                };
                self.projections.push(Cow::Owned(opposite));
                self.generated.push(Generated::ToPre(index));
            }
        }
        Ok(self)
    }

    /// What generates a projection, if it is not in the file.
    pub(crate) fn generated(&self, projection: usize) -> Option<&Generated> {
        self.generated.get(projection.checked_sub(self.network().projections.len())?)
    }

    /// The synapses of a projection in the opposite direction, as `[post, pre]`.
    pub(crate) fn pairs_of(&self, projection: usize) -> Result<Vec<[u32; 2]>, Error> {
        let whole = |name: &str| self.find(name).map_or(0, |population| self.populations[population].size);
        let size = whole(&self.projections[projection].post.population);
        let connectivity = Connectivity { own: OwnNeurons::range(0..size, size), ..connectivity(self, projection)? };
        let (pre, post) = (connectivity.pre.clone(), connectivity.post.clone());
        let drawn = Preparation::new(connectivity, true)?.finish()?.stretch(pre.clone(), &post);
        let rows = pre.zip(&drawn.lengths).flat_map(|(pre, length)| std::iter::repeat_n(pre, *length as usize));
        Ok(rows.zip(drawn.targets).map(|(pre, post)| [post, pre]).collect())
    }
}
