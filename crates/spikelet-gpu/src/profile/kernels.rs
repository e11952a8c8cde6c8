//! The times of the kernels of a GPU: shares, rates and a conclusion from measurements.

use spikelet::Plan;

use crate::options::GpuConstants;
use crate::stepped_neurons::SteppedNeurons;

/// The measurements of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct KernelTime {
    /// Its entry point.
    pub(super) name: String,
    /// Number of its dispatches.
    pub(super) dispatches: u64,
    /// Total time of its dispatches, in seconds.
    pub(super) seconds: f64,
    /// Minimum number of bytes moved, if known.
    pub(super) min_bytes: Option<u64>,
}

/// The measurements of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Measurement {
    /// Wall time, in seconds.
    pub(super) seconds: f64,
    /// Wall time of the host to record and submit commands, in seconds.
    pub(super) encode_seconds: f64,
    /// The kernels; empty if the device has no timestamps.
    pub(super) kernels: Vec<KernelTime>,
    /// Submissions.
    pub(super) submissions: u64,
    /// Dispatches in them.
    pub(super) dispatches: u64,
    /// Steps of the network.
    pub(super) steps: u64,
    /// Synaptic events.
    pub(super) events: u64,
    /// Bandwidth of a copy between buffers of the same device, in bytes read and written per second.
    pub(super) copy_bytes_per_second: Option<f64>,
}

/// The share of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct KernelShare {
    /// Its measurements.
    pub(super) time: KernelTime,
    /// Its fraction of the time of all kernels, from 0 to 1.
    pub(super) share: f64,
    /// The minimum bytes moved, divided by its time.
    pub(super) bytes_per_second: Option<f64>,
}

/// The profile of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Profile {
    /// The kernels, the slowest first.
    pub(super) kernels: Vec<KernelShare>,
    /// Time of all kernels divided by wall time, if known.
    pub(super) busy: Option<f64>,
    /// Synaptic events per second of wall time.
    pub(super) events_per_second: f64,
    /// Dispatches per step.
    pub(super) dispatches_per_step: f64,
    /// What limits the speed, as a sentence.
    pub(super) bottleneck: String,
}

/// The fraction of the time that decides.
const MOST: f64 = 0.5;
/// A shorter dispatch, in seconds, is mostly launch overhead.
const LAUNCH: f64 = 10e-6;
/// From this fraction of a copy's bandwidth on a kernel is limited by memory.
const MEMORY: f64 = 0.6;

impl Profile {
    /// Evaluates measurements.
    pub(super) fn of(measured: &Measurement) -> Profile {
        let device: f64 = measured.kernels.iter().map(|kernel| kernel.seconds).sum();
        let over = |value: f64, by: f64| if by > 0.0 { value / by } else { 0.0 };
        let share = |time: &KernelTime| KernelShare {
            share: over(time.seconds, device),
            bytes_per_second: time.min_bytes.filter(|_| time.seconds > 0.0).map(|bytes| bytes as f64 / time.seconds),
            time: time.clone(),
        };
        let mut kernels: Vec<KernelShare> = measured.kernels.iter().map(share).collect();
        kernels.sort_by(|one, other| other.time.seconds.total_cmp(&one.time.seconds));
        let busy = (!kernels.is_empty()).then(|| over(device, measured.seconds));
        Profile {
            bottleneck: bottleneck(measured, kernels.first(), busy),
            kernels,
            busy,
            events_per_second: over(measured.events as f64, measured.seconds),
            dispatches_per_step: over(measured.dispatches as f64, measured.steps as f64),
        }
    }
}

fn bottleneck(measured: &Measurement, slowest: Option<&KernelShare>, busy: Option<f64>) -> String {
    let percent = |part: f64| format!("{:.0} %", 100.0 * part);
    let Measurement { seconds, encode_seconds, submissions, dispatches, .. } = measured;
    let each = 1e6 * encode_seconds / (*dispatches).max(1) as f64;
    // Host and device work concurrently: if the device works longer than the host, the device limits the speed.
    if *encode_seconds > MOST * seconds && busy.is_none_or(|busy| busy * seconds < *encode_seconds) {
        let part = percent(encode_seconds / seconds);
        return format!("recording and submitting takes {part} of the time, {each:.1} µs a dispatch: limited by the host");
    }
    let (Some(slowest), Some(busy)) = (slowest, busy) else {
        let each = 1e6 * seconds / (*dispatches).max(1) as f64;
        return format!(
            "the device has no timestamps: only the time per dispatch is known, {each:.1} µs for {dispatches} of them"
        );
    };
    if busy < MOST {
        let part = percent(busy);
        return format!(
            "the device works {part} of the time: limited by the transfer of {submissions} submissions from and to \
                        the host"
        );
    }
    let KernelTime { name, dispatches, seconds, .. } = &slowest.time;
    let takes = format!("`{name}` takes {}", percent(slowest.share));
    let each = seconds / (*dispatches).max(1) as f64;
    if each < LAUNCH {
        return format!("{takes}, {:.1} µs a dispatch: limited by the launch of {dispatches} dispatches", 1e6 * each);
    }
    match (slowest.bytes_per_second, measured.copy_bytes_per_second) {
        (Some(rate), Some(copy)) => {
            let why = match name.as_str() {
                _ if rate > MEMORY * copy => "limited by memory bandwidth",
                "propagate" | "sum_inputs" => "limited by the latency of scattered access and atomic sums",
                "procedural" => "limited by arithmetic: the drawing of synapses",
                name if name.starts_with("on_spike") => "limited by the latency of scattered access and atomic sums",
                _ => "limited by arithmetic, or by too few neurons at once",
            };
            format!("{takes}, {:.3} GB/s of the {:.3} that a copy moves: {why}", rate / 1e9, copy / 1e9)
        }
        _ => format!("{takes}, {:.1} µs a dispatch", 1e6 * each),
    }
}

/// Minimum bytes that a kernel moves in `steps` steps with these events, counted as in [`DispatchTimes::events`](crate::DispatchTimes::events): each
/// necessary word of the state and of the delay buffers, read and written. `None` if it depends on more.
pub(super) fn min_bytes(plan: &Plan, kernel: &str, steps: u64, events: [u64; 3]) -> Option<u64> {
    const IN_AND_OUT: u64 = 8;
    let stopping = SteppedNeurons::of(plan, plan.epoch_steps, GpuConstants::default().single_neurons);
    // Words of the state and of a slot: of neurons that run ahead to the end of the epoch, and of those that stop after each step.
    let mut words = [[0_u64; 2]; 2];
    for (index, population) in plan.populations.iter().enumerate() {
        let lanes: u64 = population.ports.iter().map(|port| 1 + u64::from(port.split_precision)).sum();
        let stops = stopping.count(index);
        for (words, neurons) in words.iter_mut().zip([u64::from(population.size) - stops, stops]) {
            words[0] += neurons * population.program.variables.len() as u64;
            words[1] += neurons * lanes;
        }
    }
    let [[state_ahead, slot_ahead], [state, slot]] = words;
    let [stored, drawn, _] = events;
    match kernel {
        // State stays in registers through an epoch.
        "neurons" => {
            let ahead = slot_ahead * steps + state_ahead * steps.div_ceil(u64::from(plan.epoch_steps.max(1)));
            let each_step = if stopping.in_one_go { (slot + state) * steps } else { 0 };
            Some(IN_AND_OUT * (ahead + each_step))
        }
        "begin_step" => Some(IN_AND_OUT * (slot + state) * steps),
        "update" => Some(IN_AND_OUT * state * steps),
        // A word of the target, and a word of the delay buffer.
        "propagate" => Some((4 + IN_AND_OUT) * stored),
        "procedural" => Some(IN_AND_OUT * drawn),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use spikelet::Network;

    use super::*;

    fn kernel(name: &str, dispatches: u64, seconds: f64, min_bytes: Option<u64>) -> KernelTime {
        KernelTime { name: name.into(), dispatches, seconds, min_bytes }
    }

    fn measured(kernels: Vec<KernelTime>) -> Measurement {
        Measurement {
            seconds: 1.0,
            encode_seconds: 0.1,
            kernels,
            submissions: 20,
            dispatches: 2000,
            steps: 1000,
            events: 5_000_000,
            copy_bytes_per_second: Some(180e9),
        }
    }

    #[test]
    fn shares_and_rates_are_sums_of_what_was_measured() {
        let profile = Profile::of(&measured(vec![
            kernel("neurons", 1000, 0.2, None),
            kernel("propagate", 1000, 0.6, Some(13_800_000_000)),
        ]));
        let shares: Vec<_> = profile.kernels.iter().map(|of| (of.time.name.as_str(), (of.share * 1000.0).round())).collect();
        assert_eq!(shares, [("propagate", 750.0), ("neurons", 250.0)]);
        assert!(profile.busy.is_some_and(|busy| (busy - 0.8).abs() < 1e-9));
        assert_eq!((profile.events_per_second, profile.dispatches_per_step), (5e6, 2.0));
        assert_eq!(
            profile.bottleneck,
            "`propagate` takes 75 %, 23.000 GB/s of the 180.000 that a copy moves: limited by the latency of scattered access and atomic sums"
        );
    }

    #[test]
    fn each_bottleneck_has_its_words() {
        let words = |measured: Measurement| Profile::of(&measured).bottleneck;
        let long = |bytes| vec![kernel("neurons", 1000, 0.9, bytes)];
        let cases = [
            (measured(long(Some(150_000_000_000))), "limited by memory bandwidth"),
            (measured(long(Some(1_000_000_000))), "limited by arithmetic, or by too few neurons at once"),
            (measured(long(None)), "900.0 µs a dispatch"),
            (
                measured(vec![kernel("neurons", 200_000, 0.9, None)]),
                "4.5 µs a dispatch: limited by the launch of 200000 dispatches",
            ),
            (
                measured(vec![kernel("neurons", 1000, 0.2, None)]),
                "works 20 % of the time: limited by the transfer of 20 submissions",
            ),
            (
                Measurement { encode_seconds: 0.7, ..measured(vec![kernel("neurons", 1000, 0.6, None)]) },
                "takes 70 % of the time, 350.0 µs a dispatch: limited by the host",
            ),
            (Measurement { encode_seconds: 0.7, ..measured(long(None)) }, "`neurons` takes 100 %, 900.0 µs a dispatch"),
            (measured(Vec::new()), "has no timestamps: only the time per dispatch is known, 500.0 µs for 2000 of them"),
        ];
        for (measured, part) in cases {
            let sentence = words(measured);
            assert!(sentence.contains(part), "{sentence}\nlacks {part}");
        }
        // Without measurements there are no numbers.
        let nothing = Profile::of(&Measurement::default());
        assert_eq!((nothing.events_per_second, nothing.dispatches_per_step, nothing.busy), (0.0, 0.0, None));
    }

    #[test]
    fn events_and_bytes_follow_from_the_plan() {
        let network = Network::from_json(
            r#"{"name": "p", "dt_ms": 0.1, "duration_ms": 1, "populations": [
                {"name": "a", "size": 3, "equations": "v : 1", "update": "v = 0.5*v"},
                {"name": "b", "size": 10, "equations": "v : 1", "update": "v = 0.5*v"}],
              "projections": [
                {"name": "ab", "pre": "a", "post": "b", "connect": {"rule": "fixed_outdegree", "n": 4}, "storage": "stored",
                 "on_pre": "v_post += 1", "delay_ms": 0.1},
                {"name": "ba", "pre": "b[5:10]", "post": "a", "connect": {"rule": "all"}, "storage": "procedural",
                 "on_pre": "v_post += 1", "delay_ms": 0.1}]}"#,
        );
        let plan = network.and_then(|network| Plan::new(&network)).unwrap_or_else(|error| panic!("{error}"));
        let mut times = crate::timer::DispatchTimes::new(&plan);
        // Neuron 3 is b[0], which has no projections.
        let spikes = [0, 0, 2, 3, 3, 12, 12].map(|neuron| spikelet::Spike { step: 0, neuron });
        times.happened(10, spikes.iter());
        assert_eq!((times.events, times.steps), ([3 * 4, 2 * 3, 0], 10));
        assert_eq!(min_bytes(&plan, "propagate", 10, [12, 21, 0]), Some(144));
        assert_eq!(min_bytes(&plan, "procedural", 10, [12, 21, 0]), Some(168));
        // 13 neurons with a variable, 13 lanes; epochs of 2 steps.
        assert_eq!(plan.epoch_steps, 2);
        assert_eq!(min_bytes(&plan, "neurons", 10, [0; 3]), Some(8 * (13 * 10 + 13 * 5)));
        assert_eq!(min_bytes(&plan, "on_spike_by_spike", 10, [0; 3]), None);
    }
}
