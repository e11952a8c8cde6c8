// Copies `job.count` words of `state` from `job.first` to `job.second`.

fn work(id: u32, ids: u32) {
    for (var k = id; k < job.count; k += ids) {
        state[state_from + job.second + k] = state[state_from + job.first + k];
    }
}
