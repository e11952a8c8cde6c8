// The phase `trace`: what spikes do to the traces of their neurons, after all synapses have received them; all projections whose traces
// the neurons at one end keep. An invocation takes 32 neurons of each. `job.at` is the list in `tables`: for each projection its
// description, its pathway, how many words of neurons there are, and which `run` is its code.

fn work(id: u32, ids: u32) {
    let list = job.at;
    for (var item = 0u; item < job.count; item += 1u) {
        job.at = table(list + 4u * item);
        job.first = table(list + 4u * item + 1u);
        enter_pathway();
        let by_place = table(job.first + 9u) != NO_POPULATION;
        if (by_place) {
            enter_own(table(job.first + 9u));
        }
        // All synapses of a neuron have the same delay.
        let delay = table(job.first + 7u);
        if (delay > step) {
            continue;
        }
        for (var word = id; word < table(list + 4u * item + 2u); word += ids) {
            var left = fired(step - delay, memory_words_offset, word);
            while (left != 0u) {
                pre = word * 32u + firstTrailingBit(left);
                post = pre;
                left &= left - 1u;
                if (by_place) {
                    post = place_of(pre);
                    if (post == NOT_OWN) {
                        continue;
                    }
                }
                switch table(list + 4u * item + 3u) {
                    //# runs
                    default: {}
                }
            }
        }
    }
}
