// What a statistic comes to: moments, extremes and a histogram of an array. A workgroup takes a stretch of the values, its
// invocations by turns, so that the order of every sum is fixed. It is no pass of an epoch, and binds its own three buffers.

struct Request {
    // Where the array begins in `values`, and how long it is.
    first: u32,
    count: u32,
    // Values of a workgroup.
    stretch: u32,
    // Parts of the histogram; none where there is no range.
    bins: u32,
    // Their ends, one more than parts.
    edges: array<f32>,
}

@group(0) @binding(0) var<storage, read> request: Request;
@group(0) @binding(1) var<storage, read> values: array<u32>;
// Numbers that are not finite, below the range, above it, in each part of it; then five words for each workgroup: how many are
// finite, their mean, the sum of squared deviations from it, the least, the largest.
@group(0) @binding(2) var<storage, read_write> histogram: array<atomic<u32>>;

const LOCAL_SIZE = 256u;
const NOT_FINITE = 0u;
const BELOW = 1u;
const ABOVE = 2u;
const BINS = 3u;
const MAX_BINS = 1000u;
const LARGEST = 3.4028234e38f;

var<workgroup> counted: array<atomic<u32>, BINS + MAX_BINS>;
var<workgroup> finite: array<u32, LOCAL_SIZE>;
var<workgroup> sums: array<f32, LOCAL_SIZE>;
var<workgroup> least: array<f32, LOCAL_SIZE>;
var<workgroup> largest: array<f32, LOCAL_SIZE>;

// By the bits: a compiler may take it for granted that numbers are finite.
fn is_finite(word: u32) -> bool {
    return (word & 0x7f800000u) != 0x7f800000u;
}

// Where in the histogram a number is counted: by comparisons alone, which round nothing.
fn place(value: f32) -> u32 {
    if value < request.edges[0] {
        return BELOW;
    }
    if value > request.edges[request.bins] {
        return ABOVE;
    }
    var low = 0u;
    var high = request.bins;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if request.edges[middle] <= value {
            low = middle;
        } else {
            high = middle;
        }
    }
    return BINS + low;
}

// The sum over the invocations, in `sums[0]`.
fn sum_local(local_id: u32) {
    for (var half = LOCAL_SIZE / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local_id < half {
            sums[local_id] += sums[local_id + half];
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(256)
fn histogram_values(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local_id: u32) {
    let places = BINS + request.bins;
    for (var k = local_id; k < places; k += LOCAL_SIZE) {
        atomicStore(&counted[k], 0u);
    }
    workgroupBarrier();

    let begin = min(group.x * request.stretch, request.count);
    let end = min(begin + request.stretch, request.count);
    var own_finite = 0u;
    var own_sum = 0.0f;
    var own_least = LARGEST;
    var own_largest = -LARGEST;
    for (var k = begin + local_id; k < end; k += LOCAL_SIZE) {
        let word = values[request.first + k];
        if !is_finite(word) {
            atomicAdd(&counted[NOT_FINITE], 1u);
            continue;
        }
        let value = bitcast<f32>(word);
        own_finite += 1u;
        own_sum += value;
        own_least = min(own_least, value);
        own_largest = max(own_largest, value);
        if request.bins > 0u {
            atomicAdd(&counted[place(value)], 1u);
        }
    }
    finite[local_id] = own_finite;
    sums[local_id] = own_sum;
    least[local_id] = own_least;
    largest[local_id] = own_largest;
    for (var half = LOCAL_SIZE / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local_id < half {
            finite[local_id] += finite[local_id + half];
            least[local_id] = min(least[local_id], least[local_id + half]);
            largest[local_id] = max(largest[local_id], largest[local_id + half]);
        }
    }
    sum_local(local_id);
    let mean = sums[0] / f32(max(finite[0], 1u));
    workgroupBarrier();

    // Deviations from the mean of the stretch: sums of squares would lose them where the mean is large.
    var own_squares = 0.0f;
    for (var k = begin + local_id; k < end; k += LOCAL_SIZE) {
        let word = values[request.first + k];
        if is_finite(word) {
            let apart = bitcast<f32>(word) - mean;
            own_squares += apart * apart;
        }
    }
    sums[local_id] = own_squares;
    sum_local(local_id);

    for (var k = local_id; k < places; k += LOCAL_SIZE) {
        let count = atomicLoad(&counted[k]);
        if count > 0u {
            atomicAdd(&histogram[k], count);
        }
    }
    if local_id == 0u {
        let at = places + 5u * group.x;
        atomicStore(&histogram[at], finite[0]);
        atomicStore(&histogram[at + 1u], bitcast<u32>(mean));
        atomicStore(&histogram[at + 2u], bitcast<u32>(sums[0]));
        atomicStore(&histogram[at + 3u], bitcast<u32>(least[0]));
        atomicStore(&histogram[at + 4u], bitcast<u32>(largest[0]));
    }
}
