//! Functions of one's own: the same on every device as an expression, and what GPUs run instead in WGSL.

use serde_json::{Value, json};
use spikelet::{Cpu, Double, Error, Network, Simulation, Spike};
use spikelet_tests::{devices, gpu};

/// Cells with a current, conductances and weights that all call functions.
fn network(functions: &Value) -> Network {
    let network = json!({
        "name": "functions", "dt_ms": 0.1, "duration_ms": 200, "functions": functions,
        "populations": [{"name": "n", "size": 40,
            "equations": "dv/dt = (E_L - v + R*drive(I_0, gain))/(10*ms) : volt\ngain : 1 (constant)\ng : 1",
            "threshold": "v > -50*mV", "reset": "v = -65*mV; g = above(g - 0.5)", "refractory": "2*ms",
            "parameters": {"E_L": "-65 mV", "R": "100 Mohm", "I_0": "0.1 nA", "gain": "1 + i/N"}, "initial": {"v": "-65 mV"}}],
        "projections": [{"pre": "n", "post": "n", "connect": {"rule": "bernoulli", "p": 0.2}, "equations": "w : 1",
            "on_pre": "w = above(w - 0.01); g_post += w", "initial": {"w": 1}}],
        "recordings": [{"object": "n", "var": "v", "indices": "all"}, {"object": "n", "var": "g", "indices": "all"}]
    });
    Network::from_json(&network.to_string()).unwrap_or_else(|error| panic!("{error}"))
}

fn functions() -> Value {
    json!([
        {"name": "above", "arguments": {"x": "1"}, "unit": "1", "value": "max(x, 0)"},
        {"name": "drive", "arguments": {"I": "amp", "k": "1"}, "unit": "amp", "value": "I*(1 + above(k))"}
    ])
}

fn run(network: &Network, device: Box<dyn spikelet::Backend>) -> Result<(Vec<Spike>, Vec<f32>), Error> {
    pollster::block_on(async {
        let mut simulation = Simulation::new(network, device).await?;
        let batch = simulation.advance(2000).await?;
        Ok((batch.spikes, batch.samples))
    })
}

/// An expression is worked in where it is called: the same bits as without the function, everywhere.
#[test]
fn a_function_is_its_expression() {
    let called = network(&functions());
    let mut written = called.clone();
    written.functions.clear();
    let json = written.to_json().replace("drive(I_0, gain)", "(I_0*(1 + max(gain, 0)))");
    let json = json.replace("above(g - 0.5)", "max(g - 0.5, 0)").replace("above(w - 0.01)", "max(w - 0.01, 0)");
    let written = Network::from_json(&json).unwrap();
    let expected = run(&written, Box::new(Cpu::new(1))).unwrap();
    assert!(expected.0.len() > 100, "{} spikes", expected.0.len());
    for (name, device) in devices() {
        assert!(run(&called, device).unwrap() == expected, "{name}");
    }
}

/// In WGSL the same function has the same bits, and another one has not: it is what a GPU runs.
#[test]
fn a_gpu_runs_wgsl() {
    let Some(device) = gpu() else { return };
    let with = |wgsl: &str| {
        let mut functions = functions();
        functions[0]["wgsl"] = wgsl.into();
        network(&functions)
    };
    let expected = run(&network(&functions()), Box::new(Cpu::new(1))).unwrap();
    let same = with("let low = 0.0;\nreturn select(x, low, x < low);");
    assert!(run(&same, Box::new(device)).unwrap() == expected);
    assert!(run(&same, Box::new(Cpu::new(2))).unwrap() == expected, "the CPU runs the expression");
    let other = run(&with("return abs(x);"), Box::new(gpu().unwrap())).unwrap();
    assert!(other != expected);
}

#[test]
fn wgsl_alone_is_for_gpus() {
    let mut functions = functions();
    let function = functions[0].as_object_mut().unwrap();
    function.remove("value");
    function.insert("wgsl".into(), "return max(x, 0.0);".into());
    let network = network(&functions);
    for device in [Box::new(Cpu::new(1)) as Box<dyn spikelet::Backend>, Box::new(Double::new())] {
        let error = run(&network, device).unwrap_err().to_string();
        assert_eq!(
            error,
            "functions is `above`, but it is in WGSL alone, which only GPUs run; add its `value`, an expression of the arguments, or use a GPU"
        );
    }
    let Some(device) = gpu() else { return };
    assert!(!run(&network, Box::new(device)).unwrap().0.is_empty());
}

/// The device's words about WGSL come with the function.
#[test]
fn wrong_wgsl_is_found() {
    let Some(device) = gpu() else { return };
    let mut functions = functions();
    functions[0]["wgsl"] = "return x + y;".into();
    let error = run(&network(&functions), Box::new(device)).unwrap_err().to_string();
    assert!(error.starts_with("functions[0].wgsl is \"fn own_0(x: f32) -> f32 {"), "{error}");
    assert!(error.contains("`y`") || error.contains("'y'"), "{error}");
}

#[test]
fn mistakes_are_named() {
    let cases = [
        (
            json!([{"name": "exp", "arguments": {"x": "1"}, "unit": "1", "value": "x"}]),
            "functions[0].name",
            "`exp` is a function of the language",
        ),
        (json!([{"name": "f", "arguments": {"x": "1"}, "unit": "1"}]), "functions[0].value", "no value"),
        (json!([{"name": "f", "arguments": {"x": "volt"}, "unit": "1", "value": "x"}]), "functions[0].value", "`x` is"),
        (json!([{"name": "f", "arguments": {"x": "1"}, "unit": "1", "value": "f(x)"}]), "functions[0].value", "no function `f`"),
        (json!([{"name": "f", "arguments": {"x": "1"}, "unit": "1", "value": "x*t"}]), "functions[0].value", "no argument of it"),
        (json!([{"name": "f", "arguments": {"x": "vlt"}, "unit": "1", "value": "x"}]), "functions[0].arguments.x", "vlt"),
        (json!([{"name": "f", "arguments": {"x": "1"}, "unit": "1", "wgsl": "x"}]), "functions[0].wgsl", "returns nothing"),
        (json!([{"name": "f", "unit": "1", "wgsl": "return 1.0;"}]), "functions[0].wgsl", "0 arguments"),
    ];
    for (functions, path, words) in cases {
        let mut network = network(&json!([]));
        network.functions = serde_json::from_value(functions).unwrap();
        let error = spikelet::Plan::new(&network).map(|_| ()).unwrap_err();
        let found = error.diagnostics(None).remove(0);
        assert!(found.path.starts_with(path), "{path}: {found:?}");
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
}

/// The call: number and dimensions of arguments.
#[test]
fn calls_are_checked() {
    for (call, words) in [
        ("above(v)", "`above` takes a pure number"),
        ("above(1, 2)", "`above` takes 1 argument, found 2"),
        ("abowe(1)", "Did you mean `above`?"),
    ] {
        let mut network = network(&functions());
        network.populations[0].reset = Some(format!("v = -65*mV; g = {call}"));
        let error = spikelet::Plan::new(&network).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
}
