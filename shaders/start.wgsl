// Begins a submission, a workgroup for each trial: its spikes go to another part of the log, while the host reads the last one.

@compute @workgroup_size(64)
fn start(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local_id: u32) {
    let place = group.y;
    let part = (place * header.log_parts + header.log_part) * header.capacity;
    let begin = header.progress[place].begin_next;
    let end = atomicLoad(&header.progress[place].count);
    // Spikes whose rows are still to be walked come along.
    for (var k = local_id; k < end - begin; k += 64u) {
        spikes[part + k] = spikes[begin + k];
    }
    storageBarrier();
    if (local_id != 0u) {
        return;
    }
    let next = header.progress[place].step_next;
    atomicStore(&header.progress[place].count, part + end - begin);
    header.progress[place].log_begin = part + end - begin;
    header.progress[place].log_end = part + header.capacity;
    header.progress[place].origin = next;
    header.progress[place].begin_next = part;
    header.progress[place].left_next = header.walks;
    header.progress[place].action_next = select(select(0u, 1u, next < header.until), 2u, end > begin);
}
