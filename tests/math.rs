use spikelet::lang::math;
use spikelet::{Network, Probe};
use spikelet_tests::{devices, run};

type Case = (&'static str, fn(f32) -> f32, f64, f64);

const CASES: [Case; 5] = [
    ("exp(x)", math::exp, -90.0, 90.0),
    ("log(x)", math::log, 1e-6, 50.0),
    ("sqrt(x)", math::sqrt, 0.0, 1e4),
    ("exprel(x)", math::exprel, -20.0, 20.0),
    ("sign(x) + floor(x) + ceil(x) + int(x) + abs(x)", |x| math::sign(x) + x.floor() + x.ceil() + x.trunc() + x.abs(), -5.0, 5.0),
];

/// Blocks on the CPU and kernels on software adapters give the bits of the plain functions.
#[test]
fn functions_are_the_same_everywhere() {
    let mut failures = Vec::new();
    for (text, function, low, high) in CASES {
        let size = 20_000;
        let json = format!(
            r#"{{"name": "math", "dt_ms": 1, "duration_ms": 1, "populations": [{{"name": "n", "size": {size},
                "equations": "x : 1 (constant)\ny : 1", "update": "y = {text}",
                "parameters": {{"x": {{"expr": "{low} + (i/N)*({high} - ({low}))"}}}}}}]}}"#
        );
        let network = Network::from_json(&json).unwrap();
        for (name, device) in devices() {
            let mut done = run(&network, device, 1.0, 1).unwrap();
            let plan = done.simulation.plan();
            let program = &plan.populations[0].program;
            let (x, y) = (program.variable("x").unwrap(), program.variable("y").unwrap());
            let mut read =
                |variable| pollster::block_on(done.simulation.read(Probe::Variable { population: 0, variable })).unwrap();
            let pairs = read(x).into_iter().zip(read(y)).map(|(x, y)| (f32::from_bits(x), f32::from_bits(y)));
            let wrong: Vec<(f32, f32)> = pairs.filter(|(x, y)| y.to_bits() != function(*x).to_bits()).collect();
            if let Some((x, y)) = wrong.first() {
                let expected = function(*x);
                failures
                    .push(format!("{text} of {x:e} on {name}: {y:e}, expected {expected:e}; {} of {size} wrong", wrong.len()));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Noise is a function of (seed, step, neuron, site, trial): the same on every device.
#[test]
fn noise_is_the_same_everywhere() {
    let json = r#"{"name": "noise", "dt_ms": 1, "duration_ms": 1, "seed": 12345678901234, "populations": [{"name": "n", "size": 1000,
        "equations": "x : 1\ny : 1\nz : 1", "update": "x += randn()\ny = rand()\nz = rand() + randn() + rand() + randn()"}]}"#;
    let network = Network::from_json(json).unwrap();
    let mut reference: Option<Vec<Vec<u32>>> = None;
    for (name, device) in devices() {
        let mut done = run(&network, device, 20.0, 7).unwrap();
        let found: Vec<Vec<u32>> = done.arrays().unwrap().into_iter().map(|(_, words)| words).collect();
        let x: Vec<f64> = found[0].iter().map(|word| f64::from(f32::from_bits(*word))).collect();
        let variance = x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64;
        assert!((variance - 20.0).abs() < 3.0, "the variance after 20 steps is {variance}");
        let reference = reference.get_or_insert_with(|| found.clone());
        for (array, (found, reference)) in found.iter().zip(reference.iter()).enumerate() {
            let wrong = found.iter().zip(reference).filter(|(found, reference)| found != reference).count();
            assert_eq!(wrong, 0, "{wrong} of 1000 words of array {array} differ on {name}");
        }
    }
}
