//! `spikelet run --dry-run`: the memory of a network.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};
use spikelet::{Degrees, EdgePlan, Network, PerSynapse, Plan, ProjectionPlan, human};
use spikelet_gpu::{Fusion, gpu_plan};

use crate::forecast::{NOMINAL_HZ, expected_rate};

/// Binding limits of GPUs: the WebGPU default, that of most GPUs, and that of large ones.
const LIMITS: [u64; 3] = [128 << 20, 1 << 30, (4 << 30) - 4];

pub(crate) struct Report<'a> {
    network: &'a Network,
    plan: &'a Plan,
    /// Number of parallel trials.
    trials: u32,
    build: Duration,
}

impl<'a> Report<'a> {
    pub(crate) fn new(network: &'a Network, plan: &'a Plan, trials: u32, build: Duration) -> Report<'a> {
        Report { network, plan, trials, build }
    }

    /// The same as JSON. Its keys are part of the command line interface.
    pub(crate) fn to_json(&self) -> Value {
        let (events, known) = self.events();
        let buffers = |buffers: &[(String, u64)]| -> Vec<Value> {
            buffers.iter().filter(|(_, bytes)| *bytes > 0).map(|(name, bytes)| json!({"name": name, "bytes": bytes})).collect()
        };
        let projection = |of: &ProjectionPlan| {
            let degrees = |degrees: &[u32]| {
                let (least, mean, most) =
                    spread(degrees).map_or((None, 0.0, None), |(min, mean, max)| (Some(min), mean, Some(max)));
                json!({"min": least, "mean": mean, "max": most})
            };
            let (counted, outgoing) = (degrees(&of.degrees.incoming), degrees(&of.degrees.outgoing));
            let incoming = match &of.degrees.at_most {
                Some((_, most)) if of.degrees.incoming.is_empty() => json!({"at_most": most}),
                _ => counted,
            };
            json!({"name": of.name, "synapses": of.synapses(), "kept": kept(of), "dropped": of.degrees.dropped,
                   "in_degree": incoming, "out_degree": outgoing})
        };
        let gpu = |limit: u64| match gpu_plan(self.plan, limit) {
            Ok(gpu) => json!({"binding_bytes": limit, "bytes": gpu.bytes(), "pages": gpu.pages,
                              "dispatches_per_epoch": gpu.dispatches_per_epoch, "single_dispatch": gpu.fusion == Fusion::All,
                              "epoch_steps": gpu.epoch_steps, "buffers": buffers(&gpu.buffers), "refusal": null}),
            Err(error) => json!({"binding_bytes": limit, "refusal": error.to_string()}),
        };
        let memory: Vec<(String, u64)> = self.plan.memory().into_iter().map(|(name, bytes)| (name.into(), bytes)).collect();
        json!({
            "network": self.network.name,
            "neurons": self.plan.neurons(),
            "synapses": self.plan.synapses(),
            "build_seconds": self.build.as_secs_f64(),
            "projections": self.plan.projections.iter().map(|of| projection(of)).collect::<Vec<_>>(),
            "memory_bytes": memory.iter().map(|(_, bytes)| bytes).sum::<u64>(),
            "memory": buffers(&memory),
            "trials": self.trials,
            "memory_bytes_of_trials": self.plan.memory_of(self.trials),
            "gpus": LIMITS.map(gpu),
            "synaptic_events_per_second": events,
            "rates_expected": known,
        })
    }

    /// Synaptic events per biological second, and whether the rates are those of the catalogue.
    fn events(&self) -> (f64, bool) {
        let expected = |name: &str| expected_rate(&self.network.name, name);
        let of = |projection: &ProjectionPlan| {
            let rate = expected(&self.plan.populations[projection.pre].name).unwrap_or(NOMINAL_HZ);
            projection.synapses() as f64 * rate
        };
        (
            self.plan.projections.iter().map(|projection| of(projection)).sum(),
            self.plan.populations.iter().any(|population| expected(&population.name).is_some()),
        )
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { network, plan, trials, build } = self;
        let synapses = plan.synapses();
        writeln!(
            f,
            "{}: {} neurons, {synapses} synapses, built in {:.1} s\n",
            network.name,
            plan.neurons(),
            build.as_secs_f64()
        )?;
        writeln!(f, "{:<16} {:>12}  {:<10} {:>10}  in-degree    out-degree", "projection", "synapses", "kept", "dropped")?;
        for projection in &plan.projections {
            let degrees = &projection.degrees;
            let kept = kept(projection);
            let (name, count, dropped) = (&projection.name, projection.synapses(), degrees.dropped);
            let (incoming, outgoing) = (in_degrees(degrees), range(&degrees.outgoing));
            writeln!(f, "{name:<16} {count:>12}  {kept:<10} {dropped:>10}  {incoming:<12} {outgoing}")?;
        }
        let memory = plan.memory();
        let total: u64 = memory.iter().map(|(_, bytes)| bytes).sum();
        writeln!(f, "\nCPU: {} bytes ({})", total, human(total))?;
        for (name, bytes) in memory.iter().filter(|(_, bytes)| *bytes > 0) {
            writeln!(f, "  {name:<20} {bytes:>14}  {}", human(*bytes))?;
        }
        if *trials > 1 {
            let bytes = plan.memory_of(*trials);
            writeln!(f, "{trials} trials in parallel: {bytes} bytes ({})", human(bytes))?;
        }
        for limit in LIMITS {
            writeln!(f, "\nGPU that binds {} at once:", human(limit))?;
            match gpu_plan(plan, limit) {
                Ok(gpu) => {
                    let per_step = gpu.dispatches_per_epoch as f64 / f64::from(gpu.epoch_steps);
                    let (pages, dispatches, steps) = (gpu.pages, gpu.dispatches_per_epoch, gpu.epoch_steps);
                    let dispatches = if gpu.fusion == Fusion::All {
                        "one dispatch for all steps of a submission".to_owned()
                    } else {
                        format!("{dispatches} dispatches per {steps} steps ({per_step:.2} a step)")
                    };
                    writeln!(f, "  {} in {pages} pages of rows, {dispatches}", human(gpu.bytes()))?;
                    for (name, bytes) in &gpu.buffers {
                        writeln!(f, "  {name:<20} {bytes:>14}  {}", human(*bytes))?;
                    }
                }
                Err(error) => writeln!(f, "  does not fit: {error}")?,
            }
        }
        let (events, known) = self.events();
        let rates = if known {
            "at the rates that the catalogue expects".to_owned()
        } else {
            format!("if neurons fire at {NOMINAL_HZ} Hz")
        };
        write!(f, "\n{events:.3e} synaptic events per biological second, {rates}")
    }
}

/// The storage of the synapses of a projection.
fn kept(projection: &ProjectionPlan) -> &'static str {
    match projection.edges {
        EdgePlan::Stored(_) if projection.writes().any(|(_, write)| matches!(write.weights, PerSynapse::Half(_))) => "stored f16",
        EdgePlan::Stored(_) => "stored",
        EdgePlan::Procedural(_) => "procedural",
    }
}

/// In-degree; if it is not counted, the maximum of the rule.
fn in_degrees(degrees: &Degrees) -> String {
    match degrees.at_most {
        Some((_, most)) if degrees.incoming.is_empty() => format!("≤ {most}"),
        _ => range(&degrees.incoming),
    }
}

/// Minimum, mean and maximum, if there are synapses.
fn spread(degrees: &[u32]) -> Option<(u32, f64, u32)> {
    let mean = degrees.iter().map(|degree| f64::from(*degree)).sum::<f64>() / degrees.len() as f64;
    Some((*degrees.iter().min()?, mean, *degrees.iter().max()?))
}

/// The same as text.
fn range(degrees: &[u32]) -> String {
    match spread(degrees).unwrap_or_default() {
        (least, _, most) if least == most => least.to_string(),
        (least, mean, most) => format!("{least}–{mean:.1}–{most}"),
    }
}
