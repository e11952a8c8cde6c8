//! Numbers that depend on time alone: computed on the host in f64, once per step for a whole population.

use spikelet_lang::host::{Leaf, evaluate};
use spikelet_lang::model::Table;
use spikelet_lang::program::Rules;
use spikelet_lang::term::{Symbol, Term, number, substitute, symbol};

/// The clocks of a population or projection, with their tables.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Clocks {
    /// Terms of time alone.
    terms: Vec<Term>,
    /// Entries of the tables, one after the other.
    pub tables: Vec<f32>,
    /// First entry of each table.
    starts: Vec<usize>,
}

impl Clocks {
    /// The clocks of a program with these parameter values.
    pub(crate) fn new(rules: &Rules, value: &dyn Fn(Symbol) -> f64, tables: Vec<f32>, starts: Vec<usize>) -> Clocks {
        let fixed = |found| match found {
            Symbol::Time | Symbol::Dt => symbol(found),
            other => number(value(other)),
        };
        Clocks { terms: rules.clocks.iter().map(|term| substitute(term, &fixed)).collect(), tables, starts }
    }

    /// First entry of each table among those of all.
    pub(crate) fn starts<'a>(tables: impl IntoIterator<Item = &'a Table>) -> Vec<usize> {
        let sizes = tables.into_iter().map(|table| table.rows * table.columns);
        sizes.scan(0, |end, size| Some(std::mem::replace(end, *end + size))).collect()
    }

    /// Number of clocks.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The terms, for [`exact`](super::exact).
    pub(crate) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Appends their values in a step of `dt` ms to `row`.
    pub fn append_values(&self, step: u32, dt: f64, row: &mut Vec<f32>) {
        row.extend(self.terms.iter().map(|term| {
            let exact = evaluate(term, &mut |leaf| match leaf {
                Leaf::Symbol(Symbol::Time) => f64::from(step) * dt,
                Leaf::Symbol(Symbol::Dt) => dt,
                Leaf::Lookup(table, index) => f64::from(self.tables[self.starts[table] + index as usize]),
                Leaf::Symbol(_) | Leaf::Random(..) | Leaf::Gamma(..) => f64::NAN,
            });
            exact as f32
        }));
    }
}
