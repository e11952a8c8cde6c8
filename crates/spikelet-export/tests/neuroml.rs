//! Networks as files of LEMS, read back: they have the same spikes.

use std::collections::HashMap;
use std::path::Path;

use spikelet::{Double, Network, Simulation, SourceKind};
use spikelet_export::{ExportedFile, Tool};
use spikelet_interchange::import::Imported;
use spikelet_interchange::neuroml;

/// The names, neurons and steps of the spikes of populations in f64.
fn spikes(network: &Network) -> Vec<(String, u32, u32)> {
    let simulation = Simulation::new(network, Box::new(Double::new()));
    let mut simulation = pollster::block_on(simulation).unwrap_or_else(|error| panic!("{error}"));
    let first: Vec<(String, u32, u32)> =
        simulation.plan().populations.iter().map(|of| (of.name.clone(), of.first, of.first + of.size)).collect();
    let steps = (network.duration_ms / network.dt_ms).round() as u32;
    let mut found = Vec::new();
    while simulation.step() < steps {
        let batch = 100.min(steps - simulation.step());
        let activity = pollster::block_on(simulation.advance(batch)).unwrap_or_else(|error| panic!("{error}"));
        for spike in activity.spikes {
            let of = first.iter().find(|(_, first, end)| (*first..*end).contains(&spike.neuron));
            if let Some((name, first, _)) = of {
                found.push((name.clone(), spike.neuron - first, spike.step));
            }
        }
    }
    // Sources are populations of the plan, too.
    found.retain(|(name, ..)| network.population(name).is_some());
    found.sort();
    found
}

fn read(file: &str) -> Network {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/export").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    Network::from_json(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn file(network: &Network) -> String {
    let export = Tool::NeuroMl.export(network).unwrap_or_else(|error| panic!("{error}"));
    let [ExportedFile { name, content: bytes, .. }] = &export.files[..] else { panic!("{} files", export.files.len()) };
    assert_eq!(name, "network.xml");
    String::from_utf8(bytes.clone()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn networks_that_are_read_back_have_the_same_spikes() {
    for name in ["events.json", "graded.json", "plastic.json"] {
        let network = read(name);
        let text = file(&network);
        let mut none = |path: &str| Err(format!("no file {path}"));
        let Imported { network: back, notices, .. } =
            neuroml::read("network.xml", text.as_bytes(), &mut none).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(notices.is_empty(), "{name}: {:?}", notices.iter().map(ToString::to_string).collect::<Vec<_>>());
        let (here, there) = (spikes(&network), spikes(&back));
        assert!(here.len() > 150, "{name}: {}", here.len());
        assert!(here == there, "{name}: {} spikes, and {} of what was read back", here.len(), there.len());
        let recorded: HashMap<&str, &str> = back.recordings.iter().map(|of| (of.object.as_str(), of.var.as_str())).collect();
        assert_eq!(recorded.get("E"), Some(&"v"), "{name}");
    }
}

/// What LEMS cannot say is an error that names it.
#[test]
fn what_is_not_written_is_named() {
    let network = |population: &str, projections: &str| {
        format!(
            r#"{{"format": 1, "name": "net", "dt_ms": 0.1, "duration_ms": 1, "populations": [{{"name": "E", "size": 2, {population}}}], "projections": [{projections}]}}"#
        )
    };
    let plain = r#""equations": "dv/dt = -v/(10*ms) : volt", "threshold": "v > 1*mV", "reset": "v = 0*mV", "method": "euler""#;
    let to = |inside: &str| format!(r#"{{"name": "EE", "pre": "E", "post": "E", "connect": {{"rule": "all"}}, {inside}}}"#);
    for (text, said) in [
        (network(r#""equations": "dv/dt = -v/(10*ms) + 1*mV*xi/sqrt(10*ms) : volt""#, ""), "white noise, which E has"),
        (network(r#""equations": "x : 1", "update": "x = x + 1""#, ""), "an `update`, which E has"),
        (network(r#""equations": "dv/dt = (i*mV - v)/(10*ms) : volt""#, ""), "the index of a neuron in equations, which E has"),
        (network(plain, &to(r#""on_pre": "v_post = 1*mV""#)), "spikes that do not only add to a variable, which EE has"),
        (
            network(
                plain,
                &to(
                    r#""equations": "w : volt\nx : volt (constant)", "on_pre": "w += x; v_post += w", "parameters": {"x": "1*mV*rand()"}, "initial": {"w": "1*mV*rand()"}"#,
                ),
            ),
            "synapses that differ in two values",
        ),
    ] {
        let network = Network::from_json(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let error = match Tool::NeuroMl.export(&network) {
            Ok(_) => panic!("{text}: it is written"),
            Err(error) => error.to_string(),
        };
        assert!(error.contains(said) && error.contains("NeuroML"), "{text}: {error}");
    }
}

/// A spike of a source belongs to the step that contains its time, also if it is nearer to the next one.
#[test]
fn spikes_of_sources_are_in_the_step_of_their_time() {
    let mut network = read("events.json");
    let source = network.sources.iter_mut().find_map(|source| match &mut source.kind {
        SourceKind::Spikes { spike_times_ms, .. } => Some((source.name.clone(), spike_times_ms)),
        _ => None,
    });
    let (name, times) = source.unwrap_or_else(|| panic!("a source of spikes"));
    *times = vec![(0, 12.3 * network.dt_ms), (0, 40.8 * network.dt_ms)];
    let text = file(&network);
    for step in [12, 40] {
        let time = format!("time=\"{}ms\"", (f64::from(step) + 0.5) * network.dt_ms);
        assert!(text.contains(&time), "{name}: {time}");
    }
}

/// What is left out is a notice and a comment.
#[test]
fn what_is_left_out_is_said() {
    let mut network = read("graded.json");
    network.recordings[0].reduce = Some(spikelet::Aggregate::Mean);
    let export = Tool::NeuroMl.export(&network).unwrap_or_else(|error| panic!("{error}"));
    assert!(export.notices.iter().any(|notice| notice.contains("the recording of E.v")), "{:?}", export.notices);
    let text = String::from_utf8_lossy(&export.files[0].content).into_owned();
    assert!(text.contains("<!-- Not written: the recording of E.v"), "{text}");
}
