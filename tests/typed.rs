//! Models that are in no file: whoever types them sees them spike, on every device the same.

use std::time::Instant;

use serde_json::json;
use spikelet::Network;
use spikelet_tests::{devices, run};

/// Name, equations, threshold, reset, refractory and method, and what starts elsewhere than at 0.
type Typed = (
    &'static str,
    &'static str,
    &'static str,
    Option<&'static str>,
    Option<&'static str>,
    &'static [(&'static str, &'static str)],
);

const TYPED: [Typed; 6] = [
    (
        // After Pinsky & Rinzel 1994, reduced: spikes in the soma charge a dendrite with a slow calcium current, which drives a burst.
        "bursting cell of two compartments",
        "dvs/dt = (I - gl*(vs - El) - gc*(vs - vd) - gna*m**2*h*(vs - 60*mV) - gk*n*(vs + 75*mV))/C : volt
dvd/dt = (-gl*(vd - El) - gc*(vd - vs) - gca*s**2*(vd - 80*mV) - gahp*q*(vd + 75*mV))/C : volt
m = 1/(1 + exp(-(vs + 38*mV)/(7*mV))) : 1
dh/dt = (1/(1 + exp((vs + 45*mV)/(6*mV))) - h)/(1*ms) : 1
dn/dt = (1/(1 + exp(-(vs + 30*mV)/(8*mV))) - n)/(1.5*ms) : 1
ds/dt = (1/(1 + exp(-(vd + 25*mV)/(5*mV))) - s)/(5*ms) : 1
dq/dt = (1/(1 + exp(-(vd + 20*mV)/(4*mV))) - q)/(80*ms) : 1
gl = 3*nS : siemens
gc = 12*nS : siemens
gna = 900*nS : siemens
gk = 350*nS : siemens
gca = 40*nS : siemens
gahp = 60*nS : siemens
El = -65*mV : volt
C = 100*pF : farad
I = 400*pA*int(t > 5*ms) : amp",
        "vs > -10*mV",
        None,
        Some("vs > -20*mV"),
        &[("vs", "-65 mV"), ("vd", "-65 mV"), ("h", "0.95")],
    ),
    (
        // Izhikevich 2001, Neural Networks 14:883, with a drive at its resonance.
        "resonate-and-fire cell",
        "dx/dt = b*x - w*y + 0.09/ms*sin(w*t) : 1
dy/dt = w*x + b*y : 1
b = -0.01/ms : Hz
w = 0.25/ms : Hz",
        "y > 1",
        Some("x = 0\ny = 1 - 1e-3"),
        Some("y > 0"),
        &[],
    ),
    (
        // Butera, Rinzel & Smith 1999, J Neurophysiol 82:382, model 1.
        "cell with a persistent sodium current",
        "dv/dt = -(gnap*mp*hp*(v - Ena) + gna*m**3*(1 - n)*(v - Ena) + gk*n**4*(v + 85*mV) + gl*(v - El))/C : volt
dn/dt = (1/(1 + exp((v + 29*mV)/(-4*mV))) - n)*cosh((v + 29*mV)/(-8*mV))/(10*ms) : 1
dhp/dt = (1/(1 + exp((v + 48*mV)/(6*mV))) - hp)*cosh((v + 48*mV)/(12*mV))/(10*second) : 1
m = 1/(1 + exp((v + 34*mV)/(-5*mV))) : 1
mp = 1/(1 + exp((v + 40*mV)/(-6*mV))) : 1
gnap = 2.8*nS : siemens
gna = 28*nS : siemens
gk = 11.2*nS : siemens
gl = 2.8*nS : siemens
Ena = 50*mV : volt
El = -57*mV : volt
C = 21*pF : farad",
        "v > -10*mV",
        None,
        Some("v > -20*mV"),
        &[("v", "-50 mV"), ("hp", "0.6")],
    ),
    (
        // Ermentrout & Kopell 1986, SIAM J Appl Math 46:233: a cell on a circle, here with noise.
        "theta neuron",
        "dtheta/dt = (1 - cos(theta) + (1 + cos(theta))*0.1)/ms + 0.1*sqrt(1/ms)*xi : 1",
        "theta > pi",
        Some("theta -= 2*pi"),
        None,
        &[],
    ),
    (
        // An integrate-and-fire cell that pays for its spikes with a store of energy, and a threshold that hears of both.
        "hungry cell",
        "dv/dt = (R*I*sigmoid((E - 0.3)/0.1) - v)/(12*ms) : volt (unless refractory)
dE/dt = (1 - E)/(200*ms) : 1
dth/dt = (15*mV - th)/(30*ms) : volt
R = 100*Mohm : ohm
I = 0.25*nA : amp",
        "v > th and E > 0.1",
        Some("v = 0*mV\nE = clip(E - 0.15, 0, 1)\nth += 2*mV*(1 + tanh(1 - E))"),
        Some("1*ms + 2*ms*(1 - E)"),
        &[("E", "1"), ("th", "15 mV")],
    ),
    (
        // Fourcaud-Trocmé et al. 2003, J Neurosci 23:11628, with an adaptation that grows with the rate of the last second.
        "exponential cell that forgets slowly",
        "dv/dt = (-(v + 65*mV) + 3.5*mV*exp(clip((v + 60*mV)/(3.5*mV), -20, 6)) + 18*mV - 1.5*mV*log1p(k))/(10*ms) : volt
dk/dt = -k/(1*second) : 1",
        "v > -30*mV",
        Some("v = -68*mV\nk += exp(-(t - lastspike)/(100*ms))"),
        Some("1.7*ms"),
        &[("v", "-65 mV")],
    ),
];

#[test]
fn typed_models_spike_on_every_device() {
    for (name, equations, threshold, reset, refractory, initial) in TYPED {
        let mut population = json!({"name": "typed", "size": 100, "equations": equations, "threshold": threshold});
        for (key, text) in [("reset", reset), ("refractory", refractory)] {
            population[key] = text.map_or(serde_json::Value::Null, Into::into);
        }
        population["initial"] = initial.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        let network = json!({"name": name, "dt_ms": 0.05, "duration_ms": 300, "populations": [population]});
        let text = network.to_string();
        let mut reference = None;
        for (device, backend) in devices() {
            let started = Instant::now();
            let network = Network::from_json(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let run = run(&network, backend, 300.0, 1000).unwrap_or_else(|error| panic!("{name} on {device}: {error}"));
            println!("{name}, {device}: {} spikes, {} ms", run.spikes.len(), started.elapsed().as_millis());
            assert!(run.spikes.len() >= 200, "{name} on {device}: {} spikes of 100 neurons", run.spikes.len());
            let first = reference.get_or_insert_with(|| run.spikes.clone());
            assert_eq!(*first, run.spikes, "{name} on {device}");
        }
    }
}
