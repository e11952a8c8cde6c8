//! The intermediate code as text: one operation per line, with the names of its inputs, and the values computed by the host.
//!
//! ```text
//! constants, the same for all
//!   c0 = exp(-dt / tau)
//! update
//!   %0 = v
//!   %1 = c0
//!   %2 = %1 * %0
//!   v := %2
//! ```
//!
//! All numbers are in inner units: mV, ms, pA, nS, pF, GΩ, kHz, µm, amol, K.

use std::fmt::Write;

use crate::ir::{Code, Op, OwnCall};
use crate::model::{NeuronModel, SynapseModel};
use crate::own::wgsl_name;
use crate::program::{ConstantRule, MatrixEntry, Program, Register, Rules, SynapseProgram};
use crate::syntax::BinaryOp;
use crate::term::{Node, Random, Symbol, Term};

/// The code of a neuron model, compiled from `model`.
pub fn neurons(model: &NeuronModel, program: &Program) -> String {
    let symbol = |symbol: Symbol| match symbol {
        Symbol::Variable(variable) => model.variables[variable].name.clone(),
        Symbol::Constant(constant) => model.constants[constant].name.clone(),
        other => common(other),
    };
    let tables: Vec<&str> = model.tables.keys().map(String::as_str).collect();
    let print = Printer { arrays: &program.variables, symbol: &symbol, tables: &tables };
    let derived = &program.variables[program.first_derived()..];
    let mut text = print.rules(&program.rules, derived);
    let ports = program.ports.iter().enumerate();
    let ports = ports.map(|(port, array)| format!("arrived {port} is for {}", program.variables[*array]));
    section(&mut text, "ports", &ports.collect::<Vec<_>>());
    section(&mut text, "deliver_input", &print.code(&program.deliver_input));
    section(&mut text, "reset", &print.code(&program.reset));
    program.after_events.iter().for_each(|code| section(&mut text, "after events", &print.code(code)));
    for regular in &program.regular {
        section(&mut text, &format!("run_regularly, where clock{} is 1", regular.clock), &print.code(&regular.code));
    }
    section(&mut text, "sample_and_hold", &print.code(&program.sample_and_hold));
    section(&mut text, "update", &print.code(&program.update));
    text
}

/// The code of the synapses of a projection, compiled from `model`.
pub fn synapses(model: &SynapseModel, program: &SynapseProgram) -> String {
    let symbol = |symbol: Symbol| match symbol {
        Symbol::Variable(variable) => model.variables[variable].name.clone(),
        Symbol::Constant(constant) => model.constants[constant].name.clone(),
        Symbol::Read(read) => match model.reads.get(read) {
            Some(read) => format!("{}_{}", read.name, read.end.name()),
            // The indices of the neurons at both ends come after all other values of theirs.
            None => if read == model.reads.len() { "i" } else { "j" }.into(),
        },
        other => common(other),
    };
    let lane = |lane: &Register| match lane {
        Register::Own(name) => name.clone(),
        Register::Trace(end, name) => format!("{name} of {}", end.name()),
        Register::Read(end, name) => format!("{name}_{}", end.name()),
        Register::Output(end, name) => format!("to {name}_{}", end.name()),
        Register::Derived(index) => format!("d{index}"),
    };
    let arrays: Vec<String> = program.registers.iter().map(lane).collect();
    let derived: Vec<String> = (0..program.rules.derived.len()).map(|index| format!("d{index}")).collect();
    let print = Printer { arrays: &arrays, symbol: &symbol, tables: &[] };
    let mut text = print.rules(&program.rules, &derived);
    for (lane, code) in &program.summed {
        section(&mut text, &format!("summed {}", arrays[*lane].trim_start_matches("to ")), &print.code(code));
    }
    for regular in &program.regular {
        section(&mut text, &format!("run_regularly, where clock{} is 1", regular.clock), &print.code(&regular.code));
    }
    section(&mut text, "observe", &print.code(&program.observe));
    section(&mut text, "update", &print.code(&program.update));
    section(&mut text, "integrate traces of pre", &print.code(&program.integrate_traces));
    for pathway in &program.pathways {
        let mut lines = print.code(&pathway.code);
        let names =
            |lanes: &[usize]| lanes.iter().map(|lane| arrays[*lane].trim_start_matches("to ")).collect::<Vec<_>>().join(", ");
        if !pathway.adds.is_empty() {
            lines.push(format!("added: {}", names(&pathway.adds)));
        }
        if !pathway.writes.is_empty() {
            lines.push(format!("replaced: {}", names(&pathway.writes)));
        }
        section(&mut text, &format!("pathway {}", pathway.name), &lines);
    }
    for (code, end) in program.traces.iter().zip(["pre", "post"]) {
        section(&mut text, &format!("traces of {end}"), &print.code(code));
    }
    text
}

/// Appends lines under a title, if there are any.
fn section(text: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{title}");
    for line in lines {
        let _ = writeln!(text, "  {line}");
    }
}

/// Symbols that are the same in every model.
fn common(symbol: Symbol) -> String {
    match symbol {
        Symbol::Variable(index) => format!("variable {index}"),
        Symbol::Constant(index) => format!("constant {index}"),
        Symbol::Read(index) => format!("read {index}"),
        Symbol::Dt => "dt".into(),
        Symbol::Time => "t".into(),
        Symbol::SinceSpike => "since_spike".into(),
        Symbol::SinceEvent => "since_event".into(),
        Symbol::Size => "N".into(),
        Symbol::Index => "i".into(),
        Symbol::PostIndex => "j".into(),
        Symbol::NotRefractory => "not_refractory".into(),
    }
}

struct Printer<'a> {
    /// Names of the arrays, or lanes.
    arrays: &'a [String],
    symbol: &'a dyn Fn(Symbol) -> String,
    tables: &'a [&'a str],
}

impl Printer<'_> {
    fn rules(&self, rules: &Rules, derived: &[String]) -> String {
        let mut text = String::new();
        let rule = |name: String, rule: &ConstantRule| match rule {
            ConstantRule::Term(term) => format!("{name} = {}", self.term(term)),
            ConstantRule::Propagator(MatrixEntry { system, row, column }) => {
                format!("{name} = exp(A{system} dt)[{row}, {column}]")
            }
            ConstantRule::Change(MatrixEntry { system, row, column }) => {
                format!("{name} = (exp(A{system} dt) - 1)[{row}, {column}]")
            }
        };
        for (system, matrix) in rules.systems.iter().enumerate() {
            let rows = matrix.matrix.iter().map(|row| {
                let entries: Vec<String> = row.iter().map(|entry| self.term(entry)).collect();
                format!("[{}]", entries.join(", "))
            });
            section(&mut text, &format!("A{system}, per ms"), &rows.collect::<Vec<_>>());
        }
        let constants = rules.constants.iter().enumerate().map(|(k, constant)| rule(format!("c{k}"), constant));
        section(&mut text, "constants, the same for all", &constants.collect::<Vec<_>>());
        let derived = rules.derived.iter().zip(derived).map(|(each, name)| rule(name.clone(), each));
        section(&mut text, "derived, one each", &derived.collect::<Vec<_>>());
        let clocks = rules.clocks.iter().enumerate().map(|(k, clock)| format!("clock{k} = {}", self.term(clock)));
        section(&mut text, "clocks, once a step", &clocks.collect::<Vec<_>>());
        text
    }

    /// One operation a line, then what is stored.
    fn code(&self, code: &Code) -> Vec<String> {
        let operations = code.ops.iter().enumerate().map(|(at, op)| format!("%{at} = {}", self.op(op)));
        let stores = code.stores.iter().map(|(array, value)| format!("{} := %{value}", self.arrays[*array]));
        operations.chain(stores).chain(code.condition.map(|condition| format!("fires if %{condition}"))).collect()
    }

    fn op(&self, op: &Op) -> String {
        match op {
            Op::Literal(value) => format!("{}", value.single),
            Op::Constant(index) => format!("c{index}"),
            Op::Clock(index) => format!("clock{index}"),
            Op::Load(array) => self.arrays[*array].clone(),
            Op::Port(port) => format!("arrived {port}"),
            Op::SinceSpike => "since_spike".into(),
            Op::Index => "i".into(),
            Op::Random(random, site) => draw(*random, *site),
            Op::NormalBetween { first, span, site } => format!("randn#{site} between {first} and {}", first + span),
            Op::Now => "now".into(),
            Op::Elapsed(stamp) => format!("steps since %{stamp}"),
            Op::Lookup { first, index } => format!("tables[{first} + %{index}]"),
            Op::Flush(x) => format!("flush(%{x})"),
            Op::Negate(x) => format!("-%{x}"),
            Op::Not(x) => format!("not %{x}"),
            Op::Binary(op, x, y) => format!("%{x} {} %{y}", op.symbol()),
            Op::Call1(name, x) => format!("{}(%{x})", name.row().name),
            Op::Call2(name, x, y) => format!("{}(%{x}, %{y})", name.row().name),
            Op::Call3(name, x, y, z) => format!("{}(%{x}, %{y}, %{z})", name.row().name),
            Op::Own(OwnCall { number, twin, .. }) => {
                let arguments: Vec<String> = op.operands().skip(1).map(|argument| format!("%{argument}")).collect();
                format!("{}({}) or %{twin}", wgsl_name(*number), arguments.join(", "))
            }
            Op::Select { condition, yes, no } => format!("%{yes} if %{condition} else %{no}"),
        }
    }

    fn term(&self, term: &Term) -> String {
        self.tight(term).0
    }

    /// A term, and how tightly it holds together: 0 loosest, 9 never needs a bracket.
    fn tight(&self, term: &Term) -> (String, u8) {
        let at_least = |least: u8, term: &Term| match self.tight(term) {
            (text, tightness) if tightness < least => format!("({text})"),
            (text, _) => text,
        };
        match &**term {
            Node::Number(value) if *value < 0.0 => (value.to_string(), 6),
            Node::Number(value) => (value.to_string(), 9),
            Node::Boolean(value) => (value.to_string(), 9),
            Node::Symbol(symbol) => ((self.symbol)(*symbol), 9),
            Node::Negate(x) => (format!("-{}", at_least(6, x)), 6),
            Node::Not(x) => (format!("not {}", at_least(3, x)), 2),
            Node::Binary(op, x, y) => {
                let (own, left, right) = match op {
                    BinaryOp::Or => (0, 0, 1),
                    BinaryOp::And => (1, 1, 2),
                    BinaryOp::Add | BinaryOp::Subtract => (4, 4, 5),
                    BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::FloorDivide | BinaryOp::Modulo => (5, 5, 7),
                    BinaryOp::Power => (8, 9, 6),
                    _ => (3, 4, 4),
                };
                (format!("{} {} {}", at_least(left, x), op.symbol(), at_least(right, y)), own)
            }
            Node::Call(name, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.term(argument)).collect();
                (format!("{}({})", name.row().name, arguments.join(", ")), 9)
            }
            Node::Own(number, arguments, _) => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.term(argument)).collect();
                (format!("{}({})", wgsl_name(*number), arguments.join(", ")), 9)
            }
            Node::Random(random, site) => (draw(*random, *site), 9),
            Node::Lookup(table, index) => {
                let name = self.tables.get(*table).map_or_else(|| format!("table {table}"), |name| (*name).into());
                (format!("{name}[{}]", self.term(index)), 9)
            }
        }
    }
}

fn draw(random: Random, site: u32) -> String {
    match random {
        Random::Uniform => format!("rand#{site}"),
        Random::Normal => format!("randn#{site}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NeuronText, PopulationLayout, Quantities, SynapseLayout, SynapseText, check_neuron, check_synapse};

    fn cell() -> NeuronModel {
        let text = NeuronText {
            equations: "dv/dt = (a*int(t > 5*ms) - v)/tau : 1\ntau : second (constant)".into(),
            threshold: Some("v > 1 + rand()".into()),
            reset: Some("v = 0".into()),
            refractory: Some("2*ms".into()),
            ..NeuronText::default()
        };
        let given = Quantities::from_texts([("a", "-2")]).unwrap_or_default();
        check_neuron(&text, &given.dimensions()).unwrap_or_else(|found| panic!("{}", found[0]))
    }

    /// Every piece stands in the text, one after the other.
    fn in_order(text: &str, pieces: &[&str]) {
        let mut rest = text;
        for piece in pieces {
            let at = rest.find(piece).unwrap_or_else(|| panic!("{piece:?} is not in its place in\n{text}"));
            rest = &rest[at + piece.len()..];
        }
    }

    #[test]
    fn a_cell_in_full() {
        let model = cell();
        let layout =
            PopulationLayout { ports: vec!["v".into()], per_neuron: ["tau".to_owned()].into(), ..PopulationLayout::default() };
        let program = model.compile(&layout).unwrap_or_else(|found| panic!("{found}"));
        let pieces = [
            "A0, per ms\n  [-1 / tau, ",
            "constants, the same for all\n  c0 = floor(2 / dt + 0.001)\n",
            "derived, one each\n",
            " = exp(A0 dt)[0, 0]\n",
            "clocks, once a step\n  clock0 = a * int(t > 5)\n",
            "ports\n  arrived 0 is for v\n",
            "deliver_input\n  %0 = v\n  %1 = arrived 0\n  %2 = %0 + %1\n  v := %2\n",
            "reset\n  %0 = 0\n  v := %0\n",
            "update\n",
            " = since_spike\n",
            " = clock0\n",
            " = flush(%",
            " = rand#0\n",
            " and %",
            "  v := %",
            "  fires if %",
        ];
        in_order(&neurons(&model, &program), &pieces);
    }

    #[test]
    fn a_synapse_in_full() {
        let post = cell();
        let text = SynapseText {
            equations: "w : 1 (constant)\ndx/dt = -x/(5*ms) : 1 (event-driven)".into(),
            on_pre: [("pre".into(), "x += 1\nv_post += w*x".into())].into(),
            ..SynapseText::default()
        };
        let model = check_synapse(&text, (&post, &post), &Default::default()).unwrap_or_else(|found| panic!("{}", found[0]));
        let program = model.compile(&post, &SynapseLayout::default()).unwrap_or_else(|found| panic!("{found}"));
        let pieces = [
            "constants, the same for all\n",
            " = w\n",
            "pathway pre\n  %0 = x\n",
            " = steps since %",
            " = exp(%",
            " = now\n",
            "  x := %",
            "  to v_post := %",
            "  added: v_post\n",
        ];
        in_order(&synapses(&model, &program), &pieces);
    }

    #[test]
    fn brackets_where_the_order_needs_them() {
        let print = Printer { arrays: &[], symbol: &common, tables: &[] };
        for text in [
            "(1 - i) * (2 + i)",
            "1 - (i - 2)",
            "-(i + 1)",
            "-i * 2",
            "(-i) ** 2",
            "2 * (i / 3)",
            "i ** (2 + i)",
            "not (i > 1 or i < 0)",
        ] {
            let tree = crate::syntax::parse_expression("x", text).unwrap_or_else(|found| panic!("{found}"));
            let names = |name: &str| (name == "i").then_some((Symbol::Index, crate::Dimension::NONE));
            let scope = crate::check::ValueScope::of_names(&names);
            let resolved = crate::check::resolve("x", text, &tree, &scope).unwrap_or_else(|found| panic!("{found}"));
            assert_eq!(print.term(&resolved.0), text);
        }
    }
}
