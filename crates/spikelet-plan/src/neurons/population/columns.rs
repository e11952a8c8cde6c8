//! Columns of timed arrays that follow from parameters and indices: they are known before the run.

use spikelet_lang::diagnostic::Span;
use spikelet_lang::host::{Leaf, evaluate};
use spikelet_lang::program::{ConstantRule, Rules};
use spikelet_lang::term::{Function, Node, Symbol, Term};
use spikelet_lang::{Diagnostic, Kind};

use super::CheckedPopulation;
use crate::values::Elements;

impl CheckedPopulation {
    /// Whether all columns that the host looks up exist.
    pub(crate) fn check_columns(&self, rules: &Rules) -> Result<(), Diagnostic> {
        let hoisted = rules.constants.iter().chain(&rules.derived).filter_map(|rule| match rule {
            ConstantRule::Term(term) => Some(term),
            ConstantRule::Propagator(_) | ConstantRule::Change(_) => None,
        });
        for term in hoisted.chain(&rules.clocks) {
            let mut found = Ok(());
            term.walk(&mut |node| {
                if let Node::Call(Function::Column, arguments) = node
                    && found.is_ok()
                {
                    found = self.check_column(arguments);
                }
            });
            found?;
        }
        Ok(())
    }

    fn check_column(&self, arguments: &[Term]) -> Result<(), Diagnostic> {
        let [column, table, count] = arguments else { return Ok(()) };
        let (Node::Number(table), Node::Number(count)) = (&**table, &**count) else { return Ok(()) };
        for neuron in self.places(column) {
            let value = evaluate(column, &mut |leaf| match leaf {
                Leaf::Symbol(symbol) => self.value(symbol, neuron),
                Leaf::Random(..) | Leaf::Gamma(..) | Leaf::Lookup(..) => f64::NAN,
            });
            if !(value >= 0.0 && value < *count && value == value.floor()) {
                let name = self.model.tables.get_index(*table as usize).map_or("", |(name, _)| name);
                let index = self.elements.symbol(Symbol::Index, neuron);
                let message = format!(
                    "neuron {index} asks for the column {value} of `{name}`, which has the columns 0 to {}.",
                    count - 1.0
                );
                let help = "Give the rows more values, or keep the index in this range; it must be a whole number.";
                return Err(Diagnostic::new(Kind::OutOfRange, name, "", Span::default(), message).help(help));
            }
        }
        Ok(())
    }
}
