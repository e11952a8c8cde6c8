//! Networks of trainings as graphs, and back.

use spikelet::{Cpu, Network, SourceKind};
use spikelet_interchange::nir::{Graph, Import, Reset};
use spikelet_tests::run;
use spikelet_train::{PRESETS, TrainingPlan};

use super::random;

/// The time step in ms: so short that forward Euler is near the exact solution.
const SHORT: f64 = 0.005;
/// How long all of them run, in ms.
const TIME: f64 = 60.0;
/// The most that a spike may shift, in ms: time constants differ by half a step, and spikes of later layers depend on several.
const SHIFT: f64 = 0.1;

/// The networks of all presets and methods, with the values of a training, by their names.
fn networks() -> Vec<(&'static str, Network)> {
    let of = |preset: &'static spikelet_train::Preset| {
        preset.methods().map(move |method| {
            let plan = TrainingPlan::new(&preset.training(Some(method)).unwrap()).unwrap();
            (preset.name, plan.network_with(&plan.parameters.values).unwrap())
        })
    };
    PRESETS.iter().flat_map(of).collect()
}

/// Spikes of the neurons, not of sources, by neuron and time in ms.
fn times(network: &Network) -> Vec<(u32, f64)> {
    let neurons: u32 = network.populations.iter().map(|of| of.size).sum();
    let run = run(network, Box::new(Cpu::new(2)), TIME, 1000).unwrap_or_else(|error| panic!("{error}"));
    let own = run.spikes.iter().filter(|spike| spike.neuron < neurons);
    let mut times: Vec<(u32, f64)> = own.map(|spike| (spike.neuron, f64::from(spike.step) * network.dt_ms)).collect();
    times.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    times
}

#[test]
fn presets_of_trainings_are_graphs_with_the_same_spikes() {
    let mut draw = random(11);
    for (name, mut network) in networks() {
        network.dt_ms = SHORT;
        let [source] = &mut network.sources[..] else { panic!("{name}: one source") };
        let SourceKind::Spikes { size, spike_times_ms } = &mut source.kind else { panic!("{name}: spikes") };
        *spike_times_ms = (0..*size * 2).map(|k| (k % *size, (draw() * 0.7 * TIME / SHORT).floor() * SHORT)).collect();
        let input = spike_times_ms.clone();
        let (graph, reset) = match Graph::of(&network) {
            Ok((graph, notices)) => {
                let subtracts = notices.iter().any(|notice| notice.to_string().contains("the reset `subtract`"));
                (graph, if subtracts { Reset::Subtract } else { Reset::ToValue })
            }
            // Their threshold adapts, and they are refractory.
            Err(error) => {
                assert!(["evidence", "delayed-match"].contains(&name), "{name}: {error}");
                assert!(error.to_string().contains("NIR lacks refractory times"), "{name}: {error}");
                continue;
            }
        };
        let graph = Graph::from_bytes(graph.to_bytes(true).unwrap()).unwrap();
        let (again, notices) = graph.network(&Import { dt_ms: SHORT, reset, input, ..Import::default() }).unwrap();
        assert_eq!(notices, [], "{name}");
        let (ours, theirs) = (times(&network), times(&again));
        let neurons = |times: &[(u32, f64)]| times.iter().map(|(neuron, _)| *neuron).collect::<Vec<_>>();
        assert!(!ours.is_empty(), "{name}");
        assert_eq!(neurons(&ours), neurons(&theirs), "{name}");
        // Where a potential only just reaches its threshold, a small difference is a long time.
        let shifted = ours.iter().zip(&theirs).filter(|((_, one), (_, other))| (one - other).abs() > SHIFT).count();
        assert!(shifted * 50 <= ours.len(), "{name}: {shifted} of {} spikes", ours.len());
    }
}
