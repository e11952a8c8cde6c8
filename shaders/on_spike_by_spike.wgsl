// A pathway whose events only add: 64 invocations take 32 neurons of the end whose spikes it waits for, and share the synapses of those
// that fired as long ago as their delay. No other synapse is looked at.

// Where the entries of a neuron begin that has a delay of `age` steps or more, among those from `start` to `end`, which rise.
fn first_of(age: u32, start: u32, end: u32) -> u32 {
    var low = start;
    var high = end;
    while (low < high) {
        let middle = (low + high) / 2u;
        if (delay_of(entry(middle)) < age) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

// The synapse at a place of the pathway's order.
fn entry(place: u32) -> u32 {
    let order = table(job.first + 3u);
    if (order == 0xffffffffu) {
        return place;
    }
    return rows[order + place];
}

fn work(id: u32, ids: u32) {
    enter_pathway();
    let offsets_offset = table(job.first + 4u);
    let first = table(job.first + 5u);
    let last = table(job.first + 6u);
    let shortest = table(job.first + 7u);
    let delays_differ = table(job.first + 1u) != 0u;
    let by_place = table(job.first + 9u) != NO_POPULATION;
    if (by_place) {
        enter_own(table(job.first + 9u));
    }
    for (var block = id / 64u; block < job.count; block += ids / 64u) {
        let age = shortest + block / job.second;
        let word = first / 32u + block % job.second;
        if (age > step) {
            continue;
        }
        var left = fired(step - age, memory_words_offset, word);
        while (left != 0u) {
            let neuron = word * 32u + firstTrailingBit(left);
            left &= left - 1u;
            if (neuron < first || neuron >= last) {
                continue;
            }
            var row = neuron - first;
            if (by_place) {
                row = place_of(neuron);
                if (row == NOT_OWN) {
                    continue;
                }
            }
            var start = rows[offsets_offset + row];
            var end = rows[offsets_offset + row + 1u];
            if (delays_differ) {
                start = first_of(age, start, end);
                end = first_of(age + 1u, start, end);
            }
            for (var k = start + id % 64u; k < end; k += 64u) {
                enter_synapse(entry(k));
                run();
            }
        }
    }
}
