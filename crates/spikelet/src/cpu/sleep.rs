//! Which neurons may sleep: a neuron that a step without input leaves as it was, to the last bit, is as it was after any number of them, if
//! its code reads nothing else that changes. It is not stepped again until something arrives.

use spikelet_lang::Program;
use spikelet_lang::block::LONG_AGO;
use spikelet_lang::ir::{Code, Op};
use spikelet_lang::syntax::BinaryOp;

use crate::plan::{EdgePlan, Plan, SampleSource};

/// When a neuron of a population may sleep.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SleepRule {
    /// The arrays that a step stores to.
    pub(super) stored: Vec<usize>,
    /// With what the steps since the last spike are compared; `None` if they are used otherwise.
    bounds: Option<Vec<Bound>>,
}

/// A number with which the steps since a spike are compared, less what is added to them before.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bound {
    Number(f32),
    Constant(usize, f32),
}

impl SleepRule {
    /// The rule of a population whose neurons run ahead.
    ///
    /// # Errors
    /// Why its neurons never sleep.
    pub(crate) fn of(plan: &Plan, population: usize) -> Result<SleepRule, &'static str> {
        let of = &plan.populations[population];
        let program = &of.program;
        let ops = || program.codes().flat_map(|code| &code.ops);
        if !program.regular.is_empty() {
            return Err("statements run regularly");
        }
        if !program.after_events.is_empty() || ops().any(|op| matches!(op, Op::Now | Op::Elapsed(_))) {
            return Err("it has events besides spikes");
        }
        if ops().any(|op| matches!(op, Op::Random(..) | Op::NormalBetween { .. })) {
            return Err("its equations draw random numbers");
        }
        if ops().any(|op| matches!(op, Op::Clock(_) | Op::Lookup { .. })) || program.columns.is_some() {
            return Err("its equations depend on the time");
        }
        if of.winners.is_some() || program.score.is_some() {
            return Err("only winners fire");
        }
        let is_summed = |sampled: &SampleSource| matches!(sampled, SampleSource::Sum { population: of, .. } if *of == population);
        if plan.sampling.columns.iter().any(is_summed) {
            return Err("a sum over its neurons is recorded");
        }
        let is_drawn = |edges: &EdgePlan| matches!(edges, EdgePlan::Procedural(_));
        if plan.projections.iter().any(|projection| projection.post == population && is_drawn(&projection.edges)) {
            return Err("its synapses are drawn at each spike");
        }
        let stored = (0..program.variables.len()).filter(|array| program.codes().any(|code| code.stores_to(*array)));
        Ok(SleepRule { stored: stored.collect(), bounds: bounds(program) })
    }

    /// After more steps than these since its last spike, a neuron does what it does after any more.
    pub(super) fn steps_after_spike(&self, constants: &[f32]) -> i32 {
        let Some(bounds) = &self.bounds else { return LONG_AGO };
        let bound = |bound: &Bound| match *bound {
            Bound::Number(number) => number,
            Bound::Constant(index, added) => constants[index] - added,
        };
        // A step fires, and the next one resets.
        let most = bounds.iter().map(bound).fold(2.0, |most: f32, bound| if bound <= most { most } else { bound });
        // A bound that is no number is beyond any.
        if most < LONG_AGO as f32 { most.ceil() as i32 } else { LONG_AGO }
    }
}

/// With what the codes compare the steps since the last spike.
fn bounds(program: &Program) -> Option<Vec<Bound>> {
    program.codes().map(bounds_of_code).collect::<Option<Vec<Vec<Bound>>>>().map(|of_codes| of_codes.concat())
}

fn bounds_of_code(code: &Code) -> Option<Vec<Bound>> {
    // What was added to the steps; `None` for other values.
    let mut added: Vec<Option<f32>> = Vec::with_capacity(code.ops.len());
    let mut bounds = Vec::new();
    for op in &code.ops {
        let number = |at: usize| if let Op::Literal(literal) = code.ops[at] { Some(literal.single) } else { None };
        added.push(match *op {
            Op::SinceSpike => Some(0.0),
            Op::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), x, y) if added[x].is_some() && added[y].is_none() => {
                let more = number(y)?;
                added[x].map(|added| if op == BinaryOp::Add { added + more } else { added - more })
            }
            Op::Binary(op, x, y) if op.is_comparison() && added[x].is_some() != added[y].is_some() => {
                let (since, other) = if added[x].is_some() { (added[x]?, y) } else { (added[y]?, x) };
                bounds.push(match code.ops[other] {
                    Op::Literal(literal) => Bound::Number(literal.single - since),
                    Op::Constant(index) => Bound::Constant(index, since),
                    _ => return None,
                });
                None
            }
            ref op if op.operands().any(|operand| added[operand].is_some()) => return None,
            _ => None,
        });
    }
    let is_used = |at: usize| added.get(at).is_some_and(Option::is_some);
    let stays = code.stores.iter().any(|(_, value)| is_used(*value)) || code.condition.is_some_and(is_used);
    (!stays).then_some(bounds)
}
