//! Terms of the two neurons of a synapse → code: for weights and delays that devices compute themselves.

use super::{Lowering, Storage, Truncated};
use crate::host;
use crate::ir::{Code, Op};
use crate::program::ConstantRule;
use crate::term::{Function, Node, Symbol, Term, substitute, symbol};

/// The array of the code with the index of the presynaptic neuron.
pub const PRE: usize = 0;
/// That with the index of the postsynaptic neuron.
pub const POST: usize = 1;
/// That which the code stores the value to.
pub const RESULT: usize = 2;

/// The code of `term`, whose leaves are numbers, [`Symbol::Index`] (the presynaptic neuron), [`Symbol::PostIndex`] and draws.
/// What depends on nothing is computed in f64. Draws at one site are one draw.
///
/// `None` where the term needs what devices have not: other symbols, tables, gamma distributions, and normal numbers between bounds
/// that differ between synapses or have a probability below 2⁻¹⁰. The host evaluates those.
pub fn code(term: &Term) -> Option<Code> {
    let mut is_code = true;
    term.walk(&mut |node| match node {
        Node::Symbol(symbol) => is_code &= matches!(symbol, Symbol::Index | Symbol::PostIndex),
        Node::Lookup(..) | Node::Own(..) | Node::Call(Function::Gamma, _) => is_code = false,
        Node::Call(Function::TruncatedNormal, arguments) => is_code &= Truncated::new(arguments).is_some(),
        _ => {}
    });
    if !is_code {
        return None;
    }
    let read = substitute(term, &|found| symbol(Symbol::Read(if found == Symbol::Index { PRE } else { POST })));
    let mut storage = Storage { written: vec![true; RESULT + 1], reads: vec![Some(PRE), Some(POST)], ..Storage::default() };
    let mut lowering = Lowering::new(&mut storage, None, 0.0);
    lowering.values[RESULT] = lowering.number(&read);
    let mut code = lowering.finish(None);
    for op in &mut code.ops {
        if let Op::Constant(index) = op {
            let ConstantRule::Term(term) = &storage.rules.constants[*index] else { return None };
            *op = Op::number(host::evaluate(term, &mut |_| f64::NAN));
        }
    }
    Some(code)
}
