// `Fixed` with multapses of crates/spikelet-rows/src/connect/procedural_rows.rs: posts with equal probability, 64 draws in a block.
//
// The distribution: where the counts are, and whether each row has its own.
const DISTRIBUTION_WORDS: u32 = 2u;

fn draw(block: u32, local_id: u32) {
    let k = block * 64u + local_id;
    let others = posts_of_row();
    if (k < edges_of_row() && others > 0u) {
        edge(passed(below(others, k)), k);
    }
}

// A whole number below `n`, each equally likely: the high word of a product, drawn again where it would be favoured (Lemire 2019,
// "Fast random integer generation in an interval").
fn below(n: u32, k: u32) -> u32 {
    let unfair = (0u - n) % n;
    var product: vec2<u32>;
    var attempt = 0u;
    loop {
        product = wide_product(connect_words(projection, k / 4u, pre, attempt)[k % 4u], n);
        attempt += 1u;
        if (product.y >= unfair) {
            break;
        }
    }
    return product.x;
}
