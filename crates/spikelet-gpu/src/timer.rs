//! Times of dispatches by timestamps of the device, and their events.

use std::collections::BTreeMap;

use spikelet::{EdgePlan, Error, Plan, Spike};

use crate::Device;
use crate::clock::now_ms;
use crate::readback::BufferRange;

/// Maximum number of measured dispatches per submission: a query set has at most 4096 queries, and each dispatch needs two.
pub(crate) const MAX_TIMED: u32 = 2048;
/// Maximum number of dispatches stored separately; all count in the sums.
const MAX_SPANS: usize = 1 << 17;
/// Bytes of the copies that measure the memory bandwidth, and their number.
const COPY_BYTES: u64 = 64 << 20;
const COPIES: u32 = 8;

/// Writes timestamps around dispatches.
pub(crate) struct Timer {
    stamps: wgpu::QuerySet,
    resolved: wgpu::Buffer,
}

impl Timer {
    /// `None` if the device has no timestamps.
    pub(crate) fn new(device: &Device) -> Option<Timer> {
        if !device.report().has("timestamp-query") {
            return None;
        }
        let (ty, count) = (wgpu::QueryType::Timestamp, 2 * MAX_TIMED);
        let stamps = device.device.create_query_set(&wgpu::QuerySetDescriptor { label: Some("stamps"), ty, count });
        let resolved = device.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("stamps"),
            size: 8 * u64::from(count),
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        Some(Timer { stamps, resolved })
    }

    /// Timestamps before and after dispatch number `place` of a submission.
    pub(crate) fn around(&self, place: u32) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        (place < MAX_TIMED).then(|| wgpu::ComputePassTimestampWrites {
            query_set: &self.stamps,
            beginning_of_pass_write_index: Some(2 * place),
            end_of_pass_write_index: Some(2 * place + 1),
        })
    }

    /// Resolves the timestamps of the first `dispatches` for reading.
    pub(crate) fn resolve(&self, encoder: &mut wgpu::CommandEncoder, dispatches: u32) -> BufferRange<'_> {
        let count = dispatches.min(MAX_TIMED);
        encoder.resolve_query_set(&self.stamps, 0..2 * count, &self.resolved, 0);
        BufferRange { buffer: &self.resolved, at: 0, words: 4 * count as usize }
    }
}

/// A dispatch with its start and end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DispatchSpan {
    /// The kernel.
    pub name: &'static str,
    /// From the first dispatch on, in seconds.
    pub begin: f64,
    /// In seconds.
    pub seconds: f64,
}

/// Measurements since a plan was loaded.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DispatchTimes {
    /// Number of dispatches of each kernel, and their seconds.
    pub kernels: BTreeMap<&'static str, (u64, f64)>,
    /// Dispatches in their order, up to a maximum.
    pub spans: Vec<DispatchSpan>,
    /// Synaptic events: of stored synapses without state, of procedural ones, and of synapses with state.
    pub events: [u64; 3],
    /// Steps of all trials.
    pub steps: u64,
    /// Out-degree of each neuron, in the same parts.
    degrees: Vec<[u32; 3]>,
    /// The first timestamp.
    origin: Option<u64>,
}

impl DispatchTimes {
    pub(crate) fn new(plan: &Plan) -> DispatchTimes {
        let mut degrees = vec![[0; 3]; plan.neurons() as usize];
        for projection in &plan.projections {
            let part = match (&projection.state, &projection.edges) {
                (Some(_), _) => 2,
                (None, EdgePlan::Procedural(_)) => 1,
                (None, EdgePlan::Stored(_)) => 0,
            };
            let first = (plan.populations[projection.pre].first + projection.pre_slice.start) as usize;
            for (of, degree) in degrees[first..].iter_mut().zip(&projection.degrees.outgoing) {
                of[part] += degree;
            }
        }
        DispatchTimes { degrees, ..DispatchTimes::default() }
    }

    /// Adds the results of `steps` steps of a trial.
    pub(crate) fn happened<'a>(&mut self, steps: u32, spikes: impl Iterator<Item = &'a Spike>) {
        self.steps += u64::from(steps);
        for degrees in spikes.filter_map(|spike| self.degrees.get(spike.neuron as usize)) {
            for (events, degree) in self.events.iter_mut().zip(degrees) {
                *events += u64::from(*degree);
            }
        }
    }

    /// Adds the timestamps of a submission, two words each, for dispatches with these names; with the duration of a tick in nanoseconds.
    pub(crate) fn stamped(&mut self, words: &[u32], names: impl Iterator<Item = &'static str>, tick_ns: f64) {
        let stamp = |words: &[u32]| u64::from(words[0]) | u64::from(words[1]) << 32;
        for (words, name) in words.chunks_exact(4).zip(names) {
            let (begin, end) = (stamp(words), stamp(&words[2..]));
            let origin = *self.origin.get_or_insert(begin);
            // Timestamps may be coarse, and drivers may reorder them slightly; negative times are avoided.
            let seconds = end.saturating_sub(begin) as f64 * tick_ns * 1e-9;
            let (count, sum) = self.kernels.entry(name).or_default();
            *count += 1;
            *sum += seconds;
            if self.spans.len() < MAX_SPANS {
                let begin = begin.saturating_sub(origin) as f64 * tick_ns * 1e-9;
                self.spans.push(DispatchSpan { name, begin, seconds });
            }
        }
    }
}

impl Device {
    /// Bandwidth of a copy between buffers in bytes per second, read and written: the maximum for a kernel that only reads and writes
    /// memory.
    ///
    /// # Errors
    /// An error of the device.
    pub async fn copy_bytes_per_second(&self) -> Result<f64, Error> {
        let limits = self.device.limits();
        let size = COPY_BYTES.min(limits.max_buffer_size);
        let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let make =
            || self.device.create_buffer(&wgpu::BufferDescriptor { label: Some("copy"), size, usage, mapped_at_creation: false });
        let (from, to) = (make(), make());
        let word = [BufferRange { buffer: &to, at: 0, words: 1 }];
        let mut least = f64::INFINITY;
        // The first time, memory is allocated and cleared.
        for round in 0..3 {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            for _ in 0..COPIES {
                encoder.copy_buffer_to_buffer(&from, 0, &to, 0, size);
            }
            let began = now_ms();
            self.read_after(encoder, &word).await?;
            let seconds = (now_ms() - began) / 1000.0;
            if round > 0 {
                least = least.min(seconds);
            }
        }
        Ok((2 * size * u64::from(COPIES)) as f64 / least.max(1e-9))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_become_seconds_by_kernel() {
        let mut times = DispatchTimes::default();
        // 2^32 and a half ticks in: both words count.
        let words = [5, 1, 105, 1, 200, 1, 250, 1, 300, 1, 290, 1];
        times.stamped(&words, ["start", "neurons", "neurons"].into_iter(), 10.0);
        let of = |name: &str| times.kernels.get(name).map(|(count, seconds)| (*count, (seconds * 1e9).round()));
        assert_eq!((of("start"), of("neurons")), (Some((1, 1000.0)), Some((2, 500.0))));
        let begins: Vec<f64> = times.spans.iter().map(|span| (span.begin * 1e9).round()).collect();
        assert_eq!(begins, [0.0, 1950.0, 2950.0]);
    }
}
