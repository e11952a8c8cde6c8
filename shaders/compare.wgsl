// The phases `integrate` and `fire` of populations of which only the winners fire: update, threshold. What is compared of the neurons above
// threshold is left to the kernels `select_…`, which also fire the winners.

fn work(id: u32, ids: u32) {
    for (var block = id / 64u; block < job.count; block += ids / 64u) {
        if (!enter(job.at + block * BLOCK_WORDS, id % 64u)) {
            continue;
        }
        //# load
        let since_spike = steps_since(last_spike);
        //# update
        state[keys_offset] = select(0u, order_key(bitcast<u32>(SCORE)), fires);
        //# store
        // Also of those that win, and are still to be reset: the host knows them.
        //# check
    }
}
