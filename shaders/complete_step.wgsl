// Completes the last step of all neurons, if values are read or set before the next one: take what arrived, reset, and execute the
// statements of events. The step that follows leaves this out.

fn work(id: u32, ids: u32) {
    slot = ring_slot(step);
    for (var block = id / 64u; block < job.count; block += ids / 64u) {
        if (!enter(job.at + block * BLOCK_WORDS, id % 64u)) {
            continue;
        }
        //# load
        let since_spike = steps_since(last_spike);
        {
            //# deliver_input
        }
        if (last_spike == i32(step) - 1i) {
            //# reset
        }
        //# after_events
        //# store
    }
}
