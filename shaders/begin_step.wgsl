// The phases `deliver`, `reset` and `hold` where synapses have something to do in every step: take what arrived, reset, hold. The first kernel
// of an epoch.

fn work(id: u32, ids: u32) {
    slot = ring_slot(step);
    for (var block = id / 64u; block < job.count; block += ids / 64u) {
        if (!enter(job.at + block * BLOCK_WORDS, id % 64u)) {
            continue;
        }
        //# forget
        //# load
        let since_spike = steps_since(last_spike);
        if (step != header.completed) {
            {
                //# deliver_input
            }
            if (last_spike == i32(step) - 1i) {
                //# reset
            }
            //# after_events
        }
        //# run_regularly
        {
            //# sample_and_hold
        }
        //# store
    }
}
