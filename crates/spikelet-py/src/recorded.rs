//! What a trial has recorded.

use std::ops::Range;

use spikelet::{Activity, Channel, ExactSamples, Plan, Recorder, SampleRows, Spike};

use crate::failure::Failure;

/// Spikes and samples of a trial since its start.
pub(crate) struct Recorded {
    pub(crate) recorder: Recorder,
    pub(crate) spikes: Vec<Spike>,
    tables: Vec<Table>,
}

/// The samples between two changes of the recordings.
struct Table {
    channels: Vec<Channel>,
    rows: SampleRows,
    /// The first step.
    first: u32,
    samples: Vec<f32>,
    /// The same in f64, of a device that has them.
    exact: Vec<f64>,
}

/// The samples of some channels: steps, and values row by row.
pub(crate) type Samples = (Vec<u32>, Vec<f64>);

impl Recorded {
    /// Nothing.
    pub(crate) fn new(plan: &Plan) -> Recorded {
        Recorded { recorder: Recorder::new(plan), spikes: Vec::new(), tables: vec![Table::new(plan, 0)] }
    }

    /// The recordings are those of `plan` from a step on.
    pub(crate) fn change(&mut self, plan: &Plan, step: u32) {
        self.tables.retain(|table| !table.samples.is_empty());
        self.tables.push(Table::new(plan, step));
    }

    /// Drops what is of a step or later, before a run repeats it.
    pub(crate) fn drop_after(&mut self, plan: &Plan, step: u32) {
        self.spikes.truncate(self.spikes.partition_point(|spike| spike.step < step));
        self.recorder = Recorder::new(plan);
        self.recorder.add(&self.spikes);
        for table in &mut self.tables {
            let kept = table.rows.values_in(table.first..step.max(table.first));
            table.samples.truncate(kept);
            table.exact.truncate(kept);
        }
        self.tables.retain(|table| table.first <= step);
        self.change(plan, step);
    }

    /// Adds the results of some steps.
    pub(crate) fn add(&mut self, activity: &mut Activity, steps: Range<u32>, plan: &Plan, exact: Option<&ExactSamples>) {
        self.recorder.add(&activity.spikes);
        self.spikes.append(&mut activity.spikes);
        let Some(table) = self.tables.last_mut() else { return };
        table.samples.append(&mut activity.samples);
        if let Some(exact) = exact {
            table.add_exact(steps, plan, exact);
        }
    }

    /// The samples of channels by their labels, which must have the same interval, over the whole run; where a recording was added later,
    /// from then on.
    pub(crate) fn samples(&self, labels: &[String]) -> Result<Samples, Failure> {
        let (mut steps, mut values, mut is_known) = (Vec::new(), Vec::new(), false);
        for table in &self.tables {
            let place = |label: &String| table.channels.iter().position(|channel| channel.label == *label);
            let Some(places) = labels.iter().map(place).collect::<Option<Vec<usize>>>() else { continue };
            is_known = true;
            let intervals: Vec<u32> = places.iter().map(|place| table.channels[*place].every).collect();
            let every = intervals.first().copied().unwrap_or(1);
            if let Some(other) = intervals.iter().find(|other| **other != every) {
                return Err(Failure(format!(
                    "{} are recorded every {every} and every {other} steps; select recordings of one interval",
                    labels.join(", ")
                )));
            }
            let first = table.first.next_multiple_of(table.rows.every);
            let width = table.rows.width.max(1);
            for (step, row) in (first..).step_by(table.rows.every as usize).zip(0..table.samples.len() / width) {
                if !step.is_multiple_of(every) {
                    continue;
                }
                steps.push(step);
                values.extend(places.iter().map(|place| table.value(row * width + place)));
            }
        }
        if is_known { Ok((steps, values)) } else { Err(self.unknown(labels)) }
    }

    fn unknown(&self, labels: &[String]) -> Failure {
        let mut known: Vec<&str> =
            self.tables.iter().flat_map(|table| &table.channels).map(|channel| channel.label.as_str()).collect();
        known.dedup();
        let recorded = match known.len() {
            0 => "nothing is recorded".to_owned(),
            1..=12 => format!("recorded are {}", known.join(", ")),
            more => format!("recorded are {} and {} more", known[..12].join(", "), more - 12),
        };
        Failure(format!("{} is not recorded together; {recorded}; call `record` before the run", labels.join(", ")))
    }
}

impl Table {
    fn new(plan: &Plan, first: u32) -> Table {
        Table { channels: plan.channels.clone(), rows: plan.sample_rows(), first, samples: Vec::new(), exact: Vec::new() }
    }

    fn value(&self, place: usize) -> f64 {
        self.exact.get(place).copied().unwrap_or_else(|| f64::from(self.samples[place]))
    }

    /// Adds the rows of steps, in the units of the channels.
    fn add_exact(&mut self, steps: Range<u32>, plan: &Plan, exact: &ExactSamples) {
        let width = plan.sampling.columns.len();
        let of_device = exact.rows(steps.clone(), width);
        for (step, row) in steps.zip(of_device.chunks_exact(width.max(1))) {
            if !step.is_multiple_of(self.rows.every) {
                continue;
            }
            let value = |channel: &Channel| {
                let sum: f64 = row[channel.columns.clone()].iter().sum();
                if channel.is_due(step) { sum / channel.factor / f64::from(channel.divisor) } else { f64::NAN }
            };
            self.exact.extend(self.channels.iter().map(value));
        }
    }
}
