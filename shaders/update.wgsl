// The phases `integrate` and `fire` where synapses have something to do in every step: update, threshold.

fn work(id: u32, ids: u32) {
    for (var block = id / 64u; block < job.count; block += ids / 64u) {
        if (!enter(job.at + block * BLOCK_WORDS, id % 64u)) {
            continue;
        }
        //# load
        let since_spike = steps_since(last_spike);
        //# update
        if (fires) {
            last_spike = i32(step);
            log_spike(step, number);
            //# remember
        }
        //# store
        // A neuron that has just fired is still to be reset.
        if (!fires) {
            //# check
        }
    }
}
