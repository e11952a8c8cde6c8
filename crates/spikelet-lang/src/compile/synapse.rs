//! Synapse models → programs.

use std::collections::{HashMap, HashSet};

use super::traces::{Traces, traces};
use super::{is_due, low_word, places};
use crate::diagnostic::{Diagnostic, Kind, Span};
use crate::half;
use crate::integrate::Equations;
use crate::ir::{Code, Op, Ref};
use crate::lower::{Lowering, Storage, VariableLocation, times};
use crate::model::{
    End, Interval, NeuronModel, NeuronRead, Pathway, SummedVariable, SynapseModel, SynapseStatement, Target, Variable,
};
use crate::program::{PathwayCode, Register, RegularCode, SynapseLayout, SynapseProgram};
use crate::syntax::BinaryOp;
use crate::term::{self, Function, Symbol, Term};

/// The registers of the output and of the value of a variable of the postsynaptic neuron; whether it is an integer.
type TargetRegisters<'a> = (&'a dyn Fn(usize) -> Option<usize>, &'a dyn Fn(usize) -> Option<usize>, &'a dyn Fn(usize) -> bool);

impl SynapseModel {
    /// The code of synapses onto neurons of the model `post`.
    ///
    /// # Errors
    /// The method cannot integrate these equations.
    pub fn compile(&self, post: &NeuronModel, layout: &SynapseLayout) -> Result<SynapseProgram, Diagnostic> {
        let ends = traces(self, layout);
        let (places, names) =
            places(&self.variables, |Variable { name, written, .. }| *written || layout.per_synapse.contains(name));
        let end_of = |name: &String| self.variable(name).and_then(|variable| ends[variable]);
        let register = |name: String| end_of(&name).map_or(Register::Own(name.clone()), |end| Register::Trace(end, name));
        let mut registers: Vec<Register> = names.into_iter().map(register).collect();
        let declared = |register: &Register| match register {
            Register::Own(name) => self.variable(name).is_some_and(|at| self.variables[at].written),
            _ => true,
        };
        let mut written: Vec<bool> = registers.iter().map(declared).collect();
        let mut add = |register: Register| {
            let known = registers.iter().position(|known| *known == register);
            known.unwrap_or_else(|| {
                registers.push(register);
                registers.len() - 1
            })
        };
        // What is recorded of a trace is its value in each synapse.
        let recorded = layout.recorded.iter().filter(|name| end_of(name).is_some());
        let observed: Vec<(&String, usize)> =
            layout.observed.iter().chain(recorded).map(|name| (name, add(Register::Own(name.clone())))).collect();
        let is_parameter = |name: &&String| self.variable(name).is_some_and(|at| !self.variables[at].written);
        layout.recorded.iter().filter(is_parameter).for_each(|name| _ = add(Register::Own(name.clone())));
        let traces = Traces::new(self, ends.clone(), &mut add);
        let is_compensated = |variable: &Variable| layout.compensated.contains(&variable.name);
        let times = self.times(is_compensated);
        self.check_halves(&ends, |variable| times.contains(&variable) || is_compensated(&self.variables[variable]))?;
        let (mut lows, mut of_times) = (HashMap::new(), HashSet::new());
        for (index, variable) in self.variables.iter().enumerate().filter(|(at, of)| times.contains(at) || is_compensated(of)) {
            let of = |name: String| ends[index].map_or(Register::Own(name.clone()), |end| Register::Trace(end, name));
            let register = add(of(variable.name.clone()));
            lows.insert(register, add(of(low_word(&variable.name))));
            if times.contains(&index) {
                of_times.insert(register);
            }
        }
        let reads = self.reads.iter().map(|NeuronRead { end, name }| {
            let uniform = layout.uniform.contains(&(*end, name.clone()));
            (!uniform).then(|| add(Register::Read(*end, name.clone())))
        });
        let reads: Vec<Option<usize>> = reads.collect();
        let index = [End::Pre, End::Post].map(|end| add(Register::Read(end, "i".into())));
        let name = |variable: usize| post.variables[variable].name.clone();
        let targets = self.pathways.iter().flat_map(|pathway| &pathway.statements).filter_map(|write| match write.target {
            Target::Add(variable) | Target::Post(variable) => Some((variable, add(Register::Output(End::Post, name(variable))))),
            Target::Own(_) => None,
        });
        let outputs: Vec<(usize, usize)> = targets.collect();
        let output = |variable: usize| outputs.iter().find(|(known, _)| *known == variable).map(|(_, register)| *register);
        let sums: Vec<usize> = self.summed.iter().map(|sum| add(Register::Output(sum.end, sum.name.clone()))).collect();
        written.resize(registers.len(), true);
        let integers = (0..self.variables.len()).filter(|at| self.variables[*at].integer).collect();
        let mut storage = Storage { places, written, lows, times: of_times, integers, reads, ..Storage::default() };
        let lane_of = |term: &Term| {
            term::substitute(term, &|symbol| match symbol {
                Symbol::Index => term::symbol(Symbol::Read(self.reads.len())),
                Symbol::PostIndex => term::symbol(Symbol::Read(self.reads.len() + 1)),
                other => term::symbol(other),
            })
        };
        storage.reads.extend(index.map(Some));

        let mut summed = Vec::new();
        for (SummedVariable { value, .. }, register) in self.summed.iter().zip(sums) {
            let mut code = Lowering::new(&mut storage, None, 0.0);
            code.values[register] = code.term(&lane_of(value));
            summed.push((register, code.finish(None)));
        }

        let mut hold = Lowering::new(&mut storage, None, 0.0);
        traces.as_of_last_event(&mut hold);
        for (name, register) in observed {
            hold.values[register] = match (self.subexpressions.get(name), self.variable(name)) {
                (Some(subexpression), _) => hold.number(&lane_of(&subexpression.term)),
                (None, Some(variable)) => hold.number(&term::symbol(Symbol::Variable(variable))),
                (None, None) => continue,
            };
        }
        traces.leave(&mut hold);
        let hold = hold.finish(None);

        let rates: Vec<(usize, Term)> = self.equations.iter().map(|(variable, rate)| (*variable, lane_of(rate))).collect();
        let equations = Equations { rates: &rates, variables: &self.variables, rests: false, noise: &self.noise };
        let method = equations.choose(self.method, &storage)?;
        let mut step = Lowering::new(&mut storage, None, 0.0);
        if let Some(method) = method {
            let before = step.values.clone();
            equations.advance(method, &mut step);
            self.hold_still(&mut step, &before, &lane_of);
        }
        self.round_halves(&mut step);
        let step = step.finish(None);
        let (update, integrate_traces) = if traces.integrate() { (Code::default(), step) } else { (step, Code::default()) };

        let mut regular = Vec::new();
        let held_code = |storage: &mut Storage| {
            // It reads event-driven variables as they are stored (rule 3.11).
            let mut code = Lowering::new(storage, None, 0.0);
            self.held.iter().for_each(|(variable, value)| code.set(*variable, &lane_of(value)));
            traces.leave(&mut code);
            self.round_halves(&mut code);
            code.finish(None)
        };
        // Blocks of one step all read what is held as it is before the first of them.
        let dues = self.regular.iter().map(|(interval, _)| is_due(*interval));
        if let (Some(any_is_due), false) = (dues.reduce(|one, other| term::add(&one, &other)), self.held.is_empty()) {
            let code = held_code(&mut storage);
            regular.push(RegularCode { clock: storage.clock(any_is_due), code });
        }
        for (interval, statements) in &self.regular {
            let mut code = match self.uses_event_driven(statements) {
                true => self.up_to_date(&mut storage, &traces, &lane_of),
                false => Lowering::new(&mut storage, None, 0.0),
            };
            for write in statements {
                if let Target::Own(variable) = write.target {
                    self.set(&mut code, variable, &write.value, &lane_of);
                }
            }
            traces.leave(&mut code);
            self.round_halves(&mut code);
            let code = code.finish(None);
            regular.push(RegularCode { clock: storage.clock(is_due(*interval)), code });
        }
        if !self.held.is_empty() {
            let code = held_code(&mut storage);
            regular.push(RegularCode { clock: storage.clock(is_due(Interval { every: 1, first: 0 })), code });
        }

        let mut pathways = Vec::new();
        for pathway in &self.pathways {
            let code = self.up_to_date(&mut storage, &traces, &lane_of);
            let of_post =
                |variable: usize| registers.iter().position(|register| *register == Register::Read(End::Post, name(variable)));
            let is_integer = |variable: usize| post.variables[variable].integer;
            pathways.push(self.arrival(pathway, code, &traces, &lane_of, (&output, &of_post, &is_integer)));
        }
        let of_traces = [End::Pre, End::Post].map(|end| traces.spike(end, &mut storage, &lane_of));
        let rules = storage.rules;
        registers.extend((0..rules.derived.len()).map(Register::Derived));
        let traces = of_traces;
        Ok(SynapseProgram {
            registers,
            rules,
            summed,
            regular,
            observe: hold,
            update,
            integrate_traces,
            pathways,
            traces,
            method,
        })
    }

    /// The variables that hold times; those that are `compensated` do if they are measured as such.
    fn times(&self, compensated: impl Fn(&Variable) -> bool) -> HashSet<usize> {
        let statements = || self.statements();
        let equations = self.equations.iter().chain(&self.event_driven).map(|(_, term)| term);
        let held = self.held.iter().map(|(_, value)| value);
        let terms =
            statements().map(|write| &write.value).chain(equations).chain(self.summed.iter().map(|sum| &sum.value)).chain(held);
        let terms: Vec<&Term> = terms.collect();
        let own = |write: &SynapseStatement| {
            if let Target::Own(variable) = write.target { Some((variable, write.value.clone())) } else { None }
        };
        let assigned: Vec<(usize, Term)> = statements().filter_map(own).collect();
        times(&self.variables, &terms, &assigned.iter(), compensated)
    }

    /// Code that begins with event-driven variables as they are in this step.
    fn up_to_date<'s>(&self, storage: &'s mut Storage, traces: &Traces<'_>, lane_of: &dyn Fn(&Term) -> Term) -> Lowering<'s> {
        let mut code = Lowering::new(storage, None, 0.0);
        let before = code.values.clone();
        traces.catch_up(&mut code);
        self.hold_still(&mut code, &before, lane_of);
        code
    }

    /// Gives a variable of the synapse a new value, unless it is plastic while plasticity is switched off.
    fn set(&self, code: &mut Lowering<'_>, variable: usize, value: &Term, lane_of: &dyn Fn(&Term) -> Term) {
        let before = code.values.clone();
        code.set(variable, &lane_of(value));
        self.hold_still(code, &before, lane_of);
    }

    /// Plastic variables keep the values they had before, while plasticity is switched off.
    fn hold_still(&self, code: &mut Lowering<'_>, before: &[Ref], lane_of: &dyn Fn(&Term) -> Term) {
        let Some(plasticity) = &self.plasticity else { return };
        for (variable, place) in self.variables.iter().zip(code.storage.places.clone()) {
            if let (true, VariableLocation::Array(array)) = (variable.plastic, place)
                && code.values[array] != before[array]
            {
                let condition = code.term(&lane_of(plasticity));
                for array in std::iter::once(array).chain(code.storage.lows.get(&array).copied()) {
                    code.values[array] = code.op(Op::Select { condition, yes: code.values[array], no: before[array] });
                }
            }
        }
    }

    /// Rounds what this code stores in variables of the format f16.
    fn round_halves(&self, code: &mut Lowering<'_>) {
        for (variable, place) in self.variables.iter().zip(code.storage.places.clone()) {
            if let (true, VariableLocation::Array(array)) = (variable.half, place)
                && code.values[array] != code.op(Op::Load(array))
            {
                code.values[array] = half::code(code, code.values[array]);
            }
        }
    }

    /// Rejects variables of the format f16 that synapses do not have by themselves, or that it cannot represent.
    fn check_halves(&self, ends: &[Option<End>], in_two_words: impl Fn(usize) -> bool) -> Result<(), Diagnostic> {
        for (index, variable) in self.variables.iter().enumerate().filter(|(_, variable)| variable.half) {
            let name = &variable.name;
            let why = if ends[index].is_some() {
                format!("`{name}` is a trace: neurons store it, once for all of their synapses.")
            } else if in_two_words(index) {
                format!("`{name}` needs more bits than an f32 has, since it changes slowly or is a time.")
            } else {
                continue;
            };
            return Err(Diagnostic::new(Kind::Unsupported, "equations", "", Span::default(), why).help("Remove the flag `f16`."));
        }
        Ok(())
    }

    /// The code of a pathway. `output` and `read` give the registers of a variable of the postsynaptic neuron, `is_integer` its type.
    fn arrival(
        &self,
        pathway: &Pathway,
        mut code: Lowering<'_>,
        traces: &Traces<'_>,
        lane_of: &dyn Fn(&Term) -> Term,
        (output, read, is_integer): TargetRegisters<'_>,
    ) -> PathwayCode {
        let in_turn = pathway.statements.iter().any(|write| matches!(write.target, Target::Post(_)));
        let (mut adds, mut writes) = (Vec::new(), Vec::new());
        for write in &pathway.statements {
            let value = code.number(&lane_of(&write.value));
            let (Target::Add(variable) | Target::Post(variable)) = write.target else {
                if let Target::Own(variable) = write.target {
                    self.set(&mut code, variable, &write.value, lane_of);
                }
                continue;
            };
            let Some(register) = output(variable) else { continue };
            let registers = if in_turn { &mut writes } else { &mut adds };
            let again = registers.contains(&register);
            if !again {
                registers.push(register);
            }
            let before = if in_turn { read(variable) } else { again.then_some(register) };
            code.values[register] = match (&write.target, before) {
                (Target::Add(_), Some(before)) => code.binary(BinaryOp::Add, code.values[before], value),
                _ => value,
            };
            if in_turn && is_integer(variable) {
                code.values[register] = code.op(Op::Call1(Function::Int, code.values[register]));
            }
            if let (true, Some(read)) = (in_turn, before) {
                // The next statement sees it.
                code.values[read] = code.values[register];
            }
        }
        traces.leave(&mut code);
        self.round_halves(&mut code);
        PathwayCode { name: pathway.name.clone(), end: pathway.end, code: code.finish(None), adds, writes }
    }
}
