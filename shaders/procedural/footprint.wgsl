// `Footprint` of crates/spikelet-rows/src/connect/procedural_rows.rs: neighbours on a grid, each with a probability of its own, 64 in a block.
//
// The distribution: neurons along each axis, those along the edge of a tile or 0, whether the grid is closed; where the steps to the
// neighbours are, four for each, and where the bits below which they are joined; how many there are.
const DISTRIBUTION_WORDS: u32 = 9u;

fn draw(block: u32, local_id: u32) {
    let k = block * 64u + local_id;
    if (k >= table(distribution + 8u)) {
        return;
    }
    let shape = vec4<i32>(axis(0u), axis(1u), axis(2u), axis(3u));
    let tile = i32(table(distribution + 4u));
    let entry_offset = table(distribution + 6u) + 4u * k;
    let offset = vec4<i32>(step_at(entry_offset), step_at(entry_offset + 1u), step_at(entry_offset + 2u), step_at(entry_offset + 3u));
    var at = coordinates(shape, tile, i32(pre)) + offset;
    if (table(distribution + 5u) != 0u) {
        at = (at % shape + shape) % shape;
    }
    if (any(at < vec4<i32>(0i)) || any(at >= shape)) {
        return;
    }
    let post = u32(number_at(shape, tile, at));
    let threshold = table(table(distribution + 7u) + k);
    if (!is_self(post) && (threshold == 0xffffffffu || words(k / 4u)[k % 4u] < threshold)) {
        edge(post, post);
    }
}

fn axis(k: u32) -> i32 {
    return i32(table(distribution + k));
}

fn step_at(at: u32) -> i32 {
    return bitcast<i32>(table(at));
}

// Grid coordinates of a neuron, the first running fastest; with tiles, tile after tile.
fn coordinates(shape: vec4<i32>, tile: i32, neuron: i32) -> vec4<i32> {
    var rest = neuron;
    var inside = vec4<i32>(0i);
    var edges = shape;
    if (tile > 0i) {
        for (var k = 0u; k < 4u; k += 1u) {
            if (shape[k] > 1i) {
                inside[k] = rest % tile;
                rest /= tile;
                edges[k] = shape[k] / tile;
            }
        }
    }
    var found = inside;
    for (var k = 0u; k < 4u; k += 1u) {
        if (shape[k] > 1i) {
            found[k] += (rest % edges[k]) * max(tile, 1i);
            rest /= edges[k];
        }
    }
    return found;
}

// The reverse.
fn number_at(shape: vec4<i32>, tile: i32, at: vec4<i32>) -> i32 {
    var number = 0i;
    var stride = 1i;
    let width = max(tile, 1i);
    if (tile > 0i) {
        for (var k = 0u; k < 4u; k += 1u) {
            if (shape[k] > 1i) {
                number += (at[k] % tile) * stride;
                stride *= tile;
            }
        }
    }
    for (var k = 0u; k < 4u; k += 1u) {
        if (shape[k] > 1i) {
            number += (at[k] / width) * stride;
            stride *= shape[k] / width;
        }
    }
    return number;
}
