//! Populations as component types: state variables with their derivatives, sums over what synapses and inputs expose, conditions.

use std::fmt::Write;

use spikelet::lang::NeuronModel;
use spikelet::lang::model::{Refractory, Role, Variable};
use spikelet::lang::term::{self, Symbol, Term};

use super::check;
use super::synapse::Effects;
use super::text::{Unit, constants, expression, identifier, test};
use super::values::{Differing, Part, input_type, parameter, sum, sum_part, to_part, without_role};
use crate::Lack;
use crate::built::Built;

/// A population that is being written.
pub(super) struct Cells<'a> {
    built: &'a Built,
    index: usize,
    model: &'a NeuronModel,
    /// Its name as an identifier.
    pub(super) name: String,
    /// Variables to which events add, and those that are sums over synapses.
    received: Vec<usize>,
    summed: Vec<usize>,
    /// Whether synapses read how many spikes a neuron has had.
    counts: bool,
    /// Values that differ between neurons.
    pub(super) differing: Vec<Differing>,
    rest: Refractoriness,
}

/// When neurons rest after a spike.
enum Refractoriness {
    Never,
    /// For a number of steps, as an expression.
    Steps(String),
    While(Term),
}

/// Where a term is read: while the step is computed, or in a test after it and in what that assigns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Step,
    After,
}

impl<'a> Cells<'a> {
    /// A population, with what its synapses do.
    pub(super) fn new(built: &'a Built, index: usize, effects: Effects) -> Result<Cells<'a>, Lack> {
        let Effects { received, summed, counts } = effects;
        let model = built.plan.model(index);
        let of = &built.plan.populations[index];
        check(model, of.winners.is_some()).map_err(|what| format!("{what}, which {} has", of.name))?;
        let name = identifier(&of.name);
        let mut cells =
            Cells { built, index, model, name, received, summed, counts, differing: Vec::new(), rest: Refractoriness::Never };
        for (variable, declared) in model.variables.iter().enumerate() {
            if declared.role != Role::Declared || cells.summed.contains(&variable) {
                continue;
            }
            let values = cells.values(&term::symbol(Symbol::Variable(variable)));
            if values.windows(2).any(|pair| pair[0] != pair[1]) {
                let role = if declared.written { "start" } else { "value" };
                let part = format!("{role}_{}", identifier(&declared.name));
                cells.differing.push(Differing { part, values });
            }
        }
        cells.rest = cells.rest()?;
        Ok(cells)
    }

    /// The values of a term of constants in all neurons.
    fn values(&self, of: &Term) -> Vec<f64> {
        let size = self.built.plan.populations[self.index].size as usize;
        (0..size).map(|neuron| self.built.plan.exact_term(self.index, of, neuron)).collect()
    }

    fn rest(&mut self) -> Result<Refractoriness, Lack> {
        match &self.model.refractory {
            None => Ok(Refractoriness::Never),
            Some(Refractory::Condition(condition)) => Ok(Refractoriness::While(condition.clone())),
            Some(Refractory::Time(time)) => {
                let dt = self.built.plan.dt_ms;
                let steps: Vec<f64> = self.values(time).iter().map(|ms| (ms / dt + 0.001).floor()).collect();
                if steps.iter().any(|steps| !steps.is_finite()) {
                    return Err(format!("a refractory time that changes, which {} has", self.name));
                }
                if steps.iter().all(|steps| *steps <= 1.0) {
                    return Ok(Refractoriness::Never);
                }
                if steps.windows(2).all(|pair| pair[0] == pair[1]) {
                    return Ok(Refractoriness::Steps(format!("{}", steps[0])));
                }
                self.differing.push(Differing { part: "refractory_steps".into(), values: steps });
                Ok(Refractoriness::Steps("all_refractory_steps".into()))
            }
        }
    }

    /// All that synapses and inputs of the population expose.
    pub(super) fn parts(&self) -> Vec<Part> {
        let to = self.received.iter().map(|variable| to_part(&self.model.variables[*variable].name));
        let sums = self.summed.iter().map(|variable| sum_part(&self.model.variables[*variable].name));
        let values = self.differing.iter().map(|of| of.part.clone());
        to.chain(sums).chain(values).map(|name| Part { name }).collect()
    }

    fn variable(&self, index: usize) -> (&'a Variable, String, Unit) {
        let variable = &self.model.variables[index];
        (variable, identifier(&variable.name), Unit::of(variable.dimension))
    }

    fn differs(&self, part: &str) -> bool {
        self.differing.iter().any(|of| of.part == part)
    }

    /// Whether the present value of a variable is more than its state: what arrived, or the value at the start.
    fn has_more(&self, index: usize) -> bool {
        let (_, name, _) = self.variable(index);
        self.received.contains(&index) || self.differs(&format!("start_{name}"))
    }

    fn read(&self, symbol: Symbol, at: At) -> Result<String, Lack> {
        let lacks = |what: &str| Err(format!("{what} in equations, which {} has", self.name));
        Ok(match symbol {
            Symbol::Variable(index) => {
                let (variable, name, unit) = self.variable(index);
                if variable.event {
                    return lacks("events as variables");
                }
                if self.summed.contains(&index) || !variable.written && self.differs(&format!("value_{name}")) {
                    return Ok(format!("all_{name}"));
                }
                let is_now = at == At::Step && self.has_more(index);
                unit.number(&if is_now { format!("now_{name}") } else { name })
            }
            Symbol::Constant(index) => {
                let constant = &self.model.constants[index];
                Unit::of(constant.dimension).number(&identifier(&constant.name))
            }
            Symbol::Dt => "(STEP/MSEC)".into(),
            // LEMS computes a step with the time of its end, which is a sum of steps: more than its rounding is added, so that tests of times hold in the same step.
            Symbol::Time => "((t - 0.99999*STEP)/MSEC)".into(),
            Symbol::Size => self.built.plan.populations[self.index].size.to_string(),
            Symbol::NotRefractory if matches!(self.rest, Refractoriness::Never) => "1".into(),
            Symbol::NotRefractory => "active".into(),
            Symbol::SinceSpike | Symbol::SinceEvent => return lacks("the time of the last spike"),
            Symbol::Index | Symbol::PostIndex => return lacks("the index of a neuron"),
            Symbol::Read(_) => return lacks("values of other neurons"),
        })
    }

    fn text(&self, term: &Term, at: At) -> Result<String, Lack> {
        expression(term, &|symbol| self.read(symbol, at))
    }

    fn assignments(&self, of: &[(usize, Term)]) -> Result<String, Lack> {
        let mut text = String::new();
        for (index, value) in of {
            let (_, name, unit) = self.variable(*index);
            let value = unit.quantity(&self.text(value, At::After)?);
            text += &format!("        <StateAssignment variable=\"{name}\" value=\"{value}\"/>\n");
        }
        Ok(text)
    }

    /// The variables that a reset sets to a value of its own, whatever has arrived in the step of the spike.
    fn overwritten(&self) -> Vec<usize> {
        let sets = |(index, value): &(usize, Term)| (self.received.contains(index) && !value.mentions(*index)).then_some(*index);
        self.model.reset.iter().filter_map(sets).collect()
    }

    /// The type of its neurons, their component, and the types and components of their inputs.
    pub(super) fn write(&self) -> Result<String, Lack> {
        let (model, name, dt) = (self.model, &self.name, self.built.plan.dt_ms);
        let is_potential = |variable: &Variable| {
            variable.name == "v" && variable.written && Unit::of(variable.dimension).dimension() == "voltage"
        };
        let has_potential = model.variables.iter().any(is_potential);
        let base = if has_potential { "baseCellMembPot" } else { "baseSpikingCell" };
        let (mut given, mut parameters, mut exposures) = (String::new(), String::new(), String::new());
        let (mut states, mut derivatives, mut starts) = (String::new(), String::new(), String::new());
        let mut give = |name: &str, unit: Unit, value: f64| {
            parameters += &parameter(name, unit);
            given += &format!(" {name}=\"{}\"", unit.value(value));
        };
        for (index, constant) in model.constants.iter().enumerate() {
            let value = self.built.plan.exact_term(self.index, &term::symbol(Symbol::Constant(index)), 0);
            give(&identifier(&constant.name), Unit::of(constant.dimension), value);
        }
        let mut derived = String::new();
        for part in self.parts() {
            derived += &sum(&format!("all_{}", without_role(&part.name)), &part.name);
        }
        // Each derived variable is after those that it reads.
        let [rest_states, rest_derived, rest_derivatives] = self.resting()?;
        let is_first = matches!(self.rest, Refractoriness::Steps(_));
        if is_first {
            derived += &rest_derived;
            starts += "        <StateAssignment variable=\"last_spike\" value=\"(0 - 1e9)*MSEC\"/>\n";
        }
        let overwritten = self.overwritten();
        for index in 0..model.variables.len() {
            let (variable, name, unit) = self.variable(index);
            if self.summed.contains(&index) || variable.role == Role::Held || variable.event {
                continue;
            }
            let dimension = unit.dimension();
            if !variable.written && variable.role == Role::Declared {
                if !self.differs(&format!("value_{name}")) {
                    give(&name, unit, self.built.plan.exact_term(self.index, &term::symbol(Symbol::Variable(index)), 0));
                }
                continue;
            }
            let exposure = if variable.role == Role::Declared { format!(" exposure=\"{name}\"") } else { String::new() };
            states += &format!("      <StateVariable name=\"{name}\" dimension=\"{dimension}\"{exposure}/>\n");
            if variable.role != Role::Declared {
                continue;
            }
            if !is_potential(variable) {
                exposures += &format!("    <Exposure name=\"{name}\" dimension=\"{dimension}\"/>\n");
            }
            self.more(index, &overwritten, (&mut states, &mut derived, &mut derivatives))?;
            if !self.differs(&format!("start_{name}")) {
                let value = self.built.plan.exact_term(self.index, &term::symbol(Symbol::Variable(index)), 0);
                let value = unit.quantity(&format!("{value:?}"));
                let _ = writeln!(starts, "        <StateAssignment variable=\"{name}\" value=\"{value}\"/>");
            }
        }
        if !is_first {
            derived += &rest_derived;
        }
        for (index, value) in &model.held {
            let (_, name, unit) = self.variable(*index);
            let value = unit.quantity(&self.text(value, At::Step)?);
            let _ = writeln!(
                derived,
                "      <DerivedVariable name=\"{name}\" dimension=\"{}\" value=\"{value}\"/>",
                unit.dimension()
            );
        }
        if self.differing.iter().any(|of| of.part.starts_with("start_")) {
            states += "      <StateVariable name=\"started\" dimension=\"none\"/>\n";
            derivatives += "      <TimeDerivative variable=\"started\" value=\"(1 - started)/STEP\"/>\n";
        }
        if !overwritten.is_empty() {
            states += "      <StateVariable name=\"fresh\" dimension=\"none\"/>\n";
            derivatives += "      <TimeDerivative variable=\"fresh\" value=\"(0 - fresh)/STEP\"/>\n";
        }
        if self.counts {
            states += "      <StateVariable name=\"spikes\" dimension=\"none\" exposure=\"spikes\"/>\n";
            exposures += "    <Exposure name=\"spikes\" dimension=\"none\"/>\n";
        }
        let conditions = self.conditions(!overwritten.is_empty())?;
        let starts = if starts.is_empty() { starts } else { format!("      <OnStart>\n{starts}      </OnStart>\n") };
        let constants = constants(dt);
        let mut text = format!(
            "  <ComponentType name=\"{name}_type\" extends=\"{base}\">\n{parameters}{constants}{exposures}    \
             <Attachments name=\"synapses\" type=\"basePointCurrent\"/>\n    <Dynamics>\n{states}{rest_states}{derived}\
             {derivatives}{rest_derivatives}{starts}{conditions}    </Dynamics>\n  </ComponentType>\n  <{name}_type id=\"{name}_cell\"{given}/>\n"
        );
        let parts = self.parts();
        for of in &self.differing {
            let input = format!("{}_of_{name}", of.part);
            text += &input_type(&input, &of.part, &parts);
            text += &format!("  <{input} id=\"{input}_input\"/>\n");
        }
        Ok(text)
    }

    /// The derivative of a variable, and what else its value is than its state.
    fn more(
        &self,
        index: usize,
        overwritten: &[usize],
        (states, derived, derivatives): (&mut String, &mut String, &mut String),
    ) -> Result<(), Lack> {
        let (variable, name, unit) = self.variable(index);
        let rests = variable.unless_refractory && !matches!(self.rest, Refractoriness::Never);
        let mut terms = Vec::new();
        if let Some((_, rate)) = self.model.equations.iter().find(|(of, _)| *of == index) {
            let rate = self.text(rate, At::Step)?;
            let rate = if rests { format!("active*({rate})") } else { rate };
            terms.push(format!("{}/MSEC", unit.quantity(&format!("({rate})"))));
        }
        let mut more = Vec::new();
        if self.received.contains(&index) {
            let mut arriving = format!("(all_to_{name} - seen_{name})");
            match &self.rest {
                // What arrives in the last step of rest is lost, too.
                Refractoriness::Steps(steps) if rests => {
                    arriving = format!("H((t - last_spike)/STEP - {steps} - 0.5)*{arriving}");
                }
                Refractoriness::While(_) if rests => {
                    return Err(format!(
                        "events that add to `{name}`, which is held while a condition is true, as {} has it",
                        self.name
                    ));
                }
                _ => {}
            }
            if overwritten.contains(&index) {
                arriving = format!("(1 - fresh)*{arriving}");
            }
            let _ = writeln!(states, "      <StateVariable name=\"seen_{name}\" dimension=\"none\"/>");
            let _ =
                writeln!(derived, "      <DerivedVariable name=\"arriving_{name}\" dimension=\"none\" value=\"{arriving}\"/>");
            let _ = writeln!(
                derivatives,
                "      <TimeDerivative variable=\"seen_{name}\" value=\"(all_to_{name} - seen_{name})/STEP\"/>"
            );
            more.push(format!("arriving_{name}"));
        }
        if self.differs(&format!("start_{name}")) {
            more.push(format!("(1 - started)*all_start_{name}"));
        }
        if !more.is_empty() {
            let more = unit.quantity(&format!("({})", more.join(" + ")));
            let dimension = unit.dimension();
            let _ = writeln!(
                derived,
                "      <DerivedVariable name=\"now_{name}\" dimension=\"{dimension}\" value=\"{name} + {more}\"/>"
            );
            terms.push(format!("{more}/STEP"));
        }
        if !terms.is_empty() {
            let _ = writeln!(derivatives, "      <TimeDerivative variable=\"{name}\" value=\"{}\"/>", terms.join(" + "));
        }
        Ok(())
    }

    /// States, derived variables and derivatives of the time after a spike.
    fn resting(&self) -> Result<[String; 3], Lack> {
        Ok(match &self.rest {
            Refractoriness::Never => Default::default(),
            Refractoriness::Steps(steps) => [
                "      <StateVariable name=\"last_spike\" dimension=\"time\"/>\n".into(),
                format!(
                    "      <DerivedVariable name=\"active\" dimension=\"none\" value=\"H((t - last_spike)/STEP - {steps} + 0.5)\"/>\n"
                ),
                String::new(),
            ],
            Refractoriness::While(condition) => {
                let condition = self.text(condition, At::Step)?;
                [
                    "      <StateVariable name=\"resting\" dimension=\"none\"/>\n".into(),
                    format!("      <DerivedVariable name=\"active\" dimension=\"none\" value=\"1 - resting*{condition}\"/>\n"),
                    "      <TimeDerivative variable=\"resting\" value=\"(1 - active - resting)/STEP\"/>\n".into(),
                ]
            }
        })
    }

    fn conditions(&self, overwrites: bool) -> Result<String, Lack> {
        let mut text = String::new();
        let read = |symbol| self.read(symbol, At::After);
        for event in &self.model.events {
            let condition = test(&event.condition, &read)?;
            text += &format!(
                "      <OnCondition test=\"{condition}\">\n{}      </OnCondition>\n",
                self.assignments(&event.statements)?
            );
        }
        let Some(threshold) = &self.model.threshold else { return Ok(text) };
        let mut condition = test(threshold, &read)?;
        let mut assigned = self.assignments(&self.model.reset)?;
        match &self.rest {
            Refractoriness::Never => {}
            Refractoriness::Steps(_) => assigned += "        <StateAssignment variable=\"last_spike\" value=\"t\"/>\n",
            Refractoriness::While(_) => assigned += "        <StateAssignment variable=\"resting\" value=\"1\"/>\n",
        }
        if !matches!(self.rest, Refractoriness::Never) {
            condition = format!("({condition}) .and. (active .gt. 0.5)");
        }
        if self.counts {
            assigned += "        <StateAssignment variable=\"spikes\" value=\"spikes + 1\"/>\n";
        }
        if overwrites {
            assigned += "        <StateAssignment variable=\"fresh\" value=\"1\"/>\n";
        }
        Ok(text
            + &format!(
                "      <OnCondition test=\"{condition}\">\n{assigned}        <EventOut port=\"spike\"/>\n      </OnCondition>\n"
            ))
    }

    /// Whether its neurons have spikes.
    pub(super) fn fires(&self) -> bool {
        self.model.threshold.is_some()
    }

    /// Names that can be recorded.
    pub(super) fn exposes(&self, name: &str) -> bool {
        let found = self.model.variables.iter().position(|of| of.name == name && of.role == Role::Declared && of.written);
        found.is_some_and(|index| !self.summed.contains(&index))
    }
}
