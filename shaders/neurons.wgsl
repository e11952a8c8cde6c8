// All phases of neurons where synapses do nothing in between: take what arrived, reset, hold, sample, update, test the
// threshold. One kernel for each model, over the populations that have it; each invocation carries its neuron through the steps of
// the job: a whole epoch, or one step.
//
// The lines `//# …` are replaced by what crates/spikelet-lang/src/wgsl.rs prints for the model.

fn work(id: u32, ids: u32) {
    let first = step;
    for (var block = id / 64u; block < job.count; block += ids / 64u) {
        let described = job.at + block * BLOCK_WORDS;
        if (!enter(described, id % 64u)) {
            continue;
        }
        // The channels of this neuron, if any of the block are sampled.
        let list = table(described + 2u);
        let channels = select(0u, list + id % 64u, list != 0u);
        //# load
        for (step = first; step < steps_end; step += 1u) {
            slot = ring_slot(step);
            //# forget
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
            if (channels != 0u) {
                for (var k = table(channels); k < table(channels + 1u); k += 1u) {
                    let channel = table(k);
                    var value = 0.0f;
                    switch table(header.channels_offset + 2u * channel + 1u) {
                        //# sample
                        default: {}
                    }
                    samples[sample_row(step) + channel] = value;
                }
            }
            //# update
            if (fires) {
                last_spike = i32(step);
                log_spike(step, number);
                //# remember
            }
        }
        //# store
        // A neuron that has just fired is still to be reset.
        if (last_spike != i32(steps_end) - 1i) {
            //# check
        }
    }
}
