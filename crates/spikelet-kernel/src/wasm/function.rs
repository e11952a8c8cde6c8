//! A function that runs over the lanes of a block, four at a time: nodes of a graph as instructions.
//!
//! A value with one reader stays on the stack, any other one gets a local until its last reader. What is the same in every round of the
//! loop is computed before it.

use std::collections::HashMap;

use wasm_encoder::{BlockType, InstructionSink, MemArg, ValType};

use super::graph::{Graph, Node, NodeId, Word};
use super::layout::{self, POINTERS, Pointer, ROUND};

/// The local of the arguments.
const ARGUMENTS: u32 = 0;
/// A number for a moment.
const SCRATCH: u32 = 1;
/// Bytes of a lane array that are not done.
const LEFT: u32 = 2;
/// The first local that points into an array; it moves with the loop.
const FIRST_POINTER: u32 = 3;

/// A function in the making.
pub(super) struct FunctionPrinter<'g> {
    graph: &'g Graph,
    /// What runs before the loop, and in it.
    before: Vec<u8>,
    body: Vec<u8>,
    /// Readers of each node that are not printed yet.
    readers: Vec<u32>,
    /// The local of each node that has one.
    places: Vec<Option<u32>>,
    invariant: Vec<Option<bool>>,
    /// Locals of words and literals that were read before the loop.
    constants: HashMap<(bool, u32, u32), u32>,
    /// Nodes that got a local in each of the open branches.
    scopes: Vec<Vec<NodeId>>,
    pointers: Vec<Pointer>,
    /// Pointers into ports come after all others.
    ports: u32,
    vectors: u32,
    free: Vec<u32>,
}

impl<'g> FunctionPrinter<'g> {
    /// A function for a population with this number of ports.
    pub(super) fn new(graph: &'g Graph, ports: u32) -> Self {
        FunctionPrinter {
            graph,
            before: Vec::new(),
            body: Vec::new(),
            readers: Vec::new(),
            places: Vec::new(),
            invariant: Vec::new(),
            constants: HashMap::new(),
            scopes: vec![Vec::new()],
            pointers: Vec::new(),
            ports,
            vectors: 0,
            free: Vec::new(),
        }
    }

    /// A new local for a vector.
    pub(super) fn local(&mut self) -> u32 {
        self.vectors += 1;
        self.first_vector() + self.vectors - 1
    }

    fn first_vector(&self) -> u32 {
        FIRST_POINTER + POINTERS + 2 * self.ports
    }

    /// The local of a pointer.
    fn pointer(&mut self, pointer: Pointer) -> u32 {
        if !self.pointers.contains(&pointer) {
            self.pointers.push(pointer);
        }
        FIRST_POINTER + pointer.index()
    }

    /// Says which values will be printed next.
    pub(super) fn announce(&mut self, roots: &[NodeId]) {
        let count = self.graph.len();
        self.readers.resize(count, 0);
        self.places.resize(count, None);
        self.invariant.resize(count, None);
        let mut needed = vec![false; count];
        for root in roots {
            self.readers[*root] += 1;
            needed[*root] = true;
        }
        for id in (0..count).rev().filter(|id| self.places[*id].is_none()) {
            if needed[id] {
                for operand in self.graph.get(id).operands() {
                    self.readers[operand] += 1;
                    needed[operand] = true;
                }
            }
        }
    }

    /// Leaves the four lanes at an array's place on the stack.
    pub(super) fn load(&mut self, pointer: Pointer, array: u32) {
        let local = self.pointer(pointer);
        InstructionSink::new(&mut self.body).local_get(local).v128_load(at(array * layout::LANES_BYTES));
    }

    /// Stores a local there.
    pub(super) fn store(&mut self, pointer: Pointer, array: u32, local: u32) {
        let pointer = self.pointer(pointer);
        InstructionSink::new(&mut self.body).local_get(pointer).local_get(local).v128_store(at(array * layout::LANES_BYTES));
    }

    /// Any instructions.
    pub(super) fn sink(&mut self) -> InstructionSink<'_> {
        InstructionSink::new(&mut self.body)
    }

    /// Begins instructions that run only where something holds: values computed there are not there afterwards.
    pub(super) fn open(&mut self) {
        self.scopes.push(Vec::new());
    }

    /// Ends them.
    pub(super) fn close(&mut self) {
        for id in self.scopes.pop().unwrap_or_default() {
            self.free.extend(self.places[id].take());
        }
    }

    /// Leaves a value on the stack.
    pub(super) fn value(&mut self, id: NodeId) {
        if let Some(local) = self.places[id] {
            self.sink().local_get(local);
            self.readers[id] = self.readers[id].saturating_sub(1);
            if self.readers[id] == 0 {
                self.free.extend(self.places[id].take());
            }
            return;
        }
        if self.is_invariant(id) {
            let local = self.hoisted(id);
            self.sink().local_get(local);
            return;
        }
        match self.graph.get(id) {
            Node::Literal(_) | Node::Uniform(_) => unreachable!("the same in every round"),
            Node::Local(local) => {
                self.sink().local_get(local);
                return;
            }
            Node::Operation(print, operands) => {
                operands.into_iter().flatten().for_each(|operand| self.value(operand));
                print(&mut self.sink());
            }
            Node::Shift(print, x, count) => {
                self.value(x);
                print(self.sink().i32_const(count));
            }
            Node::Branch { all, yes, no } => {
                self.value(all);
                self.sink().i32x4_all_true().if_(BlockType::Result(ValType::V128));
                self.branch(yes);
                self.sink().else_();
                self.branch(no);
                self.sink().end();
            }
            Node::Scalar { function, operands } => self.scalar(function, operands),
            Node::Lookup { first, index } => self.lookup(first, index),
        }
        self.readers[id] = self.readers[id].saturating_sub(1);
        if self.readers[id] > 0 {
            let local = self.free.pop().unwrap_or_else(|| self.local());
            self.sink().local_tee(local);
            self.places[id] = Some(local);
            if let Some(scope) = self.scopes.last_mut() {
                scope.push(id);
            }
        }
    }

    fn branch(&mut self, id: NodeId) {
        self.open();
        self.value(id);
        self.close();
    }

    /// Calls a function for each lane.
    fn scalar(&mut self, function: u32, operands: [Option<NodeId>; 3]) {
        let operands: Vec<u32> = operands.into_iter().flatten().map(|operand| self.in_local(operand)).collect();
        let signature = layout::scalar_type(operands.len());
        for lane in 0..4 {
            let mut sink = self.sink();
            for local in &operands {
                sink.local_get(*local).f32x4_extract_lane(lane);
            }
            sink.local_get(ARGUMENTS).i32_load(at(function)).call_indirect(0, signature);
            collect(&mut sink, lane);
        }
        self.free.extend(operands);
    }

    /// Looks an entry of a table up for each lane. There is none behind the last one.
    fn lookup(&mut self, first: u32, index: NodeId) {
        let index = self.in_local(index);
        for lane in 0..4 {
            let mut sink = self.sink();
            sink.local_get(index).f32x4_extract_lane(lane).i32_trunc_sat_f32_u().i32_const(first as i32).i32_add();
            sink.local_tee(SCRATCH).local_get(ARGUMENTS).i32_load(at(layout::TABLE_COUNT)).i32_ge_u();
            sink.if_(BlockType::Empty).unreachable().end();
            sink.local_get(SCRATCH).i32_const(2).i32_shl();
            sink.local_get(ARGUMENTS).i32_load(at(layout::TABLES)).i32_add().f32_load(at(0));
            collect(&mut sink, lane);
        }
        self.free.push(index);
    }

    /// A value in a local of its own.
    fn in_local(&mut self, id: NodeId) -> u32 {
        self.value(id);
        let local = self.free.pop().unwrap_or_else(|| self.local());
        self.sink().local_set(local);
        local
    }

    fn is_invariant(&mut self, id: NodeId) -> bool {
        if let Some(known) = self.invariant[id] {
            return known;
        }
        let is = match self.graph.get(id) {
            Node::Literal(_) | Node::Uniform(_) => true,
            node @ (Node::Operation(..) | Node::Shift(..)) => node.operands().all(|operand| self.is_invariant(operand)),
            _ => false,
        };
        self.invariant[id] = Some(is);
        is
    }

    /// The local of a value that is computed before the loop.
    fn hoisted(&mut self, id: NodeId) -> u32 {
        let node = self.graph.get(id);
        let key = match node {
            Node::Literal(bits) => Some((false, bits, 0)),
            Node::Uniform(Word { argument, offset }) => Some((true, argument, offset.map_or(0, |offset| offset + 1))),
            _ => None,
        };
        if let Some(local) = self.places[id].or_else(|| self.constants.get(&key?).copied()) {
            return local;
        }
        let operands: Vec<u32> = node.operands().map(|operand| self.hoisted(operand)).collect();
        let local = self.local();
        let mut sink = InstructionSink::new(&mut self.before);
        for operand in operands {
            sink.local_get(operand);
        }
        match node {
            Node::Literal(bits) => {
                sink.v128_const((u128::from(bits) * 0x0000_0001_0000_0001_0000_0001_0000_0001) as i128);
            }
            Node::Uniform(Word { argument, offset: None }) => {
                sink.local_get(ARGUMENTS).v128_load32_splat(at(argument));
            }
            Node::Uniform(Word { argument, offset: Some(offset) }) => {
                sink.local_get(ARGUMENTS).i32_load(at(argument)).v128_load32_splat(at(offset));
            }
            Node::Operation(print, _) => print(&mut sink),
            Node::Shift(print, _, count) => print(sink.i32_const(count)),
            _ => unreachable!("not the same in every round"),
        }
        InstructionSink::new(&mut self.before).local_set(local);
        match key {
            Some(key) => {
                self.constants.insert(key, local);
            }
            // It stays there for all readers.
            None => (self.places[id], self.readers[id]) = (Some(local), u32::MAX),
        }
        local
    }

    /// The function: the loop over the lanes. It returns whether `any` lane is true, if there is such a local.
    pub(super) fn finish(self, any: Option<u32>) -> wasm_encoder::Function {
        let numbers = self.first_vector() - 1;
        let mut function = wasm_encoder::Function::new([(numbers, ValType::I32), (self.vectors, ValType::V128)]);
        let mut head = Vec::new();
        let mut sink = InstructionSink::new(&mut head);
        sink.local_get(ARGUMENTS).i32_load(at(layout::END)).local_set(LEFT);
        for pointer in &self.pointers {
            sink.local_get(ARGUMENTS).i32_load(at(pointer.argument()));
            if let Some(entry) = pointer.entry() {
                sink.i32_load(at(entry));
            }
            sink.local_set(FIRST_POINTER + pointer.index());
        }
        function.raw(head).raw(self.before);
        function.instructions().loop_(BlockType::Empty);
        function.raw(self.body);
        let mut sink = function.instructions();
        for pointer in &self.pointers {
            let local = FIRST_POINTER + pointer.index();
            sink.local_get(local).i32_const(ROUND).i32_add().local_set(local);
        }
        sink.local_get(LEFT).i32_const(ROUND).i32_sub().local_tee(LEFT).br_if(0).end();
        match any {
            Some(any) => sink.local_get(any).v128_any_true(),
            None => sink.i32_const(0),
        };
        sink.end();
        function
    }
}

/// Puts a number into a lane of the vector below it on the stack; the first one makes that vector.
fn collect(sink: &mut InstructionSink<'_>, lane: u8) {
    if lane == 0 {
        sink.f32x4_splat();
    } else {
        sink.f32x4_replace_lane(lane);
    }
}

/// The memory at an offset from an address.
fn at(offset: u32) -> MemArg {
    MemArg { offset: u64::from(offset), align: 2, memory_index: 0 }
}
