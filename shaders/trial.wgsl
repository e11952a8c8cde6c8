// The trial that an invocation works for. Trials lie one after the other in every buffer but `rows`, which they share, and the log,
// whose places are counted through.

var<private> trial: u32;
// Where its words begin.
var<private> tables_from: u32;
var<private> clocks_from: u32;
var<private> state_from: u32;
var<private> ring_from: u32;
var<private> samples_from: u32;

fn enter_trial(place: u32) {
    zero = header.zero;
    trial = place;
    tables_from = place * header.tables_words;
    clocks_from = place * header.clocks_words;
    state_from = place * header.state_words;
    ring_from = place * header.ring_words;
    samples_from = place * header.samples_words;
}

fn table(k: u32) -> u32 {
    return tables[tables_from + k];
}

// The k-th of the jobs in `tables`, for some steps of the epoch.
fn job_at(k: u32, offset: u32, steps: u32) -> Job {
    let at = header.jobs_offset + 4u * k;
    return Job(table(at), table(at + 1u), table(at + 2u), table(at + 3u), offset, steps);
}
