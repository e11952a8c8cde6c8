//! The library's `lif_exp`: exact integration, two ports.

use spikelet::lang::program::{ConstantRule, MatrixEntry};
use spikelet::{Plan, Spike, ring};
use spikelet_kernel::math::flush;
use spikelet_kernel::simd::Level;

use crate::{Hand, STEPS};

/// Neurons that fire at 19 Hz by themselves, and two ports whose synapses have no effect. The shortest delay makes an epoch one step.
pub(crate) fn network(size: u32) -> String {
    format!(
        r#"{{"name": "lif", "dt_ms": 0.1, "duration_ms": 1000,
        "populations": [{{"name": "n", "size": {size}, "model": "lif_exp", "initial": {{"v": {{"expr": "Vr + rand()*(Vt - Vr)"}}}}}}],
        "projections": [
            {{"pre": "n", "post": "n", "pairs": [[0, 0]], "on_pre": "ge_post += 0*mV", "delay_ms": 0}},
            {{"pre": "n", "post": "n", "pairs": [[0, 0]], "on_pre": "gi_post += 0*mV", "delay_ms": 1.5}}]}}"#
    )
}

pub(crate) struct Lif {
    v: Vec<f32>,
    ge: Vec<f32>,
    gi: Vec<f32>,
    last_spike: Vec<i32>,
    ring: [Vec<i32>; 2],
    units: [f32; 2],
    /// Of v: from v, ge, gi and 1.
    propagator: [f32; 4],
    /// Of ge, gi.
    decay: [f32; 2],
}

const THRESHOLD: f32 = -50.0;
const RESET: f32 = -60.0;
const REFRACTORY: i32 = 50;

impl Lif {
    pub(crate) fn boxed(plan: &Plan) -> Box<dyn Hand> {
        let of = &plan.populations[0];
        let size = of.size as usize;
        let propagator = |row, column| {
            let rule = ConstantRule::Propagator(MatrixEntry { system: 0, row, column });
            of.constants
                [of.program.rules.constants.iter().position(|other| *other == rule).expect("the propagator has this entry")]
        };
        let variable = |array| (0..size).map(|neuron| of.initial(array, neuron)).collect();
        Box::new(Lif {
            v: variable(0),
            ge: variable(1),
            gi: variable(2),
            last_spike: vec![i32::MIN / 2; size],
            ring: [vec![0; size * STEPS as usize], vec![0; size * STEPS as usize]],
            units: [of.ports[0].units()[0], of.ports[1].units()[0]],
            propagator: [0, 1, 2, 3].map(|column| propagator(0, column)),
            decay: [propagator(1, 1), propagator(2, 2)],
        })
    }
}

impl Hand for Lif {
    fn fill(&mut self, port: usize, ring: &[i32]) {
        self.ring[port].copy_from_slice(ring);
    }

    fn step(&mut self, step: u32, spikes: &mut Vec<Spike>) {
        let size = self.v.len();
        let slot = step as usize % STEPS as usize * size;
        let [excitation, inhibition] = &mut self.ring;
        let (excitation, inhibition) = (&mut excitation[slot..][..size], &mut inhibition[slot..][..size]);
        let parameters = (self.propagator, self.decay, self.units);
        let (v, ge, gi, last_spike) = (&mut self.v, &mut self.ge, &mut self.gi, &mut self.last_spike);
        let any = Level::best().run(
            #[inline(always)]
            || advance(step as i32, parameters, v, ge, gi, last_spike, excitation, inhibition),
        );
        if any {
            crate::collect(step, &self.last_spike, spikes);
        }
    }

    fn arrays(&self) -> Vec<Vec<u32>> {
        let words = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect();
        let last_spike = self.last_spike.iter().map(|step| *step as u32).collect();
        vec![words(&self.v), words(&self.ge), words(&self.gi), last_spike]
    }
}

/// The step of all neurons; whether any fired. The slices are arguments so that the compiler knows that they do not overlap, and
/// vectorises the loop.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "one for each array")]
fn advance(
    now: i32,
    ([pv, pe, pi, p1], [de, di], [ue, ui]): ([f32; 4], [f32; 2], [f32; 2]),
    v: &mut [f32],
    ge: &mut [f32],
    gi: &mut [f32],
    last_spike: &mut [i32],
    excitation: &mut [i32],
    inhibition: &mut [i32],
) -> bool {
    let size = v.len();
    let (ge, gi, last_spike) = (&mut ge[..size], &mut gi[..size], &mut last_spike[..size]);
    let (excitation, inhibition) = (&mut excitation[..size], &mut inhibition[..size]);
    let mut any = false;
    for k in 0..size {
        // Everything is read and computed first, then chosen: branches would keep the loop scalar.
        let (before, last) = (v[k], last_spike[k]);
        let excited = ge[k] + ring::value(excitation[k], ue);
        let inhibited = gi[k] + ring::value(inhibition[k], ui);
        excitation[k] = 0;
        inhibition[k] = 0;
        let old = if last == now - 1 { RESET } else { before };
        let refractory = now - last < REFRACTORY;
        let free = pv * old + pe * excited + pi * inhibited + p1;
        let new = flush(if refractory { old } else { free });
        let fires = (new > THRESHOLD) & !refractory;
        v[k] = new;
        ge[k] = flush(de * excited);
        gi[k] = flush(di * inhibited);
        last_spike[k] = if fires { now } else { last };
        any |= fires;
    }
    any
}
