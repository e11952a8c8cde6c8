//! The squid axon of Hodgkin and Huxley 1952, exponential Euler, rates through exprel.

use spikelet::{Plan, Spike};
use spikelet_kernel::math::{exp, exprel, flush};
use spikelet_kernel::simd::Level;

use crate::Hand;

/// Axons under currents from rest to fast trains. The model is the conformance case `hh_squid_a`.
pub(crate) fn network(size: u32) -> String {
    let equations = "dv/dt = (I*int(t > 5.005*ms) - gna*m**3*h*(v - ENa) - gk*n**4*(v - EK) - gl*(v - El))/C : volt
dm/dt = am*(1 - m) - bm*m : 1
dh/dt = ah*(1 - h) - bh*h : 1
dn/dt = an*(1 - n) - bn*n : 1
am = 1/exprel(-(v/mV + 40)/10)/ms : Hz
bm = 4*exp(-(v/mV + 65)/18)/ms : Hz
ah = 0.07*exp(-(v/mV + 65)/20)/ms : Hz
bh = 1/(1 + exp(-(v/mV + 35)/10))/ms : Hz
an = 0.1/exprel(-(v/mV + 55)/10)/ms : Hz
bn = 0.125*exp(-(v/mV + 65)/80)/ms : Hz
I : amp/meter**2 (constant)";
    format!(
        r#"{{"name": "squid", "dt_ms": 0.01, "duration_ms": 60, "populations": [{{"name": "n", "size": {size},
        "equations": {equations:?}, "method": "exponential_euler", "threshold": "v > 0*mV", "refractory": "v > -20*mV",
        "parameters": {{"C": "1*uF/cm**2", "gna": "120*msiemens/cm**2", "gk": "36*msiemens/cm**2", "gl": "0.3*msiemens/cm**2",
            "ENa": "50*mV", "EK": "-77*mV", "El": "-54.387*mV", "I": {{"expr": "20*rand()*uA/cm**2"}}}},
        "initial": {{"v": {{"expr": "(-65 + 10*rand())*mV"}}, "m": 0.0529, "h": 0.5961, "n": 0.3177}}}}]}}"#
    )
}

pub(crate) struct Squid {
    v: Vec<f32>,
    m: Vec<f32>,
    h: Vec<f32>,
    n: Vec<f32>,
    current: Vec<f32>,
    /// 1 while refractory.
    refractory: Vec<f32>,
    last_spike: Vec<i32>,
    parameters: Parameters,
}

/// Values of the text above, in the simulator's units.
#[derive(Clone, Copy)]
struct Parameters {
    dt: f32,
    gna: f32,
    gk: f32,
    gl: f32,
    per_capacitance: f32,
    ena: f32,
    ek: f32,
    el: f32,
}

impl Squid {
    pub(crate) fn boxed(plan: &Plan) -> Box<dyn Hand> {
        let of = &plan.populations[0];
        let size = of.size as usize;
        let variable = |array| (0..size).map(|neuron| of.initial(array, neuron)).collect();
        let [dt, gna, gk, gl, per_capacitance, ena, ek, el] = of.constants[..] else {
            panic!("{} constants, 8 were expected", of.constants.len())
        };
        Box::new(Squid {
            v: variable(0),
            m: variable(1),
            h: variable(2),
            n: variable(3),
            current: variable(4),
            refractory: vec![0.0; size],
            last_spike: vec![i32::MIN / 2; size],
            parameters: Parameters { dt, gna, gk, gl, per_capacitance, ena, ek, el },
        })
    }
}

impl Hand for Squid {
    fn fill(&mut self, _: usize, _: &[i32]) {}

    fn step(&mut self, step: u32, spikes: &mut Vec<Spike>) {
        let Squid { v, m, h, n, current, refractory, last_spike, parameters } = self;
        // The current flows from 5.005 ms on.
        let on = if f64::from(step) * 0.01 > 5.005 { 1.0 } else { 0.0 };
        let any = Level::best().run(
            #[inline(always)]
            || advance(step as i32, on, *parameters, v, m, h, n, current, refractory, last_spike),
        );
        if any {
            crate::collect(step, last_spike, spikes);
        }
    }

    fn arrays(&self) -> Vec<Vec<u32>> {
        let words = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect();
        let last_spike = self.last_spike.iter().map(|step| *step as u32).collect();
        vec![
            words(&self.v),
            words(&self.m),
            words(&self.h),
            words(&self.n),
            words(&self.current),
            words(&self.refractory),
            last_spike,
        ]
    }
}

/// The step of all neurons; whether any fired. The slices are arguments so that the compiler knows that they do not overlap, and
/// vectorises the loop.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "an array each")]
fn advance(
    now: i32,
    on: f32,
    Parameters { dt, gna, gk, gl, per_capacitance, ena, ek, el }: Parameters,
    v: &mut [f32],
    m: &mut [f32],
    h: &mut [f32],
    n: &mut [f32],
    current: &[f32],
    refractory: &mut [f32],
    last_spike: &mut [i32],
) -> bool {
    let size = v.len();
    let (m, h, n, current) = (&mut m[..size], &mut h[..size], &mut n[..size], &current[..size]);
    let (refractory, last_spike) = (&mut refractory[..size], &mut last_spike[..size]);
    let mut any = false;
    for k in 0..size {
        let (v0, m0, h0, n0, last) = (v[k], m[k], h[k], n[k], last_spike[k]);
        let rests = ((refractory[k] != 0.0) | (last == now - 1)) & (v0 > -20.0);
        let sodium = gna * (m0 * (m0 * m0)) * h0;
        let squared = n0 * n0;
        let potassium = gk * (squared * squared);
        let slope = (current[k] * on - sodium * (v0 - ena) - potassium * (v0 - ek) - gl * (v0 - el)) * per_capacitance;
        let reach = dt * exprel((-sodium - potassium - gl) * per_capacitance * dt);
        let new = flush(v0 + reach * slope);
        let raised = -(v0 + 65.0);
        let am = 1.0 / exprel(-(v0 + 40.0) * 0.1);
        let bm = 4.0 * exp(raised * (1.0 / 18.0));
        let ah = 0.07 * exp(raised * 0.05);
        let bh = 1.0 / (1.0 + exp(-(v0 + 35.0) * 0.1));
        let an = 0.1 / exprel(-(v0 + 55.0) * 0.1);
        let bn = 0.125 * exp(raised * 0.0125);
        v[k] = new;
        m[k] = moved(dt, m0, am, bm);
        h[k] = moved(dt, h0, ah, bh);
        n[k] = moved(dt, n0, an, bn);
        refractory[k] = if rests { 1.0 } else { 0.0 };
        let fires = (new > 0.0) & !rests;
        last_spike[k] = if fires { now } else { last };
        any |= fires;
    }
    any
}

/// A gate moves by exponential Euler: x + dt·exprel(−(α + β)·dt)·(α·(1 − x) − β·x).
#[inline(always)]
fn moved(dt: f32, x: f32, alpha: f32, beta: f32) -> f32 {
    flush(x + dt * exprel((-alpha - beta) * dt) * (alpha * (1.0 - x) - beta * x))
}
