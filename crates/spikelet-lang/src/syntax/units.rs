//! Units: `mV`, `siemens/cm**2`, `1/ms`, `1`.

use super::parser::{Parse, Parser};
use super::token::{Token, TokenKind};
use crate::diagnostic::{Diagnostic, Kind, suggestion};
use crate::unit::{Dimension, Unit, common_names, lookup_with};

const NONE: Unit = Unit { dimension: Dimension::NONE, factor: 1.0 };

impl Parser<'_> {
    pub(super) fn unit(&mut self) -> Parse<Unit> {
        // A type stands where a unit would, alone.
        if self.is_word("boolean") || self.is_word("integer") {
            self.at += 1;
            return Ok(NONE);
        }
        self.unit_product()
    }

    fn unit_product(&mut self) -> Parse<Unit> {
        let mut unit = self.unit_power()?;
        loop {
            let divide = self.is("/");
            if !divide && !self.is("*") {
                return Ok(unit);
            }
            self.at += 1;
            let right = self.unit_power()?;
            unit = if divide {
                Unit { dimension: unit.dimension.over(right.dimension), factor: unit.factor / right.factor }
            } else {
                Unit { dimension: unit.dimension.times(right.dimension), factor: unit.factor * right.factor }
            };
        }
    }

    fn unit_power(&mut self) -> Parse<Unit> {
        let base = self.unit_base()?;
        if !self.take("**") {
            return Ok(base);
        }
        let bracket = self.take("(");
        let negative = self.take("-");
        let TokenKind::Number(value) = self.peek().kind else {
            return Err(self.unexpected("a number as the power of a unit"));
        };
        let span = self.next().span;
        if bracket && !self.take(")") {
            return Err(self.unexpected("`)` after the power of a unit"));
        }
        let exponent = if negative { -value } else { value };
        let factor = libm::pow(base.factor, exponent);
        match base.dimension.power(exponent) {
            Some(dimension) if factor.is_finite() && factor > 0.0 => Ok(Unit { dimension, factor }),
            _ => Err(self.error(span, format!("a unit cannot have the power {exponent}."))),
        }
    }

    fn unit_base(&mut self) -> Parse<Unit> {
        let token = self.peek().clone();
        let unit = match &token.kind {
            TokenKind::Number(1.0) => NONE,
            TokenKind::Name(name) => lookup_with(name, true).ok_or_else(|| self.no_unit_called(name, &token))?,
            TokenKind::Symbol("(") => {
                self.at += 1;
                let inner = self.nested(Self::unit_product)?;
                if !self.is(")") {
                    return Err(self.unexpected("`)` in the unit"));
                }
                inner
            }
            _ => return Err(self.unexpected("a unit (`1` for a pure number)")),
        };
        self.at += 1;
        Ok(unit)
    }

    fn no_unit_called(&self, name: &str, token: &Token) -> Diagnostic {
        let error = |message: String| Diagnostic::new(Kind::UndefinedUnit, self.place, self.text, token.span, message);
        if name == "boolean" || name == "integer" {
            return error(format!("`{name}` is not a unit, and cannot be combined with others."));
        }
        let diagnostic = error(format!("there is no unit `{name}`."));
        match suggestion(name, common_names().chain(["boolean", "integer"])) {
            Some(near) => diagnostic.help(format!("Did you mean `{near}`?")),
            None => diagnostic.help("Units have the form `mV`, `volt`, `nS/cm**2`, `1/ms`, or `1` for a pure number."),
        }
    }
}
