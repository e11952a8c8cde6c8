//! NeuroML and LEMS files: the spike times that NeuroML lists for its examples, with files of our own for the same models.
//!
//! The times are facts of `LEMSexamples/test/.test.ex*.mep` of github.com/NeuroML/NeuroML2 (ed6b8b7), the thresholds of detection and the relative
//! tolerances those of `.test.ex*.jnml.omt`: upward crossings of the potential, sampled in every step.

use std::path::Path;

use spikelet::{Double, Network, Notice};
use spikelet_interchange::neuroml;
use spikelet_tests::{devices, run};

/// The model of an example.
struct Case {
    file: &'static str,
    /// Each recorded channel, the potential at which a crossing counts in its unit, the times in ms, and the relative tolerance.
    expected: &'static [(&'static str, f64, &'static [f64], f64)],
}

const CASES: [Case; 13] = [
    // Ex0
    Case {
        file: "iaf.xml",
        expected: &[
            ("tau_cells.v[0]", -55.1, &[41.0, 82.595, 124.19, 165.785, 207.38, 248.975, 290.57], 1.0324534535558631e-4),
            ("tau_ref_cells.v[0]", -55.1, &[46.0, 92.6, 139.2, 185.8, 232.4, 279.0], 2.173913043479373e-4),
            ("iaf_cells.v[0]", -55.1, &[33.47, 67.72, 101.97, 136.22, 170.47, 204.72, 238.97, 273.22], 2.7450406266e-4),
            ("iaf_ref_cells.v[0]", -55.1, &[38.47, 77.725, 116.98, 156.235, 195.49, 234.745, 274.0], 2.9197080291964994e-4),
        ],
    },
    // Ex5
    Case {
        file: "hh.xml",
        expected: &[("cells.v[0]", 0.0, &[102.22, 118.46, 134.5, 150.52, 166.55, 182.58, 198.6], 3.2729103726082866e-3)],
    },
    // Ex3
    Case {
        file: "pair.xml",
        expected: &[
            ("second.v[0]", -51.5, &[29.55, 47.44, 65.53], 3.1618887015178268e-3),
            ("second.v[1]", -51.5, &[29.215, 47.22, 65.31], 3.282507412113535e-3),
        ],
    },
    // Ex6
    Case { file: "nmda.xml", expected: &[("cells.v[0]", -32.0, &[229.78, 304.74, 379.74], 1.3055966576726058e-4)] },
    // Ex7
    Case {
        file: "plastic.xml",
        expected: &[
            ("cells.v[0]", -40.0, &[62.51, 91.16, 120.73, 150.55, 180.47, 210.44, 240.42, 270.41], 4.7992321228593877e-4),
            ("cells.v[1]", -49.4, &[33.11, 60.61, 90.87], 9.060706735125683e-4),
            ("cells.v[2]", -49.4, &[33.11, 60.44, 122.29], 9.060706735125683e-4),
        ],
    },
    // Ex12
    Case {
        file: "net.xml",
        expected: &[
            ("cells.v[0]", -59.83, &[100.32], 1.4952153110034248e-4),
            ("cells.v[1]", -59.83, &[110.695], 1.355074754956083e-4),
            ("cells.v[2]", -59.53, &[50.975, 100.705, 130.26], 1.9617459538985796e-4),
            ("cells.v[3]", -59.53, &[63.16, 112.33, 141.38], 1.5832805573144412e-4),
            ("cells.v[4]", -42.0, &[97.035, 124.655, 153.68, 183.195, 212.945, 242.81, 272.735], 5.152779924764727e-5),
            ("cells.v[5]", -55.0, &[75.105, 102.745, 132.02, 161.775, 191.69, 221.665, 251.655, 281.655], 1.3314692763471294e-4),
        ],
    },
    // Ex14
    Case {
        file: "pynn.xml",
        expected: &[
            (
                "curr_cells.v[0]",
                -50.1,
                &[27.34, 67.55, 107.76, 147.97, 188.18, 228.39, 268.6, 308.81, 349.02, 389.23, 429.44, 469.65],
                4.471414883424601e-4,
            ),
            (
                "cond_cells.v[0]",
                -50.1,
                &[35.19, 76.04, 116.9, 157.76, 198.62, 239.48, 280.34, 321.2, 362.06, 402.92, 443.78, 484.64],
                6.190161769562318e-4,
            ),
            ("eif_cells.v[0]", -45.0, &[26.81, 81.78, 176.5, 285.1, 394.34], 5.258009293225811e-3),
            (
                "hh_cells.v[0]",
                0.0,
                &[
                    10.33, 36.1, 61.94, 87.78, 113.62, 139.46, 165.3, 191.14, 216.98, 242.82, 268.66, 294.5, 320.34, 346.18,
                    372.02, 397.86, 423.69, 449.53, 475.37,
                ],
                9.680542110359693e-4,
            ),
        ],
    },
    // Ex19
    Case {
        file: "gap.xml",
        expected: &[
            ("first.v[0]", -69.5, &[50.51, 112.29, 173.95, 235.6, 436.38, 489.24, 550.63], 5.517826825127141e-4),
            ("second.v[0]", -69.5, &[86.39, 139.24, 200.63, 400.51, 462.29, 523.95, 585.6], 5.482729402381759e-4),
        ],
    },
    // Ex15: its first spikes
    Case { file: "calcium.xml", expected: &[("cells.v[0]", 0.0, &[108.261, 135.871, 161.896, 187.363], 5.044726617700581e-3)] },
    // Ex18
    Case { file: "ghk.xml", expected: &[("cells.v[0]", 0.0, &[5.079, 10.239], 1.3673210274440224e-3)] },
    // Ex22, which lists the steps themselves
    Case {
        file: "pinsky.xml",
        expected: &[
            ("cells.Vs[0]", 0.0, &[13.83, 92.53, 435.82, 933.57, 1431.36], STEP),
            ("cells.Vd[0]", 0.0, &[17.07, 96.88, 440.55, 938.3, 1436.09], STEP),
        ],
    },
    // Times of jNeuroML 0.14.0 for the same file.
    Case {
        file: "regimes.xml",
        expected: &[("cells.v[0]", -64.0, &[0.59, 9.65, 19.05, 28.77, 38.8, 49.13, 59.74, 70.62, 81.75, 93.09], TRANSITIONS)],
    },
    // Ex21
    Case { file: "current.xml", expected: &[("cells.v[0]", 0.4, &[103.952, 122.271], 9.61982453430972e-6)] },
];

/// A tolerance of one step of 0.01 ms, and not relative: absolute ones are negative.
const STEP: f64 = -0.01;
/// Two steps for each of ten cycles of two regimes: a transition takes a step in jLEMS.
const TRANSITIONS: f64 = -0.09;

fn read(file: &str) -> (Network, Vec<Notice>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("neuroml");
    let mut open = |path: &str| std::fs::read(folder.join(path)).map_err(|error| error.to_string());
    let bytes = open(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let found = neuroml::read(file, &bytes, &mut open).unwrap_or_else(|error| panic!("{file}: {error}"));
    (found.network, found.notices)
}

/// The rows of the recorded channels in f64.
pub(crate) fn samples(network: &Network) -> (Vec<String>, Vec<Vec<f64>>) {
    let done = run(network, Box::new(Double::new()), network.duration_ms, 1000).unwrap_or_else(|error| panic!("{error}"));
    let plan = spikelet::Plan::new(network).unwrap_or_else(|error| panic!("{error}"));
    let labels: Vec<String> = plan.channels.iter().map(|channel| channel.label.clone()).collect();
    let rows = done.samples.chunks_exact(labels.len()).map(|row| row.iter().map(|value| f64::from(*value)).collect()).collect();
    (labels, rows)
}

#[test]
fn the_listed_times_of_the_examples() {
    for Case { file, expected } in CASES {
        let (network, _) = read(file);
        let (labels, rows) = samples(&network);
        for (label, threshold, times, tolerance) in expected {
            let channel = labels.iter().position(|of| of == label).unwrap_or_else(|| panic!("{file}: no {label} in {labels:?}"));
            let crossings =
                rows.windows(2).enumerate().filter(|(_, pair)| pair[0][channel] <= *threshold && pair[1][channel] > *threshold);
            let found: Vec<f64> = crossings.map(|(step, _)| (step + 1) as f64 * network.dt_ms).collect();
            assert_eq!(found.len(), times.len(), "{file}, {label}: {found:?}");
            for (found, time) in found.iter().zip(*times) {
                // The reference lists times of whole steps, and some lie exactly on the tolerance.
                let tolerance = if *tolerance < 0.0 { -tolerance } else { tolerance * time };
                assert!((found - time).abs() <= tolerance * (1.0 + 1e-6), "{file}, {label}: {found}, not {time}");
            }
        }
    }
}

/// Ex9: forward Euler has the listed maxima to the digit, in s.
#[test]
fn waves_have_their_maxima_at_the_listed_times() {
    let (labels, rows) = samples(&read("waves.xml").0);
    let expected: [(&str, [f64; 6]); 2] = [
        ("cells.V[0]", [2.44, 39.11, 75.64, 112.17, 148.70, 185.23]),
        ("cells.W[0]", [16.26, 52.79, 89.32, 125.85, 162.37, 198.90]),
    ];
    for (label, times) in expected {
        let channel = labels.iter().position(|of| of == label).expect("a channel");
        let maxima = rows
            .windows(3)
            .enumerate()
            .filter(|(_, rows)| rows[0][channel] < rows[1][channel] && rows[1][channel] >= rows[2][channel]);
        let found: Vec<String> = maxima.map(|(row, _)| format!("{:.2}", (row + 1) as f64 * 0.01)).collect();
        assert_eq!(found, times.map(|time| format!("{time:.2}")), "{label}");
    }
}

/// A channel with a kinetic scheme: the potentials of jNeuroML 0.14.0, from which they differ by 0.7 mV at ten times the step.
#[test]
fn kinetic_schemes_have_the_potentials_of_jneuroml() {
    let (labels, rows) = samples(&read("kinetic.xml").0);
    let channel = labels.iter().position(|of| of == "cells.v[0]").expect("a channel");
    for (step, v) in
        [(24_000, -37.292), (30_000, -34.334), (40_000, -37.708), (60_000, -37.614), (92_000, -64.632), (99_000, -64.571)]
    {
        assert!((rows[step][channel] - v).abs() < 0.1, "step {step}: {}, not {v}", rows[step][channel]);
    }
}

/// Places of instances are those of neurons.
#[test]
fn instances_have_positions() {
    let (network, _) = read("ghk.xml");
    let positions = network.populations[0].positions.as_ref().expect("positions");
    let spikelet::Positions::List { points, .. } = positions else { panic!("{positions:?}") };
    assert_eq!(*points, [[1.0, 2.0, 3.0]]);
}

/// Types of the file become equations: the same as a loop in f64.
#[test]
fn types_of_a_file_are_compiled() {
    let (network, notices) = read("own.xml");
    assert!(notices.is_empty(), "{:?}", notices.iter().map(ToString::to_string).collect::<Vec<_>>());
    let (dt, steps) = (0.01, 10_000);
    let pull = |v: f64| if !(-60.0..=-50.0).contains(&v) { -70.0 - v } else { -60.0 - v };
    let (mut v, mut fired, mut j) = ([-70.0, -70.0], Vec::new(), 0.0);
    let mut arriving = std::collections::VecDeque::new();
    let mut last = Vec::new();
    for step in 0..steps {
        let t = step as f64 * dt;
        last.push(v[1]);
        let input = if (10.0..90.0).contains(&(t + dt)) { 250.0 } else { 0.0 };
        v[0] += dt * (pull(v[0]) / 10.0 + input / 100.0);
        v[1] += dt * (pull(v[1]) / 10.0 + 2.0 * j / 100.0);
        j += dt * (-j / 5.0);
        if v[0] > -50.0 {
            fired.push(step as u32);
            arriving.push_back(step + 200);
            v[0] = -70.0;
        }
        if v[1] > -50.0 {
            v[1] = -70.0;
        }
        if arriving.front() == Some(&step) {
            arriving.pop_front();
            j += 6.0 * 50.0;
        }
    }
    assert!(fired.len() > 3, "{fired:?}");
    for (name, backend) in devices() {
        let found = run(&network, backend, 100.0, 100).unwrap_or_else(|error| panic!("{name}: {error}"));
        let first: Vec<u32> = found.spikes.iter().filter(|spike| spike.neuron == 0).map(|spike| spike.step).collect();
        assert_eq!(first, fired, "{name}");
        let differ = found.samples.iter().zip(&last).map(|(found, v)| (f64::from(*found) - v).abs()).fold(0.0, f64::max);
        assert!(differ < 0.05, "{name}: {differ} mV");
    }
}

/// Damaged files are errors, whatever is damaged: none of them panics or takes much memory.
#[test]
fn damaged_files_are_errors() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("neuroml");
    let mut refused = 0;
    for file in ["iaf.xml", "hh.nml", "net.xml", "own.xml", "plastic.xml", "regimes.xml", "kinetic.xml", "calcium.xml"] {
        let bytes = std::fs::read(folder.join(file)).expect("the file is there");
        let mut open = |path: &str| std::fs::read(folder.join(path)).map_err(|error| error.to_string());
        let mut state = 1_u32;
        let mut next = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        for _ in 0..400 {
            let mut damaged = bytes.clone();
            match next(3) {
                0 => damaged.truncate(next(bytes.len())),
                1 => drop(damaged.drain(next(bytes.len() / 2)..next(bytes.len() / 2) + bytes.len() / 2)),
                _ => damaged[next(bytes.len())] = b"0<>=\"9e-/A"[next(10)],
            }
            refused += usize::from(neuroml::read(file, &damaged, &mut open).is_err());
        }
    }
    assert!(refused > 1600, "{refused}");
}

/// What is not supported is refused with its line.
#[test]
fn what_is_not_supported_is_an_error_with_its_place() {
    let network = |inside: &str| {
        format!(
            "<neuroml>\n<iafCell id='c' leakConductance='1nS' leakReversal='-70mV' thresh='-55mV' reset='-70mV' C='1pF'/>\n{inside}\n</neuroml>"
        )
    };
    let regime = |start: &str, inside: &str| {
        format!(
            "<ComponentType name='a'><Dynamics><StateVariable name='v' dimension='none'/><Regime name='r' {start}>{inside}</Regime></Dynamics></ComponentType><a id='x'/><network id='n'><population id='p' component='x' size='1'/></network>"
        )
    };
    const ONE: &str =
        "<segment id='0'><proximal x='0' y='0' z='0' diameter='1'/><distal x='0' y='0' z='9' diameter='1'/></segment>";
    let cell = |segments: &str, channels: &str, species: &str| {
        format!(
            "<ionChannelPassive id='h'/><cell id='x'><morphology id='m'>{segments}</morphology><biophysicalProperties id='b'><membraneProperties>{channels}<specificCapacitance value='1 uF_per_cm2'/><spikeThresh value='0mV'/><initMembPotential value='-65mV'/></membraneProperties><intracellularProperties>{species}</intracellularProperties></biophysicalProperties></cell><network id='n'><population id='p' component='x' size='1'/></network>"
        )
    };
    let one = "<network id='n'><population id='p' component='c' size='2'/>";
    for (inside, said) in [
        ("".to_owned(), "a file with 0 networks"),
        ("<network id='n'><population id='p' component='d' size='1'/></network>".to_owned(), "line 3: population `p`, component is `d`, but no component has this id; there are c, n"),
        ("<network id='n'><population id='p' component='c' size='0'/></network>".to_owned(), "1 or more"),
        ("<network id='n'><population id='p' component='c' size='many'/></network>".to_owned(), "a number is expected"),
        (format!("{one}<population id='q' component='n' size='1'/></network>"), "a cell is expected"),
        (format!("{one}<explicitInput target='p[2]' input='c'/></network>"), "p has cells 0 to 1"),
        (format!("{one}<explicitInput target='p' input='c'/></network>"), "a cell is expected, such as `pop[0]`"),
        (format!("{one}<explicitInput target='p[0]' input='c'/></network>"), "pulseGenerator"),
        (format!("{one}<projection id='x' presynapticPopulation='p' postsynapticPopulation='p'/></network>"), "`synapse` is missing"),
        (format!("{one}<swarm/></network>"), "<swarm>"),
        ("<spikeArray id='s'><spike id='0' time='1ms'/></spikeArray><network id='n'><population id='p' component='s' size='4000000000'/></network>".to_owned(), "at most 20000000 values"),
        ("<ComponentType name='a' extends='b'/><ComponentType name='b' extends='a'/><a id='x'/><network id='n'><population id='p' component='x' size='1'/></network>".to_owned(), "in a circle"),
        (regime("", ""), "none of them is the initial one"),
        (regime("initial='true'", "<OnCondition test='v .gt. 1'><Transition regime='s'/></OnCondition>"), "`s`, but a regime of the type is expected; there are r"),
        (regime("initial='true'", "<KineticScheme/>"), "<KineticScheme>"),
        (cell("<segment id='0'/><segment id='1'/>", "", ""), "2 segments, but one segment is expected, since cells are points in Spikelet; keep one <segment>"),
        (cell(ONE, "<channelDensityNernst id='k' ionChannel='h' condDensity='1 S_per_m2' ion='ca'/>", ""), "add a <species> with ion=\"ca\""),
        (cell(ONE, "", "<species id='na' ion='na'/>"), "only the concentration of calcium is known"),
    ] {
        let error = neuroml::read("a.nml", network(&inside).as_bytes(), &mut |_| Err("no file".into())).unwrap_err().to_string();
        assert!(error.contains(said), "{inside}: {error}");
    }
}
