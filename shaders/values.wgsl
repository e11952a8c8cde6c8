// What printed code reads that is the same for a whole population or projection.

var<private> step: u32;
var<private> constants_at: u32;
var<private> clocks_at: u32;
var<private> entries_at: u32;

fn constant(k: u32) -> f32 {
    return bitcast<f32>(tables[constants_at + k]);
}

fn clock(k: u32) -> f32 {
    return clocks[(step - header.origin) * header.clock_lanes + clocks_at + k];
}

fn table_entry(k: u32) -> f32 {
    return bitcast<f32>(tables[entries_at + k]);
}

// Whether this epoch runs; if so, its step is known from here on.
fn runs_now() -> bool {
    zero = header.zero;
    step = header.step_now;
    return header.run_now != 0u;
}
