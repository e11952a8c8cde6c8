//! Whether data fit a training.

use std::collections::HashSet;

use spikelet_network::Error;

use crate::{Dataset, Event, LossFunction, Readings, Readout, Target, Training, TrainingPlan};

/// Rejects data that do not fit the training.
pub(super) fn data(training: &Training, plan: &TrainingPlan, loss: &LossFunction, data: &Dataset) -> Result<(), Error> {
    if training.batch == 0 {
        return Err(Error::invalid("batch", 0, "at least one sample is expected", "write for example 32"));
    }
    if data.train.is_empty() {
        return Err(Error::invalid("data.train", 0, "at least one sample to train on is expected", "use more"));
    }
    let size = plan.plan.populations[plan.input].size;
    if data.channels > size {
        let expected = format!("the data have {} channels", data.channels);
        let found = format!("a source of {size} neurons");
        return Err(Error::invalid("input", found, expected, format!("set its `size` to {}", data.channels)));
    }
    spikes_within(training, data)?;
    targets(plan, loss, data)
}

/// Rejects targets that the loss does not compare with, before anything is simulated.
fn targets(plan: &TrainingPlan, loss: &LossFunction, data: &Dataset) -> Result<(), Error> {
    let mut seen = HashSet::new();
    for sample in data.samples() {
        let kind = match &sample.target {
            Target::Class(class) => (0, *class as usize),
            Target::Values(values) => (1, values.len()),
            Target::Spikes(events) => (2, events.iter().map(|event| event.channel as usize).max().unwrap_or(0)),
        };
        if seen.insert(kind) {
            let length = |readout: &Readout| {
                let steps = if readout.reading.is_by_step() { plan.steps as usize } else { 1 };
                plan.plan.populations[readout.population].size as usize * steps
            };
            let silent = Readings(plan.readouts.iter().map(|readout| vec![0.0; length(readout)]).collect());
            loss.evaluate(&silent, &[&sample.target])?;
        }
    }
    Ok(())
}

/// Rejects samples with spikes after the end of a run: these would be left out in silence.
fn spikes_within(training: &Training, data: &Dataset) -> Result<(), Error> {
    let duration_ms = training.network.duration_ms;
    let last = |events: &[Event]| events.iter().map(|event| event.time_ms).fold(0.0, f64::max);
    let (mut samples, mut late, mut latest_ms) = (0, 0, 0.0_f64);
    for sample in data.samples() {
        let wanted_ms = if let Target::Spikes(events) = &sample.target { last(events) } else { 0.0 };
        let end_ms = last(&sample.events).max(wanted_ms);
        samples += 1;
        late += usize::from(end_ms >= duration_ms);
        latest_ms = latest_ms.max(end_ms);
    }
    if late == 0 {
        return Ok(());
    }
    let found = format!("with spikes up to {latest_ms} ms ({late} of {samples} samples end late)");
    let expected = format!("`network.duration_ms` is {duration_ms}, and a sample ends there");
    let mut way_out = format!("set the network's `duration_ms` to {} or more", latest_ms.floor() + 1.0);
    if training.data.generate.is_none() {
        way_out += &format!(", or cut the samples with \"duration_ms\": {duration_ms} in `data`");
    }
    Err(Error::invalid("data", found, expected, way_out))
}
