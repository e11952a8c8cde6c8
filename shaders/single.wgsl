// Several passes in one dispatch, for networks, or parts of them, so small that one workgroup for each trial does their work: they come one
// after the other, with a barrier where there is a new dispatch else. What is done in each step is done for all steps of the epoch; and where
// all passes are here, all epochs of a submission follow each other. The lines `//# …` are replaced by
// crates/spikelet-gpu/src/kernels/single.rs.

var<workgroup> does: u32;

@compute @workgroup_size(WORKGROUP_SIZE)
fn ENTRY_POINT(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local_id: u32) {
    enter_trial(group.y);
    for (var epoch = 0u; epoch < dispatched.count; epoch += 1u) {
        if (local_id == 0u) {
            does = next_action();
        }
        if (workgroupUniformLoad(&does) == IDLE) {
            break;
        }
        load_next_epoch(local_id == 0u);
        storageBarrier();
        {
            let offset = 0u;
            let steps = dispatched.steps;
            //# ahead
        }
        for (var offset = 0u; offset < dispatched.steps; offset += 1u) {
            let steps = 1u;
            //# each step
        }
        {
            let offset = 0u;
            let steps = dispatched.steps;
            //# at end
        }
    }
}
