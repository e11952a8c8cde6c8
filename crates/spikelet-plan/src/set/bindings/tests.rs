use proptest::prelude::*;
use serde_json::json;
use spikelet_network::catalogue;

use super::*;
use crate::values::Values;

/// A path, with its value and unit, and a list of values where neurons differ in it.
type Settable = (String, f64, String, Option<Vec<f64>>);

/// All that is bound, with the value of each: those that differ between synapses have one that lies between them.
fn settable(plan: &Plan) -> Vec<Settable> {
    let paths = plan.bindings.table.iter().map(|(path, binding)| {
        let (_, name) = path.split_once('.').unwrap();
        let (dimension, values) = match binding.of {
            ParameterOwner::Population(index) => &plan.bindings.neurons[index].values.0[name],
            ParameterOwner::Projection(index) => &plan.bindings.synapses[index].values.0[name],
        };
        let value = match values {
            Values::Uniform(value) => *value,
            other => other.numbers().iter().sum::<f64>() / other.numbers().len().max(1) as f64,
        };
        let is_list = matches!(binding.of, ParameterOwner::Population(_)) && !values.is_uniform();
        (path.clone(), value, dimension.inner_unit(), is_list.then(|| values.numbers().to_vec()))
    });
    paths.collect()
}

/// Another value, as it is written: as a number with its unit, a list, or an expression.
fn another((_, value, unit, list): &Settable, by: f64, as_expression: bool) -> String {
    let other = |value: f64| if value == 0.0 { by - 0.57 } else { value * by };
    match list {
        Some(values) => {
            let values: Vec<f64> = values.iter().map(|value| other(*value)).collect();
            if unit == "1" { json!(values) } else { json!({"values": values, "unit": unit}) }.to_string()
        }
        None => {
            let (value, unit) = (other(*value), if unit == "1" { String::new() } else { format!("*({unit})") });
            if as_expression { json!({"expr": format!("({value}{unit})*exp(0)")}).to_string() } else { format!("{value}{unit}") }
        }
    }
}

/// Sets a value in both ways, which come to the same: the arrays that are not bound to it are as they were. Whether it was bound.
fn check(network: &mut Network, plan: &mut Arc<Plan>, path: &str, value: &str) -> bool {
    let mut changed = network.clone();
    if changed.set(path, value).is_err() {
        return false;
    }
    let (bound, anew) = (plan.bound(&changed, path, ScaleEffect::Kept), plan.revised(&changed, &[path]));
    let place = format!("{}: {path} = {value}", network.name);
    let anew = match anew {
        Ok(anew) => Arc::new(anew),
        Err(error) => {
            assert!(bound.is_none(), "{place}: bound, but {error}");
            return false;
        }
    };
    let is_bound = bound.is_some();
    if let Some(BoundPlan { plan: bound, arrays, .. }) = bound {
        for (index, (bound, anew)) in bound.populations.iter().zip(&anew.populations).enumerate() {
            assert!(bound == anew, "{place}: population {index}");
        }
        for (index, (bound, anew)) in bound.projections.iter().zip(&anew.projections).enumerate() {
            assert!(bound == anew, "{place}: projection {index}");
        }
        assert!(*bound == *anew, "{place}");
        for (array, entry) in plan.arrays().iter() {
            let may_differ = arrays.as_ref().is_none_or(|arrays| arrays.contains(&array));
            assert!(may_differ || !anew.differs(plan, entry), "{place}: {} is not bound", entry.path);
        }
        *plan = bound;
    } else {
        *plan = anew;
    }
    *network = changed;
    is_bound
}

/// All networks of the catalogue at their small sizes, and those that lie beside the tests, without changes of their own.
fn networks() -> Vec<Network> {
    let of_catalogue = catalogue::entries().iter().map(|entry| entry.network(entry.small).unwrap());
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/networks");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|extension| extension == "json")).collect();
    files.sort();
    let read = |file| Network::from_json(&std::fs::read_to_string(file).unwrap()).ok();
    let networks = of_catalogue.chain(files.into_iter().filter_map(read));
    networks.map(|network| Network { changes: Vec::new(), ..network }).collect()
}

/// One after the other, so that what is bound is so to plans that were bound themselves.
#[test]
fn what_is_bound_comes_to_what_is_built_anew_in_all_networks() {
    let (mut count, mut followed, mut paths) = (0, 0, Vec::new());
    for mut network in networks() {
        let Ok(plan) = Plan::new(&network) else { continue };
        let mut plan = Arc::new(plan);
        for (turn, settable) in settable(&plan).into_iter().enumerate() {
            count += 1;
            // Those that are built anew have nothing to be compared with.
            let path = &settable.0;
            if plan.binding(path).is_some_and(|binding| !binding.anew)
                && check(&mut network, &mut plan, path, &another(&settable, 1.07, turn % 3 == 2))
            {
                followed += 1;
            } else {
                paths.push(format!("{}: {path}", network.name));
            }
        }
    }
    assert!(count > 300 && followed > count * 4 / 5, "{followed} of {count} are followed, not {paths:?}");
}

/// A point of a sweep has the plan of a network that was written with its values.
#[test]
fn what_is_varied_as_it_is_bound_comes_to_what_is_built() {
    let (mut count, mut followed) = (0, 0);
    for network in networks() {
        let Ok(plan) = Plan::new(&network) else { continue };
        let all = settable(&plan);
        for pair in all.chunks(2) {
            let mut varied = network.clone();
            let is_set = pair.iter().all(|settable| varied.set(&settable.0, &another(settable, 1.05, false)).is_ok());
            let paths: Vec<&str> = pair.iter().map(|settable| settable.0.as_str()).collect();
            let bound = if is_set { plan.varied_as_bound(&varied, &paths) } else { None };
            count += 1;
            if let Some(bound) = bound {
                followed += 1;
                assert!(bound == Plan::new(&varied).unwrap(), "{}: {paths:?}", network.name);
            }
        }
    }
    assert!(count > 150 && followed > count / 2, "{followed} of {count} are followed");
}

/// Synapses that learn, cells whose constants stand in their initial values, in a clock and in what differs between neurons.
fn network() -> Network {
    let network = json!({
        "name": "n", "dt_ms": 0.1, "duration_ms": 100, "seed": 4,
        "populations": [{"name": "E", "size": 40,
                         "equations": "dv/dt = (I + c + a*sin(t/period) - v)/tau + b*u : 1\ndu/dt = -u/each : 1\nI : 1 (constant)\nc : 1",
                         "threshold": "v > 1", "reset": "v = low + more", "refractory": "rest",
                         "parameters": {"tau": "10 ms", "I": 1.6, "a": 0.1, "b": "0.3 kHz", "period": "7 ms", "low": 0, "more": "low/2", "rest": "1 ms",
                                        "each": {"expr": "(5 + rand())*ms"}},
                         "initial": {"v": {"expr": "low + rand()"}, "u": {"expr": "v/2"}, "c": 0.1}}],
        "sources": [{"name": "S", "type": "poisson", "size": 7, "rate": "20 Hz"}],
        "projections": [{"name": "EE", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.3}, "on_pre": "v_post += w",
                         "parameters": {"w": 0.02}, "delay_ms": 1, "storage": "stored"},
                        {"name": "learns", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.2},
                         "equations": "w : 1 (plastic)\ndpre/dt = -pre/taupre : 1 (event-driven)\ndpost/dt = -post/taupost : 1 (event-driven)",
                         "on_pre": "v_post += g*w\npre += up\nw = clip(w + post, 0, wmax)",
                         "on_post": "post -= down\nw = clip(w + pre, 0, wmax)",
                         "parameters": {"taupre": "20 ms", "taupost": "20 ms", "wmax": 1, "g": 0.05, "up": 0.01, "down": "1.2*up"},
                         "initial": {"w": {"expr": "rand()"}}, "delay_ms": 0.5}]
    });
    Network::from_json(&network.to_string()).unwrap()
}

#[test]
fn scalars_and_a_weight_for_all_synapses_are_followed() {
    let mut network = network();
    let mut plan = Arc::new(Plan::new(&network).unwrap());
    let list = json!({"values": (4..44).collect::<Vec<_>>(), "unit": "ms"}).to_string();
    let followed = [
        ("E.tau", "12 ms"),
        ("E.I", "1.5"),
        ("E.a", "0.2"),
        ("E.b", "0.2 kHz"),
        ("E.low", "0.1"),
        ("E.rest", "2 ms"),
        ("E.period", "9 ms"),
        ("EE.w", "0.019"),
        ("learns.taupre", "15 ms"),
        ("learns.up", "0.02"),
        ("learns.down", "0.01"),
        ("learns.w", "0.5"),
        ("learns.w", "0.7"),
        ("learns.plasticity", "0"),
        // Expressions, of other names too, lists, what other values follow from, rates, initial values, other scales.
        ("E.tau", "12*ms/2 + rest"),
        ("E.rest", "3 ms"),
        ("E.I", "{\"expr\": \"1.2 + 0.1\"}"),
        ("E.each", &list),
        ("E.each", "{\"expr\": \"(4 + rand())*ms\"}"),
        ("E.v", "{\"expr\": \"low + rand()/2\"}"),
        ("E.more", "0.03"),
        ("E.low", "0.02"),
        ("S.rate", "30 Hz"),
        ("learns.down", "0.5*up"),
        ("learns.up", "0.03"),
        ("learns.wmax", "3"),
        ("learns.wmax", "70"),
        ("EE.w", "40"),
        ("EE.w", "0.3"),
        ("learns.g", "0.5"),
    ];
    for (path, value) in followed {
        assert!(check(&mut network, &mut plan, path, value), "{path} is built anew");
    }
    // Refused: what was alike and would differ, and what is wrong.
    for (path, value) in [("E.I", "{\"expr\": \"rand()\"}"), ("E.tau", "-1 ms"), ("S.rate", "-1 Hz"), ("learns.wmax", "-1")] {
        assert!(!check(&mut network, &mut plan, path, value), "{path}");
    }
    let path = |path: &str| {
        plan.binding(path).unwrap().arrays.iter().map(|array| plan.arrays()[*array].path.clone()).collect::<Vec<_>>()
    };
    // What it feeds differs between neurons, by their `each`.
    assert!(!path("E.tau").is_empty() && path("E.tau").iter().all(|path| path.starts_with("E.__derived")));
    assert_eq!(path("learns.up"), ["learns, constants"]);
    assert_eq!(path("learns.w"), ["learns.w"]);
    assert_eq!(path("EE.w"), ["EE, weights 0"]);
    assert!(plan.binding("E.period").unwrap().clocks && plan.binding("E.low").unwrap().initial);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_values_in_any_order_come_to_the_same(sets in prop::collection::vec((any::<prop::sample::Index>(), -1.0..3.0), 1..6)) {
        let mut network = network();
        let mut plan = Arc::new(Plan::new(&network).unwrap());
        let all = settable(&plan);
        for (turn, (which, by)) in sets.into_iter().enumerate() {
            let settable = which.get(&all);
            check(&mut network, &mut plan, &settable.0, &another(settable, by, turn % 2 == 1));
        }
    }
}
