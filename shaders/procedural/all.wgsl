// `All` of crates/spikelet/src/connect/recipe.rs: to every post.
const LAW_WORDS: u32 = 0u;

fn draw(block: u32, lane: u32) {
    let place = block * 64u + lane;
    let post = first_post + place;
    if (place < posts && !is_self(post)) {
        edge(post, post);
    }
}
