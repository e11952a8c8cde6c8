// `All` of crates/spikelet-rows/src/connect/procedural_rows.rs: to every post.
const DISTRIBUTION_WORDS: u32 = 0u;

fn draw(block: u32, local_id: u32) {
    let place = block * 64u + local_id;
    let post = first_post + place;
    if (place < posts && !is_self(post)) {
        edge(post, post);
    }
}
