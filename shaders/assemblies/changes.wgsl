// Adds what synapses have learned: an invocation for each slot of the hash table of a fibre.

const SLOT_WORDS: u32 = 4u;

@compute @workgroup_size(WORKGROUP_SIZE)
fn add_changes(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local_id: u32) {
    let slot = invocation(group, groups, local_id);
    if (slot >= job.slots) {
        return;
    }
    let word = job.first_slot + SLOT_WORDS * slot;
    if (atomicLoad(&learned[word]) != 0u && is_marked(job.firing_marks, atomicLoad(&learned[word + 1u]))) {
        add_input(atomicLoad(&learned[word + 2u]), weight(atomicLoad(&learned[word + 3u])) - ONE);
    }
}
