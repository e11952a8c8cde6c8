use std::collections::{BTreeMap, BTreeSet};

use spikelet::{Cpu, Network, Quantity, Recording, catalogue};
use spikelet_tests::{RecordedRun, devices, run};

use super::activity::{Activity, autocorrelation};

/// A network of the catalogue that records nothing.
fn silent(name: &str, scale: f64) -> Network {
    Network { recordings: Vec::new(), ..catalogue::network(name, scale).unwrap() }
}

/// The weights of a projection as they are now.
fn weights(run: &mut RecordedRun, projection: &str) -> Vec<f64> {
    let array = run.simulation.plan().array(&format!("{projection}.w")).unwrap();
    let words = pollster::block_on(run.simulation.read(array)).unwrap();
    words.into_iter().map(|word| f32::from_bits(word).into()).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let centre = mean(values);
    mean(&values.iter().map(|value| (value - centre).powi(2)).collect::<Vec<_>>()).sqrt()
}

/// Song, Miller & Abbott 2000: weights go to both bounds. The figures are those of Brian 2.9 for ten cells over 40 s with twice the
/// rate of learning and steps of 0.2 ms; each may be as far off as the conformance corpus allows the mean of ten.
#[test]
fn weights_of_competing_inputs_part() {
    let mut network = Network { dt_ms: 0.2, ..silent("stdp_song", 10.0) };
    network.projections[0].parameters.insert("A".to_owned(), Quantity::Number(0.02));
    let mut done = run(&network, Box::new(Cpu::new(2)), 40_000.0, 5000).unwrap();
    let weights = weights(&mut done, "learning");
    let share = |is: fn(f64) -> bool| weights.iter().filter(|weight| is(**weight)).count() as f64 / weights.len() as f64;
    let late = done.spikes.iter().filter(|spike| spike.neuron < 10 && f64::from(spike.step) * 0.2 >= 30_000.0).count();
    // Mean over cells of the deviation within each.
    let each: Vec<Vec<f64>> = (0..10).map(|cell| weights.iter().skip(cell).step_by(10).copied().collect()).collect();
    assert_eq!(weights.len(), 10_000);
    for (what, found, expected, within) in [
        ("share below 0.2", share(|w| w < 0.2), 0.2962, 0.01594),
        ("share above 0.8", share(|w| w > 0.8), 0.2577, 0.01102),
        ("mean weight", mean(&weights), 0.483064, 0.009798),
        ("deviation of weights", mean(&each.iter().map(|of| deviation(of)).collect::<Vec<_>>()), 0.332703, 0.00643),
        ("rate in the last quarter", late as f64 / 100.0, 29.65, 4.626),
    ] {
        println!("{what}: {found:.4}, expected {expected} ± {within}");
        assert!((found - expected).abs() <= within, "{what}: {found}, expected {expected} ± {within}");
    }
}

/// Song, Miller & Abbott 2000: one pair moves the weight by A·exp(−d/τ).
#[test]
fn the_window_of_stdp_is_exact() {
    for (device, backend) in devices() {
        let mut done = run(&silent("stdp_window", 1.0), backend, 130.0, 500).unwrap();
        for (pair, weight) in weights(&mut done, "learning").into_iter().enumerate() {
            let offset = pair as f64 - 50.0;
            let expected = if offset < 0.0 { -0.0105 * (offset / 20.0).exp() } else { 0.01 * (-offset / 20.0).exp() };
            let error = (weight - 0.5 - expected).abs();
            assert!(error <= 1e-4 * expected.abs(), "{device}, {offset} ms: {}, expected {expected}", weight - 0.5);
        }
    }
}

/// Brian 2.9 after 1 s: see `figures` for rates; the weights have spread this far.
#[test]
fn weights_of_a_balanced_network_spread() {
    let mut done = run(&silent("plastic_cuba", 1.0), Box::new(Cpu::new(2)), 1000.0, 1000).unwrap();
    let weights = weights(&mut done, "EE");
    println!("{:.4} ± {:.4} mV", mean(&weights), deviation(&weights));
    assert!((mean(&weights) - 1.6217).abs() < 0.001, "{}", mean(&weights));
    assert!((deviation(&weights) - 0.024).abs() < 0.001, "{}", deviation(&weights));
}

/// Vogels et al. 2011: firing becomes asynchronous and irregular, near the target rate whatever that is, since inhibition cancels what
/// excitation and drive have too much.
#[test]
fn inhibition_learns_to_balance_excitation() {
    for (target, bounds) in [(4.0, 4.0..5.0), (6.0, 6.0..7.2)] {
        let mut network = silent("istdp_balance", 1.0);
        network.set("IE.rate_0", &format!("{target} Hz")).unwrap();
        network.recordings = ["v", "ge", "s_inh"].map(|var| potential(var, 10)).into();
        let done = run(&network, Box::new(Cpu::new(2)), 10_000.0, 1000).unwrap();
        let rows: Vec<&[f32]> = done.samples.chunks(30).skip(75_000).collect();
        // Excitation with the drive, and what inhibition leaves of it, in pA; 100 pA bring a cell to its threshold.
        let current = |of: fn(f64, f64, f64) -> f64| {
            let cell = |row: &[f32], k: usize| of(row[k].into(), row[10 + k].into(), row[20 + k].into());
            mean(&rows.iter().map(|row| (0..10).map(|k| cell(row, k)).sum::<f64>() / 10.0).collect::<Vec<_>>())
        };
        let excitation = current(|v, ge, _| 200.0 - ge * v);
        let rest = current(|v, ge, s_inh| 200.0 - ge * v + s_inh * (-80.0 - v));
        let activity = Activity { network, spikes: done.spikes };
        let rate = activity.rate_hz("E", 7500.0..10_000.0);
        let cv = irregularity(&activity, "E", 5000.0);
        let histogram = activity.histogram("E", 7500.0..10_000.0);
        let rhythm = (10..200).map(|lag| autocorrelation(&histogram, lag)).fold(0.0, f64::max);
        println!(
            "target {target} Hz: {rate:.2} Hz, CV {cv:.2}, rhythm {rhythm:.2}, {excitation:.0} pA, of which {rest:.0} are left"
        );
        assert!(activity.rate_hz("E", 0.0..200.0) > 40.0, "it is not balanced before it has learnt");
        assert!(bounds.contains(&rate), "target {target} Hz: {rate}");
        assert!(cv > 0.8, "{cv}");
        assert!(rhythm < 0.3, "{rhythm}");
        assert!(excitation > 200.0 && rest < 100.0, "{excitation} pA, {rest} pA");
    }
}

/// A variable of the first cells of E.
fn potential(var: &str, cells: u32) -> Recording {
    Recording {
        object: "E".to_owned(),
        var: var.to_owned(),
        indices: (0..cells).collect::<Vec<_>>().into(),
        ..Recording::default()
    }
}

/// Mean CV of the intervals between spikes of a population, of cells with at least ten after `from_ms`.
fn irregularity(activity: &Activity, population: &str, from_ms: f64) -> f64 {
    let mut trains: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (cell, time) in activity.of_population(population).into_iter().filter(|(_, time)| *time >= from_ms) {
        trains.entry(cell).or_default().push(time);
    }
    let intervals = |train: &Vec<f64>| train.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>();
    let trains = trains.values().filter(|train| train.len() >= 10).map(intervals);
    mean(&trains.map(|intervals| deviation(&intervals) / mean(&intervals)).collect::<Vec<_>>())
}

/// Bienenstock, Cooper & Munro 1982: selectivity, 1 less the mean response over the largest, nears its bound of 0.75 for four
/// patterns, and each cell stays with its own.
#[test]
fn bcm_cells_become_and_stay_selective() {
    let network = silent("bcm_selectivity", 1.0);
    let Some(Quantity::Timed { values, .. }) = network.populations[0].parameters.get("active") else { unreachable!() };
    let order: Vec<usize> = values.iter().map(|row| row[0] as usize).collect();
    let duration = network.duration_ms;
    let activity = Activity::over(network, duration);
    let spikes = activity.of_population("cell");
    // Spikes of each cell in the presentations of each group, and selectivity.
    let responses = |from_ms: f64, to_ms: f64| {
        let mut counts = [[0.0f64; 4]; 10];
        for (cell, time) in spikes.iter().filter(|(_, time)| (from_ms..to_ms).contains(time)) {
            counts[*cell as usize][order[(time / 200.0) as usize]] += 1.0;
        }
        counts.map(|of| {
            let best = (0..4).max_by(|a, b| of[*a].total_cmp(&of[*b])).unwrap();
            (best, 1.0 - mean(&of) / of[best])
        })
    };
    let windows = [(0.0, 5_000.0), (200_000.0, 250_000.0), (250_000.0, 300_000.0)];
    let [first, late, last] = windows.map(|(from, to)| responses(from, to));
    println!("{first:.2?}\n{late:.2?}\n{last:.2?}");
    assert!(mean(&first.map(|(_, selectivity)| selectivity)) < 0.5, "they are selective from the start: {first:?}");
    for cell in 0..10 {
        assert!(late[cell].1 > 0.7 && last[cell].1 > 0.7, "cell {cell} is not selective: {:?}, {:?}", late[cell], last[cell]);
        assert_eq!(late[cell].0, last[cell].0, "cell {cell} has changed its mind");
    }
    let chosen: BTreeSet<usize> = last.iter().map(|(best, _)| *best).collect();
    assert!(chosen.len() > 1, "all cells have chosen the same");
}

/// Izhikevich 2007: the one synapse whose pairings are rewarded, though seconds later, ends far above the others; after these 800 s not yet
/// with every seed.
#[test]
fn a_late_reward_finds_the_synapse_that_earned_it() {
    let (mut rewarded, mut others) = (Vec::new(), Vec::new());
    for seed in 1..=4 {
        let network = Network { seed, ..silent("rstdp_reward", 1.0) };
        let mut done = run(&network, Box::new(Cpu::new(1)), 800_000.0, 10_000).unwrap();
        let weights = weights(&mut done, "learning");
        let (centre, spread) = (mean(&weights[1..]), deviation(&weights[1..]));
        let z = (weights[0] - centre) / spread;
        println!("seed {seed}: {:.2}; the others {centre:.3} ± {spread:.3}; z = {z:.1}", weights[0]);
        assert!(centre < 0.1, "seed {seed}: {centre} ± {spread}");
        rewarded.push(weights[0]);
        others.push(centre);
    }
    let (rewarded, others) = (mean(&rewarded), mean(&others));
    assert!(rewarded > 5.0 * others, "{rewarded} over {others}");
}

/// Masquelier, Guyonneau & Thorpe 2008: the cell fires in every presentation of the pattern, (almost) never else, and ever earlier.
#[test]
fn a_repeated_pattern_is_found_among_noise() {
    let mut shorter = Vec::new();
    for seed in 1..=3 {
        let network = Network { seed, ..silent("spike_pattern", 1.0) };
        let activity = Activity::over(network, 60_000.0);
        let starts: Vec<f64> = activity.of_population("start").into_iter().map(|(_, time)| time).collect();
        let spikes: Vec<f64> = activity.of_population("cell").into_iter().map(|(_, time)| time).collect();
        // Share of the patterns that are answered, spikes outside of any, and mean time from a pattern's start to the first spike.
        let judged = |from_ms: f64, to_ms: f64| {
            let starts: Vec<f64> = starts.iter().copied().filter(|start| (from_ms..to_ms).contains(start)).collect();
            let latency = |start: &f64| spikes.iter().map(|time| time - start).find(|latency| (0.0..60.0).contains(latency));
            let latencies: Vec<f64> = starts.iter().filter_map(latency).collect();
            let outside =
                |time: &&f64| (from_ms..to_ms).contains(*time) && !starts.iter().any(|s| (0.0..60.0).contains(&(*time - s)));
            (latencies.len() as f64 / starts.len() as f64, spikes.iter().filter(outside).count(), mean(&latencies))
        };
        let (early, late) = (judged(12_000.0, 20_000.0), judged(50_000.0, 60_000.0));
        println!("seed {seed}: hits, false alarms, latency: {early:.2?}, then {late:.2?}");
        assert!(late.0 > 0.95, "seed {seed}: hit rate {}", late.0);
        assert!(late.1 <= 1, "seed {seed}: {} false alarms", late.1);
        assert!(late.2 < early.2, "seed {seed}: latency {} ms, then {} ms", early.2, late.2);
        shorter.push(late.2 / early.2);
    }
    assert!(mean(&shorter) < 0.75, "latencies are {shorter:?} of what they were");
}
