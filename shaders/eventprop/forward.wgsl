// The events of trials, each by a workgroup. The next event is found by all invocations, chosen by the first one, and taken by all. A
// dispatch ends after some iterations, and the next one continues.

// For each invocation the first crossing and its neuron; the first arrival, and its place if it is pending.
var<workgroup> crossings: array<vec2<u32>, WORKGROUP_SIZE>;
var<workgroup> arrivals: array<vec4<u32>, WORKGROUP_SIZE>;
var<workgroup> places: array<u32, WORKGROUP_SIZE>;
// The event, its place in their order, and whether others follow.
var<workgroup> taken: vec4<u32>;
var<workgroup> taken_place: u32;
var<workgroup> first_pending: u32;
var<workgroup> goes_on: u32;
// What the event is.
var<workgroup> kind: u32;

const NOTHING: u32 = 0u;
const SPIKE: u32 = 1u;
const ARRIVAL: u32 = 2u;
const FINISH: u32 = 3u;

const NEVER: u32 = 0x7f800000u;

// Times are not negative: their bits have their order.
fn precedes(a: vec4<u32>, b: vec4<u32>) -> bool {
    if (a.x != b.x) {
        return a.x < b.x;
    }
    if (a.y != b.y) {
        return a.y < b.y;
    }
    if (a.z != b.z) {
        return a.z < b.z;
    }
    return a.w < b.w;
}

fn shared_delay(projection: u32) -> f32 {
    return bitcast<f32>(tables[tables[projection + DELAYS]]);
}

// The first crossing and the first arrival among those of an invocation.
fn look(local_id: u32) {
    var crossing = vec2<u32>(NEVER, 0u);
    for (var neuron = local_id; neuron < job.neurons; neuron += WORKGROUP_SIZE) {
        let time = tape[field(NEXT, neuron)];
        if (time < crossing.x) {
            crossing = vec2<u32>(time, neuron);
        }
    }
    var first = vec4<u32>(NEVER, NONE, NONE, NONE);
    var place = NONE;
    for (var index = local_id; index < job.projections; index += WORKGROUP_SIZE) {
        let head = tape[region + job.heads + index];
        if (head != NONE) {
            let time = exact(bitcast<f32>(tape[spike(head) + SPIKE_TIME]) + shared_delay(of_projection(index)));
            let candidate = vec4<u32>(bitcast<u32>(time), index, NONE, head);
            if (precedes(candidate, first)) {
                first = candidate;
            }
        }
    }
    let count = tape[region + PENDING];
    for (var index = local_id; index < count; index += WORKGROUP_SIZE) {
        let candidate = read_entry(pending(index));
        if (precedes(candidate, first)) {
            first = candidate;
            place = index;
        }
    }
    crossings[local_id] = crossing;
    arrivals[local_id] = first;
    places[local_id] = place;
}

// Brings the first ones of all invocations to those of the first invocation.
fn reduce(local_id: u32) {
    workgroupBarrier();
    for (var half = WORKGROUP_SIZE / 2u; half > 0u; half /= 2u) {
        if (local_id < half) {
            let other = crossings[local_id + half];
            let own = crossings[local_id];
            if (other.x < own.x || (other.x == own.x && other.y < own.y)) {
                crossings[local_id] = other;
            }
            if (precedes(arrivals[local_id + half], arrivals[local_id])) {
                arrivals[local_id] = arrivals[local_id + half];
                places[local_id] = places[local_id + half];
            }
        }
        workgroupBarrier();
    }
}

fn end(status: u32) {
    tape[region + STATUS] = status;
    goes_on = 0u;
    kind = select(NOTHING, FINISH, status == FINISHED);
}

// Notes the current at the end of the refractory time in the spike that began it, when it has ended by now.
fn note_release(cell: Cell, neuron: u32, t: f32, free: f32, now: f32, released: f32) {
    if (cell.refractory > 0.0f && t < free && free <= now) {
        tape[spike(tape[field(LAST, neuron)]) + RELEASED] = bitcast<u32>(released);
    }
}

// A neuron fires, and is reset.
fn fire(neuron: u32, now: f32) {
    let population = tables[job.of_neurons + neuron];
    let cell = cell_of(population);
    let t = number(T, neuron);
    let free = number(FREE, neuron);
    let then = advance(cell, number(U, neuron), number(I, neuron), t, free, now);
    note_release(cell, neuron, t, free, now, then.z);
    let until = exact(now + cell.refractory);
    put(U, neuron, cell.rho);
    put(I, neuron, then.y);
    put(T, neuron, now);
    put(FREE, neuron, until);
    put(NEXT, neuron, next_crossing(cell, cell.rho, then.y, until, now));

    let index = tape[region + SPIKES];
    tape[region + SPIKES] = index + 1u;
    let previous = tape[field(LAST, neuron)];
    tape[field(LAST, neuron)] = index;
    if (previous == NONE) {
        put(FIRST, neuron, now);
    }
    let at = spike(index);
    tape[at + SPIKE_TIME] = bitcast<u32>(now);
    tape[at + SPIKE_CURRENT] = bitcast<u32>(then.y);
    tape[at + RELEASED] = bitcast<u32>(then.y);
    tape[at + SPIKE_NEURON] = neuron;
    tape[at + PREVIOUS] = previous;
    tape[at + FOLLOWING] = NONE;
    let tail = region + TAILS + population;
    if (tape[tail] != NONE) {
        tape[spike(tape[tail]) + FOLLOWING] = index;
    }
    tape[tail] = index;
    let outgoing = tables[population * POPULATION_WORDS + OUTGOING];
    for (var k = 0u; k < tables[population * POPULATION_WORDS + OUTGOING_COUNT]; k += 1u) {
        let projection = tables[outgoing + k];
        let head = region + job.heads + projection;
        if (tables[of_projection(projection) + EACH_DELAY] == 0u && tape[head] == NONE) {
            tape[head] = index;
        }
    }
    taken = vec4<u32>(bitcast<u32>(now), NONE, NONE, index);
}

// Takes an arrival from where it waits.
fn receive(place: u32) {
    if (place == NONE) {
        tape[region + job.heads + taken.y] = tape[spike(taken.w) + FOLLOWING];
        return;
    }
    let left = tape[region + PENDING] - 1u;
    tape[region + PENDING] = left;
    write_entry(pending(place), read_entry(pending(left)));
}

// The first invocation decides what comes next.
fn choose() {
    let first = crossings[0];
    let duration = bitcast<u32>(job.duration);
    taken = arrivals[0];
    kind = SPIKE;
    if (first.x > taken.x) {
        kind = ARRIVAL;
    }
    if (min(first.x, taken.x) > duration) {
        end(FINISHED);
        return;
    }
    if (kind == SPIKE) {
        let count = tape[region + SPIKES];
        if (count >= job.max_spikes) {
            end(RAN_AWAY);
            return;
        }
        if (count >= job.spike_room) {
            end(FULL);
            return;
        }
        fire(first.y, bitcast<f32>(first.x));
    } else {
        receive(places[0]);
    }
    taken_place = tape[region + ORDER];
    tape[region + ORDER] = taken_place + 1u;
    write_entry(entry(taken_place), taken);
    first_pending = tape[region + PENDING];
}

// Brings an integrator to a time, and notes what is read of its potential.
fn integrate(cell: Cell, flags: u32, neuron: u32, now: f32, kind_of_place: u32) {
    let u = number(U, neuron);
    let i = number(I, neuron);
    let t = number(T, neuron);
    let past = exact(now - t);
    let then = later(cell, u, i, past);
    if ((flags & READS_MEAN) != 0u) {
        let integral = integrals(cell, past);
        put(INTEGRAL, neuron, exact(number(INTEGRAL, neuron) + exact(exact(integral.y * u) + exact(integral.x * i))));
    }
    if ((flags & READS_MAXIMUM) != 0u) {
        var maximum = number(MAXIMUM, neuron);
        let extremum = extremum_of(cell, u, i);
        if (i > u && is_above(extremum, 0.0f) && extremum < past) {
            let value = current_after(cell, i, extremum);
            if (value > maximum) {
                maximum = value;
                put(MAXIMUM, neuron, value);
                tape[field(PLACE, neuron)] = BETWEEN;
                put(PLACE_AT, neuron, exact(t + extremum));
            }
        }
        if (then.x > maximum) {
            put(MAXIMUM, neuron, then.x);
            tape[field(PLACE, neuron)] = kind_of_place;
            tape[field(PLACE_AT, neuron)] = taken_place;
            put(PLACE_CURRENT, neuron, then.y);
        }
    }
    put(U, neuron, then.x);
    put(I, neuron, then.y);
    put(T, neuron, now);
}

// An arrival at a neuron.
fn add(cell: Cell, neuron: u32, weight: f32, now: f32) {
    let t = number(T, neuron);
    let free = number(FREE, neuron);
    let then = advance(cell, number(U, neuron), number(I, neuron), t, free, now);
    let current = exact(then.y + weight);
    note_release(cell, neuron, t, free, now, then.z);
    put(U, neuron, then.x);
    put(I, neuron, current);
    put(T, neuron, now);
    put(NEXT, neuron, next_crossing(cell, then.x, current, free, now));
}

fn deliver(local_id: u32) {
    let projection = of_projection(taken.y);
    let row = synapses(taken);
    let post = tables[projection + POST];
    let flags = tables[post * POPULATION_WORDS + FLAGS];
    let cell = cell_of(post);
    let now = bitcast<f32>(taken.x);
    let is_serial = tables[projection + IS_SERIAL] != 0u;
    let count = select(row.y, 0u, is_serial && local_id > 0u);
    for (var k = local_id; k < count; k += select(WORKGROUP_SIZE, 1u, is_serial)) {
        let synapse = row.x + k;
        let target_neuron = tables[post * POPULATION_WORDS + FIRST_NEURON] + tables[tables[projection + TARGETS] + synapse];
        let weight = bitcast<f32>(tables[tables[projection + WEIGHTS] + synapse]);
        if ((flags & FIRES) != 0u) {
            add(cell, target_neuron, weight, now);
        } else {
            integrate(cell, flags, target_neuron, now, BEFORE);
            put(I, target_neuron, exact(number(I, target_neuron) + weight));
        }
    }
}

// The arrivals of a spike where each synapse has its delay.
fn send(local_id: u32) {
    let now = bitcast<f32>(taken.x);
    let population = tables[job.of_neurons + tape[spike(taken.w) + SPIKE_NEURON]];
    let outgoing = tables[population * POPULATION_WORDS + OUTGOING];
    var count = first_pending;
    for (var outer = 0u; outer < tables[population * POPULATION_WORDS + OUTGOING_COUNT]; outer += 1u) {
        let index = tables[outgoing + outer];
        let projection = of_projection(index);
        if (tables[projection + EACH_DELAY] == 0u) {
            continue;
        }
        let row = synapses(vec4<u32>(taken.x, index, NONE, taken.w));
        for (var k = local_id; k < row.y; k += WORKGROUP_SIZE) {
            let synapse = row.x + k;
            let time = exact(now + bitcast<f32>(tables[tables[projection + DELAYS] + synapse]));
            write_entry(pending(count + k), vec4<u32>(bitcast<u32>(time), index, synapse, taken.w));
        }
        count += row.y;
    }
    if (local_id == 0u) {
        tape[region + PENDING] = count;
    }
}

// Integrators at the end of the trial.
fn finish(local_id: u32) {
    for (var neuron = local_id; neuron < job.neurons; neuron += WORKGROUP_SIZE) {
        let population = tables[job.of_neurons + neuron];
        let flags = tables[population * POPULATION_WORDS + FLAGS];
        if ((flags & (IS_CELLS | FIRES)) == IS_CELLS) {
            integrate(cell_of(population), flags, neuron, job.duration, END);
        }
    }
}

// How many iterations an event takes at most, when its row is not yet taken.
fn cost() -> u32 {
    let found = (job.neurons + job.projections + tape[region + PENDING]) / WORKGROUP_SIZE + 16u;
    if (kind != ARRIVAL) {
        return found + MAX_STEPS + 2u * job.projections + job.max_arrivals / WORKGROUP_SIZE;
    }
    let count = synapses(taken).y;
    let is_serial = tables[of_projection(taken.y) + IS_SERIAL] != 0u;
    return found + select(count / WORKGROUP_SIZE + 1u, count, is_serial) * (MAX_STEPS + 2u);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn forward_events(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local_id: u32,
) {
    let trial = group_index(group, groups);
    if (trial >= job.trials) {
        return;
    }
    zero = job.zero;
    region = trial * job.region;
    if (local_id == 0u) {
        goes_on = u32(tape[region + STATUS] == RUNNING);
    }
    var spent = 0u;
    while (workgroupUniformLoad(&goes_on) != 0u) {
        look(local_id);
        reduce(local_id);
        if (local_id == 0u) {
            choose();
            spent += cost();
            if (spent > job.budget) {
                goes_on = 0u;
            }
        }
        storageBarrier();
        workgroupBarrier();
        if (kind == ARRIVAL) {
            deliver(local_id);
        } else if (kind == SPIKE) {
            send(local_id);
        } else if (kind == FINISH) {
            finish(local_id);
        }
        storageBarrier();
        workgroupBarrier();
    }
}
