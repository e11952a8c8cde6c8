//! What each synapse of a projection adds to a variable of its postsynaptic neuron.

use std::collections::HashMap;

use spikelet::lang::End;
use spikelet::lang::host::{self, Leaf};
use spikelet::lang::model::Target;
use spikelet::lang::term::{Symbol, Term};
use spikelet::{DelayColumn, Delays, EdgePart, EdgeTable, Projection, Quantity, Source, SourceKind};

use crate::Lack;
use crate::built::Built;

/// The synapses of a projection that add to one variable.
pub(crate) struct AddedSynapses {
    /// The projection, with the variable if there are several.
    pub(crate) name: String,
    /// The presynaptic population or source, and the postsynaptic population.
    pub(crate) pre: String,
    pub(crate) post: String,
    /// The neurons in their populations.
    pub(crate) pre_neurons: Vec<u32>,
    pub(crate) post_neurons: Vec<u32>,
    /// In steps.
    pub(crate) delays: Vec<u32>,
    /// The variable.
    pub(crate) variable: String,
    /// What is added, in its inner unit.
    pub(crate) amounts: Vec<f64>,
}

/// Poisson spikes to each neuron of a population, or of a part of it.
pub(crate) struct PoissonInput {
    pub(crate) name: String,
    pub(crate) post: String,
    /// The first neuron, and the one after the last.
    pub(crate) neurons: [u32; 2],
    pub(crate) variable: String,
    /// The rate of all processes of a neuron, in Hz.
    pub(crate) rate: f64,
    /// What is added, in its inner unit.
    pub(crate) amount: f64,
}

/// The synapses of a projection, for each variable that they add to.
pub(crate) fn of_projection(built: &Built, index: usize, of: &Projection) -> Result<Vec<AddedSynapses>, Lack> {
    let (name, model) = (&of.name, built.plan.synapse_model(index));
    let no = |what: &str| Err(format!("{what}, which {name} has"));
    if of.third.is_some() {
        return no("a third neuron");
    }
    if of.pre.population.contains('.') {
        return no("events as presynaptic spikes");
    }
    if !model.is_static() || !model.to_pre.is_empty() {
        return no("synapses with equations or variables that change");
    }
    let table = built.edges(of)?;
    let all = table.all().map_err(|error| format!("synapses as {name} has them ({error})"))?;
    let post = built.plan.model(built.plan.projections[index].post);
    let count = model.pathways.iter().map(|pathway| pathway.statements.len()).sum::<usize>();
    let mut found = Vec::new();
    for pathway in &model.pathways {
        if pathway.end != End::Pre {
            return no("effects of postsynaptic spikes");
        }
        let delays = delays(built, of, &pathway.name, &table, &all)?;
        for statement in &pathway.statements {
            let Target::Add(variable) = statement.target else {
                return no("spikes that do not only add to a variable");
            };
            let variable = post.variables[variable].name.clone();
            let Some(amounts) = amounts(built, index, &statement.value, (&table, &all)) else {
                return no(&format!("an amount that is added to `{variable}` and is not constant"));
            };
            found.push(AddedSynapses {
                name: if count > 1 { format!("{name}.{variable}") } else { name.clone() },
                pre: of.pre.population.clone(),
                post: of.post.population.clone(),
                pre_neurons: all.pre.clone(),
                post_neurons: all.post.clone(),
                delays: delays.clone(),
                variable,
                amounts,
            });
        }
    }
    Ok(found)
}

/// The delay of each synapse in steps.
fn delays(built: &Built, of: &Projection, pathway: &str, table: &EdgeTable, all: &EdgePart) -> Result<Vec<u32>, Lack> {
    let steps = |ms: f64| (ms / built.plan.dt_ms).round() as u32;
    let name = DelayColumn::of(of, End::Pre, pathway).map(|column| column.to_string());
    if let Some(at) = table.columns().iter().position(|column| Some(&column.name) == name.as_ref()) {
        let shared = table.columns()[at].shared;
        return Ok(all.values[at].iter().map(|ms| steps(shared.unwrap_or(*ms))).collect());
    }
    let delay = of.delay_ms.of(pathway);
    let ms = match (&of.delay_ms, delay) {
        (Delays::Same(_), _) => Some(0.0),
        (_, Quantity::Number(ms)) => Some(*ms),
        (_, other) => constant(other),
    };
    let ms = ms.ok_or_else(|| format!("the delay {delay} of a pathway, which {} has", of.name))?;
    Ok(vec![steps(ms); all.pre.len()])
}

/// A quantity in its inner unit, if it is a constant.
pub(crate) fn constant(value: &Quantity) -> Option<f64> {
    spikelet::lang::quantity::constant("value", &value.text()?).ok().map(|(value, _)| value)
}

/// The value of a term in each synapse.
fn amounts(built: &Built, index: usize, term: &Term, (table, all): (&EdgeTable, &EdgePart)) -> Option<Vec<f64>> {
    let model = built.plan.synapse_model(index);
    let mut columns = HashMap::new();
    let mut common = HashMap::new();
    let mut is_known = true;
    term.walk(&mut |node| {
        let spikelet::lang::term::Node::Symbol(symbol) = node else { return };
        let name = match symbol {
            Symbol::Variable(variable) => &model.variables[*variable].name,
            Symbol::Constant(constant) => &model.constants[*constant].name,
            _ => "",
        };
        match table.columns().iter().position(|column| column.name == name) {
            Some(at) if table.columns()[at].shared.is_none() => drop(columns.insert(*symbol, at)),
            Some(at) => drop(common.insert(*symbol, table.columns()[at].shared.unwrap_or_default())),
            None => match built.plan.common_synapse_value(index, *symbol) {
                Some(value) => drop(common.insert(*symbol, value)),
                None => is_known = false,
            },
        }
    });
    let value = |edge: usize| {
        host::evaluate(term, &mut |leaf| match leaf {
            Leaf::Symbol(symbol) => match columns.get(&symbol) {
                Some(at) => all.values[*at][edge],
                None => common.get(&symbol).copied().unwrap_or(f64::NAN),
            },
            _ => f64::NAN,
        })
    };
    let amounts = match columns.is_empty() {
        true if all.pre.is_empty() => Vec::new(),
        true => vec![value(0); all.pre.len()],
        false => (0..all.pre.len()).map(value).collect(),
    };
    (is_known && amounts.iter().all(|amount| amount.is_finite())).then_some(amounts)
}

/// The Poisson input of a source, for each of its targets.
pub(crate) fn poisson_input(built: &Built, source: &Source) -> Result<Vec<PoissonInput>, Lack> {
    let SourceKind::PoissonInput { targets, var, n, rate, weight } = &source.kind else { return Ok(Vec::new()) };
    let (Some(rate), Some(amount)) = (constant(rate), constant(weight)) else {
        return Err(format!("rates and weights of `poisson_input` that are no constants, which {} has", source.name));
    };
    let several = targets.len() > 1;
    let input = |(index, target): (usize, &spikelet::Endpoint)| {
        let size = built.network.population(&target.population).map_or(0, |of| of.size);
        PoissonInput {
            name: if several { format!("{}_{index}", source.name) } else { source.name.clone() },
            post: target.population.clone(),
            neurons: [target.start.unwrap_or(0), target.end.unwrap_or(size)],
            variable: var.clone(),
            rate: rate * 1000.0 * f64::from(*n),
            amount,
        }
    };
    Ok(targets.iter().enumerate().map(input).collect())
}
