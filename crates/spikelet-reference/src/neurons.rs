//! Populations: their state, and what a step does with it.

use std::collections::{BTreeMap, HashMap};

use indexmap::IndexMap;
use spikelet::rng::noise_bits;
use spikelet_lang::host;
use spikelet_lang::syntax::{AssignKind, BinaryOp, Declared, Expr, Statement};
use spikelet_network::WinnerRule;

use crate::expression::{Scope, evaluate, from, uniform, white_noise};
use crate::integrate::Scheme;
use crate::text::Model;
use crate::{Error, World};

/// Steps since the last spike of a neuron that has not fired (rule 3.8).
const LONG_AGO: u32 = 1 << 24;

/// What fires without an equation.
pub(crate) enum Firing {
    /// By its threshold.
    Threshold,
    /// In these steps.
    List(BTreeMap<u32, Vec<u32>>),
    /// In the step after an event of a population (rule 5.8).
    Event(usize, String),
}

/// A population, or a source.
pub(crate) struct Neurons {
    pub(crate) name: String,
    /// The number of its first neuron in the network.
    pub(crate) first: u32,
    pub(crate) size: usize,
    pub(crate) model: Model,
    pub(crate) scheme: Option<Scheme>,
    pub(crate) firing: Firing,
    /// Variables and parameters, one value for each neuron.
    pub(crate) values: IndexMap<String, Vec<f64>>,
    /// The step of the last spike.
    pub(crate) last: Vec<Option<u32>>,
    /// Whether a neuron is refractory since the start of the step (rule 2.3).
    pub(crate) resting: Vec<bool>,
    /// Whether it is from its spike on, if it fires in this step (rule 2.8).
    pub(crate) rests_at_spike: Vec<bool>,
    /// What events of this step add, by variable.
    pub(crate) pending: IndexMap<String, Vec<f64>>,
    pub(crate) winners: Option<WinnerRule>,
    pub(crate) group: Option<String>,
}

/// A neuron as its expressions see it, `ahead` steps from the start of the step.
pub(crate) struct NeuronScope<'a> {
    pub(crate) world: &'a World,
    pub(crate) of: &'a Neurons,
    pub(crate) neuron: usize,
    pub(crate) ahead: f64,
    /// Local names, and other values of variables.
    pub(crate) overlay: &'a HashMap<String, f64>,
    pub(crate) refractory: bool,
}

impl Scope for NeuronScope<'_> {
    fn name(&self, name: &str) -> Result<Option<f64>, Error> {
        let NeuronScope { world, of, neuron, .. } = self;
        if let Some(value) = self.overlay.get(name) {
            return Ok(Some(*value));
        }
        if let Some(values) = of.values.get(name) {
            return Ok(Some(values[*neuron]));
        }
        if let Some(definition) = of.model.definitions.get(name) {
            let value = evaluate(&definition.value, self)?;
            return Ok(Some(if definition.declared == Declared::Boolean { from(value != 0.0) } else { value }));
        }
        let t = world.time() + self.ahead * world.dt;
        Ok(Some(match name {
            "t" => t,
            "dt" => world.dt,
            "i" => *neuron as f64,
            "N" => of.size as f64,
            "not_refractory" => from(!self.refractory),
            "lastspike" => match of.last[*neuron] {
                Some(step) => f64::from(step) * world.dt,
                None => t - f64::from(LONG_AGO) * world.dt,
            },
            _ => return Ok(None),
        }))
    }

    fn call(&self, name: &str, arguments: &[f64]) -> Result<Option<f64>, Error> {
        if name == "xi" {
            return Ok(Some(white_noise(self.words(arguments[0] as u32), self.world.dt)));
        }
        let Some(table) = self.of.model.tables.get(name) else { return self.world.function(name, arguments) };
        // The last row lasts for ever; a time on the border of two rows is in the later one (rules 1.6 and 8.8).
        let row = libm::floor(arguments[0] / table.row_ms + 1e-4).clamp(0.0, (table.rows.len() - 1) as f64);
        let (row, column) = (&table.rows[row as usize], arguments.get(1).copied().unwrap_or(0.0));
        let entry = row.get(column as usize).filter(|_| column >= 0.0 && column == libm::floor(column));
        let wrong = || Error::Run(format!("{name}(t, {column}): there are columns 0 to {}", row.len() - 1));
        entry.copied().map(Some).ok_or_else(wrong)
    }

    fn words(&self, site: u32) -> [u32; 2] {
        // What happens at the end of a step draws as the next one (rule 10.3).
        let World { seed, trial, .. } = *self.world;
        let step = self.world.step + u32::from(self.world.is_ending);
        noise_bits(seed, site, [step, self.of.first + self.neuron as u32, trial])
    }

    fn is_time(&self, name: &str) -> bool {
        self.of.model.is_time(name)
    }
}

impl Neurons {
    /// A neuron, as it is seen this part of a step from now.
    pub(crate) fn here<'a>(
        &'a self,
        world: &'a World,
        neuron: usize,
        ahead: f64,
        overlay: &'a HashMap<String, f64>,
    ) -> NeuronScope<'a> {
        NeuronScope { world, of: self, neuron, ahead, overlay, refractory: false }
    }

    /// Whether a neuron is refractory (rules 5.2 to 5.4), as found at the start of the step, or since its spike if it fired in the step.
    /// `since` are the steps since its last spike.
    pub(crate) fn is_refractory(&self, neuron: usize, since: Option<u32>) -> bool {
        self.resting[neuron] || since == Some(0) && self.rests_at_spike[neuron]
    }

    /// The refractory time in steps (rule 1.3), or 1 and 0 for a condition that is true or false, with these values that are constant over dt
    /// (rule 3.3).
    fn refractory_steps(
        &self,
        world: &World,
        neuron: usize,
        refractory: bool,
        held: &HashMap<String, f64>,
    ) -> Result<f64, Error> {
        let Some(rule) = &self.model.refractory else { return Ok(0.0) };
        let value = evaluate(rule, &NeuronScope { refractory, ..self.here(world, neuron, 0.0, held) })?;
        Ok(if self.rests_by_condition() { f64::from(u8::from(value != 0.0)) } else { libm::floor(value / world.dt + 0.001) })
    }

    /// Whether `refractory` is a condition.
    fn rests_by_condition(&self) -> bool {
        self.model.refractory.as_ref().is_some_and(|rule| self.model.is_condition(rule))
    }

    /// Steps from the last spike to a step.
    pub(crate) fn since(&self, neuron: usize, step: u32) -> Option<u32> {
        self.last[neuron].map(|last| step - last)
    }

    /// Gives a variable a value of its type (rules 8.2 and 8.3).
    pub(crate) fn assign(&mut self, name: &str, neuron: usize, value: f64) {
        let declared = self.model.variables.get(name).map(|of| of.declared);
        if let Some(values) = self.values.get_mut(name) {
            values[neuron] = typed(declared.unwrap_or_default(), value);
        }
    }

    /// Executes statements in order; each sees what those before it have done. Those of regular times leave what is `unless refractory` as it is
    /// in a neuron that `rests`.
    fn execute(
        &mut self,
        world: &World,
        neuron: usize,
        statements: &[Statement],
        (refractory, guarded): (bool, bool),
        mut overlay: HashMap<String, f64>,
    ) -> Result<(), Error> {
        for Statement { target, kind, value, .. } in statements {
            let here = NeuronScope { refractory, ..self.here(world, neuron, 0.0, &overlay) };
            let value = evaluate(value, &here)?;
            let value = match kind {
                AssignKind::Change(BinaryOp::Subtract) => here.known(target)? - value,
                AssignKind::Change(_) => here.known(target)? + value,
                AssignKind::Set => value,
            };
            if !self.model.variables.contains_key(target) {
                overlay.insert(target.clone(), value);
            } else if !(guarded && refractory && self.model.has(target, "unless refractory")) {
                self.assign(target, neuron, value);
            }
        }
        Ok(())
    }

    /// The start of a step: statements at regular times, then refractory conditions and values that are constant over the step (rules 2.2 and 2.3).
    pub(crate) fn begin(&mut self, world: &World) -> Result<(), Error> {
        for neuron in 0..self.size {
            // As at the end of the step before (rule 5.4).
            let since = self.since(neuron, world.step).map(|since| since - 1);
            let was_refractory = self.is_refractory(neuron, since);
            let held = self.held(world, neuron, was_refractory)?;
            let regular = std::mem::take(&mut self.model.regular);
            for (interval, statements) in &regular {
                if world.is_due(*interval) {
                    self.execute(world, neuron, statements, (was_refractory, true), held.clone())?;
                }
            }
            self.model.regular = regular;
            let held = self.held(world, neuron, was_refractory)?;
            let steps = self.refractory_steps(world, neuron, was_refractory, &held)?;
            self.resting[neuron] = match self.rests_by_condition() {
                true => was_refractory && steps != 0.0,
                false => self.since(neuron, world.step).is_some_and(|since| f64::from(since) < steps),
            };
            let refractory = self.is_refractory(neuron, self.since(neuron, world.step));
            for (name, value) in self.held(world, neuron, refractory)? {
                self.values[&name][neuron] = value;
            }
        }
        Ok(())
    }

    /// The end of a step: input, resets, and statements of events (rules 2.11 to 2.13).
    pub(crate) fn end(&mut self, world: &World) -> Result<(), Error> {
        let arrived = std::mem::take(&mut self.pending);
        for neuron in 0..self.size {
            let refractory = self.is_refractory(neuron, self.since(neuron, world.step));
            for (name, sums) in &arrived {
                self.gain(name, neuron, sums[neuron], refractory);
            }
            for input in 0..self.model.inputs.len() {
                let (name, amount) = self.poisson_input(world, input, neuron)?;
                self.gain(&name, neuron, amount, refractory);
            }
            let statements = std::mem::take(&mut self.model.reset);
            if self.since(neuron, world.step) == Some(0) {
                self.execute(world, neuron, &statements, (refractory, false), HashMap::new())?;
            }
            self.model.reset = statements;
            let events = std::mem::take(&mut self.model.events);
            for event in &events {
                if self.values[&event.name][neuron] != 0.0 {
                    self.execute(world, neuron, &event.statements, (refractory, false), HashMap::new())?;
                }
            }
            self.model.events = events;
        }
        Ok(())
    }

    /// Adds input to a variable, unless that is `unless refractory` and the neuron is (rule 5.5).
    fn gain(&mut self, name: &str, neuron: usize, amount: f64, refractory: bool) {
        if !(refractory && self.model.has(name, "unless refractory")) {
            let value = self.values[name][neuron] + amount;
            self.assign(name, neuron, value);
        }
    }

    /// What many Poisson processes add (rule 5.10).
    fn poisson_input(&self, world: &World, input: usize, neuron: usize) -> Result<(String, f64), Error> {
        let (input, none) = (&self.model.inputs[input], HashMap::new());
        let here = self.here(world, neuron, 0.0, &none);
        let [number, rate, weight] = [&input.number, &input.rate, &input.weight].map(|of| evaluate(of, &here));
        let uniform = uniform(here.words(input.site));
        let is_target = input.slices.iter().any(|[start, end]| (*start..*end).contains(&(neuron as u32)));
        let count = if is_target { host::binomial(number?, rate? * world.dt, uniform) } else { 0.0 };
        Ok((input.variable.clone(), weight? * count))
    }

    /// The subexpressions that are constant over dt, each after those it needs.
    fn held(&self, world: &World, neuron: usize, refractory: bool) -> Result<HashMap<String, f64>, Error> {
        let mut held = HashMap::new();
        for (name, definition) in self.model.held() {
            let here = NeuronScope { refractory, ..self.here(world, neuron, 0.0, &held) };
            let value = typed(definition.declared, evaluate(&definition.value, &here)?);
            held.insert(name.clone(), value);
        }
        Ok(held)
    }

    /// Integrates to the end of the step, and tests the threshold (rules 2.7, 2.8 and 5.1): the neurons above it, with the values by which they are
    /// compared.
    pub(crate) fn integrate(&mut self, world: &World) -> Result<Vec<(u32, f32)>, Error> {
        let (none, mut crossings) = (HashMap::new(), Vec::new());
        for neuron in 0..self.size {
            let refractory = self.is_refractory(neuron, self.since(neuron, world.step));
            let here = |overlay: &HashMap<String, f64>, ahead: f64, x: &Expr| {
                evaluate(x, &NeuronScope { refractory, ..self.here(world, neuron, ahead, overlay) })
            };
            if let Some(scheme) = &self.scheme {
                let names: Vec<String> = self.model.differential.iter().map(|(name, _)| name.clone()).collect();
                let old: Vec<f64> = names.iter().map(|name| self.values[name][neuron]).collect();
                let fixed: Vec<bool> = names.iter().map(|name| refractory && self.model.has(name, "unless refractory")).collect();
                let fresh = scheme.step(&self.model, &old, &fixed, world.dt, &|x, overlay, ahead| here(overlay, ahead, x))?;
                names.iter().zip(fresh).for_each(|(name, value)| self.values[name][neuron] = value);
            }
            let update = std::mem::take(&mut self.model.update);
            self.execute(world, neuron, &update, (refractory, false), HashMap::new())?;
            self.model.update = update;
            // A neuron that fires is refractory at once: always by a condition, by a time if it is at least a step.
            self.rests_at_spike[neuron] = self.model.refractory.is_some()
                && (self.rests_by_condition() || self.refractory_steps(world, neuron, refractory, &none)? >= 1.0);
            let here = NeuronScope { refractory, ..self.here(world, neuron, 0.0, &none) };
            let above = match &self.model.threshold {
                Some(threshold) => evaluate(threshold, &here)? != 0.0,
                None => self.winners.is_some(),
            };
            let score = self.model.score.as_ref().map_or(Ok(0.0), |score| evaluate(score, &here))?;
            if above && !refractory {
                crossings.push((neuron as u32, score as f32));
            }
            // No condition sees the event of another one.
            let happens = self.model.events.iter().map(|event| Ok((event.name.clone(), evaluate(&event.condition, &here)?)));
            for (name, happens) in happens.collect::<Result<Vec<(String, f64)>, Error>>()? {
                self.assign(&name, neuron, happens);
            }
        }
        Ok(match &self.firing {
            Firing::Threshold => crossings,
            Firing::List(steps) => steps.get(&world.step).into_iter().flatten().map(|neuron| (*neuron, 0.0)).collect(),
            Firing::Event(..) => Vec::new(),
        })
    }

    /// Of the neurons above threshold those that fire (rule 5.6): the largest, of equal values the first.
    pub(crate) fn select(&self, mut crossings: Vec<(u32, f32)>) -> Result<Vec<(u32, f32)>, Error> {
        if self.winners.is_some() && crossings.iter().any(|(_, value)| value.is_nan()) {
            return Err(Error::Run(format!("{}: a value that is compared is not a number", self.name)));
        }
        crossings.sort_by(|(a, x), (b, y)| y.partial_cmp(x).unwrap_or(std::cmp::Ordering::Equal).then(a.cmp(b)));
        match self.winners {
            Some(WinnerRule::Largest(count)) => crossings.truncate(count as usize),
            Some(WinnerRule::Within(factor)) => {
                let most = crossings.first().map_or(0.0, |(_, value)| *value);
                crossings.retain(|(_, value)| most > 0.0 && *value >= most * factor);
            }
            None => {}
        }
        crossings.sort_by_key(|(neuron, _)| *neuron);
        Ok(crossings)
    }
}

impl NeuronScope<'_> {
    /// The value of a name that must have one.
    pub(crate) fn known(&self, name: &str) -> Result<f64, Error> {
        self.name(name)?.ok_or_else(|| Error::Name(name.into()))
    }
}

/// A value of a type: whole numbers are cut off towards zero, what is not 0 is true.
pub(crate) fn typed(declared: Declared, value: f64) -> f64 {
    match declared {
        Declared::Float => value,
        Declared::Integer => libm::trunc(value),
        Declared::Boolean => from(value != 0.0),
    }
}
