use std::sync::Arc;

use spikelet::{Activity, Backend, Cpu, Epoch, Network, Plan, Simulation, Trial, catalogue};
use spikelet_gpu::{Fusion, GpuOptions, Pace, gpu_plan};
use spikelet_tests::{full, gpu, gpu_with, run};

use crate::lockstep::file;

/// Networks that use everything between them: rows that are kept and drawn, state in synapses, sums, pathways, sources, clocks.
fn networks() -> Vec<Network> {
    let files = [
        "procedural",
        "summed",
        "linked",
        "to_pre",
        "events",
        "third",
        "short_term",
        "presynaptic",
        "in_turn",
        "pathways",
        "winners",
        "everything",
    ];
    let mut networks: Vec<Network> = files.iter().map(|name| file(name)).collect();
    networks.push(catalogue::network("cuba", 0.1).unwrap());
    networks
}

fn trials(plan: &Arc<Plan>, numbers: &[u32]) -> Vec<Trial> {
    numbers.iter().map(|number| Trial { number: *number, plan: plan.clone() }).collect()
}

/// What each trial does in some epochs.
fn activity(backend: &mut dyn Backend, trials: Vec<Trial>, epochs: &[u32]) -> Vec<Activity> {
    pollster::block_on(async {
        let mut whole = vec![Activity::default(); trials.len()];
        backend.load(trials).await.unwrap();
        let mut first = 0;
        for steps in epochs {
            let part = backend.advance(Epoch::new(first, *steps)).await.unwrap();
            for (whole, mut part) in whole.iter_mut().zip(part) {
                whole.spikes.append(&mut part.spikes);
                whole.samples.append(&mut part.samples);
            }
            first += steps;
        }
        whole
    })
}

/// The workgroup's size, the pace, one dispatch or many, a bound on events that leaves epochs half done: the same spikes.
#[test]
fn no_option_changes_a_spike() {
    let usual = GpuOptions::default();
    let options = [
        usual,
        GpuOptions { fusion: Some(Fusion::Steps), ..usual },
        GpuOptions { fusion: Some(Fusion::Steps), events_per_submission: Some(2000), ..usual },
        GpuOptions { workgroup_size: 128, fusion: Some(Fusion::None), ..usual },
        GpuOptions { workgroup_size: 256, fusion: Some(Fusion::None), pace: Pace::Shared, ..usual },
        GpuOptions { fusion: Some(Fusion::All), ..usual },
        GpuOptions { fusion: Some(Fusion::None), events_per_submission: Some(2000), ..usual },
        GpuOptions { fusion: Some(Fusion::All), events_per_submission: Some(3000), ..usual },
    ];
    // Each option on a network and each network with an option; all pairs with `--full`.
    let all = full();
    for (number, network) in networks().into_iter().enumerate() {
        let plan = Arc::new(Plan::new(&network).unwrap());
        let Some(mut reference) = gpu_with(GpuOptions { fusion: Some(Fusion::None), ..usual }) else { return };
        let expected = activity(&mut reference, trials(&plan, &[0]), &[170]);
        assert!(expected[0].spikes.len() > 20, "{}: {} spikes", network.name, expected[0].spikes.len());
        for (_, options) in options.into_iter().enumerate().filter(|(place, _)| all || *place == number % options.len()) {
            let found = activity(&mut gpu_with(options).unwrap(), trials(&plan, &[0]), &[1, 2, 167]);
            assert!(found == expected, "{}, {options:?}", network.name);
        }
    }
}

/// Epochs that are begun before they are asked for, several at a time, are those that are asked for one by one.
#[test]
fn epochs_begun_ahead_are_the_same() {
    for network in networks() {
        let Some(mut gpu) = gpu() else { return };
        let plan = Arc::new(Plan::new(&network).unwrap());
        let epochs = [7, 1, 30, 12, 24, 3];
        let expected = activity(&mut gpu, trials(&plan, &[0]), &epochs);
        let found = pollster::block_on(async {
            let mut whole = Activity::default();
            gpu.load(trials(&plan, &[0])).await.unwrap();
            let firsts: Vec<u32> = epochs.iter().scan(0, |end, steps| Some(std::mem::replace(end, *end + steps))).collect();
            for (place, (first, steps)) in firsts.iter().zip(epochs).enumerate() {
                for (first, steps) in firsts.iter().zip(epochs).skip(place).take(3) {
                    gpu.begin(Epoch::new(*first, steps)).await.unwrap();
                }
                let mut part = gpu.advance(Epoch::new(*first, steps)).await.unwrap().remove(0);
                assert!(part.spikes.iter().all(|spike| (*first..first + steps).contains(&spike.step)), "{}", network.name);
                whole.spikes.append(&mut part.spikes);
                whole.samples.append(&mut part.samples);
            }
            whole
        });
        assert!(found == expected[0], "{}", network.name);
    }
}

/// Each trial of a batch is what it is alone, in one dispatch and in many: each network in one way, in all of them with `--full`.
#[test]
fn trials_side_by_side_are_those_alone() {
    for (place, network) in networks().into_iter().enumerate() {
        let plan = Arc::new(Plan::new(&network).unwrap());
        let numbers = [0, 5, 1];
        let all = [Fusion::None, Fusion::Steps, Fusion::All];
        for fusion in
            all.into_iter().enumerate().filter(|(way, _)| full() || *way == place % all.len()).map(|(_, fusion)| Some(fusion))
        {
            let Some(mut gpu) = gpu_with(GpuOptions { fusion, ..GpuOptions::default() }) else { return };
            let together = activity(&mut gpu, trials(&plan, &numbers), &[60, 20]);
            for (number, found) in numbers.iter().zip(&together) {
                let alone = activity(&mut gpu, trials(&plan, &[*number]), &[80]);
                assert!(alone[0] == *found, "{}, trial {number}, {fusion:?}", network.name);
            }
        }
    }
}

/// All neurons fire in every step, and one submission may walk a few rows only: slower, but the same.
#[test]
fn a_network_that_runs_away_stays_whole() {
    let text = r#"{"name": "runaway", "dt_ms": 0.1, "duration_ms": 10, "populations": [
        {"name": "a", "size": 300, "equations": "v : 1", "update": "v = 0.9*v + 1", "threshold": "v > 0.5"}],
      "projections": [
        {"name": "aa", "pre": "a", "post": "a", "connect": {"rule": "bernoulli", "p": 0.1}, "equations": "w : 1 (constant)",
         "on_pre": "v_post += w", "delay_ms": 0.3, "parameters": {"w": 0.01}}]}"#;
    let network = Network::from_json(text).unwrap();
    let cpu = run(&network, Box::new(Cpu::new(1)), 10.0, 100).unwrap();
    assert_eq!(cpu.spikes.len(), 300 * 100);
    for fusion in [Fusion::None, Fusion::Steps, Fusion::All].map(Some) {
        let options = GpuOptions { events_per_submission: Some(20_000), fusion, ..GpuOptions::default() };
        let Some(gpu) = gpu_with(options) else { return };
        let mut found = run(&network, Box::new(gpu), 10.0, 100).unwrap();
        assert!(found.spikes == cpu.spikes, "{fusion:?}");
        let mut cpu = run(&network, Box::new(Cpu::new(1)), 10.0, 100).unwrap();
        assert_eq!(found.arrays().unwrap(), cpu.arrays().unwrap(), "{fusion:?}");
    }
}

/// What is done in an epoch, how many steps are in it, and how much of it is one dispatch, of every network of the catalogue: dispatches are
/// what a browser charges for, and must not creep up. Populations of one model share a kernel; then there is one of `propagate`, and what
/// synapses with a state need in each step.
const DISPATCHES: [(&str, usize, u32, Fusion); 32] = [
    ("cuba", 2, 2, Fusion::None),
    ("coba", 2, 2, Fusion::None),
    ("cobahh", 2, 2, Fusion::All),
    ("izhikevich", 3, 1, Fusion::All),
    ("brunel_sr", 2, 16, Fusion::All),
    ("brunel_si_fast", 2, 16, Fusion::All),
    ("brunel_ai", 2, 16, Fusion::All),
    ("brunel_si_slow", 2, 16, Fusion::All),
    ("ping", 3, 6, Fusion::All),
    ("synfire", 3, 51, Fusion::None),
    ("ring", 6, 1, Fusion::All),
    ("decision", 16, 6, Fusion::All),
    ("waves", 5, 16, Fusion::None),
    ("stdp_song", 9, 16, Fusion::All),
    ("stdp_window", 9, 1, Fusion::All),
    ("plastic_cuba", 7, 1, Fusion::All),
    ("istdp_balance", 9, 2, Fusion::All),
    ("bcm_selectivity", 6, 16, Fusion::All),
    ("rstdp_reward", 16, 1, Fusion::All),
    ("spike_pattern", 14, 16, Fusion::All),
    ("assemblies_project", 16, 16, Fusion::None),
    ("assemblies_associate", 26, 16, Fusion::None),
    ("assemblies_parser", 39, 16, Fusion::None),
    ("pd14", 7, 2, Fusion::None),
    ("pd14_dc", 2, 2, Fusion::None),
    ("lixirnet", 5, 16, Fusion::None),
    ("lattice4d", 3, 1, Fusion::None),
    ("world4d", 23, 16, Fusion::None),
    ("guide10k", 2, 6, Fusion::None),
    ("guide_ei", 2, 6, Fusion::None),
    ("fly", 4, 1, Fusion::None),
    ("million", 3, 4, Fusion::None),
];

#[test]
fn an_epoch_takes_few_dispatches() {
    let found: Vec<(&str, usize, u32, Fusion)> = catalogue::entries()
        .iter()
        .map(|entry| (entry, Plan::new(&entry.network(entry.small).unwrap()).unwrap()))
        .map(|(entry, plan)| {
            let dry = gpu_plan(&plan, 1 << 27).unwrap();
            (entry.name, dry.passes, dry.epoch_steps, dry.fusion)
        })
        .collect();
    assert_eq!(found, DISPATCHES, "passes, steps of an epoch, how much one dispatch does at the small scale");
}

/// A selection takes five dispatches, for all populations and any number of neurons.
#[test]
fn winners_take_five_dispatches_in_a_step() {
    let dry_run = |populations: &[u32], winners: &str| {
        let population = |(index, size): (usize, &u32)| {
            format!(
                r#"{{"name": "n{index}", "size": {size}, "equations": "v : 1", "update": "v = rand()", "threshold": "v > 0.5"{winners}}}"#
            )
        };
        let populations: Vec<String> = populations.iter().enumerate().map(population).collect();
        let json = format!(r#"{{"name": "n", "dt_ms": 1, "duration_ms": 1, "populations": [{}]}}"#, populations.join(", "));
        let network = Network::from_json(&json).unwrap_or_else(|error| panic!("{error}"));
        gpu_plan(&Plan::new(&network).unwrap(), u64::MAX).unwrap()
    };
    let winners = r#", "winners": {"k": 100, "of": "v"}"#;
    let (without, with) = (dry_run(&[2_000_000], ""), dry_run(&[2_000_000], winners));
    assert_eq!(
        (without.dispatches_per_epoch, without.epoch_steps),
        (2, 1),
        "all of the neurons, and what prepares the next epoch"
    );
    for of in [&with, &dry_run(&[5000, 3000, 50_000], winners)] {
        assert_eq!(
            of.dispatches_per_epoch as u32,
            of.epoch_steps * (2 + 5) + 1,
            "two of the neurons, and those of the selection"
        );
    }
    // A key of each neuron, its value, and less than a percent for the rest.
    let more = with.bytes() - without.bytes();
    assert!((16_000_000..16_200_000).contains(&more), "{more} bytes");
}

/// A value that cannot be compared ends the run at the same step as on the CPU, also if it is a number in the next one.
#[test]
fn values_that_are_not_numbers_are_found_alike() {
    let json = r#"{"name": "n", "dt_ms": 1, "duration_ms": 100, "populations": [
        {"name": "before", "size": 1100, "equations": "v : 1", "update": "v = rand()", "winners": {"k": 5, "of": "v"}},
        {"name": "a", "size": 2000, "equations": "n : 1", "update": "n += 1", "threshold": "i != 3",
         "winners": {"k": 20, "of": "sqrt(0.5 - int(n == 37 and (i == 1900 or i == 1500 or i == 3))) + 0.001*i"}}]}"#;
    let network = Network::from_json(json).unwrap();
    let fails = |backend: Box<dyn Backend>, batch: u32| {
        let mut simulation = pollster::block_on(Simulation::new(&network, backend)).unwrap();
        let error = (0..100).find_map(|_| pollster::block_on(simulation.advance(batch)).err());
        (error.map(|error| error.to_string()), simulation.step())
    };
    let expected = fails(Box::new(Cpu::new(2)), 1);
    assert!(expected.0.as_ref().is_some_and(|error| error.contains("neuron 1500 in `a`")) && expected.1 == 36, "{expected:?}");
    for fusion in [Fusion::None, Fusion::Steps, Fusion::All] {
        for batch in [1, 7, 90] {
            let Some(gpu) = gpu_with(GpuOptions { fusion: Some(fusion), ..GpuOptions::default() }) else { return };
            assert_eq!(fails(Box::new(gpu), batch), expected, "{fusion:?}, {batch} steps at a time");
        }
    }
}
