// The messages of the engine, made of crates/spikelet-js/src/protocol.rs:
// UPDATE_EXPECT=1 cargo test -p spikelet-tests --test all package_types

/**
 * A feature that an adapter may have.
 */
export type AdapterFeature = { 
/**
 * Its name in WebGPU.
 */
name: string, 
/**
 * Whether the adapter has it.
 */
available: boolean, 
/**
 * Whether it is requested for networks.
 */
requested: boolean, };

/**
 * A limit of an adapter.
 */
export type AdapterLimit = { 
/**
 * Its name in WebGPU.
 */
name: string, 
/**
 * Its unit.
 */
unit: string, 
/**
 * The value of the adapter.
 */
available: number, 
/**
 * The value that is requested for networks.
 */
requested: number, };

/**
 * The requested device.
 */
export type BackendChoice = "auto" | "gpu" | "cpu";

/**
 * A kind of device.
 */
export type BackendKind = "gpu" | "cpu";

/**
 * The device of a network.
 */
export type BackendSummary = { 
/**
 * The kind of device.
 */
kind: BackendKind, 
/**
 * The name of the device.
 */
name: string, 
/**
 * CPU threads in use; 0 on a GPU.
 */
threads: number, 
/**
 * The reason for this device.
 */
reason: string, 
/**
 * Facts about a GPU; for a CPU its threads, with the reason if there is only one, and whether neuron models are compiled.
 */
facts: Array<DeviceProperty>, };

/**
 * The last steps of one trial of a running network.
 */
export type Batch = { 
/**
 * Number of the batch from 1, for `Command::Taken`. The batches of all trials for the same steps have the same number.
 */
number: number, 
/**
 * Index of the trial; trials are in order.
 */
trial: number, 
/**
 * First step of the batch.
 */
firstStep: number, 
/**
 * Number of steps.
 */
steps: number, 
/**
 * Biological time at its end, in ms.
 */
timeMs: number, 
/**
 * Wall time divided by biological time over the last half second of running; below 1 is faster than real time.
 */
realTimeFactor: number, 
/**
 * Global neuron number of each spike, in the order of steps.
 */
spikeNeurons: Uint32Array, 
/**
 * Step of each spike.
 */
spikeSteps: Uint32Array, 
/**
 * Values by rows: one row per step, one column per channel.
 */
samples: Float32Array, };

/**
 * Memory of a network.
 */
export type Buffer = { 
/**
 * Its content, such as `state` or `rows 1`.
 */
name: string, 
/**
 * Its size.
 */
bytes: number, };

/**
 * Wall times of the build, in seconds.
 */
export type BuildSeconds = { 
/**
 * The total.
 */
total: number, 
/**
 * Waiting for the GPU to open.
 */
device: number, 
/**
 * Drawing the network.
 */
plan: number, 
/**
 * Filling the memory of the device and compiling kernels.
 */
load: number, };

/**
 * The progress of a build.
 */
export type Building = { 
/**
 * The current step of the build, in a few words.
 */
stage: string, 
/**
 * Progress from 0 to 1.
 */
done: number, 
/**
 * Synapses drawn so far.
 */
synapses: number, };

/**
 * A built-in network.
 */
export type CatalogueEntry = { 
/**
 * Its name.
 */
name: string, 
/**
 * A short title.
 */
title: string, 
/**
 * What it is and what it shows, in a few sentences.
 */
about: string, 
/**
 * Its publications.
 */
citation: string, 
/**
 * The effect of a scale other than 1, the published size.
 */
scaling: string, 
/**
 * A scale at which it builds and runs quickly.
 */
small: number, };

/**
 * A new value of a parameter.
 */
export type Changed = { 
/**
 * The `path` of the parameter.
 */
path: string, 
/**
 * The new value, in the `unit` of the parameter; NaN if it is not a single number.
 */
value: number, 
/**
 * The first step with this value.
 */
step: number, 
/**
 * Whether the network made or undid this change, rather than the user.
 */
scheduled: boolean, 
/**
 * The quantity that was set, with which the change can be repeated; null for a value per neuron or synapse, and for changes of the
 * network.
 */
text: string | null, };

/**
 * A recorded variable of one neuron or synapse, or the mean or sum of several neurons: one column of the samples.
 */
export type Channel = { 
/**
 * Label such as `E.v[3]` or `mean(E.v)`.
 */
label: string, 
/**
 * The name of the variable: `v`.
 */
variable: string, 
/**
 * Unit of its values; empty for a pure number.
 */
unit: string, 
/**
 * Global number of the neuron; none for a mean or sum.
 */
neuron: number | null, 
/**
 * Interval of its samples in ms.
 */
everyMs: number, };

/**
 * A variable that is on neither axis.
 */
export type ClampedVariable = { 
/**
 * Its name.
 */
symbol: string, 
/**
 * Its value; null for its steady state: the value at which its own rate is 0.
 */
value: number | null, };

/**
 * The kind of an error.
 */
export type Code = "json" | "unknown_key" | "missing_key" | "invalid_value" | "unknown_name" | "equations" | "no_gpu" | "device" | "device_lost" | "out_of_memory" | "event_too_large" | "diverged" | "running" | "ended" | "broken" | "no_network" | "protocol" | "engine";

/**
 * A command. All except `Create`, `Estimate`, `Devices`, `Check`, `Judge`, `Models`, `Networks` and `LoseDevice` refer to the open network.
 */
export type Command = { "type": "create", "body": Create } | { "type": "run", "body": { 
/**
 * Duration in ms of biological time; null for a run without end.
 */
ms: number | null, 
/**
 * Condition that ends the run at the end of a step, as in `stop` of a network, `rate(E, 50 ms) > 100 Hz`. Spikes count from the
 * start of this run, and a rate is compared as "below" only after a full window. At least one step is run. Of several trials, the
 * run ends when it is true in one.
 */
until: string | null, } } | { "type": "pause" } | { "type": "setSpeed", "body": { 
/**
 * Biological time per wall time, above 0: 1 is real time; null for no limit.
 */
speed: number | null, } } | { "type": "reset" } | { "type": "set", "body": { 
/**
 * The path: `E.taum` of a population or projection, or, for single neurons, `E.v[3]` or `E.v[0:100]`.
 */
path: string, 
/**
 * A quantity with a unit, such as `15 ms`.
 */
text: string | null, 
/**
 * Instead of text: numbers in the unit that [`Command::Get`] returns, one for all or one for each.
 */
values: Float64Array | undefined, } } | { "type": "get", "body": { 
/**
 * As in [`Command::Set`].
 */
path: string, 
/**
 * Index of the trial.
 */
trial: number, } } | { "type": "feed", "body": { 
/**
 * As in [`Command::Set`], a variable of neurons.
 */
path: string, 
/**
 * Numbers in the unit that [`Command::Get`] returns, one for all or one for each.
 */
values: Float64Array, } } | { "type": "positions", "body": { 
/**
 * The name of the population.
 */
population: string, } } | { "type": "synapses", "body": { 
/**
 * The name of the projection.
 */
projection: string, 
/**
 * Maximum number of synapses; of more, an even sample is returned, which is always the same.
 */
limit: number, 
/**
 * Only those from presynaptic neurons from the first to before the second number.
 */
pre: [number, number] | null, 
/**
 * The same for postsynaptic neurons.
 */
post: [number, number] | null, 
/**
 * Index of the trial.
 */
trial: number, } } | { "type": "record", "body": { 
/**
 * The `recordings` of a network, as JSON.
 */
json: string, } } | { "type": "network" } | { "type": "statistics", "body": { 
/**
 * Index of the trial.
 */
trial: number, } } | { "type": "profile" } | { "type": "estimate", "body": Create } | { "type": "saveWeights", "body": { 
/**
 * Index of the trial.
 */
trial: number, } } | { "type": "saveEdges", "body": { 
/**
 * The name of the projection.
 */
projection: string, 
/**
 * The format.
 */
format: EdgeFormat, 
/**
 * Index of the trial.
 */
trial: number, } } | { "type": "loadWeights", "body": { 
/**
 * Index of the trial.
 */
trial: number, 
/**
 * The name of the file.
 */
file: string, 
/**
 * Its content.
 */
content: Uint8Array, } } | { "type": "snapshot" } | { "type": "restore", "body": { 
/**
 * Its content.
 */
content: Uint8Array, 
/**
 * Whether it is of the current run: what was reported of the time before it remains valid.
 */
rewind: boolean, } } | { "type": "phasePlane", "body": PlaneRequest } | { "type": "memory" } | { "type": "devices" } | { "type": "check", "body": { 
/**
 * The network as JSON.
 */
json: string, } } | { "type": "judge", "body": Question } | { "type": "models" } | { "type": "networks" } | { "type": "loseDevice" } | { "type": "ack", "body": { 
/**
 * `Batch::number` of the batch; all earlier ones are acknowledged too.
 */
batch: number, } };

/**
 * The network to build.
 */
export type Create = { 
/**
 * The source of the network.
 */
source: Source, 
/**
 * The files that it names.
 */
files: Array<NamedFile>, 
/**
 * The device.
 */
backend: BackendChoice, 
/**
 * Maximum number of CPU threads; default: as many as make the network faster.
 */
threads: number | null, 
/**
 * Seed of connectivity, initial values and noise; default: the seed of the network.
 */
seed: number | bigint | null, 
/**
 * Number of parallel trials, which differ in their noise.
 */
trials: number, 
/**
 * Whether neuron models are compiled on the CPU; otherwise they are interpreted, with the same results.
 */
compile: boolean, 
/**
 * Whether a GPU may use its own functions and fused products; spikes are then no longer the same on every device.
 */
fastMath: boolean, 
/**
 * Invocations per workgroup of a GPU: a power of two; default: the same for all networks.
 */
workgroupSize: number | null, 
/**
 * The time in ms from which on spikes are measured, for [`Command::Statistics`]; default: they are not.
 */
statisticsFromMs: number | null, 
/**
 * Whether runs are measured, for [`Command::Profile`].
 */
profile: boolean, };

/**
 * A device.
 */
export type Device = { 
/**
 * Its name.
 */
name: string, 
/**
 * Whether it is a software device.
 */
software: boolean, 
/**
 * Facts about it, as text.
 */
facts: Array<DeviceProperty>, 
/**
 * Its limits that are relevant to networks.
 */
limits: Array<AdapterLimit>, 
/**
 * Its features that are relevant to networks.
 */
features: Array<AdapterFeature>, };

/**
 * A fact about a device.
 */
export type DeviceProperty = { 
/**
 * Its label, such as `Driver`.
 */
what: string, 
/**
 * Its value.
 */
much: string, };

/**
 * The available devices.
 */
export type Devices = { 
/**
 * The GPU that the browser provides, if any.
 */
gpu: Device | null, 
/**
 * Why there is none.
 */
noGpuBecause: string | null, 
/**
 * Maximum number of CPU threads of a network.
 */
threads: number, 
/**
 * Why there is only one, if so.
 */
oneThreadBecause: string | null, };

/**
 * An error or notice about a network.
 */
export type Diagnostic = { 
/**
 * The kind: a code of errors, or a more specific name such as `dimension_mismatch`.
 */
code: string, 
/**
 * Whether it prevents a run; otherwise it is a notice.
 */
isError: boolean, 
/**
 * What is wrong, with the value.
 */
message: string, 
/**
 * How to fix it, if known and not part of `message`.
 */
help: string | null, 
/**
 * JSON path, such as `populations[1].equations`; empty if the text is not JSON.
 */
path: string, 
/**
 * 1-based line in the text at `path`, or in the JSON if `path` is empty.
 */
line: number | null, 
/**
 * 1-based column in that line, in characters.
 */
column: number | null, 
/**
 * Number of marked characters.
 */
width: number | null, };

/**
 * The format of a file of edges.
 */
export type EdgeFormat = "npz" | "csv";

/**
 * A complex number.
 */
export type Eigenvalue = { 
/**
 * Its real part.
 */
re: number, 
/**
 * Its imaginary part.
 */
im: number, };

/**
 * The expected size of a network, before it is built.
 */
export type Estimate = { 
/**
 * Neurons, sources included.
 */
neurons: number, 
/**
 * Number of parallel trials.
 */
trials: number, 
/**
 * Total bytes of all trials on the CPU.
 */
bytes: number, 
/**
 * Bytes that each further trial needs of them.
 */
trialBytes: number, 
/**
 * Bytes that a network may use; null if they are not known.
 */
availableBytes: number | null, 
/**
 * Maximum number of parallel trials on the CPU; null if it is not known.
 */
maxTrials: number | null, 
/**
 * The arrays of the CPU for one trial; empty if the network has errors, so that only the total is known approximately.
 */
buffers: Array<Buffer>, 
/**
 * The same on the GPU, if one is open.
 */
gpu: GpuEstimate | null, 
/**
 * Bytes of recorded values per second of biological time, of all trials.
 */
sampleBytesPerSecond: number, 
/**
 * The projections, in their order.
 */
projections: Array<ProjectionEstimate>, };

/**
 * An event, independent of requests or before a reply.
 */
export type Event = { "type": "ready" } | { "type": "building", "body": Building } | { "type": "info", "body": Info } | { "type": "batch", "body": Batch } | { "type": "measured", "body": StatisticValues } | { "type": "state", "body": State } | { "type": "changed", "body": Changed } | { "type": "written", "body": ValuesWritten } | { "type": "notice", "body": Notice } | { "type": "failed", "body": Failure } | { "type": "stopped", "body": Failure };

/**
 * The error of a command.
 */
export type Failure = { 
/**
 * The kind of error.
 */
code: Code, 
/**
 * What is wrong, the value, and how to fix it.
 */
message: string, 
/**
 * The place: a JSON path in the network, or the path of the command.
 */
path: string | null, 
/**
 * All errors in a network.
 */
diagnostics: Array<Diagnostic>, };

/**
 * A fixed point.
 */
export type FixedPoint = { 
/**
 * Its x.
 */
x: number, 
/**
 * Its y; 0 of a phase line.
 */
y: number, 
/**
 * Its stability.
 */
kind: FixedPointKind, 
/**
 * The eigenvalues of the linear approximation, per ms; of a map its multipliers, without unit. A phase line has one.
 */
eigenvalues: Array<Eigenvalue>, };

/**
 * The stability of a fixed point.
 */
export type FixedPointKind = "stableNode" | "unstableNode" | "stableFocus" | "unstableFocus" | "saddle" | "centre" | "degenerate";

/**
 * The expected size of a network on a GPU.
 */
export type GpuEstimate = { 
/**
 * The name of the GPU.
 */
name: string, 
/**
 * Total bytes of all trials; null if it does not fit.
 */
bytes: number | null, 
/**
 * The buffers of all trials.
 */
buffers: Array<Buffer>, 
/**
 * Why it does not fit.
 */
refusal: string | null, };

/**
 * The open network.
 */
export type Info = { 
/**
 * The parts of the network.
 */
network: Summary, 
/**
 * Number of neurons, including sources.
 */
neurons: number, 
/**
 * Number of synapses.
 */
synapses: number, 
/**
 * Time step in ms.
 */
dtMs: number, 
/**
 * Duration of a run according to the network, in ms.
 */
durationMs: number, 
/**
 * The seed of the build.
 */
seed: bigint, 
/**
 * Number of parallel trials.
 */
trials: number, 
/**
 * The device, and why it was chosen.
 */
backend: BackendSummary, 
/**
 * Times of the build.
 */
build: BuildSeconds, 
/**
 * Its memory: the buffers of the GPU, or the arrays of the plan.
 */
buffers: Array<Buffer>, 
/**
 * The recordings: the columns of the samples.
 */
channels: Array<Channel>, 
/**
 * Steps from one row of samples to the next, the first of which is of step 0.
 */
sampleEvery: number, 
/**
 * Statistics of synaptic variables; `statistic` in results is an index into this list.
 */
statistics: Array<Statistic>, 
/**
 * Whether synapses have state, which can be saved.
 */
hasWeights: boolean, };

/**
 * An error with its line.
 */
export type Judged = { 
/**
 * The error.
 */
diagnostic: Diagnostic, 
/**
 * The line, if it has a position in a text.
 */
excerpt: string | null, 
/**
 * Whether the only error is an undefined name.
 */
undefinedName: boolean, };

/**
 * Errors of an edited network, and what can be derived from it.
 */
export type Judgement = { 
/**
 * Errors in the equations and values of the edited population. Errors do not hide each other.
 */
population: Array<Judged>, 
/**
 * Errors in the whole network.
 */
network: Array<Judged>, 
/**
 * Names in the texts of the population that have no value.
 */
missing: Array<Missing>, 
/**
 * The integration method of its equations; null if it cannot be determined, or if there is nothing to integrate.
 */
method: string | null, 
/**
 * The size of the network; null if it cannot be determined.
 */
estimate: Estimate | null, };

/**
 * The memory of a network.
 */
export type Memory = { 
/**
 * On its device: the buffers of the GPU, or the arrays of the plan.
 */
buffers: Array<Buffer>, 
/**
 * Bytes of the engine's WebAssembly memory, which never shrinks.
 */
engineBytes: number, 
/**
 * Used bytes of it.
 */
usedBytes: number, 
/**
 * Its maximum in bytes.
 */
mostBytes: number, };

/**
 * A message of the engine.
 */
export type Message = { "type": "answer", "body": { 
/**
 * `Request::id`.
 */
id: number, 
/**
 * The reply.
 */
reply: Reply, } } | { "type": "error", "body": { 
/**
 * `Request::id`.
 */
id: number, 
/**
 * The error.
 */
failure: Failure, } } | { "type": "event", "body": Event };

/**
 * A name without a value.
 */
export type Missing = { 
/**
 * The name.
 */
name: string, 
/**
 * A unit of its dimension, `1` for a pure number; null if the dimension does not follow from the texts.
 */
unit: string | null, };

/**
 * A library model.
 */
export type Model = { 
/**
 * Its name in networks.
 */
name: string, 
/**
 * Its title in menus.
 */
title: string, 
/**
 * What it does, in one or two sentences.
 */
about: string, 
/**
 * Its publication.
 */
citation: string, 
/**
 * The kind of model.
 */
kind: ModelKind, 
/**
 * In the order of menus.
 */
parameters: Array<ModelParameter>, 
/**
 * Its variables.
 */
variables: Array<ModelVariable>, 
/**
 * Named sets of values, in the order of menus.
 */
presets: Array<ModelPreset>, };

/**
 * The kind of a model.
 */
export type ModelKind = "neuron" | "source" | "synapse";

/**
 * A parameter of a model.
 */
export type ModelParameter = { 
/**
 * Its name.
 */
symbol: string, 
/**
 * Its meaning.
 */
about: string, 
/**
 * The unit of the numbers below; empty for pure numbers.
 */
unit: string, 
/**
 * Its default; null if it is not a single number.
 */
value: number | null, 
/**
 * The same as text in the syntax of networks.
 */
text: string, 
/**
 * The lower end of its usual range.
 */
min: number, 
/**
 * The upper end of its usual range.
 */
max: number, };

/**
 * Values of some parameters of a model: a firing pattern, a cell type.
 */
export type ModelPreset = { 
/**
 * Its name in networks.
 */
name: string, 
/**
 * Its description.
 */
about: string, };

/**
 * A variable of a model.
 */
export type ModelVariable = { 
/**
 * Its name.
 */
symbol: string, 
/**
 * Unit of its values; empty for pure numbers.
 */
unit: string, };

/**
 * A file that a network names.
 */
export type NamedFile = { 
/**
 * Its name in the network.
 */
name: string, 
/**
 * Its content.
 */
content: Uint8Array, };

/**
 * The positions of the neurons of a population.
 */
export type NeuronPositions = { 
/**
 * Number of coordinates of a neuron; 0 if the population has no positions.
 */
dimensions: number, 
/**
 * Unit of the coordinates.
 */
unit: string, 
/**
 * All coordinates of the first neuron, then those of the next one.
 */
coordinates: Float32Array, 
/**
 * Neurons along each axis, if they are on a grid; otherwise empty.
 */
shape: Array<number>, };

/**
 * A notice.
 */
export type Notice = { 
/**
 * Its kind.
 */
code: NoticeCode, 
/**
 * The condition, its reason, and what can be done.
 */
message: string, };

/**
 * The kind of a notice.
 */
export type NoticeCode = "one_thread" | "no_gpu" | "device_lost" | "synapses_not_kept" | "network";

/**
 * A parameter that can be changed during the run.
 */
export type Parameter = { 
/**
 * Its path for `set`: `E.taum`.
 */
path: string, 
/**
 * Its name: `taum`.
 */
symbol: string, 
/**
 * Description in one line; can be empty.
 */
about: string, 
/**
 * The unit of the numbers below; empty for a pure number.
 */
unit: string, 
/**
 * Its current value.
 */
value: number, 
/**
 * The lower end of its usual range.
 */
min: number, 
/**
 * The upper end of its usual range.
 */
max: number, };

/**
 * A phase plane, or for a neuron with one variable a phase line.
 */
export type PhasePlane = { 
/**
 * The population.
 */
population: string, 
/**
 * The index of the neuron in it.
 */
neuron: number, 
/**
 * The horizontal axis.
 */
x: PlaneAxis, 
/**
 * The vertical axis; null for a phase line.
 */
y: PlaneAxis | null, 
/**
 * All variables that an axis can show.
 */
variables: Array<PlaneVariable>, 
/**
 * Number of grid nodes along each axis.
 */
resolution: number, 
/**
 * Rates of x at the nodes, per ms (of a map: per step): rows of increasing y, in each of them increasing x. A phase line has one row.
 */
xRates: Float64Array, 
/**
 * The same of y; empty for a phase line.
 */
yRates: Float64Array, 
/**
 * Where the rate of x is 0.
 */
xNullcline: PlaneLines, 
/**
 * Where the rate of y is 0.
 */
yNullcline: PlaneLines, 
/**
 * The fixed points in the ranges, by increasing x.
 */
fixedPoints: Array<FixedPoint>, 
/**
 * Where the condition of the threshold becomes true.
 */
threshold: PlaneLines, 
/**
 * Where the reset leads.
 */
reset: PlaneLines, 
/**
 * Pairs of a point on the threshold and the point to which the reset takes it.
 */
jumps: PlaneLines, 
/**
 * The time in ms at which functions of time were evaluated.
 */
timeMs: number, 
/**
 * Whether the model is a map: its rates are changes per step.
 */
isMap: boolean, 
/**
 * Whether noise or random input was left out.
 */
hasNoise: boolean, 
/**
 * Whether the plane depends on the time.
 */
followsTime: boolean, };

/**
 * An axis of a phase plane.
 */
export type PlaneAxis = { 
/**
 * The variable.
 */
symbol: string, 
/**
 * Unit of its values; empty for pure numbers.
 */
unit: string, 
/**
 * The first and the last value.
 */
range: [number, number], };

/**
 * Lines of a phase plane.
 */
export type PlaneLines = { 
/**
 * Values of x and y in turn.
 */
points: Float64Array, 
/**
 * The number of points up to the end of each line.
 */
ends: Uint32Array, };

/**
 * The phase plane of a neuron. Values are in the units that [`Command::Get`](super::Command::Get) returns.
 */
export type PlaneRequest = { 
/**
 * The population.
 */
population: string, 
/**
 * The index of the neuron in it.
 */
neuron: number, 
/**
 * The variable on the horizontal axis; null for the one that the threshold compares.
 */
x: string | null, 
/**
 * The variable on the vertical axis; null for one that is coupled with x. The name of x requests a phase line.
 */
y: string | null, 
/**
 * The first and the last value of x; null for an automatic range.
 */
xRange: [number, number] | null, 
/**
 * The same for y.
 */
yRange: [number, number] | null, 
/**
 * Values of other variables; default: their initial values.
 */
clamp: Array<ClampedVariable>, 
/**
 * Number of grid nodes along each axis, from 8 to 256.
 */
resolution: number, 
/**
 * The time in ms at which functions of time are evaluated; null for the current time.
 */
timeMs: number | null, };

/**
 * The role of a variable in a phase plane.
 */
export type PlaneRole = "axis" | "held" | "steady";

/**
 * A variable that an axis of a phase plane can show.
 */
export type PlaneVariable = { 
/**
 * Its name.
 */
symbol: string, 
/**
 * Unit of its values; empty for pure numbers.
 */
unit: string, 
/**
 * Its role in the plane.
 */
role: PlaneRole, 
/**
 * The value at which it is held; its initial value if it is not held.
 */
value: number, 
/**
 * The values that the neuron reaches by itself, with some space around them; null if both ranges of the request were given.
 */
range: [number, number] | null, 
/**
 * Whether it can follow its steady state: its equation is linear in it.
 */
canBeSteady: boolean, };

/**
 * A population of a network.
 */
export type PopulationSummary = { 
/**
 * Its name.
 */
name: string, 
/**
 * Whether it is a source: its neurons only emit spikes, at random or at given times.
 */
source: boolean, 
/**
 * Number of neurons.
 */
size: number, 
/**
 * Global number of its first neuron.
 */
first: number, 
/**
 * Number of coordinates of a neuron's position; 0 without positions.
 */
dimensions: number, 
/**
 * Parameters that can be changed during the run.
 */
parameters: Array<Parameter>, 
/**
 * Variables that can be read.
 */
variables: Array<Variable>, };

/**
 * The size of a projection.
 */
export type ProjectionEstimate = { 
/**
 * Its name.
 */
name: string, 
/**
 * Expected number of synapses; the mean if the rule is random.
 */
synapses: number, 
/**
 * Whether they are stored; otherwise they are drawn at each spike.
 */
stored: boolean, 
/**
 * Bytes.
 */
bytes: number, };

/**
 * A projection of a network.
 */
export type ProjectionSummary = { 
/**
 * Its name.
 */
name: string, 
/**
 * The presynaptic population (or slice).
 */
pre: string, 
/**
 * The postsynaptic population (or slice).
 */
post: string, 
/**
 * Number of synapses.
 */
synapses: number, 
/**
 * Whether its synapses are plastic; its parameter `plasticity` enables or disables this.
 */
learns: boolean, 
/**
 * Parameters that can be changed during the run.
 */
parameters: Array<Parameter>, 
/**
 * Variables that can be read.
 */
variables: Array<Variable>, };

/**
 * A network that is being edited, and the population in the editor.
 */
export type Question = { 
/**
 * The network as JSON, as far as it is written.
 */
json: string, 
/**
 * Index of the edited population.
 */
population: number | null, 
/**
 * Its parameters whose values were edited after its equations: these are checked against the equations; the equations are checked
 * against the other parameters.
 */
typed: Array<string>, };

/**
 * A reply.
 */
export type Reply = { "type": "done" } | { "type": "info", "body": Info } | { "type": "runResult", "body": RunResult } | { "type": "value", "body": Value } | { "type": "positions", "body": NeuronPositions } | { "type": "synapses", "body": SynapseSample } | { "type": "text", "body": string } | { "type": "bytes", "body": { 
/**
 * Its content.
 */
content: Uint8Array, } } | { "type": "memory", "body": Memory } | { "type": "devices", "body": Devices } | { "type": "diagnostics", "body": Array<Diagnostic> } | { "type": "judgement", "body": Judgement } | { "type": "estimate", "body": Estimate } | { "type": "phasePlane", "body": PhasePlane } | { "type": "models", "body": Array<Model> } | { "type": "networks", "body": Array<CatalogueEntry> };

/**
 * A command, and the number of the request.
 */
export type Request = { 
/**
 * Unique among pending requests; null if no reply is expected.
 */
id: number | null, 
/**
 * The command.
 */
command: Command, };

/**
 * The end of a run.
 */
export type RunResult = { 
/**
 * The current time, in ms of biological time.
 */
timeMs: number, 
/**
 * Steps of this run.
 */
steps: number, 
/**
 * The reason of the end.
 */
because: StopReason, 
/**
 * The condition that was true.
 */
condition: string | null, };

/**
 * The source of a network.
 */
export type Source = { "from": "catalogue", 
/**
 * Its name, such as `cuba`.
 */
name: string, 
/**
 * Its size relative to the published one.
 */
scale: number, } | { "from": "json", 
/**
 * The complete text.
 */
text: string, };

/**
 * Whether the network runs, and its time.
 */
export type State = { 
/**
 * Whether it runs.
 */
running: boolean, 
/**
 * The time, in ms of biological time.
 */
timeMs: number, 
/**
 * Whether it was just set to this time by a reset or a snapshot: a new run begins.
 */
moved: boolean, 
/**
 * Whether this time is of the same run: what was reported of the time before it remains valid, what was later does not.
 */
rewound: boolean, 
/**
 * The stop condition of the network that ended the run: only a reset is possible.
 */
stopped: string | null, };

/**
 * A variable of the synapses of a projection with statistics.
 */
export type Statistic = { 
/**
 * Label such as `EE.w`.
 */
label: string, 
/**
 * Unit of its values; empty for a pure number.
 */
unit: string, 
/**
 * Limits of the bins of its histogram, one more than bins; empty without histogram.
 */
ends: Array<number>, };

/**
 * The values of a statistic in a batch: one entry, or row, per time at which it was taken.
 */
export type StatisticValues = { 
/**
 * Index of the trial.
 */
trial: number, 
/**
 * Index of the statistic in `statistics` of the network.
 */
statistic: number, 
/**
 * The steps at whose start the statistic was taken.
 */
steps: Uint32Array, 
/**
 * Rows of mean, standard deviation, minimum and maximum.
 */
moments: Float64Array, 
/**
 * Rows of counts: not finite, below the range, above it, then the bins.
 */
counts: Uint32Array, };

/**
 * Why a run ended.
 */
export type StopReason = "time" | "condition" | "stopped" | "paused" | "moved";

/**
 * The parts of a network.
 */
export type Summary = { 
/**
 * The network's name.
 */
name: string, 
/**
 * Its description; can be empty.
 */
description: string, 
/**
 * In the order of the network, which is the order of neuron numbers.
 */
populations: Array<PopulationSummary>, 
/**
 * In the order of the network.
 */
projections: Array<ProjectionSummary>, };

/**
 * Synapses of a projection: all that were requested, or an even sample of them.
 */
export type SynapseSample = { 
/**
 * Number of all synapses that were requested.
 */
total: number, 
/**
 * Presynaptic neuron of each, counted in its population.
 */
pre: Uint32Array, 
/**
 * Postsynaptic neuron of each, counted in its population.
 */
post: Uint32Array, 
/**
 * Weight of each; empty if the synapses have no weight.
 */
weights: Float32Array, 
/**
 * Delay of each, in ms.
 */
delaysMs: Float32Array, 
/**
 * The variable that the weights are values of: of the synapses, `w` if there is one, or, for synapses without variables, the
 * postsynaptic variable that an event adds to. Empty if there is none.
 */
variable: string, 
/**
 * Unit of the weights; empty for pure numbers.
 */
unit: string, };

/**
 * A parameter or a variable.
 */
export type Value = { 
/**
 * Unit of the numbers; empty for pure numbers.
 */
unit: string, 
/**
 * One value for all, or one per neuron or synapse, in their order.
 */
values: Float64Array, };

/**
 * Values that were written: of variables, or of learned weights.
 */
export type ValuesWritten = { 
/**
 * The path, such as `E.v[3]`, or `weights` and the file: `weights = learned.npz`.
 */
what: string, 
/**
 * The first step with these values.
 */
step: number, };

/**
 * A variable of each neuron or synapse.
 */
export type Variable = { 
/**
 * Its path for `get`: `E.v`.
 */
path: string, 
/**
 * Its name: `v`.
 */
symbol: string, 
/**
 * Unit of its values; empty for pure numbers.
 */
unit: string, };
