//! A trial in f64.

use std::sync::Arc;

use spikelet_network::Error;
use spikelet_plan::schedule::PhaseKind;
use spikelet_plan::{Epoch, Plan, SampleSource, Spike, Trial};

use super::neurons::{DoubleNeurons, DoubleStep};
use super::propagate::{ExactWeights, Propagation};
use super::synapses::DoubleSynapses;
use crate::select::inhibited;

/// A trial with its dynamic state.
pub(super) struct DoubleTrial {
    pub(super) plan: Arc<Plan>,
    number: u32,
    pub(super) neurons: Vec<DoubleNeurons>,
    /// For each projection its synapses, if they have state.
    pub(super) synapses: Vec<Option<DoubleSynapses>>,
    /// For each projection the increments of its writes.
    pub(super) weights: Vec<Vec<ExactWeights>>,
    /// The spike history of synapses with state: neurons by their number in the network, at the step modulo the number of lists.
    pub(super) remembered: Vec<Vec<u32>>,
    propagation: Propagation,
}

impl DoubleTrial {
    pub(super) fn new(trial: Trial) -> Result<DoubleTrial, Error> {
        let Trial { number, plan } = trial;
        if !plan.exact {
            let sentence = "the plan has no values in f64, which a run in f64 needs; build it with `BuildOptions::exact`";
            return Err(Error::Backend(sentence.into()));
        }
        Ok(DoubleTrial {
            number,
            neurons: (0..plan.populations.len()).map(|population| DoubleNeurons::new(&plan, population)).collect(),
            synapses: (0..plan.projections.len()).map(|projection| DoubleSynapses::new(&plan, projection)).collect(),
            weights: plan.projections.iter().map(|of| of.writes().map(|(_, write)| ExactWeights::of(write)).collect()).collect(),
            remembered: vec![Vec::new(); plan.memory_steps as usize],
            propagation: Propagation::default(),
            plan,
        })
    }

    /// Runs an epoch; returns its spikes and samples.
    pub(super) fn run(&mut self, epoch: Epoch) -> (Vec<Spike>, Vec<f64>) {
        let plan = self.plan.clone();
        let (mut spikes, columns) = (Vec::new(), plan.sampling.columns.len());
        let mut samples = vec![0.0; epoch.steps as usize * columns];
        for step in epoch.first..epoch.end() {
            let now = DoubleStep { plan: &plan, trial: self.number, step };
            let first = spikes.len();
            self.neurons.iter_mut().for_each(|neurons| neurons.begin(now));
            self.synapses.iter_mut().flatten().for_each(|synapses| synapses.begin(now));
            if !self.remembered.is_empty() {
                let count = self.remembered.len();
                self.remembered[step as usize % count].clear();
            }
            let row = &mut samples[(step - epoch.first) as usize * columns..][..columns];
            let is_complete = epoch.is_complete_at(step);
            let kinds = plan.schedule().phases.iter().flat_map(|phase| &phase.kinds);
            for kind in kinds.filter(|kind| !(is_complete && kind.completes_step())) {
                self.execute(*kind, now, (&mut spikes, first), row);
            }
            // Populations with winners fire after all others.
            spikes[first..].sort_unstable_by_key(|spike| spike.neuron);
        }
        (spikes, samples)
    }

    /// Brings the trial to the end of the step before this one.
    pub(super) fn complete_step(&mut self, step: u32) {
        let plan = self.plan.clone();
        let now = DoubleStep { plan: &plan, trial: self.number, step };
        for neurons in &mut self.neurons {
            neurons.begin(now);
            neurons.deliver(now);
            neurons.reset(now);
        }
    }

    /// Computes pending input again, from the last spikes.
    pub(super) fn refill(&mut self, spikes: &[Spike], step: u32) {
        let plan = self.plan.clone();
        let DoubleTrial { number, neurons, weights, propagation, .. } = self;
        neurons.iter_mut().for_each(|neurons| neurons.forget(None));
        for now in step.saturating_sub(plan.ring.slots)..step {
            let now = DoubleStep { plan: &plan, trial: *number, step: now };
            neurons.iter_mut().for_each(|neurons| neurons.forget(Some(now.slot(0))));
            let fired: Vec<Spike> = spikes.iter().filter(|spike| spike.step == now.step).copied().collect();
            for projection in (0..plan.projections.len()).filter(|index| plan.projections[*index].state.is_none()) {
                propagation.propagate(now, projection, &weights[projection], &fired, neurons);
            }
        }
        let now = DoubleStep { plan: &plan, trial: *number, step };
        neurons.iter_mut().for_each(|neurons| neurons.forget(Some(now.slot(0))));
    }

    /// Executes a phase. `spikes` has those of this step from `first` on.
    fn execute(&mut self, kind: PhaseKind, now: DoubleStep<'_>, (spikes, first): (&mut Vec<Spike>, usize), samples: &mut [f64]) {
        let DoubleTrial { neurons, synapses, weights, remembered, propagation, .. } = self;
        match kind {
            PhaseKind::DeliverInput(population) => neurons[population].deliver(now),
            PhaseKind::Reset(population) => neurons[population].reset(now),
            PhaseKind::RunRegularly(population) => neurons[population].run_regularly(now),
            PhaseKind::SampleAndHold(population) => neurons[population].sample_and_hold(now),
            PhaseKind::Integrate(population) => neurons[population].integrate(now),
            PhaseKind::Select(population) => {
                neurons[population].select(now.plan);
                // Those that are larger so far; the last population of a group decides.
                let sums: Vec<(usize, Option<f32>)> = (0..=population).map(|of| (of, neurons[of].sum)).collect();
                inhibited(now.plan, &sums).into_iter().for_each(|of| neurons[of].inhibit());
            }
            PhaseKind::Fire(population) => {
                let number = now.plan.populations[population].first;
                for neuron in neurons[population].fire(now.step) {
                    spikes.push(Spike { step: now.step, neuron: number + neuron });
                    if !remembered.is_empty() {
                        let count = remembered.len();
                        remembered[now.step as usize % count].push(number + neuron);
                    }
                }
            }
            PhaseKind::Sample(_) | PhaseKind::SampleSynapses(_) => {
                for (sampled, sample) in now.plan.sampling.columns.iter().zip(samples) {
                    match (*sampled, kind) {
                        (SampleSource::Neuron { population, variable, neuron }, PhaseKind::Sample(of)) if of == population => {
                            *sample = neurons[population].variables[variable][neuron as usize];
                        }
                        (SampleSource::Sum { population, variable, neurons: sum }, PhaseKind::Sample(of)) if of == population => {
                            let (values, summed) = (&neurons[population].variables[variable], now.plan.sampling.neurons(sum));
                            *sample = summed.iter().map(|neuron| values[*neuron as usize]).sum();
                        }
                        (SampleSource::Synapse { projection, array, synapse: Some(synapse) }, PhaseKind::SampleSynapses(of))
                            if of == projection =>
                        {
                            let synapses = synapses[projection].as_ref();
                            *sample = synapses.map_or(f64::NAN, |of| of.arrays[array][synapse as usize]);
                        }
                        _ => {}
                    }
                }
            }
            PhaseKind::Propagate(projection) => {
                propagation.propagate(now, projection, &weights[projection], &spikes[first..], neurons);
            }
            with_state => {
                let synapses = with_state.projection().and_then(|projection| synapses[projection].as_mut());
                if let Some(synapses) = synapses {
                    synapses.run(with_state, now, neurons, remembered);
                }
            }
        }
    }

    /// Whether a variable of a neuron is infinite or NaN before a step.
    pub(super) fn diverges(&mut self, step: u32) -> bool {
        let DoubleTrial { neurons, plan, .. } = self;
        neurons.iter_mut().fold(false, |any, neurons| neurons.diverges(plan, step) | neurons.take_not_a_number() | any)
    }
}
