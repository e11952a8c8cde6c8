//! The profile of the runs of a network.

use spikelet::{Activity, CpuProfile, Plan};
use spikelet_gpu::{Device, Interface, Monitor, RunProfile, Workload};

use super::command_error::CommandError;
use super::time::now_ms;

/// What is measured of all runs of a network on its device.
pub(super) struct RunMeasurement {
    /// The times of a CPU.
    pub(super) cpu: CpuProfile,
    /// Out-degree of each neuron.
    out_degrees: Vec<u32>,
    /// Steps of all trials, synaptic events, and wall time in seconds.
    steps: u64,
    events: u64,
    seconds: f64,
}

/// What a network was run with.
pub(super) struct RunConditions<'a> {
    pub(super) plan: &'a Plan,
    pub(super) trials: u32,
    /// Threads of the CPU; 0 for a GPU.
    pub(super) threads: usize,
    pub(super) max_threads: usize,
    pub(super) has_requested_workgroup_size: bool,
}

impl RunMeasurement {
    /// Measures from now on.
    pub(super) fn new(plan: &Plan) -> RunMeasurement {
        let cpu = CpuProfile::new(|| now_ms() / 1000.0);
        cpu.measure(true);
        RunMeasurement { cpu, out_degrees: plan.out_degrees(), steps: 0, events: 0, seconds: 0.0 }
    }

    /// Adds a batch: its steps of all trials and what happened in them, and its wall time in ms.
    pub(super) fn add(&mut self, steps: u64, activities: &[Activity], ms: f64) {
        let spikes = activities.iter().flat_map(|activity| &activity.spikes);
        self.events += spikes.map(|spike| u64::from(self.out_degrees[spike.neuron as usize])).sum::<u64>();
        self.steps += steps;
        self.seconds += ms / 1000.0;
    }

    /// The profile as JSON; `gpu` is the device, if it is one.
    pub(super) async fn json(&self, run: RunConditions<'_>, gpu: Option<(&Device, &Monitor)>) -> Result<String, CommandError> {
        let per_second = |count: u64| (self.seconds > 0.0).then(|| count as f64 / self.seconds);
        let workload = Workload {
            plan: run.plan,
            trials: run.trials,
            threads: run.threads,
            max_threads: run.max_threads,
            // More than the user allows are not advised.
            has_requested_threads: false,
            has_requested_workgroup_size: run.has_requested_workgroup_size,
            seconds: self.seconds,
            neuron_updates_per_second: per_second(self.steps * u64::from(run.plan.neurons())),
            synaptic_events_per_second: per_second(self.events),
            interface: Interface::Package,
        };
        let profile = match gpu {
            _ if self.steps == 0 => None,
            Some((device, monitor)) => Some(RunProfile::of_gpu(&workload, device, monitor).await?),
            None => RunProfile::of_cpu(&workload, &self.cpu),
        };
        profile.map(|profile| profile.to_json()).ok_or_else(|| {
            let expected = "nothing was measured yet";
            CommandError::invalid("profile", "requested", expected, "run the network first")
        })
    }

    /// The error of a network that is not measured.
    pub(super) fn missing() -> CommandError {
        let expected = "the runs of this simulation are not measured";
        CommandError::invalid("profile", "requested", expected, "create it with the option `profile: true`")
    }
}
