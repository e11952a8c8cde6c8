// The last dispatch of the selections of populations that inhibit each other: of a group the population fires whose winners have the
// largest sum, of equal sums the first one.

fn select_chunk(digit: u32, local_id: u32) {
    if (list_offset == NO_LIST) {
        return;
    }
    var firing = NO_LIST;
    var largest = 0.0f;
    for (var k = 0u; k < table(group_offset); k += 1u) {
        let other = table(group_offset + 1u + k);
        let decisions = state_from + table(other + 6u);
        let sum = bitcast<f32>(state[decisions + SUM_WORD]);
        if (state[decisions + WINNERS_WORD] > 0u && (firing == NO_LIST || sum > largest)) {
            firing = other;
            largest = sum;
        }
    }
    if (firing == selection) {
        for (var place = chunk * WORKGROUP_SIZE + local_id; place < select_word(WINNERS_WORD); place += chunks * WORKGROUP_SIZE) {
            fire(state[list_offset + place]);
        }
    }
}
