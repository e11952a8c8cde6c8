// What both laws of rows with a given number of edges share.

// How many edges the row has.
fn edges_of_row() -> u32 {
    let row = select(0u, pre - table(distribution - PROCEDURAL_WORDS), table(distribution + 1u) != 0u);
    return table(table(distribution) + row);
}

// Whether one of the posts is the neuron itself, and left out.
fn omits_self() -> bool {
    return skips_self && pre >= first_post && pre - first_post < posts;
}

fn posts_of_row() -> u32 {
    return posts - u32(omits_self());
}

// A neuron that may not reach itself is passed over by those after it.
fn passed(place: u32) -> u32 {
    let post = first_post + place;
    return post + u32(omits_self() && post >= pre);
}
