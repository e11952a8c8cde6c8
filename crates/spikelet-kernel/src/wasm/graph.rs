//! Values of four lanes as a graph, written like the arithmetic that they stand for.
//!
//! [`Value`] (f32), [`Bits`] (i32) and [`Mask`] (all bits set or none) have the operators of Rust, so that the functions in the files beside
//! this one read like those of [`crate::math`]. Nothing is computed here: an operator adds a node, and `function` prints the nodes that
//! are needed.

use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Sub};

use wasm_encoder::InstructionSink;

/// Index of a node.
pub(super) type NodeId = usize;

/// Prints an instruction, whose operands lie on the stack.
pub(super) type Print = fn(&mut InstructionSink<'_>);

/// How a vector comes about.
#[derive(Clone, Copy)]
pub(super) enum Node {
    /// The same bits in all lanes.
    Literal(u32),
    /// A word of memory in all lanes: the word at this offset of the arguments, or of an array that they point to.
    Uniform(Word),
    /// A local, from the place on where it was set.
    Local(u32),
    /// An instruction.
    Operation(Print, [Option<NodeId>; 3]),
    /// A shift by a number of bits.
    Shift(Print, NodeId, i32),
    /// `yes` is computed if the mask holds in all lanes, `no` otherwise.
    Branch { all: NodeId, yes: NodeId, no: NodeId },
    /// A function of numbers, called for each lane: its position among the arguments, and its operands.
    Scalar { function: u32, operands: [Option<NodeId>; 3] },
    /// The entry of a table, looked up for each lane.
    Lookup { first: u32, index: NodeId },
}

/// A word in memory.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Word {
    /// Its offset in the arguments; or that of the pointer to the array that it is part of.
    pub(super) argument: u32,
    /// Its offset in that array.
    pub(super) offset: Option<u32>,
}

impl Node {
    /// The nodes that it is made of.
    pub(super) fn operands(&self) -> impl Iterator<Item = NodeId> + use<> {
        let operands = match *self {
            Node::Literal(_) | Node::Uniform(_) | Node::Local(_) => [None; 3],
            Node::Operation(_, operands) | Node::Scalar { operands, .. } => operands,
            Node::Shift(_, x, _) | Node::Lookup { index: x, .. } => [Some(x), None, None],
            Node::Branch { all, yes, no } => [Some(all), Some(yes), Some(no)],
        };
        operands.into_iter().flatten()
    }
}

/// All nodes of a function.
#[derive(Default)]
pub(super) struct Graph {
    nodes: RefCell<Vec<Node>>,
}

impl Graph {
    fn add(&self, node: Node) -> NodeId {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(node);
        nodes.len() - 1
    }

    pub(super) fn get(&self, id: NodeId) -> Node {
        self.nodes.borrow()[id]
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    /// A new node.
    pub(super) fn vector<T: Vector>(&self, node: Node) -> T::Of<'_> {
        T::of(self, self.add(node))
    }

    /// A number.
    pub(super) fn number(&self, number: f32) -> Value<'_> {
        self.vector::<Value<'_>>(Node::Literal(number.to_bits()))
    }

    /// A word of bits.
    pub(super) fn bits(&self, bits: u32) -> Bits<'_> {
        self.vector::<Bits<'_>>(Node::Literal(bits))
    }
}

/// The kinds of vectors.
pub(super) trait Vector {
    /// The same kind in a graph.
    type Of<'g>: Copy;
    /// A node as this kind.
    fn of(graph: &Graph, id: NodeId) -> Self::Of<'_>;
}

macro_rules! vectors {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name<'g> {
            graph: &'g Graph,
            pub(super) id: NodeId,
        }

        impl Vector for $name<'_> {
            type Of<'g> = $name<'g>;

            fn of(graph: &Graph, id: NodeId) -> $name<'_> {
                $name { graph, id }
            }
        }

        impl<'g> Operand<'g, $name<'g>> for $name<'g> {
            fn of(self, _: &'g Graph) -> $name<'g> {
                self
            }
        }
    )*};
}

vectors! {
    /// Four numbers.
    Value
    /// Four words.
    Bits
    /// Four conditions.
    Mask
}

/// What can stand for a vector: the vector, or a number for all lanes.
pub(super) trait Operand<'g, T>: Copy {
    fn of(self, graph: &'g Graph) -> T;
}

impl<'g> Operand<'g, Value<'g>> for f32 {
    fn of(self, graph: &'g Graph) -> Value<'g> {
        graph.number(self)
    }
}

impl<'g> Operand<'g, Bits<'g>> for u32 {
    fn of(self, graph: &'g Graph) -> Bits<'g> {
        graph.bits(self)
    }
}

impl<'g> Operand<'g, Bits<'g>> for i32 {
    fn of(self, graph: &'g Graph) -> Bits<'g> {
        graph.bits(self as u32)
    }
}

/// A node with one or two operands of any kinds.
macro_rules! operation {
    ($result:ident, $print:ident, $x:expr) => {
        $x.graph.vector::<$result<'_>>(Node::Operation(
            |sink| {
                sink.$print();
            },
            [Some($x.id), None, None],
        ))
    };
    ($result:ident, $print:ident, $x:expr, $y:expr) => {
        $x.graph.vector::<$result<'_>>(Node::Operation(
            |sink| {
                sink.$print();
            },
            [Some($x.id), Some($y.id), None],
        ))
    };
}

macro_rules! operators {
    ($($trait:ident $method:ident $kind:ident $number:ident $print:ident;)*) => {$(
        impl<'g, Y: Operand<'g, $kind<'g>>> $trait<Y> for $kind<'g> {
            type Output = $kind<'g>;

            fn $method(self, y: Y) -> $kind<'g> {
                let y = y.of(self.graph);
                operation!($kind, $print, self, y)
            }
        }

        impl<'g> $trait<$kind<'g>> for $number {
            type Output = $kind<'g>;

            fn $method(self, y: $kind<'g>) -> $kind<'g> {
                let x = Operand::<$kind<'g>>::of(self, y.graph);
                operation!($kind, $print, x, y)
            }
        }
    )*};
}

operators! {
    Add add Value f32 f32x4_add;
    Sub sub Value f32 f32x4_sub;
    Mul mul Value f32 f32x4_mul;
    Div div Value f32 f32x4_div;
    Add add Bits u32 i32x4_add;
    Sub sub Bits u32 i32x4_sub;
    BitAnd bitand Bits u32 v128_and;
    BitOr bitor Bits u32 v128_or;
    BitXor bitxor Bits u32 v128_xor;
}

impl<'g> Neg for Value<'g> {
    type Output = Value<'g>;

    fn neg(self) -> Value<'g> {
        operation!(Value, f32x4_neg, self)
    }
}

impl<'g> Shl<i32> for Bits<'g> {
    type Output = Bits<'g>;

    fn shl(self, count: i32) -> Bits<'g> {
        self.graph.vector::<Bits<'_>>(Node::Shift(
            |sink| {
                sink.i32x4_shl();
            },
            self.id,
            count,
        ))
    }
}

impl<'g> BitAnd for Mask<'g> {
    type Output = Mask<'g>;

    fn bitand(self, other: Mask<'g>) -> Mask<'g> {
        operation!(Mask, v128_and, self, other)
    }
}

impl<'g> BitOr for Mask<'g> {
    type Output = Mask<'g>;

    fn bitor(self, other: Mask<'g>) -> Mask<'g> {
        operation!(Mask, v128_or, self, other)
    }
}

impl<'g> Not for Mask<'g> {
    type Output = Mask<'g>;

    fn not(self) -> Mask<'g> {
        operation!(Mask, v128_not, self)
    }
}

macro_rules! functions {
    ($($kind:ident { $($name:ident -> $result:ident = $print:ident;)* })*) => {$(
        impl<'g> $kind<'g> {
            $(pub(super) fn $name(self) -> $result<'g> {
                operation!($result, $print, self)
            })*
        }
    )*};
}

functions! {
    Value {
        abs -> Value = f32x4_abs;
        floor -> Value = f32x4_floor;
        ceil -> Value = f32x4_ceil;
        trunc -> Value = f32x4_trunc;
    }
    Bits {
        signed -> Value = f32x4_convert_i32x4_s;
    }
}

macro_rules! comparisons {
    ($($kind:ident { $($name:ident -> $result:ident = $print:ident;)* })*) => {$(
        impl<'g> $kind<'g> {
            $(pub(super) fn $name(self, y: impl Operand<'g, $kind<'g>>) -> $result<'g> {
                let y = y.of(self.graph);
                operation!($result, $print, self, y)
            })*
        }
    )*};
}

comparisons! {
    Value {
        lt -> Mask = f32x4_lt;
        le -> Mask = f32x4_le;
        gt -> Mask = f32x4_gt;
        ge -> Mask = f32x4_ge;
        equals -> Mask = f32x4_eq;
        differs -> Mask = f32x4_ne;
        pmin -> Value = f32x4_pmin;
        pmax -> Value = f32x4_pmax;
    }
    Bits {
        equals -> Mask = i32x4_eq;
        min -> Bits = i32x4_min_s;
    }
}

impl<'g> Value<'g> {
    /// The graph that it belongs to.
    pub(super) fn graph(self) -> &'g Graph {
        self.graph
    }

    /// Its bits.
    pub(super) fn to_bits(self) -> Bits<'g> {
        Bits { graph: self.graph, id: self.id }
    }

    pub(super) fn is_nan(self) -> Mask<'g> {
        self.differs(self)
    }

    /// As [`f32::clamp`]: NaN stays.
    pub(super) fn clamp(self, low: f32, high: f32) -> Value<'g> {
        self.pmax(low).pmin(high)
    }

    /// Computed in one of two ways for all lanes: `yes` if the mask holds in each of them.
    pub(super) fn branch(all: Mask<'g>, yes: Value<'g>, no: Value<'g>) -> Value<'g> {
        all.graph.vector::<Value<'_>>(Node::Branch { all: all.id, yes: yes.id, no: no.id })
    }
}

impl<'g> Bits<'g> {
    /// The numbers of these bits.
    pub(super) fn number(self) -> Value<'g> {
        Value { graph: self.graph, id: self.id }
    }

    /// As a shift of u32.
    pub(super) fn shift_down(self, count: i32) -> Bits<'g> {
        self.graph.vector::<Bits<'_>>(Node::Shift(
            |sink| {
                sink.i32x4_shr_u();
            },
            self.id,
            count,
        ))
    }

    /// As a shift of i32.
    pub(super) fn shift_down_signed(self, count: i32) -> Bits<'g> {
        self.graph.vector::<Bits<'_>>(Node::Shift(
            |sink| {
                sink.i32x4_shr_s();
            },
            self.id,
            count,
        ))
    }

    /// The upper words of the products, of 64 bits, with other words.
    pub(super) fn upper_product(self, other: u32) -> Bits<'g> {
        let other = self.graph.bits(other);
        let low = operation!(Bits, i64x2_extmul_low_i32x4_u, self, other);
        let high = operation!(Bits, i64x2_extmul_high_i32x4_u, self, other);
        const UPPER: [u8; 16] = [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31];
        let print: Print = |sink| {
            sink.i8x16_shuffle(UPPER);
        };
        self.graph.vector::<Bits<'_>>(Node::Operation(print, [Some(low.id), Some(high.id), None]))
    }

    /// Where no bit is set.
    pub(super) fn is_zero(self) -> Mask<'g> {
        self.equals(0_u32)
    }
}

impl<'g> Mask<'g> {
    /// One of two numbers.
    pub(super) fn select(self, yes: impl Operand<'g, Value<'g>>, no: impl Operand<'g, Value<'g>>) -> Value<'g> {
        let (yes, no) = (yes.of(self.graph), no.of(self.graph));
        let is_zero = |value: Value<'g>| matches!(self.graph.get(value.id), Node::Literal(0));
        if is_zero(no) {
            operation!(Value, v128_and, yes, self)
        } else if is_zero(yes) {
            operation!(Value, v128_andnot, no, self)
        } else {
            let print: Print = |sink| {
                sink.v128_bitselect();
            };
            self.graph.vector::<Value<'_>>(Node::Operation(print, [Some(yes.id), Some(no.id), Some(self.id)]))
        }
    }

    /// 1 or 0.
    pub(super) fn truth(self) -> Value<'g> {
        self.select(1.0, 0.0)
    }
}
