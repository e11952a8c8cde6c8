// Gradients of the weights of a projection, of the steps of a block: an invocation for each synapse and chunk of trials.

@compute @workgroup_size(WORKGROUP_SIZE)
fn sum_weights(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local_id: u32,
) {
    let id = invocation(group, groups, local_id);
    let chunk = id / job.count;
    let first_trial = chunk * job.chunk;
    if (first_trial >= job.trials) {
        return;
    }
    zero = job.zero;
    let at = job.projections;
    let synapse = id % job.count;
    let pre = tables[tables[at + SOURCES] + synapse];
    let words = tables[at + PRE_WORDS];
    let bits = tables[at + PRE_SPIKES] + pre / 32u;
    let arrives = arrival(at, synapse);
    let port = tables[at + POST_PORT] + tables[tables[at + TARGETS] + synapse];
    var sum = gradients[job.results + id];
    for (var step = min(now.step + job.block, job.steps); step > now.step; step -= 1u) {
        // The step is `step - 1`.
        let arrival_step = step - 1u + arrives;
        if (arrival_step >= window_end(step - 1u)) {
            continue;
        }
        let adjoints = port + arrival_step % job.port_slots * tables[at + POST_LANES];
        for (var trial = first_trial; trial < min(first_trial + job.chunk, job.trials); trial += 1u) {
            let fired = atomicLoad(&spikes[bits + ((step - 1u) * job.trials + trial) * words]);
            if (((fired >> (pre % 32u)) & 1u) != 0u) {
                sum = exact(sum + ports[adjoints + trial * tables[at + POST_SIZE]]);
            }
        }
    }
    gradients[job.results + id] = sum;
}
