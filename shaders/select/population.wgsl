// A selection from the neurons of a population: the phases `select` and `fire` of populations of which only the winners fire. `update` has
// left their keys. All such populations share the dispatches: `job.at` is the list of their chunks in `tables`, `job.count` how many there
// are, `job.first` the digit that is counted. A chunk is two words: its selection, and its number.

// Words of a selection in `tables`: its population; how many win, or 0, and the bits of the fraction of the largest value that wins; items
// of a chunk, and how many chunks there are; where in `state` keys, decisions and last spikes begin; where in `ring` counts begin; for
// populations that inhibit each other where in `state` the list of winners and the compared values begin, else NO_LIST, and where in
// `tables` the number of the selections of the group is, followed by these.
const CHUNK_WORDS: u32 = 2u;
const NO_LIST: u32 = 0xffffffffu;

var<private> selection: u32;
var<private> population: u32;
var<private> keys_offset: u32;
var<private> decisions_offset: u32;
var<private> last_spikes_offset: u32;
var<private> bins_offset: u32;
var<private> list_offset: u32;
var<private> scores_offset: u32;
var<private> group_offset: u32;

var<workgroup> own_chunks: u32;

fn select_key(item: u32) -> u32 {
    return state[keys_offset + item];
}

// The host finds the neuron, and the first such step.
fn select_not_a_number(item: u32) {
    atomicMax(&header.progress[trial].not_comparable, steps_end);
}

fn select_bin(k: u32) -> u32 {
    return bitcast<u32>(atomicLoad(&ring[bins_offset + k]));
}

fn select_add(k: u32, count: u32) {
    atomicAdd(&ring[bins_offset + k], bitcast<i32>(count));
}

fn select_raise(k: u32, value: u32) {
    atomicMax(&ring[bins_offset + k], bitcast<i32>(value));
}

fn select_clear(k: u32) {
    atomicStore(&ring[bins_offset + k], 0i);
}

fn select_word(k: u32) -> u32 {
    return state[decisions_offset + k];
}

fn select_put(k: u32, value: u32) {
    state[decisions_offset + k] = value;
}

fn select_won(place: u32, item: u32) {
    if (list_offset == NO_LIST) {
        fire(item);
    } else {
        state[list_offset + place] = item;
    }
}

fn fire(item: u32) {
    state[last_spikes_offset + item] = step;
    let neuron = neuron_at(population, item);
    log_spike(step, table(population) + neuron);
    if (header.memory_steps > 0u) {
        remember(step, table(population + 8u), neuron);
    }
}

fn enter_chunk(described: u32) {
    selection = table(described);
    chunk = table(described + 1u);
    population = table(selection);
    select_k = table(selection + 1u);
    select_fraction = bitcast<f32>(table(selection + 2u));
    let items = table(selection + 3u);
    chunks = table(selection + 4u);
    keys_offset = state_from + table(selection + 5u);
    decisions_offset = state_from + table(selection + 6u);
    last_spikes_offset = state_from + table(selection + 7u);
    bins_offset = ring_from + table(selection + 8u);
    list_offset = table(selection + 9u);
    if (list_offset != NO_LIST) {
        list_offset += state_from;
    }
    scores_offset = state_from + table(selection + 10u);
    group_offset = table(selection + 11u);
    chunk_first = chunk * items;
    chunk_end = min(chunk_first + items, table(population + 1u));
}

// Called by all invocations of a workgroup together, also where there is nothing to do: it has barriers.
fn work(id: u32, ids: u32) {
    let local_id = id % WORKGROUP_SIZE;
    let first = id / WORKGROUP_SIZE;
    let stride = ids / WORKGROUP_SIZE;
    if (local_id == 0u) {
        let does = action == STEP && step < steps_end && first < job.count;
        own_chunks = select(0u, (job.count - first + stride - 1u) / stride, does);
    }
    let rounds = workgroupUniformLoad(&own_chunks);
    for (var round = 0u; round < rounds; round += 1u) {
        enter_chunk(job.at + CHUNK_WORDS * (first + round * stride));
        select_chunk(job.first, local_id);
    }
}
