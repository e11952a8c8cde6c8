// `Bernoulli` of crates/spikelet-rows/src/connect/procedural_rows.rs: to each post of a block with the same probability. One random word says how
// many edges the block has, the others which come first in a random order of its posts.
//
// The distribution: posts of a block, as a power of two; the least count; where the thresholds of the others are, and how many there are.
const DISTRIBUTION_WORDS: u32 = 4u;

fn draw(block: u32, local_id: u32) {
    let bits = table(distribution);
    let drawn = words(block);
    let count = table(distribution + 1u) + thresholds_reached(drawn.x, table(distribution + 2u), table(distribution + 3u));
    let before = block << bits;
    for (var k = local_id; k < count; k += 64u) {
        // The last block may reach beyond the last post.
        let place = permuted(1u << bits, drawn.yzw, k);
        let post = first_post + before + place;
        if (place < posts - before && !is_self(post)) {
            edge(post, post);
        }
    }
}

// How many of the rising thresholds are at most `bits`.
fn thresholds_reached(bits: u32, at: u32, count: u32) -> u32 {
    var low = 0u;
    var high = count;
    while (low < high) {
        let middle = (low + high) / 2u;
        if (table(at + middle) <= bits) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}
