//! The rule `generator`: indices from expressions of a neuron.

use std::cell::RefCell;
use std::ops::Range;

use spikelet_lang::check::{Type, ValueScope, resolve};
use spikelet_lang::syntax::{Expr, SampleAmount, parse_generator};
use spikelet_lang::term::{Symbol, Term, number};
use spikelet_lang::{Diagnostic, Dimension, Kind};
use spikelet_network::Error;
use spikelet_rows::connect::{GeneratorAmount, GeneratorValues, IndexGenerator};

use super::scope::{NOT_DRAWN, PairScope};

/// The symbol of the name that takes several values.
const VALUE: Symbol = Symbol::Variable(0);

/// Largest index of a value: those of f64 are exact up to here.
const MAX_VALUE: f64 = 9_007_199_254_740_992.0;

/// Generated indices of one side.
pub(crate) struct ExpressionGenerator {
    scope: PairScope,
    /// Whether the sources of each postsynaptic neuron are generated.
    sources: bool,
    /// The key of the rule, in errors.
    path: String,
    /// The neurons of the slice that may be generated.
    neurons: Range<u32>,
    skip_if_invalid: bool,
    element: Term,
    /// First value, end, and step; the neuron itself without a loop.
    limits: Option<[Term; 3]>,
    amount: Option<(bool, Term)>,
    condition: Option<Term>,
    /// Whether the condition reads the generated neuron, which must exist for it.
    reads_other: bool,
}

impl ExpressionGenerator {
    /// Reads the text of a rule between slices of these neurons.
    pub(crate) fn new(
        scope: PairScope,
        sources: bool,
        text: &str,
        (path, neurons, skip_if_invalid): (String, Range<u32>, bool),
    ) -> Result<ExpressionGenerator, Diagnostic> {
        let (own, other) = if sources { ("j", "i") } else { ("i", "j") };
        let place = other;
        let generator = parse_generator(place, text)?;
        let name = generator.iteration.as_ref().map(|iteration| iteration.name.clone());
        let is_value = |wanted: &str| name.as_deref() == Some(wanted);
        if let (Some(name), Some(iteration)) = (&name, &generator.iteration)
            && scope.symbol(name).is_some()
        {
            let message = format!("`{name}` has a meaning already.");
            return Err(Diagnostic::new(Kind::DuplicateVariable, place, text, iteration.source.span, message)
                .help("Use another name, such as `k`."));
        }
        let reads_other = RefCell::new(false);
        let known = |wanted: &str, with_value: bool, with_other: bool| {
            if is_value(wanted) {
                return with_value.then_some((VALUE, Dimension::NONE));
            }
            let found = scope.symbol(wanted)?;
            let is_size = wanted == "N_pre" || wanted == "N_post";
            let is_read = matches!(found.0, Symbol::Read(_)) && !is_size;
            let is_other = wanted == other || is_read && (wanted == "d" || is_of(wanted, !sources));
            if is_other && !with_other {
                return None;
            }
            *reads_other.borrow_mut() |= is_other;
            Some(found)
        };
        let resolved = |expression: &Expr, wanted: Type, with_value: bool, with_other: bool| {
            let names = |name: &str| known(name, with_value, with_other);
            let elsewhere = |name: &str| {
                if is_value(name) {
                    return Some("the name of the values, which is known after `in`".into());
                }
                let is_other = name == other || name == "d" || is_of(name, !sources);
                if is_other && scope.symbol(name).is_some() {
                    return Some(format!("known for a pair: only the condition after `if` knows the generated `{other}`"));
                }
                scope.elsewhere(name)
            };
            let names_known = [own, "N_pre", "N_post"].into_iter().map(str::to_owned).chain(name.clone()).collect();
            let scope = ValueScope { names: &names, known: names_known, sites: Err(NOT_DRAWN), elsewhere: &elsewhere };
            let (term, kind) = resolve(place, text, expression, &scope)?;
            if kind == wanted {
                return Ok(term);
            }
            let expected = if wanted == Type::Boolean { "a condition such as `i != k`" } else { "a pure number" };
            let message = format!("`{}` is {kind}; expected {expected}.", &text[expression.span.start..expression.span.end]);
            Err(Diagnostic::new(Kind::DimensionMismatch, place, text, expression.span, message))
        };
        let pure = Type::Number(Dimension::NONE);
        let element = resolved(&generator.element, pure, true, false)?;
        let (mut limits, mut amount) = (None, None);
        if let Some(iteration) = &generator.iteration {
            let source = &iteration.source;
            let limit = |expression: &Option<Expr>, default: f64| match expression {
                Some(expression) => resolved(expression, pure, false, false),
                None => Ok(number(default)),
            };
            limits = Some([limit(&source.first, 0.0)?, resolved(&source.end, pure, false, false)?, limit(&source.step, 1.0)?]);
            amount = match &source.amount {
                Some(SampleAmount::Probability(p)) => Some((false, resolved(p, pure, false, false)?)),
                Some(SampleAmount::Size(size)) => Some((true, resolved(size, pure, false, false)?)),
                None => None,
            };
        }
        let condition =
            generator.condition.as_ref().map(|condition| resolved(condition, Type::Boolean, true, true)).transpose()?;
        let reads_other = reads_other.into_inner();
        Ok(ExpressionGenerator {
            scope,
            sources,
            path,
            neurons,
            skip_if_invalid,
            element,
            limits,
            amount,
            condition,
            reads_other,
        })
    }

    /// The value of a term for a neuron; the other one, and the value, are given where they are known.
    fn value(&self, term: &Term, neuron: u32, other: u32, value: i64) -> f64 {
        let [pre, post] = if self.sources { [other, neuron] } else { [neuron, other] };
        self.scope.value(term, pre, post, &|symbol| if symbol == VALUE { value as f64 } else { f64::NAN })
    }

    fn names(&self) -> [&'static str; 2] {
        if self.sources { ["j", "i"] } else { ["i", "j"] }
    }

    fn wrong(&self, neuron: u32, found: &str, expected: &str, way_out: &str) -> Error {
        Error::invalid(&self.path, format!("{found} for {} = {neuron}", self.names()[0]), expected, way_out)
    }

    /// A number that must be whole.
    fn whole(&self, term: &Term, neuron: u32, what: &str) -> Result<i64, Error> {
        let found = self.value(term, neuron, 0, 0);
        if found.fract() == 0.0 && found.abs() <= MAX_VALUE {
            return Ok(found as i64);
        }
        Err(self.wrong(neuron, &format!("{found}, {what},"), "whole numbers are expected", "round it, for example by `int(…)`"))
    }
}

impl IndexGenerator for ExpressionGenerator {
    fn values(&self, neuron: u32) -> Result<GeneratorValues, Error> {
        let Some([first, end, step]) = &self.limits else {
            return Ok(GeneratorValues { first: 0, step: 1, count: 1, amount: GeneratorAmount::All });
        };
        let (first, end) = (self.whole(first, neuron, "the first value")?, self.whole(end, neuron, "the end")?);
        let step = self.whole(step, neuron, "the step")?;
        if step == 0 {
            return Err(self.wrong(neuron, "a step of 0", "it would never end", "use another step"));
        }
        let distance = if step > 0 { i128::from(end) - i128::from(first) } else { i128::from(first) - i128::from(end) };
        let count = (distance.max(0) + i128::from(step.unsigned_abs()) - 1) / i128::from(step.unsigned_abs());
        let Ok(count) = u32::try_from(count) else {
            return Err(self.wrong(neuron, &format!("{count} values"), "there can be at most 4294967295", "use other limits"));
        };
        let amount = match &self.amount {
            None => GeneratorAmount::All,
            Some((false, p)) => {
                let p = self.value(p, neuron, 0, 0);
                if !(0.0..=1.0).contains(&p) {
                    let way_out = "limit it, for example by `clip(…, 0, 1)`";
                    return Err(self.wrong(neuron, &format!("p = {p}"), "a probability must be between 0 and 1", way_out));
                }
                GeneratorAmount::Probability(p)
            }
            Some((true, size)) => {
                let size = self.whole(size, neuron, "the size")?;
                let is_possible = (0..=i64::from(count)).contains(&size);
                if !(is_possible || self.skip_if_invalid && size > 0) {
                    let expected = format!("a sample of {count} values has 0 to {count} of them");
                    let way_out = "use a smaller size, or set \"skip_if_invalid\": true to take all of them";
                    return Err(self.wrong(neuron, &format!("size = {size}"), &expected, way_out));
                }
                GeneratorAmount::Size(size.min(i64::from(count)) as u32)
            }
        };
        Ok(GeneratorValues { first, step, count, amount })
    }

    fn index(&self, neuron: u32, value: i64) -> Result<Option<u32>, Error> {
        let found = self.value(&self.element, neuron, 0, value);
        let holds = |other: u32| self.condition.as_ref().is_none_or(|of| self.value(of, neuron, other, value) != 0.0);
        if !self.reads_other && !holds(0) {
            return Ok(None);
        }
        let [own, other] = self.names();
        if found.is_nan() || found.fract() != 0.0 {
            let value = format!("{other} = {found}");
            return Err(self.wrong(neuron, &value, "an index must be a whole number", "round it, for example by `int(…)`"));
        }
        if found < f64::from(self.neurons.start) || found >= f64::from(self.neurons.end) {
            if self.skip_if_invalid {
                return Ok(None);
            }
            let side = if self.sources { "presynaptic" } else { "postsynaptic" };
            let expected = format!("the {side} neurons are {} to {}", self.neurons.start, self.neurons.end - 1);
            let way_out = "limit it by a condition after `if`, or set \"skip_if_invalid\": true";
            return Err(Error::invalid(&self.path, format!("{other} = {found} for {own} = {neuron}"), expected, way_out));
        }
        Ok(Some(found as u32).filter(|index| !self.reads_other || holds(*index)))
    }
}

/// Whether a name is one of the neurons of a side.
fn is_of(name: &str, post: bool) -> bool {
    name.ends_with(if post { "_post" } else { "_pre" })
}
