//! Models compiled for one layout of their values.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Kind, Span};
use crate::host::{self, Leaf};
use crate::ir::Code;
use crate::model::{End, Method};
use crate::term::{self, Symbol, Term};

/// How the values of a population lie: decided by the plan, from the network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PopulationLayout {
    /// Variables that have one value for each neuron although nothing writes them. All other unwritten ones are constants.
    pub per_neuron: HashSet<String>,
    /// Variables that synapses add to, in the order of their ports; two ports may add to one variable.
    pub ports: Vec<String>,
    /// Variables that synapses write in other ways.
    pub written: HashSet<String>,
    /// Subexpressions that are recorded, and so are kept as arrays of their own.
    pub observed: Vec<String>,
    /// Variables of differential equations that are kept in two words: see the module [`slow`](crate::slow).
    pub compensated: HashSet<String>,
}

impl PopulationLayout {
    /// No ports; whatever is never written is the same for all neurons.
    pub fn uniform() -> Self {
        PopulationLayout::default()
    }
}

/// How the values of a projection lie.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SynapseLayout {
    /// Variables that have one value for each synapse although nothing writes them.
    pub per_synapse: HashSet<String>,
    /// Values of neurons that are the same for their whole population.
    pub uniform: HashSet<(End, String)>,
    /// Subexpressions that are recorded.
    pub observed: Vec<String>,
    /// Variables that are recorded: parameters that are the same for all synapses have an array then, which no code reads.
    pub recorded: Vec<String>,
    /// Whether each pathway has one delay for all synapses.
    pub one_delay: bool,
    /// As in [`PopulationLayout`].
    pub compensated: HashSet<String>,
}

/// A number that does not change while a network runs: one for all neurons of a population, or one each.
#[derive(Debug, Clone, PartialEq)]
pub enum ConstantRule {
    /// The value of a term.
    Term(Term),
    /// One entry of exp(A·dt) of a linear system dx/dt = A x + b, augmented by rows of zeros.
    Propagator(MatrixEntry),
    /// One entry of exp(A·dt) − 1: by how much a step changes what is kept in two words.
    Change(MatrixEntry),
}

/// An entry of a matrix that a linear system gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixEntry {
    /// Index in [`Rules::systems`].
    pub system: usize,
    /// Row: the variable that is computed.
    pub row: usize,
    /// Column: what it is computed from.
    pub column: usize,
}

/// A linear system with coefficients that are constant in time; see [`ConstantRule::Propagator`].
#[derive(Debug, Clone, PartialEq)]
pub struct LinearSystem {
    /// The augmented matrix, row by row, per ms.
    pub matrix: Vec<Vec<Term>>,
}

/// What the host computes for a program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rules {
    /// Numbers that are the same for all, in the order of [`Op::Constant`](crate::ir::Op::Constant).
    pub constants: Vec<ConstantRule>,
    /// Numbers that differ between neurons or synapses: an array each.
    pub derived: Vec<ConstantRule>,
    /// The linear systems that propagators come from.
    pub systems: Vec<LinearSystem>,
    /// Numbers that are the same for all and change with time, in the order of [`Op::Clock`](crate::ir::Op::Clock).
    pub clocks: Vec<Term>,
}

/// What terms ask the host for.
#[derive(Clone, Copy)]
pub struct EvaluationContext<'a> {
    /// The time step in ms.
    pub dt: f64,
    /// The value of a symbol other than [`Symbol::Dt`], in inner units.
    pub symbol: &'a dyn Fn(Symbol) -> f64,
    /// The entry of a table.
    pub lookup: &'a dyn Fn(usize, f64) -> f64,
}

impl EvaluationContext<'_> {
    /// The value of a term.
    pub fn evaluate(&self, term: &Term) -> f64 {
        host::evaluate(term, &mut |leaf| match leaf {
            Leaf::Symbol(Symbol::Dt) => self.dt,
            Leaf::Symbol(symbol) => (self.symbol)(symbol),
            Leaf::Lookup(table, index) => (self.lookup)(table, index),
            Leaf::Random(..) | Leaf::Gamma(..) => f64::NAN,
        })
    }
}

/// A matrix, row by row.
type Matrix = Arc<Vec<Vec<f64>>>;

/// Matrix exponentials made before: neurons that share their parameters share these.
#[derive(Default)]
pub struct Propagators {
    whole: HashMap<Vec<u64>, Matrix>,
    changes: HashMap<Vec<u64>, Matrix>,
}

impl Propagators {
    /// exp(A·dt) of a system, for the values that `given` holds, or by how much it differs from 1.
    fn of(&mut self, system: &LinearSystem, given: &EvaluationContext<'_>, change: bool) -> Matrix {
        let entries = system.matrix.iter();
        let matrix: Vec<Vec<f64>> = entries.map(|row| row.iter().map(|term| given.evaluate(term) * given.dt).collect()).collect();
        let key = matrix.iter().flatten().map(|entry| entry.to_bits()).collect();
        let known = if change { &mut self.changes } else { &mut self.whole };
        let made = || if change { host::matrix_exponential_less_one(&matrix) } else { host::matrix_exponential(&matrix) };
        known.entry(key).or_insert_with(|| Arc::new(made())).clone()
    }
}

impl Rules {
    /// Values of the constants.
    ///
    /// # Errors
    /// A constant that is infinite or not a number (1/0 in an equation, say).
    pub fn constants(&self, given: &EvaluationContext<'_>) -> Result<Vec<f32>, Diagnostic> {
        self.values(&self.constants, given, &mut Propagators::default()).collect()
    }

    /// Values of some of the rules, for the neuron or synapse whose values `given` holds.
    ///
    /// # Errors
    /// One is infinite or not a number.
    pub fn values<'a>(
        &'a self,
        rules: &'a [ConstantRule],
        given: &'a EvaluationContext<'_>,
        known: &'a mut Propagators,
    ) -> impl Iterator<Item = Result<f32, Diagnostic>> + 'a {
        let mut of_systems: Vec<[Option<Matrix>; 2]> = vec![[None, None]; self.systems.len()];
        rules.iter().map(move |rule| {
            let mut entry = |MatrixEntry { system, row, column }: MatrixEntry, change: bool| {
                let matrix =
                    of_systems[system][usize::from(change)].get_or_insert_with(|| known.of(&self.systems[system], given, change));
                matrix[row][column]
            };
            let exact = match rule {
                ConstantRule::Term(term) => given.evaluate(term),
                ConstantRule::Propagator(of) => entry(*of, false),
                ConstantRule::Change(of) => entry(*of, true),
            };
            Rules::finite(exact, given.dt)
        })
    }

    /// The same without rounding, for code that is evaluated in f64.
    pub fn unrounded<'a>(
        &'a self,
        rules: &'a [ConstantRule],
        given: &'a EvaluationContext<'_>,
        known: &'a mut Propagators,
    ) -> impl Iterator<Item = f64> + 'a {
        rules.iter().map(move |rule| match rule {
            ConstantRule::Term(term) if term::is_rest(term) => 0.0,
            ConstantRule::Term(term) => given.evaluate(term),
            ConstantRule::Propagator(MatrixEntry { system, row, column }) => {
                known.of(&self.systems[*system], given, false)[*row][*column]
            }
            ConstantRule::Change(MatrixEntry { system, row, column }) => {
                known.of(&self.systems[*system], given, true)[*row][*column]
            }
        })
    }

    fn finite(exact: f64, dt: f64) -> Result<f32, Diagnostic> {
        let rounded = exact as f32;
        if rounded.is_finite() {
            return Ok(rounded);
        }
        let message = format!("with these parameters and dt = {dt} ms a coefficient of the step becomes {exact}.");
        let help = "Check for a division by zero, or a time constant much shorter than dt.";
        Err(Diagnostic::new(Kind::NotFinite, "equations", "", Span::default(), message).help(help))
    }

    /// Values of the clocks in a step; `given` holds values that do not change with time.
    pub fn clocks(&self, step: u32, given: &EvaluationContext<'_>) -> impl Iterator<Item = f32> {
        let time = f64::from(step) * given.dt;
        let symbol = move |symbol| if symbol == Symbol::Time { time } else { (given.symbol)(symbol) };
        self.clocks.iter().map(move |term| EvaluationContext { symbol: &symbol, ..*given }.evaluate(term) as f32)
    }
}

/// Code that runs in some steps only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RegularCode {
    /// The clock, by index of [`Rules::clocks`], that is 1 in the steps in which it runs, and 0 in all others.
    pub clock: usize,
    /// The code.
    pub code: Code,
}

/// Where a population notes columns of timed arrays that do not exist.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ColumnChecks {
    /// The array that becomes infinite in a neuron that has requested one, and is 0 in the others.
    pub missing: usize,
    /// The array with the step.
    pub step: usize,
    /// The tables that are checked.
    pub tables: Vec<ColumnCheck>,
}

/// A table of which columns are checked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ColumnCheck {
    /// Its number.
    pub table: usize,
    /// Its name.
    pub name: String,
    /// How many columns it has.
    pub count: usize,
    /// The array with the column that was requested.
    pub array: usize,
}

/// The code of one step of one population. See `spikelet::Backend::advance` for the order in which its parts run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Program {
    /// Names of the arrays kept for each neuron, in their order: state, parameters that differ between neurons, what is held or
    /// recorded, then one for each of the derived numbers.
    pub variables: Vec<String>,
    /// Those of them that are recorded only: no code reads them.
    pub observed: std::ops::Range<usize>,
    /// Array that each port adds to.
    pub ports: Vec<usize>,
    /// What the host computes.
    pub rules: Rules,
    /// What arrived is added to the variables.
    pub deliver_input: Code,
    /// Runs for the neurons that fired in the step before.
    pub reset: Code,
    /// The statements of the events of the step before, one event after the other. Each code finds itself where its event happened.
    pub after_events: Vec<Code>,
    /// What runs at regular steps, one after the other, before everything below.
    pub regular: Vec<RegularCode>,
    /// What is computed once a step, from the state at its start: values held over the step, whether the neuron is refractory
    /// (where that is a condition), subexpressions that are recorded.
    pub sample_and_hold: Code,
    /// The step itself, and the threshold.
    pub update: Code,
    /// Where only some of the neurons above threshold fire: the array, which `update` writes, by which they are compared.
    pub score: Option<usize>,
    /// Where columns of timed arrays are noted that do not exist, if any depend on the state.
    pub columns: Option<ColumnChecks>,
    /// The method that integrates the equations, if there are any.
    pub method: Option<Method>,
}

impl Program {
    /// The array called `name`.
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable == name)
    }

    /// The first array of derived numbers.
    pub fn first_derived(&self) -> usize {
        self.variables.len() - self.rules.derived.len()
    }

    /// The arrays that change from step to step, without those that are [held](Program::sample_and_hold) over one, and without the
    /// [score](Program::score), which may be infinite. Of the notes about [columns](Program::columns) that which says if there are any.
    pub fn moving(&self) -> Vec<usize> {
        let is_stored =
            |array: &usize| !self.sample_and_hold.stores_to(*array) && self.codes().any(|code| code.stores_to(*array));
        let is_note = |array: &usize| {
            self.columns.as_ref().is_some_and(|of| of.step == *array || of.tables.iter().any(|table| table.array == *array))
        };
        let says_missing = |array: &usize| self.columns.as_ref().is_some_and(|of| of.missing == *array);
        let moves = |array: &usize| is_stored(array) && self.score != Some(*array) && !is_note(array) || says_missing(array);
        (0..self.variables.len()).filter(moves).collect()
    }

    /// The codes in the order they run.
    pub fn codes(&self) -> impl Iterator<Item = &Code> {
        let regular = self.regular.iter().map(|regular| &regular.code);
        let before = [&self.deliver_input, &self.reset].into_iter().chain(&self.after_events);
        before.chain(regular).chain([&self.sample_and_hold, &self.update])
    }
}

/// What a register of a synapse program holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Register {
    /// A variable of the synapse.
    Own(String),
    /// A trace: a variable of the synapse that the neuron at one end keeps for all its synapses.
    Trace(End, String),
    /// A value of one of its neurons: an array of its population, or `i`, its index.
    Read(End, String),
    /// What is added to, or becomes, a variable of the postsynaptic neuron, or the summed variable of the third one.
    Output(End, String),
    /// A derived number, by index of [`Rules::derived`].
    Derived(usize),
}

/// What happens when a spike arrives.
#[derive(Debug, Clone, PartialEq)]
pub struct PathwayCode {
    /// The pathway's name.
    pub name: String,
    /// Whose spikes it waits for.
    pub end: End,
    /// Its code.
    pub code: Code,
    /// Lanes whose value is added to a port.
    pub adds: Vec<usize>,
    /// Lanes whose value replaces a variable of the postsynaptic neuron. A pathway that has any runs event after event, in the
    /// order of the presynaptic neurons, and adds nothing to ports.
    pub writes: Vec<usize>,
}

/// The code of the synapses of one projection. Lanes are what a block program calls variables: they are filled before a code
/// runs, and what it stored is taken from them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SynapseProgram {
    /// What each register holds.
    pub registers: Vec<Register>,
    /// What the host computes.
    pub rules: Rules,
    /// What every synapse contributes to a variable of its postsynaptic or third neuron in every step: the register, and its code.
    pub summed: Vec<(usize, Code)>,
    /// What runs at regular steps, one after the other, before everything else of the step.
    pub regular: Vec<RegularCode>,
    /// Subexpressions that are recorded, computed when they are sampled.
    pub observe: Code,
    /// A step of the clock-driven equations, in each synapse.
    pub update: Code,
    /// The same where their variables are traces: in each presynaptic neuron.
    pub integrate_traces: Code,
    /// What spikes do.
    pub pathways: Vec<PathwayCode>,
    /// The effect of a spike on the traces of its neuron, on either side, after all its synapses have received it.
    pub traces: [Code; 2],
    /// The method that integrates the clock-driven equations, if there are any.
    pub method: Option<Method>,
}

impl PathwayCode {
    /// Whether it does anything in synapses: spikes may change traces alone.
    pub fn acts(&self) -> bool {
        !self.code.stores.is_empty()
    }
}

impl SynapseProgram {
    /// Every code.
    pub fn codes(&self) -> impl Iterator<Item = &Code> {
        let pathways = self.pathways.iter().map(|pathway| &pathway.code);
        let regular = self.regular.iter().map(|regular| &regular.code);
        let in_steps =
            regular.chain(self.summed.iter().map(|(_, code)| code)).chain([&self.observe, &self.update, &self.integrate_traces]);
        in_steps.chain(pathways).chain(&self.traces)
    }
}
