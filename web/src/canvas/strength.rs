//! The sign and the size of a projection's weight, read from its statements.
//!
//! The first statement that adds to a variable of the target is evaluated with the values of the projection: means of distributions,
//! and the start of variables that are learned. This is for the eye; nothing is computed with it.

use spikelet_lang::library;
use spikelet_lang::syntax::{self, AssignKind, BinaryOp, Expr, ExprKind, UnaryOp};
use spikelet_lang::unit;
use spikelet_network::{Projection, Quantity};

use super::notation::Sign;
use crate::role::{Role, role};

/// Variables that inhibit by their name, as conductances do: their weights are positive.
const INHIBITORY: [&str; 7] = ["gi", "g_i", "g_inh", "I_i", "I_inh", "Ii", "ginh"];

/// Names are looked up this deep: a value that refers to itself has no size.
const DEEPEST: u32 = 8;

/// What is known of a weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Strength {
    pub(crate) sign: Sign,
    /// Its size in inner units; `None` if it depends on more than the text.
    pub(crate) size: Option<f64>,
}

impl Strength {
    /// That of a projection.
    pub(super) fn of(projection: &Projection) -> Strength {
        let by_name = match role(&projection.pre.population) {
            Role::Inhibitory => Sign::Inhibitory,
            _ => Sign::Excitatory,
        };
        let texts = projection.on_pre.iter().flat_map(|on_pre| on_pre.iter().map(|(_, text)| text));
        let found = texts.filter_map(added).next();
        let Some((target, amount)) = found else {
            // A model of the library: its weight is called w.
            let size = value(projection, "w", 0);
            return Strength { sign: if size.is_some_and(|size| size < 0.0) { Sign::Inhibitory } else { by_name }, size };
        };
        let size = evaluate(projection, &amount, 0);
        let is_negative = size.map_or_else(|| begins_with_minus(&amount), |size| size < 0.0);
        let inhibits = INHIBITORY.contains(&target.trim_end_matches("_post"));
        let sign = if is_negative || inhibits { Sign::Inhibitory } else { Sign::Excitatory };
        Strength { sign, size: size.map(f64::abs) }
    }

    /// That of a weight in a text of its own.
    pub(super) fn of_weight(weight: &Quantity) -> Strength {
        let size = crate::equations::written(weight).and_then(|text| evaluate_text(&text, &|_, _| None, 0));
        let is_negative = size.is_some_and(|size| size < 0.0);
        Strength { sign: if is_negative { Sign::Inhibitory } else { Sign::Excitatory }, size: size.map(f64::abs) }
    }
}

/// The variable of the target to which the first such statement adds, and the amount, negative for a subtraction.
fn added(text: &str) -> Option<(String, Expr)> {
    let statements = syntax::parse_statements("", text).ok()?;
    statements.into_iter().filter(|statement| statement.target.ends_with("_post")).find_map(|statement| {
        let AssignKind::Change(operator @ (BinaryOp::Add | BinaryOp::Subtract)) = statement.kind else { return None };
        let amount = statement.value;
        let is_subtracted = operator == BinaryOp::Subtract;
        let amount = if is_subtracted {
            Expr { span: amount.span, kind: ExprKind::Unary(UnaryOp::Negate, Box::new(amount)) }
        } else {
            amount
        };
        Some((statement.target, amount))
    })
}

fn begins_with_minus(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Unary(UnaryOp::Negate, inner) => !begins_with_minus(inner),
        ExprKind::Binary(BinaryOp::Multiply | BinaryOp::Divide, first, _) => begins_with_minus(first),
        _ => false,
    }
}

/// The value of a name in a projection: set, or of its preset or model.
fn value(projection: &Projection, name: &str, depth: u32) -> Option<f64> {
    let model = projection.model.as_ref().and_then(|name| library::library(name).ok());
    let preset = || model.as_ref()?.presets.get(projection.preset.as_ref()?);
    let set = projection.parameters.get(name).or_else(|| projection.initial.get(name));
    let text = match set {
        Some(quantity) => crate::equations::written(quantity)?,
        None => preset()
            .and_then(|preset| preset.parameters.get(name).or_else(|| preset.initial.get(name)).cloned())
            .or_else(|| Some(model.as_ref()?.parameters.get(name)?.default.clone()))
            .or_else(|| model.as_ref()?.initial.get(name).cloned())?,
    };
    evaluate_text(&text, &|name, depth| value(projection, name, depth), depth + 1)
}

fn evaluate(projection: &Projection, expression: &Expr, depth: u32) -> Option<f64> {
    calculate(expression, &|name, depth| value(projection, name, depth), depth)
}

fn evaluate_text(text: &str, names: &dyn Fn(&str, u32) -> Option<f64>, depth: u32) -> Option<f64> {
    calculate(&syntax::parse_quantity("", text).ok()?, names, depth)
}

fn calculate(expression: &Expr, names: &dyn Fn(&str, u32) -> Option<f64>, depth: u32) -> Option<f64> {
    if depth > DEEPEST {
        return None;
    }
    let of = |expression: &Expr| calculate(expression, names, depth);
    let result = match &expression.kind {
        ExprKind::Number(number) => *number,
        ExprKind::Name(name) => names(name, depth).or_else(|| Some(unit::lookup(name)?.factor))?,
        ExprKind::Unary(UnaryOp::Negate, inner) => -of(inner)?,
        ExprKind::Binary(operator, left, right) => match operator {
            BinaryOp::Add => of(left)? + of(right)?,
            BinaryOp::Subtract => of(left)? - of(right)?,
            // A factor that is unknown here, such as a state of the synapse, counts as one.
            BinaryOp::Multiply => match (of(left), of(right)) {
                (Some(left), Some(right)) => left * right,
                (Some(one), None) | (None, Some(one)) => one,
                (None, None) => return None,
            },
            BinaryOp::Divide => of(left)? / of(right)?,
            BinaryOp::Power => of(left)?.powf(of(right)?),
            _ => return None,
        },
        ExprKind::Call(name, arguments) => match (name.as_str(), arguments.as_slice()) {
            ("normal" | "clip" | "int", [first, ..]) => of(first)?,
            ("uniform", [low, high]) => (of(low)? + of(high)?) / 2.0,
            ("rand", []) => 0.5,
            ("exp", [power]) => of(power)?.exp(),
            ("sqrt", [square]) => of(square)?.sqrt(),
            ("abs", [inner]) => of(inner)?.abs(),
            _ => return None,
        },
        _ => return None,
    };
    result.is_finite().then_some(result)
}

#[cfg(test)]
mod tests {
    use spikelet_network::{Network, catalogue};

    use super::*;

    fn strengths(name: &str) -> Vec<(String, Sign, Option<f64>)> {
        let entry = catalogue::entry(name).expect(name);
        let network = entry.network(entry.small).expect(name);
        let of = |projection: &Projection| {
            let Strength { sign, size } = Strength::of(projection);
            (projection.name.clone(), sign, size)
        };
        network.projections.iter().map(of).collect()
    }

    fn named(list: &[(String, Sign, Option<f64>)], name: &str) -> (Sign, Option<f64>) {
        let found = list.iter().find(|(of, ..)| of == name);
        let (_, sign, size) = found.unwrap_or_else(|| panic!("{name} in {list:?}"));
        (*sign, *size)
    }

    #[test]
    fn signs_of_the_catalogue_are_those_of_its_populations() {
        for name in ["cuba", "coba", "ping", "pd14", "brunel_ai", "ei"] {
            let Ok(entry) = catalogue::entry(name) else { continue };
            let network = entry.network(entry.small).expect(name);
            for projection in &network.projections {
                let is_inhibitory = role(&projection.pre.population) == Role::Inhibitory;
                let Strength { sign, size } = Strength::of(projection);
                assert_eq!(sign == Sign::Inhibitory, is_inhibitory, "{name}: {}", projection.name);
                assert!(size.is_some_and(|size| size > 0.0), "{name}: {} has no size", projection.name);
            }
        }
    }

    #[test]
    fn a_subtraction_of_a_product_is_inhibitory() {
        let all = strengths("brunel_ai");
        assert_eq!(named(&all, "E_E").0, Sign::Excitatory);
        let (sign, size) = named(&all, "I_E");
        let (_, excitatory) = named(&all, "E_E");
        assert_eq!(sign, Sign::Inhibitory);
        assert!(size > excitatory, "{size:?} and {excitatory:?}");
    }

    #[test]
    fn values_refer_to_each_other_but_not_to_themselves() {
        let mut network = catalogue::network("cuba", 0.1).expect("cuba");
        let projection = &mut network.projections[0];
        projection.on_pre = Some("ge_post += -(2*a)".into());
        projection.parameters = [("a", "b/2"), ("b", "normal(3 mV, 1 mV)")].map(|(name, text)| (name.into(), text.into())).into();
        let of = |network: &Network| Strength::of(&network.projections[0]);
        assert_eq!(of(&network), Strength { sign: Sign::Inhibitory, size: Some(3.0) });
        network.projections[0].parameters.insert("b".into(), "a".into());
        network.projections[0].on_pre = Some("ge_post -= a".into());
        assert_eq!(of(&network), Strength { sign: Sign::Inhibitory, size: None });
        network.projections[0].on_pre = Some("this is no statement".into());
        assert_eq!(of(&network).size, None);
    }
}
