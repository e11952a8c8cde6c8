// The epoch of an invocation, and the transition to the next one.

// Nothing is to be done: all steps are run, or the log is full, or enough rows are walked for one submission.
const IDLE: u32 = 0u;
// Neurons move on, then the rows of their spikes are walked.
const STEP: u32 = 1u;
// Only rows are walked: those of spikes that an earlier epoch left over.
const DRAIN: u32 = 2u;

var<private> action: u32;
// Its first step, and one past its last.
var<private> epoch_first: u32;
var<private> epoch_end: u32;
// Of what is done now, one past its last step.
var<private> steps_end: u32;
// Where in the log the spikes begin whose rows are not walked, and how many of them may be.
var<private> walk_begin: u32;
var<private> walks_left: u32;

fn next_action() -> u32 {
    // An event that was too large ends the run.
    return select(IDLE, header.progress[trial].action_next, atomicLoad(&header.progress[trial].fault) == 0u);
}

// For the first kernel of an epoch; one invocation of each trial hands the epoch on to the other kernels.
fn load_next_epoch(advances: bool) {
    action = next_action();
    epoch_first = header.progress[trial].step_next;
    walk_begin = header.progress[trial].begin_next;
    walks_left = header.progress[trial].left_next;
    epoch_end = min(epoch_first + header.epoch_steps, header.until);
    if (advances) {
        header.progress[trial].action_now = action;
        header.progress[trial].step_now = epoch_first;
        header.progress[trial].begin_now = walk_begin;
        header.progress[trial].left_now = walks_left;
    }
}

// For all others.
fn load_epoch() {
    action = header.progress[trial].action_now;
    epoch_first = header.progress[trial].step_now;
    walk_begin = header.progress[trial].begin_now;
    walks_left = header.progress[trial].left_now;
    epoch_end = min(epoch_first + header.epoch_steps, header.until);
}

// The steps of the job.
fn load_steps() {
    step = epoch_first + job.offset;
    steps_end = min(step + job.steps, epoch_end);
}

// Where the spikes end whose rows are walked in this epoch.
fn walk_end() -> u32 {
    return walk_begin + min(atomicLoad(&header.progress[trial].count) - walk_begin, walks_left);
}

// Prepares the next epoch; one invocation of each trial does it.
fn advance_epoch() {
    let end = atomicLoad(&header.progress[trial].count);
    let walked = walk_end();
    let next = select(epoch_first, epoch_end, action == STEP);
    header.progress[trial].step_next = next;
    header.progress[trial].begin_next = walked;
    header.progress[trial].left_next = walks_left - (walked - walk_begin);
    // An epoch starts only when all spikes it can make still fit the log; the host empties it and continues.
    let steps = next < header.until && header.progress[trial].log_end - end >= header.epoch_spikes;
    header.progress[trial].action_next = select(select(IDLE, STEP, steps), DRAIN, walked < end);
}

// By the bits: a compiler may take it for granted that numbers are finite.
fn is_finite(value: f32) -> bool {
    return (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u;
}

// A variable of a neuron is infinite or NaN; the host finds which one, and when.
fn note_divergence() {
    atomicMax(&header.progress[trial].diverged, steps_end);
}

fn log_spike(step: u32, number: u32) {
    spikes[atomicAdd(&header.progress[trial].count, 1u)] = vec2<u32>(step, number);
}
