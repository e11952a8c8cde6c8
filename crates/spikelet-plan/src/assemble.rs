//! From checked populations and drawn projections to a plan.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use spikelet_lang::model::NeuronModel;
use spikelet_lang::{End, PopulationLayout};
use spikelet_network::{Error, Population};

use super::schedule::Schedule;
use super::values::NamedValues;
use super::{
    MAX_EPOCH_STEPS, MAX_EPOCH_STEPS_WITH_STATE, PartSummary, Plan, ProjectionPlan, Ring, StatePlan, SumPlan, too_large,
};
use crate::check::changes;
use crate::draw::realized::RealizedProjection;
use crate::layout::{arrays, recordings, statistics};
use crate::neurons::population::CheckedPopulation;
use crate::neurons::sources::LoweredNetwork;
use crate::scale::bounds::EventBounds;
use crate::scale::scales::{FirstEvents, ProjectionInput, Scales, loosen};
use crate::scale::synapses;
use crate::set::bindings::{Bindings, SynapseValues};

/// An array with a sum, by its population, and the neurons that get it.
type SummedSlice = ((Option<usize>, usize), Range<u32>);

impl Plan {
    /// The plan of checked populations and drawn projections, with the summary of all ranks. Ports have at least the scales of `old`.
    pub(super) fn assemble(
        network: &LoweredNetwork<'_>,
        neurons: &[CheckedPopulation],
        (mut drawn, summary): (Vec<RealizedProjection>, &PartSummary),
        old: Option<&Plan>,
        exact: bool,
    ) -> Result<Plan, Error> {
        summary.complete(&mut drawn, network.part.is_whole());
        let values: Vec<NamedValues> =
            drawn.iter().enumerate().map(|(index, drawn)| summary.values(index, &drawn.values)).collect();
        let models = drawn.iter().map(|drawn| &drawn.checked.model);
        let mut bounds: Vec<EventBounds> =
            models.zip(&values).map(|(model, values)| EventBounds::of_values(model, values)).collect();
        if let Some(old) = old {
            for ((bounds, drawn), before) in bounds.iter_mut().zip(&drawn).zip(&old.projections) {
                bounds.widen(before, old, &|name| neurons[drawn.checked.post].model.variable(name));
            }
        }
        let of_projections = || drawn.iter().enumerate();
        let first_events: Vec<FirstEvents> = (0..drawn.len()).map(|index| summary.first_events(index)).collect();
        let inputs = of_projections().zip(first_events.iter().zip(&values));
        let inputs: Vec<ProjectionInput<'_>> =
            inputs.map(|((index, drawn), of)| ProjectionInput::new(index, drawn, of)).collect();
        let models: Vec<&NeuronModel> = neurons.iter().map(|neurons| &neurons.model).collect();
        let shifts: Vec<_> = neurons.iter().map(|neurons| &neurons.shifts).collect();
        loosen(&mut bounds, &inputs, &models, &shifts)?;
        let effects = synapses::effects(drawn.iter().map(|drawn| &drawn.checked).zip(&bounds), neurons);
        let scales = Scales { inputs: &inputs, bounds: &bounds, models: &models, shifts: &shifts, old };
        let mut populations = Vec::new();
        let (mut ring, mut shortest) = (Ring { slots: 1, columns: 0 }, MAX_EPOCH_STEPS - 1);
        let mut clock_lanes = 0;
        let mut slow: Vec<HashSet<String>> = match old {
            Some(old) => old.populations.iter().map(|plan| plan.in_two_words().map(str::to_owned).collect()).collect(),
            None => changes::slow(network)?,
        };
        for (index, (population, (wanted, written))) in network.populations.iter().zip(effects).enumerate() {
            let (of, name) = (&neurons[index], &population.name);
            let (variables, ports) = scales.ports(index, &wanted)?.into_iter().unzip();
            let layout = PopulationLayout {
                compensated: std::mem::take(&mut slow[index]).into_iter().chain(summary.slow(index).cloned()).collect(),
                ports: variables,
                written: written.into_iter().collect(),
                observed: recordings::observed(network, name, |name| of.model.subexpressions.contains_key(name)),
                ..PopulationLayout::default()
            };
            let mut plan = of.plan(network, name, layout, ports)?;
            for port in &mut plan.ports {
                port.column = ring.columns;
                let lanes =
                    network.part.own(index).len().checked_mul(port.width()).and_then(|lanes| ring.columns.checked_add(lanes));
                ring.columns = lanes.ok_or_else(|| too_large(network))?;
            }
            let group = |of: &Population| of.winners.as_ref().and_then(|winners| winners.group.clone());
            plan.group =
                group(population).and_then(|own| network.populations.iter().position(|of| group(of).as_ref() == Some(&own)));
            plan.first_clock = clock_lanes;
            clock_lanes += plan.clocks.len() as u32;
            populations.push(plan);
        }
        drop(inputs);
        let values = of_projections().zip(first_events.into_iter().zip(values));
        let values = values.map(|((index, drawn), of)| SynapseValues::new(index, drawn, of, &network.projections[index]));
        let values: Vec<SynapseValues> = values.collect();
        let mut longest_with_state = None;
        let mut sums: Vec<SummedSlice> = Vec::new();
        let mut projections: Vec<Arc<ProjectionPlan>> = Vec::new();
        let dimensions: Vec<_> = drawn.iter().map(|drawn| drawn.checked.model.dimensions()).collect();
        for (index, (drawn, bounds)) in drawn.into_iter().zip(&bounds).enumerate() {
            let before = old.and_then(|old| old.projections[index].state.as_ref());
            let mut state = StatePlan::new(network, &drawn, (bounds, summary), neurons, &populations, before, exact)?;
            let delays = summary.delays(index);
            if let Some(state) = &mut state {
                state.first_clock = clock_lanes;
                clock_lanes += state.clocks.len() as u32;
                let longest = delays.iter().map(|delays| delays.end).max().unwrap_or(0);
                longest_with_state = longest_with_state.max(Some(longest));
                shortest = shortest.min(MAX_EPOCH_STEPS_WITH_STATE - 1);
                ring.slots = ring.slots.max(2);
                for sum in &mut state.summed {
                    let target = (drawn.checked.population(sum.end), sum.array);
                    let size = target.0.map_or(0, |population| network.populations[population].size);
                    let slice = if sum.end == End::Post { network.projections[index].post.range(size) } else { 0..size };
                    let earlier = sums.iter().filter(|(of, _)| *of == target).map(|(_, slice)| slice.clone());
                    sum.parts = SumPlan::parts_of(&slice, &earlier.collect::<Vec<_>>());
                    sums.push((target, slice));
                }
            } else if drawn.degrees.synapses > 0 {
                for delays in delays {
                    shortest = shortest.min(delays.start);
                    ring.slots = ring.slots.max(delays.end + 1);
                }
            }
            projections.push(Arc::new(drawn.quantised(neurons, &populations, state, delays)));
        }
        let dimension = |object: &str, name: &str| {
            let neurons = network.find(object).and_then(|index| neurons[index].model.dimension(name));
            neurons.or_else(|| {
                let index = network.projections.iter().position(|projection| projection.name == object)?;
                dimensions[index].get(name).copied()
            })
        };
        let (channels, sampling) = recordings::channels(network, &populations, &projections, &dimension, summary)?;
        let statistics = statistics::plans(network, &projections, &dimension)?;
        let (dt_ms, seed, epoch_steps) = (network.dt_ms, network.seed, shortest + 1);
        let memory_steps = longest_with_state.map_or(0, |longest| longest + 1 + epoch_steps);
        let parts = arrays::ArraySources {
            named: network.network().populations.len(),
            neurons,
            populations: &populations,
            projections: &projections,
            statistics: &statistics,
            ring,
            memory_steps,
            dimension: &dimension,
        };
        let arrays = Arc::new(parts.table());
        let bindings = Bindings::new(neurons, values, &populations, &projections, &arrays);
        let mut plan = Plan {
            dt_ms,
            seed,
            populations,
            projections,
            ring,
            epoch_steps,
            channels,
            sampling,
            statistics,
            clock_columns: clock_lanes,
            memory_steps,
            exact,
            functions: network.functions.clone(),
            part: network.part.clone(),
            arrays,
            schedule: Arc::default(),
            bindings,
        };
        plan.schedule = Arc::new(Schedule::new(&plan));
        Ok(plan)
    }
}
