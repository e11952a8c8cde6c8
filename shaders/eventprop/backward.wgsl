// The events of the trials of a chunk in reverse: the twin of crates/spikelet-train/src/eventprop/backward.rs. A workgroup passes one trial
// after the other, so that the gradients of the chunk are added up in their order.

// Partial sums over a row; and what maxima that end with this arrival add to the first one.
var<workgroup> sums: array<f32, WORKGROUP_SIZE>;
var<workgroup> of_maxima: array<f32, WORKGROUP_SIZE>;
// The event, its place in their order, where its trial begins, and whether there is one.
var<workgroup> taken: vec4<u32>;
var<workgroup> taken_place: u32;
var<workgroup> taken_region: u32;
var<workgroup> goes_on: u32;
// Whether the derivative with respect to its time is wanted.
var<workgroup> needs_time: u32;

// The first invocation takes the last event that has not been passed.
fn take(chunk: u32) {
    let first = chunk * job.chunk;
    let cursor = first * job.region + TRIAL;
    let trials = min(job.chunk, job.trials - first);
    goes_on = 0u;
    while (tape[cursor] < trials) {
        region = (first + tape[cursor]) * job.region;
        let left = tape[region + LEFT];
        if (left > 0u) {
            tape[region + LEFT] = left - 1u;
            taken = read_entry(entry(left - 1u));
            taken_place = left - 1u;
            taken_region = region;
            needs_time = 0u;
            if (taken.y != NONE) {
                needs_time = tables[of_projection(taken.y) + NEEDS_TIME];
            }
            goes_on = 1u;
            return;
        }
        tape[cursor] += 1u;
    }
}

// Brings a neuron back to a time; during the refractory time its potential does not move.
fn bring(cell: Cell, neuron: u32, now: f32) {
    var u = number(ADJOINT_U, neuron);
    var i = number(ADJOINT_I, neuron);
    var t = number(ADJOINT_T, neuron);
    let last = tape[field(PASSED, neuron)];
    if (cell.refractory > 0.0f && last != NONE) {
        let at = spike(last);
        let free = exact(bitcast<f32>(tape[at + SPIKE_TIME]) + cell.refractory);
        if (now < free && t > free) {
            let then = earlier(cell, u, i, exact(t - free));
            let rise = exact(exact(bitcast<f32>(tape[at + RELEASED]) - cell.rho) * cell.inverse_m);
            put(RELEASE, neuron, exact(then.x * rise));
            u = 0.0f;
            i = then.y;
            t = free;
        }
    }
    let then = earlier(cell, u, i, exact(t - now));
    put(ADJOINT_U, neuron, then.x);
    put(ADJOINT_I, neuron, then.y);
    put(ADJOINT_T, neuron, now);
}

// Passes a spike.
fn pass_spike() {
    let at = spike(taken.w);
    let neuron = tape[at + SPIKE_NEURON];
    let cell = cell_of(tables[job.of_neurons + neuron]);
    bring(cell, neuron, bitcast<f32>(tape[at + SPIKE_TIME]));
    let current = bitcast<f32>(tape[at + SPIKE_CURRENT]);
    var release = exact(number(ADJOINT_U, neuron) * exact(exact(current - cell.rho) * cell.inverse_m));
    if (cell.refractory > 0.0f) {
        release = number(RELEASE, neuron);
        put(RELEASE, neuron, 0.0f);
    }
    let time = exact(bitcast<f32>(tape[at + TIME_ADJOINT]) - release);
    let slope = exact(current - cell.theta);
    let is_steep = slope >= cell.grazing;
    put(ADJOINT_U, neuron, exact(-exact(time * cell.tau_m) / select(cell.grazing, slope, is_steep)));
    tape[field(PASSED, neuron)] = tape[at + PREVIOUS];
    if (!is_steep && time != 0.0f) {
        tape[region + LIMITED] += 1u;
    }
}

// Brings an integrator back to a time between which and its own there is no maximum.
fn bring_integrator(cell: Cell, flags: u32, neuron: u32, now: f32) {
    let past = exact(number(ADJOINT_T, neuron) - now);
    var then = earlier(cell, number(ADJOINT_U, neuron), number(ADJOINT_I, neuron), past);
    if ((flags & READS_MEAN) != 0u) {
        let integral = integrals(cell, past);
        let mean = number(ADJOINT_MEAN, neuron);
        then = vec2<f32>(exact(then.x + exact(integral.y * mean)), exact(then.y + exact(integral.x * mean)));
    }
    put(ADJOINT_U, neuron, then.x);
    put(ADJOINT_I, neuron, then.y);
    put(ADJOINT_T, neuron, now);
}

// Adds what is still to be added of the adjoint of a maximum. Returns it.
fn add_maximum(neuron: u32) -> f32 {
    let adjoint = number(ADJOINT_MAXIMUM, neuron);
    put(ADJOINT_MAXIMUM, neuron, 0.0f);
    put(ADJOINT_U, neuron, exact(number(ADJOINT_U, neuron) + adjoint));
    return adjoint;
}

fn integrate_back(cell: Cell, flags: u32, neuron: u32, now: f32) {
    if ((flags & READS_MAXIMUM) != 0u && tape[field(PLACE, neuron)] == BETWEEN) {
        let time = number(PLACE_AT, neuron);
        if (time < number(ADJOINT_T, neuron) && time >= now) {
            bring_integrator(cell, flags, neuron, time);
            add_maximum(neuron);
        }
    }
    bring_integrator(cell, flags, neuron, now);
}

// Passes an arrival.
fn pass_arrival(chunk: u32, local_id: u32) {
    let projection = of_projection(taken.y);
    let row = synapses(taken);
    let post = tables[projection + POST];
    let flags = tables[post * POPULATION_WORDS + FLAGS];
    let cell = cell_of(post);
    let now = bitcast<f32>(taken.x);
    let gradient = tables[projection + GRADIENT];
    let ends_rises = (flags & READS_MAXIMUM) != 0u;
    let wants_time = needs_time != 0u;
    // What maxima add to the first partial sum has the order of synapses.
    let is_serial = tables[projection + IS_SERIAL] != 0u || (ends_rises && wants_time && row.y > WORKGROUP_SIZE);
    let count = select(row.y, 0u, is_serial && local_id > 0u);
    for (var k = local_id; k < count; k += select(WORKGROUP_SIZE, 1u, is_serial)) {
        let synapse = row.x + k;
        let neuron = tables[post * POPULATION_WORDS + FIRST_NEURON] + tables[tables[projection + TARGETS] + synapse];
        if ((flags & FIRES) != 0u) {
            bring(cell, neuron, now);
        } else {
            integrate_back(cell, flags, neuron, now);
        }
        let u = number(ADJOINT_U, neuron);
        let i = number(ADJOINT_I, neuron);
        if (gradient != NONE) {
            let at = chunk * job.gradients + gradient + synapse;
            gradients[at] = exact(gradients[at] + i);
        }
        if (wants_time) {
            let weight = bitcast<f32>(tables[tables[projection + WEIGHTS] + synapse]);
            let time = exact(weight * exact(exact(i * cell.inverse_s) - exact(u * cell.inverse_m)));
            sums[k % WORKGROUP_SIZE] = exact(sums[k % WORKGROUP_SIZE] + time);
        }
        if (ends_rises && tape[field(PLACE, neuron)] == BEFORE && tape[field(PLACE_AT, neuron)] == taken_place) {
            let fall = exact(exact(number(PLACE_CURRENT, neuron) - number(MAXIMUM, neuron)) * cell.inverse_m);
            let time = exact(add_maximum(neuron) * fall);
            if (is_serial) {
                sums[0] = exact(sums[0] + time);
            } else {
                of_maxima[local_id] = time;
            }
        }
    }
}

// The sum over the row, added to the derivative with respect to the time of the spike.
fn add_up(local_id: u32) {
    workgroupBarrier();
    if (local_id == 0u) {
        for (var k = 0u; k < WORKGROUP_SIZE; k += 1u) {
            sums[0] = exact(sums[0] + of_maxima[k]);
        }
    }
    workgroupBarrier();
    for (var half = WORKGROUP_SIZE / 2u; half > 0u; half /= 2u) {
        if (local_id < half) {
            sums[local_id] = exact(sums[local_id] + sums[local_id + half]);
        }
        workgroupBarrier();
    }
    if (local_id == 0u) {
        let at = spike(taken.w) + TIME_ADJOINT;
        tape[at] = bitcast<u32>(exact(bitcast<f32>(tape[at]) + sums[0]));
    }
}

// How many iterations an event takes at most.
fn cost() -> u32 {
    if (taken.y == NONE) {
        return 2u;
    }
    let count = synapses(taken).y;
    let is_serial = tables[of_projection(taken.y) + IS_SERIAL] != 0u || needs_time != 0u;
    return WORKGROUP_SIZE + 16u + select(count / WORKGROUP_SIZE, count, is_serial);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn backward_events(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local_id: u32,
) {
    let chunk = group_index(group, groups);
    if (chunk * job.chunk >= job.trials) {
        return;
    }
    zero = job.zero;
    var spent = 0u;
    loop {
        if (local_id == 0u) {
            goes_on = 0u;
            if (spent <= job.budget) {
                take(chunk);
            }
        }
        if (workgroupUniformLoad(&goes_on) == 0u) {
            break;
        }
        region = taken_region;
        sums[local_id] = 0.0f;
        of_maxima[local_id] = 0.0f;
        storageBarrier();
        workgroupBarrier();
        spent += cost();
        if (taken.y != NONE) {
            pass_arrival(chunk, local_id);
        } else if (local_id == 0u) {
            pass_spike();
        }
        if (workgroupUniformLoad(&needs_time) != 0u) {
            add_up(local_id);
        }
        storageBarrier();
        workgroupBarrier();
    }
}
