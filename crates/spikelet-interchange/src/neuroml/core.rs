//! The core types of NeuroML 2 as equations, after the definitions of Cannon et al. 2014, Front. Neuroinform. 8:79, version 2.3.
//!
//! `{t_ref}` and the like are parameters of the component. A cell reads the sum of its currents as `iSyn` or, if it has none in amperes, `ISyn`.

/// A cell.
#[derive(Debug)]
pub(super) struct CellType {
    pub(super) name: &'static str,
    /// Its parameters, in the units that its equations expect.
    pub(super) parameters: &'static [&'static str],
    pub(super) equations: &'static str,
    pub(super) threshold: Option<&'static str>,
    pub(super) reset: &'static str,
    /// The parameter with its refractory time, and the unit of its number if it is one.
    pub(super) refractory: Option<(&'static str, &'static str)>,
    /// Values of its variables at the start.
    pub(super) initial: &'static [(&'static str, &'static str)],
    /// The variable with the sum of its currents, and its unit.
    pub(super) current: Option<(&'static str, &'static str)>,
}

const SYNAPTIC: Option<(&str, &str)> = Some(("iSyn", "amp"));
const PURE: Option<(&str, &str)> = Some(("ISyn", "1"));

/// What the cells of PyNN have in common.
const IF_CURR: &[&str] =
    &["cm", "i_offset", "tau_syn_E", "tau_syn_I", "v_init", "tau_m", "tau_refrac", "v_reset", "v_rest", "v_thresh"];
const IF_COND: &[&str] = &[
    "cm",
    "i_offset",
    "tau_syn_E",
    "tau_syn_I",
    "v_init",
    "tau_m",
    "tau_refrac",
    "v_reset",
    "v_rest",
    "v_thresh",
    "e_rev_E",
    "e_rev_I",
];
const EIF_COND: &[&str] = &[
    "cm",
    "i_offset",
    "tau_syn_E",
    "tau_syn_I",
    "v_init",
    "tau_m",
    "tau_refrac",
    "v_reset",
    "v_rest",
    "v_thresh",
    "e_rev_E",
    "e_rev_I",
    "v_spike",
    "delta_T",
    "tau_w",
    "a",
    "b",
];
const HH_COND: &[&str] = &[
    "cm",
    "i_offset",
    "tau_syn_E",
    "tau_syn_I",
    "v_init",
    "v_offset",
    "e_rev_E",
    "e_rev_I",
    "e_rev_K",
    "e_rev_Na",
    "e_rev_leak",
    "g_leak",
    "gbar_K",
    "gbar_Na",
];
const IF_EQUATIONS: &str = "dv/dt = (v_rest*mV - v)/(tau_m*ms) + (i_offset*nA + iSyn)/(cm*nF) : volt (unless refractory)";
// Without a slope there is no exponential current, and v_thresh is the threshold.
const EIF_EQUATIONS: &str = "upswing = delta_T*mV*exp(min((v/mV - v_thresh)/max(delta_T, 1e-9), 50)) : volt
dv/dt = (v_rest*mV - v + upswing)/(tau_m*ms) + (i_offset*nA + iSyn - w)/(cm*nF) : volt (unless refractory)
dw/dt = (a*uS*(v - v_rest*mV) - w)/(tau_w*ms) : amp";

const fn pynn(name: &'static str, parameters: &'static [&'static str]) -> CellType {
    CellType {
        name,
        parameters,
        equations: IF_EQUATIONS,
        threshold: Some("v > v_thresh*mV"),
        reset: "v = v_reset*mV",
        refractory: Some(("tau_refrac", "ms")),
        initial: &[("v", "v_init*mV")],
        current: SYNAPTIC,
    }
}

const fn adaptive(name: &'static str) -> CellType {
    CellType {
        equations: EIF_EQUATIONS,
        threshold: Some("v/mV > v_spike*int(delta_T > 0) + v_thresh*int(delta_T <= 0)"),
        reset: "v = v_reset*mV; w += b*nA",
        ..pynn(name, EIF_COND)
    }
}

/// The cells.
pub(super) const CELLS: [CellType; 18] = [
    CellType {
        name: "iafTauCell",
        parameters: &["leakReversal", "thresh", "reset", "tau"],
        equations: "dv/dt = (leakReversal - v)/tau : volt",
        threshold: Some("v > thresh"),
        reset: "v = reset",
        refractory: None,
        initial: &[("v", "leakReversal")],
        current: None,
    },
    CellType {
        name: "iafTauRefCell",
        parameters: &["leakReversal", "thresh", "reset", "tau", "refract"],
        equations: "dv/dt = (leakReversal - v)/tau : volt (unless refractory)",
        threshold: Some("v > thresh"),
        reset: "v = reset",
        refractory: Some(("refract", "")),
        initial: &[("v", "leakReversal")],
        current: None,
    },
    CellType {
        name: "iafCell",
        parameters: &["leakReversal", "thresh", "reset", "C", "leakConductance"],
        equations: "dv/dt = (leakConductance*(leakReversal - v) + iSyn)/C : volt",
        threshold: Some("v > thresh"),
        reset: "v = reset",
        refractory: None,
        initial: &[("v", "leakReversal")],
        current: SYNAPTIC,
    },
    CellType {
        name: "iafRefCell",
        parameters: &["leakReversal", "thresh", "reset", "C", "leakConductance", "refract"],
        equations: "dv/dt = (leakConductance*(leakReversal - v) + iSyn)/C : volt (unless refractory)",
        threshold: Some("v > thresh"),
        reset: "v = reset",
        refractory: Some(("refract", "")),
        initial: &[("v", "leakReversal")],
        current: SYNAPTIC,
    },
    CellType {
        name: "izhikevichCell",
        parameters: &["v0", "a", "b", "c", "d", "thresh"],
        equations: "dv/dt = (0.04*(v/mV)**2 + 5*(v/mV) + 140 - U + ISyn)*mV/ms : volt\ndU/dt = a*(b*(v/mV) - U)/ms : 1",
        threshold: Some("v > thresh"),
        reset: "v = c*mV; U += d",
        refractory: None,
        initial: &[("v", "v0"), ("U", "b*(v0/mV)")],
        current: PURE,
    },
    CellType {
        name: "izhikevich2007Cell",
        parameters: &["v0", "C", "k", "vr", "vt", "vpeak", "a", "b", "c", "d"],
        equations: "dv/dt = (k*(v - vr)*(v - vt) + iSyn - u)/C : volt\ndu/dt = a*(b*(v - vr) - u) : amp",
        threshold: Some("v > vpeak"),
        reset: "v = c; u += d",
        refractory: None,
        initial: &[("v", "v0")],
        current: SYNAPTIC,
    },
    CellType {
        name: "adExIaFCell",
        parameters: &["C", "gL", "EL", "VT", "delT", "tauw", "refract", "a", "b", "reset", "thresh"],
        equations: "dv/dt = (-gL*(v - EL) + gL*delT*exp((v - VT)/delT) - w + iSyn)/C : volt (unless refractory)\n\
                    dw/dt = (a*(v - EL) - w)/tauw : amp",
        threshold: Some("v > thresh"),
        reset: "v = reset; w += b",
        refractory: Some(("refract", "")),
        initial: &[("v", "EL")],
        current: SYNAPTIC,
    },
    CellType {
        name: "fitzHughNagumoCell",
        parameters: &["I"],
        equations: "dV/dt = (V - V**3/3 - W + I + ISyn)/second : 1\ndW/dt = 0.08*(V + 0.7 - 0.8*W)/second : 1",
        threshold: None,
        reset: "",
        refractory: None,
        initial: &[],
        current: PURE,
    },
    pynn("IF_curr_alpha", IF_CURR),
    pynn("IF_curr_exp", IF_CURR),
    pynn("IF_cond_alpha", IF_COND),
    pynn("IF_cond_exp", IF_COND),
    adaptive("EIF_cond_exp_isfa_ista"),
    adaptive("EIF_cond_alpha_isfa_ista"),
    // Traub and Miles 1991 with the offset of PyNN.
    CellType {
        name: "HH_cond_exp",
        parameters: HH_COND,
        equations: "x = v/mV - v_offset : 1\n\
                    dm/dt = (4*0.32/exprel((13 - x)/4)*(1 - m) - 5*0.28/exprel((x - 40)/5)*m)/ms : 1\n\
                    dh/dt = (0.128*exp((17 - x)/18)*(1 - h) - 4/(1 + exp((40 - x)/5))*h)/ms : 1\n\
                    dn/dt = (5*0.032/exprel((15 - x)/5)*(1 - n) - 0.5*exp((10 - x)/40)*n)/ms : 1\n\
                    dv/dt = (g_leak*uS*(e_rev_leak*mV - v) + gbar_Na*uS*m**3*h*(e_rev_Na*mV - v) + gbar_K*uS*n**4*(e_rev_K*mV - v) \
                    + i_offset*nA + iSyn)/(cm*nF) : volt",
        threshold: None,
        reset: "",
        refractory: None,
        initial: &[("v", "v_init*mV")],
        current: SYNAPTIC,
    },
    // Sources of spikes whose intervals are not those of a Poisson process.
    CellType {
        name: "spikeGeneratorRefPoisson",
        parameters: &["averageRate", "minimumISI"],
        equations: "idle : 1",
        threshold: Some("rand() < dt/(1/averageRate - minimumISI)"),
        reset: "",
        refractory: Some(("minimumISI", "")),
        initial: &[],
        current: None,
    },
    CellType {
        name: "spikeGeneratorRandom",
        parameters: &["minISI", "maxISI"],
        equations: "next : second",
        threshold: Some("t >= next"),
        reset: "next = t + minISI + rand()*(maxISI - minISI)",
        refractory: None,
        initial: &[("next", "minISI + rand()*(maxISI - minISI)")],
        current: None,
    },
    CellType {
        name: "fitzHughNagumo1969Cell",
        parameters: &["a", "b", "I", "phi", "V0", "W0"],
        equations: "dV/dt = (V - V**3/3 - W + I)/second : 1\ndW/dt = phi*(V + a - b*W)/second : 1",
        threshold: None,
        reset: "",
        refractory: None,
        initial: &[("V", "V0"), ("W", "W0")],
        current: None,
    },
];

/// A synapse.
#[derive(Debug)]
pub(super) struct SynapseType {
    pub(super) name: &'static str,
    pub(super) parameters: &'static [&'static str],
    pub(super) equations: &'static str,
    /// Statements at a presynaptic spike; `factor` is that of short-term plasticity, `weight` that of the connection.
    pub(super) on_event: &'static str,
    /// Statements in every step.
    pub(super) regularly: &'static str,
    /// Its current, of `v` of the postsynaptic neuron.
    pub(super) current: &'static str,
}

const PEAK: &str = "peak = log(tauDecay/tauRise)*tauRise*tauDecay/(tauDecay - tauRise) : second\n\
                    waveform = 1/(exp(-peak/tauDecay) - exp(-peak/tauRise)) : 1\n\
                    dA/dt = -A/tauRise : 1\ndB/dt = -B/tauDecay : 1";
const DOUBLE: &str = "A += weight*factor*waveform; B += weight*factor*waveform";

/// The synapses that spikes act on.
pub(super) const SYNAPSES: [SynapseType; 10] = [
    SynapseType {
        name: "alphaSynapse",
        parameters: &["gbase", "erev", "tau"],
        equations: "dg/dt = (2.7182818459*A - g)/tau : siemens\ndA/dt = -A/tau : siemens",
        regularly: "",
        on_event: "A += weight*factor*gbase",
        current: "g*(erev - v)",
    },
    SynapseType {
        name: "expOneSynapse",
        parameters: &["gbase", "erev", "tauDecay"],
        equations: "dg/dt = -g/tauDecay : siemens",
        regularly: "",
        on_event: "g += weight*factor*gbase",
        current: "g*(erev - v)",
    },
    SynapseType {
        name: "expTwoSynapse",
        parameters: &["gbase", "erev", "tauDecay", "tauRise"],
        equations: PEAK,
        regularly: "",
        on_event: DOUBLE,
        current: "gbase*(B - A)*(erev - v)",
    },
    SynapseType {
        name: "blockingPlasticSynapse",
        parameters: &["gbase", "erev", "tauDecay", "tauRise"],
        equations: PEAK,
        regularly: "",
        on_event: DOUBLE,
        current: "gbase*(B - A)*(erev - v)",
    },
    SynapseType {
        name: "expThreeSynapse",
        parameters: &["gbase1", "gbase2", "erev", "tauDecay1", "tauDecay2", "tauRise"],
        equations: "peak1 = log(tauDecay1/tauRise)*tauRise*tauDecay1/(tauDecay1 - tauRise) : second\n\
                    waveform1 = 1/(exp(-peak1/tauDecay1) - exp(-peak1/tauRise)) : 1\n\
                    peak2 = log(tauDecay2/tauRise)*tauRise*tauDecay2/(tauDecay2 - tauRise) : second\n\
                    waveform2 = 1/(exp(-peak2/tauDecay2) - exp(-peak2/tauRise)) : 1\n\
                    dA/dt = -A/tauRise : siemens\ndB/dt = -B/tauDecay1 : siemens\ndC/dt = -C/tauDecay2 : siemens",
        regularly: "",
        on_event: "A += weight*factor*(gbase1*waveform1 + gbase2*waveform2); B += weight*factor*gbase1*waveform1; \
                   C += weight*factor*gbase2*waveform2",
        current: "(B + C - A)*(erev - v)",
    },
    SynapseType {
        name: "alphaCurrentSynapse",
        parameters: &["ibase", "tau"],
        equations: "dI/dt = (2.7182818459*J - I)/tau : amp\ndJ/dt = -J/tau : amp",
        regularly: "",
        on_event: "J += weight*factor*ibase",
        current: "I",
    },
    SynapseType {
        name: "expCondSynapse",
        parameters: &["tau_syn", "e_rev"],
        equations: "dg/dt = -g/(tau_syn*ms) : siemens",
        regularly: "",
        on_event: "g += weight*factor*uS",
        current: "g*(e_rev*mV - v)",
    },
    SynapseType {
        name: "alphaCondSynapse",
        parameters: &["tau_syn", "e_rev"],
        equations: "dg/dt = (2.7182818459*A - g)/(tau_syn*ms) : siemens\ndA/dt = -A/(tau_syn*ms) : siemens",
        regularly: "",
        on_event: "A += weight*factor*uS",
        current: "g*(e_rev*mV - v)",
    },
    SynapseType {
        name: "expCurrSynapse",
        parameters: &["tau_syn"],
        equations: "dI/dt = -I/(tau_syn*ms) : amp",
        regularly: "",
        on_event: "I += weight*factor*nA",
        current: "I",
    },
    SynapseType {
        name: "alphaCurrSynapse",
        parameters: &["tau_syn"],
        equations: "dI/dt = (2.7182818459*A - I)/(tau_syn*ms) : amp\ndA/dt = -A/(tau_syn*ms) : amp",
        regularly: "",
        on_event: "A += weight*factor*nA",
        current: "I",
    },
];

/// The synapses that read the presynaptic potential: their equations, and current of `v` and `v_pre`.
pub(super) const CONTINUOUS: [SynapseType; 4] = [
    SynapseType {
        name: "gapJunction",
        parameters: &["conductance"],
        equations: "",
        regularly: "",
        on_event: "",
        current: "weight*conductance*(v_pre - v)",
    },
    SynapseType {
        name: "linearGradedSynapse",
        parameters: &["conductance"],
        equations: "",
        regularly: "",
        on_event: "",
        current: "weight*conductance*(v_pre - v)",
    },
    SynapseType {
        name: "gradedSynapse",
        parameters: &["conductance", "delta", "k", "Vth", "erev"],
        // Near saturation the time constant vanishes: `s` follows at once.
        equations: "s_inf = 1/(1 + exp((Vth - v_pre)/delta)) : 1\n\
                    ds/dt = int(1 - s_inf > 1e-4)*(s_inf - s)*k/max(1 - s_inf, 1e-4) : 1 (clock-driven)",
        regularly: "s = s_inf*int(1 - s_inf < 1e-4) + s*int(1 - s_inf >= 1e-4)",
        on_event: "",
        current: "weight*conductance*s*(erev - v)",
    },
    SynapseType { name: "silentSynapse", parameters: &[], equations: "", regularly: "", on_event: "", current: "" },
];

/// A current as a function of time, added to a cell.
#[derive(Debug)]
pub(super) struct InputType {
    pub(super) name: &'static str,
    pub(super) parameters: &'static [&'static str],
    /// While `t` is from `delay` to before `delay + duration`.
    pub(super) current: &'static str,
    /// Before and after.
    pub(super) otherwise: &'static str,
    /// Whether it is a pure number.
    pub(super) is_pure: bool,
}

const fn input(name: &'static str, parameters: &'static [&'static str], current: &'static str, is_pure: bool) -> InputType {
    InputType { name, parameters, current, otherwise: "", is_pure }
}

/// The inputs.
pub(super) const INPUTS: [InputType; 8] = [
    input("pulseGenerator", &["delay", "duration", "amplitude"], "amplitude", false),
    input("pulseGeneratorDL", &["delay", "duration", "amplitude"], "amplitude", true),
    input(
        "sineGenerator",
        &["delay", "duration", "amplitude", "phase", "period"],
        "amplitude*sin(phase + 2*pi*(t - delay)/period)",
        false,
    ),
    input(
        "sineGeneratorDL",
        &["delay", "duration", "amplitude", "phase", "period"],
        "amplitude*sin(phase + 2*pi*(t - delay)/period)",
        true,
    ),
    InputType {
        otherwise: "baselineAmplitude",
        ..input(
            "rampGenerator",
            &["delay", "duration", "startAmplitude", "finishAmplitude", "baselineAmplitude"],
            "startAmplitude + (finishAmplitude - startAmplitude)*(t - delay)/duration",
            false,
        )
    },
    InputType {
        otherwise: "baselineAmplitude",
        ..input(
            "rampGeneratorDL",
            &["delay", "duration", "startAmplitude", "finishAmplitude", "baselineAmplitude"],
            "startAmplitude + (finishAmplitude - startAmplitude)*(t - delay)/duration",
            true,
        )
    },
    input(
        "voltageClamp",
        &["delay", "duration", "targetVoltage", "simpleSeriesResistance"],
        "(targetVoltage - v)/simpleSeriesResistance",
        false,
    ),
    InputType {
        otherwise: "active*(int(t < delay)*conditioningVoltage + int(t >= delay)*returnVoltage - v)/simpleSeriesResistance",
        ..input(
            "voltageClampTriple",
            &["active", "delay", "duration", "conditioningVoltage", "testingVoltage", "returnVoltage", "simpleSeriesResistance"],
            "active*(testingVoltage - v)/simpleSeriesResistance",
            false,
        )
    },
];
