// A selection from an array, with bindings of its own: it is no pass of an epoch. `request` says what a dispatch does.

struct Request {
    // The items in `values`.
    first: u32,
    count: u32,
    // How many are to win; or 0, and a fraction of the largest value.
    k: u32,
    fraction: f32,
    // Which digit is counted, in the first three dispatches.
    digit: u32,
    // Items of a chunk, and how many chunks there are.
    chunk: u32,
    chunks: u32,
}

@group(0) @binding(0) var<uniform> request: Request;
// The bits of f32.
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> decisions: array<u32>;
// The first value that is not a number, counted from the last item, or 0; then the winners.
@group(0) @binding(4) var<storage, read_write> winners: array<atomic<u32>>;

fn select_key(item: u32) -> u32 {
    return order_key(values[request.first + item]);
}

fn select_not_a_number(item: u32) {
    atomicMax(&winners[0], request.count - item);
}

fn select_bin(k: u32) -> u32 {
    return atomicLoad(&counts[k]);
}

fn select_add(k: u32, count: u32) {
    atomicAdd(&counts[k], count);
}

fn select_raise(k: u32, value: u32) {
    atomicMax(&counts[k], value);
}

fn select_clear(k: u32) {
    atomicStore(&counts[k], 0u);
}

fn select_word(k: u32) -> u32 {
    return decisions[k];
}

fn select_put(k: u32, value: u32) {
    decisions[k] = value;
}

fn select_won(place: u32, item: u32) {
    atomicStore(&winners[1u + place], item);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn select_items(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local_id: u32) {
    select_k = request.k;
    select_fraction = request.fraction;
    chunks = request.chunks;
    chunk = group.x;
    chunk_first = chunk * request.chunk;
    chunk_end = min(chunk_first + request.chunk, request.count);
    select_chunk(request.digit, local_id);
}
