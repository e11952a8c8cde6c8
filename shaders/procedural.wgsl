// The phase `propagate` of projections whose rows are not kept: the synapses of a neuron that fired are drawn again from counters, and
// their events enter the rings. 64 invocations share a block of a row; so do others its other blocks. One kernel serves all
// projections with the same law and the same formulas of their values.
//
// The law, in one of the files of `procedural`, calls `edge` for each synapse; what that does is printed by
// crates/spikelet-gpu/src/kernels/procedural.rs. The twin of crates/spikelet-rows/src/connect/procedural_rows.rs: counters and order of draws are
// the same there. `job.at` says in `tables` for each population where the list of the recipes that start in it begins and ends,
// `job.count` how many times 64 invocations share a row.

// Words of a recipe in `tables`: first and last + 1 of the neurons that have rows, first of those that are reached and how many,
// whether a neuron may not reach itself, number of the projection, blocks of a row, the population with the targets; then DISTRIBUTION_WORDS of the law; then the writes.
const PROCEDURAL_WORDS: u32 = 8u;
// Words of a write: first column; the delay, if all have the same; where in `tables` the weight of all is, or, if each has its own,
// the units in 1, as the bits of f32; likewise, where that is what whole units leave over, how many of its units are a whole one.
const WRITE_WORDS: u32 = 4u;

var<private> distribution: u32;
var<private> projection: u32;
var<private> pre: u32;
var<private> first_post: u32;
var<private> posts: u32;
var<private> skips_self: bool;
// What tells an edge from the others of its row.
var<private> value_id: u32;

fn work(id: u32, ids: u32) {
    let parts = job.count;
    let items = (walk_end() - walk_begin) * parts;
    for (var item = id / 64u; item < items; item += ids / 64u) {
        let spike = spikes[walk_begin + item / parts];
        let population = population_of(spike.y);
        let members = job.at + 2u * population;
        step = spike.x;
        pre = index_in(population, spike.y);
        for (var member = table(members); member < table(members + 1u); member += 1u) {
            let recipe = table(member);
            if (pre < table(recipe) || pre >= table(recipe + 1u)) {
                continue;
            }
            distribution = recipe + PROCEDURAL_WORDS;
            first_post = table(recipe + 2u);
            posts = table(recipe + 3u);
            skips_self = table(recipe + 4u) != 0u;
            projection = table(recipe + 5u);
            enter_own(table(recipe + 7u));
            for (var block = item % parts; block < table(recipe + 6u); block += parts) {
                draw(block, id % 64u);
            }
        }
    }
}

fn is_self(post: u32) -> bool {
    return skips_self && post == pre;
}

// Four random words of a block of the row.
fn words(block: u32) -> vec4<u32> {
    return connect_words(projection, block, pre, 0u);
}

// 32 random bits for the `site`-th draw of a value of the edge.
fn value_bits(site: u32) -> u32 {
    return weight_words(projection, pre, value_id, site).x;
}

fn value_uniform(site: u32) -> f32 {
    let words = weight_words(projection, pre, value_id, site);
    if (words.x >= NEAR_0) {
        return uniform32(words.x);
    }
    return uniform_near_0(words.x, words.y);
}

fn write_at(write: u32) -> u32 {
    return distribution + DISTRIBUTION_WORDS + write * WRITE_WORDS;
}

fn shared_delay(write: u32) -> u32 {
    return table(write_at(write) + 1u);
}

fn shared_weight(write: u32) -> i32 {
    return bitcast<i32>(table(table(write_at(write) + 2u)));
}

// A weight in units of its port, rounded to the nearest, ties to even.
fn in_units(write: u32, weight: f32) -> i32 {
    return i32(round(exact(weight * bitcast<f32>(table(write_at(write) + 2u)))));
}

// What whole units leave over of a weight, in units of its own. Both differences are exact; `rest` in `ring` is its twin.
fn remainder_units(write: u32, weight: f32) -> i32 {
    let scaled = exact(weight * bitcast<f32>(table(write_at(write) + 2u)));
    return i32(round(exact(exact(scaled - round(scaled)) * bitcast<f32>(table(write_at(write) + 3u)))));
}

fn add(write: u32, place: u32, delay: u32, weight: i32) {
    atomicAdd(&ring[ring_slot(step + 1u + delay) + table(write_at(write)) + place], weight);
}
