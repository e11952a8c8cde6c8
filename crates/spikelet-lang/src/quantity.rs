//! Values given from outside the equations: `"20 ms"`, `"-60*mV"`.

use indexmap::IndexMap;

use crate::check::{self, Type};
use crate::host;
use crate::syntax::parse_quantity;
use crate::term::Symbol;
use crate::unit::Dimension;
use crate::{Diagnostic, Kind, diagnostic::Span};

/// Named values with their dimensions, in inner units.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quantities(pub IndexMap<String, (f64, Dimension)>);

impl Quantities {
    /// Parses texts such as `("tau", "20 ms")`.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Quantities, Diagnostic> {
        texts.into_iter().map(|(name, text)| Ok((name.into(), constant(name, text)?))).collect::<Result<_, _>>().map(Quantities)
    }

    /// What each measures.
    pub fn dimensions(&self) -> IndexMap<String, Dimension> {
        self.0.iter().map(|(name, (_, dimension))| (name.clone(), *dimension)).collect()
    }
}

/// The value, in inner units, and dimension of a text that depends on nothing: `20 ms`, `2*60*mV`, `1e-3`.
pub fn constant(place: &str, text: &str) -> Result<(f64, Dimension), Diagnostic> {
    let expression = parse_quantity(place, text)?;
    let whole = Span { start: 0, end: text.len() };
    let no_names = |_: &str| -> Option<(Symbol, Dimension)> { None };
    let (term, kind) = check::resolve(place, text, &expression, &check::ValueScope::of_names(&no_names))?;
    let Type::Number(dimension) = kind else {
        return Err(Diagnostic::new(Kind::DimensionMismatch, place, text, whole, "expected a quantity, found a condition."));
    };
    let value = host::evaluate(&term, &mut |_| f64::NAN);
    if !value.is_finite() {
        return Err(Diagnostic::new(
            Kind::NotFinite,
            place,
            text,
            whole,
            format!("the value is {value}; expected a finite number."),
        ));
    }
    Ok((value, dimension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_in_both_spellings() {
        for (text, value) in
            [("20 ms", 20.0), ("20*ms", 20.0), ("-60 mV", -60.0), ("0.02 volt", 20.0), ("2*3*nS", 6.0), ("1/(4*ms)", 0.25)]
        {
            assert_eq!(constant("x", text).map(|(value, _)| value), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_quantity() {
        for (text, kind) in [
            ("20 mss", Kind::UndefinedName),
            ("1/0", Kind::NotFinite),
            ("1e400", Kind::NotFinite),
            ("1 ms + 1 mV", Kind::SyntaxError),
            ("1*ms + 1*mV", Kind::DimensionMismatch),
            ("2 > 1", Kind::DimensionMismatch),
            ("rand()", Kind::Unsupported),
            ("", Kind::SyntaxError),
        ] {
            assert_eq!(constant("x", text).map_err(|diagnostic| diagnostic.kind), Err(kind), "{text}");
        }
    }
}
