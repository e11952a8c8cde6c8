use std::sync::Arc;

use spikelet::lang::functions::Function;
use spikelet::{Epoch, Network, Plan, Trial};
use spikelet_kernel::math;
use spikelet_tests::{devices, run};

type Expected = fn(f32, f32) -> f32;

/// What is written, and the plain function it stands for.
const FUNCTIONS: [(&str, Expected); 26] = [
    ("exp(x)", |x, _| math::exp(x)),
    ("expm1(x)", |x, _| math::expm1(x)),
    ("exprel(x)", |x, _| math::exprel(x)),
    ("sigmoid(x)", |x, _| math::sigmoid(x)),
    ("log(x)", |x, _| math::log(x)),
    ("log10(x)", |x, _| math::log10(x)),
    ("log1p(x)", |x, _| math::log1p(x)),
    ("sqrt(x)", |x, _| math::sqrt(x)),
    ("sin(x)", |x, _| math::sin(x)),
    ("cos(x)", |x, _| math::cos(x)),
    ("tan(x)", |x, _| math::tan(x)),
    ("arcsin(x)", |x, _| math::arcsin(x)),
    ("arccos(x)", |x, _| math::arccos(x)),
    ("arctan(x)", |x, _| math::arctan(x)),
    ("sinh(x)", |x, _| math::sinh(x)),
    ("cosh(x)", |x, _| math::cosh(x)),
    ("tanh(x)", |x, _| math::tanh(x)),
    ("x**z", math::power),
    ("x**0.5", |x, _| math::sqrt(x)),
    ("x**3", |x, _| x * (x * x)),
    ("1.7**x", |x, _| math::power(1.7, x)),
    ("clip(x, -3, z)", |x, z| if z < x.max(-3.0) { z } else { x.max(-3.0) }),
    ("sign(x) + floor(x) + ceil(x)", |x, _| math::sign(x) + x.floor() + x.ceil()),
    ("int(x) + abs(x)", |x, _| x.trunc() + x.abs()),
    ("exp(1e35*x)", |x, _| math::exp(1e35 * x)),
    ("arctan(1e35*x)", |x, _| math::arctan(1e35 * x)),
];

#[test]
fn no_function_is_missing() {
    let names = Function::written().map(Function::row).filter(|row| !row.is_random).map(|row| row.name);
    let words: Vec<&str> = FUNCTIONS.iter().flat_map(|(text, _)| text.split(|c: char| !c.is_alphanumeric())).collect();
    // `clip` is made of the other two.
    let missing: Vec<&str> = names.filter(|name| !["min", "max"].contains(name) && !words.contains(name)).collect();
    assert!(missing.is_empty(), "add {missing:?}");
}

/// Arguments x and z of neuron i of N.
const ARGUMENTS: [(&str, &str); 6] = [
    // All magnitudes, both signs.
    ("(1 - 2*(i % 2))*10**(-37.9 + 76.4*i/N)", "-5 + 10*((i*0.618033988) % 1)"),
    ("-1 + 2*i/N", "300*((i*0.618033988) % 1) - 150"),
    ("-100 + 200*i/N", "int(10*((i*0.618033988) % 1)) - 5"),
    ("-8 + 16*i/N", "2 + i % 3"),
    ("5990 + 20*i/N", "0.1*(i % 100)"),
    ("1 + 1e-3*(i/N - 0.5)", "1e5*((i*0.618033988) % 1)"),
];

/// Blocks on the CPU and kernels on software adapters give the bits of the plain functions.
#[test]
fn functions_are_the_same_everywhere() {
    let size = 20_000;
    let names = || (0..FUNCTIONS.len()).map(|k| format!("y{k}"));
    let equations: String = names().map(|name| format!("\\n{name} : 1")).collect();
    // Written, the arguments stay on the device: what never changes would be computed on the host.
    let update: String = names().zip(FUNCTIONS).map(|(name, (text, _))| format!("{name} = {text}\\n")).collect();
    let update = format!("x = x\\nz = z\\n{update}");
    let mut failures = Vec::new();
    for (x, z) in ARGUMENTS {
        let json = format!(
            r#"{{"name": "math", "dt_ms": 1, "duration_ms": 1, "populations": [{{"name": "n", "size": {size},
                "equations": "x : 1\nz : 1{equations}", "update": "{update}",
                "initial": {{"x": {{"expr": "{x}"}}, "z": {{"expr": "{z}"}}}}}}]}}"#
        );
        let network = Network::from_json(&json).unwrap();
        let plan = Arc::new(Plan::new(&network).unwrap());
        for (device_name, mut device) in devices() {
            // By the device alone: a simulation would end where a value is infinite.
            pollster::block_on(device.load(vec![Trial { number: 0, plan: plan.clone() }])).unwrap();
            pollster::block_on(device.advance(Epoch::new(0, 1))).unwrap();
            let mut read = |name: &str| -> Vec<f32> {
                let array = plan.array(&format!("n.{name}")).unwrap();
                let words = pollster::block_on(device.read(0, array)).unwrap();
                words.into_iter().map(f32::from_bits).collect()
            };
            let (xs, zs) = (read("x"), read("z"));
            for (name, (text, function)) in names().zip(FUNCTIONS) {
                let found = read(&name);
                let cases = xs.iter().zip(&zs).map(|(x, z)| (*x, *z, function(*x, *z))).zip(found);
                let wrong: Vec<_> = cases.filter(|((_, _, wanted), found)| wanted.to_bits() != found.to_bits()).collect();
                if let Some(((x, z, wanted), found)) = wrong.first() {
                    let count = wrong.len();
                    failures.push(format!(
                        "{text} for x = {x:e}, z = {z:e} on {device_name}: {found:e}, expected {wanted:e}; {count} of {size} wrong"
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Noise is a function of (seed, step, neuron, site, trial): the same on every device.
#[test]
fn noise_is_the_same_everywhere() {
    let json = r#"{"name": "noise", "dt_ms": 1, "duration_ms": 1, "seed": 12345678901234, "populations": [{"name": "n", "size": 1000,
        "equations": "x : 1\ny : 1\nz : 1\na : 1\nb : 1\nc : 1\nd : 1",
        "update": "x += randn()\ny = rand()\nz = rand() + randn() + rand() + randn()\na = poisson(0.05*i)\nb += poisson(7)\nc += binomial(20, 0.7)\nd += binomial(i, 0.001*i)"}]}"#;
    let network = Network::from_json(json).unwrap();
    let mut reference: Option<Vec<Vec<u32>>> = None;
    for (name, device) in devices() {
        let mut done = run(&network, device, 20.0, 7).unwrap();
        let found: Vec<Vec<u32>> = done.arrays().unwrap().into_iter().map(|(_, words)| words).collect();
        let x: Vec<f64> = found[0].iter().map(|word| f64::from(f32::from_bits(*word))).collect();
        let variance = x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64;
        assert!((variance - 20.0).abs() < 3.0, "the variance after 20 steps is {variance}");
        let mean = |array: usize| found[array].iter().map(|word| f64::from(f32::from_bits(*word))).sum::<f64>() / x.len() as f64;
        assert!((mean(4) - 140.0).abs() < 2.0, "the mean of 20 draws of poisson(7) is {}", mean(4));
        assert!((mean(5) - 280.0).abs() < 1.5, "the mean of 20 draws of binomial(20, 0.7) is {}", mean(5));
        let reference = reference.get_or_insert_with(|| found.clone());
        for (array, (found, reference)) in found.iter().zip(reference.iter()).enumerate() {
            let wrong = found.iter().zip(reference).filter(|(found, reference)| found != reference).count();
            assert_eq!(wrong, 0, "{wrong} of 1000 words of array {array} differ on {name}");
        }
    }
}
