//! The GPU's printer: code as WGSL statements, to be set into the templates of `shaders/`.
//!
//! The names it uses are provided there: `v_NAME` is the value of an array, `constant(k)` a constant, `clock(k)` a number that
//! changes with time alone, `table_entry(k)` an entry of the tables, `arrived(k)` what came in at a port, `since_spike`, `index`,
//! `step`, `random_bits(site)`, `random_uniform(site)`, and the functions of `shaders/math.wgsl`.

use std::fmt::Write;

use crate::ir::{Code, Op};
use crate::own::wgsl_name;
use crate::program::{Program, RegularCode};
use crate::syntax::BinaryOp;
use crate::term::{Function, Random};

/// The parts of a step as WGSL statements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed {
    /// Adds what arrived.
    pub deliver_input: String,
    /// Resets a neuron that fired.
    pub reset: String,
    /// The statements of events: a block each.
    pub after_events: String,
    /// What runs at regular steps: a block each, with its condition.
    pub run_regularly: String,
    /// What is computed once a step.
    pub sample_and_hold: String,
    /// The step; leaves the threshold condition in `let fires: bool`.
    pub update: String,
}

/// How operations are rounded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// As on a CPU, to the bit: Spikelet's own functions, and every sum and product rounded.
    #[default]
    Exact,
    /// As the device likes best: its own functions where WGSL bounds their error for every argument, and products fused with the sums that
    /// they are added to. Sums stay rounded, since sums in two words ([`crate::lower`]) are made of them.
    Fast,
}

/// Prints a program.
pub fn print(program: &Program, arithmetic: Arithmetic) -> Printed {
    let name = |array: usize| format!("v_{}", program.variables[array]);
    let fires = match program.update.condition {
        Some(condition) => operand(&program.update, condition, &name, "c"),
        None => "false".into(),
    };
    Printed {
        deliver_input: statements(&program.deliver_input, &name, "a", arithmetic),
        reset: statements(&program.reset, &name, "b", arithmetic),
        after_events: program
            .after_events
            .iter()
            .map(|code| format!("{{\n{}}}\n", statements(code, &name, "e", arithmetic)))
            .collect(),
        run_regularly: regular(&program.regular, &|code| statements(code, &name, "r", arithmetic)),
        sample_and_hold: statements(&program.sample_and_hold, &name, "h", arithmetic),
        update: statements(&program.update, &name, "c", arithmetic) + &format!("let fires = {fires};\n"),
    }
}

/// Codes that run at regular steps, each as a block with its condition.
fn regular(codes: &[RegularCode], print: &dyn Fn(&Code) -> String) -> String {
    codes.iter().map(|of| format!("if (clock({}u) != 0.0f) {{\n{}}}\n", of.clock, print(&of.code))).collect()
}

/// Prints a code whose arrays, or lanes, have these names. Results are called by the `prefix` and a number.
pub fn statements(code: &Code, name: &dyn Fn(usize) -> String, prefix: &str, arithmetic: Arithmetic) -> String {
    statements_drawing(code, name, prefix, (arithmetic, "random"))
}

/// The same, with functions `DRAW_bits` and `DRAW_uniform`, where `DRAW` is `draw`.
pub fn statements_drawing(
    code: &Code,
    name: &dyn Fn(usize) -> String,
    prefix: &str,
    (arithmetic, draw): (Arithmetic, &str),
) -> String {
    let fusible = match arithmetic {
        Arithmetic::Exact => vec![false; code.ops.len()],
        Arithmetic::Fast => fusible(code),
    };
    let mut text = String::new();
    let read = |at: usize| operand(code, at, name, prefix);
    // 0 · x and 0/x are NaN for some x: no compiler must know that a factor is 0.
    let factor = |at: usize| match code.ops[at] {
        Op::Literal(value) if value.single == 0.0 => "bitcast<f32>(zero)".into(),
        _ => read(at),
    };
    for (at, op) in code.ops.iter().enumerate() {
        let value = match *op {
            Op::Literal(_) | Op::SinceSpike => continue,
            Op::Load(array) if !code.stores_to(array) => continue,
            // A copy: stores come after, all at once, and may need the old value.
            Op::Load(array) => name(array),
            Op::Constant(index) => format!("constant({index}u)"),
            Op::Clock(index) => format!("clock({index}u)"),
            Op::Now => "stamp(step)".into(),
            Op::Elapsed(x) => format!("elapsed({}, step)", read(x)),
            Op::Lookup { first, index } => format!("table_entry({first}u + u32({}))", read(index)),
            // Reading a port empties it, so it is read just here.
            Op::Port(port) => format!("arrived({port}u)"),
            Op::Index => "index".into(),
            Op::Random(Random::Uniform, site) => format!("{draw}_uniform({site}u)"),
            Op::Random(Random::Normal, site) => format!("normal32({draw}_bits({site}u))"),
            Op::NormalBetween { first, span, site } => {
                format!("normal32({first}u + wide_product({draw}_bits({site}u), {span}u).x)")
            }
            Op::Flush(x) => format!("flush({})", read(x)),
            // `--` is reserved.
            Op::Negate(x) if matches!(code.ops[x], Op::Literal(_)) => format!("-({})", read(x)),
            Op::Negate(x) => format!("-{}", read(x)),
            Op::Not(x) => format!("!{}", read(x)),
            Op::Binary(BinaryOp::Multiply, x, y) if fusible[at] => format!("{} * {}", factor(x), factor(y)),
            // x − x and x/x are NaN for some x.
            Op::Binary(op @ (BinaryOp::Subtract | BinaryOp::Divide), x, y) if x == y => {
                format!("exact({} {} exact({}))", read(x), operator(op), read(y))
            }
            Op::Binary(op @ (BinaryOp::Multiply | BinaryOp::Divide), x, y) => {
                format!("exact({} {} {})", factor(x), operator(op), factor(y))
            }
            Op::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), x, y) => {
                format!("exact({} {} {})", read(x), operator(op), read(y))
            }
            Op::Binary(op, x, y) => format!("{} {} {}", read(x), operator(op), read(y)),
            Op::Call1(function, x) => match function.row().fast {
                fast if arithmetic == Arithmetic::Fast && !fast.is_empty() => fast.replace('#', &read(x)),
                _ => format!("{}({})", function.row().wgsl, read(x)),
            },
            Op::Call2(function @ (Function::Min | Function::Max), x, y) => {
                let sign = if function == Function::Min { '<' } else { '>' };
                format!("select({x}, {y}, {y} {sign} {x})", x = read(x), y = read(y))
            }
            Op::Call2(function, x, y) => format!("{}({}, {})", function.row().wgsl, read(x), read(y)),
            Op::Call3(function, x, y, z) => format!("{}({}, {}, {})", function.row().wgsl, read(x), read(y), read(z)),
            Op::Own(call) => {
                let arguments: Vec<String> = call.arguments().map(read).collect();
                format!("{}({})", wgsl_name(call.number), arguments.join(", "))
            }
            Op::Select { condition, yes, no } => format!("select({}, {}, {})", read(no), read(yes), read(condition)),
        };
        let _ = writeln!(text, "let {prefix}{at} = {value};");
    }
    for (array, value) in &code.stores {
        let _ = writeln!(text, "{} = {};", name(*array), read(*value));
    }
    text
}

/// The products that are used once, in a sum: a device may round both together. A product that is used twice is a part of a sum in two words,
/// or of something that must agree with it.
fn fusible(code: &Code) -> Vec<bool> {
    let mut uses = vec![0_u32; code.ops.len()];
    let mut in_sum = vec![false; code.ops.len()];
    for op in &code.ops {
        op.operands().for_each(|operand| uses[operand] += 1);
        if let Op::Binary(BinaryOp::Add | BinaryOp::Subtract, x, y) = *op {
            (in_sum[x], in_sum[y]) = (true, true);
        }
    }
    code.stores.iter().map(|(_, value)| *value).chain(code.condition).for_each(|value| uses[value] += 1);
    let is_product = |at: usize| matches!(code.ops[at], Op::Binary(BinaryOp::Multiply, ..));
    (0..code.ops.len()).map(|at| is_product(at) && in_sum[at] && uses[at] == 1).collect()
}

fn operand(code: &Code, at: usize, name: &dyn Fn(usize) -> String, prefix: &str) -> String {
    match code.ops[at] {
        Op::Literal(value) => literal(value.single),
        Op::SinceSpike => "since_spike".into(),
        Op::Load(array) if !code.stores_to(array) => name(array),
        _ => format!("{prefix}{at}"),
    }
}

/// A number: WGSL has no words for infinities and NaN, and may round what is not normal; these are written as bits, which `zero`
/// hides from the compiler.
fn literal(value: f32) -> String {
    if value.is_normal() || value.to_bits() == 0 {
        return format!("{value:?}f");
    }
    format!("bitcast<f32>({:#010x}u ^ zero)", value.to_bits())
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        other => other.symbol(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_literal() {
        let texts = [1.5, -2.0, f32::MAX, 0.0, -0.0, 1e-40, f32::NEG_INFINITY].map(literal);
        let expected = [
            "1.5f",
            "-2.0f",
            "3.4028235e38f",
            "0.0f",
            "bitcast<f32>(0x80000000u ^ zero)",
            "bitcast<f32>(0x000116c2u ^ zero)",
            "bitcast<f32>(0xff800000u ^ zero)",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn a_code_reads_what_was_there_before_it_stores() {
        let sum = Op::Binary(BinaryOp::Add, 0, 1);
        let code = Code { ops: vec![Op::Load(3), Op::Load(4), sum], stores: vec![(3, 2), (5, 0)], condition: None };
        let printed = statements(&code, &|lane| format!("lane{lane}"), "x", Arithmetic::Exact);
        assert_eq!(printed, "let x0 = lane3;\nlet x2 = exact(x0 + lane4);\nlane3 = x2;\nlane5 = x0;\n");
    }

    #[test]
    fn compilers_find_nothing_to_leave_out() {
        let binary = |op| Op::Binary(op, 0, 1);
        let same = |op| Op::Binary(op, 0, 0);
        let [times, over] = [BinaryOp::Multiply, BinaryOp::Divide];
        let ops =
            vec![Op::Load(3), Op::number(0.0), binary(times), binary(over), same(BinaryOp::Subtract), same(over), same(times)];
        let code = Code { ops, stores: (2..7).map(|at| (at + 8, at)).collect(), condition: None };
        let printed = statements(&code, &|lane| format!("lane{lane}"), "x", Arithmetic::Exact);
        let expected = "let x2 = exact(lane3 * bitcast<f32>(zero));\nlet x3 = exact(lane3 / bitcast<f32>(zero));\n\
                        let x4 = exact(lane3 - exact(lane3));\nlet x5 = exact(lane3 / exact(lane3));\n\
                        let x6 = exact(lane3 * lane3);\n";
        assert!(printed.starts_with(expected), "{printed}");
    }

    #[test]
    fn fast_arithmetic_fuses_products_that_are_added_once_and_calls_the_device() {
        let [x, y] = [0, 1];
        let binary = |op, x, y| Op::Binary(op, x, y);
        let ops = vec![
            Op::Load(3),
            Op::Load(4),
            binary(BinaryOp::Multiply, x, y),
            Op::Call1(Function::Exp, 2),
            binary(BinaryOp::Multiply, x, 3),
            binary(BinaryOp::Add, 4, y),
            Op::Call1(Function::Sin, 5),
        ];
        let code = Code { ops, stores: vec![(5, 6)], condition: None };
        let printed = statements(&code, &|lane| format!("lane{lane}"), "x", Arithmetic::Fast);
        let expected = "let x2 = exact(lane3 * lane4);\nlet x3 = exp(x2);\nlet x4 = lane3 * x3;\nlet x5 = exact(x4 + lane4);\n\
                        let x6 = sin32(x5);\nlane5 = x6;\n";
        assert_eq!(printed, expected);
    }
}
