//! Projections: the state of their synapses, and what spikes do to them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use indexmap::IndexMap;
use spikelet::rng::event_bits;
use spikelet_lang::End;
use spikelet_lang::syntax::{AssignKind, BinaryOp, Declared, Expr, Statement};

use crate::expression::{Scope, evaluate, exprel, from, white_noise};
use crate::integrate::{Scheme, linear};
use crate::neurons::{NeuronScope, Neurons, typed};
use crate::text::{Model, names};
use crate::{Error, World};

/// A projection.
pub(crate) struct ProjectedSynapses {
    pub(crate) name: String,
    /// Its place in the network.
    pub(crate) index: u32,
    pub(crate) model: Model,
    pub(crate) scheme: Option<Scheme>,
    /// The populations of its neurons, by [`End`]; without a third neuron the last is the postsynaptic one.
    pub(crate) ends: [usize; 3],
    pub(crate) has_third: bool,
    /// The neurons of each synapse in these populations.
    pub(crate) neurons: Vec<[u32; 3]>,
    /// The neurons of the populations that may have synapses.
    pub(crate) slices: [Range<u32>; 3],
    /// Number of synapses from and to the neurons of each synapse.
    pub(crate) degrees: Vec<[f64; 2]>,
    /// ProjectedSynapses in the order of a list of pairs.
    pub(crate) listed: Vec<usize>,
    pub(crate) values: IndexMap<String, Vec<f64>>,
    /// The step of the last event of each synapse, to which its event-driven variables belong.
    pub(crate) updated: Vec<u32>,
    /// Variables that stay as they are while `plasticity` is 0.
    pub(crate) plastic: HashSet<String>,
    /// The delay of each synapse for each pathway, in steps.
    pub(crate) delays: Vec<Vec<u32>>,
    /// Pending events: synapses by pathway and step of arrival.
    pub(crate) in_flight: Vec<BTreeMap<u32, Vec<usize>>>,
}

/// A synapse as its expressions see it.
pub(crate) struct SynapseScope<'a> {
    pub(crate) world: &'a World,
    pub(crate) populations: &'a [Neurons],
    pub(crate) of: &'a ProjectedSynapses,
    pub(crate) synapse: usize,
    pub(crate) ahead: f64,
    pub(crate) overlay: &'a HashMap<String, f64>,
}

/// A neuron's name without the end of a synapse: `v` of `v_post`.
pub(crate) fn of_end(name: &str) -> Option<(End, &str)> {
    End::ALL.into_iter().find_map(|end| Some((end, name.strip_suffix(end.name())?.strip_suffix('_')?)))
}

impl SynapseScope<'_> {
    /// The value of a name of one of the neurons.
    fn of_neuron(&self, end: End, name: &str) -> Result<Option<f64>, Error> {
        let population = &self.populations[self.of.ends[end as usize]];
        let neuron = self.of.neurons[self.synapse][end as usize] as usize;
        let none = HashMap::new();
        let here = NeuronScope { ..population.here(self.world, neuron, self.ahead, &none) };
        let is_known = population.values.contains_key(name) || population.model.definitions.contains_key(name);
        if is_known { here.name(name) } else { Ok(None) }
    }
}

impl Scope for SynapseScope<'_> {
    fn name(&self, name: &str) -> Result<Option<f64>, Error> {
        let SynapseScope { world, populations, of, synapse, .. } = self;
        if let Some(value) = self.overlay.get(name) {
            return Ok(Some(*value));
        }
        if let Some(values) = of.values.get(name) {
            return Ok(Some(values[*synapse]));
        }
        if let Some(definition) = of.model.definitions.get(name) {
            let value = evaluate(&definition.value, self)?;
            return Ok(Some(if definition.declared == Declared::Boolean { from(value != 0.0) } else { value }));
        }
        let size = |end: End| populations[of.ends[end as usize]].size as f64;
        let [pre, post, third] = of.neurons[*synapse].map(f64::from);
        match name {
            "N_outgoing" => return Ok(Some(of.degrees[*synapse][0])),
            "N_incoming" => return Ok(Some(of.degrees[*synapse][1])),
            "N_pre" => return Ok(Some(size(End::Pre))),
            "N_post" => return Ok(Some(size(End::Post))),
            "N_third" if of.has_third => return Ok(Some(size(End::Third))),
            "i_third" if of.has_third => return Ok(Some(third)),
            _ => {}
        }
        if let Some((end, inner)) = of_end(name).filter(|(end, _)| *end != End::Third || of.has_third)
            && let Some(value) = self.of_neuron(end, inner)?
        {
            return Ok(Some(value));
        }
        // `v` is `v_post`.
        if let Some(value) = self.of_neuron(End::Post, name)? {
            return Ok(Some(value));
        }
        Ok(match name {
            "t" => Some(world.time() + self.ahead * world.dt),
            "dt" => Some(world.dt),
            "i" => Some(pre),
            "j" => Some(post),
            "N" => Some(of.neurons.len() as f64),
            _ => None,
        })
    }

    fn call(&self, name: &str, arguments: &[f64]) -> Result<Option<f64>, Error> {
        if name == "xi" {
            return Ok(Some(white_noise(self.words(arguments[0] as u32), self.world.dt)));
        }
        self.world.function(name, arguments)
    }

    fn words(&self, site: u32) -> [u32; 2] {
        let World { step, seed, trial, .. } = *self.world;
        event_bits(seed, (self.of.index, site), [step, self.synapse as u32, trial])
    }

    fn is_time(&self, name: &str) -> bool {
        self.of.model.is_time(name)
    }
}

/// Where a statement writes.
enum Target {
    Own(String),
    Local(String),
    /// Adds to a presynaptic neuron.
    Pre(String),
    Post(String),
}

impl ProjectedSynapses {
    /// A synapse as it is seen this part of a step from now.
    pub(crate) fn between<'a>(
        &'a self,
        world: &'a World,
        populations: &'a [Neurons],
        synapse: usize,
        overlay: &'a HashMap<String, f64>,
    ) -> SynapseScope<'a> {
        SynapseScope { world, populations, of: self, synapse, ahead: 0.0, overlay }
    }

    /// Whether plastic variables may change (rule 6.15).
    fn learns(&self, synapse: usize) -> bool {
        self.values.get("plasticity").is_none_or(|values| values[synapse] != 0.0)
    }

    /// Gives a variable of a synapse a value of its type, unless it is plastic and plasticity is switched off.
    fn assign(&mut self, name: &str, synapse: usize, value: f64) {
        let declared = self.model.variables.get(name).map(|of| of.declared).unwrap_or_default();
        if !self.plastic.contains(name) || self.learns(synapse) {
            self.values[name][synapse] = typed(declared, value);
        }
    }

    /// Spikes of the neurons of one end set out (rule 6.1).
    pub(crate) fn send(&mut self, step: u32, end: End, fired: &[u32], early: u32) {
        for (pathway, _) in self.model.pathways.iter().enumerate().filter(|(_, of)| of.end == end) {
            for synapse in 0..self.neurons.len() {
                let neuron = self.neurons[synapse][end as usize];
                if fired.contains(&neuron) {
                    let arrival = step + self.delays[pathway][synapse] - early;
                    self.in_flight[pathway].entry(arrival).or_default().push(synapse);
                }
            }
        }
    }

    /// Event-driven variables are brought to this step (rule 6.12): x·exp(a·τ) + b·τ·exprel(a·τ) after τ without events.
    fn catch_up(&mut self, world: &World, populations: &[Neurons], synapse: usize) -> Result<(), Error> {
        let elapsed = f64::from(world.step - self.updated[synapse]) * world.dt;
        self.updated[synapse] = world.step;
        let mut fresh = Vec::new();
        for (name, rate) in &self.model.event_driven {
            let none = HashMap::new();
            let between = self.between(world, populations, synapse, &none);
            let wrong = || Error::Unsupported(format!("the event-driven equation of {name}"));
            let (a, b) = linear(&world.expanded(&self.model.inlined(rate)), name).ok_or_else(wrong)?;
            let (a, b) = (evaluate(&a, &between)?, evaluate(&b, &between)?);
            let x = self.values[name][synapse];
            fresh.push((name.clone(), x * libm::exp(a * elapsed) + b * elapsed * exprel(a * elapsed)));
        }
        fresh.iter().for_each(|(name, value)| self.assign(name, synapse, *value));
        Ok(())
    }

    /// Statements at regular times (rule 2.4).
    pub(crate) fn run_regularly(&mut self, world: &World, populations: &[Neurons]) -> Result<(), Error> {
        let regular = std::mem::take(&mut self.model.regular);
        self.hold_values(world, populations)?;
        for (_, statements) in regular.iter().filter(|(interval, _)| world.is_due(*interval)) {
            let brings = self.model.uses_event_driven(statements);
            for synapse in 0..self.neurons.len() {
                // Rule 3.11.
                if brings {
                    self.catch_up(world, populations, synapse)?;
                }
                let mut locals = HashMap::new();
                for statement in statements {
                    let value = self.value(world, populations, synapse, statement, &locals)?;
                    match self.target(&populations[self.ends[1]].model, &statement.target) {
                        Target::Own(name) => self.assign(&name, synapse, value),
                        _ => drop(locals.insert(statement.target.clone(), value)),
                    }
                }
            }
        }
        self.model.regular = regular;
        self.hold_values(world, populations)
    }

    /// The subexpressions that are constant over dt, by the present state (rule 3.3).
    fn hold_values(&mut self, world: &World, populations: &[Neurons]) -> Result<(), Error> {
        for synapse in 0..self.neurons.len() {
            let mut held = HashMap::new();
            for (name, definition) in self.model.held() {
                let value = evaluate(&definition.value, &self.between(world, populations, synapse, &held))?;
                held.insert(name.clone(), typed(definition.declared, value));
            }
            held.into_iter().for_each(|(name, value)| self.values[&name][synapse] = value);
        }
        Ok(())
    }

    /// The right-hand side of a statement; of `x += y` with the value of x if x is its own.
    fn value(
        &self,
        world: &World,
        populations: &[Neurons],
        synapse: usize,
        statement: &Statement,
        locals: &HashMap<String, f64>,
    ) -> Result<f64, Error> {
        let between = self.between(world, populations, synapse, locals);
        let value = evaluate(&statement.value, &between)?;
        let is_end = of_end(&statement.target).is_some();
        let is_own = self.values.contains_key(&statement.target) || !is_end && locals.contains_key(&statement.target);
        let present = |name: &str| between.name(name)?.ok_or_else(|| Error::Name(name.into()));
        Ok(match statement.kind {
            AssignKind::Change(BinaryOp::Subtract) if is_own => present(&statement.target)? - value,
            AssignKind::Change(BinaryOp::Subtract) => -value,
            AssignKind::Change(_) if is_own => present(&statement.target)? + value,
            _ => value,
        })
    }

    fn target(&self, post: &Model, name: &str) -> Target {
        let is_of_post = |name: &str| post.variables.contains_key(name);
        match of_end(name) {
            _ if self.model.variables.contains_key(name) => Target::Own(name.into()),
            Some((End::Pre, inner)) if !is_of_post(name) => Target::Pre(inner.into()),
            Some((End::Post, inner)) if is_of_post(inner) => Target::Post(inner.into()),
            _ if is_of_post(name) => Target::Post(name.into()),
            _ => Target::Local(name.into()),
        }
    }

    /// Whether events of a pathway are executed one after the other (rule 6.6): it assigns to its target, or reads what it has added to it.
    fn is_in_turn(&self, post: &Model, statements: &[Statement]) -> bool {
        statements.iter().enumerate().any(|(k, statement)| {
            let Target::Post(name) = self.target(post, &statement.target) else { return false };
            let reads = |later: &Statement| {
                let mut found = false;
                names(&self.model.inlined(&later.value), &mut |read| {
                    let inner = of_end(read).filter(|(end, _)| *end == End::Post).map_or(read, |(_, inner)| inner);
                    let of_post = |inner: &str| match post.definitions.get(inner) {
                        // One that is constant over dt is a value of its own (rule 3.3).
                        Some(definition) if !definition.held => post.inlined(&definition.value).mentions(&name),
                        _ => inner == name,
                    };
                    found |= !self.values.contains_key(read) && of_post(inner);
                });
                found
            };
            statement.kind == AssignKind::Set || statements[k + 1..].iter().any(reads)
        })
    }

    /// What statements read of the presynaptic and the third neuron.
    fn of_other_ends(
        &self,
        world: &World,
        populations: &[Neurons],
        synapse: usize,
        statements: &[Statement],
    ) -> Result<HashMap<String, f64>, Error> {
        let (none, mut read) = (HashMap::new(), HashSet::new());
        let is_of_other = |name: &str| of_end(name).is_some_and(|(end, _)| end != End::Post) && !self.values.contains_key(name);
        for statement in statements {
            names(&self.model.inlined(&statement.value), &mut |name| {
                if is_of_other(name) {
                    read.insert(name.to_owned());
                }
            });
        }
        let between = self.between(world, populations, synapse, &none);
        let value = |name: String| Ok(between.name(&name)?.map(|value| (name, value)));
        read.into_iter().filter_map(|name| value(name).transpose()).collect()
    }

    /// Spikes of a pathway arrive (rules 6.3 to 6.8).
    pub(crate) fn on_spike(&mut self, world: &World, populations: &mut [Neurons], pathway: usize) -> Result<(), Error> {
        let mut events = self.in_flight[pathway].remove(&world.step).unwrap_or_default();
        events.sort_unstable();
        let statements = std::mem::take(&mut self.model.pathways[pathway].statements);
        let [pre, post, _] = self.ends;
        let in_turn = self.is_in_turn(&populations[post].model, &statements);
        for synapse in events {
            self.catch_up(world, populations, synapse)?;
            // Rule 3.1: what it assigns is not read of the other ends, even if they are the same neuron.
            let mut locals = self.of_other_ends(world, populations, synapse, &statements)?;
            let [from, to, _] = self.neurons[synapse];
            for statement in &statements {
                let value = self.value(world, populations, synapse, statement, &locals)?;
                let adds = matches!(statement.kind, AssignKind::Change(_));
                match self.target(&populations[post].model, &statement.target) {
                    Target::Own(name) => self.assign(&name, synapse, value),
                    Target::Local(name) => drop(locals.insert(name, value)),
                    Target::Pre(name) => populations[pre].add(&name, from, value),
                    Target::Post(name) if adds && !in_turn => populations[post].add(&name, to, value),
                    Target::Post(name) => {
                        let neurons = &mut populations[post];
                        let since = neurons.since(to as usize, world.step);
                        let is_kept = neurons.model.has(&name, "unless refractory") && neurons.is_refractory(to as usize, since);
                        if !is_kept {
                            let present = if adds { neurons.values[&name][to as usize] } else { 0.0 };
                            neurons.assign(&name, to as usize, present + value);
                        }
                    }
                }
            }
        }
        self.model.pathways[pathway].statements = statements;
        Ok(())
    }

    /// The sum of a contribution over the synapses of each neuron, in the order of their numbers (rule 6.14); 0 without synapses.
    pub(crate) fn sums(&self, world: &World, populations: &[Neurons], end: End, value: &Expr) -> Result<Vec<f64>, Error> {
        let mut sums: Vec<Option<f64>> = vec![None; populations[self.ends[end as usize]].size];
        let none = HashMap::new();
        for synapse in 0..self.neurons.len() {
            let value = evaluate(value, &self.between(world, populations, synapse, &none))?;
            let sum = &mut sums[self.neurons[synapse][end as usize] as usize];
            *sum = Some(sum.map_or(value, |sum| sum + value));
        }
        Ok(sums.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// Integrates the clock-driven equations (rule 2.9).
    pub(crate) fn integrate(&mut self, world: &World, populations: &[Neurons]) -> Result<(), Error> {
        if self.scheme.is_none() {
            return Ok(());
        }
        for synapse in 0..self.neurons.len() {
            let names: Vec<String> = self.model.differential.iter().map(|(name, _)| name.clone()).collect();
            let old: Vec<f64> = names.iter().map(|name| self.values[name][synapse]).collect();
            let fixed = vec![false; names.len()];
            let evaluate = |x: &Expr, overlay: &HashMap<String, f64>, ahead: f64| {
                evaluate(x, &SynapseScope { ahead, ..self.between(world, populations, synapse, overlay) })
            };
            let fresh = match &self.scheme {
                Some(scheme) => scheme.step(&self.model, &old, &fixed, world.dt, &evaluate)?,
                None => old,
            };
            names.iter().zip(fresh).for_each(|(name, value)| self.assign(name, synapse, value));
        }
        Ok(())
    }
}

impl Neurons {
    /// Adds to what a variable gets at the end of the step (rule 6.5).
    pub(crate) fn add(&mut self, name: &str, neuron: u32, value: f64) {
        let size = self.size;
        self.pending.entry(name.to_owned()).or_insert_with(|| vec![0.0; size])[neuron as usize] += value;
    }
}
