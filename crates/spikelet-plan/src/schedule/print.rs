//! A schedule as text and as JSON.

use std::fmt;

use serde::Serialize;
use spikelet_lang::End;

use super::{Access, AccessRange, Phase, PhaseKind, Resource, Schedule, Scope};
use crate::{ArrayEntry, Owner, PerSynapse, Plan, ProjectionPlan, SleepRule};

/// Bytes per word.
const WORD: f64 = 4.0;

/// A [`Schedule`] as text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScheduleReport {
    /// Length of an epoch: the number of steps without spike exchange through synapses without state.
    pub epoch_steps: u32,
    /// Number of steps in which neurons that stop after each need no spikes from elsewhere.
    pub hearing_steps: u32,
    /// The neurons that stop after each step, such as `E[0:100]`, end not included.
    pub stepwise: Vec<String>,
    /// The populations whose neurons are stepped in each step, with the reason; those of others sleep on a CPU until something reaches them.
    pub awake: Vec<(String, &'static str)>,
    /// The phases of a step, in order.
    pub phases: Vec<PhaseReport>,
}

/// A [`Phase`] as text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PhaseReport {
    /// Its work and object: `deliver input, reset, sample and hold E`.
    pub phase: String,
    /// Its scope: `neuron`, `population` or `network`.
    pub scope: &'static str,
    /// Bytes read and written.
    pub bytes: f64,
    /// Per `step`, or per `spike`.
    pub per: &'static str,
    /// The arrays that it reads.
    pub reads: Vec<String>,
    /// The arrays that it writes.
    pub writes: Vec<String>,
}

impl Schedule {
    /// The schedule as text.
    pub fn report(&self, plan: &Plan) -> ScheduleReport {
        let stops = self.stepwise.iter().zip(&plan.populations).filter(|(stretch, _)| !stretch.is_empty());
        ScheduleReport {
            epoch_steps: self.epoch_steps,
            hearing_steps: self.exchange_steps,
            stepwise: stops.map(|(stretch, of)| format!("{}[{}:{}]", of.name, stretch.start, stretch.end)).collect(),
            awake: (0..plan.populations.len())
                .filter_map(|of| Some((plan.populations[of].name.clone(), self.awake(plan, of)?)))
                .collect(),
            phases: self.phases.iter().map(|phase| report(plan, phase)).collect(),
        }
    }
}

impl Schedule {
    /// Why neurons of a population never sleep.
    fn awake(&self, plan: &Plan, population: usize) -> Option<&'static str> {
        let whole = 0..plan.populations[population].size;
        if self.stepwise[population] == whole && !whole.is_empty() {
            return Some("synapses meet them in each step");
        }
        SleepRule::of(plan, population).err()
    }
}

fn report(plan: &Plan, phase: &Phase) -> PhaseReport {
    let verbs: Vec<&str> = phase.kinds.iter().map(|work| work.verb(plan)).collect();
    let names = |touches: &[Access]| touches.iter().map(|touch| name(plan, *touch)).collect();
    let (bytes, per) = bytes(plan, phase);
    PhaseReport {
        phase: format!("{} {}", verbs.join(", "), object(plan, phase.kinds[0])),
        scope: match phase.scope(plan) {
            Scope::Neuron => "neuron",
            Scope::Population => "population",
            Scope::Network => "network",
        },
        bytes,
        per,
        reads: names(&phase.reads),
        writes: names(&phase.writes),
    }
}

/// The population or projection that executes the work.
fn object(plan: &Plan, work: PhaseKind) -> String {
    let of_population = work.population().or_else(|| work.selects()).map(|population| plan.populations[population].name.clone());
    let name = |projection: usize| plan.projections[projection].name.clone();
    of_population.or_else(|| work.projection().map(name)).unwrap_or_default()
}

fn name(plan: &Plan, touch: Access) -> String {
    let population = |index: usize| plan.populations[index].name.as_str();
    match touch.resource {
        Resource::Array(array) => {
            let ArrayEntry { path, owner, index, .. } = &plan.arrays()[array];
            let name = match (*owner, path.split_once(", ")) {
                (Owner::RingColumns { population: of }, _) => {
                    let program = &plan.populations[of].program;
                    format!("ring of {}.{}", population(of), program.variables[program.ports[*index]])
                }
                (_, None) => path.clone(),
                (Owner::Traces { .. }, Some((name, _))) => name.to_owned(),
                // Data without a name in the equations.
                (_, Some((object, what))) => format!("{what} of {object}"),
            };
            match touch.range {
                AccessRange::Pre => format!("{name} (pre)"),
                AccessRange::Third => format!("{name} (third)"),
                AccessRange::Own | AccessRange::Population => name,
            }
        }
        Resource::Crossings(index) => format!("crossings of {}", population(index)),
        Resource::Spikes(index) => format!("spikes of {}", population(index)),
        Resource::Samples(index) => format!("samples of {}", population(index)),
        Resource::SynapseSamples(index) => format!("samples of {}", plan.projections[index].name),
    }
}

/// Bytes of a phase, and their unit.
fn bytes(plan: &Plan, phase: &Phase) -> (f64, &'static str) {
    let words =
        |touch: &&Access| !matches!(touch.resource, Resource::Spikes(_) | Resource::Samples(_) | Resource::SynapseSamples(_));
    let touched = phase.reads.iter().chain(&phase.writes).filter(words).count() as f64 * WORD;
    let Some(projection) = phase.kinds[0].projection() else {
        let neurons =
            phase.population().or_else(|| phase.kinds[0].selects()).map_or(0, |population| plan.populations[population].size);
        return (touched * f64::from(neurons), "step");
    };
    let of = &plan.projections[projection];
    let (synapses, neurons) = (of.synapses() as f64, |end: End| f64::from(plan.populations[of.population(end)].size.max(1)));
    match phase.kinds[0] {
        PhaseKind::Propagate(_) => (event_bytes(of) * synapses / of.pre_slice.len().max(1) as f64, "spike"),
        PhaseKind::OnSpike { pathway, .. } => (touched * synapses / neurons(of.pathways[pathway].end), "spike"),
        PhaseKind::UpdateTraces(..) => (touched, "spike"),
        PhaseKind::IntegrateTraces(_) => (touched * neurons(End::Pre), "step"),
        _ => (touched * synapses, "step"),
    }
}

/// Bytes of an event of synapses without state: of the row, and of the delay buffer, which is read and written.
fn event_bytes(of: &ProjectionPlan) -> f64 {
    let of_write = |weights: &PerSynapse<i32>| match weights {
        PerSynapse::Each(_) => WORD,
        PerSynapse::Half(_) => WORD / 2.0,
        PerSynapse::Shared(_) | PerSynapse::Packed(_) | PerSynapse::Drawn(_) => 0.0,
    };
    let delays = |delay: &PerSynapse<u32>| if matches!(delay, PerSynapse::Each(_)) { WORD } else { 0.0 };
    let row = if of.procedural().is_some() { 0.0 } else { WORD };
    row + of.writes().map(|(delay, write)| delays(delay) + of_write(&write.weights) + 2.0 * WORD).sum::<f64>()
}

impl fmt::Display for ScheduleReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = |count: u32| if count == 1 { "1 step".to_owned() } else { format!("{count} steps") };
        write!(f, "epochs of {}", steps(self.epoch_steps))?;
        if self.stepwise.is_empty() {
            writeln!(f, "; all neurons run through them")?;
        } else {
            let (stops, received) = (self.stepwise.join(", "), steps(self.hearing_steps));
            writeln!(
                f,
                "; {stops} stop after each step, and receive spikes from elsewhere after {received}; all others run ahead"
            )?;
        }
        if !self.awake.is_empty() {
            let of = |(population, reason): &(String, &str)| format!("{population} ({reason})");
            let awake = self.awake.iter().map(of).collect::<Vec<_>>().join(", ");
            writeln!(f, "neurons that never sleep on a CPU: {awake}")?;
        }
        let widest = self.phases.iter().map(|phase| phase.phase.len()).max().unwrap_or(0);
        for phase in &self.phases {
            let PhaseReport { phase, scope, bytes, per, reads, writes } = phase;
            let (reads, writes) = (reads.join(", "), writes.join(", "));
            writeln!(f, "{phase:<widest$}  {scope:<10}  {bytes:>12.0} B/{per:<5}  {reads} → {writes}")?;
        }
        Ok(())
    }
}
