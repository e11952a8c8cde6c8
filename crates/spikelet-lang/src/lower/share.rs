//! Equal operations are made once, and those that nothing needs are dropped.

use crate::ir::{Code, Op, Ref};

/// A key that is equal exactly for equal operations (literals by their bits).
pub(super) fn key(op: &Op) -> Vec<u64> {
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
        Op::Clock(index) => (14, vec![index as u64]),
        Op::Now => (15, vec![]),
        Op::Elapsed(x) => (16, vec![x as u64]),
        Op::Lookup { first, index } => (17, vec![first as u64, index as u64]),
    };
    std::iter::once(tag).chain(rest).collect()
}

/// Operands of an operation, for reading and rewriting.
fn operands(op: &mut Op) -> Vec<&mut Ref> {
    match op {
        Op::Flush(x) | Op::Negate(x) | Op::Not(x) | Op::Call1(_, x) | Op::Elapsed(x) | Op::Lookup { index: x, .. } => vec![x],
        Op::Binary(_, x, y) | Op::Call2(_, x, y) => vec![x, y],
        Op::Call3(_, x, y, z) => vec![x, y, z],
        Op::Select { condition, yes, no } => vec![condition, yes, no],
        _ => vec![],
    }
}

/// The code without operations that no store and no condition needs.
pub(super) fn prune(code: &Code) -> Code {
    let mut needed = vec![false; code.ops.len()];
    for root in code.stores.iter().map(|(_, value)| *value).chain(code.condition) {
        needed[root] = true;
    }
    for at in (0..code.ops.len()).rev() {
        if needed[at] {
            let mut op = code.ops[at];
            operands(&mut op).into_iter().for_each(|operand| needed[*operand] = true);
        }
    }
    let mut moved = vec![0; code.ops.len()];
    let mut ops: Vec<Op> = Vec::new();
    for (at, op) in code.ops.iter().enumerate().filter(|(at, _)| needed[*at]) {
        let mut op = *op;
        operands(&mut op).into_iter().for_each(|operand| *operand = moved[*operand]);
        moved[at] = ops.len();
        ops.push(op);
    }
    Code {
        ops,
        stores: code.stores.iter().map(|(array, value)| (*array, moved[*value])).collect(),
        condition: code.condition.map(|condition| moved[condition]),
    }
}
