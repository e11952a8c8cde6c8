//! The synapses of a projection: which neurons they connect, and their weights and delays.

use spikelet_lang::model::Target;
use spikelet_lang::{Dimension, NeuronModel, SynapseText, check_synapse};
use spikelet_network::{Error, Network, Pathways, Projection};

use super::given::Given;
use super::recognised::Recognised;
use super::texts::sum_name;
use super::values;

/// Most elements of a matrix of weights.
pub(super) const MAX_WEIGHTS: usize = 1 << 26;

pub(super) fn lacking(path: &str, projection: &Projection, what: &str) -> Error {
    let value = format!("the projection `{}`", projection.name);
    let way_out = "use synapses without state that add a weight to the input of a cell";
    Error::invalid(path, value, format!("NIR lacks {what}"), way_out)
}

/// The synapses of a projection, one pair each.
///
/// # Errors
/// A rule other than `all` and `one_to_one`, or too many synapses.
pub(super) fn pairs(projection: &Projection, columns: usize, rows: usize, path: &str) -> Result<Vec<[u32; 2]>, Error> {
    if let Some(pairs) = &projection.pairs {
        if pairs.unread().is_some() {
            return Err(lacking(path, projection, "files of edges that were not read"));
        }
        return Ok(pairs.to_vec());
    }
    let (pre, post) = (projection.pre.range(columns as u32), projection.post.range(rows as u32));
    let is_capped =
        projection.max_indegree.is_some() || projection.max_outdegree.is_some() || projection.synapses_per_pair.is_some();
    match &projection.connect {
        Some(rule) if rule.name() == "one_to_one" && !is_capped => Ok(pre.zip(post).map(|(i, j)| [i, j]).collect()),
        Some(rule) if rule.name() == "all" && rule.condition().is_none() && rule.autapses() && !is_capped => {
            if pre.len().saturating_mul(post.len()) > MAX_WEIGHTS {
                return Err(lacking(path, projection, "matrices of that size"));
            }
            Ok(pre.flat_map(|i| post.clone().map(move |j| [i, j])).collect())
        }
        _ => Err(lacking(path, projection, "rules of connection; list its synapses as `pairs`")),
    }
}

/// What a projection connects: `pre` is missing for sources.
pub(super) struct Ends<'a> {
    pub(super) network: &'a Network,
    pub(super) pre: Option<&'a Recognised>,
    pub(super) post: &'a Recognised,
}

/// The weights of synapses without state, in inner units.
///
/// # Errors
/// They do anything else than to add a constant to the input of a cell.
pub(super) fn weights(projection: &Projection, ends: &Ends<'_>, count: usize, path: &str) -> Result<Vec<f64>, Error> {
    let has_more = projection.model.is_some()
        || projection.on_post.is_some()
        || projection.on_third.is_some()
        || projection.third.is_some()
        || projection.learned.is_some()
        || !projection.run_regularly.is_empty();
    if has_more {
        return Err(lacking(path, projection, "synapses that do more than to add a weight"));
    }
    let fires = ends.pre.and_then(|pre| pre.cell.as_ref()).is_none_or(|cell| cell.kind.fires());
    match (&projection.on_pre, &projection.equations) {
        (Some(pathways), _) if fires => {
            let text = pathways.single().ok_or_else(|| lacking(path, projection, "pathways with names"))?;
            of_events(projection, text, ends, count, path)
        }
        (None, Some(equations)) if !fires => of_potentials(projection, equations, ends.post, count, path),
        _ => Err(lacking(path, projection, "events of neurons that do not fire, and potentials of neurons that do")),
    }
}

/// The weights of synapses that add to the variable of their target at which its events arrive.
fn of_events(projection: &Projection, on_pre: &str, ends: &Ends<'_>, count: usize, path: &str) -> Result<Vec<f64>, Error> {
    let equations = projection.equations.clone().unwrap_or_default();
    let given = Given::of_projection(projection, count, ends.network.dt_ms, path);
    let constants = given.undeclared(&equations)?;
    let text = SynapseText {
        equations,
        on_pre: [(Pathways::SINGLE.to_owned(), on_pre.to_owned())].into_iter().collect(),
        functions: ends.network.own_functions()?,
        ..SynapseText::default()
    };
    let source = NeuronModel::default();
    let (pre, post) = (ends.pre.map_or(&source, |pre| &pre.model), &ends.post.model);
    let model = check_synapse(&text, (pre, post), &constants).map_err(|diagnostics| Error::model(path, diagnostics))?;
    let changed = |target: &Target| match *target {
        Target::Add(variable) if post.variables[variable].name == ends.post.port => None,
        Target::Add(variable) | Target::Post(variable) => Some(&post.variables[variable].name),
        Target::Own(_) => None,
    };
    if let Some(other) = model.statements().find_map(|statement| changed(&statement.target)) {
        let (target, port) = (&projection.post.population, &ends.post.port);
        let what = format!("such spikes onto `{other}` of `{target}`; they can add to `{port}`");
        return Err(lacking(path, projection, &what));
    }
    let statements: Vec<_> = model.statements().collect();
    let [statement] = statements[..] else {
        return Err(lacking(path, projection, "synapses with several statements"));
    };
    if !model.is_static() || !model.to_pre.is_empty() {
        return Err(lacking(path, projection, "synapses whose weights change"));
    }
    let weights = given.each(&statement.value, &model.variables, &model.constants)?;
    weights.ok_or_else(|| lacking(path, projection, "weights that depend on anything but given numbers"))
}

/// The weights of a sum of potentials, as an import writes it.
fn of_potentials(
    projection: &Projection,
    equations: &str,
    post: &Recognised,
    count: usize,
    path: &str,
) -> Result<Vec<f64>, Error> {
    let lines: Vec<&str> = equations.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_sum = |number: usize| lines[0] == format!("{}_post = w*v_pre : 1 (summed)", sum_name(number));
    let is_of_import = post.port == "x" && lines.len() == 2 && lines[1] == "w : 1 (constant)" && (1..=1000).any(is_sum);
    match projection.parameters.get("w").or(projection.initial.get("w")) {
        Some(weight) if is_of_import => values::inner(weight, count, Dimension::NONE, &format!("{path}.parameters.w")),
        _ => Err(lacking(path, projection, "synapses of potentials with other texts than those of an import")),
    }
}

/// Delays in seconds.
///
/// # Errors
/// They are no numbers.
pub(super) fn delays(projection: &Projection, count: usize, path: &str) -> Result<Vec<f64>, Error> {
    let path = format!("{path}.delay_ms");
    let ms = values::inner(projection.delay_ms.of("pre"), count, Dimension::TIME, &path)?;
    Ok(ms.into_iter().map(|ms| ms.max(0.0) / 1000.0).collect())
}
