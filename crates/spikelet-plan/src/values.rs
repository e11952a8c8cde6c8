//! Conversion of quantities to numbers: one for all elements, or one per element.

pub(super) mod computed;
pub(super) mod draw_numbers;
pub(super) mod neuron_elements;
pub(super) mod neuron_start;
pub(super) mod places;

use std::cell::Cell;

use indexmap::IndexMap;
use spikelet_lang::check::{ArgumentRule, COUNTS, Type, Value, ValueScope, resolve_value};
use spikelet_lang::diagnostic::Span;
use spikelet_lang::host::{Leaf, evaluate, gamma};
use spikelet_lang::syntax::{Expr, parse_quantity, parse_unit};
use spikelet_lang::term::{Random, Symbol, Term, cut_off, number, substitute, symbol};
use spikelet_lang::{Diagnostic, Dimension, Kind};
use spikelet_network::Quantity;
use spikelet_rows::rng::{normal_f64, open_unit_f64, unit_f64};

/// Maximum number of sites of a quantity, as a power of two.
const SITE_BITS: u32 = 8;

/// The site of a draw among all of an object: by the number of the name, and the place in its text.
pub(crate) fn site_of(number: u32, place: u32) -> u32 {
    number << SITE_BITS | place & ((1 << SITE_BITS) - 1)
}

/// Values of one name, in inner units.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Values {
    /// The same for all elements.
    Uniform(f64),
    /// One per element.
    Each(Vec<f64>),
    /// One per element that is not drawn yet: a term of `i`, `j`, draws and numbers. `None` if code cannot express it.
    Formula(Option<Term>),
}

impl Values {
    pub(crate) fn at(&self, element: usize) -> f64 {
        match self {
            Values::Uniform(value) => *value,
            Values::Each(values) => values[element],
            Values::Formula(_) => f64::NAN,
        }
    }

    pub(crate) fn is_uniform(&self) -> bool {
        matches!(self, Values::Uniform(_))
    }

    /// The common value, or one per element.
    pub(crate) fn numbers(&self) -> &[f64] {
        match self {
            Values::Uniform(value) => std::slice::from_ref(value),
            Values::Each(values) => values,
            Values::Formula(_) => &[],
        }
    }

    /// As stored by a backend.
    pub(crate) fn to_f32(&self) -> Vec<f32> {
        match self {
            Values::Uniform(value) => vec![*value as f32],
            Values::Each(values) => values.iter().map(|value| *value as f32).collect(),
            Values::Formula(_) => Vec::new(),
        }
    }

    /// The rounding error of [`Values::to_f32`].
    pub(crate) fn low_words(&self) -> Vec<f32> {
        self.numbers().iter().map(|value| (value - f64::from(*value as f32)) as f32).collect()
    }
}

/// The elements of values: the neurons of a population, or the synapses of a projection.
pub(crate) trait Elements {
    /// Number of elements.
    fn count(&self) -> usize;
    /// `i`, `j` and `N` of an element.
    fn symbol(&self, symbol: Symbol, element: usize) -> f64;
    /// Random words of an element: for the name with this [number](crate::values::draw_numbers::DrawNumbers), at a site of its expression. Truncated
    /// draws have an `attempt` below 256, all others 0.
    fn draw(&self, number: u32, site: u32, attempt: u32, element: usize) -> [u32; 4];
    /// Index of an element in a list of values.
    fn place(&self, element: usize) -> Option<usize>;
    /// Required length of a list of values, or the error if there can be none.
    fn listed(&self) -> Result<usize, &'static str>;
    /// Whether they are not drawn yet, so that differing values can only be stored as formulas.
    fn is_undrawn(&self) -> bool {
        false
    }
    /// Whether they have two neurons, `i` and `j`.
    fn are_pairs(&self) -> bool {
        true
    }
    /// Whether the equations of their model compute this name: it has no value of its own.
    fn is_computed(&self, _: &str) -> bool {
        false
    }
    /// Whether the equations of their model declare this name an integer.
    fn is_integer(&self, _: &str) -> bool {
        false
    }
    /// A coordinate, a distance or a value of a neuron by its name; [`Elements::symbol`] returns its value.
    fn read(&self, _: &str) -> Option<(Symbol, Dimension)> {
        None
    }
    /// The value of such a symbol, if it is the same for all elements.
    fn uniform_read(&self, _: usize) -> Option<f64> {
        None
    }
    /// What a name is that means something for these elements, but has no value.
    fn elsewhere(&self, _: &str) -> Option<String> {
        None
    }
}

/// The order of evaluation of quantities: each after those that it uses, otherwise as given.
///
/// # Errors
/// Names of quantities that depend on each other.
pub(crate) fn in_order<'a>(quantities: impl Iterator<Item = (&'a String, &'a Quantity)>) -> Result<Vec<usize>, Vec<String>> {
    in_order_of(quantities, &|expression, name| expression.mentions(name))
}

/// The same, if an expression also `uses` names that it does not mention.
pub(crate) fn in_order_of<'a>(
    quantities: impl Iterator<Item = (&'a String, &'a Quantity)>,
    uses: &dyn Fn(&Expr, &str) -> bool,
) -> Result<Vec<usize>, Vec<String>> {
    let quantities: Vec<(&String, Option<Expr>)> = quantities.map(|(name, quantity)| (name, quantity.expression())).collect();
    // A quantity may use the previous value of its own name.
    let waits = |place: usize, for_whom: usize| {
        let (name, expression) = &quantities[place];
        let other = quantities[for_whom].0;
        other != *name && expression.as_ref().is_some_and(|expression| uses(expression, other))
    };
    let (mut order, mut left): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..quantities.len()).collect());
    while !left.is_empty() {
        let Some(next) = left.iter().position(|place| !left.iter().any(|other| waits(*place, *other))) else {
            return Err(left.iter().map(|place| quantities[*place].0.clone()).collect());
        };
        order.push(left.remove(next));
    }
    Ok(order)
}

/// The error of values that depend on each other.
pub(crate) fn circle(names: &[String]) -> Diagnostic {
    let message = format!("the values depend on each other: `{}`.", names.join("`, `"));
    Diagnostic::new(Kind::CircularSubexpression, &names[0], "", Span::default(), message).help("Set one of them independently.")
}

/// Names with values, in the order of evaluation; later quantities may use earlier names.
#[derive(Debug, Clone, Default)]
pub(crate) struct NamedValues(pub(super) IndexMap<String, (Dimension, Values)>);

impl NamedValues {
    /// Cuts off the values of an integer towards 0.
    pub(crate) fn cut_off(&mut self, name: &str) {
        match self.0.get_mut(name).map(|(_, values)| values) {
            Some(Values::Uniform(value)) => *value = value.trunc(),
            Some(Values::Each(values)) => values.iter_mut().for_each(|value| *value = value.trunc()),
            Some(Values::Formula(Some(term))) => *term = cut_off(term),
            Some(Values::Formula(None)) | None => {}
        }
    }

    /// Evaluates `quantity` and assigns its values to `name`. If `wanted` is known, the dimension must agree; numbers without a unit are in
    /// inner units.
    pub(crate) fn set(
        &mut self,
        name: &str,
        quantity: &Quantity,
        wanted: Option<Dimension>,
        elements: &dyn Elements,
        draws: u32,
    ) -> Result<(), Diagnostic> {
        let (dimension, values) = self.value(name, quantity, wanted, elements, draws)?;
        if let Some(wanted) = wanted
            && wanted != dimension
        {
            let text = quantity.to_string();
            let message = format!(
                "{text} is {}; `{name}` must be {}, such as {}.",
                dimension.measure(),
                wanted.measure(),
                wanted.example()
            );
            let span = Span { start: 0, end: text.len() };
            return Err(Diagnostic::new(Kind::DimensionMismatch, name, &text, span, message));
        }
        self.0.insert(name.into(), (dimension, values));
        if elements.is_integer(name) {
            self.cut_off(name);
        }
        Ok(())
    }

    fn value(
        &self,
        name: &str,
        quantity: &Quantity,
        wanted: Option<Dimension>,
        elements: &dyn Elements,
        draws: u32,
    ) -> Result<(Dimension, Values), Diagnostic> {
        let plain = wanted.unwrap_or(Dimension::NONE);
        match quantity {
            Quantity::Number(value) => finite(name, &value.to_string(), *value).map(|value| (plain, Values::Uniform(value))),
            Quantity::Values { values, unit } => {
                let (dimension, factor) = match unit {
                    Some(unit) => parse_unit(unit).map(|unit| (unit.dimension, unit.factor))?,
                    None => (plain, 1.0),
                };
                let text = quantity.to_string();
                let wrong = |message: String| Diagnostic::new(Kind::MissingParameterValue, name, &text, Span::default(), message);
                let wanted = elements.listed().map_err(|why| wrong(why.into()))?;
                if values.len() != wanted {
                    return Err(wrong(format!("the list has {} values; expected {wanted}, one each.", values.len())));
                }
                let each = (0..elements.count()).map(|k| elements.place(k).map_or(f64::NAN, |place| values[place] * factor));
                let each = each.map(|value| finite(name, &text, value)).collect::<Result<_, _>>()?;
                Ok((dimension, Values::Each(each)))
            }
            Quantity::Timed { .. } => {
                let text = quantity.to_string();
                let message = "only a parameter of a population can be a function of time.";
                Err(Diagnostic::new(Kind::Unsupported, name, &text, Span::default(), message))
            }
            Quantity::Text(text) | Quantity::Expr(text) => self.expression(name, text, elements, draws),
        }
    }

    fn expression(&self, name: &str, text: &str, elements: &dyn Elements, draws: u32) -> Result<(Dimension, Values), Diagnostic> {
        let lookup = |wanted: &str| {
            let is_other = wanted == "j" && !elements.are_pairs() && !self.0.contains_key(wanted);
            self.lookup(wanted).filter(|_| !is_other).or_else(|| elements.read(wanted))
        };
        let known = self.0.keys().map(String::as_str).chain(["i", "j", "N", "dt"]).filter(|name| lookup(name).is_some());
        let known = known.map(str::to_owned).collect();
        // Formulas of several quantities are combined in one: their sites must be distinct.
        let first_site = if elements.is_undrawn() { site_of(draws, 0) } else { 0 };
        let scope =
            ValueScope { names: &lookup, known, sites: Ok(Cell::new(first_site)), elsewhere: &|name| elsewhere(name, elements) };
        let Value { term, kind, demands } = resolve_value(name, text, &parse_quantity(name, text)?, &scope)?;
        for demand in &demands {
            self.check(demand, elements, draws)?;
        }
        // Booleans are stored as 1 or 0.
        let dimension = if let Type::Number(dimension) = kind { dimension } else { Dimension::NONE };
        if elements.is_undrawn() && demands.iter().any(|demand| demand.any(|symbol| self.waits(symbol, elements))) {
            // The arguments must be checked for each synapse.
            return Ok((dimension, Values::Formula(None)));
        }
        let values = self.evaluate(&term, elements, draws);
        for value in values.numbers() {
            finite(name, text, *value)?;
        }
        Ok((dimension, values))
    }

    /// The meaning of a name in an expression.
    pub(crate) fn lookup(&self, name: &str) -> Option<(Symbol, Dimension)> {
        if let Some((index, _, (dimension, _))) = self.0.get_full(name) {
            return Some((Symbol::Constant(index), *dimension));
        }
        match name {
            "i" => Some((Symbol::Index, Dimension::NONE)),
            "j" => Some((Symbol::PostIndex, Dimension::NONE)),
            "N" => Some((Symbol::Size, Dimension::NONE)),
            "dt" => Some((Symbol::Dt, Dimension::TIME)),
            _ => None,
        }
    }

    /// The value of a term for every element; its constants are the names of this list.
    pub(crate) fn evaluate(&self, term: &Term, elements: &dyn Elements, draws: u32) -> Values {
        let at = |element: usize| evaluate(term, &mut |leaf| self.leaf(leaf, elements, draws, element));
        if elements.is_undrawn() && term.any(|symbol| self.waits(symbol, elements)) {
            Values::Formula(self.formula(term, elements))
        } else if term.any(|symbol| self.is_each(symbol, elements)) {
            Values::Each((0..elements.count()).map(at).collect())
        } else {
            Values::Uniform(at(0))
        }
    }

    /// The term with numbers and formulas substituted for this list's names.
    fn formula(&self, term: &Term, elements: &dyn Elements) -> Option<Term> {
        let unknown = Cell::new(false);
        let term = substitute(term, &|found| match found {
            Symbol::Constant(index) => match &self.0[index].1 {
                Values::Uniform(value) => number(*value),
                Values::Formula(Some(formula)) => formula.clone(),
                Values::Each(_) | Values::Formula(None) => {
                    unknown.set(true);
                    symbol(found)
                }
            },
            Symbol::Dt => number(elements.symbol(found, 0)),
            Symbol::Read(read) if elements.uniform_read(read).is_some() => number(elements.symbol(found, 0)),
            Symbol::Index | Symbol::PostIndex => symbol(found),
            _ => {
                unknown.set(true);
                symbol(found)
            }
        });
        (!unknown.get()).then_some(term)
    }

    /// Checks the arguments of a distribution, for every element.
    fn check(&self, demand: &ArgumentRule, elements: &dyn Elements, draws: u32) -> Result<(), Diagnostic> {
        let count = if demand.any(|symbol| self.is_each(symbol, elements)) { elements.count() } else { elements.count().min(1) };
        (0..count).try_for_each(|element| demand.check(&mut |leaf| self.leaf(leaf, elements, draws, element)))
    }

    /// Whether a symbol, or a draw (`None`), differs between elements.
    fn is_each(&self, symbol: Option<Symbol>, elements: &dyn Elements) -> bool {
        match symbol {
            None | Some(Symbol::Index | Symbol::PostIndex) => true,
            Some(Symbol::Read(read)) => elements.uniform_read(read).is_none(),
            Some(Symbol::Constant(index)) => !self.0[index].1.is_uniform(),
            Some(_) => false,
        }
    }

    /// Whether it is unknown before elements are drawn: differing values, and the number of elements.
    fn waits(&self, symbol: Option<Symbol>, elements: &dyn Elements) -> bool {
        self.is_each(symbol, elements) || (elements.is_undrawn() && symbol == Some(Symbol::Size))
    }

    /// The environment of a term for one element.
    fn leaf(&self, leaf: Leaf, elements: &dyn Elements, draws: u32, element: usize) -> f64 {
        match leaf {
            Leaf::Symbol(Symbol::Constant(index)) => self.0[index].1.at(element),
            Leaf::Symbol(symbol) => elements.symbol(symbol, element),
            Leaf::Lookup(..) => f64::NAN,
            Leaf::Random(random, site) => {
                let words = elements.draw(draws, site, 0, element);
                match random {
                    Random::Uniform => unit_f64(words[0], words[1]),
                    Random::Normal => normal_f64(open_unit_f64(words[0], words[1])),
                }
            }
            Leaf::Gamma(shape, site) => gamma(shape, &mut |attempt| {
                let words = elements.draw(draws, site, attempt, element);
                (normal_f64(open_unit_f64(words[0], words[1])), open_unit_f64(words[2], words[3]))
            }),
        }
    }
}

/// Description of a name with a meaning in equations and statements, but not in values before the run.
pub(crate) fn elsewhere(name: &str, elements: &dyn Elements) -> Option<String> {
    if elements.is_computed(name) {
        return Some("computed by the equations in every step".into());
    }
    if let Some(what) = elements.elsewhere(name) {
        return Some(what);
    }
    elsewhere_in_synapses(name).map(str::to_owned)
}

/// The same, for statements of synapses.
pub(crate) fn elsewhere_in_synapses(name: &str) -> Option<&'static str> {
    match name {
        "t" => Some("the time"),
        name if COUNTS.contains(&name) => Some("a count that only statements of synapses can use"),
        name if name.ends_with("_pre") || name.ends_with("_post") => {
            Some("a value of a neuron, which statements of synapses can read")
        }
        _ => None,
    }
}

fn finite(name: &str, text: &str, value: f64) -> Result<f64, Diagnostic> {
    // Devices use f32.
    if (value as f32).is_finite() {
        return Ok(value);
    }
    let message = format!("the value is {value}; expected a finite number, at most 3.4e38 in inner units.");
    Err(Diagnostic::new(Kind::NotFinite, name, text, Span { start: 0, end: text.len() }, message))
}

#[cfg(test)]
mod tests;
