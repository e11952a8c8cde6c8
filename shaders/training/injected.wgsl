// Adjoints that a loss gives to this neuron in this step, through a reading whose words begin at `at`.

fn reading_adjoint(at: u32) -> f32 {
    return bitcast<f32>(readings[tables[at + ADJOINTS] + trial * job.size + neuron]);
}

fn step_adjoint(at: u32) -> f32 {
    return bitcast<f32>(readings[tables[at + ADJOINTS] + (trial * job.steps + step) * job.size + neuron]);
}

// Whether this step has the value that was read: the first of the largest, or the first spike.
fn was_read(at: u32) -> bool {
    return readings[tables[at + PLACES] + trial * job.size + neuron] == step;
}
