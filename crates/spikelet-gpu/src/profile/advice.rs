//! What to change to make a run faster, from what was measured.

use serde::Serialize;
use spikelet::schedule::PhaseKind;
use spikelet::{Cpu, EdgePlan, Operation, OperationTimes, PerSynapse, ProjectionPlan};

use super::{KernelShare, Measurement, Profile, Workload};

/// An option or a key of the network, and the measured reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// The change, in the words of the [`Interface`].
    pub change: String,
    /// What was measured.
    pub reason: String,
}

/// Where the options of a run are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// The options of the command line, `--trials 8`.
    CommandLine,
    /// The options of the package, `trials: 8`, and keys of the network.
    Package,
}

/// What can be changed.
#[derive(Debug, Clone, Copy)]
enum Change<'a> {
    Threads(usize),
    Trials(u32),
    Backend(&'a str),
    WorkgroupSize,
    StoredSynapses,
    HalfWeights,
    LongerDelays,
    EventDriven(&'a str),
    HalfVariables,
}

impl Interface {
    fn words(self, change: Change) -> String {
        let is_option = self == Interface::CommandLine;
        let of = |option: &str, key: &str| if is_option { option.to_owned() } else { key.to_owned() };
        match change {
            Change::Threads(count) => of(&format!("--threads {count}"), &format!("threads: {count}")),
            Change::Trials(count) => of(&format!("--trials {count}"), &format!("trials: {count}")),
            Change::Backend("gpu") => of("--backend gpu, where there is one", "backend: \"gpu\", where there is one"),
            Change::Backend(kind) => of(&format!("--backend {kind}"), &format!("backend: \"{kind}\"")),
            Change::WorkgroupSize => of("--workgroup-size auto", "workgroupSize: 128 or 256"),
            Change::StoredSynapses => of("--storage stored", "\"storage\": \"stored\" of the projections"),
            Change::HalfWeights => of("--weights f16", "\"weights\": \"f16\" of the projections"),
            Change::LongerDelays => "a longer shortest delay_ms".to_owned(),
            Change::EventDriven(name) => format!("(event-driven) in the equations of {name}"),
            Change::HalfVariables => "(f16) in the equations of the synapses".to_owned(),
        }
    }
}

/// The fraction of the time from which on an operation is worth a change.
const SHARE: f64 = 0.25;
/// An epoch with fewer steps costs much synchronisation.
const SHORT_EPOCH: u32 = 5;
/// Neurons up to which a CPU is usually faster than a GPU.
const FEW_NEURONS: u32 = 10_000;
/// A shorter dispatch, in seconds, is mostly launch overhead.
const LAUNCH: f64 = 10e-6;
/// Trials to try if one does not keep a device busy.
const TRIALS: u32 = 8;

impl Workload<'_> {
    fn advice(&self, change: Change, reason: String) -> Advice {
        Advice { change: self.interface.words(change), reason }
    }

    /// The fraction of the synapses for which `holds`.
    fn part(&self, holds: impl Fn(&ProjectionPlan) -> bool) -> f64 {
        let of = |of: &&std::sync::Arc<ProjectionPlan>| of.state.is_none();
        let count = |all: &dyn Fn(&ProjectionPlan) -> bool| -> u64 {
            self.plan.projections.iter().filter(of).filter(|of| all(of)).map(|of| of.synapses()).sum()
        };
        count(&holds) as f64 / count(&|_| true).max(1) as f64
    }

    fn drawn(&self) -> f64 {
        self.part(|of| matches!(of.edges, EdgePlan::Procedural(_)))
    }

    fn with_own_weights(&self) -> f64 {
        self.part(|of| of.writes().any(|(_, write)| matches!(write.weights, PerSynapse::Each(_))))
    }

    /// What makes propagation cheaper, if it `takes` a share of the time.
    fn of_propagation(&self, takes: &str) -> Option<Advice> {
        if self.drawn() > 0.5 {
            let reason = format!("{takes}, and {} of the synapses are drawn again at every spike", percent(self.drawn()));
            return Some(self.advice(Change::StoredSynapses, reason));
        }
        let own = self.with_own_weights();
        let reason = || {
            let part = percent(own);
            format!("{takes}, and {part} of the synapses have a weight of their own in four bytes; f16 rounds it to two")
        };
        (own > 0.5).then(|| self.advice(Change::HalfWeights, reason()))
    }

    /// The shortest delay, if it limits epochs.
    fn of_delays(&self, takes: &str) -> Option<Advice> {
        let (steps, dt) = (self.plan.epoch_steps, self.plan.dt_ms);
        let reason =
            || format!("{takes}, and spikes are exchanged after {steps} steps of {dt} ms, which the shortest delay allows");
        (steps < SHORT_EPOCH).then(|| self.advice(Change::LongerDelays, reason()))
    }

    fn of_trials(&self, reason: String) -> Option<Advice> {
        (self.trials == 1).then(|| self.advice(Change::Trials(TRIALS), reason))
    }
}

fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

/// For a run on the CPU.
pub(super) fn of_cpu(run: &Workload, times: &OperationTimes) -> Vec<Advice> {
    let (plan, threads, machine) = (run.plan, run.threads.max(1), run.max_threads);
    let share = |operation: Operation| times.of(operation) / times.total().max(f64::MIN_POSITIVE);
    let takes = |operation: Operation| format!("`{}` takes {}", operation.name(), percent(share(operation)));
    let matters = |operation: Operation| share(operation) >= SHARE;
    let useful = Cpu::threads_worth(plan, machine);
    let mut all = Vec::new();
    if useful > threads && run.has_requested_threads {
        let work =
            [Operation::Update, Operation::Learn, Operation::Synapses, Operation::Propagate].map(share).iter().sum::<f64>();
        let reason = format!("{} of the time is work that more threads divide", percent(work));
        all.push(run.advice(Change::Threads(useful), reason));
    }
    if matters(Operation::Propagate) {
        all.extend(run.of_propagation(&takes(Operation::Propagate)));
    }
    if matters(Operation::Exchange) && threads > 1 {
        let reason = format!("{}: the threads wait for each other", takes(Operation::Exchange));
        all.push(run.advice(Change::Threads(threads / 2), reason));
        all.extend(run.of_delays(&takes(Operation::Exchange)));
    }
    if matters(Operation::Synapses) {
        let integrates = plan.schedule().phases.iter().flat_map(|phase| &phase.kinds).find_map(|kind| match kind {
            PhaseKind::IntegrateSynapses(projection) => Some(&plan.projections[*projection].name),
            _ => None,
        });
        let reason = || format!("{}: their equations are integrated in every step", takes(Operation::Synapses));
        all.extend(integrates.map(|name| run.advice(Change::EventDriven(name), reason())));
    }
    if matters(Operation::Update) && plan.neurons() > 10 * FEW_NEURONS {
        let reason = format!("{} for {} neurons, enough for a GPU", takes(Operation::Update), plan.neurons());
        all.push(run.advice(Change::Backend("gpu"), reason));
    }
    if useful == 1 && machine > 1 && times.total() > 0.0 {
        let reason = format!("one thread of {machine} is enough for {} neurons; trials use the others", plan.neurons());
        all.extend(run.of_trials(reason));
    }
    all
}

/// For a run on a GPU.
pub(super) fn of_gpu(run: &Workload, measured: &Measurement, profile: &Profile, software: bool) -> Vec<Advice> {
    let plan = run.plan;
    let mut all = Vec::new();
    if software {
        all.push(run.advice(Change::Backend("cpu"), "this GPU is software, which is slower than the CPU".into()));
    } else if plan.neurons() <= FEW_NEURONS && run.trials == 1 {
        let reason = format!("{} neurons keep few of the units of a GPU busy; measure both", plan.neurons());
        all.push(run.advice(Change::Backend("cpu"), reason));
    }
    let host = measured.encode_seconds / measured.seconds.max(f64::MIN_POSITIVE);
    if host >= SHARE {
        let takes = format!("recording commands takes {}", percent(host));
        all.extend(run.of_trials(format!("{takes}, and the trials of a run share them")));
        all.extend(run.of_delays(&takes));
    }
    let Some(KernelShare { time, share, .. }) = profile.kernels.first() else { return all };
    let takes = format!("`{}` takes {}", time.name, percent(*share));
    let each = time.seconds / time.dispatches.max(1) as f64;
    if each < LAUNCH && host < SHARE {
        let short = format!("{takes}, {:.1} µs a dispatch, most of which is its start", 1e6 * each);
        all.extend(run.of_trials(format!("{short}; the trials of a run share it")));
        all.extend(run.of_delays(&short));
    }
    match time.name.as_str() {
        "propagate" | "procedural" => all.extend(run.of_propagation(&takes)),
        "sum_inputs" | "select" | "start" => {}
        name if name.starts_with("on_spike") => {
            let halved =
                plan.projections.iter().filter_map(|of| of.state.as_ref()).any(|of| of.arrays.iter().all(|array| !array.half));
            let reason =
                || format!("{takes}, and the variables of its synapses take four bytes; the flag f16 rounds them to two");
            all.extend(halved.then(|| run.advice(Change::HalfVariables, reason())));
        }
        _ if !run.has_requested_workgroup_size => {
            all.push(run.advice(Change::WorkgroupSize, format!("{takes}, and other sizes of workgroups were not tried")));
        }
        _ => {}
    }
    all
}

#[cfg(test)]
mod tests {
    use spikelet::{Network, Plan};

    use super::*;
    use crate::profile::KernelTime;

    fn workload(plan: &Plan, threads: usize) -> Workload<'_> {
        Workload {
            plan,
            trials: 2,
            threads,
            max_threads: 2,
            has_requested_threads: false,
            has_requested_workgroup_size: false,
            seconds: 1.0,
            neuron_updates_per_second: None,
            synaptic_events_per_second: None,
            interface: Interface::CommandLine,
        }
    }

    fn plan(storage: &str) -> Plan {
        let json = format!(
            r#"{{"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": [{{"name": "n", "size": 1000, "model": "lif_exp"}}],
                "projections": [{{"pre": "n", "post": "n", "connect": {{"rule": "fixed_outdegree", "n": 10}}, "storage": "{storage}",
                    "on_pre": "ge_post += w", "parameters": {{"w": "uniform(0 mV, 1 mV)"}}, "delay_ms": 0.1}}]}}"#
        );
        Network::from_json(&json).and_then(|network| Plan::new(&network)).unwrap_or_else(|error| panic!("{error}"))
    }

    fn changes(advice: &[Advice]) -> Vec<&str> {
        advice.iter().map(|of| of.change.as_str()).collect()
    }

    #[test]
    fn a_change_follows_from_what_takes_the_time() {
        let (stored, drawn) = (plan("stored"), plan("procedural"));
        let of = |plan, threads, seconds| of_cpu(&workload(plan, threads), &OperationTimes { seconds });
        assert_eq!(changes(&of(&stored, 1, [0.2, 0.8, 0.0, 0.0, 0.0, 0.0, 0.0])), ["--weights f16"]);
        assert_eq!(changes(&of(&drawn, 1, [0.2, 0.8, 0.0, 0.0, 0.0, 0.0, 0.0])), ["--storage stored"]);
        let waits = of(&stored, 4, [0.5, 0.1, 0.0, 0.0, 0.0, 0.4, 0.0]);
        assert_eq!(changes(&waits), ["--threads 2", "a longer shortest delay_ms"]);
        assert!(waits[0].reason.contains("`exchange` takes 40 %"), "{waits:?}");
        assert!(of(&stored, 1, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]).is_empty());
    }

    #[test]
    fn the_package_has_options_and_keys_of_its_own() {
        let stored = plan("stored");
        let run = Workload { interface: Interface::Package, trials: 1, ..workload(&stored, 1) };
        let advice = of_cpu(&run, &OperationTimes { seconds: [0.2, 0.8, 0.0, 0.0, 0.0, 0.0, 0.0] });
        assert_eq!(changes(&advice), ["\"weights\": \"f16\" of the projections", "trials: 8"]);
    }

    #[test]
    fn kernels_lead_to_options_of_a_gpu() {
        let plan = plan("stored");
        let run = workload(&plan, 0);
        let kernel = |name: &str, seconds| KernelTime { name: name.into(), dispatches: 10, seconds, min_bytes: None };
        let of = |name| {
            let measured = Measurement { seconds: 1.0, kernels: vec![kernel(name, 0.9)], ..Measurement::default() };
            of_gpu(&run, &measured, &Profile::of(&measured), false)
        };
        assert_eq!(changes(&of("neurons")), ["--workgroup-size auto"]);
        assert_eq!(changes(&of("propagate")), ["--weights f16"]);
        let measured = Measurement { seconds: 1.0, encode_seconds: 0.6, ..Measurement::default() };
        assert_eq!(changes(&of_gpu(&run, &measured, &Profile::of(&measured), false)), ["a longer shortest delay_ms"]);
        assert_eq!(changes(&of_gpu(&run, &measured, &Profile::of(&measured), true))[0], "--backend cpu");
    }
}
