// The sixth dispatch of the selections of populations that inhibit each other: the sum of the values of the winners, in the order of
// `sum_of_winners` in crates/spikelet-cpu/src/select.rs. A workgroup has as many invocations as there are parts.

var<workgroup> parts: array<f32, WORKGROUP_SIZE>;

fn select_chunk(digit: u32, local_id: u32) {
    let is_listed = chunk == 0u && list_offset != NO_LIST;
    var sum = 0.0f;
    if (is_listed) {
        for (var place = local_id; place < select_word(WINNERS_WORD); place += WORKGROUP_SIZE) {
            sum = exact(sum + bitcast<f32>(state[scores_offset + state[list_offset + place]]));
        }
    }
    parts[local_id] = sum;
    for (var half = WORKGROUP_SIZE / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (local_id < half) {
            parts[local_id] = exact(parts[local_id] + parts[local_id + half]);
        }
    }
    if (is_listed && local_id == 0u) {
        select_put(SUM_WORD, bitcast<u32>(parts[0]));
    }
    workgroupBarrier();
}
