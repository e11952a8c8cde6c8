// The phase `count`: neurons that fire in this step are counted, in array `job.first`; array `job.second` is that of last spikes.

fn work(id: u32, ids: u32) {
    for (var block = id / 64u; block < job.count; block += ids / 64u) {
        if (!enter(job.at + block * BLOCK_WORDS, id % 64u)) {
            continue;
        }
        if (bitcast<i32>(state[state_offset + job.second * size]) == i32(step)) {
            let counted = state_offset + job.first * size;
            state[counted] = bitcast<u32>(bitcast<f32>(state[counted]) + 1.0f);
        }
    }
}
