// All epochs of a submission in one dispatch, for networks so small that one workgroup for each trial does their work: the passes of an
// epoch come one after the other, with a barrier where there is a new dispatch else. The lines `//# …` are replaced by
// crates/spikelet-gpu/src/kernels/single.rs.

var<workgroup> does: u32;

@compute @workgroup_size(WORKGROUP_SIZE)
fn single(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    enter_trial(group.y);
    for (var epoch = 0u; epoch < dispatched.count; epoch += 1u) {
        if (lane == 0u) {
            does = next_doing();
        }
        if (workgroupUniformLoad(&does) == RESTS) {
            break;
        }
        take_next_epoch(false);
        storageBarrier();
        //# passes
    }
}
