//! Values of projections, and what follows from them where synapses have a state.

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;
use spikelet_lang::check::COUNTS;
use spikelet_lang::model::{End, Read, Role, SynapseModel, Target};
use spikelet_lang::program::{Given, Lane};
use spikelet_lang::term::{Symbol, Term, linear};
use spikelet_lang::{of_low_word, slow};

use super::{Feeds, Object, ParameterBinding};
use crate::network::Delays;
use crate::plan::arrays::{ArrayEntry, Arrays, Owner};
use crate::plan::bounds::{EventBounds, check_bounds, usual_bound};
use crate::plan::clocks::Clocks;
use crate::plan::drawn::Drawn;
use crate::plan::edges::Undrawn;
use crate::plan::population::check_time_constants;
use crate::plan::scales::is_lost;
use crate::plan::stateful::first_event;
use crate::plan::values::{Named, Values};
use crate::plan::{Plan, PopulationPlan, ProjectionPlan};
use crate::{Projection, Quantity};

/// What values of a projection are evaluated with.
#[derive(Clone)]
pub(in crate::plan) struct SynapseValues {
    path: String,
    pre: usize,
    pub(super) post: usize,
    pub(super) model: Arc<SynapseModel>,
    /// Those that are the same for all; of all others the least and the largest.
    pub(super) values: Named,
    pub(super) bounds: EventBounds,
    /// Names that may be set, and whether more follows from them than the program's rules.
    settable: Arc<IndexMap<String, bool>>,
}

impl SynapseValues {
    /// Those of a projection that is drawn.
    pub(in crate::plan) fn new(index: usize, drawn: &Drawn, projection: &Projection) -> SynapseValues {
        let checked = &drawn.checked;
        let model = Arc::new(checked.model.clone());
        let values = drawn.values.0.iter().map(|(name, (dimension, values))| (name.clone(), (*dimension, values.extremes())));
        let values = Named(values.collect());
        let mut settable = IndexMap::new();
        let quantities = || checked.parameters.iter().chain(&checked.initial);
        let wiring = serde_json::to_string(&projection.connect).unwrap_or_default();
        for (name, _) in quantities() {
            let is_uniform = values.0.get(name).is_some_and(|(_, values)| values.is_uniform());
            let is_followed = match model.variable(name).map(|at| &model.variables[at]) {
                // It is an array of its own, whatever its values are.
                Some(variable) if variable.written => variable.plastic,
                Some(variable) => is_uniform && variable.role != Role::Local,
                None => is_uniform && model.constants.iter().any(|constant| constant.name == *name),
            };
            if is_followed {
                let mentions = |quantity: &Quantity| quantity.expression().is_some_and(|of| of.mentions(name));
                let of_others = quantities().any(|(other, quantity)| other != name && mentions(quantity));
                let of_delays = [Some(&projection.delay_ms), projection.delay_post_ms.as_ref()].into_iter().flatten();
                let of_delays = of_delays.flat_map(each).any(mentions);
                // A model's own initial value stands before a parameter.
                let of_model = checked.initial.contains_key(name) && !projection.initial.contains_key(name);
                let anew = of_others || of_delays || of_model || wiring.contains(name.as_str());
                settable.insert(name.clone(), anew);
            }
        }
        let bounds = EventBounds::of_values(&model, &values);
        let (path, settable) = (format!("projections[{index}]"), Arc::new(settable));
        SynapseValues { path, pre: checked.pre, post: checked.post, model, values, bounds, settable }
    }

    /// Whether synapses read a value of a population's neurons.
    pub(super) fn reads(&self, population: usize, name: &str) -> bool {
        let at = |end: End| if end == End::Pre { self.pre } else { self.post };
        self.model.reads.iter().any(|read| read.name == name && at(read.end) == population)
    }

    /// Names that may be given one value for all synapses.
    pub(super) fn settable(&self) -> impl Iterator<Item = &str> {
        self.settable.keys().map(String::as_str)
    }

    /// Whether more follows from a name than the program's rules, or than weights.
    pub(super) fn is_anew(&self, name: &str) -> bool {
        self.settable.get(name).is_none_or(|more| *more)
    }

    /// Whether a symbol is that of a name.
    fn is_called(&self, symbol: Symbol, name: &str) -> bool {
        match symbol {
            Symbol::Variable(variable) => self.model.variables[variable].name == name,
            Symbol::Constant(constant) => self.model.constants[constant].name == name,
            _ => false,
        }
    }

    /// What a name feeds.
    pub(super) fn binding(&self, plan: &ProjectionPlan, projection: usize, name: &str, arrays: &Arrays) -> ParameterBinding {
        let of = Object::Projection(projection);
        let Some(state) = &plan.state else {
            return self.binding_of_weights(plan, projection, name, arrays);
        };
        let is_it = |symbol: Symbol| self.is_called(symbol, name);
        let feeds = Feeds { rules: &state.program.rules, is_it: &is_it };
        let constants = arrays.of(Owner::Projection { projection }, ArrayEntry::CONSTANTS).filter(|_| feeds.constants());
        let own = state.array(name).and_then(|array| arrays.of(Owner::Synapses { projection }, array));
        let mut rates = self.model.equations.iter().chain(&self.model.event_driven);
        let anew = self.is_anew(name)
            || feeds.derived().next().is_some()
            || self.sizes_events(&feeds) && !self.has_one_event(name)
            || rates.any(|(variable, rate)| feeds.term(rate) && !self.has_one_speed(*variable, rate));
        ParameterBinding { arrays: constants.into_iter().chain(own).collect(), clocks: feeds.clocks(), initial: false, anew, of }
    }

    /// Whether the first events of synapses are as large as a name makes them.
    fn sizes_events(&self, feeds: &Feeds<'_>) -> bool {
        self.model.pathways.iter().any(|pathway| {
            let adds = pathway.statements.iter().rposition(|write| matches!(write.target, Target::Add(_)));
            pathway.statements[..adds.map_or(0, |last| last + 1)].iter().any(|write| feeds.term(&write.value))
        })
    }

    /// Whether the first events of all synapses are the same once a name is the same for all.
    fn has_one_event(&self, name: &str) -> bool {
        let is_uniform = |other: &str| other == name || self.values.0.get(other).is_some_and(|(_, of)| of.is_uniform());
        let differs = |symbol: Option<Symbol>| match symbol {
            Some(Symbol::Variable(at)) => {
                self.model.variables[at].role != Role::Local && !is_uniform(&self.model.variables[at].name)
            }
            Some(Symbol::Constant(at)) => !is_uniform(&self.model.constants[at].name),
            Some(Symbol::Dt | Symbol::Size) => false,
            _ => true,
        };
        !self.model.pathways.iter().flat_map(|pathway| &pathway.statements).any(|write| write.value.any(differs))
    }

    /// Whether a port loses the first events, which are the same in all synapses.
    fn loses_events(&self, post: &PopulationPlan, variable: usize, name: &str) -> bool {
        let adds = |target: &Target| *target == Target::Add(variable);
        let event = first_event(&self.model, &|name| self.values.first(name), &|_, _| f64::NAN, [0; 2], &adds);
        let port = [false, true].into_iter().find_map(|wide| post.port(name, wide)).map(|port| &post.ports[port]);
        port.is_some_and(|port| is_lost(event, if port.wide { port.fine_shift } else { port.shift }))
    }

    /// Whether the speed of a variable is the same in all synapses, so that it can be told without looking at each.
    fn has_one_speed(&self, variable: usize, rate: &Term) -> bool {
        let is_uniform = |at: usize| self.values.0.get(&self.model.variables[at].name).is_some_and(|(_, of)| of.is_uniform());
        let differs = rate.any(|symbol| match symbol {
            Some(Symbol::Variable(at)) => at != variable && (self.model.variables[at].written || !is_uniform(at)),
            Some(Symbol::Constant(_) | Symbol::Dt | Symbol::Size) => false,
            _ => true,
        });
        !differs && (is_uniform(variable) || linear(rate, variable).is_some())
    }

    /// The synapses with another value of a name, where it is a plain one and all that is checked still holds.
    pub(super) fn with(&self, name: &str, projection: &Projection, dt: f64) -> Option<SynapseValues> {
        let undrawn = Undrawn { dt, projection, spaces: None };
        let quantity = projection.initial.get(name).or_else(|| projection.parameters.get(name))?;
        let value = self.values.plain(name, quantity, self.model.variable(name).is_some(), &undrawn)?;
        let mut synapses = self.clone();
        synapses.values.0.get_mut(name)?.1 = Values::Uniform(value);
        check_time_constants(&self.path, &self.model.time_constants(), &synapses.values, "synapse").ok()?;
        check_bounds(&self.path, &self.model, &synapses.values).ok()?;
        synapses.bounds = EventBounds::of_values(&self.model, &synapses.values);
        Some(synapses)
    }

    /// The projection with the value that a name has by now, in a plan that has those that were `before`; nothing where scales may be others.
    pub(super) fn evaluated(
        &self,
        old: &ProjectionPlan,
        whole: &Plan,
        name: &str,
        before: &SynapseValues,
    ) -> Option<ProjectionPlan> {
        let usual = |of: &SynapseValues, variable: usize| {
            usual_bound(&of.model, &of.values, &|target: &Target| *target == Target::Add(variable))
        };
        let statements = self.model.pathways.iter().flat_map(|pathway| &pathway.statements);
        let added = statements.filter_map(|write| if let Target::Add(variable) = write.target { Some(variable) } else { None });
        let added: BTreeSet<usize> = added.collect();
        if self.bounds != before.bounds || added.iter().any(|variable| usual(self, *variable) != usual(before, *variable)) {
            return None;
        }
        let is_it = |symbol: Symbol| self.is_called(symbol, name);
        let feeds = Feeds { rules: &old.state.as_ref()?.program.rules, is_it: &is_it };
        if self.sizes_events(&feeds) {
            let target = |variable: usize| &whole.bindings.neurons[self.post].model.variables[variable].name;
            if added.iter().any(|variable| self.loses_events(&whole.populations[self.post], *variable, target(*variable))) {
                return None;
            }
        }
        let (dt, count) = (whole.dt_ms, old.rows().len());
        let neurons = |end: End| if end == End::Pre { self.pre } else { self.post };
        let value = |symbol: Symbol, _: usize| match symbol {
            Symbol::Variable(variable) => self.values.first(&self.model.variables[variable].name),
            Symbol::Constant(constant) => self.values.first(&self.model.constants[constant].name),
            Symbol::Read(read) => match self.model.reads.get(read) {
                // Those of which there is one for all.
                Some(Read { name, .. }) if COUNTS.contains(&name.as_str()) => {
                    f64::from(whole.populations[if name == "N_pre" { self.pre } else { self.post }].size)
                }
                Some(Read { end, name }) => whole.bindings.neurons[neurons(*end)].values.first(name),
                None => f64::NAN,
            },
            Symbol::Size => count as f64,
            _ => f64::NAN,
        };
        let nothing = |_: usize, _: f64| f64::NAN;
        let mut plan = old.clone();
        let state = plan.state.as_mut()?;
        let elements = slow::Elements { dt, count: 1, symbol: &value, lookup: &nothing };
        let slow = self.model.slow(&elements);
        let is_kept = |name: &String| old.state.as_ref().is_some_and(|state| state.in_two_words().any(|kept| kept == name));
        if !slow.iter().all(is_kept) {
            return None;
        }
        let given = Given { dt, symbol: &|symbol| value(symbol, 0), lookup: &nothing };
        state.constants = state.program.rules.constants(&given).ok()?;
        state.clocks = Clocks::new(&state.program.rules, &|symbol| value(symbol, 0), Vec::new(), Vec::new());
        let (_, own) = self.values.0.get(name)?;
        for array in &mut state.arrays {
            match &state.program.lanes[array.lane] {
                Lane::Own(of) if of == name => array.initial = Arc::new(own.to_f32()),
                Lane::Own(of) if of_low_word(of) == Some(name) => array.initial = Arc::new(own.low_words()),
                _ => {}
            }
        }
        Some(plan)
    }
}

/// The delays of all pathways.
fn each(delays: &Delays) -> Vec<&Quantity> {
    match delays {
        Delays::Same(delay) => vec![delay],
        Delays::Each(delays) => delays.values().collect(),
    }
}

impl Named {
    /// The first value of a name, or the one of all.
    pub(super) fn first(&self, name: &str) -> f64 {
        self.0.get(name).and_then(|(_, values)| values.numbers().first()).copied().unwrap_or(f64::NAN)
    }
}

impl Values {
    /// The least and the largest stand for all that differ.
    fn extremes(&self) -> Values {
        match self {
            Values::Each(values) => {
                let least = values.iter().copied().reduce(f64::min);
                Values::Each(least.into_iter().chain(values.iter().copied().reduce(f64::max)).collect())
            }
            Values::Formula(_) => Values::Formula(None),
            uniform => uniform.clone(),
        }
    }
}
