use serde_json::{Value, json};

use super::*;
use crate::Quantity;

const AQUARIUM: &str = include_str!("../../../../tests/worlds/aquarium.json");

fn read(text: &str) -> (World, Vec<Notice>) {
    World::from_json(text).unwrap_or_else(|error| panic!("{error}"))
}

/// The sample with a value at a JSON pointer; without it if the value is null.
fn with(pointer: &str, value: Value) -> String {
    let mut sample: Value = serde_json::from_str(AQUARIUM).unwrap();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match sample.pointer_mut(parent).unwrap() {
        Value::Object(object) if value.is_null() => drop(object.shift_remove(key).unwrap()),
        Value::Object(object) => drop(object.insert(key.to_owned(), value)),
        list => list[key.parse::<usize>().unwrap()] = value,
    }
    sample.to_string()
}

#[test]
fn areas_are_populations_at_their_places() {
    let (world, _) = read(AQUARIUM);
    let network = world.network();
    network.validate().unwrap();
    assert_eq!(Network::from_json(&network.to_json()), Ok(network.clone()));
    let sizes: Vec<(&str, u32)> = network.populations.iter().map(|of| (of.name.as_str(), of.size)).collect();
    let lives = [("retina_life", 192), ("skin_life", 60), ("old_brain_life", 288)];
    let areas = [("retina", 192), ("skin", 60), ("old_brain", 288), ("sight", 48), ("touch", 20)];
    assert_eq!(sizes, [&areas[..], &lives].concat());
    let skin = network.population("skin").unwrap();
    let origin = vec![2.0, 1.0, 0.0, 1.0];
    let grid = crate::Positions::Grid { shape: vec![6, 5, 2, 1], spacing: 1.0.into(), tile: None, periodic: false, origin };
    assert_eq!(skin.positions, Some(grid));
    assert_eq!(skin.initial["tau_m"], Quantity::from("15 ms"));
    // Inhibitory neurons are drawn where there are any.
    assert!(skin.parameters.contains_key("inhibitory"));
    let old = network.population("old_brain").unwrap();
    assert!(!old.parameters.contains_key("inhibitory") && old.equations.as_ref().unwrap().contains("du/dt"));
    // An array that is as wide as its area enters neuron by neuron, a narrower one row by row.
    let of = |name: &str| network.projections.iter().find(|of| of.name == name).unwrap();
    assert_eq!(of("sight_to_retina").post.to_string(), "retina[0:48]");
    let condition = of("touch_to_skin").connect.as_ref().and_then(|rule| rule.condition());
    assert_eq!(condition, Some("i % 4 == j % 6 and i // 4 == j // 6"));
    assert_eq!(of("retina_to_skin").delay_ms.of("transmit"), &Quantity::Number(1.0));
}

#[test]
fn areas_out_of_reach_are_not_connected() {
    let (mut world, _) = read(AQUARIUM);
    let joined = |world: &World| {
        let network = world.network();
        network.projections.iter().filter(|of| of.name == "retina_to_old_brain").count()
    };
    assert_eq!(joined(&world), 1);
    // They are two steps apart along w.
    assert_eq!(world.areas[0].distance(&world.areas[2]), 2.0);
    world.synapses.rule = SynapseRule::Distance { p: 1.0, lambda: 0.5, cutoff: 1.9 };
    assert_eq!(joined(&world), 0);
}

#[test]
fn a_configuration_survives_its_network() {
    let mut samples = vec![AQUARIUM.to_owned()];
    samples.push(with("/cell_lifecycle/enable_death", json!(false)));
    samples.push(with("/cell_lifecycle/enable_reproduction", json!(false)));
    samples.push(with("/plasticity/rule", json!("stdp")));
    samples.push(with("/plasticity", json!({"rule": "none", "weight_min": 0, "weight_max": 70, "weight_decay": 0})));
    samples.push(with("/synapses", json!({"p": 0.03, "weight_mean": 12.5})));
    samples.push(with("/neuron_model", json!({"type": "Izhikevich", "inhibitory_fraction": 1})));
    for sample in samples {
        let network = read(&sample).0.network();
        let world = World::of(&network).unwrap_or_else(|lack| panic!("{lack}\n{sample}"));
        let exported = world.to_json();
        let (again, _) = read(&exported);
        assert_eq!(again, world, "{sample}");
        assert_eq!(again.network(), network, "{sample}");
        assert_eq!(World::of(&again.network()).map(|world| world.to_json()), Ok(exported));
    }
}

#[test]
fn what_is_no_world_is_said() {
    let network = || read(AQUARIUM).0.network();
    let lack = |change: fn(&mut Network)| {
        let mut network = network();
        change(&mut network);
        World::of(&network).unwrap_err()
    };
    type Change = fn(&mut Network);
    let cases: [(Change, &str); 7] = [
        (|of| of.dt_ms = 0.5, "the time step is 0.5 ms, and a configuration has steps of 1 ms"),
        (|of| of.populations.clear(), "no population is on a grid of four dimensions"),
        (|of| of.projections.clear(), "`retina` has no projection to itself"),
        (|of| of.populations[1].threshold = None, "a configuration cannot express `skin`, its equations or its values"),
        (
            |of| drop(of.populations[0].initial.insert("tau_m".into(), Quantity::expr("rand()*ms"))),
            "`retina` has no single number `tau_m`",
        ),
        (|of| drop(of.projections.pop()), "the network lacks `old_brain_to_old_brain`, which a configuration has"),
        (|of| of.projections.swap(0, 1), "lists areas, senses and projections in another order"),
    ];
    for (change, expected) in cases {
        let found = lack(change);
        assert!(found.contains(expected), "{found}");
    }
    let cuba = crate::catalogue::network("cuba", 1.0).unwrap();
    assert_eq!(World::of(&cuba), Err("the time step is 0.1 ms, and a configuration has steps of 1 ms".to_owned()));
}

#[test]
fn each_deviation_has_a_notice() {
    let (_, notices) = read(AQUARIUM);
    let found: Vec<&str> = notices.iter().map(|notice| notice.path.as_str()).collect();
    let expected = [
        "plasticity.metaplasticity",
        "areas[2].name",
        "areas[2].neuron_model.type",
        "areas[2].colour",
        "senses.touch.input_size",
        "senses.touch.w_index",
        "neuromodulation",
        "cell_lifecycle.enable_death",
        "plasticity.homeostatic",
        "neuron_model.inhibitory_fraction",
        "senses",
    ];
    assert_eq!(found, expected);
    let of = |text: &str, path: &str| {
        let (_, notices) = read(text);
        notices.iter().find(|notice| notice.path == path).map(ToString::to_string).unwrap_or_default()
    };
    assert!(of(&with("/synapses", Value::Null), "synapses").contains("all pairs with probability 0.01"));
    let weak = with("/plasticity/weight_max", json!(1));
    let weak = weak.replace("\"weight_mean\":55.0", "\"weight_mean\":0.1");
    assert!(of(&weak, "plasticity.weight_max").contains("only senses make neurons fire"));
    let mortal = with("/cell_lifecycle/enable_reproduction", json!(false));
    assert!(of(&mortal, "cell_lifecycle.enable_reproduction").contains("silent"));
}

#[test]
fn errors_name_place_value_and_way_out() {
    let cases = [
        (with("/lattice_shape", Value::Null), "lacks the key `lattice_shape`"),
        (
            with("/lattice_shape", json!([8, 6, 4])),
            "lattice_shape is [8,6,4], but a list of 4 whole numbers from 1 on is expected; for example [20, 20, 20, 20]",
        ),
        (with("/dimensions", json!(3)), "dimensions is 3, but a lattice has four dimensions"),
        (with("/plasticity", Value::Null), "lacks the key `plasticity`"),
        (with("/areas/1", json!([])), "areas[1] is [], but an object in braces is expected"),
        (
            with("/areas/1/coord_ranges/z", json!([0, 4])),
            "areas[1].coord_ranges.z is [0, 4], but the first and the last point are expected, from 0 to 3",
        ),
        (with("/areas/1/coord_ranges/z", json!([1, 0])), "areas[1].coord_ranges.z is [1, 0]"),
        (with("/areas/1/name", json!("retina")), "areas[1].name is \"retina\", but an area already has this name"),
        (with("/areas", json!([])), "areas is [], but a list of at least one area is expected"),
        (with("/senses/sight/areal", json!("retinal")), "senses.sight.areal: there is no area `retinal`; did you mean `retina`?"),
        (with("/neuron_model/type", json!("HH")), "neuron_model.type is \"HH\", but the types of neurons are"),
        (
            with("/neuron_model/params_default/tau_m", json!(0)),
            "neuron_model.params_default.tau_m is 0, but a number above 0 is expected; for example 20",
        ),
        (with("/neuron_model/params_default/v_reset", json!(-50)), "v_reset is -50, but it must be below v_threshold, -51"),
        (
            with("/neuron_model/inhibitory_fraction", json!(1.5)),
            "neuron_model.inhibitory_fraction is 1.5, but a number from 0 to 1",
        ),
        (with("/areas/2/neuron_type", json!("mixed")), "areas[2].neuron_type is \"mixed\", but an area is"),
        (with("/plasticity/rule", json!("oja")), "plasticity.rule is \"oja\", but the rules are"),
        (with("/plasticity/weight_min", json!(91)), "plasticity.weight_min is 91, but it must not exceed weight_max, 90"),
        (with("/synapses/weight_mean", json!(91)), "synapses.weight_mean is 91, but it must be between"),
        (with("/synapses/delay", json!(1.5)), "synapses.delay is 1.5, but a whole number of steps"),
        (with("/synapses/rule", json!("near")), "synapses.rule is \"near\", but the rules are"),
        (
            with("/cell_lifecycle/enable_death", json!("yes")),
            "cell_lifecycle.enable_death is \"yes\", but true or false is expected",
        ),
        (AQUARIUM.replace("[8, 6, 4, 4],", "[8, 6, 4, 4"), "the JSON is malformed"),
    ];
    for (text, expected) in cases {
        let error = World::from_json(&text).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}\n{expected}");
    }
}
