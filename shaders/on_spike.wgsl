// The phase `on spike`: spikes reach synapses that have a state. What the three kernels of it share.
//
// `job.first` is the pathway in `tables`: its first delay in `rows` and the stride of the delays (0: one for all); in `rows` the neuron
// of each synapse whose spikes it waits for, the synapses neuron by neuron and in the order of their delays (0xffffffff where they lie so),
// the offsets of the neurons; first and last + 1 of these neurons; the shortest delay; where the words of their spikes begin; their population, if
// they are own neurons by their places, else NO_POPULATION; then for each port that it adds to: first column, units in 1, what is left over in a unit (0 where that is not kept), most units (these three are
// the bits of f32), the port's number.
const PORT_WORDS: u32 = 5u;
const FIRST_PORT: u32 = 10u;
const NO_POPULATION: u32 = 0xffffffffu;

var<private> memory_words_offset: u32;
var<private> slot: u32;

fn enter_pathway() {
    enter_projection(job.at);
    memory_words_offset = table(job.first + 8u);
    slot = ring_slot(step + 1u);
}

fn delay_of(k: u32) -> u32 {
    return rows[table(job.first) + k * table(job.first + 1u)];
}

// Whether a spike reaches the synapse in this step.
fn is_reached(k: u32) -> bool {
    let delay = delay_of(k);
    var neuron = rows[table(job.first + 2u) + k];
    if (table(job.first + 9u) != NO_POPULATION) {
        neuron = neuron_at(table(job.first + 9u), neuron);
    }
    if (delay > step) {
        return false;
    }
    return ((fired(step - delay, memory_words_offset, neuron / 32u) >> (neuron % 32u)) & 1u) != 0u;
}

// Adds to the k-th port of the pathway; the twin of `split` in crates/spikelet-rows/src/ring.rs.
fn add(k: u32, event: f32) {
    let port = job.first + FIRST_PORT + k * PORT_WORDS;
    let scaled = exact(event * bitcast<f32>(table(port + 1u)));
    let whole = round(scaled);
    // Bits, since a device may take for granted that nothing is infinite or no number.
    let is_number = (bitcast<u32>(scaled) & 0x7fffffffu) < 0x7f800000u;
    if (!is_number || abs(whole) > bitcast<f32>(table(port + 3u))) {
        refuse(table(port + 4u), event);
        return;
    }
    let column = slot + table(port) + post;
    atomicAdd(&ring[column], i32(whole));
    let rests = bitcast<f32>(table(port + 2u));
    if (rests != 0.0f) {
        atomicAdd(&ring[column + post_size], i32(round(exact(exact(scaled - whole) * rests))));
    }
}

// Notes the first event that is too large; the host makes a sentence of it.
fn refuse(port: u32, event: f32) {
    loop {
        let met = atomicCompareExchangeWeak(&header.progress[trial].fault, 0u, projection + 1u);
        if (met.exchanged) {
            header.progress[trial].fault_port = port;
            header.progress[trial].fault_value = bitcast<u32>(event);
        }
        // It may fail for no reason.
        if (met.exchanged || met.old_value != 0u) {
            break;
        }
    }
}
