// The rows of the neurons that fire in this step: a workgroup for 32 neurons of a trial, whose invocations go along a row together.

@compute @workgroup_size(WORKGROUP_SIZE)
fn propagate_spikes(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local_id: u32,
) {
    let item = group.y * groups.x + group.x;
    if (item >= job.count) {
        return;
    }
    let at = job.projections;
    let words = tables[at + PRE_WORDS];
    let trial = item / words;
    var bits = atomicLoad(&spikes[tables[at + PRE_SPIKES] + now.step * job.trials * words + item]);
    while (bits != 0u) {
        let row = tables[at + ROWS] + item % words * 32u + firstTrailingBit(bits);
        bits &= bits - 1u;
        for (var synapse = tables[row] + local_id; synapse < tables[row + 1u]; synapse += WORKGROUP_SIZE) {
            let slot = (now.step + arrival(at, synapse)) % job.slots;
            let neuron = trial * tables[at + POST_SIZE] + tables[tables[at + TARGETS] + synapse];
            let units = bitcast<i32>(tables[tables[at + WEIGHTS] + synapse]);
            atomicAdd(&ring[tables[at + POST_RING] + slot * tables[at + POST_LANES] + neuron], units);
        }
    }
}
