//! From fused instructions to a program: their order, and the location of each value.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use spikelet_lang::ir::{Code, Op, Ref};

use super::Prepared;
use super::fuse::{Node, fuse, is_in_place};
use super::fused::{Fused, Operation};

/// Where a value lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ValueLocation {
    Literal(f32),
    Constant(usize),
    Clock(usize),
    Variable(usize),
    Register(usize),
    /// It is not read.
    Nowhere,
}

/// What an instruction writes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Destination {
    Register(usize),
    Variable(usize),
}

/// One instruction.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) work: Operation,
    pub(super) target: Destination,
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
    let mut code = code.with_twins();
    let mut copies: Vec<Node> = Vec::new();
    let count = code.ops.len();
    let mut copy = |input: Ref| {
        copies.push(Node { value: count + copies.len(), work: Operation::Fused(Fused::Copy(input)), variable: None });
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
    let producer: HashMap<Ref, usize> = nodes.iter().enumerate().map(|(at, node)| (node.value, at)).collect();
    let writer: HashMap<usize, usize> = nodes.iter().enumerate().filter_map(|(at, node)| Some((node.variable?, at))).collect();
    // What must come before each, operands and readers of its variable apart; and what waits for each.
    let (mut operands, mut readers) = (vec![0_usize; nodes.len()], vec![0_usize; nodes.len()]);
    let mut waiting: Vec<Vec<(usize, bool)>> = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        let mut read = node.work.operands();
        read.sort_unstable();
        read.dedup();
        for operand in read {
            if let Some(before) = producer.get(&operand) {
                operands[at] += 1;
                waiting[*before].push((at, true));
            }
            if let Some(Op::Load(array)) = code.ops.get(operand)
                && let Some(after) = writer.get(array).filter(|after| **after != at)
            {
                readers[*after] += 1;
                waiting[at].push((*after, false));
            }
        }
    }
    let is_free = |at: usize, operands: &[usize], readers: &[usize]| operands[at] == 0 && readers[at] == 0;
    let mut free: BinaryHeap<Reverse<usize>> =
        (0..nodes.len()).filter(|at| is_free(*at, &operands, &readers)).map(Reverse).collect();
    let (mut ordered, mut left): (Vec<Node>, Vec<Option<Node>>) = (Vec::new(), nodes.into_iter().map(Some).collect());
    while let Some(Reverse(at)) = free.pop() {
        ordered.extend(left[at].take());
        for (after, is_operand) in &waiting[at] {
            *if *is_operand { &mut operands[*after] } else { &mut readers[*after] } -= 1;
            if is_free(*after, &operands, &readers) {
                free.push(Reverse(*after));
            }
        }
    }
    let mut waits = left.iter().enumerate().filter(|(at, _)| operands[*at] == 0);
    let variable = waits.find_map(|(_, node)| node.as_ref()?.variable);
    // What is ready and not done waits for the readers of a variable alone.
    if ordered.len() == left.len() { Ok(ordered) } else { Err(variable.expect("something is always ready")) }
}

/// Gives each value its place: a register is free again after its last reader.
fn place(code: &Code, nodes: &[Node]) -> Prepared {
    let values = nodes.iter().map(|node| node.value + 1).chain([code.ops.len()]).max().unwrap_or(0);
    let mut places = vec![ValueLocation::Nowhere; values];
    for (place, op) in places.iter_mut().zip(&code.ops) {
        *place = match *op {
            Op::Literal(value) => ValueLocation::Literal(value.single),
            Op::Constant(index) => ValueLocation::Constant(index),
            Op::Clock(index) => ValueLocation::Clock(index),
            Op::Load(array) => ValueLocation::Variable(array),
            _ => ValueLocation::Nowhere,
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
            Some(array) => Destination::Variable(array),
            None => Destination::Register(free.pop().unwrap_or_else(|| {
                registers += 1;
                registers - 1
            })),
        };
        places[node.value] = match target {
            Destination::Register(register) => ValueLocation::Register(register),
            Destination::Variable(array) => ValueLocation::Variable(array),
        };
        steps.push(Step { work: node.work.clone(), target });
        let mut operands = node.work.operands();
        operands.sort_unstable();
        operands.dedup();
        let done = operands
            .into_iter()
            .filter(|operand| last_reader[*operand] == at && !code.ops.get(*operand).is_some_and(is_in_place));
        free.extend(done.filter_map(|operand| match places[operand] {
            ValueLocation::Register(register) => Some(register),
            _ => None,
        }));
    }
    let loads = code.ops.iter().filter_map(|op| if let Op::Load(array) = op { Some(*array) } else { None }).collect();
    let stores = code.stores.iter().map(|(array, _)| *array).collect();
    Prepared { places, steps, late, condition: code.condition, registers, loads, stores }
}
