// The messages of the engine, made of crates/spikelet-js/src/protocol.rs:
// UPDATE_EXPECT=1 cargo test -p spikelet-tests --test all package_types

/**
 * Which device is asked for.
 */
export type BackendChoice = "auto" | "gpu" | "cpu";

/**
 * A sort of device.
 */
export type BackendKind = "gpu" | "cpu";

/**
 * Who runs a network.
 */
export type BackendSummary = { 
/**
 * Which sort of device.
 */
kind: BackendKind, 
/**
 * The device's own name.
 */
name: string, 
/**
 * CPU threads in use; 0 on a GPU.
 */
threads: number, 
/**
 * One sentence: why this one.
 */
reason: string, 
/**
 * What is known of a GPU; of a CPU its threads, with the reason where there is only one.
 */
facts: Array<DeviceProperty>, };

/**
 * The latest steps of one trial of a running network.
 */
export type Batch = { 
/**
 * Counts up by one per batch, from 1; goes into `Command::Taken`. The batches of all trials for the same steps have the same.
 */
number: number, 
/**
 * Which trial; they come in their order.
 */
trial: number, 
/**
 * First step of the batch.
 */
firstStep: number, 
/**
 * How many steps.
 */
steps: number, 
/**
 * Biological time at its end, in ms.
 */
timeMs: number, 
/**
 * Wall time ÷ biological time over the last half second of running; below 1 is faster than real time.
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
 * Row after row, a row per step, a column per channel.
 */
samples: Float32Array, };

/**
 * Memory that is held for a network.
 */
export type Buffer = { 
/**
 * What is in it, such as `state` or `rows 1`.
 */
name: string, 
/**
 * How large it is.
 */
bytes: number, };

/**
 * Wall time from command to ready, in seconds.
 */
export type BuildSeconds = { 
/**
 * All of it.
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
 * Filling the device's memory and compiling kernels.
 */
load: number, };

/**
 * How far a network is that is being built.
 */
export type Building = { 
/**
 * What is being done, in a few words.
 */
stage: string, 
/**
 * How far it is, from 0 to 1.
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
 * What it is called.
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
 * The papers it comes from.
 */
citation: string, 
/**
 * What a scale other than 1, the published size, does to it.
 */
scaling: string, 
/**
 * A scale at which it is built and runs in a moment.
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
 * The new value, in the `unit` of the parameter; NaN for what is no single number.
 */
value: number, 
/**
 * The first step that sees it.
 */
step: number, 
/**
 * Whether it is a change of the network's own, or the undoing of one, rather than set from outside.
 */
scheduled: boolean, };

/**
 * A recorded variable of one neuron or synapse: one column of the samples.
 */
export type Channel = { 
/**
 * Such as `E.v[3]`.
 */
label: string, 
/**
 * The variable's name: `v`.
 */
variable: string, 
/**
 * Unit of its values; empty for a plain number.
 */
unit: string, 
/**
 * Global number of the neuron.
 */
neuron: number, };

/**
 * The sort of a failure.
 */
export type Code = "json" | "unknown_key" | "missing_key" | "invalid_value" | "unknown_name" | "equations" | "no_gpu" | "device" | "device_lost" | "out_of_memory" | "event_too_large" | "diverged" | "running" | "ended" | "broken" | "no_network" | "protocol" | "engine";

/**
 * What is asked of the engine. All but `Create`, `Devices`, `Check`, `Judge`, `Models`, `Networks` and `LoseDevice` are about the network that is open.
 */
export type Command = { "type": "create", "body": Create } | { "type": "run", "body": { 
/**
 * For how long, in ms of biological time; until something else ends it where there is none.
 */
ms: number | null, 
/**
 * Until this holds, at the end of a step: a condition as in the `stop` of a network, `rate(E, 50 ms) > 100 Hz`. It hears of
 * this run alone: spikes count from its start, and a rate can be below its limit once its window has passed since. So at
 * least one step is run. Of several trials, it ends all as soon as it holds in one.
 */
until: string | null, } } | { "type": "pause" } | { "type": "reset" } | { "type": "set", "body": { 
/**
 * Where: `E.taum`, of a population or projection, or, of single neurons, `E.v[3]` or `E.v[0:100]`.
 */
path: string, 
/**
 * A quantity with its unit, such as `15 ms`.
 */
text: string | null, 
/**
 * Instead of a text: numbers in the unit that [`Command::Get`] gives, one for all or one for each.
 */
values: Float64Array | undefined, } } | { "type": "get", "body": { 
/**
 * As in [`Command::Set`].
 */
path: string, 
/**
 * In which trial.
 */
trial: number, } } | { "type": "record", "body": { 
/**
 * The `recordings` of a network, as JSON.
 */
json: string, } } | { "type": "network" } | { "type": "saveWeights", "body": { 
/**
 * In which trial.
 */
trial: number, } } | { "type": "loadWeights", "body": { 
/**
 * In which trial.
 */
trial: number, 
/**
 * What the file is called.
 */
file: string, 
/**
 * All of it.
 */
content: Uint8Array, } } | { "type": "snapshot" } | { "type": "restore", "body": { 
/**
 * All of it.
 */
content: Uint8Array, } } | { "type": "memory" } | { "type": "devices" } | { "type": "check", "body": { 
/**
 * The network as JSON.
 */
json: string, } } | { "type": "judge", "body": Question } | { "type": "models" } | { "type": "networks" } | { "type": "loseDevice" } | { "type": "ack", "body": { 
/**
 * `Batch::number` of the batch; all earlier ones are taken too.
 */
batch: number, } };

/**
 * What is to be built.
 */
export type Create = { 
/**
 * Where the network comes from.
 */
source: Source, 
/**
 * What stands in the files that it names.
 */
files: Array<NamedFile>, 
/**
 * On which device.
 */
backend: BackendChoice, 
/**
 * At most so many CPU threads; as many as the network gains from where there is none.
 */
threads: number | null, 
/**
 * Seed of connectivity, initial values and noise, instead of the network's own.
 */
seed: number | bigint | null, 
/**
 * How many trials run side by side; they differ in their noise.
 */
trials: number, };

/**
 * A device.
 */
export type Device = { 
/**
 * Its own name.
 */
name: string, 
/**
 * Whether a CPU does its work.
 */
software: boolean, 
/**
 * What is known of it, in words.
 */
facts: Array<DeviceProperty>, };

/**
 * Something that is known of a device.
 */
export type DeviceProperty = { 
/**
 * What it is about, such as `Driver`.
 */
what: string, 
/**
 * What is known.
 */
much: string, };

/**
 * What a network could run on.
 */
export type Devices = { 
/**
 * The GPU that the browser gives, if any.
 */
gpu: Device | null, 
/**
 * Why there is none.
 */
noGpuBecause: string | null, 
/**
 * Most CPU threads that a network may have.
 */
threads: number, 
/**
 * Why there is only one, where that is so.
 */
oneThreadBecause: string | null, };

/**
 * Something that is wrong with a network.
 */
export type Diagnostic = { 
/**
 * The sort of mistake: a code of errors, or a finer name such as `dimension_mismatch`.
 */
code: string, 
/**
 * Whether it keeps the network from running; else it is something hardly meant.
 */
isError: boolean, 
/**
 * A sentence: what is wrong, with its values.
 */
message: string, 
/**
 * The way out, where there is a good guess and `message` does not say it.
 */
help: string | null, 
/**
 * JSON path of what is wrong, such as `populations[1].equations`; empty where the text is no JSON.
 */
path: string, 
/**
 * 1-based line in the text at `path`, or, where `path` is empty, in the JSON.
 */
line: number | null, 
/**
 * 1-based column in that line, in characters.
 */
column: number | null, 
/**
 * How many characters are meant.
 */
width: number | null, };

/**
 * How large a network will be.
 */
export type Estimate = { 
/**
 * Bytes of everything, for one trial.
 */
bytes: number, 
/**
 * Each projection, in their order.
 */
projections: Array<ProjectionEstimate>, };

/**
 * Something that happens without being asked for, or on the way to an answer.
 */
export type Event = { "type": "ready" } | { "type": "building", "body": Building } | { "type": "info", "body": Info } | { "type": "batch", "body": Batch } | { "type": "measured", "body": StatisticValues } | { "type": "state", "body": State } | { "type": "changed", "body": Changed } | { "type": "notice", "body": Notice } | { "type": "failed", "body": Failure } | { "type": "stopped", "body": Failure };

/**
 * Why something cannot be done.
 */
export type Failure = { 
/**
 * The sort of failure.
 */
code: Code, 
/**
 * A sentence: what is wrong, with its values, and the way out.
 */
message: string, 
/**
 * Where: a JSON path of the network, or the path that a command named.
 */
path: string | null, 
/**
 * What is wrong with a network, one by one.
 */
diagnostics: Array<Diagnostic>, };

/**
 * A network that is open.
 */
export type Info = { 
/**
 * What the network consists of.
 */
network: Summary, 
/**
 * All neurons, sources included.
 */
neurons: number, 
/**
 * All synapses.
 */
synapses: number, 
/**
 * Length of a step in ms.
 */
dtMs: number, 
/**
 * How long the network says that a run lasts, in ms.
 */
durationMs: number, 
/**
 * The seed it was built with.
 */
seed: bigint, 
/**
 * How many trials run side by side.
 */
trials: number, 
/**
 * Who runs it, and why.
 */
backend: BackendSummary, 
/**
 * What building it took.
 */
build: BuildSeconds, 
/**
 * What it takes where it runs: the buffers of the GPU, or the arrays of the plan.
 */
buffers: Array<Buffer>, 
/**
 * What is recorded: the columns of the samples.
 */
channels: Array<Channel>, 
/**
 * What is summed up over synapses; `statistic` of what is measured counts in this list.
 */
statistics: Array<Statistic>, 
/**
 * Whether synapses have a state, which can be saved.
 */
hasWeights: boolean, };

/**
 * Something that is wrong, beside the line that it is in.
 */
export type Judged = { 
/**
 * What is wrong.
 */
diagnostic: Diagnostic, 
/**
 * The line, where it has a place in a text.
 */
excerpt: string | null, 
/**
 * Whether all that is wrong is that a name is defined nowhere.
 */
undefinedName: boolean, };

/**
 * What is wrong with a network while it is edited, and what is known of it already.
 */
export type Judgement = { 
/**
 * What is wrong with the equations and values of the population that is edited. One mistake hides no other.
 */
population: Array<Judged>, 
/**
 * What is wrong with the whole network.
 */
network: Array<Judged>, 
/**
 * Names that the texts of the population use and nothing gives a value.
 */
missing: Array<Missing>, 
/**
 * How its equations will be integrated; none while that cannot be told, and where there is nothing to integrate.
 */
method: string | null, 
/**
 * How large the network will be; none while that cannot be told.
 */
estimate: Estimate | null, };

/**
 * What a network takes.
 */
export type Memory = { 
/**
 * Where it runs: the buffers of the GPU, or the arrays of the plan.
 */
buffers: Array<Buffer>, 
/**
 * Bytes of the engine's WebAssembly memory, which never shrinks.
 */
engineBytes: number, 
/**
 * Bytes of it that are in use.
 */
usedBytes: number, 
/**
 * Bytes that it may become large.
 */
maxBytes: number, };

/**
 * What the engine says.
 */
export type Message = { "type": "answer", "body": { 
/**
 * `Request::id`.
 */
id: number, 
/**
 * The answer.
 */
reply: Reply, } } | { "type": "error", "body": { 
/**
 * `Request::id`.
 */
id: number, 
/**
 * Why.
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
 * A unit of what it must measure, `1` for a plain number; none where that does not follow from the texts.
 */
unit: string | null, };

/**
 * A model of the library.
 */
export type Model = { 
/**
 * What a network calls it.
 */
name: string, 
/**
 * What a menu calls it.
 */
title: string, 
/**
 * What it does, in a sentence or two.
 */
about: string, 
/**
 * Where it was published.
 */
citation: string, 
/**
 * What it is a model of.
 */
kind: ModelKind, 
/**
 * In the order to show them.
 */
parameters: Array<ModelParameter>, 
/**
 * What moves.
 */
variables: Array<ModelVariable>, 
/**
 * Named sets of values, in the order to show them.
 */
presets: Array<ModelPreset>, };

/**
 * What a model is of.
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
 * What it means.
 */
about: string, 
/**
 * The unit of the numbers below; empty for plain numbers.
 */
unit: string, 
/**
 * Its value unless a network gives another; none where that is no single number.
 */
value: number | null, 
/**
 * The same as text, as a network would write it.
 */
text: string, 
/**
 * The least sensible value.
 */
min: number, 
/**
 * The greatest sensible value.
 */
max: number, };

/**
 * Values for some parameters of a model: a firing pattern, a type of cell.
 */
export type ModelPreset = { 
/**
 * What a network calls it.
 */
name: string, 
/**
 * What it shows.
 */
about: string, };

/**
 * Something that moves in a model.
 */
export type ModelVariable = { 
/**
 * Its name.
 */
symbol: string, 
/**
 * Unit of its values; empty for plain numbers.
 */
unit: string, };

/**
 * A file that a network names.
 */
export type NamedFile = { 
/**
 * As the network names it.
 */
name: string, 
/**
 * All of it.
 */
content: Uint8Array, };

/**
 * What is to be known.
 */
export type Notice = { 
/**
 * What it is about.
 */
code: NoticeCode, 
/**
 * One sentence or two: what is so, why, and what could be done.
 */
message: string, };

/**
 * What a notice is about.
 */
export type NoticeCode = "one_thread" | "no_gpu" | "device_lost" | "synapses_not_kept" | "network";

/**
 * A parameter that can be changed while the network runs.
 */
export type Parameter = { 
/**
 * What `set` calls it: `E.taum`.
 */
path: string, 
/**
 * Its own name: `taum`.
 */
symbol: string, 
/**
 * One line of meaning; may be empty.
 */
about: string, 
/**
 * The unit of the numbers below; empty for a plain number.
 */
unit: string, 
/**
 * Its value now.
 */
value: number, 
/**
 * The least sensible value.
 */
min: number, 
/**
 * The greatest sensible value.
 */
max: number, };

/**
 * A population of a network.
 */
export type PopulationSummary = { 
/**
 * Its name.
 */
name: string, 
/**
 * Whether it is a source of the network: its neurons only give spikes, at random or at given times.
 */
source: boolean, 
/**
 * How many neurons.
 */
size: number, 
/**
 * Global number of its first neuron.
 */
first: number, 
/**
 * What can be changed while it runs.
 */
parameters: Array<Parameter>, 
/**
 * What moves, and can be read.
 */
variables: Array<Variable>, };

/**
 * How large a projection will be.
 */
export type ProjectionEstimate = { 
/**
 * About how many synapses; the mean where the rule leaves it to chance.
 */
synapses: number, 
/**
 * Whether they are kept; else they are drawn at each spike.
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
 * The population (or slice) that sends.
 */
pre: string, 
/**
 * The population (or slice) that receives.
 */
post: string, 
/**
 * How many synapses.
 */
synapses: number, 
/**
 * Whether its synapses learn; its parameter `plasticity` says whether they do so now.
 */
learns: boolean, 
/**
 * What can be changed while it runs.
 */
parameters: Array<Parameter>, 
/**
 * What moves, and can be read.
 */
variables: Array<Variable>, };

/**
 * What is asked of a network while it is edited: what stands there, and where somebody types.
 */
export type Question = { 
/**
 * The network as JSON, as far as it is written.
 */
json: string, 
/**
 * The population that is edited, by its place from 0.
 */
population: number | null, 
/**
 * Its parameters whose values were typed since its equations: these are judged by the equations, which are judged by the others.
 */
typed: Array<string>, };

/**
 * An answer.
 */
export type Reply = { "type": "done" } | { "type": "info", "body": Info } | { "type": "runResult", "body": RunResult } | { "type": "value", "body": Value } | { "type": "text", "body": string } | { "type": "bytes", "body": { 
/**
 * All of it.
 */
content: Uint8Array, } } | { "type": "memory", "body": Memory } | { "type": "devices", "body": Devices } | { "type": "diagnostics", "body": Array<Diagnostic> } | { "type": "judgement", "body": Judgement } | { "type": "models", "body": Array<Model> } | { "type": "networks", "body": Array<CatalogueEntry> };

/**
 * A command, and the number under which it is answered.
 */
export type Request = { 
/**
 * Unique among those asked; none where nobody waits for an answer.
 */
id: number | null, 
/**
 * What is asked.
 */
command: Command, };

/**
 * How a run has ended.
 */
export type RunResult = { 
/**
 * Where the network stands, in ms of biological time.
 */
timeMs: number, 
/**
 * Steps of this run.
 */
steps: number, 
/**
 * Why it ended.
 */
because: StopReason, 
/**
 * The condition that held, as it was written.
 */
condition: string | null, };

/**
 * Where a network comes from.
 */
export type Source = { "from": "catalogue", 
/**
 * Its name, such as `cuba`.
 */
name: string, 
/**
 * Its size relative to the published one: 1 is as published.
 */
scale: number, } | { "from": "json", 
/**
 * The whole text.
 */
text: string, };

/**
 * Whether the network runs, and where it stands.
 */
export type State = { 
/**
 * Whether it runs.
 */
running: boolean, 
/**
 * Where it stands, in ms of biological time.
 */
timeMs: number, 
/**
 * Whether it was just put to this time, by a reset or a snapshot: what came before is another run.
 */
moved: boolean, 
/**
 * The condition of the network that ended the run, as it was written: only a reset leads on.
 */
stopped: string | null, };

/**
 * A variable that is summed up over the synapses of a projection now and then.
 */
export type Statistic = { 
/**
 * Such as `EE.w`.
 */
label: string, 
/**
 * Unit of its values; empty for a plain number.
 */
unit: string, 
/**
 * Ends of the parts of its histogram, one more than parts; none without one.
 */
ends: Array<number>, };

/**
 * What a statistic came to in the steps of a batch: an entry, or a row, for each time that it was taken.
 */
export type StatisticValues = { 
/**
 * Which trial.
 */
trial: number, 
/**
 * Which of the `statistics` of the network.
 */
statistic: number, 
/**
 * The steps at whose start the state was measured.
 */
steps: Uint32Array, 
/**
 * Rows of mean, standard deviation, least and largest value.
 */
moments: Float64Array, 
/**
 * Rows of how many values are no finite numbers, below the range, above it, and in each of its parts.
 */
counts: Uint32Array, };

/**
 * Why a run ended.
 */
export type StopReason = "time" | "condition" | "stopped" | "paused" | "moved";

/**
 * What a network consists of.
 */
export type Summary = { 
/**
 * The network's name.
 */
name: string, 
/**
 * What it says about itself; may be empty.
 */
description: string, 
/**
 * In the network's order: neurons are numbered through in it.
 */
populations: Array<PopulationSummary>, 
/**
 * In the network's order.
 */
projections: Array<ProjectionSummary>, };

/**
 * A parameter or a variable.
 */
export type Value = { 
/**
 * Unit of the numbers; empty for plain numbers.
 */
unit: string, 
/**
 * One for all, or one for each neuron or synapse, in their order.
 */
values: Float64Array, };

/**
 * Something that moves, of each neuron or synapse.
 */
export type Variable = { 
/**
 * What `get` calls it: `E.v`.
 */
path: string, 
/**
 * Its own name: `v`.
 */
symbol: string, 
/**
 * Unit of its values; empty for plain numbers.
 */
unit: string, };
