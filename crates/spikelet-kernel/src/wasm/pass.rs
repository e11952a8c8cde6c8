//! A pass over the lanes of a block: one or several codes of a program, with variables in locals between them.

use std::collections::{BTreeMap, BTreeSet};

use spikelet_lang::ir::{Code, Op, Ref};
use spikelet_lang::program::Program;
use spikelet_lang::term::Random;
use wasm_encoder::BlockType;

use super::function::FunctionPrinter;
use super::graph::{Bits, Graph, Node, NodeId, Value};
use super::layout::Pointer;
use super::translate::{self, LaneInputs};
use crate::block::{Pass, Precomputed, Prepared};

/// Prints a pass, and says what must be computed before; nothing where that depends on variables.
pub(super) fn print(
    program: &Program,
    split_precision: &[bool],
    pass: Pass,
) -> Option<(wasm_encoder::Function, Vec<Precomputed>)> {
    let graph = Graph::default();
    let mut function = FunctionPrinter::new(&graph, split_precision.len() as u32);
    let mut any = None;
    let codes = [&program.deliver_input, &program.reset, &program.sample_and_hold, &program.update];
    let codes: Vec<(usize, &Code)> = codes.into_iter().enumerate().filter(|(part, _)| pass.parts().contains(part)).collect();
    let reads: Vec<Vec<bool>> = codes.iter().map(|(_, code)| needed(code)).collect();
    let mut lanes = BlockLanes::load(&mut function, &codes, &reads, split_precision)?;
    for ((part, code), needed) in codes.into_iter().zip(&reads) {
        let mut printer = CodePrinter { graph: &graph, function: &mut function, lanes: &mut lanes, part, needed };
        match part {
            RESET => printer.reset(code),
            _ => any = printer.code(code).or(any),
        }
    }
    for array in &lanes.changed {
        function.store(Pointer::Variables, *array as u32, lanes.variables[array]);
    }
    if pass == Pass::Step {
        empty(&mut function, split_precision);
    }
    Some((function.finish(any), lanes.given))
}

/// The number of the code that runs only in neurons that fired.
const RESET: usize = 1;

/// The operations that a code needs, without the operands of those that are computed before.
fn needed(code: &Code) -> Vec<bool> {
    let mut needed = vec![false; code.ops.len()];
    code.stores.iter().map(|(_, value)| *value).chain(code.condition).for_each(|root| needed[root] = true);
    for at in (0..code.ops.len()).rev().filter(|at| !translate::is_given(&code.ops[*at])) {
        if needed[at] {
            code.ops[at].operands().for_each(|operand| needed[operand] = true);
        }
    }
    needed
}

/// What has arrived was added.
fn empty(function: &mut FunctionPrinter<'_>, split_precision: &[bool]) {
    let zero = function.local();
    for (port, is_split) in (0..).zip(split_precision) {
        function.store(Pointer::Port { port, is_fine: false }, 0, zero);
        if *is_split {
            function.store(Pointer::Port { port, is_fine: true }, 0, zero);
        }
    }
}

/// The locals of what lies in memory, loaded at the beginning of a round.
struct BlockLanes {
    variables: BTreeMap<usize, u32>,
    changed: BTreeSet<usize>,
    ports: BTreeMap<usize, (u32, Option<u32>)>,
    last_spike: Option<u32>,
    /// What was computed before.
    given: Vec<Precomputed>,
    bits: BTreeMap<u32, u32>,
    values: BTreeMap<(usize, Ref), u32>,
}

impl BlockLanes {
    fn load(
        function: &mut FunctionPrinter<'_>,
        codes: &[(usize, &Code)],
        reads: &[Vec<bool>],
        split_precision: &[bool],
    ) -> Option<BlockLanes> {
        let mut lanes = BlockLanes {
            variables: BTreeMap::new(),
            changed: BTreeSet::new(),
            ports: BTreeMap::new(),
            last_spike: None,
            given: Vec::new(),
            bits: BTreeMap::new(),
            values: BTreeMap::new(),
        };
        for ((part, code), needed) in codes.iter().zip(reads) {
            for (at, op) in code.ops.iter().enumerate().filter(|(at, _)| needed[*at]) {
                match *op {
                    Op::Load(array) => lanes.variable(function, array),
                    Op::Port(port) => {
                        let mut put = |is_fine| loaded(function, Pointer::Port { port: port as u32, is_fine }, 0);
                        let sums = (put(false), split_precision[port].then(|| put(true)));
                        lanes.ports.insert(port, sums);
                    }
                    Op::SinceSpike => lanes.last_spike(function),
                    Op::Random(Random::Normal, site) | Op::NormalBetween { site, .. } if !lanes.bits.contains_key(&site) => {
                        let local = loaded(function, Pointer::Precomputed, lanes.given.len() as u32);
                        lanes.bits.insert(site, local);
                        lanes.given.push(Precomputed::Bits(site));
                    }
                    _ if translate::is_given(op) => {
                        let local = loaded(function, Pointer::Precomputed, lanes.given.len() as u32);
                        lanes.values.insert((*part, at), local);
                        lanes.given.push(Precomputed::Value(Box::new(Prepared::new(&alone(code, at)?))));
                    }
                    _ => {}
                }
            }
            if *part == RESET && !code.stores.is_empty() {
                lanes.last_spike(function);
                // Most neurons keep the old value.
                code.stores.iter().for_each(|(array, _)| lanes.variable(function, *array));
            }
        }
        for (array, _) in codes.iter().flat_map(|(_, code)| &code.stores) {
            lanes.variables.entry(*array).or_insert_with(|| function.local());
        }
        Some(lanes)
    }

    fn variable(&mut self, function: &mut FunctionPrinter<'_>, array: usize) {
        self.variables.entry(array).or_insert_with(|| loaded(function, Pointer::Variables, array as u32));
    }

    fn last_spike(&mut self, function: &mut FunctionPrinter<'_>) {
        self.last_spike.get_or_insert_with(|| loaded(function, Pointer::LastSpike, 0));
    }
}

/// A new local with the lanes of an array.
fn loaded(function: &mut FunctionPrinter<'_>, pointer: Pointer, array: u32) -> u32 {
    let local = function.local();
    function.load(pointer, array);
    function.sink().local_set(local);
    local
}

/// The code of a single value; nothing where it depends on variables.
fn alone(code: &Code, value: Ref) -> Option<Code> {
    let mut needed = vec![false; value + 1];
    needed[value] = true;
    for at in (0..=value).rev() {
        if needed[at] {
            code.ops[at].operands().for_each(|operand| needed[operand] = true);
        }
    }
    let depends = |op: &Op| matches!(op, Op::Load(_) | Op::Port(_));
    if code.ops.iter().zip(&needed).any(|(op, needed)| *needed && depends(op)) {
        return None;
    }
    // The others stay in their places, unread.
    Some(Code { ops: code.ops[..=value].to_vec(), stores: Vec::new(), condition: Some(value) })
}

/// A code in the making.
struct CodePrinter<'a, 'g> {
    graph: &'g Graph,
    function: &'a mut FunctionPrinter<'g>,
    lanes: &'a mut BlockLanes,
    part: usize,
    needed: &'a [bool],
}

impl<'g> CodePrinter<'_, 'g> {
    /// A code for all lanes. Returns a local that is true where its condition has held in any round.
    fn code(&mut self, code: &Code) -> Option<u32> {
        let (stores, condition) = self.compute(code);
        stores.into_iter().for_each(|(array, value)| self.assign(array, value));
        let condition = condition?;
        // It is 0 before the first round.
        let any = self.function.local();
        self.function.sink().local_get(condition).local_get(any).v128_or().local_set(any);
        let one = self.graph.number(1.0).id;
        self.function.announce(&[one]);
        self.function.value(one);
        self.function.sink().local_get(condition).v128_and().local_set(condition);
        self.function.store(Pointer::Above, 0, condition);
        Some(any)
    }

    /// A code for the lanes that fired in the step before.
    fn reset(&mut self, code: &Code) {
        if code.stores.is_empty() {
            return;
        }
        let fired = self.last_spike().equals(translate::step(self.graph) - 1_u32).id;
        self.function.announce(&[fired]);
        let mask = self.function.local();
        self.function.value(fired);
        self.function.sink().local_tee(mask).v128_any_true().if_(BlockType::Empty);
        self.function.open();
        let (stores, _) = self.compute(code);
        for (array, value) in stores {
            let old = self.lanes.variables[&array];
            self.function.sink().local_get(value).local_get(old).local_get(mask).v128_bitselect().local_set(value);
            self.assign(array, value);
        }
        self.function.close();
        self.function.sink().end();
    }

    /// Computes what a code stores, and its condition, into locals.
    fn compute(&mut self, code: &Code) -> (Vec<(usize, u32)>, Option<u32>) {
        let values = translate::values(code, self.needed, self.graph, self);
        let stores: Vec<(usize, NodeId)> =
            code.stores.iter().map(|(array, value)| (*array, values[*value].number().id)).collect();
        let condition = code.condition.map(|condition| values[condition].truth().id);
        let roots: Vec<NodeId> = stores.iter().map(|(_, root)| *root).chain(condition).collect();
        self.function.announce(&roots);
        let mut put = |root: NodeId| {
            let local = self.function.local();
            self.function.value(root);
            self.function.sink().local_set(local);
            local
        };
        let stores = stores.into_iter().map(|(array, root)| (array, put(root))).collect();
        (stores, condition.map(put))
    }

    fn assign(&mut self, array: usize, value: u32) {
        self.function.sink().local_get(value).local_set(self.lanes.variables[&array]);
        self.lanes.changed.insert(array);
    }

    fn vector(&self, local: u32) -> Value<'g> {
        self.graph.vector::<Value<'_>>(Node::Local(local))
    }
}

impl<'g> LaneInputs<'g> for CodePrinter<'_, 'g> {
    fn variable(&mut self, array: usize) -> Value<'g> {
        self.vector(self.lanes.variables[&array])
    }

    fn port(&mut self, port: usize) -> (Bits<'g>, Option<Bits<'g>>) {
        let (sums, fine) = self.lanes.ports[&port];
        (self.vector(sums).to_bits(), fine.map(|fine| self.vector(fine).to_bits()))
    }

    fn last_spike(&mut self) -> Bits<'g> {
        let local = self.lanes.last_spike.expect("it was loaded");
        self.vector(local).to_bits()
    }

    fn random_bits(&mut self, site: u32) -> Bits<'g> {
        self.vector(self.lanes.bits[&site]).to_bits()
    }

    fn given(&mut self, value: Ref) -> Value<'g> {
        self.vector(self.lanes.values[&(self.part, value)])
    }
}
