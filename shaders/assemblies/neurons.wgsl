// Kernels with an invocation for each neuron of an area, or for each winner.

fn stimulus_units(neuron: u32) -> u32 {
    let word = atomicLoad(&stimuli[job.stimulus + neuron]);
    let lines = word & 0xffffu;
    let each = weight(word >> 16u);
    // At least the bits above the largest sum are lost, but not that there were any.
    if (lines > 0u && each > LARGEST / lines) {
        fail(SUM_TOO_LARGE, neuron);
        return 0u;
    }
    return lines * each;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn clear_sums(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local_id: u32) {
    let neuron = invocation(group, groups, local_id);
    if (neuron < job.neurons) {
        atomicStore(&sums[job.first_sum + neuron], 0u);
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn add_stimulus(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local_id: u32) {
    let neuron = invocation(group, groups, local_id);
    if (neuron < job.neurons) {
        add_input(neuron, stimulus_units(neuron));
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn learn_stimulus(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local_id: u32) {
    let place = invocation(group, groups, local_id);
    if (place < job.k) {
        let word = job.stimulus + atomicLoad(&lists[job.first_winner + place]);
        if ((atomicLoad(&stimuli[word]) >> 16u) < job.max_updates) {
            atomicAdd(&stimuli[word], 0x10000u);
        }
    }
}

// Sets the bits of the winners.
@compute @workgroup_size(WORKGROUP_SIZE)
fn mark(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local_id: u32) {
    let place = invocation(group, groups, local_id);
    if (place < job.k) {
        let winner = atomicLoad(&lists[job.first_winner + place]);
        atomicOr(&lists[job.winner_marks + winner / 32u], 1u << (winner % 32u));
    }
}

// Clears them again.
@compute @workgroup_size(WORKGROUP_SIZE)
fn unmark(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local_id: u32) {
    let place = invocation(group, groups, local_id);
    if (place < job.k) {
        let winner = atomicLoad(&lists[job.first_winner + place]);
        atomicStore(&lists[job.winner_marks + winner / 32u], 0u);
    }
}

// The winners of an area that keeps them.
@compute @workgroup_size(WORKGROUP_SIZE)
fn log_winners(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local_id: u32) {
    let place = invocation(group, groups, local_id);
    if (place < job.k) {
        round_log[job.first_log + place] = atomicLoad(&lists[job.first_winner + place]);
    }
}
