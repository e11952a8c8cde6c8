//! Columns of timed arrays that depend on the state: one that does not exist ends the run. The neuron notes it in arrays of its own, of
//! which one becomes infinite, as a variable that diverges.

use super::{Lowering, Storage};
use crate::ir::{Op, Ref};
use crate::lower::Dependency;
use crate::syntax::BinaryOp;
use crate::term::{self, Function, Node, Symbol, Term};

impl Storage {
    /// The tables of which these terms have columns that only the run knows.
    pub(crate) fn tables_to_check<'a>(&self, terms: impl Iterator<Item = &'a Term>) -> Vec<usize> {
        let mut found = Vec::new();
        for term in terms {
            term.walk(&mut |node| {
                if let Node::Call(Function::Column, arguments) = node
                    && let Node::Number(table) = *arguments[1]
                    && (self.extent(&arguments[0]) > Dependency::Fixed)
                    && !found.contains(&(table as usize))
                {
                    found.push(table as usize);
                }
            });
        }
        found
    }
}

impl Lowering<'_> {
    /// A column of a table, or 0 with a note.
    pub(super) fn column(&mut self, arguments: &[Term]) -> Ref {
        let [column, count] = [0, 2].map(|at| self.term(&arguments[at]));
        let zero = self.op(Op::number(0.0));
        let whole = self.op(Op::Call1(Function::Floor, column));
        let mut exists = self.binary(BinaryOp::Equal, whole, column);
        for (op, bound) in [(BinaryOp::GreaterEqual, zero), (BinaryOp::Less, count)] {
            let within = self.binary(op, column, bound);
            exists = self.binary(BinaryOp::And, exists, within);
        }
        if let Node::Number(table) = *arguments[1] {
            self.note(table as usize, column, exists);
        }
        self.exists = Some(exists);
        self.op(Op::Select { condition: exists, yes: column, no: zero })
    }

    /// The entry that was looked up, NaN where its column does not exist.
    pub(super) fn existing(&mut self, entry: Ref) -> Ref {
        let Some(condition) = self.exists.take() else { return entry };
        let no = self.op(Op::number(f64::NAN));
        self.op(Op::Select { condition, yes: entry, no })
    }

    /// Notes the first column that does not exist, and its step.
    fn note(&mut self, table: usize, column: Ref, exists: Ref) {
        let Some(checks) = self.storage.columns.clone() else { return };
        let Some(of) = checks.tables.iter().find(|of| of.table == table) else { return };
        let steps = term::divide(&term::symbol(Symbol::Time), &term::symbol(Symbol::Dt));
        let start = self.ahead.min(0.0);
        let clock = self.storage.clock(term::later(&steps, start));
        let (zero, step, infinite) = (self.op(Op::number(0.0)), self.op(Op::Clock(clock)), self.op(Op::number(f64::INFINITY)));
        let before = self.noted(checks.missing);
        let is_first = self.binary(BinaryOp::Equal, before, zero);
        let is_missing = self.op(Op::Not(exists));
        let condition = self.binary(BinaryOp::And, is_missing, is_first);
        for (array, value) in [(of.array, column), (checks.step, step), (checks.missing, infinite)] {
            let no = self.noted(array);
            let value = self.op(Op::Select { condition, yes: value, no });
            self.notes.insert(array, value);
        }
    }

    fn noted(&mut self, array: usize) -> Ref {
        self.notes.get(&array).copied().unwrap_or_else(|| self.op(Op::Load(array)))
    }

    /// Keeps what was noted only where a condition holds.
    pub(crate) fn note_only_if(&mut self, condition: Ref) {
        let mut notes = std::mem::take(&mut self.notes);
        for (array, value) in &mut notes {
            let no = self.op(Op::Load(*array));
            *value = self.op(Op::Select { condition, yes: *value, no });
        }
        self.notes = notes;
    }
}
