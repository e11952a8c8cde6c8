// Copies `job.count` words of `state` from `job.first` to `job.second`.

@compute @workgroup_size(64)
fn copy(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    if (header.run_now == 0u) {
        return;
    }
    for (var k = id.x; k < job.count; k += groups.x * 64u) {
        state[job.second + k] = state[job.first + k];
    }
}
