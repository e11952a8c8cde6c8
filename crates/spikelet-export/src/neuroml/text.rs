//! Terms as expressions of LEMS, which are numbers in inner units: quantities of LEMS are divided by a constant of their unit where they are read.

use spikelet::lang::Dimension;
use spikelet::lang::syntax::BinaryOp;
use spikelet::lang::term::{Function, Node, Random, Symbol, Term};

use crate::Lack;

/// Dimensions of LEMS with the inner unit, the constant that is one of it, and its name in files.
const UNITS: [(&str, &str, &str, &str); 6] = [
    ("mV", "voltage", "MVOLT", "mV"),
    ("ms", "time", "MSEC", "ms"),
    ("pA", "current", "PAMP", "pA"),
    ("nS", "conductance", "NSIEMENS", "nS"),
    ("pF", "capacitance", "PFARAD", "pF"),
    ("kHz", "per_time", "PER_MSEC", "per_ms"),
];
/// Names of attributes, functions and variables of LEMS, which variables cannot have.
const TAKEN: [&str; 34] = [
    "id",
    "name",
    "type",
    "extends",
    "t",
    "weight",
    "i",
    "size",
    "index",
    "component",
    "exp",
    "log",
    "ln",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "abs",
    "ceil",
    "random",
    "factorial",
    "H",
    "MVOLT",
    "MSEC",
    "PAMP",
    "NSIEMENS",
    "PFARAD",
    "PER_MSEC",
    "STEP",
    "active",
    "spikes",
];
/// The most operations of an expression: subexpressions are worked in wherever they are used.
const MOST: usize = 20_000;

/// What a name measures, as LEMS has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit(Option<usize>);

impl Unit {
    /// The unit of a dimension; a pure number if LEMS has no name for it.
    pub(super) fn of(dimension: Dimension) -> Unit {
        let inner = dimension.inner_unit();
        Unit(UNITS.iter().position(|(unit, ..)| *unit == inner))
    }

    /// The name of the dimension.
    pub(super) fn dimension(self) -> &'static str {
        self.0.map_or("none", |at| UNITS[at].1)
    }

    /// A value in a file.
    pub(super) fn value(self, number: f64) -> String {
        self.0.map_or_else(|| format!("{number}"), |at| format!("{number}{}", UNITS[at].3))
    }

    /// The number that a name stands for.
    pub(super) fn number(self, name: &str) -> String {
        self.0.map_or_else(|| name.to_owned(), |at| format!("({name}/{})", UNITS[at].2))
    }

    /// The quantity of a number.
    pub(super) fn quantity(self, number: &str) -> String {
        self.0.map_or_else(|| number.to_owned(), |at| format!("({number})*{}", UNITS[at].2))
    }
}

/// The constants of all units and of the step.
pub(super) fn constants(dt_ms: f64) -> String {
    let mut text = String::new();
    for (_, dimension, constant, unit) in UNITS {
        text += &format!("    <Constant name=\"{constant}\" dimension=\"{dimension}\" value=\"1{unit}\"/>\n");
    }
    text + &format!("    <Constant name=\"STEP\" dimension=\"time\" value=\"{dt_ms}ms\"/>\n")
}

/// A name that LEMS can have.
pub(super) fn identifier(name: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let name: String = name.chars().map(fit).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
        format!("n{name}")
    } else if TAKEN.contains(&name.as_str()) {
        format!("{name}_")
    } else {
        name
    }
}

/// Text inside of an attribute or element.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A term as a number in its inner unit.
pub(super) fn expression(term: &Term, read: &dyn Fn(Symbol) -> Result<String, Lack>) -> Result<String, Lack> {
    if term.size(MOST) >= MOST {
        return Err("expressions of this length".into());
    }
    write(term, read)
}

/// A term as a test.
pub(super) fn test(term: &Term, read: &dyn Fn(Symbol) -> Result<String, Lack>) -> Result<String, Lack> {
    if let Node::Binary(op, x, y) = &**term {
        let word = match op {
            BinaryOp::Greater => ".gt.",
            BinaryOp::GreaterEqual => ".geq.",
            BinaryOp::Less => ".lt.",
            BinaryOp::LessEqual => ".leq.",
            BinaryOp::And => return Ok(format!("({}) .and. ({})", test(x, read)?, test(y, read)?)),
            BinaryOp::Or => return Ok(format!("({}) .or. ({})", test(x, read)?, test(y, read)?)),
            _ => "",
        };
        if !word.is_empty() {
            return Ok(format!("{} {word} {}", expression(x, read)?, expression(y, read)?));
        }
    }
    Ok(format!("{} .gt. 0.5", expression(term, read)?))
}

/// A number, with brackets if it is negative.
fn literal(value: f64) -> String {
    if value < 0.0 { format!("(0 - {:?})", -value) } else { format!("{value:?}") }
}

fn write(term: &Term, read: &dyn Fn(Symbol) -> Result<String, Lack>) -> Result<String, Lack> {
    Ok(match &**term {
        Node::Number(value) if value.is_finite() => literal(*value),
        Node::Number(_) => return Err("infinite values".into()),
        Node::Boolean(value) => if *value { "1" } else { "0" }.to_owned(),
        Node::Symbol(symbol) => read(*symbol)?,
        Node::Negate(x) => format!("(0 - {})", write(x, read)?),
        Node::Not(x) => format!("(1 - {})", write(x, read)?),
        Node::Binary(op, x, y) => binary(*op, &write(x, read)?, &write(y, read)?)?,
        Node::Call(Function::Int, arguments) if arguments.iter().all(is_truth) => write(&arguments[0], read)?,
        Node::Call(function, arguments) => {
            let arguments = arguments.iter().map(|argument| write(argument, read)).collect::<Result<Vec<_>, _>>()?;
            call(*function, &arguments)?
        }
        Node::Random(Random::Uniform, _) => "random(1)".to_owned(),
        Node::Random(Random::Normal, _) => "(sqrt(0 - 2*log(1 - random(1)))*cos(6.283185307179586*random(1)))".to_owned(),
        Node::Lookup(..) => return Err("timed arrays".into()),
        Node::Own(_, _, same) => write(same, read)?,
    })
}

/// Whether a term is 0 or 1.
fn is_truth(term: &Term) -> bool {
    match &**term {
        Node::Boolean(_) | Node::Not(_) => true,
        Node::Binary(op, ..) => op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or),
        _ => false,
    }
}

fn binary(op: BinaryOp, x: &str, y: &str) -> Result<String, Lack> {
    // H(0) is not the same everywhere, and differences are numbers.
    let above = |x: &str, y: &str| format!("H({x} - {y})");
    Ok(match op {
        BinaryOp::Add => format!("({x} + {y})"),
        BinaryOp::Subtract => format!("({x} - {y})"),
        BinaryOp::Multiply => format!("({x}*{y})"),
        BinaryOp::Divide => format!("({x}/{y})"),
        BinaryOp::Power => format!("({x}^{y})"),
        BinaryOp::FloorDivide => floor(&format!("{x}/{y}"))?,
        BinaryOp::Modulo => format!("({x} - {y}*{})", floor(&format!("{x}/{y}"))?),
        BinaryOp::Greater => above(x, y),
        BinaryOp::Less => above(y, x),
        BinaryOp::GreaterEqual => format!("(1 - {})", above(y, x)),
        BinaryOp::LessEqual => format!("(1 - {})", above(x, y)),
        BinaryOp::Equal => format!("(1 - {} - {})", above(x, y), above(y, x)),
        BinaryOp::NotEqual => format!("({} + {})", above(x, y), above(y, x)),
        BinaryOp::And => format!("({x}*{y})"),
        BinaryOp::Or => format!("({x} + {y} - {x}*{y})"),
    })
}

fn floor(x: &str) -> Result<String, Lack> {
    call(Function::Floor, &[x.to_owned()])
}

fn call(function: Function, arguments: &[String]) -> Result<String, Lack> {
    match (function, arguments) {
        (Function::Clip, [x, low, high]) => {
            let held = call(Function::Min, &[x.clone(), high.clone()])?;
            call(Function::Max, &[held, low.clone()])
        }
        (Function::Column, _) => Err("timed arrays".into()),
        _ => {
            let row = function.row();
            let patterns = ['#', '@'].into_iter().zip(arguments);
            let text = patterns.fold(row.lems.to_owned(), |text, (sign, argument)| text.replace(sign, argument));
            if text.is_empty() { Err(format!("a function such as `{}`", row.name)) } else { Ok(text) }
        }
    }
}
