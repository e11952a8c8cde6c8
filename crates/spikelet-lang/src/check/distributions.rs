//! Distributions: `normal(-65*mV, 5*mV)`. Most are simple terms of standard draws.

use std::sync::Arc;

use super::{Resolved, Resolver, Type};
use crate::diagnostic::{Diagnostic, Kind, Span};
use crate::host::{self, Leaf};
use crate::syntax::Expr;
use crate::term::{self, Function, Node, Random, Symbol, Term};
use crate::unit::Dimension;

/// The distributions by their names, and their arguments as they are written. Their values have the dimension of their arguments;
/// shapes and sigmas are pure numbers.
pub const DISTRIBUTIONS: [(&str, &str); 5] = [
    ("normal", "(mean, sd) or (mean, sd, low, high)"),
    ("lognormal", "(median, sigma)"),
    ("uniform", "(low, high)"),
    ("exponential", "(mean)"),
    ("gamma", "(shape, scale)"),
];

/// Minimum probability of the interval of a truncated normal number: a smaller one indicates a wrong sign or unit.
const RAREST: f64 = 1e-9;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Distribution {
    Normal,
    TruncatedNormal,
    Lognormal,
    Uniform,
    Exponential,
    Gamma,
}

impl Distribution {
    fn name(self) -> &'static str {
        match self {
            Distribution::Normal | Distribution::TruncatedNormal => "normal",
            Distribution::Lognormal => "lognormal",
            Distribution::Uniform => "uniform",
            Distribution::Exponential => "exponential",
            Distribution::Gamma => "gamma",
        }
    }

    /// What the arguments are called.
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Distribution::Normal => &["mean", "sd"],
            Distribution::TruncatedNormal => &["mean", "sd", "low", "high"],
            Distribution::Lognormal => &["median", "sigma"],
            Distribution::Uniform => &["low", "high"],
            Distribution::Exponential => &["mean"],
            Distribution::Gamma => &["shape", "scale"],
        }
    }

    /// Whether an argument is a pure number; all others have one dimension.
    fn is_pure(self, argument: usize) -> bool {
        matches!((self, argument), (Distribution::Lognormal, 1) | (Distribution::Gamma, 0))
    }
}

/// The distribution with this name and number of arguments; for any other number, the most likely one.
pub(super) fn find(name: &str, arguments: usize) -> Option<Distribution> {
    Some(match name {
        "normal" if arguments > 2 => Distribution::TruncatedNormal,
        "normal" => Distribution::Normal,
        "lognormal" => Distribution::Lognormal,
        "uniform" => Distribution::Uniform,
        "exponential" => Distribution::Exponential,
        "gamma" => Distribution::Gamma,
        _ => return None,
    })
}

/// Conditions on the arguments of a distribution.
#[derive(Debug, Clone)]
pub struct ArgumentRule {
    distribution: Distribution,
    arguments: Vec<(Term, Span)>,
    dimension: Dimension,
    place: String,
    text: String,
}

impl ArgumentRule {
    /// Whether any symbol or random draw in the arguments satisfies `test`; `None` stands for a draw.
    pub fn any(&self, mut test: impl FnMut(Option<Symbol>) -> bool) -> bool {
        self.arguments.iter().any(|(term, _)| term.any(&mut test))
    }

    /// Looks at the arguments where `leaf` gives what they depend on.
    ///
    /// # Errors
    /// A negative standard deviation, sigma, mean, median or scale, a shape that is not above 0, an interval whose low end is not
    /// below its high one, or that a normal number hardly ever falls into.
    pub fn check(&self, leaf: &mut dyn FnMut(Leaf) -> f64) -> Result<(), Diagnostic> {
        let values: Vec<Option<f64>> = self.arguments.iter().map(|(term, _)| Some(host::evaluate(term, leaf))).collect();
        self.judge(&values)
    }

    /// Looks at those arguments that depend on nothing.
    fn check_numbers(&self) -> Result<(), Diagnostic> {
        let number = |(term, _): &(Term, Span)| (!term.any(|_| true)).then(|| host::evaluate(term, &mut |_| f64::NAN));
        self.judge(&self.arguments.iter().map(number).collect::<Vec<_>>())
    }

    /// Whether arguments of these values, as far as they are known, are as they must be.
    fn judge(&self, values: &[Option<f64>]) -> Result<(), Diagnostic> {
        let written = |argument: usize| {
            let pure = self.distribution.is_pure(argument) || self.dimension.is_none();
            let unit = if pure { String::new() } else { format!(" {}", self.dimension.inner_unit()) };
            format!("{}{unit}", values[argument].unwrap_or(f64::NAN))
        };
        let name = self.distribution.name();
        let error = |argument: usize, message: String| {
            Diagnostic::new(Kind::OutOfRange, &self.place, &self.text, self.arguments[argument].1, message)
        };
        let not_negative = |argument: usize| {
            if values[argument].is_none_or(|value| value >= 0.0) {
                return Ok(());
            }
            let called = self.distribution.arguments()[argument];
            Err(error(argument, format!("the {called} of `{name}` is {}; expected 0 or more.", written(argument))))
        };
        let in_order = |low: usize, high: usize| {
            if values[low].zip(values[high]).is_none_or(|(low, high)| low < high) {
                return Ok(());
            }
            let (from, to) = (written(low), written(high));
            Err(error(
                low,
                format!("`{name}` has the bounds {from} and {to}; expected the lower one first, and different bounds."),
            ))
        };
        let signed = |found: Diagnostic| found.help(format!("For negative values write the sign first: `-{name}(…)`."));
        match self.distribution {
            Distribution::Normal => not_negative(1),
            Distribution::Lognormal => not_negative(0).map_err(signed).and_then(|()| not_negative(1)),
            Distribution::Uniform => in_order(0, 1),
            Distribution::Exponential => not_negative(0).map_err(signed),
            Distribution::Gamma if values[0].is_none_or(|shape| shape > 0.0) => not_negative(1).map_err(signed),
            Distribution::Gamma => Err(error(0, format!("the shape of `{name}` is {}; expected one above 0.", written(0)))),
            Distribution::TruncatedNormal => {
                not_negative(1)?;
                in_order(2, 3)?;
                let [Some(mean), Some(sd), Some(low), Some(high)] = *values else { return Ok(()) };
                let bounds = [low, high];
                let certain = sd == 0.0 && bounds[0] <= mean && mean <= bounds[1];
                let probability = if sd > 0.0 { host::probability([mean, sd], bounds) } else { 0.0 };
                if certain || probability >= RAREST {
                    return Ok(());
                }
                let (mean, sd, low, high) = (written(0), written(1), written(2), written(3));
                let message = format!(
                    "a normal number with mean {mean} and sd {sd} is between {low} and {high} with probability \
                     {probability:.1e}; expected {RAREST:e} or more."
                );
                Err(error(2, message).help("Check signs and units, or write `uniform(low, high)`."))
            }
        }
    }
}

impl Resolver<'_> {
    /// A call of a distribution.
    pub(super) fn distribution(&self, distribution: Distribution, arguments: &[Expr], span: Span) -> Resolved {
        let (name, called) = (distribution.name(), distribution.arguments());
        if arguments.len() != called.len() {
            let written = DISTRIBUTIONS.iter().find(|(known, _)| *known == name).map_or("", |(_, written)| written);
            let count = arguments.len();
            let message = format!("`{name}` takes {written}, found {count} argument{}.", super::plural(count));
            return Err(self.error(Kind::WrongArity, span, message));
        }
        let mut terms: Vec<(Term, Span)> = Vec::new();
        let mut measured: Option<(Dimension, &str)> = None;
        for (k, argument) in arguments.iter().enumerate() {
            let (term, found) = self.number(argument)?;
            let written = self.written(argument);
            match measured {
                _ if distribution.is_pure(k) && found.is_none() => {}
                _ if distribution.is_pure(k) => {
                    let message = format!("the {} of `{name}` is a pure number, `{written}` is {found}.", called[k]);
                    return Err(self.error(Kind::DimensionMismatch, argument.span, message));
                }
                Some((dimension, first)) if dimension != found => {
                    let message = format!("`{written}` is {found}; the {first} of `{name}` is {dimension}.");
                    return Err(self.error(Kind::DimensionMismatch, argument.span, message));
                }
                Some(_) => {}
                None => measured = Some((found, called[k])),
            }
            terms.push((term, argument.span));
        }
        let dimension = measured.map_or(Dimension::NONE, |(dimension, _)| dimension);
        let site = self.scope.site().map_err(|why| self.error(Kind::Unsupported, span, format!("`{name}(…)`: {why}.")))?;
        if matches!(distribution, Distribution::TruncatedNormal | Distribution::Gamma) && !self.scope.is_on_host() {
            let what = if distribution == Distribution::Gamma { "gamma" } else { "normal(mean, sd, low, high)" };
            let message =
                format!("`{what}` can be drawn for parameters, initial values, weights and delays, not during the run.");
            let help = "Write `clip(normal(mean, sd), low, high)`, or give a parameter this distribution.";
            return Err(self.error(Kind::Unsupported, span, message).help(help));
        }
        let term = written_out(distribution, &terms, site);
        let (place, text) = (self.place.into(), self.text.into());
        let demand = ArgumentRule { distribution, arguments: terms, dimension, place, text };
        demand.check_numbers()?;
        if demand.any(|_| true) {
            self.scope.demand(demand);
        }
        Ok((term, Type::Number(dimension)))
    }
}

/// A distribution as a term over a draw at a site. One without a spread is its mean, for which nothing is drawn.
fn written_out(distribution: Distribution, arguments: &[(Term, Span)], site: u32) -> Term {
    let random = |random| Arc::new(Node::Random(random, site)) as Term;
    let argument = |k: usize| &arguments[k].0;
    match distribution {
        Distribution::Normal => term::add(argument(0), &term::product_of_finite(argument(1), &random(Random::Normal))),
        Distribution::Lognormal => {
            let power = term::product_of_finite(argument(1), &random(Random::Normal));
            term::product_of_finite(argument(0), &term::call(Function::Exp, power))
        }
        Distribution::Uniform => {
            let width = term::subtract(argument(1), argument(0));
            term::add(argument(0), &term::product_of_finite(&width, &random(Random::Uniform)))
        }
        Distribution::Exponential => {
            // A uniform number is never 1.
            let logarithm = term::call(Function::Log1p, term::negate(&random(Random::Uniform)));
            term::product_of_finite(argument(0), &term::negate(&logarithm))
        }
        Distribution::TruncatedNormal => {
            let arguments = arguments.iter().map(|(term, _)| term.clone()).chain([random(Random::Uniform)]).collect();
            Arc::new(Node::Call(Function::TruncatedNormal, arguments))
        }
        Distribution::Gamma => {
            let standard = Node::Call(Function::Gamma, vec![argument(0).clone(), random(Random::Uniform)]);
            term::product_of_finite(argument(1), &(Arc::new(standard) as Term))
        }
    }
}
