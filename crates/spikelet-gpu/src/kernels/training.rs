//! Kernels of backpropagation through time. They have bindings of their own: `shaders/training.wgsl`.

use std::fmt::Write;

use spikelet::lang::ir::Op;
use spikelet::lang::wgsl;
use spikelet_train::{Reading, TrainedPopulation, TrainingPlan};

use super::KernelText;
use crate::link::{Module, link, shader};
use crate::sizes::WORKGROUP_SIZE;

/// A kernel of a training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum TrainingKernel {
    /// Sets the initial state of a population.
    Begin,
    /// Sets the spikes of the input.
    Inputs,
    /// A step of a population, by its index.
    Step(usize),
    /// Walks the rows of the neurons that fire.
    Propagate,
    /// A reading of a block of steps.
    Read(Reading),
    /// The gradient of a step of a population.
    StepBack(usize),
    /// Gradients of weights of a block of steps.
    Weights,
    /// Sums of the adjoints of constants over the neurons of a trial.
    SumNeurons,
    /// Sums over the trials of a chunk.
    SumTrials,
    /// Sums over chunks.
    SumChunks,
}

/// What the code of the gradient of a population reads of the forward pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Taped {
    /// Arrays that change: the tape has their values before each step. The state has the others.
    pub(crate) arrays: Vec<usize>,
    /// Ports: the tape has what arrived.
    pub(crate) ports: Vec<usize>,
    /// Whether the step of the last spike is read.
    pub(crate) last_spike: bool,
}

impl Taped {
    pub(crate) fn of(population: &TrainedPopulation) -> Taped {
        if !population.is_trained {
            return Taped::default();
        }
        let TrainedPopulation { layout, step, gradient, .. } = population;
        let reads = |op: Op| gradient.ops.contains(&op);
        Taped {
            arrays: (0..layout.variables).filter(|array| step.stores_to(*array) && reads(Op::Load(*array))).collect(),
            ports: (0..layout.ports).filter(|port| reads(Op::Port(*port))).collect(),
            last_spike: reads(Op::SinceSpike),
        }
    }

    /// Words of a lane in a step.
    pub(crate) fn words(&self) -> usize {
        self.arrays.len() + self.ports.len() + usize::from(self.last_spike)
    }
}

impl TrainingKernel {
    /// All kernels of a plan.
    pub(crate) fn all(plan: &TrainingPlan) -> Vec<TrainingKernel> {
        use TrainingKernel::{Begin, Inputs, Propagate, Read, Step, StepBack, SumChunks, SumNeurons, SumTrials, Weights};
        let mut all = vec![Begin, Inputs, Propagate, Weights, SumNeurons, SumTrials, SumChunks];
        let populations = (0..plan.populations.len()).filter(|index| *index != plan.input);
        all.extend(populations.clone().map(Step));
        all.extend(populations.filter(|index| plan.populations[*index].is_trained).map(StepBack));
        for readout in &plan.readouts {
            if !all.contains(&Read(readout.reading)) {
                all.push(Read(readout.reading));
            }
        }
        all
    }

    /// Its text.
    pub(crate) fn text(self, plan: &TrainingPlan) -> KernelText {
        let fixed = |name: &'static str, source: &str| (Module::new(name, &[source]), name);
        let (module, entry_point) = match self {
            TrainingKernel::Begin => fixed("begin_batch", shader!("training/begin")),
            TrainingKernel::Inputs => fixed("set_inputs", shader!("training/inputs")),
            TrainingKernel::Propagate => fixed("propagate_spikes", shader!("training/propagate")),
            TrainingKernel::Weights => fixed("sum_weights", shader!("training/weights")),
            TrainingKernel::SumNeurons => fixed("sum_neurons", shader!("training/sums")),
            TrainingKernel::SumTrials => fixed("sum_trials", shader!("training/trials")),
            TrainingKernel::SumChunks => fixed("sum_chunks", shader!("training/tree")),
            TrainingKernel::Read(reading) => (read(reading), "read_block"),
            TrainingKernel::Step(index) => (step(plan, index), "step_neurons"),
            TrainingKernel::StepBack(index) => (step_back(plan, index), "step_back"),
        };
        let size = format!("{WORKGROUP_SIZE}u");
        let header = shader!("training").replace("WORKGROUP_SIZE", &size);
        let library = [
            ("math", shader!("math")),
            ("exponential", shader!("math/exponential")),
            ("logarithm", shader!("math/logarithm")),
            ("circular", shader!("math/circular")),
            ("random", shader!("math/random")),
            ("rng", shader!("rng")),
            ("ring", shader!("ring")),
        ];
        let library = library.map(|(name, source)| Module::new(name, &[source]));
        KernelText { entry_point, wgsl: link(&header, &library, &[module.with("WORKGROUP_SIZE", &size)]) }
    }
}

fn name(array: usize) -> String {
    format!("a{array}")
}

/// A line of WGSL.
macro_rules! line {
    ($text:expr, $($format:tt)*) => {{
        // Writing to a String cannot fail.
        let _ = writeln!($text, $($format)*);
    }};
}

/// Fills a template for the neurons of a population.
fn neurons(name: &'static str, pieces: &[&str], ports: usize, parts: &[(&str, String)]) -> Module {
    let pieces: Vec<&str> = std::iter::once(shader!("training/neuron")).chain(pieces.iter().copied()).collect();
    let module = Module::new(name, &pieces).with("PORT_COUNT", &ports.max(1).to_string());
    module.filled(|slot| parts.iter().find(|(of, _)| *of == slot).map(|(_, text)| text.as_str()))
}

/// The step of a population.
fn step(plan: &TrainingPlan, index: usize) -> Module {
    let population = &plan.populations[index];
    let TrainedPopulation { layout, step, .. } = population;
    let (mut load, mut tape, mut store) = (String::new(), String::new(), String::new());
    let reads = |op: Op| step.ops.contains(&op);
    for port in (0..layout.ports).filter(|port| reads(Op::Port(*port))) {
        line!(load, "arrivals[{port}] = take({port}u, lane);");
    }
    for array in (0..layout.variables).filter(|array| step.touches(*array)) {
        line!(load, "var a{array} = bitcast<f32>(state[of_state({array}u, lane)]);");
        if step.stores_to(array) {
            line!(store, "state[of_state({array}u, lane)] = bitcast<u32>(a{array});");
        }
    }
    line!(load, "let a{} = select(0.0f, 1.0f, since_spike == 1.0f);", layout.spike());
    for observed in 0..layout.observed.len() {
        let array = layout.observation(observed);
        line!(load, "var a{array} = 0.0f;");
        let place = format!("job.observed + ({observed}u * job.block + step % job.block) * job.lane_count + lane");
        line!(store, "readings[{place}] = bitcast<u32>(a{array});");
    }
    let taped = Taped::of(population);
    let values = taped.arrays.iter().map(|array| format!("bitcast<u32>(a{array})"));
    let values = values.chain(taped.ports.iter().map(|port| format!("bitcast<u32>(arrivals[{port}])")));
    let values = values.chain(taped.last_spike.then(|| "bitcast<u32>(last_spike)".to_owned()));
    for (k, value) in values.enumerate() {
        line!(tape, "tape[of_tape({k}u, lane)] = {value};");
    }
    let mut code = wgsl::statements(step, &name, "x", wgsl::Arithmetic::Exact);
    line!(code, "let fires = {};", step.condition.map_or("false".to_owned(), |condition| format!("x{condition}")));
    neurons(
        "step",
        &[shader!("training/step")],
        layout.ports,
        &[("load", load), ("tape", tape), ("code", code), ("store", store)],
    )
}

/// The gradient of a step of a population.
fn step_back(plan: &TrainingPlan, index: usize) -> Module {
    let population = &plan.populations[index];
    let TrainedPopulation { layout, step, gradient, .. } = population;
    let (mut load, mut store) = (String::new(), String::new());
    let taped = Taped::of(population);
    let mut k = 0;
    let mut next = || {
        k += 1;
        format!("tape[of_tape({}u, lane)]", k - 1)
    };
    let reads = |op: Op| gradient.ops.contains(&op);
    for array in (0..layout.variables).filter(|array| reads(Op::Load(*array))) {
        let from = if taped.arrays.contains(&array) { next() } else { format!("state[of_state({array}u, lane)]") };
        line!(load, "let a{array} = bitcast<f32>({from});");
    }
    for port in &taped.ports {
        line!(load, "arrivals[{port}] = bitcast<f32>({});", next());
    }
    if taped.last_spike {
        line!(load, "let since_spike = steps_since(bitcast<i32>({}));", next());
    }
    line!(load, "let a{} = fired_before();", layout.spike());

    // Adjoints after the step: those of the state and of the last spike, and the sums of constants.
    let of_state = |place: usize| format!("state[job.adjoints + {place}u * job.lane_count + lane]");
    let adjoints = (0..layout.variables).map(|array| layout.adjoint(array)).chain([layout.adjoint_of_last_spike()]);
    for (place, array) in adjoints.enumerate() {
        // What no step changes has one adjoint for all windows.
        let of_window = if place < layout.variables && !step.stores_to(place) { "false" } else { "begins" };
        line!(load, "var a{array} = select(bitcast<f32>({}), 0.0f, {of_window});", of_state(place));
        line!(store, "{} = bitcast<u32>(a{array});", of_state(place));
    }
    for constant in 0..layout.constants {
        let array = layout.adjoint_of_constant(constant);
        if gradient.stores_to(array) {
            let place = of_state(layout.variables + 1 + constant);
            line!(load, "var a{array} = bitcast<f32>({place});");
            line!(store, "{place} = bitcast<u32>(a{array});");
        }
    }
    for port in 0..layout.ports {
        let array = layout.adjoint_of_port(port);
        line!(load, "var a{array} = 0.0f;");
        let place = format!("job.ports + ({port}u * job.port_slots + step % job.port_slots) * job.lane_count + lane");
        line!(store, "ports[{place}] = a{array};");
    }

    // What the loss adds, in the order of its readings.
    let (spike, last) = (layout.adjoint_of_spike(), layout.adjoint_of_last_spike());
    line!(load, "var a{spike} = 0.0f;");
    for observed in 0..layout.observed.len() {
        line!(load, "var a{} = 0.0f;", layout.adjoint_of_observation(observed));
    }
    for (k, readout) in plan.readouts.iter().filter(|readout| readout.population == index).enumerate() {
        let array = readout.observed.map_or(spike, |observed| layout.adjoint_of_observation(observed));
        let at = format!("job.readouts + {k}u * READOUT_WORDS");
        line!(load, "a{array} = exact(a{array} + {});", injected(readout.reading, &at));
    }
    line!(load, "a{spike} = with_synapses(exact(a{spike} + a{last}), end);");

    let code = wgsl::statements(gradient, &name, "x", wgsl::Arithmetic::Exact);
    let pieces = [shader!("training/readout"), shader!("training/injected"), shader!("training/gradient")];
    neurons("step_back", &pieces, layout.ports, &[("load", load), ("code", code), ("store", store)])
}

/// The adjoint of what a reading reads in a step.
fn injected(reading: Reading, at: &str) -> String {
    match reading {
        Reading::Count => format!("reading_adjoint({at})"),
        Reading::Spikes | Reading::Trace => format!("step_adjoint({at})"),
        Reading::FirstSpike => format!("select(0.0f, exact(job.per_spike * reading_adjoint({at})), was_read({at}))"),
        Reading::Max => format!("select(0.0f, reading_adjoint({at}), was_read({at}))"),
        Reading::Mean => format!("exact(reading_adjoint({at}) * job.per_step)"),
        Reading::Last => format!("select(0.0f, reading_adjoint({at}), step + 1u == job.steps)"),
    }
}

/// A reading.
fn read(reading: Reading) -> Module {
    let call = match reading {
        Reading::Count => "read_count();",
        Reading::Spikes => "readings[of_step()] = bitcast<u32>(fired());",
        Reading::FirstSpike => "read_first_spike();",
        Reading::Max => "read_max();",
        Reading::Mean => "read_mean();",
        Reading::Last => "readings[place()] = bitcast<u32>(value());",
        Reading::Trace => "readings[of_step()] = bitcast<u32>(value());",
    };
    let pieces = [shader!("training/readout"), shader!("training/read")];
    Module::new("read", &pieces).filled(|slot| (slot == "read").then_some(call))
}
