use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::catalogue;
use crate::plan::values::Values;

/// A path, with its value and unit.
type Settable = (String, f64, String);

/// All that is bound, with the value of each: those that differ between synapses have one that lies between them.
fn settable(plan: &Plan) -> Vec<Settable> {
    let paths = plan.bindings.table.iter().map(|(path, binding)| {
        let (_, name) = path.split_once('.').unwrap();
        let (dimension, values) = match binding.of {
            Object::Population(index) => &plan.bindings.neurons[index].values.0[name],
            Object::Projection(index) => &plan.bindings.synapses[index].values.0[name],
        };
        let value = match values {
            Values::Uniform(value) => *value,
            other => other.numbers().iter().sum::<f64>() / other.numbers().len().max(1) as f64,
        };
        (path.clone(), value, dimension.inner_unit())
    });
    paths.collect()
}

/// Sets a value in both ways, which come to the same: the arrays that are not bound to it are as they were. Whether it was bound.
fn check(network: &mut Network, plan: &mut Arc<Plan>, path: &str, value: &str) -> bool {
    let mut changed = network.clone();
    if changed.set(path, value).is_err() {
        return false;
    }
    let (bound, anew) = (plan.bound(&changed, path), plan.revised(&changed, path));
    let place = format!("{}: {path} = {value}", network.name);
    let anew = match anew {
        Ok(anew) => Arc::new(anew),
        Err(error) => {
            assert!(bound.is_none(), "{place}: bound, but {error}");
            return false;
        }
    };
    let is_bound = bound.is_some();
    if let Some(Bound { plan: bound, arrays, .. }) = bound {
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

/// One after the other, so that what is bound is so to plans that were bound themselves.
#[test]
fn what_is_bound_comes_to_what_is_built_anew_in_all_of_the_catalogue() {
    let (mut count, mut followed) = (0, 0);
    for entry in catalogue::entries() {
        let mut network = entry.network(entry.small).unwrap();
        network.changes.clear();
        let mut plan = Arc::new(Plan::new(&network).unwrap());
        for (path, value, unit) in settable(&plan) {
            count += 1;
            // Those that are built anew have nothing to be compared with.
            if plan.binding(&path).is_some_and(|binding| !binding.anew) {
                let value = if value == 0.0 { 0.5 } else { 1.07 * value };
                let is_bound = check(&mut network, &mut plan, &path, format!("{value} {unit}").trim_end_matches(" 1"));
                followed += usize::from(is_bound);
            }
        }
    }
    assert!(count > 200 && followed > count / 2, "{followed} of {count} are followed");
}

/// Synapses that learn, cells whose constants stand in their initial values, in a clock and in what differs between neurons.
fn network() -> Network {
    let network = json!({
        "name": "n", "dt_ms": 0.1, "duration_ms": 100, "seed": 4,
        "populations": [{"name": "E", "size": 40,
                         "equations": "dv/dt = (I + a*sin(t/period) - v)/tau + b*u : 1\ndu/dt = -u/each : 1\nI : 1 (constant)",
                         "threshold": "v > 1", "reset": "v = low", "refractory": "rest",
                         "parameters": {"tau": "10 ms", "I": 1.6, "a": 0.1, "b": "0.3 kHz", "period": "7 ms", "low": 0, "rest": "1 ms",
                                        "each": {"expr": "(5 + rand())*ms"}},
                         "initial": {"v": {"expr": "low + rand()"}}}],
        "projections": [{"name": "EE", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.3}, "on_pre": "v_post += w",
                         "parameters": {"w": 0.02}, "delay_ms": 1, "storage": "stored"},
                        {"name": "learns", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.2},
                         "equations": "w : 1 (plastic)\ndpre/dt = -pre/taupre : 1 (event-driven)\ndpost/dt = -post/taupost : 1 (event-driven)",
                         "on_pre": "v_post += g*w\npre += up\nw = clip(w + post, 0, wmax)",
                         "on_post": "post -= down\nw = clip(w + pre, 0, wmax)",
                         "parameters": {"taupre": "20 ms", "taupost": "20 ms", "wmax": 1, "g": 0.05, "up": 0.01, "down": 0.012},
                         "initial": {"w": {"expr": "rand()"}}, "delay_ms": 0.5}]
    });
    Network::from_json(&network.to_string()).unwrap()
}

#[test]
fn scalars_and_a_weight_for_all_synapses_are_followed() {
    let mut network = network();
    let mut plan = Arc::new(Plan::new(&network).unwrap());
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
    ];
    for (path, value) in followed {
        assert!(check(&mut network, &mut plan, path, value), "{path} is built anew");
    }
    // Refused, or more than is bound: names in a value, what differs between neurons, the wiring's own.
    for (path, value) in
        [("E.tau", "rest"), ("E.I", "{\"expr\": \"rand()\"}"), ("E.tau", "-1 ms"), ("learns.wmax", "3"), ("EE.w", "40")]
    {
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
        for (which, by) in sets {
            let (path, value, unit) = which.get(&all);
            let value = if *value == 0.0 { by } else { by * value };
            check(&mut network, &mut plan, path, format!("{value} {unit}").trim_end_matches(" 1"));
        }
    }
}
