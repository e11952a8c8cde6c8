//! A step, in its order (rule 2).

use std::collections::{HashMap, HashSet};

use spikelet::Spike;
use spikelet_lang::End;
use spikelet_network::{DueChange, Network};

use crate::integrate::Scheme;
use crate::neurons::{Firing, Neurons};
use crate::synapses::{ProjectedSynapses, of_end};
use crate::text::names;
use crate::{Error, Reference, World, start};

/// Computes a variable of a population from others in each step (rules 3.5 and 6.14).
pub(crate) enum Sum {
    /// Copies the value of another neuron for each neuron.
    Link { population: usize, name: String, source: usize, var: String, index: Vec<usize> },
    /// Sums a contribution of the synapses of a projection.
    Contribution { projection: usize, summed: usize, end: End, population: usize, name: String },
}

/// The methods of integration, which depend on what changes.
pub(crate) fn schemes(populations: &mut [Neurons], projections: &mut [ProjectedSynapses], world: &World) -> Result<(), Error> {
    let mut written: Vec<HashSet<String>> = populations.iter().map(|of| of.model.written()).collect();
    for of in projections.iter() {
        let statements = of.model.pathways.iter().flat_map(|pathway| &pathway.statements).map(|statement| &statement.target);
        for target in statements.chain(of.model.summed.iter().map(|(name, _)| name)) {
            if of.model.variables.contains_key(target) {
                continue;
            }
            let (end, inner) = of_end(target).unwrap_or((End::Post, target));
            written[of.ends[end as usize]].insert(inner.to_owned());
        }
    }
    for (of, written) in populations.iter_mut().zip(&written) {
        of.scheme = Scheme::of(&of.model, written, world)?;
    }
    for of in projections {
        let mut written = of.model.written();
        let post = &populations[of.ends[1]];
        let seen = post.values.keys().chain(post.model.definitions.keys());
        written.extend(seen.filter(|name| !of.values.contains_key(*name)).cloned());
        of.scheme = Scheme::of(&of.model, &written, world)?;
    }
    Ok(())
}

/// Summed and linked variables in their order: those of the file, and each link as soon as what it reads is known.
pub(crate) fn sums(
    network: &Network,
    populations: &[Neurons],
    projections: &[ProjectedSynapses],
    world: &World,
) -> Result<Vec<Sum>, Error> {
    let (mut links, mut others, mut order) = (Vec::new(), Vec::new(), Vec::new());
    for (population, of) in network.populations.iter().enumerate() {
        for name in of.linked.keys() {
            let (source, var, index) = start::link(populations, network, population, name, world)?;
            links.push(Sum::Link { population, name: name.clone(), source, var, index });
        }
    }
    for (projection, of) in projections.iter().enumerate() {
        for (summed, (name, _)) in of.model.summed.iter().enumerate() {
            let (end, inner) = of_end(name).ok_or_else(|| Error::Name(name.clone()))?;
            let population = of.ends[end as usize];
            others.push(Sum::Contribution { projection, summed, end, population, name: inner.to_owned() });
        }
    }
    // What a link reads: variables behind a subexpression, too.
    let reads = |link: &Sum, written: (usize, &str)| {
        let Sum::Link { source, var, .. } = link else { return false };
        let model = &populations[*source].model;
        let mut found = var == written.1;
        if let Some(definition) = model.definitions.get(var).filter(|of| !of.held) {
            names(&model.inlined(&definition.value), &mut |name| found |= name == written.1);
        }
        found && *source == written.0
    };
    let writes = |of: &Sum| match of {
        Sum::Link { population, name, .. } | Sum::Contribution { population, name, .. } => (*population, name.clone()),
    };
    while !(links.is_empty() && others.is_empty()) {
        let waits = |link: usize| {
            let before = links.iter().enumerate().filter(|(other, _)| *other != link).map(|(_, of)| of).chain(&others);
            let mut written = before.map(writes);
            written.any(|(population, name)| reads(&links[link], (population, &name)))
        };
        let ready = (0..links.len()).find(|link| !waits(*link));
        let next = match ready {
            Some(link) => links.remove(link),
            None if !others.is_empty() => others.remove(0),
            None => links.remove(0),
        };
        order.push(next);
    }
    Ok(order)
}

impl Reference {
    /// One step.
    pub(crate) fn step(&mut self) -> Result<(), Error> {
        // 2.1 Values are set.
        let step = self.world.step;
        let due: Vec<DueChange> = self.changes.iter().filter(|change| change.step == step).cloned().collect();
        due.chunk_by(|one, next| one.change == next.change).try_for_each(|together| self.make_change(together))?;
        // 2.2, 2.3 Regular statements of populations, values for the step.
        for of in &mut self.populations {
            of.begin(&self.world)?;
        }
        // 2.4 Regular statements of projections.
        for of in &mut self.projections {
            of.run_regularly(&self.world, &self.populations)?;
        }
        // 2.5 Recordings.
        self.record()?;
        // 2.6 Sums and links.
        self.sum()?;
        // 2.7, 2.8 Integration and spikes.
        let fired = self.integrate()?;
        // 2.9 Clock-driven equations of synapses.
        for of in &mut self.projections {
            of.integrate(&self.world, &self.populations)?;
        }
        // 2.10 Arrivals.
        self.on_spike(&fired)?;
        // 2.11 to 2.13 Input, resets, statements of events.
        self.world.is_ending = true;
        for of in &mut self.populations {
            of.end(&self.world)?;
        }
        self.world.is_ending = false;
        // 2.14 The end of the step.
        self.world.step += 1;
        self.stop()
    }

    fn sum(&mut self) -> Result<(), Error> {
        // The neurons that have a sum of this step already.
        let mut begun: HashMap<(usize, String), Vec<bool>> = HashMap::new();
        for sum in &self.sums {
            match sum {
                Sum::Link { population, name, source, var, index } => {
                    let none = HashMap::new();
                    let here = |neuron: usize| self.populations[*source].here(&self.world, neuron, 0.0, &none);
                    let values = index.iter().map(|neuron| here(*neuron).known(var)).collect::<Result<Vec<f64>, Error>>()?;
                    values.into_iter().enumerate().for_each(|(neuron, value)| {
                        self.populations[*population].assign(name, neuron, value);
                    });
                }
                Sum::Contribution { projection, summed, end, population, name } => {
                    let of = &self.projections[*projection];
                    let sums = of.sums(&self.world, &self.populations, *end, &of.model.summed[*summed].1)?;
                    let (slice, neurons) = (of.slices[*end as usize].clone(), &mut self.populations[*population]);
                    let begun = begun.entry((*population, name.clone())).or_insert_with(|| vec![false; neurons.size]);
                    for neuron in slice.map(|neuron| neuron as usize) {
                        let others = if begun[neuron] { neurons.values[name][neuron] } else { 0.0 };
                        neurons.assign(name, neuron, if begun[neuron] { others + sums[neuron] } else { sums[neuron] });
                        begun[neuron] = true;
                    }
                }
            }
        }
        Ok(())
    }

    /// Integrates the neurons; the neurons of each population that fire (rules 5.1, 5.6 to 5.8).
    fn integrate(&mut self) -> Result<Vec<Vec<u32>>, Error> {
        // Neurons of events fire in the step after the event, whose flag is from then.
        let happened = self.populations.iter().map(|of| match &of.firing {
            Firing::Event(population, event) => {
                let flags = self.populations[*population].values[event].iter();
                (0..).zip(flags).filter(|(_, is)| **is != 0.0).map(|(neuron, _)| (neuron, 0.0)).collect()
            }
            _ => Vec::new(),
        });
        let happened: Vec<Vec<(u32, f32)>> = happened.collect();
        let mut winners = Vec::new();
        for (of, happened) in self.populations.iter_mut().zip(happened) {
            let crossings = of.integrate(&self.world)?;
            winners.push(if happened.is_empty() { of.select(crossings)? } else { happened });
        }
        // Of the populations of a group the one fires whose winners have the largest sum, of equal sums the first one.
        let sums: Vec<f32> = winners.iter().map(|of| spikelet::sum_of_winners(of.iter().map(|(_, value)| *value))).collect();
        let loses = |of: usize| {
            let rivals = (0..winners.len()).filter(|other| {
                let (own, others) = (&self.populations[of].group, &self.populations[*other].group);
                *other != of && own.is_some() && own == others && !winners[*other].is_empty()
            });
            rivals.into_iter().any(|other| sums[other] > sums[of] || sums[other] == sums[of] && other < of)
        };
        let loses: Vec<bool> = (0..winners.len()).map(loses).collect();
        let fired: Vec<Vec<u32>> = winners
            .iter()
            .zip(loses)
            .map(|(winners, loses)| if loses { Vec::new() } else { winners.iter().map(|(neuron, _)| *neuron).collect() })
            .collect();
        for (of, fired) in self.populations.iter_mut().zip(&fired) {
            for neuron in fired {
                of.last[*neuron as usize] = Some(self.world.step);
                self.spikes.push(Spike { step: self.world.step, neuron: of.first + neuron });
            }
        }
        Ok(fired)
    }

    /// Spikes set out, and those that arrive act: by the order of their pathways, presynaptic ones before postsynaptic ones and these before
    /// those of third neurons, in the order of the projections and of the names of pathways (rules 6.1 to 6.3).
    fn on_spike(&mut self, fired: &[Vec<u32>]) -> Result<(), Error> {
        let mut pathways = Vec::new();
        for (projection, of) in self.projections.iter_mut().enumerate() {
            let ends = if of.has_third { &End::ALL[..] } else { &End::ALL[..2] };
            for end in ends.iter().copied() {
                let population = of.ends[end as usize];
                let slice = &of.slices[end as usize];
                let sent: Vec<u32> = fired[population].iter().copied().filter(|neuron| slice.contains(neuron)).collect();
                let early = u32::from(matches!(self.populations[population].firing, Firing::Event(..)));
                of.send(self.world.step, end, &sent, early);
            }
            let keys = of.model.pathways.iter().enumerate();
            pathways.extend(keys.map(|(pathway, key)| (key.order, key.end, projection, key.name.clone(), pathway)));
        }
        pathways.sort_by(|a, b| (a.0, a.1 as usize, a.2, &a.3).cmp(&(b.0, b.1 as usize, b.2, &b.3)));
        for (_, _, projection, _, pathway) in pathways {
            self.projections[projection].on_spike(&self.world, &mut self.populations, pathway)?;
        }
        Ok(())
    }

    /// Ends the run if a stop condition is true (rule 2.14).
    fn stop(&mut self) -> Result<(), Error> {
        for condition in &self.stops {
            let of = |population: &&Neurons| condition.of.as_ref().is_none_or(|name| *name == population.name);
            let counted: Vec<&Neurons> = self.populations.iter().filter(of).collect();
            let (window, now) = (condition.window_steps(self.world.dt), self.world.step);
            let since = if condition.window_ms.is_some() { now.saturating_sub(window) } else { 0 };
            let is_of = |neuron: u32| counted.iter().any(|of| (of.first..of.first + of.size as u32).contains(&neuron));
            let count = self.spikes.iter().filter(|spike| spike.step >= since && is_of(spike.neuron)).count() as f64;
            let neurons: usize = counted.iter().map(|of| of.size).sum();
            let value = match condition.window_ms {
                Some(_) => count / (neurons as f64 * f64::from(window) * self.world.dt),
                None => count,
            };
            let is_full = !condition.comparison.is_from_above() || now >= window;
            if is_full && condition.comparison.holds(value, condition.limit) {
                self.stopped = Some(now - 1);
            }
        }
        Ok(())
    }
}
