//! From a world to its configuration.

use serde_json::{Map, Value, json};

use super::build::parameters;
use super::{Area, LearningRule, NeuronModel, SynapseRule, World};

pub(super) fn json(world: &World) -> String {
    let plasticity = &world.plasticity;
    let mut learning = Map::new();
    let mut learn =
        |entries: &[(&str, Value)]| learning.extend(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    match plasticity.rule {
        LearningRule::None => learn(&[("rule", "none".into())]),
        LearningRule::Hebb { learning_rate } => learn(&[("rule", "hebb_like".into()), ("learning_rate", learning_rate.into())]),
        LearningRule::Stdp { a_plus, a_minus, tau_plus, tau_minus } => learn(&[
            ("rule", "stdp".into()),
            ("a_plus", a_plus.into()),
            ("a_minus", a_minus.into()),
            ("tau_plus", tau_plus.into()),
            ("tau_minus", tau_minus.into()),
        ]),
    }
    learn(&[
        ("weight_min", plasticity.weight_min.into()),
        ("weight_max", plasticity.weight_max.into()),
        ("weight_decay", plasticity.weight_decay.into()),
    ]);
    learn(&[match &plasticity.homeostasis {
        None => ("homeostatic", json!({"enabled": false})),
        Some(of) => {
            let keys = json!({"enabled": true, "target_rate": of.target_rate, "time_window": of.time_window, "scaling_rate": of.scaling_rate});
            ("homeostatic", keys)
        }
    }]);
    let lifecycle = match &world.lifecycle {
        None => json!({"enable_death": false}),
        Some(of) => json!({
            "enable_death": true,
            "enable_reproduction": of.reproduction,
            "max_age": of.max_age,
            "health_decay_per_step": of.health_decay_per_step,
            "mutation_std_params": of.mutation_std_params,
            "mutation_std_weights": of.mutation_std_weights,
        }),
    };
    let mut synapses = match world.synapses.rule {
        SynapseRule::Random { p } => json!({"rule": "random", "p": p}),
        SynapseRule::Distance { p, lambda, cutoff } => json!({"rule": "distance", "p": p, "lambda": lambda, "cutoff": cutoff}),
    };
    synapses["weight_mean"] = world.synapses.weight_mean.into();
    synapses["weight_std"] = world.synapses.weight_std.into();
    synapses["delay"] = world.synapses.delay.into();
    let senses = world.senses.iter().map(|sense| {
        let w = world.areas.iter().find(|area| area.name == sense.area).map_or(0, |area| area.start[3]);
        (sense.name.clone(), json!({"areal": sense.area, "w_index": w, "input_size": sense.size}))
    });
    let first = world.areas.first();
    let configuration = json!({
        "model_version": 1,
        "dimensions": 4,
        "lattice_shape": world.shape,
        "neuron_model": first.map_or(Value::Null, neuron_model),
        "cell_lifecycle": lifecycle,
        "plasticity": learning,
        "synapses": synapses,
        "senses": senses.collect::<Map<String, Value>>(),
        "areas": world.areas.iter().map(|area| self::area(world, area, first)).collect::<Vec<_>>(),
    });
    // All types can be represented in JSON.
    serde_json::to_string_pretty(&configuration).unwrap_or_default()
}

fn neuron_model(area: &Area) -> Value {
    let kind = match area.model {
        NeuronModel::Lif { .. } => "LIF",
        NeuronModel::Izhikevich { .. } => "Izhikevich",
    };
    let values = parameters(&area.model).into_iter().map(|(name, value, _)| (name.to_owned(), value.into()));
    let values: Map<String, Value> = values.collect();
    let mut model = json!({"type": kind, "params_default": values});
    if area.inhibitory_fraction > 0.0 {
        model["inhibitory_fraction"] = area.inhibitory_fraction.into();
    }
    model
}

/// An area, with its own neurons if they differ from those of the first one.
fn area(world: &World, area: &Area, first: Option<&Area>) -> Value {
    let range = |axis: usize| json!([area.start[axis], area.start[axis] + area.shape[axis] - 1]);
    let mut value = json!({"name": area.name});
    if let Some(sense) = world.senses.iter().find(|sense| sense.area == area.name) {
        value["sense"] = sense.name.clone().into();
    }
    value["coord_ranges"] = json!({"x": range(0), "y": range(1), "z": range(2), "w": range(3)});
    if let Some(first) = first
        && (first.model, first.inhibitory_fraction) != (area.model, area.inhibitory_fraction)
    {
        value["neuron_model"] = neuron_model(area);
        value["neuron_model"]["inhibitory_fraction"] = area.inhibitory_fraction.into();
    }
    value
}
