//! Names and dimensions: trees → [`crate::term`]s in inner units.

mod block;
mod distributions;
mod ends;
mod flags;
mod infinite;
mod link;
mod names;
mod neuron;
mod own;
mod statements;
mod synapse;
mod values;

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Kind, Span, suggestion};
use crate::functions::Dimensions;
use crate::host;
use crate::model::Table;
use crate::own::{OwnFunction, OwnFunctions};
use crate::syntax::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::term::{self, Function, Node, Random, Term};
use crate::unit::{self, Dimension};

pub use distributions::{ArgumentRule, DISTRIBUTIONS};
pub use ends::COUNTS;
pub use link::check_link;
pub use neuron::check_neuron;
pub use synapse::{PLASTICITY, check_synapse, may_add_to_pre};
pub use values::{Value, ValueScope, resolve_value};

/// What an expression is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// A number of this dimension.
    Number(Dimension),
    /// True or false.
    Boolean,
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Number(dimension) => dimension.fmt(f),
            Type::Boolean => f.write_str("a condition"),
        }
    }
}

/// The scope in which names of an expression are resolved.
pub trait Scope {
    /// The meaning of `name` in the text `at.1` of the place `at.0`; `Ok(None)` if the scope does not know it (units are tried next).
    fn name(&self, name: &str, at: (&str, &str, Span)) -> Result<Option<(Term, Type)>, Diagnostic>;
    /// A new site for a random draw, or why there is none here.
    fn site(&self) -> Result<u32, &'static str>;
    /// The timed array called `name`, with its number.
    fn table(&self, _: &str) -> Option<(usize, Table)> {
        None
    }
    /// Functions of one's own.
    fn functions(&self) -> Option<&OwnFunctions> {
        None
    }
    /// Suggestions for a misspelled name.
    fn known(&self) -> Vec<String>;
    /// Description of a name with a meaning in other texts, but not here: "a variable of the target".
    fn elsewhere(&self, _: &str) -> Option<String> {
        None
    }
    /// Whether each value is computed on the host, where all distributions can be drawn and their arguments are checked.
    fn is_on_host(&self) -> bool {
        false
    }
    /// Records conditions on arguments whose values are not known yet. Code does not check them: its distributions return a number for all
    /// arguments.
    fn demand(&self, _: ArgumentRule) {}
}

/// Resolves `expression` of the text `text`; its value is in inner units.
pub fn resolve(place: &str, text: &str, expression: &Expr, scope: &dyn Scope) -> Result<(Term, Type), Diagnostic> {
    let resolver = Resolver { place, text, scope };
    let (term, kind) = resolver.expression(expression)?;
    match infinite::value(&term) {
        Some(_) => Err(resolver.infinite(expression.span)),
        None => Ok((term, kind)),
    }
}

/// As [`resolve`], and the result must have this dimension.
pub fn resolve_as(place: &str, text: &str, expression: &Expr, scope: &dyn Scope, wanted: Dimension) -> Result<Term, Diagnostic> {
    let (term, found) = resolve(place, text, expression, scope)?;
    if found == Type::Number(wanted) {
        return Ok(term);
    }
    let written = &text[expression.span.start..expression.span.end];
    let message = format!("`{written}` is {found}; expected {wanted}.");
    let diagnostic = Diagnostic::new(Kind::DimensionMismatch, place, text, expression.span, message);
    Err(match found {
        Type::Number(found) if lacks_unit(&term, found, wanted) => diagnostic.help(with_unit(written, wanted)),
        _ => diagnostic,
    })
}

/// Whether a term is a number without the unit that it needs.
fn lacks_unit(term: &Term, found: Dimension, wanted: Dimension) -> bool {
    matches!(**term, Node::Number(_)) && found.is_none() && !wanted.is_none()
}

fn with_unit(written: &str, wanted: Dimension) -> String {
    format!("Write its unit, for example `{written}*{}`.", wanted.inner_unit())
}

struct Resolver<'a> {
    place: &'a str,
    text: &'a str,
    scope: &'a dyn Scope,
}

type Resolved = Result<(Term, Type), Diagnostic>;

impl Resolver<'_> {
    fn error(&self, kind: Kind, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(kind, self.place, self.text, span, message)
    }

    fn written(&self, expression: &Expr) -> &str {
        &self.text[expression.span.start..expression.span.end]
    }

    fn expression(&self, expression: &Expr) -> Resolved {
        match &expression.kind {
            ExprKind::Number(value) => Ok((term::number(*value), Type::Number(Dimension::NONE))),
            ExprKind::Boolean(value) => Ok((Arc::new(Node::Boolean(*value)), Type::Boolean)),
            ExprKind::Name(name) => self.name(name, expression.span),
            ExprKind::Unary(UnaryOp::Negate, operand) => {
                let (term, dimension) = self.number(operand)?;
                Ok((term::negate(&term), Type::Number(dimension)))
            }
            ExprKind::Unary(UnaryOp::Not, operand) => Ok((Arc::new(Node::Not(self.condition(operand)?)), Type::Boolean)),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Call(name, arguments) => self.call(name, arguments, expression.span),
        }
    }

    fn name(&self, name: &str, span: Span) -> Resolved {
        if let Some(found) = self.scope.name(name, (self.place, self.text, span))? {
            return Ok(found);
        }
        if let Some(unit) = unit::lookup(name) {
            return Ok((term::number(unit.factor), Type::Number(unit.dimension)));
        }
        if infinite::is_name(name) {
            return Ok((term::number(f64::INFINITY), Type::Number(Dimension::NONE)));
        }
        if name == "pi" {
            return Ok((term::number(std::f64::consts::PI), Type::Number(Dimension::NONE)));
        }
        let known = self.scope.known();
        if let Some(what) = self.scope.elsewhere(name) {
            let help = format!("The known names here are `{}`.", known.join("`, `"));
            return Err(self.error(Kind::UndefinedName, span, format!("`{name}` is {what}, and has no value here.")).help(help));
        }
        if ["infinity", "nan"].contains(&name.to_lowercase().as_str()) {
            return Err(self.error(Kind::NotFinite, span, format!("`{name}` is not a finite number.")).help(infinite::HELP));
        }
        let diagnostic = self.error(Kind::UndefinedName, span, format!("`{name}` is not defined."));
        let near = suggestion(name, known.iter().map(String::as_str));
        if near.is_none() && name.starts_with("tau") {
            // This form means a parameter.
            let message = format!("`{name}` has no value.");
            let help = format!("Set it in the parameters, for example {name} = 20*ms.");
            return Err(self.error(Kind::MissingParameterValue, span, message).help(help));
        }
        // `V`, `s`: one letter is a unit only where nothing else can stand.
        if let Some(word) = unit::word_of_symbol(name).filter(|_| near.is_none()) {
            return Err(diagnostic.help(format!("If it is the unit, write `{word}`; if not, set it in the parameters.")));
        }
        let near = near.or_else(|| suggestion(name, unit::common_names()));
        Err(match near {
            Some(near) => diagnostic.help(format!("Did you mean `{near}`?")),
            None => diagnostic.help("Set it in the parameters, or write an equation."),
        })
    }

    /// A numeric operand.
    fn number(&self, expression: &Expr) -> Result<(Term, Dimension), Diagnostic> {
        match self.expression(expression)? {
            (term, Type::Number(dimension)) => Ok((term, dimension)),
            (_, Type::Boolean) => {
                let message = format!("`{}` is a condition; expected a number.", self.written(expression));
                Err(self.error(Kind::DimensionMismatch, expression.span, message).help("Write `int(…)` around it to get 1 or 0."))
            }
        }
    }

    /// An operand that is true or false.
    fn condition(&self, expression: &Expr) -> Result<Term, Diagnostic> {
        match self.expression(expression)? {
            (term, Type::Boolean) => Ok(term),
            (_, found) => {
                let message = format!("`{}` is {found}; expected a condition such as `v > -50*mV`.", self.written(expression));
                Err(self.error(Kind::DimensionMismatch, expression.span, message))
            }
        }
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Resolved {
        let span = left.span.to(right.span);
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            return Ok((Arc::new(Node::Binary(op, self.condition(left)?, self.condition(right)?)), Type::Boolean));
        }
        let ((x, dx), (y, dy)) = (self.number(left)?, self.number(right)?);
        let same = || {
            if dx == dy {
                return Ok(());
            }
            let (l, r, sign) = (self.written(left), self.written(right), op.symbol());
            let message = format!("`{l} {sign} {r}`: `{l}` is {dx}, `{r}` is {dy}; expected the same dimension on both sides.");
            let diagnostic = self.error(Kind::DimensionMismatch, span, message);
            Err(match (lacks_unit(&x, dx, dy), lacks_unit(&y, dy, dx)) {
                (true, _) => diagnostic.help(with_unit(l, dy)),
                (_, true) => diagnostic.help(with_unit(r, dx)),
                _ => diagnostic,
            })
        };
        let infinite = || match infinite::binary(op, &x, &y) {
            Some(Err(())) => Err(self.infinite(span)),
            Some(Ok(term)) => Ok(Some(term)),
            None => Ok(None),
        };
        let node = |op| Arc::new(Node::Binary(op, x.clone(), y.clone()));
        let (term, kind) = match op {
            BinaryOp::Add => same().map(|()| (term::add(&x, &y), Type::Number(dx))),
            BinaryOp::Subtract => same().map(|()| (term::subtract(&x, &y), Type::Number(dx))),
            BinaryOp::Multiply => Ok((term::multiply(&x, &y), Type::Number(dx.times(dy)))),
            BinaryOp::Divide => Ok((term::divide(&x, &y), Type::Number(dx.over(dy)))),
            BinaryOp::FloorDivide => Ok((node(op), Type::Number(dx.over(dy)))),
            BinaryOp::Modulo => same().map(|()| (node(op), Type::Number(dx))),
            BinaryOp::Power => self.power(&x, dx, &y, dy, right),
            _ if op.is_comparison() => same().map(|()| (node(op), Type::Boolean)),
            _ => Err(self.error(Kind::Unsupported, span, format!("`{}` cannot be used here.", op.symbol()))),
        }?;
        Ok((infinite()?.unwrap_or(term), kind))
    }

    fn infinite(&self, span: Span) -> Diagnostic {
        let written = &self.text[span.start.min(self.text.len())..span.end.min(self.text.len())];
        self.error(Kind::NotFinite, span, format!("`{written}` is not a finite number.")).help(infinite::HELP)
    }

    fn power(&self, x: &Term, dx: Dimension, y: &Term, dy: Dimension, exponent: &Expr) -> Resolved {
        if !dy.is_none() {
            let message = format!("the power `{}` is {dy}; expected a pure number.", self.written(exponent));
            return Err(self.error(Kind::DimensionMismatch, exponent.span, message));
        }
        let dimension = match (&**y, dx.is_none()) {
            (_, true) => Some(Dimension::NONE),
            (Node::Number(value), false) => dx.power(*value),
            (_, false) => None,
        };
        let Some(dimension) = dimension else {
            let message = format!("a power of {dx} needs a plain number as exponent, found `{}`.", self.written(exponent));
            return Err(self.error(Kind::DimensionMismatch, exponent.span, message));
        };
        let folded = match (&**x, &**y) {
            (Node::Number(base), Node::Number(power)) => term::number(libm::pow(*base, *power)),
            _ => Arc::new(Node::Binary(BinaryOp::Power, x.clone(), y.clone())),
        };
        Ok((folded, Type::Number(dimension)))
    }

    fn call(&self, name: &str, arguments: &[Expr], span: Span) -> Resolved {
        if let Some((index, table)) = self.scope.table(name) {
            return self.timed_array(name, index, table, arguments, span);
        }
        let own = self.scope.functions();
        if let Some((functions, (number, function))) = own.and_then(|functions| Some((functions, functions.find(name)?))) {
            return self.own_function((number, function), functions, name, arguments, span);
        }
        let random = match name {
            "rand" => Some(Random::Uniform),
            "randn" => Some(Random::Normal),
            _ => None,
        };
        let arity = |expected: usize| {
            if arguments.len() == expected {
                return Ok(());
            }
            let message = format!("`{name}` takes {expected} argument{}, found {}.", plural(expected), arguments.len());
            Err(self.error(Kind::WrongArity, span, message))
        };
        let draw = |random| {
            let site = self.scope.site().map_err(|why| self.error(Kind::Unsupported, span, format!("`{name}()`: {why}.")))?;
            Ok(Arc::new(Node::Random(random, site)))
        };
        if let Some(random) = random {
            arity(0)?;
            return Ok((draw(random)?, Type::Number(Dimension::NONE)));
        }
        if let Some(distribution) = distributions::find(name, arguments.len()) {
            return self.distribution(distribution, arguments, span);
        }
        if name == "timestep" {
            arity(2)?;
            return self.timestep(arguments);
        }
        let Some(function) = Function::named(name) else {
            let diagnostic = self.error(Kind::UndefinedName, span, format!("there is no function `{name}`."));
            if let Some((_, here)) = Function::ELSEWHERE.into_iter().find(|(elsewhere, _)| *elsewhere == name) {
                return Err(diagnostic.help(format!("Write `{here}`.")));
            }
            let functions = Function::written().map(|known| known.row().name).chain(["rand", "randn", "timestep"]);
            let own = own.into_iter().flat_map(OwnFunctions::names);
            let known: Vec<&str> = functions.chain(DISTRIBUTIONS.iter().map(|(known, _)| *known)).chain(own).collect();
            return Err(match suggestion(name, known.iter().copied()) {
                Some(near) => diagnostic.help(format!("Did you mean `{near}`?")),
                None => diagnostic.help(format!("The known ones are {}.", known.join(", "))),
            });
        };
        arity(function.row().arguments)?;
        if function == Function::Int {
            let (term, found) = self.expression(&arguments[0])?;
            return match found {
                Type::Number(dimension) if !dimension.is_none() => Err(self.pure(name, &arguments[0], dimension)),
                _ => Ok((term::call(function, term), Type::Number(Dimension::NONE))),
            };
        }
        if function.row().is_random {
            let mut terms = Vec::new();
            for argument in arguments {
                let (term, found) = self.number(argument)?;
                if !found.is_none() {
                    return Err(self.pure(name, argument, found));
                }
                terms.push(term);
            }
            terms.push(draw(Random::Uniform)?);
            return Ok((Arc::new(Node::Call(function, terms)), Type::Number(Dimension::NONE)));
        }
        let mut terms = Vec::new();
        let mut dimension = Dimension::NONE;
        for (k, argument) in arguments.iter().enumerate() {
            let (term, found) = self.number(argument)?;
            if k == 0 {
                dimension = found;
            } else if found != dimension {
                let message = format!("`{}` is {found}; the first argument of `{name}` is {dimension}.", self.written(argument));
                return Err(self.error(Kind::DimensionMismatch, argument.span, message));
            }
            terms.push(term);
        }
        let result = match function.row().dimensions {
            Dimensions::Kept => dimension,
            Dimensions::Dropped => Dimension::NONE,
            Dimensions::Root => dimension.power(0.5).unwrap_or(Dimension::NONE),
            Dimensions::Pure if dimension.is_none() => Dimension::NONE,
            Dimensions::Pure => return Err(self.pure(name, &arguments[0], dimension)),
        };
        let term = match infinite::call(function, &terms) {
            Some(Err(())) => return Err(self.infinite(span)),
            Some(Ok(term)) => term,
            None => Arc::new(Node::Call(function, terms)),
        };
        Ok((term, Type::Number(result)))
    }

    /// `timestep(t, dt)`: the whole number of steps of `dt` that fit into `t`, in which the next step counts from 0.001 dt before it on.
    fn timestep(&self, arguments: &[Expr]) -> Resolved {
        let mut times = Vec::new();
        for argument in arguments {
            let (term, found) = self.number(argument)?;
            if found != Dimension::TIME {
                let message =
                    format!("`{}` is {found}; `timestep` takes two times, as in `timestep(t, dt)`.", self.written(argument));
                return Err(self.error(Kind::DimensionMismatch, argument.span, message));
            }
            times.push(term);
        }
        let later = term::add(&times[0], &term::multiply(&term::number(1e-3), &times[1]));
        Ok((term::call(Function::Floor, term::divide(&later, &times[1])), Type::Number(Dimension::NONE)))
    }

    /// A call of a function of one's own: its expression is worked in, and stays the twin of what a GPU calls.
    fn own_function(
        &self,
        (number, function): (usize, &OwnFunction),
        functions: &OwnFunctions,
        name: &str,
        arguments: &[Expr],
        span: Span,
    ) -> Resolved {
        let wanted = function.arguments();
        if arguments.len() != wanted.len() {
            let message = format!("`{name}` takes {} argument{}, found {}.", wanted.len(), plural(wanted.len()), arguments.len());
            return Err(self.error(Kind::WrongArity, span, message));
        }
        let terms = arguments.iter().zip(wanted).map(|(argument, wanted)| {
            let (term, found) = self.number(argument)?;
            if found == *wanted {
                return Ok(term);
            }
            let message = format!("`{}` is {found}; `{name}` takes {wanted} here.", self.written(argument));
            Err(self.error(Kind::DimensionMismatch, argument.span, message))
        });
        let terms = terms.collect::<Result<Vec<Term>, Diagnostic>>()?;
        let value = function.of(&terms, functions, self.scope)?;
        let term = if function.has_wgsl() { Arc::new(Node::Own(number, terms, value)) } else { value };
        Ok((term, Type::Number(function.dimension())))
    }

    /// `I(t)`, `I(t, i)`: the entry of the row that t falls into.
    fn timed_array(&self, name: &str, index: usize, table: Table, arguments: &[Expr], span: Span) -> Resolved {
        let wanted = if table.columns > 1 { "`t` and the column, as in" } else { "`t`, as in" };
        let example = if table.columns > 1 { format!("`{name}(t, i)`") } else { format!("`{name}(t)`") };
        if arguments.len() != 1 + usize::from(table.columns > 1) {
            let message = format!("the timed array `{name}` takes {wanted} {example}; found {} arguments.", arguments.len());
            return Err(self.error(Kind::WrongArity, span, message));
        }
        let (time, dimension) = self.number(&arguments[0])?;
        if dimension != Dimension::TIME {
            let message = format!("`{}` is {dimension}; expected a time, as in {example}.", self.written(&arguments[0]));
            return Err(self.error(Kind::DimensionMismatch, arguments[0].span, message));
        }
        // A hair more, since a time on the border of two rows is in the later one.
        let rows = term::divide(&time, &term::number(f64::from_bits(table.row_ms)));
        let row = term::call(Function::Floor, term::add(&rows, &term::number(1e-4)));
        let ends = [0, table.rows.saturating_sub(1)].map(|row| term::number(row as f64));
        let mut entry: Term = Arc::new(Node::Call(Function::Clip, [row].into_iter().chain(ends).collect()));
        if let Some(written) = arguments.get(1) {
            let (column, dimension) = self.number(written)?;
            if !dimension.is_none() {
                return Err(self.pure(name, written, dimension));
            }
            let count = term::number(table.columns as f64);
            let column: Term = Arc::new(Node::Call(Function::Column, vec![column, term::number(index as f64), count.clone()]));
            if let Node::Call(_, arguments) = &*column
                && let Node::Number(found) = *arguments[0]
                && host::evaluate(&column, &mut |_| f64::NAN).is_nan()
            {
                let message = format!("`{name}` has the columns 0 to {}; found {found}.", table.columns - 1);
                return Err(self.error(Kind::OutOfRange, written.span, message).help("Columns are counted from 0."));
            }
            entry = term::add(&term::multiply(&entry, &count), &column);
        }
        Ok((Arc::new(Node::Lookup(index, entry)), Type::Number(table.dimension)))
    }

    fn pure(&self, name: &str, argument: &Expr, found: Dimension) -> Diagnostic {
        let message = format!("`{name}` takes a pure number, `{}` is {found}.", self.written(argument));
        self.error(Kind::DimensionMismatch, argument.span, message).help("Divide by a quantity of the same dimension.")
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
