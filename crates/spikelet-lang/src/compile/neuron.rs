//! Neuron models → programs.

use std::collections::{HashMap, HashSet};

use super::{COLUMN, MISSING, REFRACTORY, SCORE, STEP, assign, first_entries, is_due, low_word, places, refractory_steps};
use crate::diagnostic::{Diagnostic, Kind, Span};
use crate::integrate::Equations;
use crate::ir::{Code, Op};
use crate::lower::{AT_SPIKE, Lowering, RefractoryTest, Storage, VariableLocation, times};
use crate::model::{Event, NeuronModel, Refractory, Variable};
use crate::program::{ColumnCheck, ColumnChecks, PopulationLayout, Program, RegularCode};
use crate::syntax::BinaryOp;
use crate::term::{self, Function, Term};

impl NeuronModel {
    /// The straight-line code of one step. `layout` contains the variables with one value for all neurons, and the ports.
    ///
    /// # Errors
    /// The method cannot integrate these equations.
    pub fn compile(&self, layout: &PopulationLayout) -> Result<Program, Diagnostic> {
        if let (Some((variable, _)), false) = (self.equations.first(), self.update.is_empty()) {
            let name = &self.variables[*variable].name;
            let message = format!("an `update` block replaces differential equations, but there is also `d{name}/dt`.");
            return Err(Diagnostic::new(Kind::Unsupported, "update", "", Span::default(), message));
        }
        let changes = |name: &String| layout.ports.contains(name) || layout.written.contains(name);
        let (places, mut variables) = places(&self.variables, |variable| {
            variable.written || layout.per_neuron.contains(&variable.name) || changes(&variable.name)
        });
        let declared = |name: &String| self.variable(name).map(|at| &self.variables[at]);
        let mut written: Vec<bool> =
            variables.iter().map(|name| changes(name) || declared(name).is_some_and(|variable| variable.written)).collect();
        if self.stores_refractoriness() {
            variables.push(REFRACTORY.into());
            written.push(true);
        }
        let rest = self.refractory.as_ref().map(|refractory| match refractory {
            Refractory::Time(_) if self.stores_refractoriness() => RefractoryTest::Timed(variables.len() - 1),
            Refractory::Time(time) => RefractoryTest::Steps(refractory_steps(time)),
            Refractory::Condition(_) => RefractoryTest::Flag(variables.len() - 1),
        });
        let score = self.score.as_ref().map(|term| {
            variables.push(SCORE.into());
            written.push(true);
            (variables.len() - 1, term)
        });
        let is_compensated = |variable: &Variable| layout.compensated.contains(&variable.name);
        let at_starts = self.regular.iter().map(|(_, of)| of).chain(self.events.iter().map(|event| &event.statements));
        let assigned = self.reset.iter().chain(&self.update).chain(at_starts.flatten());
        let times = times(&self.variables, &self.terms().collect::<Vec<_>>(), &assigned, is_compensated);
        let (mut lows, mut of_times) = (HashMap::new(), HashSet::new());
        for (index, variable) in self.variables.iter().enumerate() {
            let VariableLocation::Array(array) = places[index] else { continue };
            if times.contains(&index) || is_compensated(variable) {
                lows.insert(array, variables.len());
                variables.push(low_word(&variable.name));
            }
            if times.contains(&index) {
                of_times.insert(array);
            }
        }
        let first_observed = variables.len();
        variables.extend(layout.observed.iter().cloned());
        let observed_arrays = first_observed..variables.len();
        written.resize(variables.len(), true);
        let ports: Vec<usize> = layout.ports.iter().filter_map(|port| variables.iter().position(|name| name == port)).collect();
        let integers = (0..self.variables.len()).filter(|at| self.variables[*at].integer).collect();
        let tables = first_entries(self.tables.values());
        let mut storage = Storage { places, written, lows, times: of_times, integers, tables, ..Storage::default() };

        let observed = layout.observed.iter().filter_map(|name| self.subexpressions.get(name)).map(|of| &of.term);
        let checked = storage.tables_to_check(self.terms().chain(observed));
        storage.columns = self.column_checks(&checked, &mut variables);
        storage.written.resize(variables.len(), true);

        // Input that arrives now was sent in the previous step.
        let mut take = Lowering::new(&mut storage, rest.as_ref(), -1.0);
        let holds = |array: usize| declared(&variables[array]).is_some_and(|variable| variable.unless_refractory);
        for (port, array) in ports.iter().enumerate() {
            let arrived = take.op(Op::Port(port));
            take.gain(*array, arrived, holds(*array));
        }
        for (variable, amount) in &self.inputs {
            let amount = take.term(amount);
            let Some(array) = variables.iter().position(|name| *name == self.variables[*variable].name) else { continue };
            take.gain(array, amount, holds(array));
        }
        // What arrives together is cut off together.
        let is_integer = |array: usize| declared(&variables[array]).is_some_and(|variable| variable.integer);
        for array in (0..take.values.len()).filter(|array| is_integer(*array)) {
            if take.values[array] != take.op(Op::Load(array)) {
                take.values[array] = take.whole_sum(take.values[array]);
            }
        }
        let take = take.finish(None);

        // The same for the spike.
        let mut reset = Lowering::new(&mut storage, rest.as_ref(), -1.0);
        assign(&mut reset, &self.reset);
        let reset = reset.finish(None);

        let mut hold = Lowering::new(&mut storage, rest.as_ref(), 0.0);
        // What says whether the neuron is refractory finds that it was at the end of the step before.
        if self.stores_refractoriness() {
            hold.begin_refractory_as_before();
        }
        let is = match (&self.refractory, &rest) {
            (Some(Refractory::Condition(condition)), Some(RefractoryTest::Flag(array))) => {
                let (may, condition) = (hold.is_refractory(), hold.term(condition));
                may.map(|may| (*array, hold.binary(BinaryOp::And, may, condition)))
            }
            (Some(Refractory::Time(time)), Some(RefractoryTest::Timed(array))) => {
                let (since, steps) = (hold.op(Op::SinceSpike), hold.term(&refractory_steps(time)));
                Some((*array, hold.binary(BinaryOp::Less, since, steps)))
            }
            _ => None,
        };
        if let Some((array, condition)) = is {
            let (zero, one) = (hold.op(Op::number(0.0)), hold.op(Op::number(1.0)));
            hold.values[array] = hold.op(Op::Select { condition, yes: one, no: zero });
        }
        hold.refractory_anew();
        assign(&mut hold, &self.held);
        for (at, name) in layout.observed.iter().enumerate() {
            if let Some(subexpression) = self.subexpressions.get(name) {
                hold.values[first_observed + at] = hold.number(&subexpression.term);
            }
        }
        let hold = hold.finish(None);

        let noise = &self.noise;
        let equations = Equations { rates: &self.equations, variables: &self.variables, rests: rest.is_some(), noise };
        let method = equations.choose(self.method, &storage)?;
        let mut update = Lowering::new(&mut storage, rest.as_ref(), 0.0);
        update.is_refractory();
        // Sums over synapses, which are assigned as they are.
        for array in (0..update.values.len()).filter(|array| is_integer(*array) && layout.written.contains(&variables[*array])) {
            update.values[array] = update.op(Op::Call1(Function::Int, update.values[array]));
        }
        if let Some(method) = method {
            equations.advance(method, &mut update);
        }
        assign(&mut update, &self.update);
        let condition = self.threshold.as_ref().map(|threshold| {
            let above = update.term(threshold);
            match update.is_refractory() {
                Some(refractory) => {
                    let free = update.op(Op::Not(refractory));
                    update.binary(BinaryOp::And, above, free)
                }
                None => above,
            }
        });
        let mut refractory_from_now_on = None;
        // Other neurons are not compared: their value may be anything, and is 0.
        if let (Some((array, term)), Some(condition)) = (score, condition) {
            let (yes, no) = (update.number(term), update.op(Op::number(0.0)));
            update.values[array] = update.op(Op::Select { condition, yes, no });
        }
        if let (Some(Refractory::Time(time)), Some(RefractoryTest::Timed(array))) = (&self.refractory, &rest) {
            let [zero, one, at_spike] = [0.0, 1.0, AT_SPIKE].map(|value| update.op(Op::number(value)));
            let steps = update.term(&refractory_steps(time));
            let condition = update.binary(BinaryOp::GreaterEqual, steps, one);
            let free = update.op(Op::Select { condition, yes: at_spike, no: zero });
            if let Some(condition) = update.is_refractory() {
                refractory_from_now_on = Some((*array, update.op(Op::Select { condition, yes: one, no: free })));
            }
        }
        // No condition sees that of another event.
        let happens: Vec<_> = self.events.iter().map(|event| update.number(&event.condition)).collect();
        for (event, happens) in self.events.iter().zip(happens) {
            update.assign(event.variable, happens);
        }
        if let Some((array, value)) = refractory_from_now_on {
            update.values[array] = value;
        }
        let update = update.finish(condition);
        let stated = self.events.iter().filter(|event| !event.statements.is_empty());
        let after_events = stated.map(|event| event.code(Lowering::new(&mut storage, rest.as_ref(), -1.0))).collect();
        let mut regular = Vec::new();
        // Blocks of one step all read what is held as it is before the first of them, so it is stored.
        let holds_before = self.regular.len() > 1 && !self.held.is_empty();
        if holds_before {
            let mut code = Lowering::new(&mut storage, rest.as_ref(), 0.0);
            code.begin_refractory_as_before();
            assign(&mut code, &self.held);
            let code = code.finish(None);
            let any_is_due =
                self.regular.iter().map(|(interval, _)| is_due(*interval)).reduce(|one, other| term::add(&one, &other));
            regular.extend(any_is_due.map(|clock| RegularCode { clock: storage.clock(clock), code }));
        }
        for (interval, statements) in &self.regular {
            let held = if holds_before { &[] } else { self.held.as_slice() };
            let code = self.at_regular_step(statements, held, Lowering::new(&mut storage, rest.as_ref(), 0.0));
            regular.push(RegularCode { clock: storage.clock(is_due(*interval)), code });
        }
        let Storage { rules, columns, .. } = storage;
        variables.extend((0..rules.derived.len()).map(|index| format!("__derived{index}")));
        let score = score.map(|(array, _)| array);
        let deliver_input = take;
        Ok(Program {
            variables,
            observed: observed_arrays,
            ports,
            rules,
            deliver_input,
            reset,
            after_events,
            regular,
            sample_and_hold: hold,
            update,
            score,
            columns,
            method,
        })
    }

    /// Arrays for notes about columns of these tables.
    fn column_checks(&self, tables: &[usize], variables: &mut Vec<String>) -> Option<ColumnChecks> {
        let mut place = |name: String| {
            variables.push(name);
            variables.len() - 1
        };
        let of = |table: &usize| self.tables.get_index(*table).map(|(name, of)| (*table, name.clone(), of.columns));
        let tables: Vec<ColumnCheck> = tables
            .iter()
            .filter_map(of)
            .map(|(table, name, count)| ColumnCheck { table, array: place(format!("{COLUMN}{name}")), name, count })
            .collect();
        (!tables.is_empty()).then(|| ColumnChecks { missing: place(MISSING.into()), step: place(STEP.into()), tables })
    }

    /// Statements at a regular step. They run before the refractoriness of the step is known, and before the values that are held over it are
    /// stored: the statements compute these, `held`, for themselves.
    fn at_regular_step(&self, statements: &[(usize, Term)], held: &[(usize, Term)], mut code: Lowering<'_>) -> Code {
        code.begin_refractory_as_before();
        let stored = code.values.clone();
        assign(&mut code, held);
        for (variable, value) in statements {
            let before = code.values.clone();
            code.set(*variable, value);
            let VariableLocation::Array(array) = code.storage.places[*variable] else { continue };
            if let (true, Some(condition)) = (self.variables[*variable].unless_refractory, code.is_refractory()) {
                for array in std::iter::once(array).chain(code.storage.lows.get(&array).copied()) {
                    code.values[array] = code.op(Op::Select { condition, yes: before[array], no: code.values[array] });
                }
            }
        }
        for (variable, _) in held {
            if let VariableLocation::Array(array) = code.storage.places[*variable] {
                code.values[array] = stored[array];
            }
        }
        code.finish(None)
    }
}

impl Event {
    /// Its statements, which change nothing in neurons without the event.
    fn code(&self, mut code: Lowering<'_>) -> Code {
        let before = code.values.clone();
        assign(&mut code, &self.statements);
        if let VariableLocation::Array(happened) = code.storage.places[self.variable] {
            let zero = code.op(Op::number(0.0));
            let condition = code.binary(BinaryOp::NotEqual, before[happened], zero);
            code.note_only_if(condition);
            for (array, before) in before.into_iter().enumerate() {
                let value = code.values[array];
                if value != before {
                    code.values[array] = code.op(Op::Select { condition, yes: value, no: before });
                }
            }
        }
        code.finish(None)
    }
}
