//! Networks that say the same in other words, in f64.

use serde_json::Value;
use spikelet::Network;

use super::precision::{confirmed, exact};
use super::{Agreement, ComparisonResult, of};
use crate::difference::{Closeness, first};

/// How far sums in another order are apart.
const ERROR: f64 = 1e-9;

/// Each way to write the network again.
type Rewrite = (&'static str, fn(&mut Value) -> bool);

const REWRITES: [Rewrite; 4] =
    [("synapses with a variable more", stateful), ("pathways with names", named), ("longer sums", sums), ("lists", lists)];

/// Equations in other words.
pub(super) fn rewritten(network: &Network) -> ComparisonResult {
    let json: Value = serde_json::from_str(&network.to_json()).unwrap_or_default();
    let base = exact(network)?;
    for (variant, rewrite) in REWRITES {
        let mut other = json.clone();
        if !rewrite(&mut other) {
            continue;
        }
        let other = of(variant, Network::from_json(&other.to_string()))?;
        let other = exact(&other).map_err(|(_, what)| (variant.to_owned(), what))?;
        let found = first(network, [&base, &other], Closeness::Within(ERROR));
        if confirmed(network, variant, &base, found)? == Agreement::Sensitive {
            return Ok(Agreement::Sensitive);
        }
    }
    Ok(Agreement::Same)
}

fn list<'a>(network: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    network.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Synapses without state get one, which nothing reads.
fn stateful(network: &mut Value) -> bool {
    let mut changed = false;
    for projection in list(network, "projections") {
        let equations = projection["equations"].as_str().unwrap_or_default().to_owned();
        let is_stateless = equations.is_empty() || equations == "w : 1 (constant)";
        let Some(text) = projection["on_pre"].as_str().map(str::to_owned).filter(|_| is_stateless) else { continue };
        projection["equations"] = format!("{equations}\nidle_state : 1").into();
        projection["on_pre"] = format!("{text}; idle_state = 1").into();
        projection
            .as_object_mut()
            .into_iter()
            .for_each(|keys| ["storage", "weights"].iter().for_each(|key| drop(keys.remove(*key))));
        changed = true;
    }
    changed
}

/// A pathway of one text becomes one with a name.
fn named(network: &mut Value) -> bool {
    let mut changed = false;
    for projection in list(network, "projections") {
        if projection["on_pre"].is_string() {
            let text = projection["on_pre"].take();
            projection["on_pre"] = serde_json::json!({"pre": text});
            changed = true;
        }
    }
    changed
}

/// `x += y` of neurons becomes `x = x + (y)`.
fn sums(network: &mut Value) -> bool {
    let mut changed = false;
    let mut rewrite = |text: &mut Value| {
        let Some(of) = text.as_str() else { return };
        let statement = |of: &str| match of.split_once("+=") {
            Some((target, value)) => format!("{} = {} + ({})", target.trim(), target.trim(), value.trim()),
            None => of.to_owned(),
        };
        let new = of.split(';').map(|of| statement(of.trim())).collect::<Vec<_>>().join("; ");
        changed |= new != of;
        *text = new.into();
    };
    for population in list(network, "populations") {
        if let Some(text) = population.get_mut("reset") {
            rewrite(text);
        }
        for regular in list(population, "run_regularly") {
            rewrite(&mut regular["statements"]);
        }
    }
    changed
}

/// A single value of a parameter becomes a list.
fn lists(network: &mut Value) -> bool {
    // What is a list cannot be set to a single value.
    let changes = network["changes"].to_string();
    let mut changed = false;
    for population in list(network, "populations") {
        let size = population["size"].as_u64().unwrap_or(1) as usize;
        let equations = population["equations"].as_str().unwrap_or_default().to_owned();
        let Some(parameters) = population.get_mut("parameters").and_then(Value::as_object_mut) else { continue };
        for (name, value) in parameters {
            let is_declared = equations.lines().any(|line| line.starts_with(&format!("{name} :")));
            if value.is_number() && is_declared && size > 1 && !changes.contains(&format!(".{name}\"")) {
                *value = vec![value.clone(); size].into();
                changed = true;
            }
        }
    }
    changed
}
