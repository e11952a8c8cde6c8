//! Models as text, and as checked equations.

use indexmap::IndexMap;

use crate::own::OwnFunctions;
use crate::term::{Symbol, Term};
use crate::unit::Dimension;
use crate::{Diagnostic, Kind};

/// A neuron model as its author writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NeuronText {
    /// `dv/dt = … : volt`, `I = … : amp`, `tau : second (constant)`, a line each.
    pub equations: String,
    /// Statements run once a step in place of differential equations: discrete maps.
    pub update: Option<String>,
    /// The condition to fire, tested after the update.
    pub threshold: Option<String>,
    /// Where only some of the neurons above threshold fire: the expression by which they are compared, after the update.
    pub score: Option<String>,
    /// Statements run after a spike.
    pub reset: Option<String>,
    /// How long a neuron is refractory after a spike: a time, or a condition.
    pub refractory: Option<String>,
    /// The method of integration; without one the equations decide.
    pub method: Option<Method>,
    /// Parameters that the equations do not declare and that have one value for each neuron, with their dimensions.
    pub each: IndexMap<String, Dimension>,
    /// Parameters given as functions of time: expressions with `t`.
    pub driven: IndexMap<String, String>,
    /// Timed arrays, called as `I(t)` or `I(t, i)`.
    pub tables: IndexMap<String, Table>,
    /// Random input from many Poisson sources of which only the sum matters.
    pub inputs: Vec<PoissonInput>,
    /// Functions of one's own that the texts may call.
    pub functions: OwnFunctions,
    /// Statements that run at regular steps, in the order in which they run.
    pub regular: Vec<RegularText>,
    /// Events beside the spike.
    pub events: Vec<EventText>,
}

/// An event of neurons beside the spike, as its author writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventText {
    /// Its name, a boolean variable: true in the step after the one at whose end the condition was true.
    pub name: String,
    /// Where it stands in its object, for mistakes in it: `events.low`.
    pub path: String,
    /// The condition, tested after the update.
    pub condition: String,
    /// Statements that run in the neurons of the event at the start of the next step, after those of resets; may be empty.
    pub statements: String,
}

/// The steps in which statements run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    /// Number of steps from one run to the next, at least 1.
    pub every: u32,
    /// The step of the first run.
    pub first: u32,
}

/// Statements that run at regular steps, as their author writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegularText {
    /// Where they stand in their object, for mistakes in them: `run_regularly[0].statements`.
    pub path: String,
    /// The statements.
    pub statements: String,
    /// When they run.
    pub interval: Interval,
}

/// `number` Poisson sources, summed: their spikes in one step add `weight` each to `variable`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PoissonInput {
    /// Where it stands in the network: the place of a mistake in it is this path, a point, and the key.
    pub path: String,
    /// The variable they add to.
    pub variable: String,
    /// How many sources there are: an expression.
    pub number: String,
    /// Rate of each: an expression.
    pub rate: String,
    /// What one spike adds: an expression.
    pub weight: String,
    /// Only neurons in one of these ranges, from the first index up to, not including, the second; all of them if there are none.
    pub slices: Vec<[u32; 2]>,
}

/// The shape of a timed array: one row for each stretch of time, one column for each neuron, or a single one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Table {
    /// Number of rows; the last one lasts for ever.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// How long a row lasts in ms, as the bits of an f64 (so that shapes can be compared).
    pub row_ms: u64,
    /// What the entries measure.
    pub dimension: Dimension,
}

/// A synapse model as its author writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SynapseText {
    /// `w : volt (constant)`, `ds/dt = … : 1 (clock-driven)`, `I_post = … : amp (summed)`, a line each.
    pub equations: String,
    /// What a presynaptic spike does on arrival, by the name of the pathway: `ge_post += w`. Pathways of one step run in the
    /// order of their names.
    pub on_pre: IndexMap<String, String>,
    /// What a postsynaptic spike does on arrival, likewise; those run after all of `on_pre`.
    pub on_post: IndexMap<String, String>,
    /// What a spike of the third neuron does on arrival, likewise; those run after all of `on_post`.
    pub on_third: IndexMap<String, String>,
    /// The method of integration of clock-driven equations; without one the equations decide.
    pub method: Option<Method>,
    /// Parameters that the equations do not declare and that have one value for each synapse, with their dimensions.
    pub each: IndexMap<String, Dimension>,
    /// Functions of one's own that the texts may call.
    pub functions: OwnFunctions,
    /// Statements that run at regular steps, in the order in which they run.
    pub regular: Vec<RegularText>,
}

/// How differential equations become a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Linear equations with coefficients that are constant in time, by the matrix exponential in f64 (Rotter & Diesmann 1999,
    /// Biol Cybern 81:381). Inputs that change with time are held during a step.
    Exact,
    /// Each variable by the exponential of its own linear part, the others held (MacGregor 1987).
    ExponentialEuler,
    /// Forward Euler; with `xi` Euler–Maruyama, in the sense of Itô.
    Euler,
    /// Heun's predictor and corrector; with `xi` in the sense of Stratonovich (Kloeden & Platen 1992).
    Heun,
    /// Milstein's method without derivatives, in the sense of Stratonovich (Kloeden & Platen 1992, section 11.1), for noise of which each variable
    /// has its own.
    Milstein,
    /// Midpoint Runge–Kutta, second order.
    Rk2,
    /// Classical Runge–Kutta, fourth order.
    Rk4,
}

impl Method {
    /// Every method by its name.
    pub const ALL: [(&'static str, Method); 7] = [
        ("exact", Method::Exact),
        ("exponential_euler", Method::ExponentialEuler),
        ("euler", Method::Euler),
        ("heun", Method::Heun),
        ("milstein", Method::Milstein),
        ("rk2", Method::Rk2),
        ("rk4", Method::Rk4),
    ];

    /// The method called `name` (Brian's `linear` is `exact`).
    pub fn parse(name: &str) -> Result<Method, Diagnostic> {
        let wanted = if name == "linear" { "exact" } else { name };
        Method::ALL.iter().find(|(known, _)| *known == wanted).map(|(_, method)| *method).ok_or_else(|| {
            let span = crate::diagnostic::Span { start: 0, end: name.len() };
            let known: Vec<_> = Method::ALL.iter().map(|(known, _)| *known).collect();
            let known = format!("The known methods are {}.", known.join(", "));
            let help = match name.starts_with("gsl") {
                true => {
                    format!("All steps have the length `dt_ms`: write `rk4` and, if it is too long, a smaller `dt_ms`. {known}")
                }
                false => known,
            };
            Diagnostic::new(Kind::UnsuitableMethod, "method", name, span, format!("there is no method `{name}`.")).help(help)
        })
    }

    /// As written in files.
    pub fn name(self) -> &'static str {
        Method::ALL.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }
}

/// Where a variable of a model comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The equations declare it: state, or a parameter.
    Declared,
    /// A subexpression `(constant over dt)`, computed at the start of each step.
    Held,
    /// A name that statements use among themselves.
    Local,
}

/// A variable of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What it measures.
    pub dimension: Dimension,
    /// Whether it is true or false, kept as 1 or 0.
    pub boolean: bool,
    /// Whether it is a whole number: what is assigned to it is cut off towards 0.
    pub integer: bool,
    /// Where it comes from.
    pub role: Role,
    /// Whether anything changes it in the course of a run.
    pub written: bool,
    /// `(unless refractory)`: neither integrated nor written by synapses while refractory.
    pub unless_refractory: bool,
    /// `(shared)`: one value for the whole population.
    pub shared: bool,
    /// `(constant)`: never written.
    pub constant: bool,
    /// Of a synapse: what it learns, which stays as it is while plasticity is switched off.
    pub plastic: bool,
    /// `(linked)`: in each step it takes the value of a variable of another neuron.
    pub linked: bool,
    /// `(f16)`: of a synapse, stored in two bytes on GPUs, see [`half`](crate::half).
    pub half: bool,
    /// Of an event: its condition decides when it is true.
    pub event: bool,
}

impl Variable {
    /// A variable that nothing writes yet.
    pub fn new(name: &str, dimension: Dimension, role: Role) -> Variable {
        Variable {
            name: name.into(),
            dimension,
            boolean: false,
            integer: false,
            role,
            written: false,
            unless_refractory: false,
            shared: false,
            constant: false,
            plastic: false,
            linked: false,
            half: false,
            event: false,
        }
    }

    /// Why nothing assigns it, if it is linked or an event.
    pub(crate) fn follows(&self) -> Option<String> {
        let name = &self.name;
        match (self.linked, self.event) {
            (true, _) => Some(format!("`{name}` is linked: it has the value of another variable, and cannot be assigned.")),
            (_, true) => Some(format!("`{name}` is an event: its condition decides when it is true, and it cannot be assigned.")),
            _ => None,
        }
    }
}

/// A name that is not declared in the equations and gets its value from the parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// What it measures.
    pub dimension: Dimension,
}

/// An event of neurons beside the spike.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The variable that is 1 in the step after the event, and 0 in all others.
    pub variable: usize,
    /// The condition, tested after the update.
    pub condition: Term,
    /// Assignments at the start of the step after the event.
    pub statements: Vec<(usize, Term)>,
}

/// How long a neuron is refractory.
#[derive(Debug, Clone, PartialEq)]
pub enum Refractory {
    /// For this time after its last spike, in ms.
    Time(Term),
    /// From its last spike on, as long as this is true at the start of each step.
    Condition(Term),
}

impl NeuronModel {
    /// Whether neurons store that they are refractory, because what says it may change within a step: conditions, and times that depend on the
    /// state.
    pub fn stores_refractoriness(&self) -> bool {
        match &self.refractory {
            None => false,
            Some(Refractory::Condition(_)) => true,
            Some(Refractory::Time(time)) => time.any(|symbol| match symbol {
                Some(Symbol::Variable(variable)) => {
                    let Variable { constant, shared, written, .. } = &self.variables[variable];
                    !constant && (*written || !shared)
                }
                Some(Symbol::Constant(_) | Symbol::Index | Symbol::Size | Symbol::Dt) => false,
                _ => true,
            }),
        }
    }
}

/// A name for an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Subexpression {
    /// The expression, with all other subexpressions worked in.
    pub term: Term,
    /// What it measures.
    pub dimension: Dimension,
}

/// A checked neuron model: every name resolved, every dimension right.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NeuronModel {
    /// Variables, in the order written; then those held over a step, then local ones.
    pub variables: Vec<Variable>,
    /// Constants the texts use.
    pub constants: Vec<Constant>,
    /// Subexpressions that are computed wherever they are used.
    pub subexpressions: IndexMap<String, Subexpression>,
    /// Variables held over a step, with their values, each after those it needs.
    pub held: Vec<(usize, Term)>,
    /// Variable and right-hand side of each differential equation, in inner units per ms.
    pub equations: Vec<(usize, Term)>,
    /// Assignments of the `update` block.
    pub update: Vec<(usize, Term)>,
    /// The condition to fire.
    pub threshold: Option<Term>,
    /// What the inequality of the threshold compares; `None` if there is not exactly one that must hold.
    pub compared: Option<Dimension>,
    /// By what neurons above threshold are compared, where only some of them fire.
    pub score: Option<Term>,
    /// Assignments after a spike.
    pub reset: Vec<(usize, Term)>,
    /// Assignments at regular steps, in the order in which they run.
    pub regular: Vec<(Interval, Vec<(usize, Term)>)>,
    /// Events beside the spike.
    pub events: Vec<Event>,
    /// How long a neuron is refractory.
    pub refractory: Option<Refractory>,
    /// What random input adds in a step: variable and amount.
    pub inputs: Vec<(usize, Term)>,
    /// Timed arrays, by the number that terms call them.
    pub tables: IndexMap<String, Table>,
    /// Sites of the draws that are white noise (`xi`).
    pub noise: Vec<u32>,
    /// The requested method.
    pub method: Option<Method>,
}

impl NeuronModel {
    /// The variable called `name`.
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable.name == name && variable.role != Role::Local)
    }

    /// What a variable or subexpression measures.
    pub fn dimension(&self, name: &str) -> Option<Dimension> {
        let variable = self.variable(name).map(|variable| self.variables[variable].dimension);
        variable.or_else(|| self.subexpressions.get(name).map(|subexpression| subexpression.dimension))
    }

    /// Names of variables and subexpressions, as a recording may ask for them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let variables = self.variables.iter().filter(|variable| variable.role != Role::Local);
        variables.map(|variable| variable.name.as_str()).chain(self.subexpressions.keys().map(String::as_str))
    }

    /// All its terms but subexpressions, which are worked into the others.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        let regular = self.regular.iter().map(|(_, statements)| statements);
        let regular = regular.chain(self.events.iter().map(|event| &event.statements));
        let all = [&self.held, &self.equations, &self.update, &self.reset, &self.inputs].into_iter().chain(regular);
        let assigned = all.flatten();
        let rest = self.refractory.iter().map(|rest| match rest {
            Refractory::Time(term) | Refractory::Condition(term) => term,
        });
        let conditions = self.events.iter().map(|event| &event.condition);
        assigned.map(|(_, term)| term).chain(&self.threshold).chain(&self.score).chain(rest).chain(conditions)
    }

    /// Parameters and variables that divide a right-hand side and measure a time: none of them may be 0 or below.
    pub fn time_constants(&self) -> Vec<&str> {
        time_constants(self.equations.iter().map(|(_, rate)| rate), &self.variables, &self.constants)
    }
}

/// Which neuron of a synapse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// The presynaptic neuron.
    Pre,
    /// The postsynaptic neuron.
    Post,
    /// The third neuron, such as an astrocyte; only some synapses have one.
    Third,
}

impl End {
    /// All of them, in the order in which their spikes reach synapses.
    pub const ALL: [End; 3] = [End::Pre, End::Post, End::Third];

    /// As in the names of its values: `pre`, `post` or `third`.
    pub fn name(self) -> &'static str {
        match self {
            End::Pre => "pre",
            End::Post => "post",
            End::Third => "third",
        }
    }
}

/// The models of the neurons of a synapse.
#[derive(Debug, Clone, Copy)]
pub struct SynapseNeurons<'a> {
    /// The presynaptic neuron.
    pub pre: &'a NeuronModel,
    /// The postsynaptic neuron.
    pub post: &'a NeuronModel,
    /// The third neuron, if there is one.
    pub third: Option<&'a NeuronModel>,
}

impl<'a> From<(&'a NeuronModel, &'a NeuronModel)> for SynapseNeurons<'a> {
    fn from((pre, post): (&'a NeuronModel, &'a NeuronModel)) -> SynapseNeurons<'a> {
        SynapseNeurons { pre, post, third: None }
    }
}

/// A value of a neuron that a synapse reads.
#[derive(Debug, Clone, PartialEq)]
pub struct NeuronRead {
    /// Of which neuron.
    pub end: End,
    /// Name of a variable, parameter or constant of its population.
    pub name: String,
}

/// What a statement of a synapse writes.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A variable of the synapse, or a local name.
    Own(usize),
    /// `x_post += value`: a variable of the postsynaptic neuron, through a port.
    Add(usize),
    /// `x_post = value`: likewise, in any other way.
    Post(usize),
}

/// One statement of a synapse.
#[derive(Debug, Clone, PartialEq)]
pub struct SynapseStatement {
    /// What it writes.
    pub target: Target,
    /// The new value, or for [`Target::Add`] what is added.
    pub value: Term,
}

/// What each synapse contributes to a variable of its postsynaptic or third neuron in every step.
#[derive(Debug, Clone, PartialEq)]
pub struct SummedVariable {
    /// Which neuron.
    pub end: End,
    /// The name of the variable in the neuron.
    pub name: String,
    /// The contribution of a synapse.
    pub value: Term,
}

/// What the arrival of a spike does.
#[derive(Debug, Clone, PartialEq)]
pub struct Pathway {
    /// Its name: `pre`, `post` or `third`, where the model has but one at that end.
    pub name: String,
    /// Whose spikes they are.
    pub end: End,
    /// Its statements.
    pub statements: Vec<SynapseStatement>,
}

/// A checked synapse model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SynapseModel {
    /// Declared variables, then local ones.
    pub variables: Vec<Variable>,
    /// Constants of the projection.
    pub constants: Vec<Constant>,
    /// Values of its neurons that the texts use.
    pub reads: Vec<NeuronRead>,
    /// Subexpressions that are computed wherever they are used.
    pub subexpressions: IndexMap<String, Subexpression>,
    /// Variables held over a step, with their values, each after those it needs.
    pub held: Vec<(usize, Term)>,
    /// Variable and right-hand side of each clock-driven equation, per ms.
    pub equations: Vec<(usize, Term)>,
    /// The same for event-driven equations, each linear in its own variable with coefficients that do not change.
    pub event_driven: Vec<(usize, Term)>,
    /// What each synapse contributes to variables of neurons in every step.
    pub summed: Vec<SummedVariable>,
    /// What spikes do: those of the pre neuron, of the post neuron, then of the third neuron, each by name.
    pub pathways: Vec<Pathway>,
    /// What happens at regular steps, in this order: all statements write variables of the synapse.
    pub regular: Vec<(Interval, Vec<SynapseStatement>)>,
    /// What the same spikes add to variables of the presynaptic neuron: expressions of constants.
    pub to_pre: Vec<Pathway>,
    /// Not 0 while the synapse learns; of synapses with plastic variables that can be switched.
    pub plasticity: Option<Term>,
    /// Sites of the draws that are white noise (`xi`).
    pub noise: Vec<u32>,
    /// The requested method.
    pub method: Option<Method>,
}

impl SynapseModel {
    /// The variable called `name`.
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable.name == name && variable.role != Role::Local)
    }

    /// What every variable and subexpression measures.
    pub fn dimensions(&self) -> IndexMap<String, Dimension> {
        let variables = self.variables.iter().filter(|variable| variable.role != Role::Local);
        let variables = variables.map(|variable| (variable.name.clone(), variable.dimension));
        variables.chain(self.subexpressions.iter().map(|(name, sub)| (name.clone(), sub.dimension))).collect()
    }

    /// The statements of all pathways and regular steps.
    pub fn statements(&self) -> impl Iterator<Item = &SynapseStatement> {
        let of_pathways = self.pathways.iter().flat_map(|pathway| &pathway.statements);
        of_pathways.chain(self.regular.iter().flat_map(|(_, statements)| statements))
    }

    /// Whether an event always adds the same to its target, so that nothing needs to be computed when a spike arrives.
    pub fn is_static(&self) -> bool {
        let fixed = |write: &SynapseStatement| {
            matches!(write.target, Target::Add(_))
                && !write.value.any(|symbol| match symbol {
                    Some(crate::term::Symbol::Variable(variable)) => self.variables[variable].written,
                    Some(crate::term::Symbol::Read(_) | crate::term::Symbol::Time) | None => true,
                    Some(_) => false,
                })
        };
        self.equations.is_empty()
            && self.event_driven.is_empty()
            && self.summed.is_empty()
            && self.regular.is_empty()
            && self.held.is_empty()
            && self.pathways.iter().all(|pathway| pathway.end == End::Pre && pathway.statements.iter().all(fixed))
    }

    /// Whether statements read or write an event-driven variable: only then are those of the synapse brought to the time of the
    /// statements (rule 3.11).
    pub(crate) fn uses_event_driven(&self, statements: &[SynapseStatement]) -> bool {
        let uses = |of: &SynapseStatement, driven: usize| of.target == Target::Own(driven) || of.value.mentions(driven);
        statements.iter().any(|of| self.event_driven.iter().any(|(driven, _)| uses(of, *driven)))
    }

    /// As [`NeuronModel::time_constants`].
    pub fn time_constants(&self) -> Vec<&str> {
        let rates = self.equations.iter().chain(&self.event_driven).map(|(_, rate)| rate);
        time_constants(rates, &self.variables, &self.constants)
    }
}

fn time_constants<'a, 'b>(
    rates: impl Iterator<Item = &'b Term>,
    variables: &'a [Variable],
    constants: &'a [Constant],
) -> Vec<&'a str> {
    use crate::syntax::BinaryOp;
    use crate::term::{Node, Symbol};
    let mut names = Vec::new();
    for rate in rates {
        rate.walk(&mut |node| {
            let Node::Binary(BinaryOp::Divide, _, divisor) = node else { return };
            let (name, dimension) = match **divisor {
                Node::Symbol(Symbol::Variable(at)) if !variables[at].written => (&variables[at].name, variables[at].dimension),
                Node::Symbol(Symbol::Constant(at)) => (&constants[at].name, constants[at].dimension),
                _ => return,
            };
            if dimension == Dimension::TIME && !names.contains(&name.as_str()) {
                names.push(name.as_str());
            }
        });
    }
    names
}
