// A selection from the neurons of an area of assemblies, whose bindings and job are in assemblies.wgsl.

// Counts are in `scratch`, and after them decisions.
const DECISIONS: u32 = 3u * BINS;

fn select_key(item: u32) -> u32 {
    let sum = atomicLoad(&sums[job.first_sum + item]);
    if (sum > LARGEST) {
        fail(SUM_TOO_LARGE, item);
    }
    return order_key(bitcast<u32>(f32(i32(sum)) * UNIT));
}

// A sum is a number.
fn select_not_a_number(item: u32) {}

fn select_bin(k: u32) -> u32 {
    return atomicLoad(&scratch[k]);
}

fn select_add(k: u32, count: u32) {
    atomicAdd(&scratch[k], count);
}

fn select_raise(k: u32, value: u32) {
    atomicMax(&scratch[k], value);
}

fn select_clear(k: u32) {
    atomicStore(&scratch[k], 0u);
}

fn select_word(k: u32) -> u32 {
    return atomicLoad(&scratch[DECISIONS + k]);
}

fn select_put(k: u32, value: u32) {
    atomicStore(&scratch[DECISIONS + k], value);
}

fn select_won(place: u32, item: u32) {
    atomicStore(&lists[job.first_winner + place], item);
    round_log[job.first_log + place] = item;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn select_neurons(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local_id: u32) {
    select_k = job.k;
    chunks = job.chunks;
    chunk = group.x;
    chunk_first = chunk * job.chunk;
    chunk_end = min(chunk_first + job.chunk, job.neurons);
    select_chunk(job.digit, local_id);
}
