// What every kernel sees. The Rust side is crates/spikelet-gpu/src/buffers.rs; a test compares the two.

// How far a trial is. An epoch is handed from kernel to kernel: `propagate` writes the *_next fields, which the first kernel of an
// epoch reads and copies to the *_now fields, which all others read. So no kernel reads what it writes, and every epoch records
// identical commands.
struct Progress {
    // Where in the log the next spike goes.
    count: atomic<u32>,
    // Where in it the spikes of this submission begin, and where its part ends.
    log_begin: u32,
    log_end: u32,
    // The step that row 0 of `samples` belongs to: the first of the submission.
    origin: u32,
    // The first step of an epoch; where in the log the spikes begin whose rows are not walked yet; how many rows may still be walked in
    // this submission; what an epoch does: IDLE, STEP or DRAIN of epoch.wgsl.
    step_next: u32,
    begin_next: u32,
    left_next: u32,
    action_next: u32,
    step_now: u32,
    begin_now: u32,
    left_now: u32,
    action_now: u32,
    // The trial's number, a word of the noise's counters.
    number: u32,
    // The first event that was too large for its port: number of its projection + 1, port, bits of the value.
    fault: atomic<u32>,
    fault_port: u32,
    fault_value: u32,
    // The last step before which a variable of a neuron was found to be infinite, or no number.
    diverged: atomic<u32>,
    // The last step before which a neuron was to be compared by what is not a number.
    not_comparable: atomic<u32>,
}

struct Header {
    // No step from this one on is run yet.
    until: u32,
    // Which part of each trial's log this submission fills.
    log_part: u32,
    // Spikes whose rows one submission may walk.
    walks: u32,
    // Steps in an epoch of this submission: at most the shortest delay + 1.
    epoch_steps: u32,
    // The step before which the last one was completed: it begins without input, resets and statements of events.
    completed: u32,
    // Spikes that fit a part of the log, parts of a trial.
    capacity: u32,
    log_parts: u32,
    // Most spikes one epoch can add.
    epoch_spikes: u32,
    seed_low: u32,
    seed_high: u32,
    slots: u32,
    columns: u32,
    channels: u32,
    clock_columns: u32,
    // Rows of `clocks`: a step's is the one of its number modulo this.
    clock_rows: u32,
    populations: u32,
    // Where the descriptions in `tables` begin.
    populations_offset: u32,
    channels_offset: u32,
    // Jobs of all dispatches of an epoch, where one dispatch does them all.
    jobs_offset: u32,
    // Remembered spikes: how many steps, where in `ring` they begin, words of a step.
    memory_steps: u32,
    memory_offset: u32,
    memory_words: u32,
    // Words of a trial in each buffer: trials lie one after the other.
    tables_words: u32,
    clocks_words: u32,
    state_words: u32,
    ring_words: u32,
    samples_words: u32,
    // Always 0; see math.wgsl.
    zero: u32,
    // Of each trial.
    progress: array<Progress>,
}

// What a dispatch is about.
struct Job {
    // Its description in `tables`.
    at: u32,
    // How many blocks, neurons, synapses or words it goes through.
    count: u32,
    // Its own parameters; see the kernel.
    first: u32,
    second: u32,
    // Its steps: how many lie before them in the epoch, and how many there are.
    offset: u32,
    steps: u32,
}

@group(0) @binding(0) var<storage, read_write> header: Header;
// Descriptions of populations, blocks, walks, recipes, projections and channels; constants, as the bits of f32; entries of timed
// arrays; weights that all synapses of a projection share.
@group(0) @binding(1) var<storage, read> tables: array<u32>;
// A row for each step: what changes with time alone.
@group(0) @binding(2) var<storage, read> clocks: array<f32>;
// For each population its variables, as the bits of f32, then the step of the last spike, i32; then the arrays of the synapses
// that have a state.
@group(0) @binding(3) var<storage, read_write> state: array<u32>;
// Pending sums, slot by slot, one column per neuron of each port; then the spike history, one bit per neuron.
@group(0) @binding(4) var<storage, read_write> ring: array<atomic<i32>>;
// A page, which all trials share. The first one begins with the projections whose synapses have a state: offsets, targets, their
// other end, their other order, delays. Then, and in all others: for some rows of a projection without a state offsets, words,
// delays, weights.
@group(0) @binding(5) var<storage, read> rows: array<u32>;
// The log: step, neuron.
@group(0) @binding(6) var<storage, read_write> spikes: array<vec2<u32>>;
// A row of channels for each step of the submission.
@group(0) @binding(7) var<storage, read_write> samples: array<f32>;

@group(1) @binding(0) var<uniform> dispatched: Job;

// The same, for this invocation.
var<private> job: Job;

// Words of a population in `tables`: first neuron, number of own neurons, first word in `state`, first constant, first unit (two for each
// port: of whole units, and of what is left over, 0 for ports without), first port (there its first column), first entry of its tables,
// first clock, first word of its remembered spikes in those of a step, where in `state` the keys of its neurons begin if only the winners
// fire; the first own neuron, the list of own neurons, and the lookup table of their places (both CONSECUTIVE for own neurons without gaps);
// size, and where in `state` the values of all neurons begin that synapses read as presynaptic.
const POPULATION_WORDS: u32 = 15u;
const OWN_FIRST: u32 = 10u;
const OWN_LIST: u32 = 11u;
const OWN_LOOKUP: u32 = 12u;
const WHOLE_SIZE: u32 = 13u;
const READ_AS_PRE: u32 = 14u;
const CONSECUTIVE: u32 = 0xffffffffu;
