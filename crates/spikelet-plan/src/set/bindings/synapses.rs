//! Values of projections, and their dependants in synapses with state.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use spikelet_lang::check::COUNTS;
use spikelet_lang::model::{End, NeuronRead, Role, SynapseModel, Target};
use spikelet_lang::program::{EvaluationContext, Propagators, Register};
use spikelet_lang::syntax::parse_equations;
use spikelet_lang::term::{Symbol, Term, linear};
use spikelet_lang::{Dimension, of_low_word, slow};
use spikelet_network::{Delays, Network, Projection, Quantity};

use super::{DependentRules, ParameterBinding, ParameterOwner, ScaleEffect, mentions, with_dependents};
use crate::draw::initial_synapses::first_event;
use crate::draw::realized::RealizedProjection;
use crate::layout::arrays::{ArrayEntry, Arrays, Owner};
use crate::neurons::clocks::Clocks;
use crate::neurons::ends::{EndValues, mentioned};
use crate::neurons::population::check_time_constants;
use crate::pairs::edges::EdgelessContext;
use crate::scale::bounds::{EventBounds, check_bounds, usual_bound};
use crate::scale::scales::FirstEvents;
use crate::values::{NamedValues, Values, in_order};
use crate::{Plan, ProjectionPlan};

/// Context of the evaluation of values of a projection.
#[derive(Clone)]
pub(crate) struct SynapseValues {
    pub(super) path: String,
    pub(super) pre: usize,
    pub(super) post: usize,
    third: Option<usize>,
    pub(super) model: Arc<SynapseModel>,
    /// Those that are the same for all; of all others the minimum and maximum.
    pub(super) values: NamedValues,
    pub(super) bounds: EventBounds,
    /// The first events, by their target variable.
    pub(super) first_events: FirstEvents,
    /// Parameters, then initial values, as they are written.
    quantities: [IndexMap<String, Quantity>; 2],
    /// Dimensions of the declarations.
    declared: Arc<IndexMap<String, Dimension>>,
    /// Names that can be set, and whether connectivity, delays or what is added to presynaptic neurons depend on them.
    settable: Arc<IndexMap<String, bool>>,
    /// Names of neurons whose values at the start its expressions mention.
    mentioned: Arc<HashSet<(End, String)>>,
}

impl SynapseValues {
    /// Those of a projection that is drawn.
    pub(crate) fn new(
        index: usize,
        drawn: &RealizedProjection,
        (first_events, values): (FirstEvents, NamedValues),
        projection: &Projection,
    ) -> SynapseValues {
        let checked = &drawn.checked;
        let model = Arc::new(checked.model.clone());
        let mut settable = IndexMap::new();
        let connectivity = (&projection.connect, &projection.synapses_per_pair, &projection.third);
        let connectivity = serde_json::to_string(&connectivity).unwrap_or_default();
        let names_of_wiring: BTreeSet<&str> =
            connectivity.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
        for (name, _) in checked.parameters.iter().chain(&checked.initial) {
            let is_uniform = values.0.get(name).is_some_and(|(_, values)| values.is_uniform());
            let is_followed = match model.variable(name).map(|at| &model.variables[at]) {
                // It is a separate array, for any values.
                Some(variable) if variable.written => variable.plastic,
                Some(variable) => is_uniform && variable.role != Role::Local,
                None => is_uniform && model.constants.iter().any(|constant| constant.name == *name),
            };
            if is_followed {
                let of_delays = projection.all_delays().flat_map(each).any(|delay| mentions(delay, name));
                let own = IndexSet::from([name.clone()]);
                let mut added = model.to_pre.iter().flat_map(|pathway| &pathway.statements);
                let is_added =
                    added.any(|of| of.value.any(|symbol| symbol.is_some_and(|symbol| is_called(&model, symbol, &own))));
                settable.insert(name.clone(), of_delays || is_added || names_of_wiring.contains(name.as_str()));
            }
        }
        let declared = parse_equations("equations", &checked.equations).unwrap_or_default();
        let declared = declared.into_iter().map(|equation| (equation.name, equation.unit.dimension)).collect();
        SynapseValues {
            path: format!("projections[{index}]"),
            pre: checked.pre,
            post: checked.post,
            third: checked.third,
            bounds: EventBounds::of_values(&model, &values),
            first_events,
            quantities: [checked.parameters.clone(), checked.initial.clone()],
            declared: Arc::new(declared),
            settable: Arc::new(settable),
            mentioned: Arc::new(mentioned(projection)),
            model,
            values,
        }
    }

    /// The population of one of its neurons; `None` for a third one that it does not have.
    fn population(&self, end: End) -> Option<usize> {
        match end {
            End::Pre => Some(self.pre),
            End::Post => Some(self.post),
            End::Third => self.third,
        }
    }

    /// Whether synapses read any of these values of a population's neurons.
    pub(super) fn reads(&self, population: usize, names: &IndexSet<String>) -> bool {
        self.model.reads.iter().any(|read| names.contains(&read.name) && self.population(read.end) == Some(population))
    }

    /// Whether its connectivity or values depend on any of these names of a population's neurons, whose other names with a value are `known`.
    pub(super) fn starts_from(&self, population: usize, names: &IndexSet<String>, known: &NamedValues) -> bool {
        // A subexpression may contain any of them.
        let is_it = |name: &String| names.contains(name) || !known.0.contains_key(name);
        self.mentioned.iter().any(|(end, name)| self.population(*end) == Some(population) && is_it(name))
    }

    /// The value of a constant or variable; `None` if synapses differ in it.
    pub(super) fn common_value(&self, symbol: Symbol) -> Option<f64> {
        let name = match symbol {
            Symbol::Constant(constant) => &self.model.constants[constant].name,
            Symbol::Variable(variable) => &self.model.variables[variable].name,
            _ => return None,
        };
        self.values.0.get(name).filter(|(_, values)| values.is_uniform()).map(|(_, values)| values.at(0))
    }

    /// Names that can have one value for all synapses.
    pub(super) fn settable(&self) -> impl Iterator<Item = &str> {
        self.settable.keys().map(String::as_str)
    }

    /// A name, with all those whose values depend on it.
    pub(super) fn dependents_of(&self, name: &str) -> IndexSet<String> {
        with_dependents(name, self.quantities.iter().flatten())
    }

    /// Whether connectivity or delays depend on any of these names, or values that differ between synapses and are not stored.
    pub(super) fn needs_new_wiring(&self, names: &IndexSet<String>) -> bool {
        names.iter().any(|name| self.settable.get(name).is_none_or(|more| *more))
    }

    /// Whether a symbol belongs to one of these names.
    pub(super) fn is_called(&self, symbol: Symbol, names: &IndexSet<String>) -> bool {
        is_called(&self.model, symbol, names)
    }

    /// Whether a symbol belongs to one of these names of a population's neurons.
    pub(super) fn is_read(&self, symbol: Symbol, population: usize, names: &IndexSet<String>) -> bool {
        let Symbol::Read(read) = symbol else { return false };
        let is_it = |read: &NeuronRead| names.contains(&read.name) && self.population(read.end) == Some(population);
        self.model.reads.get(read).is_some_and(is_it)
    }

    /// The dependants of a name.
    pub(super) fn binding(&self, plan: &ProjectionPlan, projection: usize, name: &str, arrays: &Arrays) -> ParameterBinding {
        let (of, names) = (ParameterOwner::Projection(projection), self.dependents_of(name));
        let Some(state) = &plan.state else {
            return self.binding_of_weights(plan, projection, &names, arrays);
        };
        let is_it = |symbol: Symbol| self.is_called(symbol, &names);
        let feeds = DependentRules { rules: &state.program.rules, is_it: &is_it };
        let constants = arrays.of(Owner::Projection { projection }, ArrayEntry::CONSTANTS).filter(|_| feeds.constants());
        let own = names.iter().filter_map(|name| state.array(name));
        let own = own.filter_map(|array| arrays.of(Owner::Synapses { projection }, array));
        let is_alike = |other: &str| names.contains(other) || self.is_uniform(other);
        let anew = self.needs_new_wiring(&names) || self.needs_each_synapse(&feeds, &is_alike);
        ParameterBinding { arrays: constants.into_iter().chain(own).collect(), clocks: feeds.clocks(), initial: false, anew, of }
    }

    /// Adds to a binding of neurons its dependants in these synapses, which read some of the names of a population.
    pub(super) fn add_to(
        &self,
        binding: &mut ParameterBinding,
        plan: &ProjectionPlan,
        projection: usize,
        (population, names): (usize, &IndexSet<String>),
        arrays: &Arrays,
    ) {
        let Some(state) = &plan.state else { return };
        let is_it = |symbol: Symbol| self.is_read(symbol, population, names);
        let feeds = DependentRules { rules: &state.program.rules, is_it: &is_it };
        let constants = arrays.of(Owner::Projection { projection }, ArrayEntry::CONSTANTS).filter(|_| feeds.constants());
        binding.arrays.extend(constants);
        binding.clocks |= feeds.clocks();
        binding.anew |= self.needs_each_synapse(&feeds, &|name| self.is_uniform(name));
    }

    /// Whether the value of a name uses other names.
    pub(super) fn has_names(&self, name: &str) -> bool {
        let has_names = |quantity: &Quantity| self.values.0.keys().any(|other| mentions(quantity, other));
        self.quantities.iter().filter_map(|of| of.get(name)).any(has_names)
    }

    /// Whether events have the same size as those of the same synapses with other values.
    pub(super) fn adds_as(&self, other: &SynapseValues) -> bool {
        let usual = |of: &SynapseValues, variable: usize| {
            usual_bound(&of.model, &of.values, &|target: &Target| *target == Target::Add(variable))
        };
        let is_usual = |variable: usize| usual(self, variable) == usual(other, variable);
        self.bounds == other.bounds && self.first_events == other.first_events && self.first_events.variables().all(is_usual)
    }

    fn is_uniform(&self, name: &str) -> bool {
        self.values.0.get(name).is_some_and(|(_, of)| of.is_uniform())
    }

    /// Whether the dependants can only be determined from each synapse, of which these names are the same for all.
    pub(super) fn needs_each_synapse(&self, feeds: &DependentRules<'_>, is_alike: &dyn Fn(&str) -> bool) -> bool {
        let mut rates = self.model.equations.iter().chain(&self.model.event_driven);
        feeds.derived().next().is_some()
            || self.sizes_events(feeds) && !self.has_one_event(is_alike)
            || rates.any(|(variable, rate)| feeds.term(rate) && !self.has_one_speed(*variable, rate, is_alike))
    }

    /// Whether the size of the first events depends on a name.
    fn sizes_events(&self, feeds: &DependentRules<'_>) -> bool {
        self.model.pathways.iter().any(|pathway| {
            let adds = pathway.statements.iter().rposition(|write| matches!(write.target, Target::Add(_)));
            pathway.statements[..adds.map_or(0, |last| last + 1)].iter().any(|write| feeds.term(&write.value))
        })
    }

    /// Whether the first events of all synapses are the same.
    fn has_one_event(&self, is_alike: &dyn Fn(&str) -> bool) -> bool {
        let differs = |symbol: Option<Symbol>| match symbol {
            Some(Symbol::Variable(at)) => {
                self.model.variables[at].role != Role::Local && !is_alike(&self.model.variables[at].name)
            }
            Some(Symbol::Constant(at)) => !is_alike(&self.model.constants[at].name),
            Some(Symbol::Dt | Symbol::Size) => false,
            _ => true,
        };
        !self.model.pathways.iter().flat_map(|pathway| &pathway.statements).any(|write| write.value.any(differs))
    }

    /// Whether the speed of a variable is the same in all synapses, so that one evaluation is sufficient.
    fn has_one_speed(&self, variable: usize, rate: &Term, is_alike: &dyn Fn(&str) -> bool) -> bool {
        let is_alike = |at: usize| is_alike(&self.model.variables[at].name);
        let differs = rate.any(|symbol| match symbol {
            Some(Symbol::Variable(at)) => at != variable && (self.model.variables[at].written || !is_alike(at)),
            Some(Symbol::Constant(_) | Symbol::Dt | Symbol::Size) => false,
            _ => true,
        });
        !differs && (is_alike(variable) || linear(rate, variable).is_some())
    }

    /// The synapses with the current value of a name of a projection, if it is the same for all and all checks still pass.
    pub(super) fn with(&self, name: &str, projection: &Projection, dt: f64) -> Option<SynapseValues> {
        let quantity = projection.initial.get(name).or_else(|| projection.parameters.get(name))?;
        let mut synapses = self.clone();
        let place = usize::from(self.quantities[1].contains_key(name));
        synapses.quantities[place].insert(name.to_owned(), quantity.clone());
        let names = synapses.dependents_of(name);
        if synapses.needs_new_wiring(&names) {
            return None;
        }
        let edgeless = EdgelessContext { dt, projection, ends: EndValues::default() };
        let quantities: Vec<(&String, &Quantity)> = synapses.quantities.iter().flatten().collect();
        for place in in_order(quantities.iter().copied()).ok()? {
            let (name, quantity) = quantities[place];
            if names.contains(name) {
                let value = synapses.uniform(name, quantity, &edgeless)?;
                synapses.values.0.get_mut(name)?.1 = Values::Uniform(value);
            }
        }
        check_time_constants(&self.path, &self.model.time_constants(), &synapses.values, "synapse").ok()?;
        check_bounds(&self.path, &self.model, &synapses.values).ok()?;
        synapses.bounds = EventBounds::of_values(&self.model, &synapses.values);
        Some(synapses)
    }

    /// The value of a name given by a quantity, if it is the same for all and the model does not change.
    fn uniform(&self, name: &str, quantity: &Quantity, edgeless: &EdgelessContext<'_>) -> Option<f64> {
        let (dimension, _) = self.values.0.get(name)?;
        let wanted = self.declared.get(name).copied();
        // An expression is assumed to differ between synapses, unless the equations declare it.
        let is_variable = self.model.variable(name).is_some();
        if wanted.is_none() && is_variable != matches!(quantity, Quantity::Expr(_)) {
            return None;
        }
        // The number of synapses, and the previous value, are not known here.
        if mentions(quantity, "N") || mentions(quantity, name) {
            return None;
        }
        let mut values = self.values.clone();
        values.set(name, quantity, wanted, edgeless, 0).ok()?;
        match values.0.swap_remove(name)? {
            (of, Values::Uniform(value)) if of == *dimension => Some(value),
            _ => None,
        }
    }

    /// The projection with the current values of its names, for synapses with state; `is_it` selects the symbols with new ones.
    pub(super) fn evaluated(
        &mut self,
        index: usize,
        whole: &Plan,
        names: &IndexSet<String>,
        is_it: &dyn Fn(Symbol) -> bool,
        (network, scaling): (&Network, ScaleEffect),
    ) -> Option<ProjectionPlan> {
        let old = &*whole.projections[index];
        let feeds = DependentRules { rules: &old.state.as_ref()?.program.rules, is_it };
        if self.needs_each_synapse(&feeds, &|name| self.is_uniform(name)) {
            return None;
        }
        if old.synapses() > 0 && self.sizes_events(&feeds) {
            let (model, values) = (&self.model, &self.values);
            let event = |variable: usize| {
                let adds = |target: &Target| *target == Target::Add(variable);
                first_event(
                    model,
                    &|name| values.0.get(name).map_or(0.0, |_| values.first(name)),
                    &|_, _| f64::NAN,
                    [0; 2],
                    &adds,
                )
            };
            self.first_events.set_all(event);
        }
        let (dt, count) = (whole.dt_ms, old.rows().len());
        let value = |symbol: Symbol, _: usize| match symbol {
            Symbol::Variable(variable) => self.values.first(&self.model.variables[variable].name),
            Symbol::Constant(constant) => self.values.first(&self.model.constants[constant].name),
            Symbol::Read(read) => match self.model.reads.get(read) {
                // Those with one value for all.
                Some(NeuronRead { name, .. }) if COUNTS.contains(&name.as_str()) => {
                    let end = End::ALL.into_iter().find(|end| name.strip_prefix("N_") == Some(end.name()));
                    let population = end.and_then(|end| self.population(end)).unwrap_or(self.post);
                    f64::from(whole.populations[population].size)
                }
                Some(NeuronRead { end, name }) => {
                    self.population(*end).map_or(f64::NAN, |of| whole.bindings.neurons[of].values.first(name))
                }
                None => f64::NAN,
            },
            Symbol::Size => count as f64,
            _ => f64::NAN,
        };
        let nothing = |_: usize, _: f64| f64::NAN;
        let elements = slow::InitialState { dt, count: 1, symbol: &value, lookup: &nothing };
        let kept = old.state.iter().flat_map(|state| state.in_two_words()).collect();
        scaling.keeps_precision(&self.model.slow(&elements), &kept, network)?;
        let mut plan = old.clone();
        let state = plan.state.as_mut()?;
        let given = EvaluationContext { dt, symbol: &|symbol| value(symbol, 0), lookup: &nothing };
        state.constants = state.program.rules.constants(&given).ok()?;
        if let Some(exact) = &mut state.exact {
            let rules = &state.program.rules;
            exact.constants = rules.unrounded(&rules.constants, &given, &mut Propagators::default()).collect();
        }
        state.clocks = Clocks::new(&state.program.rules, &|symbol| value(symbol, 0), Vec::new(), Vec::new());
        for (index, array) in state.arrays.iter_mut().enumerate() {
            if let Register::Own(lane) = &state.program.registers[array.register] {
                let low = of_low_word(lane);
                if let Some((_, own)) = names.get(low.unwrap_or(lane)).and_then(|name| self.values.0.get(name)) {
                    array.set_initial(if low.is_some() { own.low_words() } else { own.to_f32() });
                    if array.half && array.initial.iter().any(|value| value.is_infinite()) {
                        return None;
                    }
                    if let (Some(exact), None) = (&mut state.exact, low) {
                        exact.arrays[index] = Arc::new(own.numbers().to_vec());
                    }
                }
            }
        }
        Some(plan)
    }
}

fn is_called(model: &SynapseModel, symbol: Symbol, names: &IndexSet<String>) -> bool {
    match symbol {
        Symbol::Variable(variable) => names.contains(&model.variables[variable].name),
        Symbol::Constant(constant) => names.contains(&model.constants[constant].name),
        _ => false,
    }
}

/// The delays of all pathways.
fn each(delays: &Delays) -> Vec<&Quantity> {
    match delays {
        Delays::Same(delay) => vec![delay],
        Delays::Each(delays) => delays.values().collect(),
    }
}

impl NamedValues {
    /// The first value of a name, or the common one.
    pub(super) fn first(&self, name: &str) -> f64 {
        self.0.get(name).and_then(|(_, values)| values.numbers().first()).copied().unwrap_or(f64::NAN)
    }
}
