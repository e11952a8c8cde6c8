//! Checked models → programs.

mod neuron;
mod synapse;
mod traces;

use std::sync::Arc;

use crate::syntax::BinaryOp;
use crate::term::{self, Function, Node, Symbol};

// Names of texts do not begin with two underscores.

/// The array that says whether a neuron is refractory, where that is a condition.
pub const REFRACTORY: &str = "__refractory";
/// The array with the value by which neurons above threshold are compared, where only some of them fire; 0 in the others.
pub const SCORE: &str = "__score";
/// What a synapse calls the steps since the last spike of a neuron at its end.
pub const SINCE_SPIKE: &str = "__since_spike";
/// The array with the time of the last update of a synapse.
pub const STAMP: &str = "__stamp";

/// Notes about columns of timed arrays that do not exist: whether there are any, the step, and the column of each array.
const MISSING: &str = "__missing_column";
const STEP: &str = "__step_of_missing_column";
const COLUMN: &str = "__column_";

/// The array that holds the lower word of a variable that is kept in two.
pub fn low_word(variable: &str) -> String {
    format!("{LOW}{variable}")
}

/// The variable whose lower word an array holds, if it does.
pub fn of_low_word(array: &str) -> Option<&str> {
    array.strip_prefix(LOW)
}

const LOW: &str = "__low_";

/// Steps of a refractory time, by the rule of the conformance corpus: floor(x/dt + 0.001), so that 2.25 ms at 0.1 ms is 22.
pub(crate) fn refractory_steps(time: &Term) -> Term {
    let steps = term::add(&term::divide(time, &term::symbol(Symbol::Dt)), &term::number(0.001));
    term::call(Function::Floor, steps)
}

/// 1 in the steps of an interval, and 0 in all others.
fn is_due(interval: Interval) -> Term {
    let node = |op, x: &Term, y: &Term| Arc::new(Node::Binary(op, x.clone(), y.clone())) as Term;
    let steps = term::add(&term::divide(&term::symbol(Symbol::Time), &term::symbol(Symbol::Dt)), &term::number(0.5));
    let first = term::number(f64::from(interval.first));
    let since = term::subtract(&term::call(Function::Floor, steps), &first);
    let zero = term::number(0.0);
    let left = node(BinaryOp::Modulo, &since, &term::number(f64::from(interval.every)));
    let has_begun = node(BinaryOp::GreaterEqual, &since, &zero);
    term::call(Function::Int, node(BinaryOp::And, &has_begun, &node(BinaryOp::Equal, &left, &zero)))
}

use crate::lower::{Lowering, VariableLocation};
use crate::model::{Interval, Role, Table, Variable};
use crate::term::Term;

/// First entry of each table among those of all.
fn first_entries<'a>(tables: impl IntoIterator<Item = &'a Table>) -> Vec<usize> {
    let sizes = tables.into_iter().map(|table| table.rows * table.columns);
    sizes.scan(0, |end, size| Some(std::mem::replace(end, *end + size))).collect()
}

/// Where each variable lies, with the names of the arrays.
fn places(variables: &[Variable], keeps_array: impl Fn(&Variable) -> bool) -> (Vec<VariableLocation>, Vec<String>) {
    let mut names = Vec::new();
    let places = variables
        .iter()
        .map(|variable| match variable.role {
            Role::Local => VariableLocation::Local,
            Role::Declared | Role::Held if keeps_array(variable) => {
                names.push(variable.name.clone());
                VariableLocation::Array(names.len() - 1)
            }
            Role::Declared | Role::Held => VariableLocation::Constant,
        })
        .collect();
    (places, names)
}

/// Statements one after the other, each seeing what the ones before wrote.
fn assign(code: &mut Lowering<'_>, statements: &[(usize, Term)]) {
    for (variable, value) in statements {
        code.set(*variable, value);
    }
}
