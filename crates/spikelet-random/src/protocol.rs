//! What happens during a random run, and what is seen of it: changes, conditions that end it, recordings, statistics.

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::expression::{NUMBERS, choice};
use super::setting::{Objects, Setting, ValueForm};

/// The protocol of a run.
#[derive(Debug, Clone)]
pub(super) struct Protocol {
    changes: Vec<ChangeSpec>,
    stop: Option<(usize, usize)>,
    recordings: Vec<RecordingSpec>,
    statistics: Option<(usize, Option<u32>)>,
}

/// Values that change at a step.
#[derive(Debug, Clone)]
struct ChangeSpec {
    step: u32,
    /// Paths and values.
    set: Vec<(usize, usize)>,
}

#[derive(Debug, Clone)]
struct RecordingSpec {
    of: usize,
    /// All, the first one, or a slice.
    indices: usize,
    every: Option<u32>,
    reduce: Option<bool>,
}

/// Protocols; they shrink to a run without changes of which nothing is recorded.
pub(super) fn protocols() -> BoxedStrategy<Protocol> {
    let change = (0..60_u32, vec((choice(), choice()), 1..4)).prop_map(|(step, set)| ChangeSpec { step, set });
    let recording = (choice(), choice(), weighted(0.4, 1..7_u32), weighted(0.2, any::<bool>()))
        .prop_map(|(of, indices, every, reduce)| RecordingSpec { of, indices, every, reduce });
    let changes = prop_oneof![2 => vec(change.clone(), 0..1), 1 => vec(change, 1..4)];
    let statistics = weighted(0.2, (choice(), weighted(0.5, 1..9_u32)));
    (changes, weighted(0.1, (choice(), choice())), vec(recording, 0..4), statistics)
        .prop_map(|(changes, stop, recordings, statistics)| Protocol { changes, stop, recordings, statistics })
        .boxed()
}

/// Adds the keys of the protocol to a network.
pub(super) fn protocol(spec: &Protocol, setting: &Setting, objects: &Objects, network: &mut Value) {
    // Also multiples of what values are at the start, so that weights change together with the unit of their sums.
    let number = |at: usize| NUMBERS[at % NUMBERS.len()] * [1.0, 4.0, 0.25][at / NUMBERS.len() % 3];
    let mut lists = Map::new();
    let set = |(path, at): &(usize, usize)| {
        let (path, form) = &objects.settable[path % objects.settable.len()];
        // The input stays of the size that makes neurons fire.
        let least = if path.ends_with(".I") { 0.9 } else { 0.0 };
        let value = match form {
            ValueForm::Switch => json!(at % 2),
            ValueForm::Number => json!(least + number(*at)),
            ValueForm::Numbers(size) => (0..*size as usize).map(|k| least + number(at + k)).collect(),
            ValueForm::Time => format!("{} ms", 0.9 + number(*at)).into(),
            ValueForm::Times(size) => (0..*size as usize).map(|k| format!("{} ms", 0.9 + number(at + k))).collect(),
            ValueForm::Pairs => json!({"expr": format!("{}*(1 - 0.07*i + 0.13*j)", number(*at))}),
        };
        (path.clone(), value)
    };
    let changes = spec.changes.iter().filter(|_| !objects.settable.is_empty()).map(|change| {
        let values: Map<String, Value> = change.set.iter().map(set).collect();
        json!({"at_ms": setting.ms(change.step % setting.steps), "set": values})
    });
    lists.insert("changes".into(), changes.collect());
    let stop = spec.stop.iter().map(|(at, limit)| {
        let of = &objects.firing[at % objects.firing.len()];
        let limit = 1 + limit % 9;
        match at % 3 {
            0 => format!("spikes > {limit}"),
            1 => format!("spikes({of}) >= {limit}"),
            _ => format!("rate({of}, {} ms) > {} Hz", setting.ms(5), 171 * limit),
        }
    });
    lists.insert("stop".into(), stop.collect());
    let recorded = |of: &RecordingSpec| {
        let count = objects.of_neurons.len() + objects.of_synapses.len();
        let mut keys = Map::new();
        let size = match objects.of_neurons.get(of.of % count) {
            Some((object, variable, size)) => {
                keys.insert("object".into(), object.clone().into());
                keys.insert("var".into(), variable.clone().into());
                if let Some(mean) = of.reduce {
                    keys.insert("reduce".into(), if mean { "mean" } else { "sum" }.into());
                }
                Some(*size)
            }
            None => {
                let (object, variable, pairs) = &objects.of_synapses[of.of % count - objects.of_neurons.len()];
                keys.insert("object".into(), object.clone().into());
                keys.insert("var".into(), variable.clone().into());
                pairs.map(|pairs| pairs as u32)
            }
        };
        let indices = match size {
            Some(_) if of.indices % 4 == 1 => json!([0]),
            Some(size) if of.indices % 4 == 2 => json!(format!("{}:{size}", size / 2)),
            Some(size) if of.indices % 4 == 3 => json!([size - 1, 0]),
            _ => json!("all"),
        };
        keys.insert("indices".into(), indices);
        of.every.into_iter().for_each(|every| drop(keys.insert("every_ms".into(), setting.ms(every).into())));
        Value::Object(keys)
    };
    lists.insert("recordings".into(), spec.recordings.iter().map(recorded).collect());
    let statistics = spec.statistics.iter().filter(|_| !objects.of_synapses.is_empty()).map(|(at, every)| {
        let (object, variable, _) = &objects.of_synapses[at % objects.of_synapses.len()];
        let every = every.unwrap_or(10);
        let mut keys = json!({"object": object, "var": variable, "every_ms": setting.ms(every)});
        if at % 2 == 0 {
            keys["range"] = json!([-0.31, 1.37]);
            keys["bins"] = json!(5);
        }
        keys
    });
    lists.insert("statistics".into(), statistics.collect());
    for (key, list) in lists {
        if list.as_array().is_some_and(|list| !list.is_empty()) {
            network[key.as_str()] = list;
        }
    }
}
