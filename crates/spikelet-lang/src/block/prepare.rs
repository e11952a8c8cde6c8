//! From fused instructions to a program: their order, and where each value lies.

use super::Prepared;
use super::fuse::{Node, fuse, is_in_place};
use super::fused::Fused;
use crate::ir::{Code, Op, Ref};

/// Where a value lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Place {
    Literal(f32),
    Constant(usize),
    Clock(usize),
    Variable(usize),
    Register(usize),
    /// Nobody reads it.
    Nowhere,
}

/// What an instruction writes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Target {
    Register(usize),
    Variable(usize),
}

/// One instruction.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) work: Work,
    pub(super) target: Target,
}

/// What an instruction does.
#[derive(Debug, Clone)]
pub(super) enum Work {
    Plain(Op),
    Fused(Fused),
}

impl Work {
    /// Values that the instruction reads, beside the old value of the variable that it writes.
    pub(super) fn operands(&self) -> Vec<Ref> {
        match self {
            Work::Plain(op) => op.operands().collect(),
            Work::Fused(fused) => fused.operands(),
        }
    }
}

/// Prepares a code. Where `direct` is false, no variable is written before everything is computed.
pub(super) fn prepare(code: &Code, direct: bool) -> Prepared {
    let arrays = code.stores.iter().map(|(array, _)| *array + 1).max().unwrap_or(0);
    let mut direct = vec![direct; arrays];
    let (code, copies) = set_aside(code);
    // Variables that read each other's old values cannot all be written at once: one of them waits then, and we try again.
    loop {
        let nodes = fuse(&code, &direct).map(|fused| copies.iter().map(Node::clone).chain(fused).collect());
        match nodes.and_then(|nodes| order(&code, nodes)) {
            Ok(nodes) => return place(&code, &nodes),
            Err(array) => direct[array] = false,
        }
    }
}

/// Inputs that are stored elsewhere although their own array changes are copied first; so is a condition that would not lie in a
/// register. The copies are values past the last operation.
fn set_aside(code: &Code) -> (Code, Vec<Node>) {
    let mut code = code.clone();
    let mut copies: Vec<Node> = Vec::new();
    let count = code.ops.len();
    let mut copy = |input: Ref| {
        copies.push(Node { value: count + copies.len(), work: Work::Fused(Fused::Copy(input)), variable: None });
        count + copies.len() - 1
    };
    let changed: Vec<usize> = code.stores.iter().map(|(array, _)| *array).collect();
    for (_, value) in &mut code.stores {
        if matches!(code.ops[*value], Op::Load(array) if changed.contains(&array)) {
            *value = copy(*value);
        }
    }
    if let Some(condition) = code.condition
        && (is_in_place(&code.ops[condition]) || code.stores.iter().any(|(_, value)| *value == condition))
    {
        code.condition = Some(copy(condition));
    }
    (code, copies)
}

/// The instructions in an order in which everything is computed before it is read, and a variable changes after all that read its
/// old value. Where that cannot be, the answer is a variable that should wait.
fn order(code: &Code, nodes: Vec<Node>) -> Result<Vec<Node>, usize> {
    let reads = |node: &Node, array: usize| {
        node.work.operands().into_iter().any(|operand| code.ops.get(operand) == Some(&Op::Load(array)))
    };
    let mut ordered: Vec<Node> = Vec::new();
    let mut left = nodes;
    while !left.is_empty() {
        let is_computed = |operand: &Ref| left.iter().all(|other| other.value != *operand);
        let is_ready = |node: &&Node| node.work.operands().iter().all(is_computed);
        let is_last = |node: &Node, array| left.iter().all(|other| other.value == node.value || !reads(other, array));
        let is_free = |node: &Node| is_ready(&node) && node.variable.is_none_or(|array| is_last(node, array));
        match left.iter().position(is_free) {
            Some(next) => ordered.push(left.remove(next)),
            None => {
                let waiting = left.iter().filter(is_ready).find_map(|node| node.variable);
                return Err(waiting.expect("what is ready waits for the readers of a variable alone"));
            }
        }
    }
    Ok(ordered)
}

/// Gives each value its place: a register is free again after its last reader.
fn place(code: &Code, nodes: &[Node]) -> Prepared {
    let values = nodes.iter().map(|node| node.value + 1).chain([code.ops.len()]).max().unwrap_or(0);
    let mut places = vec![Place::Nowhere; values];
    for (place, op) in places.iter_mut().zip(&code.ops) {
        *place = match *op {
            Op::Literal(value) => Place::Literal(value),
            Op::Constant(index) => Place::Constant(index),
            Op::Clock(index) => Place::Clock(index),
            Op::Load(array) => Place::Variable(array),
            _ => Place::Nowhere,
        };
    }
    let mut last_reader = vec![0; values];
    for (at, node) in nodes.iter().enumerate() {
        node.work.operands().into_iter().for_each(|operand| last_reader[operand] = at);
    }
    let is_direct = |array: usize, value: Ref| nodes.iter().any(|node| node.value == value && node.variable == Some(array));
    let late: Vec<(usize, Ref)> = code.stores.iter().copied().filter(|(array, value)| !is_direct(*array, *value)).collect();
    for value in late.iter().map(|(_, value)| *value).chain(code.condition) {
        last_reader[value] = usize::MAX;
    }
    let (mut free, mut registers, mut steps) = (Vec::new(), 0, Vec::new());
    for (at, node) in nodes.iter().enumerate() {
        // The operands' registers are still taken: an instruction never writes what it reads.
        let target = match node.variable {
            Some(array) => Target::Variable(array),
            None => Target::Register(free.pop().unwrap_or_else(|| {
                registers += 1;
                registers - 1
            })),
        };
        places[node.value] = match target {
            Target::Register(register) => Place::Register(register),
            Target::Variable(array) => Place::Variable(array),
        };
        steps.push(Step { work: node.work.clone(), target });
        let mut operands = node.work.operands();
        operands.sort_unstable();
        operands.dedup();
        let done = operands
            .into_iter()
            .filter(|operand| last_reader[*operand] == at && !code.ops.get(*operand).is_some_and(is_in_place));
        free.extend(done.filter_map(|operand| match places[operand] {
            Place::Register(register) => Some(register),
            _ => None,
        }));
    }
    let loads = code.ops.iter().filter_map(|op| if let Op::Load(array) = op { Some(*array) } else { None }).collect();
    let stores = code.stores.iter().map(|(array, _)| *array).collect();
    Prepared { places, steps, late, condition: code.condition, registers, loads, stores }
}
