// What every kernel sees. The Rust side is crates/spikelet-gpu/src/buffers.rs; a test compares the two.

struct Header {
    // Spikes logged since the batch began.
    count: atomic<u32>,
    // An epoch is handed from kernel to kernel: `propagate` writes the *_next fields, which `neurons` reads; `neurons` copies
    // them to the *_now fields, which `propagate` reads. So no kernel reads what it writes, and every epoch of a batch records
    // identical commands.
    step_next: u32,
    begin_next: u32,
    run_next: u32,
    step_now: u32,
    begin_now: u32,
    run_now: u32,
    // The batch ends before this step.
    until: u32,
    // The step that row 0 of `samples` belongs to.
    origin: u32,
    // Steps in an epoch: at most the shortest delay + 1.
    epoch_steps: u32,
    // Spikes that fit the log.
    capacity: u32,
    // Most spikes one epoch can add to it.
    epoch_spikes: u32,
    seed_low: u32,
    seed_high: u32,
    trial: u32,
    slots: u32,
    lanes: u32,
    channels: u32,
    populations: u32,
    // Where the tables of `tables` begin.
    populations_at: u32,
    walks_at: u32,
    channels_at: u32,
    // Always 0; see math.wgsl.
    zero: u32,
}

@group(0) @binding(0) var<storage, read_write> header: Header;
// Descriptions of populations, blocks, walks and channels, as words.
@group(0) @binding(1) var<storage, read> tables: array<u32>;
// Constants of the populations, then what one unit of each of their ports is worth.
@group(0) @binding(2) var<storage, read> constants: array<f32>;
// For each population its variables, as the bits of f32, then the step of the last spike, i32.
@group(0) @binding(3) var<storage, read_write> state: array<u32>;
// Sums under way, slot by slot, a lane for each neuron of each port.
@group(0) @binding(4) var<storage, read_write> ring: array<atomic<i32>>;
// For each projection: offsets, targets, delays, weights.
@group(0) @binding(5) var<storage, read> rows: array<u32>;
// The log: step, neuron.
@group(0) @binding(6) var<storage, read_write> spikes: array<vec2<u32>>;
// A row of channels for each step of the batch.
@group(0) @binding(7) var<storage, read_write> samples: array<f32>;

// Words of a population in `tables`: first neuron, size, first word in `state`, first constant, first unit, first port (there
// its first lane), first and last + 1 of the walks that start in it.
const POPULATION_WORDS: u32 = 8u;
