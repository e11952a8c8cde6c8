// Adds a weight of 1 for each synapse.
fn edge(pre: u32, post: u32) {
    add_input(post, ONE);
}
