//! The GPU's printer: code as WGSL statements, to be set into the template `shaders/neurons.wgsl`.
//!
//! The names it uses are provided there: `v_NAME` is the value of an array, `constant(k)` a constant of the population,
//! `arrived(k)` what came in at a port, `since_spike`, `index`, `random_bits(site)`, and the functions of `shaders/math.wgsl`.

use std::fmt::Write;

use crate::ir::{Code, Op};
use crate::program::Program;
use crate::syntax::BinaryOp;
use crate::term::{Function, Random};

/// The three parts of a step as WGSL statements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed {
    /// Adds what arrived.
    pub take: String,
    /// Resets a neuron that fired.
    pub reset: String,
    /// The step; leaves the threshold condition in `let fires: bool`.
    pub update: String,
}

/// Prints a program.
pub fn print(program: &Program) -> Printed {
    Printed {
        take: code(&program.take, &program.variables, "a"),
        reset: code(&program.reset, &program.variables, "b"),
        update: code(&program.update, &program.variables, "c")
            + &match program.update.condition {
                Some(condition) => format!("let fires = {};\n", operand(&program.update, condition, &program.variables, "c")),
                None => "let fires = false;\n".into(),
            },
    }
}

fn code(code: &Code, variables: &[String], prefix: &str) -> String {
    let mut text = String::new();
    let read = |at: usize| operand(code, at, variables, prefix);
    for (at, op) in code.ops.iter().enumerate() {
        let value = match *op {
            Op::Literal(_) | Op::SinceSpike => continue,
            Op::Load(array) if !is_stored(code, array) => continue,
            // A copy: stores come after, all at once, and may need the old value.
            Op::Load(array) => format!("v_{}", variables[array]),
            Op::Constant(index) => format!("constant({index}u)"),
            Op::Clock(index) => format!("clock({index}u)"),
            Op::Now => "stamp(step)".into(),
            Op::Elapsed(x) => format!("elapsed({}, step)", read(x)),
            Op::Lookup { first, index } => format!("table_entry({first}u + u32({}))", read(index)),
            // Reading a port empties it, so it is read just here.
            Op::Port(port) => format!("arrived({port}u)"),
            Op::Index => "index".into(),
            Op::Random(Random::Uniform, site) => format!("uniform32(random_bits({site}u))"),
            Op::Random(Random::Normal, site) => format!("normal32(random_bits({site}u))"),
            Op::Flush(x) => format!("flush({})", read(x)),
            Op::Negate(x) => format!("-{}", read(x)),
            Op::Not(x) => format!("!{}", read(x)),
            Op::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide), x, y) => {
                format!("exact({} {} {})", read(x), operator(op), read(y))
            }
            Op::Binary(op, x, y) => format!("{} {} {}", read(x), operator(op), read(y)),
            Op::Call1(function, x) => format!("{}({})", function_name(function), read(x)),
            Op::Call2(function @ (Function::Min | Function::Max), x, y) => {
                let sign = if function == Function::Min { '<' } else { '>' };
                format!("select({x}, {y}, {y} {sign} {x})", x = read(x), y = read(y))
            }
            Op::Call2(function, x, y) => format!("{}({}, {})", function_name(function), read(x), read(y)),
            Op::Call3(function, x, y, z) => format!("{}({}, {}, {})", function_name(function), read(x), read(y), read(z)),
            Op::Select { condition, yes, no } => format!("select({}, {}, {})", read(no), read(yes), read(condition)),
        };
        let _ = writeln!(text, "let {prefix}{at} = {value};");
    }
    for (array, value) in &code.stores {
        let _ = writeln!(text, "v_{} = {};", variables[*array], read(*value));
    }
    text
}

fn operand(code: &Code, at: usize, variables: &[String], prefix: &str) -> String {
    match code.ops[at] {
        Op::Literal(value) => format!("{value:?}f"),
        Op::SinceSpike => "since_spike".into(),
        Op::Load(array) if !is_stored(code, array) => format!("v_{}", variables[array]),
        _ => format!("{prefix}{at}"),
    }
}

fn is_stored(code: &Code, array: usize) -> bool {
    code.stores.iter().any(|(stored, _)| *stored == array)
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        other => other.symbol(),
    }
}

fn function_name(function: Function) -> &'static str {
    match function {
        Function::Exp => "exp32",
        Function::Expm1 => "expm1_32",
        Function::Exprel => "exprel32",
        Function::Sigmoid => "sigmoid32",
        Function::Log => "log32",
        Function::Log10 => "log10_32",
        Function::Log1p => "log1p_32",
        Function::Sqrt => "sqrt32",
        Function::Sin => "sin32",
        Function::Cos => "cos32",
        Function::Tan => "tan32",
        Function::Arcsin => "arcsin32",
        Function::Arccos => "arccos32",
        Function::Arctan => "arctan32",
        Function::Sinh => "sinh32",
        Function::Cosh => "cosh32",
        Function::Tanh => "tanh32",
        Function::Abs => "abs",
        Function::Sign => "sign32",
        Function::Floor => "floor",
        Function::Ceil => "ceil",
        Function::Int => "trunc",
        Function::Power => "power32",
        Function::Poisson => "poisson32",
        Function::Binomial => "binomial32",
        Function::Min | Function::Max | Function::Clip => "select",
    }
}
