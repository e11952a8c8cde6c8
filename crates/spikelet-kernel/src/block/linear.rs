//! Models whose step is a sum with constant coefficients: leaky integrate-and-fire neurons with decaying synaptic input, the most frequent
//! models. Input, step and threshold are one loop over a block, which reads and writes each array once.

use spikelet_lang::Program;
use spikelet_lang::ir::{Code, Op, Ref};
use spikelet_lang::syntax::BinaryOp;

use super::fuse::Node;
use super::fused::{Fused, FusedMask, Operation};
use super::loops::CHUNK;
use super::prepare::ValueLocation;
use super::{Block, LANES, Lanes, arrived, fuse};
use crate::math::flush;

/// Maximum number of variables besides v for the loops below.
const DECAYING: usize = 3;

/// A cell that leaks: v' = a v + Σ bᵢ gᵢ + c, except where refractory; gᵢ' = dᵢ gᵢ; it fires where v' > θ, except where refractory.
#[derive(Debug, Clone)]
pub(super) struct Linear {
    v: usize,
    /// The gᵢ.
    decaying: Vec<usize>,
    /// What arrives: a port for each of the gᵢ, or one for v where there are none; or nothing, where it was taken before.
    ports: Vec<usize>,
    /// Where a, c, θ, the length of refractoriness, the bᵢ and the dᵢ are.
    factor: ValueLocation,
    constant: Option<ValueLocation>,
    threshold: ValueLocation,
    /// v' ≥ θ is enough.
    or_equal: bool,
    refractory: Option<(ValueLocation, i32)>,
    gains: Vec<ValueLocation>,
    decays: Vec<ValueLocation>,
}

impl Linear {
    /// The loop for a program, if it is of this kind, and what is left of its `take`.
    pub(super) fn new(program: &Program) -> Option<(Linear, Code)> {
        let Program { deliver_input: take, reset, sample_and_hold: hold, update, .. } = program;
        let direct = vec![true; program.variables.len()];
        let nodes = fuse::fuse(update, &direct).ok()?;
        if !hold.stores.is_empty() {
            return None;
        }
        let mut linear = Linear::of_update(update, &nodes)?;
        // What arrives elsewhere, or is reset, is taken before: a reset comes between.
        let decaying = linear.decaying.iter().map(|array| arrival(take, *array));
        let own = linear.decaying.is_empty().then(|| arrival(take, linear.v));
        let ports: Option<Vec<(usize, usize)>> = decaying.chain(own).collect();
        let ports = ports.filter(|ports| !ports.iter().any(|(array, _)| reset.touches(*array))).unwrap_or_default();
        let mut rest = take.clone();
        rest.stores.retain(|(array, _)| !ports.iter().any(|(taken, _)| taken == array));
        // Nothing else may look at what has not arrived yet.
        if ports.iter().any(|(array, _)| rest.stores.iter().any(|(_, value)| reads(take, *value, *array))) {
            return None;
        }
        linear.ports = ports.into_iter().map(|(_, port)| port).collect();
        Some((linear, rest))
    }

    /// From the instructions of an update.
    fn of_update(update: &Code, nodes: &[Node]) -> Option<Linear> {
        let variable_of = |value: Ref| match update.ops[value] {
            Op::Load(array) => Some(array),
            _ => None,
        };
        let condition = update.condition?;
        let mut test = None;
        let mut rows = Vec::new();
        for node in nodes {
            match (&node.work, node.variable) {
                (Operation::Fused(Fused::Row { factor, terms, constant, hold }), Some(array)) => {
                    rows.push((node.value, array, *factor, terms, *constant, *hold));
                }
                (Operation::Fused(Fused::Unless { test: of, operands, hold }), None) if node.value == condition => {
                    test = Some((*of, *operands, *hold));
                }
                (Operation::Plain(Op::Binary(of, x, y)), None) if node.value == condition => {
                    test = Some((*of, [*x, *y], FusedMask::Never));
                }
                _ => return None,
            }
        }
        let (test, [tested, threshold], unless) = test?;
        let at = rows.iter().position(|(value, ..)| *value == tested)?;
        let (_, v, factor, terms, constant, hold) = rows.remove(at);
        let mut decaying = Vec::new();
        for (_, array, decay, terms, constant, hold) in rows {
            if !terms.is_empty() || constant.is_some() || hold != FusedMask::Never {
                return None;
            }
            decaying.push((array, decay));
        }
        // In the order of the terms, which is that of the additions.
        let in_order: Option<Vec<(usize, Ref, Ref)>> = terms
            .iter()
            .map(|[gain, x]| {
                let array = variable_of(*x)?;
                let (_, decay) = decaying.iter().find(|(other, _)| *other == array)?;
                Some((array, *gain, *decay))
            })
            .collect();
        let in_order = in_order.filter(|terms| terms.len() == decaying.len() && terms.len() <= DECAYING)?;
        let refractory = match (hold, unless) {
            (FusedMask::Never, FusedMask::Never) => None,
            (FusedMask::Since { steps, ago }, FusedMask::Since { .. }) if hold == unless => Some((steps, ago)),
            _ => return None,
        };
        // Numbers that change with time would have to be looked up in every step.
        let constant_place = |value: Ref| match update.ops[value] {
            Op::Literal(value) => Some(ValueLocation::Literal(value.single)),
            Op::Constant(index) => Some(ValueLocation::Constant(index)),
            _ => None,
        };
        let or_equal = match test {
            BinaryOp::Greater => false,
            BinaryOp::GreaterEqual => true,
            _ => return None,
        };
        Some(Linear {
            v,
            decaying: in_order.iter().map(|(array, ..)| *array).collect(),
            ports: Vec::new(),
            factor: constant_place(factor)?,
            constant: match constant {
                Some(constant) => Some(constant_place(constant)?),
                None => None,
            },
            threshold: constant_place(threshold)?,
            or_equal,
            refractory: match refractory {
                Some((steps, ago)) => Some((constant_place(steps)?, ago)),
                None => None,
            },
            gains: in_order.iter().map(|(_, gain, _)| constant_place(*gain)).collect::<Option<_>>()?,
            decays: in_order.iter().map(|(.., decay)| constant_place(*decay)).collect::<Option<_>>()?,
        })
    }
}

/// The array and the port, where all that is taken into an array is what arrives at a port.
fn arrival(take: &Code, array: usize) -> Option<(usize, usize)> {
    let (_, value) = take.stores.iter().find(|(stored, _)| *stored == array)?;
    let Op::Binary(BinaryOp::Add, x, y) = take.ops[*value] else { return None };
    match [take.ops[x], take.ops[y]] {
        [Op::Load(own), Op::Port(port)] | [Op::Port(port), Op::Load(own)] if own == array => Some((array, port)),
        _ => None,
    }
}

/// Whether a value comes from what an array held.
fn reads(code: &Code, value: Ref, array: usize) -> bool {
    code.ops[value] == Op::Load(array) || code.ops[value].operands().any(|operand| reads(code, operand, array))
}

/// The numbers of a [`Linear`] cell.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Coefficients {
    factor: f32,
    gains: [f32; DECAYING],
    decays: [f32; DECAYING],
    constant: f32,
    threshold: f32,
    /// In step 0, spikes after this step keep v where it is; the smallest and the largest i32 stand for all and none, in any step.
    since: i32,
}

/// What a step of a block needs beside its state and its inputs.
pub(super) struct Step<'a> {
    pub(super) coefficients: &'a Coefficients,
    /// How many lanes hold neurons.
    pub(super) count: usize,
    /// What has arrived.
    pub(super) sums: &'a mut [i32],
    /// The lanes that fire, in their order.
    pub(super) firing: &'a mut Vec<u32>,
}

impl Coefficients {
    fn since(&self, step: u32) -> i32 {
        match self.since {
            i32::MIN | i32::MAX => self.since,
            since => since.wrapping_add(step as i32),
        }
    }
}

impl Linear {
    /// The ports that it takes from, each of which must have one sum for a neuron.
    pub(super) fn ports(&self) -> &[usize] {
        &self.ports
    }

    /// Adds the input, sets it to zero, and computes a step.
    #[inline(always)]
    pub(super) fn run(&self, block: &mut Block<'_>, with: Step<'_>) {
        match (self.decaying.as_slice(), self.ports.as_slice()) {
            (&[], &[]) => self.over::<0, 1, 0>([self.v], [], block, with),
            (&[], &[p]) => self.over::<0, 1, 1>([self.v], [p], block, with),
            (&[a], &[]) => self.over::<1, 2, 0>([self.v, a], [], block, with),
            (&[a], &[p]) => self.over::<1, 2, 1>([self.v, a], [p], block, with),
            (&[a, b], &[]) => self.over::<2, 3, 0>([self.v, a, b], [], block, with),
            (&[a, b], &[p, q]) => self.over::<2, 3, 2>([self.v, a, b], [p, q], block, with),
            (&[a, b, c], &[]) => self.over::<3, 4, 0>([self.v, a, b, c], [], block, with),
            (&[a, b, c], &[p, q, r]) => self.over::<3, 4, 3>([self.v, a, b, c], [p, q, r], block, with),
            _ => unreachable!("each variable has a port, or none has"),
        }
    }

    #[inline(always)]
    fn over<const N: usize, const ARRAYS: usize, const PORTS: usize>(
        &self,
        arrays: [usize; ARRAYS],
        ports: [usize; PORTS],
        Block { variables, inputs }: &mut Block<'_>,
        Step { coefficients, count, sums, firing }: Step<'_>,
    ) {
        let arrays = variables.get_disjoint_mut(arrays).expect("the arrays of a model are different ones");
        let ranges = ports.map(|port| inputs.arrivals.starts[port].0..inputs.arrivals.starts[port].0 + LANES);
        let sums = sums.get_disjoint_mut(ranges).expect("the lanes of ports are different ones");
        let sums = sums.map(|sums| sums.first_chunk_mut::<LANES>().expect("a port has a lane for each neuron of a block"));
        let units = ports.map(|port| inputs.arrivals.units[port][0]);
        let now = Coefficients { since: coefficients.since(inputs.step), ..*coefficients };
        leak::<N, ARRAYS, PORTS>(arrays, sums, units, inputs.last_spike, &now, count, firing);
    }

    /// Its numbers, given the constants of the population.
    pub(super) fn coefficients(&self, constants: &[f32]) -> Coefficients {
        let scalar = |place: ValueLocation| match place {
            ValueLocation::Literal(value) => value,
            ValueLocation::Constant(index) => constants[index],
            _ => unreachable!("coefficients are the same for all lanes and steps"),
        };
        let of_each = |places: &[ValueLocation]| std::array::from_fn(|k| places.get(k).map_or(0.0, |place| scalar(*place)));
        let threshold = scalar(self.threshold);
        let since = |(steps, ago)| super::fused::since(scalar(steps), ago, 0);
        Coefficients {
            factor: scalar(self.factor),
            gains: of_each(&self.gains),
            decays: of_each(&self.decays),
            // Adding nothing changes −0 at most, which is flushed.
            constant: self.constant.map_or(0.0, scalar),
            threshold: if self.or_equal { threshold.next_down() } else { threshold },
            since: self.refractory.map_or(i32::MAX, since),
        }
    }
}

#[inline(always)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "behind one more reference the compiler no longer sees that arrays do not overlap"
)]
fn leak<const N: usize, const ARRAYS: usize, const PORTS: usize>(
    arrays: [&mut Lanes; ARRAYS],
    sums: [&mut [i32; LANES]; PORTS],
    units: [f32; PORTS],
    last_spike: &[i32; LANES],
    with: &Coefficients,
    count: usize,
    firing: &mut Vec<u32>,
) {
    let Coefficients { factor, gains, decays, constant, threshold, since } = *with;
    for first in (0..count.min(LANES)).step_by(CHUNK) {
        let mut any = false;
        for lane in first..first + CHUNK {
            let mut x: [f32; ARRAYS] = std::array::from_fn(
                #[inline(always)]
                |k| arrays[k][lane],
            );
            for port in 0..PORTS {
                // Where v stands alone it is v that the port adds to.
                let to = if N == 0 { 0 } else { port + 1 };
                x[to] += arrived(sums[port][lane], units[port]);
                sums[port][lane] = 0;
            }
            let mut v = factor * x[0];
            for k in 0..N {
                v += gains[k] * x[k + 1];
                arrays[k + 1][lane] = flush(decays[k] * x[k + 1]);
            }
            v += constant;
            let is_held = last_spike[lane] > since;
            let v = flush(if is_held { x[0] } else { v });
            arrays[0][lane] = v;
            any |= (v > threshold) & !is_held;
        }
        // Usually none fires; otherwise the lanes are tested again.
        if any {
            let lanes = first..(first + CHUNK).min(count);
            firing.extend(
                lanes.filter(|lane| (arrays[0][*lane] > threshold) & (last_spike[*lane] <= since)).map(|lane| lane as u32),
            );
        }
    }
}
