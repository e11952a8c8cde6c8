//! Edges as projections.

use indexmap::IndexMap;
use spikelet_network::{Delays, Endpoint, Error, Notice, Pathways, Projection};

use super::cells::{Nodes, Part, identifier, shared};
use super::model::Model;
use super::objects::Objects;

/// The delay of edges without one, NEST's, in ms.
const DELAY_MS: f64 = 1.0;
/// The weight of edges without one, NEST's.
const WEIGHT: f64 = 1.0;

/// The edges between two parts that act in the same way.
#[derive(Debug, Default)]
struct Group {
    pairs: Vec<[u32; 2]>,
    weights: Vec<f64>,
    delays: Vec<f64>,
}

/// The projections of a population of edges.
pub(super) fn projections(
    name: &str,
    objects: &Objects<'_>,
    nodes: &[Nodes<'_>],
    parts: &[Part],
    dt_ms: f64,
    notices: &mut Vec<Notice>,
) -> Result<Vec<Projection>, Error> {
    let wrong = |what: &str, value: String, expected: String| {
        let path = format!("{}: {}/{what}", objects.file, objects.root);
        Error::invalid(path, value, expected, "export the file again")
    };
    let end = |column: &str| -> Result<(Vec<i64>, &Nodes<'_>), Error> {
        let population = objects.population_of(column).ok_or_else(|| {
            wrong(column, "without the attribute node_population".into(), "it must name a population of nodes".into())
        })?;
        let known = || nodes.iter().map(|nodes| nodes.name.as_str()).collect::<Vec<_>>().join(", ");
        let found = nodes.iter().find(|nodes| nodes.name == population);
        let found = found.ok_or_else(|| wrong(column, format!("`{population}`"), format!("there are {}", known())))?;
        Ok((objects.column(column)?, found))
    };
    let ((sources, of_sources), (targets, of_targets)) = (end("source_node_id")?, end("target_node_id")?);
    let (weights, delays, counts) = (objects.numbers("syn_weight")?, objects.numbers("delay")?, objects.numbers("nsyns")?);
    for template in objects.texts("model_template")?.iter().flatten() {
        if !["static_synapse", "nest:static_synapse", "static"].contains(&template.as_str()) {
            let expected = "only `static_synapse` is known";
            return Err(wrong("model_template", format!("`{template}`"), expected.to_owned()));
        }
    }
    let without = |values: &[Option<f64>]| values.iter().filter(|value| value.is_none()).count();
    for (what, missing, default) in [("syn_weight", without(&weights), WEIGHT), ("delay", without(&delays), DELAY_MS)] {
        if missing > 0 {
            let unit = if what == "delay" { " ms" } else { "" };
            let sentence = format!("{missing} edges have no {what}: it is {default}{unit}, as in NEST");
            notices.push(Notice::new(name.to_owned(), sentence));
        }
    }
    if counts.iter().any(Option::is_some) {
        notices.push(Notice::new(
            name.to_owned(),
            "weights are multiplied by `nsyns`, the number of synapses of an edge".to_owned(),
        ));
    }
    let mut groups: IndexMap<(usize, usize, bool), Group> = IndexMap::new();
    for edge in 0..objects.count() {
        let place = |column: &str, ids: &[i64], nodes: &Nodes<'_>| {
            let missing =
                || wrong(column, ids[edge].to_string(), format!("an identifier of a node of {} is expected", nodes.name));
            nodes.place(ids[edge]).ok_or_else(missing)
        };
        let (from, i) = place("source_node_id", &sources, of_sources)?;
        let (to, j) = place("target_node_id", &targets, of_targets)?;
        let weight = weights[edge].unwrap_or(WEIGHT) * counts[edge].unwrap_or(1.0);
        let group = groups.entry((from, to, weight < 0.0)).or_default();
        let delay = delays[edge].unwrap_or(DELAY_MS);
        if parts[to].model.is_some_and(Model::is_of_nest) && delay < dt_ms * (1.0 - 1e-9) {
            let expected = format!("NEST has no shorter delay than a step of {dt_ms} ms");
            return Err(wrong("delay", format!("{delay} ms of the edge {edge}"), expected));
        }
        let is_early = parts[to].model.is_some_and(|model| model.update.is_some());
        let delay = if is_early { delay - dt_ms } else { delay };
        if delay < -1e-9 {
            let expected = format!("a delay of at least a step of {dt_ms} ms is expected");
            return Err(wrong("delay", format!("{} ms", delay + dt_ms), expected));
        }
        for neuron in parts[from].neurons(i) {
            group.pairs.push([neuron, j]);
            group.weights.push(weight);
            group.delays.push(delay.max(0.0));
        }
    }
    let unused = objects.unused()?;
    if !unused.is_empty() {
        notices.push(Notice::new(name.to_owned(), format!("not used of edges: {}", unused.join(", "))));
    }
    let kinds = groups.keys().map(|(from, to, _)| (*from, *to)).collect::<Vec<_>>();
    let is_divided = kinds.iter().any(|kind| *kind != kinds[0]);
    let made = groups.into_iter().map(|((from, to, is_inhibitory), group)| {
        let (pre, post) = (&parts[from], &parts[to]);
        let Some(model) = post.model else {
            let expected = "virtual nodes cannot be targets".to_owned();
            return Err(wrong("target_node_id", format!("in {}", post.name), expected));
        };
        let mut unique = identifier(name);
        if is_divided {
            unique += &format!("_{}_{}", pre.name, post.name);
        }
        if kinds.iter().filter(|kind| **kind == (from, to)).count() > 1 {
            unique += if is_inhibitory { "_in" } else { "_ex" };
        }
        let mut projection = Projection {
            name: unique,
            pre: Endpoint::whole(&pre.name),
            post: Endpoint::whole(&post.name),
            pairs: Some(group.pairs.into()),
            equations: Some(format!("weight : {} (constant)", model.weight)),
            on_pre: Some(Pathways::from(model.on_pre[usize::from(is_inhibitory)])),
            delay_ms: Delays::Same(shared(group.delays, "ms")),
            ..Projection::default()
        };
        projection.parameters.insert("weight".into(), shared(group.weights, model.weight));
        Ok(projection)
    });
    made.collect()
}
