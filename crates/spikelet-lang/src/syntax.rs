//! Text → trees: expressions, equations, statements, in the syntax of Brian 2. No names are looked up here.

mod generator;
mod lines;
mod parser;
mod token;
mod units;

use crate::diagnostic::{Diagnostic, Span};
use crate::unit::Unit;

/// An expression as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

impl Expr {
    /// Whether the name occurs in it.
    pub fn mentions(&self, wanted: &str) -> bool {
        match &self.kind {
            ExprKind::Number(_) | ExprKind::Boolean(_) => false,
            ExprKind::Name(name) => name == wanted,
            ExprKind::Unary(_, x) => x.mentions(wanted),
            ExprKind::Binary(_, x, y) => x.mentions(wanted) || y.mentions(wanted),
            ExprKind::Call(name, arguments) => name == wanted || arguments.iter().any(|argument| argument.mentions(wanted)),
        }
    }
}

/// The kinds of expression.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// `0.5`, `1e-3`
    Number(f64),
    /// `True`, `False`
    Boolean(bool),
    /// `v`, `mV`
    Name(String),
    /// `-x`, `not x`
    Unary(UnaryOp, Box<Expr>),
    /// `x + y`, `a and b`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `f(x, y)`
    Call(String, Vec<Expr>),
}

/// Generated indices, `k for k in range(i - 3, i + 4) if i != k`.
#[derive(Debug, Clone, PartialEq)]
pub struct Generator {
    /// The index, an expression.
    pub element: Expr,
    /// The name that takes several values, and these values.
    pub iteration: Option<GeneratorLoop>,
    /// Only indices for which this is true.
    pub condition: Option<Expr>,
}

/// `for k in range(10)`
#[derive(Debug, Clone, PartialEq)]
pub struct GeneratorLoop {
    /// The name.
    pub name: String,
    /// Its values.
    pub source: GeneratorSource,
}

/// `range(first, end, step)`, or some of these: `sample(first, end, step, p=0.1)`.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneratorSource {
    /// The first value; default 0.
    pub first: Option<Expr>,
    /// The first value after the last one.
    pub end: Expr,
    /// Their distance; default 1.
    pub step: Option<Expr>,
    /// How many of them are drawn, if not all are taken.
    pub amount: Option<SampleAmount>,
    /// Where it stands.
    pub span: Span,
}

/// How many values a sample draws.
#[derive(Debug, Clone, PartialEq)]
pub enum SampleAmount {
    /// Each with this probability.
    Probability(Expr),
    /// This many of them, without repetition.
    Size(Expr),
}

/// Operators of one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x`
    Negate,
    /// `not x`
    Not,
}

/// Operators of two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Modulo,
    Power,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

impl BinaryOp {
    /// As written in a text.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::FloorDivide => "//",
            BinaryOp::Modulo => "%",
            BinaryOp::Power => "**",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
        }
    }

    /// Whether the result is true or false.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        matches!(self, Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual)
    }
}

/// One line of `equations`.
#[derive(Debug, Clone, PartialEq)]
pub struct Equation {
    /// The name it defines.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// `dv/dt = …`, `I = …`, or neither.
    pub kind: EquationKind,
    /// The unit after the colon; that of a pure number for `boolean` and `integer`.
    pub unit: Unit,
    /// The type after the colon.
    pub declared: Declared,
    /// `(constant)`, `(unless refractory)`, `(event-driven)` … as words joined by single spaces, each with its place.
    pub flags: Vec<(String, Span)>,
}

/// The types of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Declared {
    /// A number with a unit.
    #[default]
    Float,
    /// `: integer`
    Integer,
    /// `: boolean`
    Boolean,
}

/// The kinds of equation.
#[derive(Debug, Clone, PartialEq)]
pub enum EquationKind {
    /// `dx/dt = …`
    Differential(Expr),
    /// `x = …`
    Subexpression(Expr),
    /// `x : unit`
    Parameter,
}

/// `v = c`, `u += d`: the operator is already worked into the value.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// The name that is written.
    pub target: String,
    /// Where it stands.
    pub span: Span,
    /// How it is written.
    pub kind: AssignKind,
    /// The right-hand side.
    pub value: Expr,
}

/// The assignment operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssignKind {
    /// `=`
    Set,
    /// `+=`, `-=`, `*=`, `/=`, `//=`, `%=`, `**=`
    Change(BinaryOp),
}

/// Parses one expression, on as many lines as it likes. `place` names the text in diagnostics.
///
/// # Errors
/// The first mistake.
pub fn parse_expression(place: &str, text: &str) -> Result<Expr, Diagnostic> {
    parser::Parser::whole(place, text, parser::Parser::expression)
}

/// Parses generated indices.
///
/// # Errors
/// The first mistake.
pub fn parse_generator(place: &str, text: &str) -> Result<Generator, Diagnostic> {
    parser::Parser::whole(place, text, parser::Parser::generator)
}

/// Parses `equations`.
///
/// # Errors
/// Every mistake in the order of the text: one for each equation at least.
pub fn parse_equations(place: &str, text: &str) -> Result<Vec<Equation>, Vec<Diagnostic>> {
    parser::Parser::new(place, text).equations()
}

/// Parses statements, one a line or separated by semicolons.
///
/// # Errors
/// Every mistake in the order of the text: one for each statement at least.
pub fn parse_statements(place: &str, text: &str) -> Result<Vec<Statement>, Vec<Diagnostic>> {
    parser::Parser::new(place, text).statements()
}

/// Parses a unit such as `mV`, `siemens/cm**2`, `1/ms`.
///
/// # Errors
/// The first mistake.
pub fn parse_unit(text: &str) -> Result<Unit, Diagnostic> {
    parser::Parser::whole("unit", text, parser::Parser::unit)
}

/// Parses a quantity as written in a file: `20 ms` is `20*ms`, in arguments of functions too; everything else is an expression.
///
/// # Errors
/// The first mistake.
pub fn parse_quantity(place: &str, text: &str) -> Result<Expr, Diagnostic> {
    parser::Parser::whole(place, text, parser::Parser::quantity)
}
