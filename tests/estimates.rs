//! The expected memory of a network, before anything is drawn, beside what a plan of it takes.

use std::fmt::Write;

use spikelet::cost::ExpectedMemory;
use spikelet::{BuildOptions, Network, Plan, catalogue};
use spikelet_gpu::{gpu_estimate, gpu_plan};

/// Smaller networks differ by tables and by chance.
const SLACK: f64 = 64.0 * 1024.0;
/// The largest ratio of an estimate and what is estimated, in either direction: delays and values that depend on places are sampled.
const RATIO: f64 = 2.0;
/// Networks whose delays grow with distance: those of the sample are shorter.
const FAR: [&str; 1] = ["lattice4d"];
/// Synapses up to which a network is drawn here.
const DRAWN: f64 = 2e6;

fn networks() -> Vec<Network> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("networks");
    let mut networks = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("the file is text");
        networks.push(Network::from_json(&text).unwrap_or_else(|error| panic!("{}: {error}", entry.path().display())));
    }
    networks.extend(catalogue::entries().iter().filter_map(|entry| entry.network(entry.small).ok()));
    networks
}

fn differs(expected: u64, exact: u64) -> bool {
    let (expected, exact) = (expected as f64, exact as f64);
    (expected - exact).abs() > SLACK && (expected > RATIO * exact || exact > RATIO * expected)
}

#[test]
fn estimates_are_close_to_what_is_drawn() {
    let (mut wrong, mut compared) = (String::new(), 0);
    for network in networks() {
        let expected = ExpectedMemory::new(&network, BuildOptions::default());
        let expected = expected.unwrap_or_else(|error| panic!("{}: {error}", network.name));
        if expected.estimate.synapses() > DRAWN || FAR.contains(&network.name.as_str()) {
            continue;
        }
        compared += 1;
        let plan = Plan::new(&network).unwrap_or_else(|error| panic!("{}: {error}", network.name));
        let mut check = |what: &str, expected: u64, exact: u64| {
            if differs(expected, exact) {
                _ = writeln!(wrong, "{}: {what}: {expected} expected, {exact} exact", network.name);
            }
        };
        check("synapses", expected.estimate.synapses() as u64, plan.synapses());
        check("one trial", expected.bytes(), plan.memory().iter().map(|(_, bytes)| bytes).sum());
        check("ten trials", expected.bytes_of(10), plan.memory_of(10));
        let sampled = [expected.channels, expected.columns].map(|count| count as usize);
        assert_eq!(sampled, [plan.channels.len(), plan.sampling.columns.len()], "{}", network.name);
        assert_eq!(expected.samples_per_second(), plan.samples_per_second(), "{}", network.name);
        for ((name, expected), (_, exact)) in expected.memory().into_iter().zip(plan.memory()) {
            check(name, expected, exact);
        }
        let gpu = gpu_plan(&plan, u64::MAX).unwrap_or_else(|error| panic!("{}: {error}", network.name));
        let buffers = gpu_estimate(&expected, u64::MAX, 1).unwrap_or_else(|error| panic!("{}: {error}", network.name));
        check("GPU", buffers.iter().map(|(_, bytes)| bytes).sum(), gpu.bytes());
    }
    assert!(compared > 40, "{compared} networks were compared");
    assert!(wrong.is_empty(), "{wrong}");
}

/// Sizes alone matter: nothing of 10 000 million synapses is drawn to refuse them.
#[test]
fn what_cannot_be_kept_is_refused_before_it_is_drawn() {
    let network = |plastic: &str| {
        let json = format!(
            r#"{{"name": "all", "dt_ms": 0.1, "duration_ms": 1, "populations": [{{"name": "n", "size": 100000, "model": "lif_exp"}}],
                "projections": [{{"name": "nn", "pre": "n", "post": "n", "connect": {{"rule": "all"}}, {plastic}, "delay_ms": 1}}]}}"#
        );
        Network::from_json(&json).unwrap_or_else(|error| panic!("{error}"))
    };
    let options = BuildOptions { memory: Some(1 << 30), ..BuildOptions::default() };
    let plain = network(r#""on_pre": "ge_post += 0.1*mV""#);
    let expected = ExpectedMemory::new(&plain, options).expect("it becomes procedural");
    assert_eq!(expected.estimate.became_procedural, ["nn"]);
    assert!(expected.bytes() < 1 << 30 && expected.estimate.bytes_if_stored > 1 << 34);
    let plastic =
        network(r#""equations": "w : volt", "initial": {"w": "uniform(0*mV, 1*mV)"}, "on_pre": "ge_post += w\nw += 1*uV""#);
    let refused = spikelet::Builder::new(&plastic, options).err().expect("it does not fit");
    assert_eq!(refused.kind(), Some("out_of_memory"), "{refused}");
}
