// A kernel of its own: `work`, of whichever file, for the current epoch. The lines `//# …` are replaced by
// crates/spikelet-gpu/src/kernels.rs.

@compute @workgroup_size(WORKGROUP_SIZE)
fn ENTRY_POINT(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local_id: u32,
) {
    enter_trial(group.y);
    //# load_epoch
    job = dispatched;
    load_steps();
    if (DOES) {
        work(group.x * WORKGROUP_SIZE + local_id, groups.x * WORKGROUP_SIZE);
    }
}
