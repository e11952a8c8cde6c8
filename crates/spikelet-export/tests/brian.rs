//! Networks as scripts for Brian 2: the lines that make it compute what Spikelet does. `crates/spikelet-py/tests/brian_exports.py` runs scripts there.

use serde_json::{Value, json};
use spikelet::Network;
use spikelet_export::{ExportError, Tool};

fn exported(network: &Value) -> Result<String, ExportError> {
    let network = Network::from_json(&network.to_string()).unwrap_or_else(|error| panic!("{error}"));
    let export = Tool::Brian2.export(&network)?;
    assert!(export.notices.is_empty(), "{:?}", export.notices);
    Ok(String::from_utf8(export.files[0].content.clone()).expect("a text"))
}

/// The script has all of these parts.
fn has(network: &Value, parts: &[&str]) {
    let script = exported(network).unwrap_or_else(|error| panic!("{error}"));
    for part in parts {
        assert!(script.contains(part), "{part}:\n{script}");
    }
}

fn network(populations: &Value, sources: &Value, projections: &Value) -> Value {
    json!({"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": populations, "sources": sources, "projections": projections})
}

fn cell(name: &str) -> Value {
    json!({"name": name, "size": 2, "equations": "dv/dt = -v/(10*ms) : volt", "threshold": "v > 1*mV", "reset": "v = 0*mV"})
}

#[test]
fn plain_numbers_have_inner_units() {
    let cells = json!([{"name": "a", "size": 2, "model": "lif", "parameters": {"I": 300, "tau": 20}}]);
    let sources = json!([
        {"name": "bg", "type": "poisson_input", "targets": ["a"], "var": "v", "N": 10, "rate": 0.02, "weight": 0.1},
        {"name": "ps", "type": "poisson", "size": 2, "rate": 0.02},
    ]);
    let joined = json!([{"pre": "ps", "post": "a", "connect": {"rule": "all"}, "on_pre": "v_post += w*u", "equations": "w : volt (constant)",
        "parameters": {"w": 1, "u": 2}}]);
    let parts = [
        "'tau': 20.0*ms",
        "'I': 300.0*pA",
        "PoissonInput(a, 'v', 10, 0.02*kHz, 0.1*mV)",
        "rates=0.02*kHz",
        "ps_a.w = 1.0*mV",
        "'u': 2.0",
    ];
    has(&network(&cells, &sources, &joined), &parts);
}

#[test]
fn names_that_python_has_are_others() {
    let cells = json!([{"name": "a", "size": 2, "equations": "input : 1\nopen : 1", "threshold": "open > 0.5 and input > id",
        "reset": "input = abs(open)", "parameters": {"open": {"expr": "i"}, "id": 2}}]);
    let joined = json!([{"name": "s", "pre": "a", "post": "a", "pairs": [[0, 1]], "on_pre": "input_post += hash", "parameters": {"hash": 1}}]);
    let mut of = network(&cells, &json!([]), &joined);
    of["recordings"] = json!([{"object": "a", "var": "input", "indices": [0, 1]}]);
    let parts = [
        "    n_input : 1\n    n_open : 1\n",
        "threshold=\"n_open > 0.5 and n_input > n_id\"",
        "reset=\"n_input = abs(n_open)\"",
        "'n_id': 2.0",
        "a.n_open = values['a.n_open']\n",
        "on_pre=\"n_input_post += n_hash\"",
        "s.n_hash = 1.0",
        "traces['a.input, 0'] = StateMonitor(a, 'n_input', record=[0, 1])",
    ];
    has(&of, &parts);
}

#[test]
fn steps_that_brian_lacks_are_written() {
    // Not linear in its own variable.
    let held = json!([{"name": "a", "size": 2, "equations": "dv/dt = (E - v)*B/tau : volt (unless refractory)\nB = 1/(1 + exp(-v/mV)) : 1",
        "method": "exponential_euler", "threshold": "v > 1*mV", "reset": "v = 0*mV", "refractory": "1 ms",
        "parameters": {"E": "2 mV", "tau": "10 ms"}}]);
    let parts = [
        "def step_of_a(equations, variables, method_options=None):",
        "    _rate_v = int(not_refractory)*((E - v)*B/tau)\n",
        "    _next_v = v + dt*exprel(dt*(((-(1))*B)/tau))*_rate_v\n",
        "method=step_of_a",
    ];
    has(&network(&held, &json!([]), &json!([])), &parts);
    // Rates that are equal by their values only.
    let equal = |tau: &str| {
        json!([{"name": "a", "size": 2, "equations": "dv/dt = (I - v)/(10*ms) : 1\ndI/dt = -I/tau : 1", "threshold": "v > 1", "reset": "v = 0",
            "parameters": {"tau": tau}}])
    };
    let parts = ["    _next_I = I + 0.0995016625083194", "_rate_I\n    v = _next_v\n", "method=step_of_a"];
    has(&network(&equal("10 ms"), &json!([]), &json!([])), &parts);
    has(&network(&equal("5 ms"), &json!([]), &json!([])), &["method=('exact', 'exponential_euler')"]);
    // Coupled equations that depend on the time, in neurons that differ.
    let driven = json!([{"name": "a", "size": 2, "equations": "dv/dt = (I + sin(t/ms) - v)/tau : 1\ndI/dt = -I/(5*ms) : 1",
        "threshold": "v > 1", "reset": "v = 0", "parameters": {"tau": {"expr": "(i + 1)*ms"}}}]);
    let parts = ["    step_v_v : 1 (constant)\n", "a.step_v_v = values['a.step_v_v']", "step_v_I*ms*_rate_I"];
    has(&network(&driven, &json!([]), &json!([])), &parts);
}

#[test]
fn the_order_of_a_step_is_the_same() {
    let joined = |name: &str, more: &Value| {
        let mut of = json!({"name": name, "pre": "a", "post": "b", "pairs": [[0, 1]], "equations": "ds/dt = (v_pre - s)/(5*ms) : volt (clock-driven)\nx : volt",
            "on_pre": "x = v_post", "on_post": "s = x"});
        of.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        of
    };
    let cells = json!([cell("a"), cell("b")]);
    let same = network(&cells, &json!([]), &json!([joined("p", &json!({})), joined("q", &json!({}))]));
    has(&same, &["p.state_updater.order = 2", "q.state_updater.order = 2"]);
    let script = exported(&same).unwrap_or_else(|error| panic!("{error}"));
    assert!(!script.contains(".pre.order"), "{script}");
    // By the file, not by names; a pathway with a smaller number comes first.
    let projections = json!([joined("q", &json!({})), joined("p", &json!({"order": {"post": -1}}))]);
    let parts = ["p.post.order = 0", "q.pre.order = 1", "p.pre.order = 2", "q.post.order = 3"];
    has(&network(&cells, &json!([]), &projections), &parts);
    // Statements at regular times, those of synapses after those of neurons, and then recordings.
    let mut a = cell("a");
    a["run_regularly"] = json!([{"statements": "v += 1*mV", "order": 1}, {"statements": "v = 2*v"}]);
    let mut of = network(
        &json!([a, cell("b")]),
        &json!([]),
        &json!([joined("p", &json!({"run_regularly": [{"statements": "x = v_pre"}]}))]),
    );
    of["recordings"] = json!([{"object": "a", "var": "v", "indices": [0, 1]}]);
    let parts = [
        "a.run_regularly(\"v += 1*mV\", order=1)",
        "a.run_regularly(\"v = 2*v\")",
        "p.run_regularly(\"x = v_pre\", order=2)",
        "StateMonitor(a, 'v', record=[0, 1], order=3)",
    ];
    has(&of, &parts);
    of["recordings"] = json!([{"object": "p", "var": "x", "indices": [0]}]);
    has(&of, &["StateMonitor(p, 'x', record=[0], order=3)"]);
    // A sum onto a part.
    let sums =
        json!([{"name": "g", "pre": "a", "post": "b[1:]", "pairs": [[0, 1]], "equations": "u_post = v_pre : volt (summed)"}]);
    let mut b = cell("b");
    b["equations"] = json!("dv/dt = (u - v)/(10*ms) : volt\nu : volt");
    has(&network(&json!([cell("a"), b]), &json!([]), &sums), &["g.summed_updaters['u_post'].order = -1"]);
}

#[test]
fn event_driven_equations_have_the_step_as_a_number() {
    let joined = json!([{"name": "p", "pre": "a", "post": "b", "pairs": [[0, 1]], "equations": "dx/dt = -x/dt : 1 (event-driven)\nw : 1",
        "on_pre": "x = 1", "on_post": "w += x"}]);
    has(&network(&json!([cell("a"), cell("b")]), &json!([]), &joined), &["dx/dt = -x/(0.1*ms) : 1 (event-driven)"]);
}

#[test]
fn delays_of_pathways_that_differ_are_written() {
    let joined = |delay: &str| {
        json!([{"name": "p", "pre": "a", "post": "b", "pairs": [[0, 1], [1, 0]], "equations": "w : 1", "on_pre": "w += 1", "on_post": "w -= 1",
            "delay_post_ms": {"post": {"expr": delay}}}])
    };
    let cells = json!([cell("a"), cell("b")]);
    has(&network(&cells, &json!([]), &joined("0.1*ms*(1 + i)")), &["p.post.delay = values['p.post.delay']*(ms)"]);
    has(&network(&cells, &json!([]), &joined("rand()*ms")), &["p.post.delay = values['p.post.delay']*(ms)"]);
    // A neuron would get assignments in another order.
    let mut assigned = joined("0.1*ms*(1 + i)");
    assigned[0]["on_post"] = json!("v_post = 0.5*v_post");
    let error = exported(&network(&cells, &json!([]), &assigned)).expect_err("an order").to_string();
    assigned[0]["on_post"] = json!("v_post = 2*mV");
    has(&network(&cells, &json!([]), &assigned), &["on_post=\"v_post = 2*mV\""]);
    assert!(
        error.contains("matters for `v`, to which the pathway `post` of p assigns") && error.contains("the same delay"),
        "{error}"
    );
}

#[test]
fn additions_that_later_pathways_do_not_read_are_refused() {
    let joined = |on_post: &str| json!([{"name": "p", "pre": "a", "post": "b", "pairs": [[0, 1]], "equations": "w : volt", "on_pre": "v_post += 1*mV", "on_post": on_post}]);
    let cells = json!([cell("a"), cell("b")]);
    let error = exported(&network(&cells, &json!([]), &joined("w = v_post"))).expect_err("an addition").to_string();
    assert!(
        error.contains("the pathway `pre` of p adds to `v` of b, and the pathway `post` of p reads it (rule 6.5)"),
        "{error}"
    );
    assert!(exported(&network(&cells, &json!([]), &joined("w = v_pre"))).is_ok());
    let driven = json!([{"name": "a", "size": 2, "model": "lif", "parameters": {"I": {"expr": "sin(t/(10*ms))*nA"}}}]);
    has(&network(&driven, &json!([]), &json!([])), &["    I = sin(t/(10*ms))*nA : amp\n"]);
}

#[test]
fn timed_arrays_are_written() {
    let timed = |rows: &Value| json!({"timed": rows, "dt": "1 ms", "unit": "nA"});
    let cells = json!([{"name": "a", "size": 2, "model": "lif", "parameters": {"I": timed(&json!([[1], [2]]))}},
        {"name": "b", "size": 2, "equations": "dv/dt = (V(t, i) - v)/(10*ms) : volt", "parameters": {"V": {"timed": [[1, 2], [3, 4]], "dt": "1 ms", "unit": "mV"}}}]);
    let parts = [
        "a_I_of_t = TimedArray(values['a.I']*(pA), dt=1.0*ms)\n",
        "    I = a_I_of_t(t) : amp\n",
        "b_V_of_t = TimedArray(values['b.V'].reshape(-1, 2)*(mV), dt=1.0*ms)\n",
        "namespace={'V': b_V_of_t}",
    ];
    has(&network(&cells, &json!([]), &json!([])), &parts);
}
