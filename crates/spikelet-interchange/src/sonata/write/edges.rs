//! Edges: projections whose synapses add a weight to what their cells have for spikes.

use spikelet_lang::End;
use spikelet_lang::library::{LibraryModel, library};
use spikelet_network::{Delays, Error, Network, Pairs, Projection, Quantity};

use super::nodes::{floats, whole};
use super::{Built, BuiltEdges, Files, each, is_shared, said, table};
use crate::hdf5::{Array, Attribute, Group};
use crate::sonata::model::Model;
use crate::sonata::recognise::{Cell, lines, statements};

/// Number of the first type.
const FIRST_TYPE: u64 = 1;

/// `edges.h5` and the table of types.
pub(super) fn files(network: &Network, cells: &[Cell], built: &mut dyn Built) -> Result<Files, Error> {
    let header = ["edge_type_id", "model_template", "syn_weight", "delay"].map(str::to_owned);
    let (mut rows, mut root) = (vec![header.to_vec()], crate::results::sonata_root());
    let edges = root.group("edges");
    for (index, projection) in network.projections.iter().enumerate() {
        let path = format!("projections[{index}]");
        check(&path, projection)?;
        let place = network.populations.iter().position(|of| of.name == projection.post.population);
        let Some((post, cell)) = place.and_then(|place| network.populations.get(place).zip(cells.get(place))) else {
            let expected = "edges end at nodes with a cell";
            return Err(Error::invalid(format!("{path}.post"), &projection.post, expected, "name a population"));
        };
        let sources = network.source(&projection.pre.population).map(spikelet_network::Source::size);
        let before = network.population(&projection.pre.population).map(|of| of.size).or(sources).unwrap_or(0);
        let kind = FIRST_TYPE + index as u64;
        let EdgeValues { pairs, weights, delays } = values(network, (&path, projection), cell.model, built)?;
        let group = edges.group(&projection.name);
        let count = pairs.len() as u64;
        for (end, name, of) in [(0, "source_node_id", &projection.pre), (1, "target_node_id", &projection.post)] {
            let ids = whole(pairs.iter().map(|pair| pair[end].into()));
            group.insert(name, ids.with_attribute("node_population", Attribute::Texts(vec![of.population.clone()])));
        }
        group.insert("edge_type_id", whole((0..count).map(|_| kind)));
        group.insert("edge_group_id", whole((0..count).map(|_| 0)));
        group.insert("edge_group_index", whole(0..count));
        let own = group.group("0");
        let mut row = vec![kind.to_string(), "static_synapse".to_owned()];
        for (name, values) in [("syn_weight", weights), ("delay", delays)] {
            match values.first() {
                Some(first) if is_shared(&values) => row.push(format!("{first:?}")),
                Some(_) => {
                    row.push("NULL".to_owned());
                    own.insert(name, floats(values));
                }
                None => row.push("NULL".to_owned()),
            }
        }
        rows.push(row);
        let indices = group.group("indices");
        for (end, name, size) in [(0, "source_to_target", before), (1, "target_to_source", post.size)] {
            add_index(indices.group(name), pairs.iter().map(|pair| pair[end]), size);
        }
    }
    Ok(vec![("edges.h5".to_owned(), root.to_bytes()?), ("edge_types.csv".to_owned(), table(&rows)?)])
}

/// Rejects synapses with more than a weight and a delay.
fn check(path: &str, of: &Projection) -> Result<(), Error> {
    let has = [
        ("third", of.third.is_some()),
        ("on_post", of.on_post.is_some()),
        ("run_regularly", !of.run_regularly.is_empty()),
        ("learned", of.learned.is_some()),
        ("equations", !lines(of.equations.as_deref().unwrap_or_default()).all(|line| is_declaration(&line))),
        ("model", of.model.as_deref().is_some_and(|name| !library(name).is_ok_and(is_static))),
    ];
    if let Some((key, _)) = has.iter().find(|(_, has)| *has) {
        let expected = "edges of SONATA are static synapses: their equations declare a constant weight, which spikes add";
        let way_out = "use such synapses, or write a script for Brian 2 (format `brian2`)";
        return Err(Error::invalid(format!("{path}.{key}"), "given", expected, way_out));
    }
    if of.pre.population.contains('.') {
        let (expected, way_out) = ("edges begin at spikes of nodes", "name a population");
        return Err(Error::invalid(format!("{path}.pre"), &of.pre, expected, way_out));
    }
    Ok(())
}

/// Whether synapses of a library have nothing that changes.
fn is_static(model: &LibraryModel) -> bool {
    model.on_post().is_none() && lines(model.equations()).all(|line| is_declaration(&line))
}

/// Whether a line, without spaces, only declares a value.
fn is_declaration(line: &str) -> bool {
    !line.contains('=') && (!line.contains('(') || line.ends_with("(constant)"))
}

/// The edges of a projection, with the weight and delay of each in NEST's units.
struct EdgeValues {
    pairs: Vec<[u32; 2]>,
    weights: Vec<f64>,
    delays: Vec<f64>,
}

fn values(network: &Network, (path, of): (&str, &Projection), model: &Model, built: &mut dyn Built) -> Result<EdgeValues, Error> {
    let effect = Effect::of(path, of, model)?;
    let delays = match &of.delay_ms {
        Delays::Same(delay) => said(&format!("{path}.delay_ms"), delay, "ms")?,
        Delays::Each(each) => {
            let delay = each.get("pre").or_else(|| each.values().next());
            delay.map_or(Ok(Some(vec![0.0])), |delay| said(&format!("{path}.delay_ms"), delay, "ms"))?
        }
    };
    let given = of.parameters.get(&effect.weight).or_else(|| of.initial.get(&effect.weight));
    let named = given.cloned().or_else(|| {
        let model = library(of.model.as_deref()?).ok()?;
        let preset = of.preset.as_ref().and_then(|preset| model.presets.get(preset)?.parameters.get(&effect.weight));
        let text = preset.or(model.parameters.get(&effect.weight).map(|of| &of.default))?;
        Some(text.as_str().into())
    });
    let quantity = named.unwrap_or_else(|| Quantity::from(effect.weight.as_str()));
    let at = format!("{path}.parameters.{}", effect.weight);
    let weights = said(&at, &quantity, model.weight)?;
    let is_listed = of.max_indegree.or(of.max_outdegree).is_none();
    let pairs = of.pairs.as_ref().filter(|pairs| is_listed && pairs.unread().is_none()).map(|pairs: &Pairs| pairs.to_vec());
    let (pairs, weights, delays) = match (pairs, weights, delays) {
        (Some(pairs), Some(weights), Some(delays)) => (pairs, weights, delays),
        (_, weights, delays) => {
            let BuiltEdges { pairs, delays_ms, values } = built.synapses(&of.name)?;
            let drawn = values.into_iter().find(|(name, _)| *name == effect.weight).map(|(_, values)| values);
            let drawn = drawn.map(|values| said(&at, &Quantity::Values { values, unit: None }, model.weight)).transpose()?;
            // One value for all is exact as it is written; no edges have no values.
            let single = |values: Option<Vec<f64>>| values.filter(|values| values.len() == 1 || pairs.is_empty());
            let weights = single(weights).or(drawn.flatten()).ok_or_else(|| {
                let expected = format!("the weight in {} of each synapse is expected", model.weight);
                Error::invalid(&at, &quantity, expected, "make it a parameter of the synapses")
            })?;
            let drawn = Some(delays_ms).filter(|delays| delays.len() == pairs.len());
            let delays = single(delays).or(drawn).ok_or_else(|| {
                let expected = "a delay that is drawn is expected to be that of the only pathway";
                Error::invalid(format!("{path}.delay_ms"), "of a named pathway", expected, "write it without the name")
            })?;
            (pairs, weights, delays)
        }
    };
    let count = pairs.len();
    let weights: Vec<f64> = each(&at, weights, count)?.into_iter().map(|weight| effect.sign * weight).collect();
    if let (Some(is_inhibitory), Some(weight)) =
        (effect.is_inhibitory, weights.iter().find(|weight| effect.is_inhibitory == Some(**weight > 0.0) && **weight != 0.0))
    {
        let (what, sign) = if is_inhibitory { ("inhibitory", "negative") } else { ("excitatory", "positive") };
        let expected = format!("{} has {what} input from {sign} weights", model.name);
        return Err(Error::invalid(at, format_args!("{weight} {}", model.weight), expected, "divide the projection by the sign"));
    }
    // Spikes that are collected a step before act at the end of the delay.
    let early = if model.update.is_some() { network.dt_ms } else { 0.0 };
    let delays: Vec<f64> = each(&format!("{path}.delay_ms"), delays, count)?.into_iter().map(|delay| delay + early).collect();
    if let Some(delay) = delays.iter().find(|delay| **delay < network.dt_ms * (1.0 - 1e-9)) {
        let expected = format!("a delay of at least a step of {} ms is expected, as in NEST", network.dt_ms);
        return Err(Error::invalid(format!("{path}.delay_ms"), format_args!("{delay} ms"), expected, "make it longer"));
    }
    Ok(EdgeValues { pairs, weights, delays })
}

/// What a spike does.
struct Effect {
    /// A parameter of the synapses, or a value.
    weight: String,
    /// With which it becomes the weight of NEST.
    sign: f64,
    /// Which of the two inputs it is; `None` if the cell has one for both.
    is_inhibitory: Option<bool>,
}

impl Effect {
    fn of(path: &str, of: &Projection, model: &Model) -> Result<Effect, Error> {
        let own: Vec<(&str, &str)> = of.pathways(End::Pre).collect();
        let of_library = of.model.as_deref().and_then(|name| library(name).ok());
        let text = match &own[..] {
            [(_, only)] => *only,
            [] => of_library.as_ref().and_then(|model| model.on_pre()).unwrap_or_default(),
            _ => "",
        };
        let wrong = || {
            let texts = model.on_pre;
            let texts = if texts[0] == texts[1] { texts[0].to_owned() } else { texts.join("` or `") };
            let expected = format!("spikes act on {} by `{texts}`", model.name);
            let given = if own.len() > 1 { format!("{} pathways", own.len()) } else { format!("`{text}`") };
            Error::invalid(format!("{path}.on_pre"), given, expected, "write it in this way, with a parameter for the weight")
        };
        let [statement] = &statements(text)[..] else { return Err(wrong()) };
        let found = model.on_pre.iter().enumerate().find_map(|(index, usual)| {
            let (variable, usual_sign, _) = parts(usual)?;
            let (own, sign, weight) = parts(statement)?;
            (own == variable).then(|| (index, if sign == usual_sign { 1.0 } else { -1.0 }, weight))
        });
        let (index, sign, weight) = found.ok_or_else(wrong)?;
        let is_inhibitory = (model.on_pre[0] != model.on_pre[1]).then_some(index == 1);
        Ok(Effect { weight, sign, is_inhibitory })
    }
}

/// The variable, the sign and the weight of a statement that adds or subtracts.
fn parts(statement: &str) -> Option<(String, char, String)> {
    let statement: String = statement.split_whitespace().collect();
    let (left, weight) = statement.split_once('=')?;
    let sign = left.chars().next_back().filter(|sign| matches!(sign, '+' | '-'))?;
    Some((left[..left.len() - 1].to_owned(), sign, weight.to_owned()))
}

/// The edges of each node: ranges in a list of ranges of edges.
fn add_index(group: &mut Group, ends: impl Iterator<Item = u32>, nodes: u32) {
    let mut runs: Vec<[u64; 3]> = Vec::new();
    for (edge, node) in ends.enumerate() {
        match runs.last_mut() {
            Some([of, _, end]) if *of == u64::from(node) => *end += 1,
            _ => runs.push([node.into(), edge as u64, edge as u64 + 1]),
        }
    }
    runs.sort_unstable();
    let mut ranges = Vec::with_capacity(2 * nodes as usize);
    let mut at = 0;
    for node in 0..u64::from(nodes) {
        let start = at;
        at += runs[at..].iter().take_while(|[of, ..]| *of == node).count();
        // Readers take a range without an extent for a node without edges.
        ranges.extend([start as u64, at as u64]);
    }
    group.insert("node_id_to_ranges", pairs(ranges));
    group.insert("range_to_edge_id", pairs(runs.into_iter().flat_map(|[_, start, end]| [start, end]).collect()));
}

fn pairs(values: Vec<u64>) -> Array {
    Array::new(vec![values.len() / 2, 2], crate::hdf5::Values::U64(values))
}
