// The state at the end of trials, for the way back. The host has written the adjoints of readings.

@compute @workgroup_size(WORKGROUP_SIZE)
fn begin_backward(
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
    for (var neuron = local_id; neuron < job.neurons; neuron += WORKGROUP_SIZE) {
        tape[field(PASSED, neuron)] = tape[field(LAST, neuron)];
        if (tape[field(PLACE, neuron)] == END) {
            put(ADJOINT_U, neuron, exact(number(ADJOINT_U, neuron) + number(ADJOINT_MAXIMUM, neuron)));
            put(ADJOINT_MAXIMUM, neuron, 0.0f);
        }
    }
    for (var index = local_id; index < tape[region + SPIKES]; index += WORKGROUP_SIZE) {
        let at = spike(index);
        let adjoint = number(ADJOINT_FIRST, tape[at + SPIKE_NEURON]);
        tape[at + TIME_ADJOINT] = bitcast<u32>(select(0.0f, adjoint, tape[at + PREVIOUS] == NONE));
    }
    if (local_id == 0u) {
        tape[region + LEFT] = tape[region + ORDER];
        tape[region + LIMITED] = 0u;
        tape[region + TRIAL] = 0u;
    }
}
