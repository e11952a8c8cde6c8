//! One binary for all tests that need no page.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

/// Assemblies of neurons, on every device.
mod assemblies;
/// The conformance corpus, on every device.
mod conformance;
/// The inputs of the fuzz targets.
mod corpora;
/// e-prop, with the losses of NEST.
mod eprop;
/// Memory before anything is drawn.
mod estimates;
/// Events beside the spike.
mod events;
/// Networks that are refused, runs that break off, devices that are lost on the way.
mod failures;
/// Published models with the results of Brian 2.
mod from_brian;
/// Functions of one's own, as expressions and in WGSL.
mod functions;
/// One GPU used in all ways: trials, epochs begun ahead, workgroups, few dispatches.
mod gpu;
/// GPUs, and GPUs with CPUs, that each simulate a part of a network.
mod gpu_ranks;
/// Weights kept as f16.
mod halves;
/// Values of synapses that are constant over dt.
mod held;
/// The same spikes however the work is cut.
mod invariance;
/// How soon a typed model spikes on the GPU.
mod latency;
/// Statistics of synapses, and what they have learnt kept in files.
mod learned;
/// Types of LEMS files, against plain loops.
mod lems;
/// Every model of the library against what was published of it.
mod library;
/// Variables linked to those of other neurons.
mod linked;
/// CPU and GPU side by side, step by step, on networks that use everything.
mod lockstep;
/// The elementary functions, on the CPU and in WGSL.
mod math;
/// Networks of NeuroML against published results.
mod neuroml;
/// Graphs of NIR against published traces and plain loops.
mod nir;
/// The types of the npm package.
mod package_types;
/// The learning rules of the library, against plain loops in f64.
mod plasticity;
/// f32 against f64.
mod precision;
/// State that presynaptic neurons store for all of their synapses.
mod presynaptic;
/// Small networks whose every spike and event is known.
mod properties;
/// Changes and conditions of a network, on every device.
mod protocol;
/// Published results, with citation and tolerance.
mod published;
/// Random networks: nothing lost, however synapses are kept.
mod random;
/// Random networks with any features together, on the GPU.
mod random_gpu;
/// Networks that several devices simulate together.
mod ranks;
/// The rules of docs/language.md as a program, against what is known.
mod referee;
/// CPU and GPU: the same spikes; and the constants that wasm must give too.
mod same_spikes;
/// Values set while a network runs.
mod set;
/// Neurons that sleep.
mod sleep;
/// Snapshots: the same spikes from there on.
mod snapshots;
/// Circuits of SONATA against NEST.
mod sonata;
/// Synapses with a third neuron.
mod third;
/// What synapses add to their presynaptic neurons.
mod to_pre;
/// Trials and variants side by side, on every device.
mod trials;
/// Models that are in no file.
mod typed;
/// Populations of which only the most excited neurons fire.
mod winners;
/// Four-dimensional worlds against a plain loop, and their life cycle.
mod worlds;
