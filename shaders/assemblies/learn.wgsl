// Counts an update of each synapse onto a winner, in the hash table of its fibre.
//
// A slot has four words: the round in which it was taken, the neurons, and the number of updates. A synapse is visited once in a round, so
// that a slot taken in this round is that of another one, and needs no comparison, which could meet a slot half written.
fn edge(pre: u32, post: u32) {
    if (!is_marked(job.winner_marks, post)) {
        return;
    }
    var slot = (mixed(pre ^ mixed(post))) % job.slots;
    for (var probe = 0u; probe < job.slots; probe += 1u) {
        let word = job.first_slot + SLOT_WORDS * slot;
        let taken = atomicLoad(&learned[word]);
        if (taken == 0u) {
            if (atomicCompareExchangeWeak(&learned[word], 0u, job.round).exchanged) {
                atomicStore(&learned[word + 1u], pre);
                atomicStore(&learned[word + 2u], post);
                atomicStore(&learned[word + 3u], min(1u, job.most_updates));
                atomicAdd(&lists[job.used], 1u);
                return;
            }
            // An exchange may fail without a reason: the slot is looked at again.
            if (atomicLoad(&learned[word]) == 0u) {
                probe -= 1u;
                continue;
            }
        } else if (taken != job.round && atomicLoad(&learned[word + 1u]) == pre && atomicLoad(&learned[word + 2u]) == post) {
            let updates = atomicLoad(&learned[word + 3u]);
            atomicStore(&learned[word + 3u], min(updates + 1u, job.most_updates));
            return;
        }
        slot = (slot + 1u) % job.slots;
    }
    fail(TABLE_FULL, post);
}

const SLOT_WORDS: u32 = 4u;
