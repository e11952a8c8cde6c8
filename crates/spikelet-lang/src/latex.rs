//! Equations in LaTeX, in commands supported by KaTeX and MathJax.
//!
//! ```
//! use spikelet_lang::{latex, syntax};
//!
//! let equations = syntax::parse_equations("equations", "dv/dt = (E_L - v)/tau_m : volt").unwrap();
//! assert_eq!(latex::equations(&equations), r"\frac{dv}{dt} &= \frac{E_{L} - v}{\tau_{m}}");
//! ```

use std::collections::HashMap;

use crate::functions::Function;
use crate::model::NeuronText;
use crate::syntax::{
    AssignKind, BinaryOp, Declared, Equation, EquationKind, Expr, ExprKind, Statement, UnaryOp, parse_equations,
    parse_expression, parse_quantity, parse_statements,
};
use crate::{Diagnostic, unit};

/// How tightly an expression holds together; one that binds looser than its place allows gets brackets.
type Tightness = u8;

const OR: Tightness = 1;
const AND: Tightness = 2;
const COMPARISON: Tightness = 3;
const SUM: Tightness = 4;
/// A product with a sign before it.
const NEGATIVE: Tightness = 5;
const PRODUCT: Tightness = 6;
const FRACTION: Tightness = 7;
const ATOM: Tightness = 8;

/// The equations and the rules of a neuron model, as one `aligned` block.
///
/// # Errors
/// The errors of the texts.
pub fn neuron(text: &NeuronText) -> Result<String, Vec<Diagnostic>> {
    let one = |diagnostic| vec![diagnostic];
    let parsed = parse_equations("equations", &text.equations)?;
    let print = Printer::new(&parsed);
    let mut rows = print.equations(&parsed);
    if let Some(text) = &text.update {
        rows.push(rule("update", &print.statements("update", text)?));
    }
    if let Some(text) = &text.threshold {
        rows.push(rule("threshold", &print.expression(&parse_expression("threshold", text).map_err(one)?)));
    }
    if let Some(text) = &text.reset {
        rows.push(rule("reset", &print.statements("reset", text)?));
    }
    for regular in &text.regular {
        rows.push(rule("run regularly", &print.statements(&regular.path, &regular.statements)?));
    }
    if let Some(text) = &text.refractory {
        rows.push(rule("refractory", &print.expression(&parse_quantity("refractory", text).map_err(one)?)));
    }
    Ok(aligned(&rows))
}

/// The equations of a synapse model, the statements of its pathways, and the equations that it needs in its postsynaptic neuron, as one
/// `aligned` block.
///
/// # Errors
/// The errors of the texts.
pub fn synapse<'a>(
    equations: &str,
    events: impl IntoIterator<Item = (&'a str, &'a str)>,
    post: &str,
) -> Result<String, Vec<Diagnostic>> {
    let parsed = parse_equations("equations", equations)?;
    let print = Printer::new(&parsed);
    let mut rows = print.equations(&parsed);
    for (name, text) in events {
        rows.push(rule(name, &print.statements(name, text)?));
    }
    let parsed = parse_equations("post", post)?;
    let wanted = Printer::new(&parsed).equations(&parsed);
    if !wanted.is_empty() {
        rows.push(rule("post neuron", ""));
        rows.extend(wanted);
    }
    Ok(aligned(&rows))
}

/// A row that is no equation.
fn rule(name: &str, what: &str) -> String {
    format!(r"\text{{{}}} &: {what}", escaped(name)).trim_end().to_owned()
}

fn aligned(rows: &[String]) -> String {
    format!("\\begin{{aligned}}\n{}\n\\end{{aligned}}", rows.join(" \\\\\n"))
}

/// Rows of an `aligned` block: differential equations and subexpressions. Declarations of parameters say nothing in print.
pub fn equations(equations: &[Equation]) -> String {
    Printer::new(equations).equations(equations).join(" \\\\\n")
}

/// An expression by itself. Names of units are upright: nothing here defines them otherwise.
pub fn expression(expression: &Expr) -> String {
    Printer::default().expression(expression)
}

#[derive(Default)]
struct Printer<'a> {
    /// Names that are not units, whatever they look like.
    defined: HashMap<&'a str, Declared>,
}

impl<'a> Printer<'a> {
    fn new(equations: &'a [Equation]) -> Self {
        Printer { defined: equations.iter().map(|equation| (equation.name.as_str(), equation.declared)).collect() }
    }

    fn equations(&self, equations: &[Equation]) -> Vec<String> {
        let row = |equation: &Equation| match &equation.kind {
            EquationKind::Differential(value) => {
                Some(format!(r"\frac{{d{}}}{{dt}} &= {}", name(&equation.name), self.expression(value)))
            }
            EquationKind::Subexpression(value) => Some(format!("{} &= {}", name(&equation.name), self.expression(value))),
            EquationKind::Parameter => None,
        };
        equations.iter().filter_map(row).collect()
    }

    fn statements(&self, place: &str, text: &str) -> Result<String, Vec<Diagnostic>> {
        let statements = parse_statements(place, text)?;
        Ok(statements.iter().map(|statement| self.statement(statement)).collect::<Vec<_>>().join(r",\; "))
    }

    fn statement(&self, statement: &Statement) -> String {
        let target = || Expr { kind: ExprKind::Name(statement.target.clone()), span: statement.span };
        let value = match statement.kind {
            AssignKind::Set => self.expression(&statement.value),
            AssignKind::Change(op) => self.binary(op, &target(), &statement.value).0,
        };
        format!(r"{} \leftarrow {value}", name(&statement.target))
    }

    fn expression(&self, expression: &Expr) -> String {
        self.print(expression).0
    }

    /// With brackets if it binds looser than `least`.
    fn at_least(&self, least: Tightness, expression: &Expr) -> String {
        let (text, tightness) = self.print(expression);
        if tightness < least { bracketed(&text) } else { text }
    }

    fn print(&self, expression: &Expr) -> (String, Tightness) {
        match &expression.kind {
            ExprKind::Number(value) => number(*value),
            ExprKind::Boolean(value) => (format!(r"\mathrm{{{value}}}"), ATOM),
            ExprKind::Name(name) if self.is_unit(expression) => (unit(name), ATOM),
            ExprKind::Name(name) => (self::name(name), ATOM),
            ExprKind::Unary(UnaryOp::Negate, x) => (format!("-{}", self.at_least(PRODUCT, x)), NEGATIVE),
            ExprKind::Unary(UnaryOp::Not, x) => (format!(r"\lnot {}", self.at_least(ATOM, x)), COMPARISON),
            ExprKind::Binary(op, x, y) => self.binary(*op, x, y),
            ExprKind::Call(function, arguments) => self.call(function, arguments),
        }
    }

    fn is_unit(&self, expression: &Expr) -> bool {
        let ExprKind::Name(name) = &expression.kind else { return false };
        !self.defined.contains_key(name.as_str()) && unit::lookup(name).is_some()
    }

    fn binary(&self, op: BinaryOp, x: &Expr, y: &Expr) -> (String, Tightness) {
        let infix = |sign: &str, own: Tightness, right: Tightness| {
            (format!("{} {sign} {}", self.at_least(own, x), self.at_least(right, y)), own)
        };
        match op {
            BinaryOp::Add => match self.print(y) {
                (right, SUM..) if !right.starts_with('-') => (format!("{} + {right}", self.at_least(SUM, x)), SUM),
                _ => infix("+", SUM, ATOM),
            },
            BinaryOp::Subtract => infix("-", SUM, PRODUCT),
            BinaryOp::Multiply => {
                let (left, right) = (self.at_least(NEGATIVE, x), self.at_least(PRODUCT, y));
                // A digit after a factor would read as part of it.
                let sign = if right.starts_with(|c: char| c.is_ascii_digit()) { r"\cdot" } else { r"\," };
                (format!("{left} {sign} {right}"), if left.starts_with('-') { NEGATIVE } else { PRODUCT })
            }
            BinaryOp::Divide => {
                let (above, below) = (self.expression(x), self.expression(y));
                if self.is_unit(y) && above.contains(r"\frac") {
                    // A fraction over a unit alone would stand two storeys high.
                    return (format!(r"{} \, {below}^{{-1}}", self.at_least(NEGATIVE, x)), PRODUCT);
                }
                (format!(r"\frac{{{above}}}{{{below}}}"), FRACTION)
            }
            BinaryOp::FloorDivide => {
                let fraction = format!(r"\frac{{{}}}{{{}}}", self.expression(x), self.expression(y));
                (format!(r"\left\lfloor {fraction} \right\rfloor"), ATOM)
            }
            BinaryOp::Modulo => infix(r"\bmod", PRODUCT, FRACTION),
            BinaryOp::Power => {
                // sin x² is not (sin x)².
                let base = match &x.kind {
                    ExprKind::Call(..) => bracketed(&self.expression(x)),
                    _ => self.at_least(ATOM, x),
                };
                (format!("{base}^{{{}}}", self.expression(y)), FRACTION)
            }
            BinaryOp::Less => infix("<", COMPARISON, SUM),
            BinaryOp::LessEqual => infix(r"\le", COMPARISON, SUM),
            BinaryOp::Greater => infix(">", COMPARISON, SUM),
            BinaryOp::GreaterEqual => infix(r"\ge", COMPARISON, SUM),
            BinaryOp::Equal => infix("=", COMPARISON, SUM),
            BinaryOp::NotEqual => infix(r"\ne", COMPARISON, SUM),
            BinaryOp::And => infix(r"\land", AND, AND),
            BinaryOp::Or => infix(r"\lor", OR, OR),
        }
    }

    fn call(&self, function: &str, arguments: &[Expr]) -> (String, Tightness) {
        let list = || arguments.iter().map(|argument| self.expression(argument)).collect::<Vec<_>>().join(", ");
        let applied = |command: &str| format!("{command}{}", bracketed(&list()));
        let known = Function::named(function).map_or("", |known| known.row().latex);
        let text = match function {
            _ if known.contains('#') => known.replace('#', &list()),
            _ if !known.is_empty() => applied(known),
            // Iverson's bracket: 1 where it holds, else 0.
            "int" if arguments.first().is_some_and(|argument| self.is_condition(argument)) => {
                format!(r"\left[ {} \right]", list())
            }
            "rand" => r"\mathcal{U}\left(0, 1\right)".into(),
            "randn" => r"\mathcal{N}\left(0, 1\right)".into(),
            // A timed array, or a function without a sign of its own.
            _ if is_symbol(function) => applied(&name(function)),
            _ => applied(&format!(r"\operatorname{{{}}}", escaped(function))),
        };
        (text, ATOM)
    }

    fn is_condition(&self, expression: &Expr) -> bool {
        match &expression.kind {
            ExprKind::Boolean(_) | ExprKind::Unary(UnaryOp::Not, _) => true,
            ExprKind::Binary(op, ..) => op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or),
            ExprKind::Name(name) => name == "not_refractory" || self.defined.get(name.as_str()) == Some(&Declared::Boolean),
            _ => false,
        }
    }
}

fn bracketed(text: &str) -> String {
    format!(r"\left({text}\right)")
}

/// `6.02e23` as 6.02 · 10²³.
fn number(value: f64) -> (String, Tightness) {
    if value == 0.0 || (1e-4..1e6).contains(&value.abs()) {
        return (value.to_string(), ATOM);
    }
    let scientific = format!("{value:e}");
    match scientific.split_once('e') {
        Some(("1", exponent)) => (format!("10^{{{exponent}}}"), FRACTION),
        Some((digits, exponent)) => (format!(r"{digits} \cdot 10^{{{exponent}}}"), PRODUCT),
        None => (scientific, ATOM),
    }
}

fn unit(name: &str) -> String {
    let upright = |prefix: &str, rest: &str| format!(r"{prefix}\mathrm{{{rest}}}");
    let short = name.chars().count() <= 3;
    match name.strip_suffix("ohm").or_else(|| name.strip_suffix('Ω')) {
        Some("") => return r"\Omega".into(),
        Some("u" | "µ" | "μ") => return r"\mu\Omega".into(),
        Some(prefix) => return format!(r"\mathrm{{{prefix}}}\Omega"),
        None => {}
    }
    match name.strip_prefix(['u', 'µ', 'μ']) {
        Some(rest) if short && unit::lookup_with(rest, true).is_some() => upright(r"\mu", rest),
        _ => upright("", name),
    }
}

const GREEK: [&str; 34] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi", "pi",
    "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma",
    "Upsilon", "Phi", "Psi", "Omega",
];

/// The letters themselves, in the order of [`GREEK`].
const LETTERS: &str = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ";

/// A name: Greek letters as such, what follows an underscore (or a Greek letter: `taum`) as a subscript.
fn name(name: &str) -> String {
    let (base, subscript) = match name.split_once('_') {
        Some((base, subscript)) if !base.is_empty() && !subscript.is_empty() => (base, subscript),
        _ => match greek_prefix(name) {
            Some(parts) => parts,
            None => return letters(name),
        },
    };
    let (base, first) = match greek_prefix(base) {
        Some((greek, rest)) if !rest.is_empty() => (greek, Some(rest)),
        _ => (base, None),
    };
    let parts: Vec<String> =
        first.into_iter().chain(subscript.split('_')).filter(|part| !part.is_empty()).map(subscripted).collect();
    format!("{}_{{{}}}", letters(base), parts.join(","))
}

/// `taum` is τ with an m; `number` is no ν with an umber.
fn greek_prefix(name: &str) -> Option<(&str, &str)> {
    let named = GREEK.into_iter().filter(|greek| greek.len() >= 3).find(|greek| name.starts_with(greek)).map(str::len);
    let letter = name.chars().next().filter(|first| LETTERS.contains(*first)).map(char::len_utf8);
    let (greek, rest) = name.split_at(named.or(letter)?);
    (!rest.is_empty() && rest.chars().count() <= 4).then_some((greek, rest))
}

/// A subscript: one letter is slanted, a word upright.
fn subscripted(part: &str) -> String {
    let greek = GREEK.contains(&part);
    if greek || part.chars().count() == 1 { letters(part) } else { format!(r"\mathrm{{{}}}", escaped(part)) }
}

/// A name without subscripts.
fn letters(name: &str) -> String {
    if GREEK.contains(&name) {
        return format!(r"\{name}");
    }
    let mut characters = name.chars();
    match (characters.next(), characters.next()) {
        (Some(only), None) => match LETTERS.chars().position(|letter| letter == only) {
            Some(at) => format!(r"\{}", GREEK[at]),
            None => escaped(name),
        },
        _ => format!(r"\mathit{{{}}}", escaped(name)),
    }
}

fn is_symbol(name: &str) -> bool {
    name.chars().count() == 1 || name.contains('_') || GREEK.contains(&name)
}

fn escaped(text: &str) -> String {
    text.replace('_', r"\_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{library, syntax};

    fn printed(text: &str) -> String {
        syntax::parse_expression("x", text).map_or_else(|found| found.to_string(), |tree| expression(&tree))
    }

    #[test]
    fn expressions_in_print() {
        for (text, latex) in [
            ("a + (b + c)", "a + b + c"),
            ("a - (b - c)", r"a - \left(b - c\right)"),
            ("a + -b", r"a + \left(-b\right)"),
            ("-a*b*c", r"-a \, b \, c"),
            ("a*-b", r"a \, \left(-b\right)"),
            ("a - -b*c", r"a - \left(-b \, c\right)"),
            ("2*(a + b)*3", r"2 \, \left(a + b\right) \cdot 3"),
            ("a/b/c", r"\frac{\frac{a}{b}}{c}"),
            ("-g/tau", r"\frac{-g}{\tau}"),
            ("v/mV", r"\frac{v}{\mathrm{mV}}"),
            ("1/(1 + x)/ms*y", r"\frac{1}{1 + x} \, \mathrm{ms}^{-1} \, y"),
            ("(a + b/c)/ms", r"\left(a + \frac{b}{c}\right) \, \mathrm{ms}^{-1}"),
            ("m**3*h", r"m^{3} \, h"),
            ("(-a)**2", r"\left(-a\right)^{2}"),
            ("(a/b)**(1/3)", r"\left(\frac{a}{b}\right)^{\frac{1}{3}}"),
            ("exp(-x)**2", r"\left(\exp\left(-x\right)\right)^{2}"),
            ("log(x) + sqrt(a + b)", r"\ln\left(x\right) + \sqrt{a + b}"),
            ("I*int(t > 10*ms)", r"I \, \left[ t > 10 \, \mathrm{ms} \right]"),
            ("kind // 2 % 3", r"\left\lfloor \frac{\mathit{kind}}{2} \right\rfloor \bmod 3"),
            ("a > 1 and not (b <= 2 or c)", r"a > 1 \land \lnot \left(b \le 2 \lor c\right)"),
            ("clip(v, 0, 1)*randn()", r"\operatorname{clip}\left(v, 0, 1\right) \, \mathcal{N}\left(0, 1\right)"),
            ("1e-9 + 2.5e8*x", r"10^{-9} + 2.5 \cdot 10^{8} \, x"),
            ("5*um/(3*kohm)", r"\frac{5 \, \mu\mathrm{m}}{3 \, \mathrm{k}\Omega}"),
        ] {
            assert_eq!(printed(text), latex, "{text}");
        }
    }

    #[test]
    fn names_in_print() {
        for (text, latex) in [
            ("v", "v"),
            ("E_L", "E_{L}"),
            ("I_syn_e", r"I_{\mathrm{syn},e}"),
            ("tau", r"\tau"),
            ("tau_m", r"\tau_{m}"),
            ("taum", r"\tau_{m}"),
            ("tauNMDA", r"\tau_{\mathrm{NMDA}}"),
            ("g_alpha", r"g_{\alpha}"),
            ("alpha", r"\alpha"),
            ("number", r"\mathit{number}"),
            ("ge", r"\mathit{ge}"),
            ("v_post", r"v_{\mathrm{post}}"),
            ("_x", r"\mathit{\_x}"),
            ("τ", r"\tau"),
            ("τm", r"\tau_{m}"),
            ("Ω_1", r"\Omega_{1}"),
        ] {
            assert_eq!(name(text), latex, "{text}");
        }
        assert_eq!(LETTERS.chars().count(), GREEK.len());
    }

    /// A name that the equations define is no unit.
    #[test]
    fn defined_names_are_slanted() {
        let parsed = syntax::parse_equations("x", "dv/dt = -mV*v/(10*ms) : 1\nmV : 1\nx = 2 : 1").unwrap_or_default();
        assert_eq!(equations(&parsed), "\\frac{dv}{dt} &= \\frac{-\\mathit{mV} \\, v}{10 \\, \\mathrm{ms}} \\\\\nx &= 2");
    }

    #[test]
    fn a_synapse_in_print() {
        let rows = synapse("ds/dt = -s/tau_s : 1", [("on_pre", "s += w*(1 - s)\nx -= s")], "I_syn = g*v : amp\ng : siemens");
        let wanted = "\\begin{aligned}\n\\frac{ds}{dt} &= \\frac{-s}{\\tau_{s}} \\\\\n\\text{on\\_pre} &: s \\leftarrow s + w \\, \
                      \\left(1 - s\\right),\\; x \\leftarrow x - s \\\\\n\\text{post neuron} &: \\\\\nI_{\\mathrm{syn}} &= g \\, v\n\\end{aligned}";
        assert_eq!(rows.as_deref(), Ok(wanted));
    }

    #[test]
    fn every_model_prints_with_brackets_in_pairs() {
        for name in library::names() {
            let model = library::library(name).unwrap_or_else(|_| panic!("{name} is in the library"));
            let events = [("on_pre", model.on_pre()), ("on_post", model.on_post())];
            let latex = match model.text() {
                Ok(text) => neuron(&text),
                Err(_) => synapse(
                    model.equations(),
                    events.iter().filter_map(|(name, text)| Some((*name, (*text)?))),
                    model.post().unwrap_or_default(),
                ),
            };
            let latex = latex.unwrap_or_else(|found| panic!("{name}: {}", found[0]));
            let mut open = 0_i32;
            for c in latex.chars() {
                open += i32::from(c == '{') - i32::from(c == '}');
                assert!(open >= 0, "{latex}");
            }
            assert_eq!(open, 0, "{latex}");
            let count = |what: &str| latex.matches(what).count();
            assert_eq!(count(r"\left(") + count(r"\left["), count(r"\right)") + count(r"\right]"), "{latex}");
            assert!(latex.starts_with("\\begin{aligned}\n") && latex.contains('&'), "{latex}");
            assert!(!latex.contains("\n\n"), "{latex}");
        }
    }
}
