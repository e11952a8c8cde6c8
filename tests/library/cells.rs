use std::collections::BTreeMap;

use serde_json::{Value, json};
use spikelet_tests::device;

use super::{Seen, bursts, deviation, intervals, mean, on_all};

/// What the spikes of one neuron have to be.
enum Expect {
    /// None at all.
    Never,
    /// So many, from and to.
    Count(usize, usize),
    /// One every so many ms, on average over the second half of the run; within so many.
    Every(f64, f64),
    /// Of a pattern that the sentence describes.
    Pattern(&'static str, fn(&[f64]) -> bool),
}

use Expect::{Count, Every, Never, Pattern};

/// Neurons that run with the same settings but for the values in a list.
struct Row {
    /// `preset`, `parameters`, `initial` of the population, as JSON.
    given: &'static str,
    /// What each neuron does.
    expect: &'static [Expect],
}

/// Rows that run in one network.
struct Case {
    model: &'static str,
    dt: f64,
    ms: f64,
    rows: &'static [Row],
}

const fn row(given: &'static str, expect: &'static [Expect]) -> Row {
    Row { given, expect }
}

/// Rates and periods follow from the formula beside them, or from the cited figure; counts and patterns are those of the cited
/// figure, checked with Brian 2 at a tenth of the step.
const CASES: &[Case] = &[
    // τ ln(RI/(RI − Vt + Vr)), rounded up to steps, and a refractory time of 20 steps that holds 19 updates.
    Case {
        model: "lif",
        dt: 0.1,
        ms: 300.0,
        rows: &[
            row(
                r#"{"parameters": {"I": {"values": [149, 151, 300], "unit": "pA"}}}"#,
                &[Never, Every(52.1, 1e-6), Every(8.9, 1e-6)],
            ),
            row(r#"{"preset": "tonic"}"#, &[Every(15.8, 1e-6)]),
            row(r#"{"preset": "never_refractory", "parameters": {"I": "200 pA"}}"#, &[Every(13.9, 1e-6)]),
        ],
    },
    // Without a leak to speak of, what a soft reset keeps makes the mean rate exact: 15 mV at 0.7 mV/ms (Rueckauer et al. 2017).
    Case {
        model: "lif_soft",
        dt: 0.1,
        ms: 1000.0,
        rows: &[
            row(
                r#"{"parameters": {"I": "70 pA", "R": "10000 Gohm", "tau": "1000000 ms"}}"#,
                &[Pattern("a mean interval of 150/7 ms", |train| {
                    let mean = (train[train.len() - 1] - train[0]) / (train.len() - 1) as f64;
                    (mean - 150.0 / 7.0).abs() < 0.1 / (train.len() - 1) as f64
                })],
            ),
            row(r#"{"preset": "refractory", "parameters": {"I": "300 pA"}}"#, &[Every(8.86, 0.05)]),
        ],
    },
    // Brunel 2000: τ ln((RI − Vr)/(RI − Vt)).
    Case {
        model: "lif_delta",
        dt: 0.1,
        ms: 300.0,
        rows: &[row(
            r#"{"parameters": {"I": {"values": [19.9, 24, 30], "unit": "mV"}}}"#,
            &[Never, Every(27.0, 1e-6), Every(15.8, 1e-6)],
        )],
    },
    // The fixed point of the interval with both traces in closed form (Benda & Herz 2003; Kobayashi et al. 2009).
    Case {
        model: "alif",
        dt: 0.1,
        ms: 1500.0,
        rows: &[
            row(r#"{"preset": "current_only"}"#, &[Every(17.576, 0.1)]),
            row(r#"{"preset": "threshold_only"}"#, &[Every(23.691, 0.1)]),
            row(r#"{"parameters": {"I": "300 pA"}}"#, &[Every(21.008, 0.1)]),
        ],
    },
    // C (Vt − Vr)/I: 1500/60 = 25 ms.
    Case {
        model: "if",
        dt: 0.1,
        ms: 300.0,
        rows: &[row(
            r#"{"parameters": {"I": {"values": [0, 60, 61], "unit": "pA"}}}"#,
            &[Never, Every(25.0, 0.1), Every(1500.0 / 61.0, 0.1)],
        )],
    },
    // Onset at k (Vc − El)²/4 = 70 pA, then the integral of 1/(k(v − El)(v − Vc) + I).
    Case {
        model: "quadratic",
        dt: 0.1,
        ms: 400.0,
        rows: &[row(
            r#"{"parameters": {"I": {"values": [69, 100, 150], "unit": "pA"}}}"#,
            &[Never, Every(54.229, 0.15), Every(29.368, 0.15)],
        )],
    },
    // Onset at (b − k (Vc − El))²/(4k) = 51.4 pA; patterns of Izhikevich 2007, figures 8.12, 8.19 and 8.23.
    Case {
        model: "adaptive_quadratic",
        dt: 0.1,
        ms: 500.0,
        rows: &[
            row(r#"{"parameters": {"I": {"values": [51, 53], "unit": "pA"}}}"#, &[Never, Count(1, 20)]),
            row(r#"{"preset": "regular_spiking"}"#, &[Every(75.9, 0.3)]),
            row(
                r#"{"preset": "intrinsically_bursting"}"#,
                &[Pattern("a pair, then one every 94 ms", |train| {
                    let sizes = bursts(train, 20.0);
                    sizes[0] == 2 && sizes[1..].iter().all(|size| *size == 1) && (intervals(train)[4] - 94.0).abs() < 1.0
                })],
            ),
            row(
                r#"{"preset": "chattering"}"#,
                &[Pattern("pairs every 52 ms", |train| {
                    let sizes = bursts(train, 15.0);
                    sizes.len() > 7 && sizes[0] == 3 && sizes[1..sizes.len() - 1].iter().all(|size| *size == 2)
                })],
            ),
        ],
    },
    // Onset at gl (VT − El − DT) = 16.2 pA (Fourcaud-Trocmé et al. 2003).
    Case {
        model: "exponential_if",
        dt: 0.05,
        ms: 600.0,
        rows: &[row(
            r#"{"parameters": {"I": {"values": [16, 17, 50], "unit": "pA"}}}"#,
            &[Never, Count(2, 3), Every(1000.0 / 31.13, 0.15)],
        )],
    },
    // Naud et al. 2008, figure 4.
    Case {
        model: "adex",
        dt: 0.1,
        ms: 500.0,
        rows: &[
            row(r#"{"preset": "tonic"}"#, &[Every(9.5, 0.1)]),
            row(
                r#"{"preset": "adapting"}"#,
                &[Pattern("intervals that grow sixfold to 76 ms", |train| {
                    let gaps = intervals(train);
                    (gaps[0] - 11.2).abs() < 0.3 && (gaps[gaps.len() - 1] - 75.9).abs() < 1.0 && gaps.is_sorted()
                })],
            ),
            row(
                r#"{"preset": "initial_burst"}"#,
                &[Pattern("three spikes, then one every 64 ms", |train| {
                    let sizes = bursts(train, 20.0);
                    sizes[0] == 3 && sizes[1..].iter().all(|size| *size == 1) && (intervals(train)[5] - 64.0).abs() < 1.0
                })],
            ),
            row(
                r#"{"preset": "regular_bursting"}"#,
                &[Pattern("bursts of two", |train| {
                    let sizes = bursts(train, 20.0);
                    sizes.len() >= 4 && sizes[0] == 3 && sizes[1..sizes.len() - 1].iter().all(|size| *size == 2)
                })],
            ),
            row(
                r#"{"preset": "delayed_accelerating"}"#,
                &[Pattern("a start after 30 ms and ever shorter intervals", |train| {
                    let gaps = intervals(train);
                    train[0] > 30.0 && gaps[..12].is_sorted_by(|a, b| a >= b) && gaps[gaps.len() - 1] < 0.6 * gaps[0]
                })],
            ),
            row(
                r#"{"preset": "delayed_regular_bursting"}"#,
                &[Pattern("a start after 50 ms and bursts of four", |train| {
                    let sizes = bursts(train, 20.0);
                    train[0] > 50.0 && sizes.len() >= 5 && sizes[..sizes.len() - 1].iter().all(|size| *size == 4)
                })],
            ),
            row(r#"{"preset": "transient"}"#, &[Count(1, 2)]),
            row(
                r#"{"preset": "irregular"}"#,
                &[Pattern("intervals that differ widely to the end", |train| {
                    let gaps = intervals(&train[5..]);
                    deviation(&gaps) / mean(&gaps) > 0.35
                })],
            ),
        ],
    },
    // Mihalas & Niebur 2009, figure 1, A to T. A and B have the period 20 ms·ln(I/(I − 1 V/s)).
    Case {
        model: "gif",
        dt: 0.1,
        ms: 1000.0,
        rows: &[
            row(r#"{"preset": "tonic_spiking"}"#, &[Every(22.0, 0.05)]),
            row(r#"{"preset": "class_1"}"#, &[Every(92.3, 0.1)]),
            row(
                r#"{"preset": "adaptation"}"#,
                &[Pattern("intervals that grow", |train| train.len() > 10 && intervals(train)[..10].is_sorted())],
            ),
            row(
                r#"{"preset": "phasic_spiking"}"#,
                &[Pattern("spikes in the first 200 ms only", |train| train.len() == 5 && train[4] < 200.0)],
            ),
            row(
                r#"{"preset": "accommodation"}"#,
                &[Pattern("spikes at the first step only", |train| train.len() == 3 && train[2] < 100.0)],
            ),
            row(
                r#"{"preset": "threshold_variability"}"#,
                &[Pattern("one spike, after inhibition", |train| train.len() == 1 && train[0] > 250.0)],
            ),
            row(
                r#"{"preset": "rebound_spike"}"#,
                &[Pattern("one spike, 49 ms after inhibition", |train| train.len() == 1 && (train[0] - 849.0).abs() < 2.0)],
            ),
            row(
                r#"{"preset": "class_2"}"#,
                &[Pattern("firing above 15 Hz at once", |train| {
                    train.len() > 30 && intervals(train).iter().all(|gap| *gap < 66.0)
                })],
            ),
            row(
                r#"{"preset": "integrator"}"#,
                &[Pattern("a spike after the closer pair", |train| train.len() == 1 && (train[0] - 49.2).abs() < 0.5)],
            ),
            row(
                r#"{"preset": "input_bistability"}"#,
                &[Pattern("firing at 170 pA the first time, not the second", |train| {
                    let within = |from, to| train.iter().filter(|time| (from..to).contains(*time)).count();
                    within(100.0, 500.0) > 8 && within(600.0, 1000.0) == 0
                })],
            ),
            row(
                r#"{"preset": "hyperpolarization_spiking"}"#,
                &[Pattern("single spikes every 117 ms", |train| {
                    intervals(train).iter().all(|gap| (gap - 117.4).abs() < 0.5) && train.len() > 6
                })],
            ),
            row(
                r#"{"preset": "hyperpolarization_bursting"}"#,
                &[Pattern("bursts of four", |train| {
                    let sizes = bursts(train, 20.0);
                    sizes[0] == 5 && sizes.len() > 5 && sizes[1..sizes.len() - 1].iter().all(|size| *size == 4)
                })],
            ),
            row(
                r#"{"preset": "tonic_bursting"}"#,
                &[Pattern("bursts, again and again", |train| {
                    let sizes = bursts(train, 20.0);
                    sizes.len() >= 6 && sizes[0] == 8 && sizes[..sizes.len() - 1].iter().all(|size| *size >= 4)
                })],
            ),
            row(r#"{"preset": "phasic_bursting"}"#, &[Pattern("one burst of seven", |train| bursts(train, 20.0) == [7])]),
            row(
                r#"{"preset": "rebound_burst"}"#,
                &[Pattern("a burst after inhibition", |train| train[0] > 640.0 && (7..=8).contains(&train.len()))],
            ),
            row(
                r#"{"preset": "mixed_mode"}"#,
                &[Pattern("a burst of seven, then spikes and pairs", |train| {
                    let sizes = bursts(train, 20.0);
                    sizes[0] == 7 && sizes[1..].iter().all(|size| *size <= 2)
                })],
            ),
            row(r#"{"preset": "afterpotentials"}"#, &[Count(1, 1)]),
            row(
                r#"{"preset": "basal_bistability"}"#,
                &[Pattern("firing from the first pulse to the second", |train| {
                    train[0] < 10.0 && train[train.len() - 1] < 115.0 && train.len() > 20
                })],
            ),
            row(
                r#"{"preset": "preferred_frequency"}"#,
                &[Pattern("the second pulse fires 50 ms later, not 10", |train| {
                    train.len() == 3 && (train[1] - 404.5).abs() < 0.5 && (train[2] - 454.8).abs() < 0.5
                })],
            ),
            row(
                r#"{"preset": "spike_latency"}"#,
                &[Pattern("a spike 14 ms after the pulse", |train| train.len() == 1 && (train[0] - 16.1).abs() < 0.3)],
            ),
        ],
    },
    // Izhikevich 2003, figure 2, and 2004, figure 1, with the steps of the published scripts.
    Case {
        model: "izhikevich",
        dt: 0.25,
        ms: 300.0,
        rows: &[
            row(r#"{"preset": "regular_spiking"}"#, &[Every(45.5, 0.5)]),
            row(
                r#"{"preset": "intrinsically_bursting"}"#,
                &[Pattern("three, then one every 32 ms", |train| {
                    bursts(train, 10.0)[0] == 3 && (intervals(train)[5] - 32.0).abs() < 1.0
                })],
            ),
            row(
                r#"{"preset": "chattering"}"#,
                &[Pattern("bursts of four and more", |train| {
                    let sizes = bursts(train, 20.0);
                    sizes.len() >= 5 && sizes[..sizes.len() - 1].iter().all(|size| *size >= 4)
                })],
            ),
            row(r#"{"preset": "fast_spiking"}"#, &[Every(9.1, 0.2)]),
            row(
                r#"{"preset": "low_threshold_spiking"}"#,
                &[Pattern("adaptation from above 200 Hz to 70 Hz", |train| {
                    let gaps = intervals(train);
                    gaps[0] < 5.0 && (gaps[gaps.len() - 1] - 14.0).abs() < 1.0
                })],
            ),
            row(r#"{"preset": "thalamo_cortical"}"#, &[Count(8, 12)]),
            row(
                r#"{"preset": "resonator_cell"}"#,
                &[Pattern("spikes at the pulse alone", |train| {
                    !train.is_empty() && train.iter().all(|time| (60.0..70.0).contains(time))
                })],
            ),
            row(r#"{"preset": "tonic_spiking"}"#, &[Every(27.7, 0.3)]),
            row(r#"{"preset": "phasic_spiking"}"#, &[Count(1, 1)]),
            row(
                r#"{"preset": "tonic_bursting"}"#,
                &[Pattern("bursts, again and again", |train| {
                    let sizes = bursts(train, 20.0);
                    sizes[0] >= 8 && sizes.len() >= 5 && sizes[..sizes.len() - 1].iter().all(|size| *size >= 3)
                })],
            ),
            row(
                r#"{"preset": "mixed_mode"}"#,
                &[Pattern("three, then one every 32 ms", |train| {
                    let sizes = bursts(train, 10.0);
                    sizes[0] == 3 && sizes[1..].iter().all(|size| *size == 1) && (intervals(train)[4] - 32.0).abs() < 1.0
                })],
            ),
            row(
                r#"{"preset": "adaptation"}"#,
                &[Pattern("intervals that grow tenfold", |train| {
                    let gaps = intervals(train);
                    gaps[..5].is_sorted() && gaps[4] > 10.0 * gaps[0]
                })],
            ),
            row(
                r#"{"preset": "class_1"}"#,
                &[Pattern("a rate that starts low and grows with the ramp", |train| {
                    let gaps = intervals(train);
                    gaps[0] > 38.0 && gaps.is_sorted_by(|a, b| a >= b) && gaps[gaps.len() - 1] < 0.5 * gaps[0]
                })],
            ),
            row(
                r#"{"preset": "class_2"}"#,
                &[Pattern("firing that starts at 48 Hz", |train| train[0] > 100.0 && (intervals(train)[0] - 20.8).abs() < 1.0)],
            ),
            row(r#"{"preset": "subthreshold_oscillations"}"#, &[Count(1, 1)]),
            row(
                r#"{"preset": "integrator"}"#,
                &[Pattern("a spike after the closer pair", |train| train.len() == 1 && train[0] < 25.0)],
            ),
            row(
                r#"{"preset": "threshold_variability"}"#,
                &[Pattern("a spike after inhibition", |train| train.len() == 1 && (train[0] - 93.0).abs() < 2.0)],
            ),
            row(
                r#"{"preset": "bistability"}"#,
                &[Pattern("firing from the first pulse to the second", |train| {
                    train.len() == 5 && train[0] > 37.5 && train[4] < 216.0
                })],
            ),
        ],
    },
    Case {
        model: "izhikevich",
        dt: 0.2,
        ms: 200.0,
        rows: &[
            row(r#"{"preset": "phasic_bursting"}"#, &[Pattern("one burst of six", |train| bursts(train, 15.0) == [6])]),
            row(
                r#"{"preset": "spike_latency"}"#,
                &[Pattern("a spike 13 ms after the pulse", |train| train.len() == 1 && (train[0] - 26.6).abs() < 1.5)],
            ),
            row(
                r#"{"preset": "rebound_spike"}"#,
                &[Pattern("a spike after inhibition", |train| train.len() == 1 && (train[0] - 68.0).abs() < 2.0)],
            ),
            row(
                r#"{"preset": "rebound_burst"}"#,
                &[Pattern("a burst after inhibition", |train| (6..=8).contains(&train.len()) && train[0] > 60.0)],
            ),
        ],
    },
    Case {
        model: "izhikevich",
        dt: 0.1,
        ms: 400.0,
        rows: &[
            row(r#"{"preset": "depolarizing_afterpotential"}"#, &[Count(1, 1)]),
            row(
                r#"{"preset": "resonator"}"#,
                &[Pattern("a spike after the slower pair", |train| train.len() == 1 && (train[0] - 336.0).abs() < 2.0)],
            ),
            // A hundred times slower: 0.04·65² − 5·65 + 140 − 30 = −46, and u falls to b·v before v has moved by 2.
            row(r#"{"preset": "lixirnet"}"#, &[Never]),
        ],
    },
    Case {
        model: "izhikevich",
        dt: 0.5,
        ms: 400.0,
        rows: &[
            row(
                r#"{"preset": "accommodation"}"#,
                &[Pattern("a spike on the fast ramp alone", |train| train.len() == 1 && (train[0] - 311.5).abs() < 2.0)],
            ),
            row(
                r#"{"preset": "inhibition_induced_spiking"}"#,
                &[Pattern("spikes while inhibited", |train| {
                    train.len() == 3 && train.iter().all(|time| (50.0..250.0).contains(time))
                })],
            ),
            row(
                r#"{"preset": "inhibition_induced_bursting"}"#,
                &[Pattern("bursts while inhibited", |train| {
                    let sizes = bursts(train, 20.0);
                    sizes.len() == 2
                        && sizes.iter().all(|size| *size >= 4)
                        && train.iter().all(|time| (50.0..250.0).contains(time))
                })],
            ),
        ],
    },
    // Steady firing from 6.3 µA/cm² on; 68 Hz at 10 (Rinzel & Miller 1980, Math Biosci 49:27, with these constants).
    Case {
        model: "hodgkin_huxley",
        dt: 0.025,
        ms: 300.0,
        rows: &[
            row(
                r#"{"parameters": {"I": {"values": [2, 6, 6.5, 20], "unit": "uA/cm**2"}}}"#,
                &[Never, Count(1, 3), Count(14, 18), Every(1000.0 / 85.5, 0.2)],
            ),
            row(r#"{"preset": "repetitive"}"#, &[Every(1000.0 / 67.6, 0.2)]),
            row(
                r#"{"preset": "anode_break"}"#,
                &[Pattern("one spike after inhibition", |train| train.len() == 1 && (train[0] - 35.8).abs() < 0.5)],
            ),
        ],
    },
    // A cell without calcium is the Hodgkin–Huxley cell; calcium makes its spikes last longer, so they come later.
    Case {
        model: "hodgkin_huxley_cal",
        dt: 0.025,
        ms: 200.0,
        rows: &[row(
            r#"{"parameters": {"I": "10 uA/cm**2", "gca": {"values": [0, 2], "unit": "mS/cm**2"}}}"#,
            &[Every(1000.0 / 67.6, 0.1), Every(1000.0 / 66.3, 0.1)],
        )],
    },
    Case {
        model: "traub_miles",
        dt: 0.05,
        ms: 300.0,
        rows: &[row(
            r#"{"parameters": {"I": {"values": [0, 250, 500], "unit": "pA"}}}"#,
            &[Never, Every(1000.0 / 44.23, 0.2), Every(1000.0 / 73.53, 0.2)],
        )],
    },
    // Wang & Buzsáki 1996, figure 1: onset near 0.16 µA/cm² at a rate as low as one likes, 60 Hz at 1.
    Case {
        model: "wang_buzsaki",
        dt: 0.05,
        ms: 600.0,
        rows: &[row(
            r#"{"parameters": {"I": {"values": [0.15, 0.2, 1, 5], "unit": "uA/cm**2"}}}"#,
            &[Never, Count(3, 5), Every(1000.0 / 59.70, 0.1), Every(1000.0 / 189.6, 0.05)],
        )],
    },
    // Rinzel & Ermentrout 1998: an oscillation from 88.3 µA/cm² on at a finite rate; a saddle-node on the circle at 39.96; rest
    // and firing side by side.
    Case {
        model: "morris_lecar",
        dt: 0.1,
        ms: 1000.0,
        rows: &[
            row(
                r#"{"preset": "hopf", "parameters": {"I": {"values": [87, 90, 150], "unit": "uA/cm**2"}}}"#,
                &[Count(1, 1), Count(9, 11), Every(1000.0 / 15.114, 0.3)],
            ),
            row(
                r#"{"preset": "snlc", "parameters": {"I": {"values": [39.9, 40.1, 45], "unit": "uA/cm**2"}}}"#,
                &[Never, Count(1, 2), Every(1000.0 / 10.069, 0.3)],
            ),
            row(r#"{"preset": "homoclinic"}"#, &[Every(1000.0 / 37.21, 0.3)]),
            row(r#"{"preset": "homoclinic", "initial": {"v": "-40*mV", "w": "0.014"}}"#, &[Never]),
        ],
    },
    // Rest loses its stability where 1 − v² = b·eps, at I = 0.331 and again at 1.419.
    Case {
        model: "fitzhugh_nagumo",
        dt: 0.1,
        ms: 500.0,
        rows: &[
            row(
                r#"{"parameters": {"I": {"values": [0.32, 0.35, 1.4, 1.45], "unit": "1"}}}"#,
                &[Count(1, 1), Every(1000.0 / 21.925, 0.2), Every(1000.0 / 21.924, 0.2), Count(1, 1)],
            ),
            row(r#"{"preset": "oscillating"}"#, &[Every(1000.0 / 25.332, 0.2)]),
        ],
    },
    // Hindmarsh & Rose 1984: rest, bursts, bursts of no fixed length, single spikes.
    Case {
        model: "hindmarsh_rose",
        dt: 0.1,
        ms: 1500.0,
        rows: &[
            row(r#"{"parameters": {"I": "0"}}"#, &[Never]),
            row(
                r#"{"preset": "bursting"}"#,
                &[Pattern("bursts of three every 157 ms", |train| {
                    let sizes = bursts(train, 60.0);
                    sizes.len() >= 8 && sizes[2..sizes.len() - 1].iter().all(|size| *size == 3)
                })],
            ),
            row(
                r#"{"preset": "chaotic"}"#,
                &[Pattern("bursts of several lengths", |train| {
                    let mut sizes = bursts(train, 60.0)[1..].to_vec();
                    sizes.sort_unstable();
                    sizes.dedup();
                    sizes.len() >= 2
                })],
            ),
            row(
                r#"{"preset": "tonic"}"#,
                &[Pattern("no pause", |train| intervals(train).iter().all(|gap| *gap < 40.0) && train.len() > 80)],
            ),
        ],
    },
    // Dayan & Abbott 2001, section 6.2: the A current delays the first spike and allows low rates; without it firing starts at 83 Hz.
    Case {
        model: "connor_stevens",
        dt: 0.02,
        ms: 400.0,
        rows: &[
            row(
                r#"{"parameters": {"I": {"values": [8, 8.4, 12], "unit": "uA/cm**2"}}}"#,
                &[Never, Count(2, 3), Every(1000.0 / 57.74, 0.1)],
            ),
            row(
                r#"{"preset": "no_a_current", "parameters": {"I": {"values": [8, 9.5, 12], "unit": "uA/cm**2"}}}"#,
                &[Count(1, 1), Count(33, 40), Every(1000.0 / 118.44, 0.1)],
            ),
        ],
    },
];

/// Models that [`CASES`] judge.
pub(super) fn models() -> Vec<&'static str> {
    let mut models: Vec<&str> = CASES.iter().map(|case| case.model).collect();
    models.dedup();
    models
}

/// Model and preset of every row that has one.
pub(super) fn presets() -> Vec<(&'static str, String)> {
    let of =
        |case: &'static Case| case.rows.iter().map(|row| (case.model, given(row)["preset"].as_str().unwrap_or("").to_owned()));
    CASES.iter().flat_map(of).collect()
}

fn given(row: &Row) -> Value {
    serde_json::from_str(row.given).unwrap_or_else(|error| panic!("{}: {error}", row.given))
}

fn network(case: &Case) -> Value {
    let population = |(k, row): (usize, &Row)| {
        let mut population = given(row);
        population["name"] = json!(format!("p{k}"));
        population["size"] = json!(row.expect.len());
        population["model"] = json!(case.model);
        population
    };
    let populations: Vec<Value> = case.rows.iter().enumerate().map(population).collect();
    json!({"name": case.model, "dt_ms": case.dt, "duration_ms": case.ms, "populations": populations})
}

/// What is wrong with a train of spikes, if anything.
fn mistake(train: &[f64], expect: &Expect, ms: f64) -> Option<String> {
    let (right, expected) = match expect {
        Never => (train.is_empty(), "no spike".into()),
        Count(from, to) => ((*from..=*to).contains(&train.len()), format!("{from} to {to} spikes")),
        Every(interval, within) => {
            let late: Vec<f64> = train.iter().copied().filter(|time| *time > ms / 2.0).collect();
            let found = if late.len() > 2 { mean(&intervals(&late)) } else { f64::NAN };
            let right = (found - interval).abs() <= *within;
            (right, format!("one every {interval:.4} ± {within} ms, not {found:.4}"))
        }
        Pattern(what, is) => (!train.is_empty() && is(train), (*what).into()),
    };
    (!right).then(|| format!("expected {expected}; {} spikes, {:.2?}", train.len(), &train[..train.len().min(25)]))
}

#[test]
fn cells_fire_as_published() {
    let gpu = device();
    let mut wrong: BTreeMap<String, String> = BTreeMap::new();
    for case in CASES {
        let seen_wrong = std::cell::RefCell::new(Vec::new());
        on_all(gpu.as_ref(), &network(case), |seen: &Seen| {
            for (k, row) in case.rows.iter().enumerate() {
                for (neuron, expect) in row.expect.iter().enumerate() {
                    if let Some(mistake) = mistake(seen.train(&format!("p{k}"), neuron as u32), expect, case.ms) {
                        let place = format!("{} {} [{neuron}] on {}", case.model, row.given, seen.device);
                        seen_wrong.borrow_mut().push((place, mistake));
                    }
                }
            }
        });
        wrong.extend(seen_wrong.into_inner());
    }
    let lines: Vec<String> = wrong.iter().map(|(place, mistake)| format!("{place}: {mistake}")).collect();
    assert!(lines.is_empty(), "\n{}", lines.join("\n"));
}
