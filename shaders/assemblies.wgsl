// Rounds of assemblies, with bindings of their own: the twin of crates/spikelet-assemblies/src/cpu.rs. Each dispatch is told its part by
// `job`. Inputs are summed in units, so that the order of additions does not matter.

struct Job {
    seed_low: u32,
    seed_high: u32,
    // Neurons of the area, and its first word in `sums`.
    neurons: u32,
    first_sum: u32,
    // The fibre: its number, how many neurons of its source fire and where in `lists` they are, blocks of a row, neurons of a block as a power
    // of two, and the distribution of the edges of a block: the least count, where in `tables` the thresholds of the others are, how many.
    fibre: u32,
    firing: u32,
    first_firing: u32,
    blocks: u32,
    bits: u32,
    least: u32,
    first_threshold: u32,
    thresholds: u32,
    // Weights in units by number of updates: where they are in `tables`, and the last of them.
    first_weight: u32,
    most_updates: u32,
    // Bits of the neurons that fire, and of the winners: first words in `lists`.
    firing_marks: u32,
    winner_marks: u32,
    // How many win; where in `lists`, and where in `round_log`.
    k: u32,
    first_winner: u32,
    first_log: u32,
    // What the fibre has learned: first slot, and the number of slots, a power of two; where in `lists` the number of those in use is.
    first_slot: u32,
    slots: u32,
    used: u32,
    // First word of a stimulus in `stimuli`, and its neurons.
    stimulus: u32,
    // The round, from 1, and the area.
    round: u32,
    area: u32,
    // The part of the selection.
    digit: u32,
    chunk: u32,
    chunks: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read_write> sums: array<atomic<u32>>;
// What went wrong first (FAULT_WORDS), slots in use, lists of winners, bits of neurons.
@group(0) @binding(2) var<storage, read_write> lists: array<atomic<u32>>;
// For each stimulus and neuron: synapses in the lower half of a word, updates in the upper one.
@group(0) @binding(3) var<storage, read_write> stimuli: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read> tables: array<u32>;
// Synapses that have learned: hash tables of slots of SLOT_WORDS.
@group(0) @binding(5) var<storage, read_write> learned: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> scratch: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> round_log: array<u32>;

const ONE: u32 = 4096u;
const UNIT: f32 = 0.000244140625f;
const LARGEST: u32 = 0x7fffffffu;

// Faults: the kind, the round, the area, the neuron.
const SUM_TOO_LARGE: u32 = 1u;
const TABLE_FULL: u32 = 2u;

// Only the first fault is kept.
fn fail(kind: u32, neuron: u32) {
    if (atomicMax(&lists[0], kind) == 0u) {
        atomicStore(&lists[1], job.round);
        atomicStore(&lists[2], job.area);
        atomicStore(&lists[3], neuron);
    }
}

fn add_input(neuron: u32, units: u32) {
    let before = atomicAdd(&sums[job.first_sum + neuron], units);
    if (before + units < before) {
        fail(SUM_TOO_LARGE, neuron);
    }
}

fn weight(updates: u32) -> u32 {
    return tables[job.first_weight + updates];
}

fn is_marked(first: u32, neuron: u32) -> bool {
    return ((atomicLoad(&lists[first + neuron / 32u]) >> (neuron % 32u)) & 1u) != 0u;
}

// The index among all invocations of a dispatch in two dimensions.
fn invocation(group: vec3<u32>, groups: vec3<u32>, local_id: u32) -> u32 {
    return (group.y * groups.x + group.x) * WORKGROUP_SIZE + local_id;
}
