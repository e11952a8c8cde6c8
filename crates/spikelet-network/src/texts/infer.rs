//! Inference of dimensions: `tau` is a time in `dv/dt = (E - v)/tau : volt`.
//!
//! Every sum, comparison and assignment means that two products of powers have the same dimension. The unknowns follow from solving these
//! equations one by one; contradictions are left to the checker, which reports their position.

use std::collections::{BTreeMap, HashMap};

use spikelet_lang::functions::{Dimensions, Function};
use spikelet_lang::syntax::{self, AssignKind, BinaryOp, EquationKind, Expr, ExprKind, UnaryOp};
use spikelet_lang::{Dimension, unit};

use super::{Texts, equations_of};

/// The dimensions that `texts` imply for names defined neither by them nor by `given`.
pub fn infer(texts: &Texts, given: &HashMap<String, Dimension>) -> HashMap<String, Dimension> {
    let mut solver = Solver { known: given.clone(), unknown: Vec::new(), solved: BTreeMap::new() };
    let equations = equations_of(&texts.equations);
    for equation in &equations {
        solver.known.insert(equation.name.clone(), equation.unit.dimension);
    }
    for equation in &equations {
        let (value, wanted) = match &equation.kind {
            EquationKind::Differential(rate) => (rate, equation.unit.dimension.over(Dimension::TIME)),
            EquationKind::Subexpression(value) => (value, equation.unit.dimension),
            EquationKind::Parameter => continue,
        };
        let shape = solver.shape(value);
        solver.equal(shape, Some(Shape::of(wanted)));
    }
    for statement in texts.statements() {
        let (target, value) = (solver.name(&statement.target), solver.shape(&statement.value));
        match statement.kind {
            AssignKind::Set | AssignKind::Change(BinaryOp::Add | BinaryOp::Subtract) => solver.equal(target, value),
            AssignKind::Change(_) => solver.equal(value, Some(Shape::default())),
        }
    }
    if let Ok(condition) = syntax::parse_expression("", &texts.threshold) {
        solver.shape(&condition);
    }
    if let Ok(time) = syntax::parse_quantity("", &texts.refractory) {
        let shape = solver.shape(&time);
        solver.equal(shape, Some(Shape::of(Dimension::TIME)));
    }
    solver.dimensions()
}

/// A dimension, times powers of unknowns.
#[derive(Debug, Clone, Default, PartialEq)]
struct Shape {
    known: Dimension,
    unknown: BTreeMap<usize, f64>,
}

impl Shape {
    fn of(known: Dimension) -> Shape {
        Shape { known, unknown: BTreeMap::new() }
    }

    fn times(&self, other: &Shape, power: f64) -> Option<Shape> {
        let mut unknown = self.unknown.clone();
        for (name, exponent) in &other.unknown {
            *unknown.entry(*name).or_default() += exponent * power;
        }
        unknown.retain(|_, exponent| *exponent != 0.0);
        Some(Shape { known: self.known.times(other.known.power(power)?), unknown })
    }
}

struct Solver {
    known: HashMap<String, Dimension>,
    unknown: Vec<String>,
    /// The solution of an unknown in terms of unsolved ones.
    solved: BTreeMap<usize, Shape>,
}

impl Solver {
    /// The dimension of a name; `None` if it is not a number.
    fn name(&mut self, name: &str) -> Option<Shape> {
        if let Some(dimension) = self.known.get(name) {
            return Some(Shape::of(*dimension));
        }
        match name {
            "t" | "dt" | "lastspike" => return Some(Shape::of(Dimension::TIME)),
            "i" | "j" | "N" | "pi" => return Some(Shape::default()),
            "not_refractory" => return None,
            _ if name == "xi" || name.starts_with("xi_") => return Dimension::TIME.power(-0.5).map(Shape::of),
            _ => {}
        }
        if let Some(unit) = unit::lookup(name) {
            return Some(Shape::of(unit.dimension));
        }
        let index = self.unknown.iter().position(|unknown| unknown == name).unwrap_or_else(|| {
            self.unknown.push(name.to_owned());
            self.unknown.len() - 1
        });
        Some(Shape { known: Dimension::NONE, unknown: BTreeMap::from([(index, 1.0)]) })
    }

    /// The dimension of an expression, if it can be determined; records equations of its parts.
    fn shape(&mut self, expression: &Expr) -> Option<Shape> {
        match &expression.kind {
            ExprKind::Number(_) => Some(Shape::default()),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Unary(UnaryOp::Negate, operand) => self.shape(operand),
            ExprKind::Unary(UnaryOp::Not, operand) => {
                self.shape(operand);
                None
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Call(function, arguments) => self.call(function, arguments),
            _ => None,
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<Shape> {
        let (x, y) = (self.shape(left), self.shape(right));
        match op {
            BinaryOp::Multiply => x?.times(&y?, 1.0),
            BinaryOp::Divide | BinaryOp::FloorDivide => x?.times(&y?, -1.0),
            BinaryOp::Power => match plain_number(right) {
                Some(power) => Shape::default().times(&x?, power),
                None => {
                    self.equal(y, Some(Shape::default()));
                    self.equal(x, Some(Shape::default()));
                    Some(Shape::default())
                }
            },
            BinaryOp::And | BinaryOp::Or => None,
            _ => {
                self.equal(x.clone(), y.clone());
                if op.is_comparison() { None } else { x.or(y) }
            }
        }
    }

    fn call(&mut self, function: &str, arguments: &[Expr]) -> Option<Shape> {
        let shapes: Vec<Option<Shape>> = arguments.iter().map(|argument| self.shape(argument)).collect();
        let first = shapes.first().cloned().flatten();
        if ["rand", "randn"].contains(&function) {
            return Some(Shape::default());
        }
        match Function::named(function)?.row().dimensions {
            Dimensions::Kept => {
                for other in &shapes[1.min(shapes.len())..] {
                    self.equal(first.clone(), other.clone());
                }
                first
            }
            Dimensions::Dropped => Some(Shape::default()),
            Dimensions::Root => Shape::default().times(&first?, 0.5),
            Dimensions::Pure => {
                for shape in shapes {
                    self.equal(shape, Some(Shape::default()));
                }
                Some(Shape::default())
            }
        }
    }

    /// Records that two shapes have the same dimension.
    fn equal(&mut self, one: Option<Shape>, other: Option<Shape>) {
        let (Some(one), Some(other)) = (one, other) else { return };
        let Some(difference) = one.times(&other, -1.0).and_then(|difference| self.reduced(difference)) else { return };
        // unknown^power · rest = 1, so unknown = rest^(−1/power).
        let Some((&index, &power)) = difference.unknown.iter().next_back() else { return };
        let mut rest = difference;
        rest.unknown.remove(&index);
        let Some(solution) = Shape::default().times(&rest, -1.0 / power) else { return };
        self.solved.insert(index, solution);
    }

    /// The same with every solved unknown substituted.
    fn reduced(&self, mut shape: Shape) -> Option<Shape> {
        // Each solution contains only unknowns that were unsolved when it was found, so this ends.
        while let Some((index, power)) = shape.unknown.iter().find(|(index, _)| self.solved.contains_key(*index)) {
            let (index, power) = (*index, *power);
            shape.unknown.remove(&index);
            shape = shape.times(&self.solved[&index], power)?;
        }
        Some(shape)
    }

    fn dimensions(&self) -> HashMap<String, Dimension> {
        let solved = self.unknown.iter().enumerate().filter_map(|(index, name)| {
            let shape = self.reduced(self.solved.get(&index)?.clone())?;
            shape.unknown.is_empty().then(|| (name.clone(), shape.known))
        });
        solved.collect()
    }
}

/// `2`, `-1`, `1/3`: an exponent that is a literal number.
fn plain_number(expression: &Expr) -> Option<f64> {
    match &expression.kind {
        ExprKind::Number(value) => Some(*value),
        ExprKind::Unary(UnaryOp::Negate, operand) => plain_number(operand).map(|value| -value),
        ExprKind::Binary(BinaryOp::Divide, left, right) => Some(plain_number(left)? / plain_number(right)?),
        _ => None,
    }
}

/// Base units for quotients and products, as usually written.
const COMMON: [&str; 12] = ["mV", "ms", "pA", "nS", "pF", "Mohm", "Hz", "um", "mM", "K", "mV**2", "ms**2"];

/// A dimension as a unit: `mV`, `nS/mV`, `second**-0.5`.
pub fn unit_text(dimension: Dimension) -> String {
    let inner = dimension.inner_unit();
    let is = |text: &String| syntax::parse_unit(text).is_ok_and(|unit| unit.dimension == dimension);
    if is(&inner) {
        return inner;
    }
    let pairs =
        |sign: &'static str| COMMON.iter().flat_map(move |one| COMMON.iter().map(move |other| format!("{one}{sign}{other}")));
    let inverses = COMMON.iter().map(|unit| format!("1/{unit}"));
    if let Some(text) = COMMON.iter().map(|unit| (*unit).to_owned()).chain(inverses).chain(pairs("/")).chain(pairs("*")).find(is)
    {
        return text;
    }
    let base = |symbol: &str| match symbol {
        "m" => "metre".to_owned(),
        "kg" => "kilogram".to_owned(),
        "s" => "second".to_owned(),
        "A" => "amp".to_owned(),
        "K" => "kelvin".to_owned(),
        "mol" => "mole".to_owned(),
        "cd" => "candela".to_owned(),
        other => other.to_owned(),
    };
    let shown = dimension.to_string();
    let factors = shown.split('·').map(|factor| match factor.split_once('^') {
        Some((symbol, power)) => format!("{}**{power}", base(symbol)),
        None => base(factor),
    });
    factors.collect::<Vec<_>>().join("*")
}

/// An example value with this dimension.
pub fn example(dimension: Dimension) -> String {
    let is = |unit: &str| unit::lookup(unit).is_some_and(|unit| unit.dimension == dimension);
    let common = [
        ("ms", "20 ms"),
        ("mV", "-65 mV"),
        ("pA", "200 pA"),
        ("nS", "10 nS"),
        ("pF", "200 pF"),
        ("Mohm", "100 Mohm"),
        ("Hz", "10 Hz"),
    ];
    match common.into_iter().find(|(unit, _)| is(unit)) {
        Some((_, example)) => example.into(),
        None if dimension.is_none() => "1".into(),
        None => format!("1 {}", unit_text(dimension)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inferred(equations: &str, threshold: &str, reset: &str, refractory: &str) -> Vec<(String, String)> {
        let texts = Texts {
            equations: equations.into(),
            threshold: threshold.into(),
            reset: reset.into(),
            refractory: refractory.into(),
            ..Texts::default()
        };
        let found = infer(&texts, &HashMap::new());
        let mut found: Vec<_> = found.into_iter().map(|(name, dimension)| (name, dimension.to_string())).collect();
        found.sort();
        found
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, dimension)| ((*name).to_owned(), (*dimension).to_owned())).collect()
    }

    #[test]
    fn the_leaky_cell() {
        let found = inferred("dv/dt = (El - v + R*I)/tau : volt\nI : amp", "v > Vt", "v = Vr", "tref");
        assert_eq!(
            found,
            pairs(&[("El", "volt"), ("R", "ohm"), ("Vr", "volt"), ("Vt", "volt"), ("tau", "second"), ("tref", "second")])
        );
    }

    #[test]
    fn products_that_could_be_anything_are_left_open() {
        assert_eq!(inferred("dv/dt = a*b : volt", "v > Vt", "", ""), pairs(&[("Vt", "volt")]));
        // One more equation determines both.
        let found = inferred("dv/dt = a*b : volt", "b > 3*nA", "", "");
        assert_eq!(found, pairs(&[("a", "1/farad"), ("b", "amp")]));
    }

    #[test]
    fn exponents_functions_and_noise() {
        let equations = "dv/dt = (gL*(EL - v) + gL*DT*exp((v - VT)/DT))/C + sigma*xi : volt\nrate = sqrt(k)/x**2 : hertz\nx : 1";
        assert_eq!(
            inferred(equations, "v > Vcut", "v = Vr; w += b\n", "5*ms"),
            pairs(&[
                ("C", "m^-2·kg^-1·s^4·A^2"),
                ("DT", "volt"),
                ("EL", "volt"),
                ("VT", "volt"),
                ("Vcut", "volt"),
                ("Vr", "volt"),
                ("k", "hertz/second"),
                ("sigma", "m^2·kg·s^-3.5·A^-1")
            ])
            .into_iter()
            .filter(|(name, _)| name != "C")
            .collect::<Vec<_>>(),
            "gL and C are known only as a ratio"
        );
    }

    #[test]
    fn units_can_be_read_again() {
        for text in ["mV", "ms", "1", "second**-0.5", "volt/sqrt_is_no_unit", "amp/volt", "metre**2*kilogram", "mole/metre**3"] {
            let Ok(unit) = syntax::parse_unit(text) else { continue };
            let written = unit_text(unit.dimension);
            let again = spikelet_lang::quantity::constant("x", &format!("1*{written}"));
            assert_eq!(again.map(|(_, dimension)| dimension), Ok(unit.dimension), "{text} → {written}");
            let shown = example(unit.dimension);
            let again = spikelet_lang::quantity::constant("x", &shown);
            assert_eq!(again.map(|(_, dimension)| dimension), Ok(unit.dimension), "{text} → {shown}");
        }
    }
}
