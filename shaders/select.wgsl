// The k largest of n keys, exactly: a radix select. Of equal keys the items with lower indices come first, and winners are found in the
// order of their indices. Five dispatches whatever n is: three of `select/digit.wgsl`, one of `select/count.wgsl`, one of
// `select/emit.wgsl`. No invocation waits for another workgroup.
//
// Populations that inhibit each other need two more, `select/sum.wgsl` and `select/fire.wgsl`.
//
// The items are divided into chunks, one for each workgroup. A key has three digits. The first three dispatches count, digit by digit, the
// keys that agree with the k-th largest in the digits before. Each workgroup finds the next digit by itself, from the counts of the last
// dispatch. Then the bound is known: keys above it win, and of those equal to it as many as are left.
//
// With a fraction instead of k, the first dispatch finds the largest value, the next two do nothing, and all items win that are not
// smaller than the fraction of it.
//
// What is selected, and where the counts are, is said by a file that is joined to this one, `select/array.wgsl` or
// `select/population.wgsl`, in these functions:
// `select_key(item)`: its key, from `order_key` of order.wgsl, or 0 if it cannot win; `select_not_a_number(item)`: it is an error;
// `select_bin(k)`, `select_add(k, count)`, `select_raise(k, value)`, `select_clear(k)`: 3 * BINS counts, all 0 before and after;
// `select_word(k)`, `select_put(k, value)`: decisions of one dispatch that later ones read, COUNTS_WORD + two for each chunk;
// `select_won(place, item)`: it is the winner of this place.

// Counts of a digit.
const BINS: u32 = 2048u;
const DIGIT_BITS: u32 = 11u;
const DIGITS: u32 = 3u;
const OWN_BINS: u32 = BINS / WORKGROUP_SIZE;
// Of words: after each digit the bound as far as it is known, and how many of the keys that agree with it are left to win; the number of
// winners; then for each chunk how many keys are above the bound, and how many are equal to it. The sum of the values of the winners takes
// the place of the first decision.
const SUM_WORD: u32 = 0u;
const BOUND_WORD: u32 = 4u;
const WINNERS_WORD: u32 = 6u;
const COUNTS_WORD: u32 = 7u;
// The key of the largest number; that of all that are none is above it.
const INFINITY_KEY: u32 = 0xff800000u;
const NO_NUMBER_KEY: u32 = 0xffffffffu;

// How many are to win; 0 where a fraction of the largest value is given.
var<private> select_k: u32;
var<private> select_fraction: f32;
// How many chunks there are; the one of this workgroup, with its items.
var<private> chunks: u32;
var<private> chunk: u32;
var<private> chunk_first: u32;
var<private> chunk_end: u32;

var<workgroup> above: array<u32, WORKGROUP_SIZE>;
var<workgroup> decided_bound: u32;
var<workgroup> decided_left: u32;

// The lowest bit of a digit.
fn digit_shift(digit: u32) -> u32 {
    return DIGIT_BITS * (DIGITS - 1u - digit);
}

// Finds the bound as far as it follows from the counts of this many digits: `decided_bound` and `decided_left`. If there are fewer keys
// than are to win, the bound is 0. All invocations of a workgroup call it together.
fn decide(counted: u32, local_id: u32) {
    var bound = 0u;
    var left = select_k;
    if (counted > 1u) {
        bound = select_word(2u * counted - 4u);
        left = select_word(2u * counted - 3u);
    }
    let digit = max(counted, 1u) - 1u;
    let first = digit * BINS + local_id * OWN_BINS;
    var own = 0u;
    if (counted > 0u && select_k > 0u) {
        for (var k = 0u; k < OWN_BINS; k += 1u) {
            own += select_bin(first + k);
        }
    }
    above[local_id] = own;
    if (local_id == 0u) {
        decided_bound = bound;
        decided_left = left;
    }
    workgroupBarrier();
    for (var distance = 1u; distance < WORKGROUP_SIZE; distance *= 2u) {
        var more = 0u;
        if (local_id + distance < WORKGROUP_SIZE) {
            more = above[local_id + distance];
        }
        workgroupBarrier();
        above[local_id] += more;
        workgroupBarrier();
    }
    // One invocation has the bin with the wanted key, if there is one.
    var higher = above[local_id] - own;
    if (higher < left && left <= higher + own) {
        var bin = OWN_BINS - 1u;
        for (; bin > 0u; bin -= 1u) {
            let count = select_bin(first + bin);
            if (left <= higher + count) {
                break;
            }
            higher += count;
        }
        decided_bound = bound | ((local_id * OWN_BINS + bin) << digit_shift(digit));
        decided_left = left - higher;
    }
    workgroupBarrier();
    if (counted > 0u && chunk == 0u && local_id == 0u) {
        select_put(2u * counted - 2u, decided_bound);
        select_put(2u * counted - 1u, decided_left);
    }
}
