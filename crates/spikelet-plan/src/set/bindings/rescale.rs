//! Scales of ports, after the values of a projection have changed.

use std::sync::Arc;

use super::ScaleEffect;
use crate::draw::realized::StatelessWrite;
use crate::scale::bounds::EventBounds;
use crate::scale::scales::{ProjectionInput, Scales, loosen};
use crate::scale::synapses::PortRequest;
use crate::{Plan, Port, ProjectionPlan};

impl Plan {
    /// Chooses the scales of the ports to which a projection adds, and converts all increments to them: the `writes` of this one, if its
    /// synapses have no state, and those of others. Returns whether the ports, or their largest events, changed; `None` if other ports are
    /// needed.
    pub(super) fn rescale(&mut self, index: usize, writes: Option<&[Vec<StatelessWrite>]>, scaling: ScaleEffect) -> Option<bool> {
        let post = self.projections[index].post;
        let onto: Vec<usize> = (0..self.projections.len()).filter(|other| self.projections[*other].post == post).collect();
        let neurons = self.bindings.neurons[post].clone();
        let old_post = &self.populations[post];
        let written: Vec<Vec<Vec<StatelessWrite>>> = onto
            .iter()
            .map(|of| match writes {
                Some(writes) if *of == index => writes.to_vec(),
                _ => self.projections[*of].writes_of(&neurons, old_post),
            })
            .collect();
        let (ports, bounds) = self.ports_for(post, &onto, &written, scaling)?;
        let same_ports = ports == old_post.ports;
        if scaling == ScaleEffect::Built && !same_ports {
            return None;
        }
        self.populations[post].ports = ports;
        let mut rescaled = !same_ports;
        for ((of, bounds), written) in onto.into_iter().zip(&bounds).zip(written) {
            let is_it = of == index && writes.is_some();
            let mut plan = ProjectionPlan::clone(&self.projections[of]);
            let post = &self.populations[post];
            let limits = plan.limit(bounds, &neurons.model, post);
            if same_ports && !limits && !is_it {
                continue;
            }
            if plan.state.is_none() {
                for (pathway, writes) in plan.pathways.iter_mut().zip(written) {
                    pathway.writes = writes.into_iter().flat_map(|write| write.in_ports(post, &neurons.model)).collect();
                }
            }
            rescaled |= limits;
            self.projections[of] = Arc::new(plan);
        }
        Some(rescaled)
    }

    /// The ports of a population, by their increments, and the bounds of the increments of each of these projections.
    fn ports_for(
        &self,
        post: usize,
        onto: &[usize],
        written: &[Vec<Vec<StatelessWrite>>],
        scaling: ScaleEffect,
    ) -> Option<(Vec<Port>, Vec<EventBounds>)> {
        let models: Vec<_> = self.bindings.neurons.iter().map(|neurons| &neurons.model).collect();
        let shifts: Vec<_> = self.bindings.neurons.iter().map(|neurons| &neurons.shifts).collect();
        let input = |(of, written): (&usize, &Vec<Vec<StatelessWrite>>)| {
            let (plan, synapses) = (&self.projections[*of], &self.bindings.synapses[*of]);
            ProjectionInput {
                projection: *of,
                name: &plan.name,
                post,
                degrees: &plan.degrees,
                model: &synapses.model,
                values: &synapses.values,
                writes: written.iter().flatten().map(|write| (write.variable, write.bound(), write.sizes.least)).collect(),
                first_events: &synapses.first_events,
            }
        };
        let inputs: Vec<ProjectionInput<'_>> = onto.iter().zip(written).map(input).collect();
        let mut bounds: Vec<EventBounds> = onto.iter().map(|of| self.bindings.synapses[*of].bounds.clone()).collect();
        let keeps = (scaling == ScaleEffect::Kept).then_some(self);
        if keeps.is_some() {
            for (bounds, of) in bounds.iter_mut().zip(onto) {
                bounds.widen(&self.projections[*of], self, &|name| models[post].variable(name));
            }
        }
        loosen(&mut bounds, &inputs, &models, &shifts).ok()?;
        let population = &self.populations[post];
        let name = |port: usize| &population.program.variables[population.program.ports[port]];
        for (bounds, of) in bounds.iter().zip(onto) {
            let states = self.projections[*of].state.iter();
            for add in states.flat_map(|state| &state.arrivals).flat_map(|arrival| &arrival.adds) {
                let is_wide = !models[post].variable(name(add.port)).is_some_and(|variable| bounds.contains(variable));
                if population.ports[add.port].split_precision != is_wide {
                    return None;
                }
            }
        }
        let first = population.ports.iter().enumerate().filter(|(_, port)| !port.rest);
        let wanted: Vec<PortRequest> =
            first.map(|(port, of)| PortRequest { variable: name(port).clone(), split_precision: of.split_precision }).collect();
        let scales = Scales { inputs: &inputs, bounds: &bounds, models: &models, shifts: &shifts, old: keeps };
        let ports = scales.ports(post, &wanted).ok()?;
        let is_as_before = |((new, _), old): (&(String, Port), usize)| {
            let of = population.ports[old];
            new == name(old) && (of.split_precision, of.rest) == (ports[old].1.split_precision, ports[old].1.rest)
        };
        if ports.len() != population.ports.len() || !ports.iter().zip(0..).all(is_as_before) {
            return None;
        }
        let in_place = |((_, port), old): (&(String, Port), &Port)| Port { column: old.column, ..*port };
        Some((ports.iter().zip(&population.ports).map(in_place).collect(), bounds))
    }
}
