// `Fixed` without multapses of crates/spikelet-rows/src/connect/procedural_rows.rs: the first posts in a random order of them, 64 in a block.
//
// The distribution: where the counts are, and whether each row has its own.
const DISTRIBUTION_WORDS: u32 = 2u;

fn draw(block: u32, local_id: u32) {
    let k = block * 64u + local_id;
    let others = posts_of_row();
    if (k < edges_of_row() && others > 0u) {
        let post = passed(permuted(others, words(0u).yzw, k));
        edge(post, post);
    }
}
