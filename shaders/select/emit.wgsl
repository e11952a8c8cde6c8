// The last dispatch of a selection: every winner gets its place, from the counts of the chunks before and, tile by tile, from a bit for each
// item of the tile. It also clears the counts for the next selection.

const TILE: u32 = 1024u;
const TILE_WORDS: u32 = TILE / 32u;

var<workgroup> above_bits: array<atomic<u32>, TILE_WORDS>;
var<workgroup> equal_bits: array<atomic<u32>, TILE_WORDS>;
// Keys above the bound, and equal to it, before the current tile.
var<workgroup> seen_above: atomic<u32>;
var<workgroup> seen_equal: atomic<u32>;
var<workgroup> tile_count: u32;

fn select_chunk(digit: u32, local_id: u32) {
    for (var k = chunk * WORKGROUP_SIZE + local_id; k < DIGITS * BINS; k += chunks * WORKGROUP_SIZE) {
        select_clear(k);
    }
    let bound = select_word(BOUND_WORD);
    let allowed = select_word(BOUND_WORD + 1u);
    if (local_id == 0u) {
        atomicStore(&seen_above, 0u);
        atomicStore(&seen_equal, 0u);
    }
    workgroupBarrier();
    for (var k = local_id; k < chunk; k += WORKGROUP_SIZE) {
        atomicAdd(&seen_above, select_word(COUNTS_WORD + 2u * k));
        atomicAdd(&seen_equal, select_word(COUNTS_WORD + 2u * k + 1u));
    }
    workgroupBarrier();
    if (local_id == 0u) {
        let own_above = select_word(COUNTS_WORD + 2u * chunk);
        let own_equal = select_word(COUNTS_WORD + 2u * chunk + 1u);
        let before = atomicLoad(&seen_equal);
        if (chunk + 1u == chunks) {
            select_put(WINNERS_WORD, atomicLoad(&seen_above) + own_above + min(before + own_equal, allowed));
        }
        let any = own_above > 0u || (own_equal > 0u && before < allowed);
        tile_count = select(0u, (chunk_end - chunk_first + TILE - 1u) / TILE, any);
    }
    let tiles = workgroupUniformLoad(&tile_count);
    for (var tile = 0u; tile < tiles; tile += 1u) {
        let tile_first = chunk_first + tile * TILE;
        let before_above = atomicLoad(&seen_above);
        let before_equal = atomicLoad(&seen_equal);
        if (local_id < TILE_WORDS) {
            atomicStore(&above_bits[local_id], 0u);
            atomicStore(&equal_bits[local_id], 0u);
        }
        workgroupBarrier();
        // Items of this invocation that may win.
        var found = 0u;
        for (var row = 0u; row < TILE / WORKGROUP_SIZE; row += 1u) {
            let place = row * WORKGROUP_SIZE + local_id;
            let item = tile_first + place;
            if (item < chunk_end) {
                let key = select_key(item);
                if (key > bound) {
                    atomicOr(&above_bits[place / 32u], 1u << (place % 32u));
                    found |= 1u << row;
                } else if (key == bound && key != 0u) {
                    atomicOr(&equal_bits[place / 32u], 1u << (place % 32u));
                    found |= 1u << row;
                }
            }
        }
        workgroupBarrier();
        if (local_id < TILE_WORDS) {
            atomicAdd(&seen_above, countOneBits(atomicLoad(&above_bits[local_id])));
            atomicAdd(&seen_equal, countOneBits(atomicLoad(&equal_bits[local_id])));
        }
        for (; found != 0u; found &= found - 1u) {
            let place = firstTrailingBit(found) * WORKGROUP_SIZE + local_id;
            let lower = (1u << (place % 32u)) - 1u;
            let above_here = atomicLoad(&above_bits[place / 32u]);
            var rank_above = before_above + countOneBits(above_here & lower);
            var rank_equal = before_equal + countOneBits(atomicLoad(&equal_bits[place / 32u]) & lower);
            for (var k = 0u; k < place / 32u; k += 1u) {
                rank_above += countOneBits(atomicLoad(&above_bits[k]));
                rank_equal += countOneBits(atomicLoad(&equal_bits[k]));
            }
            let is_above = ((above_here >> (place % 32u)) & 1u) != 0u;
            if (is_above || rank_equal < allowed) {
                select_won(rank_above + min(rank_equal, allowed), tile_first + place);
            }
        }
        workgroupBarrier();
    }
}
