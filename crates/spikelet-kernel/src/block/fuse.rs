//! Fusion of operations to instructions.
//!
//! Operations are visited from the last to the first. Each that is needed becomes the root of an instruction, which includes its operands
//! as far as there is a loop for them, and as far as their values have no other use.

use spikelet_lang::ir::{Code, Op, Ref};
use spikelet_lang::syntax::BinaryOp;

use super::fused::{First, Fused, FusedMask, Operation, ROW_TERMS, Second};

/// An instruction before it has a place: what it computes, and the variable that it may write at once.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) value: Ref,
    pub(super) work: Operation,
    pub(super) variable: Option<usize>,
}

/// The instructions of a code, in its order. Variables in `direct` are written by the instruction that computes their new value;
/// where that cannot be, the answer is the variable in question.
pub(super) fn fuse(code: &Code, direct: &[bool]) -> Result<Vec<Node>, usize> {
    let mut readers = vec![0; code.ops.len()];
    let roots: Vec<Ref> =
        code.stores.iter().map(|(_, value)| *value).chain(code.condition).filter(|root| *root < code.ops.len()).collect();
    for value in code.ops.iter().flat_map(Op::operands).chain(roots.iter().copied()) {
        readers[value] += 1;
    }
    let fuse = Fuse { ops: &code.ops, readers };
    let mut needed = vec![false; code.ops.len()];
    roots.into_iter().for_each(|root| needed[root] = true);
    let mut nodes = Vec::new();
    for value in (0..code.ops.len()).rev().filter(|value| !is_in_place(&code.ops[*value])) {
        if !needed[value] {
            continue;
        }
        let variable = code.stores.iter().find(|(array, stored)| *stored == value && direct[*array]).map(|(array, _)| *array);
        let work = match variable {
            None => fuse.value(value),
            Some(array) => fuse.store(value, array).or_else(|| fuse.value(value)),
        };
        let work = work.map_or(Operation::Plain(code.ops[value]), Operation::Fused);
        for operand in work.operands() {
            needed[operand] = true;
            if let (Op::Load(array), Some(variable)) = (code.ops[operand], variable)
                && array == variable
            {
                return Err(variable);
            }
        }
        nodes.push(Node { value, work, variable });
    }
    nodes.reverse();
    Ok(nodes)
}

/// Whether the value lies somewhere before the code runs: an array, or a number.
pub(super) fn is_in_place(op: &Op) -> bool {
    matches!(op, Op::Literal(_) | Op::Constant(_) | Op::Clock(_) | Op::Load(_))
}

struct Fuse<'a> {
    ops: &'a [Op],
    /// How often each value is read.
    readers: Vec<usize>,
}

impl Fuse<'_> {
    fn is_scalar(&self, value: Ref) -> bool {
        matches!(self.ops[value], Op::Literal(_) | Op::Constant(_) | Op::Clock(_))
    }

    /// The operation, if it has no other reader.
    fn alone(&self, value: Ref) -> Option<Op> {
        (self.readers[value] == 1).then(|| self.ops[value])
    }

    /// The instruction that computes a value, if several operations can be one.
    fn value(&self, value: Ref) -> Option<Fused> {
        match self.ops[value] {
            Op::Binary(BinaryOp::And, x, y) => self.unless(x, y).or_else(|| self.unless(y, x)),
            Op::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), x, y) => {
                self.products(op, x, y).or_else(|| self.pair(op, x, y))
            }
            Op::Binary(op, x, y) => self.pair(op, x, y),
            Op::Negate(x) => self.first(x).map(|(first, [x, y])| Fused::Pair(first, Second::Negate, [x, y, y])),
            _ => None,
        }
    }

    fn first(&self, value: Ref) -> Option<(First, [Ref; 2])> {
        let (first, x, y) = match self.alone(value)? {
            Op::Binary(BinaryOp::Add, x, y) => (First::Add, x, y),
            Op::Binary(BinaryOp::Subtract, x, y) => (First::Subtract, x, y),
            Op::Binary(BinaryOp::Multiply, x, y) => (First::Multiply, x, y),
            Op::Negate(x) => (First::Negate, x, x),
            _ => return None,
        };
        (!(self.is_scalar(x) && self.is_scalar(y))).then_some((first, [x, y]))
    }

    fn pair(&self, op: BinaryOp, x: Ref, y: Ref) -> Option<Fused> {
        let (left, right) = match op {
            BinaryOp::Add => (Second::Add, Second::Add),
            BinaryOp::Subtract => (Second::Subtract, Second::SubtractFrom),
            BinaryOp::Multiply => (Second::Multiply, Second::Multiply),
            BinaryOp::Divide => (Second::Divide, Second::DivideInto),
            _ => return None,
        };
        let found = |inner: Ref, second: Second, outer: Ref| {
            self.first(inner).map(|(first, [x, y])| Fused::Pair(first, second, [x, y, outer]))
        };
        found(x, left, y).or_else(|| found(y, right, x))
    }

    /// A product that nothing else reads, the scalar first.
    fn product(&self, value: Ref) -> Option<[Ref; 2]> {
        match self.alone(value)? {
            Op::Binary(BinaryOp::Multiply, x, y) if !self.is_scalar(y) => Some([x, y]),
            Op::Binary(BinaryOp::Multiply, x, y) if !self.is_scalar(x) => Some([y, x]),
            _ => None,
        }
    }

    fn products(&self, op: BinaryOp, x: Ref, y: Ref) -> Option<Fused> {
        Some(Fused::Products { minus: op == BinaryOp::Subtract, factors: [self.product(x)?, self.product(y)?] })
    }

    /// `test` and not `other`.
    fn unless(&self, test: Ref, other: Ref) -> Option<Fused> {
        let Op::Not(hold) = self.alone(other)? else { return None };
        match self.alone(test)? {
            Op::Binary(test @ (BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual), x, y)
                if !self.is_scalar(hold) =>
            {
                Some(Fused::Unless { test, operands: [x, y], hold: self.held(hold) })
            }
            _ => None,
        }
    }

    /// A condition under which a variable keeps its value.
    fn held(&self, condition: Ref) -> FusedMask {
        if let Op::Binary(BinaryOp::NotEqual, flag, zero) = self.ops[condition]
            && self.ops[zero] == Op::number(0.0)
            && !self.is_scalar(flag)
        {
            return FusedMask::Where(flag);
        }
        if let Op::Binary(BinaryOp::Less, since, steps) = self.ops[condition]
            && self.is_scalar(steps)
        {
            match self.ops[since] {
                Op::SinceSpike => return FusedMask::Since { steps, ago: 0 },
                Op::Binary(BinaryOp::Subtract, since, ago) => {
                    if let (Op::SinceSpike, Op::Literal(ago)) = (self.ops[since], self.ops[ago])
                        && ago.double == ago.double.round()
                        && (0.0..1000.0).contains(&ago.double)
                    {
                        return FusedMask::Since { steps, ago: ago.double as i32 };
                    }
                }
                _ => {}
            }
        }
        FusedMask::Where(condition)
    }

    /// The instruction that turns a variable's old value into its new one, where the old one takes part in a way that a loop
    /// exists for.
    fn store(&self, value: Ref, array: usize) -> Option<Fused> {
        let own = |value: Ref| self.ops[value] == Op::Load(array);
        let flushed = match self.ops[value] {
            Op::Flush(inner) => Some(inner),
            _ => None,
        };
        // The outermost operation may have readers: they find its value in the variable. Those inside may not.
        let is_free = |inner: Ref| inner == value || self.readers[inner] == 1;
        let mut inner = flushed.unwrap_or(value);
        let mut hold = FusedMask::Never;
        if let Op::Select { condition, yes, no } = self.ops[inner]
            && is_free(inner)
            && own(yes)
            && !self.is_scalar(condition)
        {
            hold = self.held(condition);
            inner = no;
        }
        let op = if is_free(inner) { Some(self.ops[inner]) } else { None };
        if flushed.is_none() {
            let Op::Binary(BinaryOp::Add, x, y) = op? else { return None };
            let gained = [(x, y), (y, x)].into_iter().find(|(x, y)| own(*x) && !own(*y))?.1;
            return match (self.alone(gained), hold) {
                (Some(Op::Port(port)), hold) => Some(Fused::Arrive { port, hold }),
                (_, FusedMask::Never) => Some(Fused::Gain(gained)),
                _ => None,
            };
        }
        if let Some(row) = self.row(inner, &own, hold, &is_free) {
            return Some(row);
        }
        if let Some(Op::Binary(BinaryOp::Add, x, y)) = op
            && own(x)
            && let Some(by) = self.product(y)
            && !by.into_iter().any(own)
        {
            return Some(Fused::Move { by, hold });
        }
        // Something else, that gets a register of its own first.
        (!is_in_place(&self.ops[inner])).then_some(Fused::Become { value: inner, hold })
    }

    /// factor·own + Σ f·x + constant, added from the left.
    fn row(&self, sum: Ref, own: &impl Fn(Ref) -> bool, hold: FusedMask, is_free: &impl Fn(Ref) -> bool) -> Option<Fused> {
        let mut left = sum;
        let mut constant = None;
        let mut terms = Vec::new();
        loop {
            if !is_free(left) {
                return None;
            }
            match self.ops[left] {
                Op::Binary(BinaryOp::Add, rest, c) if self.is_scalar(c) && constant.is_none() && terms.is_empty() => {
                    constant = Some(c);
                    left = rest;
                }
                Op::Binary(BinaryOp::Add, rest, term) if terms.len() < ROW_TERMS => {
                    let term = self.product(term).filter(|[f, x]| self.is_scalar(*f) && !own(*x))?;
                    terms.insert(0, term);
                    left = rest;
                }
                Op::Binary(BinaryOp::Multiply, f, x) | Op::Binary(BinaryOp::Multiply, x, f) if own(x) && self.is_scalar(f) => {
                    return Some(Fused::Row { factor: f, terms, constant, hold });
                }
                _ => return None,
            }
        }
    }
}
