/// Networks of trainings.
mod trained;

use spikelet::{Backend, Network, Spike};
use spikelet_interchange::nir::{Cell, CellKind, Convolution, Graph, Import, Node, Padding, Pool, Reset, Tensor};
use spikelet_tests::{RecordedRun, devices, run};

const LIF: &[u8] = include_bytes!("nir/lif_norse.nir");
const TWO: &[u8] = include_bytes!("nir/two_lif_neurons.nir");
const BRAILLE: &[u8] = include_bytes!("nir/braille_noDelay_bias_zero.nir");
/// Rows of input, potential and spike of 0.1 ms, by forward Euler with a reset to zero.
const NORSE: &str = include_str!("nir/lif_norse.csv");
/// The same, by the exact solution with a reset by subtraction.
const EXACT: &str = include_str!("nir/lif_exact.csv");

/// The time step of all tests in ms.
const DT: f64 = 0.1;

fn network(bytes: &[u8], import: &Import) -> Network {
    let graph = Graph::from_bytes(bytes.to_vec()).unwrap_or_else(|error| panic!("{error}"));
    graph.network(import).unwrap_or_else(|error| panic!("{error}")).0
}

fn run_steps(network: &Network, backend: Box<dyn Backend>, steps: usize) -> RecordedRun {
    run(network, backend, steps as f64 * DT, 100).unwrap_or_else(|error| panic!("{error}"))
}

/// Spikes of the neurons from `first` up to `end`, as steps and neurons.
fn spikes(run: &RecordedRun, first: u32, end: u32) -> Vec<(usize, usize)> {
    let of =
        |spike: &Spike| (first..end).contains(&spike.neuron).then_some((spike.step as usize, (spike.neuron - first) as usize));
    run.spikes.iter().filter_map(of).collect()
}

fn rows(text: &str) -> Vec<[f64; 3]> {
    let row = |line: &str| line.split(',').map(|value| value.parse().unwrap()).collect::<Vec<f64>>().try_into().unwrap();
    text.lines().map(row).collect()
}

/// The published trace: an input of row k is a spike of step k, which acts in step k + 1. The state after that step is sampled at the
/// beginning of step k + 2, after the reset.
#[test]
fn the_published_trace_of_one_cell() {
    for (text, reset, tolerance) in [(NORSE, Reset::ToValue, 1e-6), (EXACT, Reset::Subtract, 2e-3)] {
        let rows = rows(text);
        let input = (0..rows.len()).filter(|row| rows[*row][0] == 1.0).map(|row| (0, row as f64 * DT)).collect();
        let network = network(LIF, &Import { reset, input, ..Import::default() });
        for (name, backend) in devices() {
            let run = run_steps(&network, backend, rows.len() + 2);
            let fired: Vec<usize> = spikes(&run, 0, 1).into_iter().map(|(step, _)| step - 1).collect();
            assert_eq!(fired, [460, 510, 710, 760], "{name}, {reset:?}");
            for (row, [_, potential, _]) in rows.iter().enumerate() {
                let error = (f64::from(run.samples[row + 2]) - potential).abs();
                assert!(error < tolerance, "{name}, {reset:?}, row {row}: {} instead of {potential}", run.samples[row + 2]);
            }
        }
    }
}

/// The same cell by a loop in f64, with both resets.
#[test]
fn forward_euler_is_that_of_a_loop() {
    for reset in [Reset::ToValue, Reset::Subtract] {
        let drive = |step: usize| step.is_multiple_of(7) || step.is_multiple_of(5) && step > 300;
        let input = (0..1000).filter(|step| drive(*step)).map(|step| (0, step as f64 * DT)).collect();
        let network = network(LIF, &Import { reset, input, ..Import::default() });
        let (mut v, mut fired, mut potentials) = (0.0, Vec::new(), vec![0.0]);
        for step in 0..999 {
            v += DT / 2.5 * (f64::from(u8::from(step > 0 && drive(step - 1))) - v);
            let fires = v > 0.1;
            if fires {
                fired.push((step, 0));
                v = if reset == Reset::Subtract { v - 0.1 } else { 0.0 };
            }
            potentials.push(v);
        }
        for (name, backend) in devices() {
            let run = run_steps(&network, backend, 1000);
            assert!(fired.len() > 10 && spikes(&run, 0, 1) == fired, "{name}, {reset:?}: {fired:?}");
            for (step, (sample, potential)) in run.samples.iter().zip(&potentials).enumerate() {
                assert!(
                    (f64::from(*sample) - potential).abs() < 1e-6,
                    "{name}, {reset:?}, step {step}: {sample}, not {potential}"
                );
            }
        }
    }
}

#[test]
fn a_leak_above_threshold_fires_by_itself_into_the_next_cell() {
    let network = network(TWO, &Import::default());
    assert_eq!(network.populations.iter().map(|of| of.name.as_str()).collect::<Vec<_>>(), ["lif1", "lif2"]);
    // From 0, v is 1.2 (1 - 0.99^n) after n steps, which is above 1 from n = 179 on.
    let period = (1..).find(|n| 1.2 * (1.0 - 0.99f64.powi(*n)) > 1.0).unwrap() as usize;
    for (name, backend) in devices() {
        let run = run_steps(&network, backend, 600);
        let fired: Vec<usize> = spikes(&run, 0, 2).into_iter().map(|(step, _)| step).collect();
        // The first layer begins in step 1.
        assert_eq!(fired, [period, 2 * period, 3 * period], "{name}");
        // The second cell is recorded: 0.01 in the step after a spike, sampled at the beginning of the next one.
        assert_eq!(run.samples[period + 1], 0.0, "{name}");
        assert!((run.samples[period + 2] - 0.01).abs() < 1e-6, "{name}: {}", run.samples[period + 2]);
    }
}

/// Random numbers of 0 to 1 that are the same everywhere.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24)
    }
}

/// A layer of the loop below: leaky cells with a synaptic current.
struct Layer {
    cell: Cell,
    current: Vec<f64>,
    potential: Vec<f64>,
}

impl Layer {
    fn of(graph: &Graph, name: &str) -> Layer {
        let Some(Node::Cell(cell)) = graph.node(name) else { panic!("{name} is no cell") };
        let size = cell.values[0].values.len();
        Layer { cell: cell.clone(), current: vec![0.0; size], potential: vec![0.0; size] }
    }

    /// A step with some input; which neurons fire.
    fn step(&mut self, input: &[f64]) -> Vec<bool> {
        let of = |name: &str, neuron: usize| self.cell.get(name).unwrap().values[neuron];
        (0..input.len())
            .map(|neuron| {
                let (current, potential) = (&mut self.current[neuron], &mut self.potential[neuron]);
                let dt = DT / 1000.0;
                *current += dt / of("tau_syn", neuron) * (of("w_in", neuron) * input[neuron] - *current);
                *potential += dt / of("tau_mem", neuron) * (of("v_leak", neuron) - *potential + of("r", neuron) * *current);
                let fires = *potential > of("v_threshold", neuron);
                if fires {
                    *potential = 0.0;
                }
                fires
            })
            .collect()
    }
}

/// Adds W x + b.
fn affine(graph: &Graph, name: &str, spikes: &[bool], sum: &mut [f64]) {
    let Some(Node::Affine { weight, bias }) = graph.node(name) else { panic!("{name} is not affine") };
    for (row, sum) in sum.iter_mut().enumerate() {
        let weights = &weight.values[row * spikes.len()..];
        *sum += bias.values[row] + spikes.iter().zip(weights).filter(|(fires, _)| **fires).map(|(_, weight)| weight).sum::<f64>();
    }
}

#[test]
fn a_trained_recurrent_network_is_that_of_a_loop() {
    const STEPS: usize = 256;
    let graph = Graph::from_bytes(BRAILLE.to_vec()).unwrap();
    let mut draw = random(3);
    let input: Vec<Vec<bool>> = (0..STEPS).map(|_| (0..12).map(|_| draw() < 0.1).collect()).collect();
    let list = input.iter().enumerate().flat_map(|(step, row)| {
        (0..12).filter(|neuron| row[*neuron as usize]).map(move |neuron| (neuron, step as f64 * DT)).collect::<Vec<_>>()
    });
    let (network, notices) = graph.network(&Import { input: list.collect(), ..Import::default() }).unwrap();
    assert_eq!(notices, []);

    // A spike acts in the next step, from each layer to the next one as from a layer to itself.
    let (mut first, mut second) = (Layer::of(&graph, "lif1.lif"), Layer::of(&graph, "lif2"));
    let (mut received, mut fired) = (vec![false; 12], vec![false; 38]);
    let mut expected = Vec::new();
    for (step, next) in input.iter().enumerate() {
        let (mut sum, mut second_sum) = ([0.0; 38], [0.0; 7]);
        affine(&graph, "fc1", &received, &mut sum);
        affine(&graph, "lif1.w_rec", &fired, &mut sum);
        affine(&graph, "fc2", &fired, &mut second_sum);
        // A layer begins with the step in which the first spikes reach it.
        fired = if step >= 1 { first.step(&sum) } else { vec![false; 38] };
        let outputs = if step >= 2 { second.step(&second_sum) } else { vec![false; 7] };
        expected.extend(fired.iter().chain(&outputs).enumerate().filter(|(_, fires)| **fires).map(|(neuron, _)| (step, neuron)));
        received.clone_from(next);
    }
    assert!(expected.len() > 500, "{} spikes", expected.len());
    for (name, backend) in devices() {
        let run = run_steps(&network, backend, STEPS);
        assert_eq!(spikes(&run, 0, 45), expected, "{name}");
    }
}

/// Layers as in the published network for N-MNIST, smaller and with whole weights, so that every sum is exact.
fn convolutional() -> Graph {
    let mut draw = random(5);
    let mut whole = |shape: &[usize], most: f64| {
        let count: usize = shape.iter().product();
        Tensor::new(shape, (0..count).map(|_| (draw() * (2.0 * most + 1.0)).floor() - most).collect::<Vec<_>>())
    };
    let mut convolution = |weight: &[usize], stride: usize| Convolution {
        input_shape: None,
        weight: whole(weight, 3.0),
        stride: vec![stride; 2],
        padding: Padding::Each(vec![1, 1]),
        dilation: vec![1, 1],
        groups: 1,
        bias: Tensor::full(&weight[..1], 1.0),
    };
    let (first, second) = (convolution(&[4, 2, 5, 5], 2), convolution(&[3, 4, 3, 3], 1));
    let cells = |shape: &[usize], threshold| {
        let value = |name| Tensor::full(shape, if name == "v_threshold" { threshold } else { f64::from(u8::from(name == "r")) });
        Node::Cell(Cell { kind: CellKind::If, values: CellKind::If.parameters().map(value).collect() })
    };
    Graph::chain([
        ("input", Node::Input { shape: vec![2, 12, 10] }),
        ("0", Node::Conv2d(first)),
        ("1", cells(&[4, 5, 4], 8.0)),
        ("2", Node::Conv2d(second)),
        ("3", cells(&[3, 5, 4], 9.0)),
        ("4", Node::SumPool2d(Pool { kernel_size: [2, 2], stride: [2, 2], padding: [0, 0] })),
        ("5", Node::Flatten { input_shape: None, start_dim: 0, end_dim: -1 }),
        ("6", Node::Affine { weight: whole(&[10, 12], 4.0), bias: Tensor::full(&[10], 0.5) }),
        ("7", cells(&[10], 6.0)),
        ("output", Node::Output { shape: vec![10] }),
    ])
}

/// A convolution of (channels, height, width) as its definition says.
fn convolve(of: &Convolution, input: &[f64], [channels, height, width]: [usize; 3]) -> Vec<f64> {
    let [outputs, _, rows, columns] = of.weight.shape[..] else { panic!("two dimensions") };
    let padded = |channel: usize, y: i64, x: i64| {
        let is_inside = (0..height as i64).contains(&y) && (0..width as i64).contains(&x);
        if is_inside { input[(channel * height + y as usize) * width + x as usize] } else { 0.0 }
    };
    let (high, wide) = ((height + 2 - rows) / of.stride[0] + 1, (width + 2 - columns) / of.stride[1] + 1);
    let mut sums = Vec::new();
    for output in 0..outputs {
        for (y, x) in (0..high).flat_map(|y| (0..wide).map(move |x| (y, x))) {
            let mut sum = of.bias.values[output];
            for channel in 0..channels {
                for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                    let weight = of.weight.values[((output * channels + channel) * rows + row) * columns + column];
                    let (y, x) = (y * of.stride[0] + row, x * of.stride[1] + column);
                    sum += weight * padded(channel, y as i64 - 1, x as i64 - 1);
                }
            }
            sums.push(sum);
        }
    }
    sums
}

/// Integrate-and-fire: which cells fire, as numbers.
fn integrate(potentials: &mut [f64], input: &[f64], threshold: f64) -> Vec<f64> {
    let step = |(potential, input): (&mut f64, &f64)| {
        *potential += input;
        let fires = *potential > threshold;
        if fires {
            *potential = 0.0;
        }
        f64::from(u8::from(fires))
    };
    potentials.iter_mut().zip(input).map(step).collect()
}

#[test]
fn a_convolutional_network_is_that_of_a_loop() {
    const STEPS: usize = 60;
    let graph = convolutional();
    let (Some(Node::Conv2d(first)), Some(Node::Conv2d(second))) = (graph.node("0"), graph.node("2")) else {
        panic!("convolutions")
    };
    let Some(Node::Affine { weight, bias }) = graph.node("6") else { panic!("affine") };
    let mut draw = random(7);
    let input: Vec<Vec<f64>> = (0..STEPS).map(|_| (0..240).map(|_| f64::from(u8::from(draw() < 0.05))).collect()).collect();
    let list = input.iter().enumerate().flat_map(|(step, row)| {
        (0..240).filter(|neuron| row[*neuron as usize] > 0.0).map(move |neuron| (neuron, step as f64 * DT)).collect::<Vec<_>>()
    });
    let import = Import { input: list.collect(), ..Import::default() };
    let (network, _) = Graph::from_bytes(graph.to_bytes(true).unwrap()).unwrap().network(&import).unwrap();
    assert_eq!(network.populations.iter().map(|of| of.size).collect::<Vec<_>>(), [80, 60, 10]);

    let mut potentials = [vec![0.0; 80], vec![0.0; 60], vec![0.0; 10]];
    let (mut received, mut a, mut b) = (vec![0.0; 240], vec![0.0; 80], vec![0.0; 60]);
    let mut expected = Vec::new();
    for (step, next) in input.iter().enumerate() {
        let sums = [convolve(first, &received, [2, 12, 10]), convolve(second, &a, [4, 5, 4])];
        // Windows of two by two on five by four cells: two by two of them.
        let at = |channel: usize, y: usize, x: usize| b[(channel * 5 + y) * 4 + x];
        let pooled: Vec<f64> = (0..12)
            .map(|place| (place / 4, place / 2 % 2 * 2, place % 2 * 2))
            .map(|(channel, y, x)| at(channel, y, x) + at(channel, y, x + 1) + at(channel, y + 1, x) + at(channel, y + 1, x + 1))
            .collect();
        let last: Vec<f64> = (0..10)
            .map(|row| bias.values[row] + (0..12).map(|column| weight.values[row * 12 + column] * pooled[column]).sum::<f64>())
            .collect();
        // A layer begins with the step in which the first spikes reach it.
        let mut layer = |of: usize, sums: &[f64], threshold: f64| {
            if step > of { integrate(&mut potentials[of], sums, threshold) } else { vec![0.0; sums.len()] }
        };
        a = layer(0, &sums[0], 8.0);
        b = layer(1, &sums[1], 9.0);
        let c = layer(2, &last, 6.0);
        let fired = a.iter().chain(&b).chain(&c).enumerate().filter(|(_, fires)| **fires > 0.0);
        expected.extend(fired.map(|(neuron, _)| (step, neuron)));
        received.clone_from(next);
    }
    assert!(expected.iter().filter(|(_, neuron)| *neuron >= 140).count() > 20, "the last layer fires");
    for (name, backend) in devices() {
        let run = run_steps(&network, backend, STEPS);
        assert_eq!(spikes(&run, 0, 150), expected, "{name}");
    }
}

/// Biases and leaks of a layer act from the step on in which its first spikes arrive, so that each layer fires as in a framework that computes all of them
/// in a step, and one step later for each layer. The rows are those of such a loop.
#[test]
fn biases_act_as_in_frameworks() {
    let fired = [2, 5, 8, 17, 21, 24, 34];
    for leak in [0.0, 0.4] {
        let cell = || {
            let value = |name: &str| match name {
                "tau" => 0.001,
                "r" => 10.0,
                "v_threshold" => 1.0,
                "v_leak" => leak,
                _ => 0.0,
            };
            Node::Cell(Cell {
                kind: CellKind::Lif,
                values: CellKind::Lif.parameters().map(|name| Tensor::full(&[1], value(name))).collect(),
            })
        };
        let affine = || Node::Affine { weight: Tensor::new([1, 1], [0.6]), bias: Tensor::new([1], [0.11]) };
        let graph = Graph::chain([
            ("input", Node::Input { shape: vec![1] }),
            ("fc1", affine()),
            ("lif1", cell()),
            ("fc2", affine()),
            ("lif2", cell()),
            ("output", Node::Output { shape: vec![1] }),
        ]);
        let (mut v, mut expected) = ([0.0; 2], Vec::new());
        for row in 0..80_u32 {
            let mut signal = f64::from(u8::from(fired.contains(&row)));
            for (layer, v) in (0..).zip(&mut v) {
                *v += 0.1 * (leak - *v + 10.0 * (0.6 * signal + 0.11));
                signal = f64::from(u8::from(*v > 1.0));
                if signal > 0.0 {
                    *v = 0.0;
                    expected.push([layer, row + 1 + layer]);
                }
            }
        }
        expected.sort_unstable();
        if leak == 0.0 {
            let first: Vec<u32> = expected.iter().filter(|[layer, _]| *layer == 0).map(|[_, step]| step - 1).take(5).collect();
            assert_eq!(first, [5, 15, 21, 31, 41], "the rows of snnTorch");
        }
        let input = fired.iter().map(|row| (0, f64::from(*row) * DT)).collect();
        let (network, _) = graph.network(&Import { input, ..Import::default() }).unwrap();
        for (name, backend) in devices() {
            let run = run_steps(&network, backend, 79);
            let mut found: Vec<[u32; 2]> =
                run.spikes.iter().filter(|spike| spike.neuron < 2).map(|spike| [spike.neuron, spike.step]).collect();
            found.sort_unstable();
            expected.retain(|[_, step]| *step < 79);
            assert_eq!(found, expected, "{name}, leak {leak}");
        }
        // What is written has no steps: it is the same graph.
        assert_eq!(
            Graph::of(&network).unwrap().0.network(&Import { input: Vec::new(), ..Import::default() }).unwrap().0.populations,
            network.populations
        );
    }
}

/// Potentials as signals: an integrator of a current, and an output that is a weighted sum of potentials.
#[test]
fn potentials_are_signals_of_the_next_step() {
    let cells = |kind: CellKind| {
        let value = |name: &str| Tensor::full(&[2], if name == "tau" { 0.001 } else { f64::from(u8::from(name == "r")) });
        Node::Cell(Cell { kind, values: kind.parameters().map(value).collect() })
    };
    let graph = Graph::chain([
        ("input", Node::Input { shape: vec![2] }),
        ("leaky", cells(CellKind::Li)),
        ("sum", cells(CellKind::I)),
        ("readout", Node::Affine { weight: Tensor::new([1, 2], [2.0, -1.0]), bias: Tensor::new([1], [0.25]) }),
        ("output", Node::Output { shape: vec![1] }),
    ]);
    let (network, _) = graph.network(&Import { input: vec![(0, 0.1), (1, 0.3), (0, 0.4)], ..Import::default() }).unwrap();
    let (mut leaky, mut sum, mut readout, mut expected) = ([0.0; 2], [0.0; 2], 0.0, Vec::new());
    for step in 0..20 {
        expected.push(readout);
        // The third layer begins with the step in which the first signals reach it.
        readout = if step < 3 { 0.0 } else { 2.0 * sum[0] - sum[1] + 0.25 };
        for neuron in 0..2 {
            sum[neuron] += leaky[neuron];
            let fired = if neuron == 0 { [2, 5].contains(&step) } else { step == 4 };
            leaky[neuron] += 0.1 * (f64::from(u8::from(fired)) - leaky[neuron]);
        }
    }
    for (name, backend) in devices() {
        let run = run_steps(&network, backend, 20);
        for (step, (sample, expected)) in run.samples.iter().zip(&expected).enumerate() {
            assert!((f64::from(*sample) - expected).abs() < 1e-5, "{name}, step {step}: {sample}, not {expected}");
        }
    }
}

#[test]
fn a_network_has_the_same_spikes_after_a_file() {
    let graph = Graph::from_bytes(BRAILLE.to_vec()).unwrap();
    for reset in [Reset::ToValue, Reset::Subtract] {
        let input = (0..240).map(|k| (k % 12, f64::from(k * 7 % 200) * DT)).collect();
        let import = Import { reset, input, ..Import::default() };
        let network = graph.network(&import).unwrap().0;
        let exported = Graph::of(&network).unwrap().0.to_bytes(true).unwrap();
        let again = Graph::from_bytes(exported).unwrap().network(&import).unwrap().0;
        for ((name, one), (_, other)) in devices().into_iter().zip(devices()) {
            let (one, other) = (run_steps(&network, one, 300), run_steps(&again, other, 300));
            assert!(one.spikes.len() > 500 && one.spikes == other.spikes, "{name}, {reset:?}");
        }
    }
}

/// The library's cell has an exact step; with a step of 0.01 ms forward Euler is near.
#[test]
fn the_library_cell_without_a_refractory_time_is_a_graph() {
    let text = r#"{"name": "pair", "dt_ms": 0.01, "duration_ms": 300,
        "populations": [{"name": "a", "size": 2, "model": "lif", "preset": "never_refractory", "parameters": {"I": ["180 pA", "0 pA"]}, "initial": {"v": "0 mV"}}],
        "projections": [{"pre": "a", "post": "a", "pairs": [[0, 1]], "on_pre": "v_post += w", "parameters": {"w": "6 mV"}, "delay_ms": 1.5}],
        "recordings": [{"object": "a", "var": "v", "indices": [1]}]}"#;
    let network = Network::from_json(text).unwrap();
    let (graph, notices) = Graph::of(&network).unwrap();
    let notices: Vec<String> = notices.iter().map(ToString::to_string).collect();
    assert!(
        notices[0].contains("the time step 0.01 ms") && notices[1].contains("forward Euler") && notices[2].contains("initial"),
        "{notices:?}"
    );
    let graph = Graph::from_bytes(graph.to_bytes(false).unwrap()).unwrap();
    let (again, _) = graph.network(&Import { dt_ms: 0.01, ..Import::default() }).unwrap();
    let times = |network: &Network| {
        let run = run(network, Box::new(spikelet::Cpu::new(1)), 300.0, 1000).unwrap();
        run.spikes.iter().map(|spike| (spike.neuron, f64::from(spike.step) * 0.01)).collect::<Vec<_>>()
    };
    let (ours, theirs) = (times(&network), times(&again));
    assert!(ours.len() > 8 && ours.iter().any(|(neuron, _)| *neuron == 1), "{ours:?}");
    assert_eq!(ours.len(), theirs.len());
    for ((neuron, time), (other, again)) in ours.iter().zip(&theirs) {
        assert!(neuron == other && (time - again).abs() <= 0.005 * time, "{neuron} at {time} ms, {other} at {again} ms");
    }
}
