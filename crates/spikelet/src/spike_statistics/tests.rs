use serde_json::Value;

use super::*;

/// Spikes of two populations, and what Elephant 1.2 finds in them: see `tests/statistics/reference.py`.
const REFERENCE: &str = include_str!("../../../../tests/statistics/elephant.json");

/// The names and sizes of the populations, their spikes in the order of time, and the number of steps.
fn stored(reference: &Value) -> (Vec<(&str, u32)>, Vec<Spike>, u32) {
    let (mut populations, mut spikes) = (Vec::new(), Vec::new());
    for (name, trains) in reference["spikes"].as_object().unwrap() {
        let first: u32 = populations.iter().map(|(_, size)| *size).sum();
        let trains = trains.as_array().unwrap();
        for (neuron, train) in (first..).zip(trains) {
            spikes.extend(train.as_array().unwrap().iter().map(|step| Spike { step: step.as_u64().unwrap() as u32, neuron }));
        }
        populations.push((name.as_str(), trains.len() as u32));
    }
    spikes.sort_unstable();
    (populations, spikes, reference["steps"].as_u64().unwrap() as u32)
}

/// Adds spikes in calls of `batch` steps.
fn measured(
    populations: &[(&str, u32)],
    spikes: &[Spike],
    steps: u32,
    batch: u32,
    options: SpikeStatisticsOptions,
) -> SpikeSummary {
    let mut statistics = SpikeStatistics::of_populations(populations, 0.1, &options);
    let mut rest = spikes;
    for until in (0..steps).step_by(batch as usize).map(|first| (first + batch).min(steps)) {
        let (own, later) = rest.split_at(rest.partition_point(|spike| spike.step < until));
        statistics.add(own, until);
        rest = later;
    }
    statistics.summary()
}

fn close(found: f64, expected: &Value, what: &str) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1e-3), "{what}: {found} instead of {expected}");
}

#[test]
fn they_are_those_of_elephant() {
    let reference: Value = serde_json::from_str(REFERENCE).unwrap();
    let (populations, spikes, steps) = stored(&reference);
    let summary = measured(&populations, &spikes, steps, 777, SpikeStatisticsOptions::default());
    for of in &summary.populations {
        let (expected, name) = (&reference["expected"][&of.population], &of.population);
        let correlation = of.correlation.as_ref().unwrap();
        let numbers = [
            (of.rate, "rate"),
            (of.cv, "cv"),
            (of.cv2, "cv2"),
            (of.lv, "lv"),
            (of.fano, "fano"),
            (of.synchrony, "synchrony"),
            (Some(correlation.mean), "correlation_mean"),
            (Some(correlation.sd), "correlation_sd"),
        ];
        for (found, key) in numbers {
            close(found.unwrap(), &expected[key], &format!("{name}: {key}"));
        }
        let intervals: Vec<u64> = expected["intervals"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).collect();
        assert_eq!(of.intervals, intervals, "{name}");
        let spectrum = of.spectrum.as_ref().unwrap();
        close(spectrum.step_hz, &expected["step_hz"], name);
        let lists = [(&spectrum.power, "power"), (&of.course.hz, "hz")];
        for (found, key) in lists {
            let expected = expected[key].as_array().unwrap();
            assert_eq!(found.len(), expected.len(), "{name}: {key}");
            found.iter().zip(expected).enumerate().for_each(|(k, (found, of))| close(*found, of, &format!("{name}: {key}[{k}]")));
        }
    }
    for of in &summary.correlograms {
        let expected = reference["correlograms"][format!("{} {}", of.of, of.with)].as_array().unwrap();
        let values = of.values.as_ref().unwrap();
        assert_eq!(values.len(), expected.len());
        values
            .iter()
            .zip(expected)
            .enumerate()
            .for_each(|(k, (found, value))| close(*found, value, &format!("{} {} {k}", of.of, of.with)));
    }
    assert_eq!(summary.correlograms.len(), 3);
}

#[test]
fn they_do_not_depend_on_batches_and_skip_what_comes_before() {
    let reference: Value = serde_json::from_str(REFERENCE).unwrap();
    let (populations, spikes, steps) = stored(&reference);
    let of = |spikes: &[Spike], steps, batch, from_ms| {
        let options = SpikeStatisticsOptions { from_ms, ..SpikeStatisticsOptions::default() };
        measured(&populations, spikes, steps, batch, options)
    };
    let whole = of(&spikes, steps, steps, 0.0);
    for batch in [1, 13, 5000] {
        assert_eq!(of(&spikes, steps, batch, 0.0), whole, "batches of {batch}");
    }
    // Without the first second it is what begins there.
    let later: Vec<Spike> =
        spikes.iter().filter(|spike| spike.step >= 10_000).map(|spike| Spike { step: spike.step - 10_000, ..*spike }).collect();
    let (skipped, alone) = (of(&spikes, steps, 900, 1000.0), of(&later, steps - 10_000, 900, 0.0));
    assert_eq!((skipped.populations, skipped.correlograms), (alone.populations, alone.correlograms));
    assert_eq!((skipped.from_ms, skipped.to_ms), (1000.0, f64::from(steps) / 10.0));
}

#[test]
fn too_few_spikes_have_no_measures() {
    let options = SpikeStatisticsOptions::default();
    let nothing = measured(&[("E", 3)], &[], 0, 1, options);
    let of = &nothing.populations[0];
    assert_eq!((of.rate, of.cv, of.fano, of.synchrony, of.peak), (None, None, None, None, None));
    let few: Vec<Spike> = [5, 9, 20].map(|step| Spike { step, neuron: 1 }).into();
    let few = measured(&[("E", 3)], &few, 5000, 100, options);
    let of = &few.populations[0];
    assert_eq!((of.spikes, of.cv, of.cv2, of.lv, of.correlation.is_none()), (3, None, None, None, true));
    assert!((of.fano.unwrap() - 3.0).abs() < 1e-12, "three in one of five windows");
    assert_eq!(few.correlograms[0].values.as_ref().unwrap().len(), 101);
}

#[test]
fn a_rhythm_has_its_peak_and_full_synchrony() {
    // One population fires together, the other over 10 ms.
    let step = |k: u32, neuron: u32| 250 * k + 3 + if neuron < 20 { 0 } else { 5 * (neuron - 20) };
    let mut spikes: Vec<Spike> =
        (0..400).flat_map(|k| (0..40).map(move |neuron| Spike { step: step(k, neuron), neuron })).collect();
    spikes.sort_unstable();
    let summary = measured(&[("together", 20), ("spread", 20)], &spikes, 100_000, 1000, SpikeStatisticsOptions::default());
    let [of, spread] = &summary.populations[..] else { panic!("two populations") };
    assert!((spread.peak.unwrap() - 40.0).abs() < 0.1, "{:?}", spread.peak);
    assert!((0.3..0.9).contains(&spread.synchrony.unwrap()), "{:?}", spread.synchrony);
    assert!((of.synchrony.unwrap() - 1.0).abs() < 1e-9 && of.cv2.unwrap() < 1e-12 && of.fano.unwrap() < 1e-9);
    assert!((of.correlation.as_ref().unwrap().mean - 1.0).abs() < 1e-9);
    // A long run has wider bins, and the same mean.
    assert_eq!((of.course.bin_ms, of.course.hz.len()), (4.0, 2500));
    assert!((of.course.hz.iter().sum::<f64>() / 2500.0 - 40.0).abs() < 1e-9);
}

#[test]
fn chosen_neurons_are_at_equal_distances() {
    for size in [1, 5, 64, 65, 100, 129, 1000] {
        let mut counts = PairCounts::new(size);
        (0..size).for_each(|neuron| counts.add(neuron));
        counts.close();
        // Every chosen neuron has counted once, so that all have the same sum.
        assert_eq!(counts.total(), size.min(64), "{size}");
    }
}
