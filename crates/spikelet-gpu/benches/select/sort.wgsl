// A stable radix sort of keys with their indices, largest first, four bits at a time: three dispatches for each of eight digits. Portable
// as the selection is: no subgroups, and no invocation waits for another workgroup.

struct Pass {
    count: u32,
    // Items of a chunk; a workgroup sorts a chunk.
    chunk: u32,
    chunks: u32,
    shift: u32,
}

@group(0) @binding(0) var<uniform> job: Pass;
@group(0) @binding(1) var<storage, read> values: array<u32>;
// Key and index.
@group(0) @binding(2) var<storage, read> unsorted: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> sorted: array<vec2<u32>>;
// By digit, then chunk: how often the digit occurs in the chunk; then where its items go.
@group(0) @binding(4) var<storage, read_write> counts: array<u32>;

const SIZE = 256u;
const DIGITS = 16u;
const WORDS = SIZE / 32u;

var<workgroup> local_counts: array<atomic<u32>, DIGITS>;
var<workgroup> local_bits: array<atomic<u32>, DIGITS * WORDS>;
var<workgroup> sums: array<u32, SIZE>;

// Ascending keys are descending values.
fn pair(item: u32) -> vec2<u32> {
    if job.shift > 0u {
        return unsorted[item];
    }
    let bits = values[item];
    if (bits & 0x80000000u) == 0u || bits == 0x80000000u {
        return vec2<u32>(~(bits | 0x80000000u), item);
    }
    return vec2<u32>(bits, item);
}

fn digit_of(key: u32) -> u32 {
    return (key >> job.shift) % DIGITS;
}

@compute @workgroup_size(256)
fn count(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local_id: u32) {
    if local_id < DIGITS {
        atomicStore(&local_counts[local_id], 0u);
    }
    workgroupBarrier();
    let first = group.x * job.chunk;
    for (var item = first + local_id; item < min(first + job.chunk, job.count); item += SIZE) {
        atomicAdd(&local_counts[digit_of(pair(item).x)], 1u);
    }
    workgroupBarrier();
    if local_id < DIGITS {
        counts[local_id * job.chunks + group.x] = atomicLoad(&local_counts[local_id]);
    }
}

// One workgroup.
@compute @workgroup_size(256)
fn scan(@builtin(local_invocation_index) local_id: u32) {
    let words = DIGITS * job.chunks;
    let stretch = (words + SIZE - 1u) / SIZE;
    let begin = min(local_id * stretch, words);
    let end = min(begin + stretch, words);
    var sum = 0u;
    for (var k = begin; k < end; k += 1u) {
        sum += counts[k];
    }
    sums[local_id] = sum;
    workgroupBarrier();
    for (var distance = 1u; distance < SIZE; distance *= 2u) {
        var before = 0u;
        if local_id >= distance {
            before = sums[local_id - distance];
        }
        workgroupBarrier();
        sums[local_id] += before;
        workgroupBarrier();
    }
    var place = sums[local_id] - sum;
    for (var k = begin; k < end; k += 1u) {
        let own = counts[k];
        counts[k] = place;
        place += own;
    }
}

@compute @workgroup_size(256)
fn scatter(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local_id: u32) {
    if local_id < DIGITS {
        atomicStore(&local_counts[local_id], counts[local_id * job.chunks + group.x]);
    }
    let first = group.x * job.chunk;
    for (var tile = first; tile < first + job.chunk; tile += SIZE) {
        if local_id < DIGITS * WORDS {
            atomicStore(&local_bits[local_id], 0u);
        }
        workgroupBarrier();
        let item = tile + local_id;
        var own = vec2<u32>();
        var place = 0u;
        if item < job.count {
            own = pair(item);
            place = atomicLoad(&local_counts[digit_of(own.x)]);
            atomicOr(&local_bits[digit_of(own.x) * WORDS + local_id / 32u], 1u << (local_id % 32u));
        }
        workgroupBarrier();
        if item < job.count {
            let digit = digit_of(own.x);
            let word = local_id / 32u;
            for (var k = 0u; k < word; k += 1u) {
                place += countOneBits(atomicLoad(&local_bits[digit * WORDS + k]));
            }
            let lower = (1u << (local_id % 32u)) - 1u;
            place += countOneBits(atomicLoad(&local_bits[digit * WORDS + word]) & lower);
            sorted[place] = own;
            atomicAdd(&local_counts[digit], 1u);
        }
        workgroupBarrier();
    }
}
