//! Makes code: equal operations are made once, and those that nothing needs are dropped.

mod simplify;

use std::collections::HashMap;

use crate::ir::{Code, Op, Ref};
use crate::syntax::BinaryOp;

/// Code in the making.
#[derive(Debug, Default)]
pub(crate) struct CodeBuilder {
    ops: Vec<Op>,
    shared: HashMap<Vec<u64>, Ref>,
    /// Whether operations are simplified from now on.
    simplifies: bool,
}

impl CodeBuilder {
    /// Simplifies all later operations. The code of simulations is not simplified, since 0 · x and x + 0 are other bits for some x.
    pub(crate) fn simplify(&mut self) {
        self.simplifies = true;
    }

    /// The operation, shared with an equal one made before.
    pub(crate) fn op(&mut self, op: Op) -> Ref {
        if self.simplifies
            && let Some(simpler) = self.simpler(op)
        {
            return simpler;
        }
        let ops = &mut self.ops;
        *self.shared.entry(key(&op)).or_insert_with(|| {
            ops.push(op);
            ops.len() - 1
        })
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, x: Ref, y: Ref) -> Ref {
        self.op(Op::Binary(op, x, y))
    }

    /// The operation of a value.
    pub(crate) fn of(&self, value: Ref) -> Op {
        self.ops[value]
    }

    /// The finished code, without stores of an array to itself and without operations that nothing needs.
    pub(crate) fn finish(self, stores: Vec<(usize, Ref)>, condition: Option<Ref>) -> Code {
        let stores = stores.into_iter().filter(|(array, value)| self.ops[*value] != Op::Load(*array)).collect();
        prune(&Code { ops: self.ops, stores, condition })
    }
}

/// A key that is equal exactly for equal operations (literals by their bits).
fn key(op: &Op) -> Vec<u64> {
    let (tag, rest): (u64, Vec<u64>) = match *op {
        Op::Literal(value) => (0, value.bits().to_vec()),
        Op::Constant(index) => (1, vec![index as u64]),
        Op::Load(index) => (2, vec![index as u64]),
        Op::Port(index) => (3, vec![index as u64]),
        Op::SinceSpike => (4, vec![]),
        Op::Index => (5, vec![]),
        Op::Random(random, site) => (6, vec![random as u64, u64::from(site)]),
        Op::NormalBetween { first, span, site } => (19, vec![u64::from(first), u64::from(span), u64::from(site)]),
        Op::Negate(x) => (7, vec![x as u64]),
        Op::Not(x) => (8, vec![x as u64]),
        Op::Binary(op, x, y) => (9, vec![op as u64, x as u64, y as u64]),
        Op::Call1(function, x) => (10, vec![function as u64, x as u64]),
        Op::Call2(function, x, y) => (11, vec![function as u64, x as u64, y as u64]),
        Op::Flush(x) => (13, vec![x as u64]),
        Op::Call3(function, x, y, z) => (18, vec![function as u64, x as u64, y as u64, z as u64]),
        Op::Select { condition, yes, no } => (12, vec![condition as u64, yes as u64, no as u64]),
        Op::Own(call) => {
            let arguments = call.arguments().map(|argument| argument as u64);
            (20, [call.number as u64, call.twin as u64].into_iter().chain(arguments).collect())
        }
        Op::Clock(index) => (14, vec![index as u64]),
        Op::Now => (15, vec![]),
        Op::Elapsed(x) => (16, vec![x as u64]),
        Op::Lookup { first, index } => (17, vec![first as u64, index as u64]),
    };
    std::iter::once(tag).chain(rest).collect()
}

/// The code without operations that no store and no condition needs.
fn prune(code: &Code) -> Code {
    let mut needed = vec![false; code.ops.len()];
    for root in code.stores.iter().map(|(_, value)| *value).chain(code.condition) {
        needed[root] = true;
    }
    for at in (0..code.ops.len()).rev() {
        if needed[at] {
            code.ops[at].operands().for_each(|operand| needed[operand] = true);
        }
    }
    let mut moved = vec![0; code.ops.len()];
    let mut ops: Vec<Op> = Vec::new();
    for (at, op) in code.ops.iter().enumerate().filter(|(at, _)| needed[*at]) {
        moved[at] = ops.len();
        ops.push(op.with_operands(|operand| moved[operand]));
    }
    Code {
        ops,
        stores: code.stores.iter().map(|(array, value)| (*array, moved[*value])).collect(),
        condition: code.condition.map(|condition| moved[condition]),
    }
}
