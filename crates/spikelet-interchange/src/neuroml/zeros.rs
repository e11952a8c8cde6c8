//! Units of zeros: a bare `0` has any dimension in LEMS, and here that of what it is added to, compared with, or assigned to.

use std::collections::HashMap;

use indexmap::IndexMap;
use spikelet_lang::syntax::{self, AssignKind, BinaryOp, EquationKind, Expr, ExprKind};
use spikelet_lang::{Dimension, unit};
use spikelet_network::Quantity;
use spikelet_network::texts::infer::unit_text;

/// The dimensions of names.
pub(super) type Known = HashMap<String, Dimension>;

/// What an expression is.
enum Shape {
    /// 0, wherever the zeros at these places are; its dimension is that of each of them times another one.
    Zero(Vec<(usize, Dimension)>),
    Of(Dimension),
    Unknown,
}

/// Where units are added in a text: the byte after a zero, and the unit.
#[derive(Default)]
struct Zeros<'a> {
    known: Option<&'a Known>,
    units: Vec<(usize, Dimension)>,
}

/// The names of equations, with their dimensions.
pub(super) fn declared(equations: &str, known: &mut Known) {
    for line in equations.lines() {
        for equation in syntax::parse_equations("", line).into_iter().flatten() {
            known.insert(equation.name, equation.unit.dimension);
        }
    }
}

/// Equations with units for their zeros.
pub(super) fn in_equations(text: &str, known: &Known) -> String {
    let line = |line: &str| {
        let mut zeros = Zeros { known: Some(known), ..Zeros::default() };
        for equation in syntax::parse_equations("", line).into_iter().flatten() {
            let dimension = equation.unit.dimension;
            match &equation.kind {
                EquationKind::Differential(rate) => zeros.assign(rate, Some(dimension.over(Dimension::TIME))),
                EquationKind::Subexpression(value) => zeros.assign(value, Some(dimension)),
                EquationKind::Parameter => {}
            }
        }
        zeros.written(line)
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Statements with units for their zeros.
pub(super) fn in_statements(text: &str, known: &Known) -> String {
    let mut zeros = Zeros { known: Some(known), ..Zeros::default() };
    for statement in syntax::parse_statements("", text).into_iter().flatten() {
        let target = zeros.dimension(&statement.target);
        match statement.kind {
            AssignKind::Set | AssignKind::Change(BinaryOp::Add | BinaryOp::Subtract) => zeros.assign(&statement.value, target),
            AssignKind::Change(_) => zeros.assign(&statement.value, Some(Dimension::NONE)),
        }
    }
    zeros.written(text)
}

/// An expression of this dimension, or a condition, with units for its zeros.
pub(super) fn in_expression(text: &str, known: &Known, dimension: Option<Dimension>) -> String {
    let mut zeros = Zeros { known: Some(known), ..Zeros::default() };
    if let Ok(expression) = syntax::parse_expression("", text) {
        zeros.assign(&expression, dimension);
    }
    zeros.written(text)
}

/// Values at the start with units for their zeros.
pub(super) fn in_values(values: &mut IndexMap<String, Quantity>, known: &Known) {
    for (name, value) in values {
        if let Quantity::Expr(text) = value {
            *text = in_expression(text, known, known.get(name).copied());
        }
    }
}

impl Zeros<'_> {
    fn dimension(&self, name: &str) -> Option<Dimension> {
        let of_neuron = || name.strip_suffix("_post").or_else(|| name.strip_suffix("_pre"));
        let known = self.known?;
        let own = known.get(name).or_else(|| known.get(of_neuron()?)).copied();
        own.or_else(|| match name {
            "t" | "dt" => Some(Dimension::TIME),
            "pi" | "inf" => Some(Dimension::NONE),
            _ => unit::lookup(name).map(|unit| unit.dimension),
        })
    }

    fn assign(&mut self, value: &Expr, dimension: Option<Dimension>) {
        let shape = self.shape(value);
        self.settle(shape, dimension);
    }

    /// Gives zeros the unit that makes a dimension of the whole.
    fn settle(&mut self, shape: Shape, dimension: Option<Dimension>) {
        if let (Shape::Zero(places), Some(dimension)) = (shape, dimension) {
            let units = places.into_iter().map(|(place, factor)| (place, dimension.over(factor)));
            self.units.extend(units.filter(|(_, unit)| !unit.is_none()));
        }
    }

    /// Two shapes that must have the same dimension.
    fn equal(&mut self, first: Shape, second: Shape) -> Shape {
        match (first, second) {
            (Shape::Of(dimension), other) | (other, Shape::Of(dimension)) => {
                self.settle(other, Some(dimension));
                Shape::Of(dimension)
            }
            (Shape::Zero(mut places), Shape::Zero(others)) => {
                places.extend(others);
                Shape::Zero(places)
            }
            _ => Shape::Unknown,
        }
    }

    fn shape(&mut self, of: &Expr) -> Shape {
        match &of.kind {
            ExprKind::Number(0.0) => Shape::Zero(vec![(of.span.end, Dimension::NONE)]),
            ExprKind::Number(_) | ExprKind::Boolean(_) => Shape::Of(Dimension::NONE),
            ExprKind::Name(name) => self.dimension(name).map_or(Shape::Unknown, Shape::Of),
            ExprKind::Unary(_, inner) => self.shape(inner),
            ExprKind::Binary(operator, left, right) => {
                let (first, second) = (self.shape(left), self.shape(right));
                self.binary(*operator, first, second, right)
            }
            ExprKind::Call(name, arguments) => {
                let mut shapes = arguments.iter().map(|argument| self.shape(argument)).collect::<Vec<_>>();
                match name.as_str() {
                    "abs" | "min" | "max" | "clip" => {
                        let Some(first) = shapes.pop() else { return Shape::Unknown };
                        shapes.into_iter().fold(first, |all, next| self.equal(all, next))
                    }
                    "sqrt" => match shapes.pop() {
                        Some(Shape::Of(dimension)) => dimension.power(0.5).map_or(Shape::Unknown, Shape::Of),
                        _ => Shape::Unknown,
                    },
                    _ => Shape::Of(Dimension::NONE),
                }
            }
        }
    }

    fn binary(&mut self, operator: BinaryOp, first: Shape, second: Shape, right: &Expr) -> Shape {
        match operator {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Modulo => self.equal(first, second),
            _ if operator.is_comparison() => {
                self.equal(first, second);
                Shape::Of(Dimension::NONE)
            }
            BinaryOp::Multiply => match (first, second) {
                (Shape::Zero(places), Shape::Of(other)) | (Shape::Of(other), Shape::Zero(places)) => {
                    Shape::Zero(places.into_iter().map(|(place, factor)| (place, factor.times(other))).collect())
                }
                (Shape::Of(one), Shape::Of(other)) => Shape::Of(one.times(other)),
                _ => Shape::Unknown,
            },
            BinaryOp::Divide | BinaryOp::FloorDivide => match (first, second) {
                (Shape::Zero(places), Shape::Of(other)) => {
                    Shape::Zero(places.into_iter().map(|(place, factor)| (place, factor.over(other))).collect())
                }
                (Shape::Of(one), Shape::Of(other)) => Shape::Of(one.over(other)),
                _ => Shape::Unknown,
            },
            BinaryOp::Power => match (first, &right.kind) {
                (Shape::Of(one), ExprKind::Number(power)) => one.power(*power).map_or(Shape::Unknown, Shape::Of),
                (Shape::Of(one), _) if one.is_none() => Shape::Of(one),
                _ => Shape::Unknown,
            },
            _ => Shape::Of(Dimension::NONE),
        }
    }

    fn written(mut self, text: &str) -> String {
        self.units.sort_by_key(|(place, _)| *place);
        let mut out = text.to_owned();
        for (place, dimension) in self.units.into_iter().rev() {
            out.insert_str(place, &format!("*({})", unit_text(dimension)));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_have_the_dimension_of_what_they_stand_beside() {
        let mut known = Known::new();
        declared("dv/dt = 0 : volt\nn : 1\ntau : second\ng : siemens\nq = (0) : amp", &mut known);
        for (text, written) in [
            ("dv/dt = 0 : volt", "dv/dt = 0*(mV/ms) : volt"),
            ("dv/dt = (0 - v)/tau : volt", "dv/dt = (0*(mV) - v)/tau : volt"),
            ("q = (0)*int(v > 0) + g*v : amp", "q = (0)*(pA)*int(v > 0*(mV)) + g*v : amp"),
            ("q = g*(0*n) : amp", "q = g*(0*(mV)*n) : amp"),
            ("dn/dt = 0/tau + 0 : 1", "dn/dt = 0/tau + 0*(kHz) : 1"),
            ("n = max(v, 0)/v + 0.0*1 : 1", "n = max(v, 0*(mV))/v + 0.0*1 : 1"),
        ] {
            assert_eq!(in_equations(text, &known), written);
        }
        assert_eq!(in_statements("v = 0; n += 0; n = 0*n", &known), "v = 0*(mV); n += 0; n = 0*n");
        assert_eq!(in_expression("v > 0 and n > 0", &known, None), "v > 0*(mV) and n > 0");
        assert_eq!(in_expression("0", &known, Some(Dimension::VOLTAGE)), "0*(mV)");
    }
}
