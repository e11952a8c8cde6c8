//! Networks that are written in another way: other names, another order of keys.

use serde_json::{Map, Value};
use spikelet::{Cpu, Error, Network};

use super::bits::base;
use super::{ComparisonResult, judge, of};
use crate::difference::{Closeness, Deviation, first};
use crate::run::{Pace, Seen, poll, run};

/// The network as JSON.
fn written(network: &Network) -> Value {
    serde_json::from_str(&network.to_json()).unwrap_or_default()
}

fn read(json: &Value) -> Result<Network, Error> {
    Network::from_json(&json.to_string())
}

fn run_of(variant: &str, network: &Network) -> Result<Seen, (String, Deviation)> {
    of(variant, of(variant, poll(run(network, Box::new(Cpu::new(1)), Pace::default())))?)
}

/// What the network writes, read again.
pub(super) fn json(network: &Network) -> ComparisonResult {
    let variant = "written and read";
    let again = of(variant, read(&written(network)))?;
    if again != *network {
        let texts = [network.to_json(), again.to_json()];
        return Err((variant.into(), Deviation::Text { name: "the network".into(), texts }));
    }
    judge(variant, first(network, [&base(network)?, &run_of(variant, &again)?], Closeness::Bits))
}

/// The keys of all objects in the opposite order, except where their order has a meaning.
fn turned(value: &Value, ordered: bool) -> Value {
    match value {
        Value::Array(list) => list.iter().map(|of| turned(of, false)).collect(),
        Value::Object(keys) => {
            let turn = |(key, of): (&String, &Value)| (key.clone(), turned(of, key == "arguments"));
            if ordered { keys.iter().map(turn).collect() } else { keys.iter().rev().map(turn).collect() }
        }
        other => other.clone(),
    }
}

/// The same network with its keys in another order.
pub(super) fn reordered(network: &Network) -> ComparisonResult {
    let variant = "keys in the opposite order";
    let other = of(variant, read(&turned(&written(network), false)))?;
    let (base, mut other) = (base(network)?, run_of(variant, &other)?);
    sort(&mut other, &base);
    judge(variant, first(network, [&base, &other], Closeness::Bits))
}

/// Brings values into the order of those of another run.
fn sort(seen: &mut Seen, like: &Seen) {
    let place = |path: &String| like.values.iter().position(|(known, _)| known == path);
    seen.values.sort_by_key(|(path, _)| place(path));
}

/// The same network with other names, in the opposite alphabetical order.
pub(super) fn renamed(network: &Network) -> ComparisonResult {
    let variant = "other names";
    let json = written(network);
    let lists = ["populations", "sources", "projections"].into_iter().filter_map(|key| json[key].as_array());
    let names = lists.flatten().filter_map(|of| of["name"].as_str());
    let new: Vec<(String, String)> = (0..).zip(names).map(|(k, name)| (name.to_owned(), format!("name{}", 99 - k))).collect();
    let other = of(variant, read(&with_names(&json, &new)))?;
    let (base, mut other) = (base(network)?, run_of(variant, &other)?);
    // Names are compared by their places.
    other.channels.clone_from(&base.channels);
    for ((known, _), (path, _)) in base.values.iter().zip(&mut other.values) {
        path.clone_from(known);
    }
    if let (Some(one), Some(two)) = (&base.end.1, &mut other.end.1)
        && one.starts_with('`') == two.starts_with('`')
    {
        two.clone_from(one);
    }
    judge(variant, first(network, [&base, &other], Closeness::Bits))
}

/// The network with other names of populations, sources and projections.
fn with_names(network: &Value, new: &[(String, String)]) -> Value {
    let named = |text: &str| {
        // `A`, `A[0:2]`, `A.low`, `A.v`
        let end = text.find(['.', '[']).unwrap_or(text.len());
        let found = new.iter().find(|(old, _)| *old == text[..end]);
        found.map_or(text.to_owned(), |(_, new)| format!("{new}{}", &text[end..]))
    };
    let condition = |text: &str| {
        let mut text = text.to_owned();
        for (old, new) in new {
            text = text.replace(&format!("({old})"), &format!("({new})")).replace(&format!("({old},"), &format!("({new},"));
        }
        text
    };
    fn walk(value: &Value, key: &str, named: &dyn Fn(&str) -> String, condition: &dyn Fn(&str) -> String) -> Value {
        match value {
            Value::String(text) if ["name", "pre", "post", "population", "object", "targets"].contains(&key) => {
                named(text).into()
            }
            Value::String(text) if key == "stop" => condition(text).into(),
            Value::Array(list) => list.iter().map(|of| walk(of, key, named, condition)).collect(),
            Value::Object(keys) if key == "set" => {
                Value::Object(keys.iter().map(|(path, of)| (named(path), of.clone())).collect::<Map<_, _>>())
            }
            // Names within equations stay.
            Value::Object(keys) => {
                let inner = |(key, of): (&String, &Value)| (key.clone(), walk(of, key, named, condition));
                Value::Object(keys.iter().map(inner).collect())
            }
            other => other.clone(),
        }
    }
    let mut changed = walk(network, "", &named, &condition);
    // Those of functions and of the network itself are others.
    for key in ["name", "functions"] {
        if let Some(of) = network.get(key) {
            changed[key] = of.clone();
        }
    }
    changed
}
