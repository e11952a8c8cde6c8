//! Synapses and inputs of the core types of NeuroML 2 as equations, after the same definitions as [cells](super::core).

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

/// A synapse that does nothing, which others differ from.
const NOTHING: SynapseType = SynapseType { name: "", parameters: &[], equations: "", on_event: "", regularly: "", current: "" };

/// A conductance that rises and decays exponentially.
const TWO_EXPONENTIALS: SynapseType = SynapseType {
    parameters: &["gbase", "erev", "tauDecay", "tauRise"],
    equations: "peak = log(tauDecay/tauRise)*tauRise*tauDecay/(tauDecay - tauRise) : second\n\
                    waveform = 1/(exp(-peak/tauDecay) - exp(-peak/tauRise)) : 1\n\
                    dA/dt = -A/tauRise : 1\ndB/dt = -B/tauDecay : 1",
    on_event: "A += weight*factor*waveform; B += weight*factor*waveform",
    current: "gbase*(B - A)*(erev - v)",
    ..NOTHING
};

/// The synapses that spikes act on.
pub(super) const SYNAPSES: [SynapseType; 11] = [
    SynapseType {
        name: "alphaSynapse",
        parameters: &["gbase", "erev", "tau"],
        equations: "dg/dt = (2.7182818459*A - g)/tau : siemens\ndA/dt = -A/tau : siemens",
        on_event: "A += weight*factor*gbase",
        current: "g*(erev - v)",
        ..NOTHING
    },
    SynapseType {
        name: "expOneSynapse",
        parameters: &["gbase", "erev", "tauDecay"],
        equations: "dg/dt = -g/tauDecay : siemens",
        on_event: "g += weight*factor*gbase",
        current: "g*(erev - v)",
        ..NOTHING
    },
    SynapseType { name: "expTwoSynapse", ..TWO_EXPONENTIALS },
    SynapseType { name: "blockingPlasticSynapse", ..TWO_EXPONENTIALS },
    // Its definition has no plasticity, and does not read the weight of the connection.
    SynapseType { name: "stdpSynapse", on_event: "A += waveform; B += waveform", ..TWO_EXPONENTIALS },
    SynapseType {
        name: "expThreeSynapse",
        parameters: &["gbase1", "gbase2", "erev", "tauDecay1", "tauDecay2", "tauRise"],
        equations: "peak1 = log(tauDecay1/tauRise)*tauRise*tauDecay1/(tauDecay1 - tauRise) : second\n\
                    waveform1 = 1/(exp(-peak1/tauDecay1) - exp(-peak1/tauRise)) : 1\n\
                    peak2 = log(tauDecay2/tauRise)*tauRise*tauDecay2/(tauDecay2 - tauRise) : second\n\
                    waveform2 = 1/(exp(-peak2/tauDecay2) - exp(-peak2/tauRise)) : 1\n\
                    dA/dt = -A/tauRise : siemens\ndB/dt = -B/tauDecay1 : siemens\ndC/dt = -C/tauDecay2 : siemens",
        on_event: "A += weight*factor*(gbase1*waveform1 + gbase2*waveform2); B += weight*factor*gbase1*waveform1; \
                   C += weight*factor*gbase2*waveform2",
        current: "(B + C - A)*(erev - v)",
        ..NOTHING
    },
    SynapseType {
        name: "alphaCurrentSynapse",
        parameters: &["ibase", "tau"],
        equations: "dI/dt = (2.7182818459*J - I)/tau : amp\ndJ/dt = -J/tau : amp",
        on_event: "J += weight*factor*ibase",
        current: "I",
        ..NOTHING
    },
    SynapseType {
        name: "expCondSynapse",
        parameters: &["tau_syn", "e_rev"],
        equations: "dg/dt = -g/(tau_syn*ms) : siemens",
        on_event: "g += weight*factor*uS",
        current: "g*(e_rev*mV - v)",
        ..NOTHING
    },
    SynapseType {
        name: "alphaCondSynapse",
        parameters: &["tau_syn", "e_rev"],
        equations: "dg/dt = (2.7182818459*A - g)/(tau_syn*ms) : siemens\ndA/dt = -A/(tau_syn*ms) : siemens",
        on_event: "A += weight*factor*uS",
        current: "g*(e_rev*mV - v)",
        ..NOTHING
    },
    SynapseType {
        name: "expCurrSynapse",
        parameters: &["tau_syn"],
        equations: "dI/dt = -I/(tau_syn*ms) : amp",
        on_event: "I += weight*factor*nA",
        current: "I",
        ..NOTHING
    },
    SynapseType {
        name: "alphaCurrSynapse",
        parameters: &["tau_syn"],
        equations: "dI/dt = (2.7182818459*A - I)/(tau_syn*ms) : amp\ndA/dt = -A/(tau_syn*ms) : amp",
        on_event: "A += weight*factor*nA",
        current: "I",
        ..NOTHING
    },
];

/// The synapses that read the presynaptic potential: their equations, and current of `v` and `v_pre`.
pub(super) const CONTINUOUS: [SynapseType; 4] = [
    SynapseType { name: "gapJunction", parameters: &["conductance"], current: "weight*conductance*(v_pre - v)", ..NOTHING },
    SynapseType {
        name: "linearGradedSynapse",
        parameters: &["conductance"],
        current: "weight*conductance*(v_pre - v)",
        ..NOTHING
    },
    SynapseType {
        name: "gradedSynapse",
        parameters: &["conductance", "delta", "k", "Vth", "erev"],
        // Near saturation the time constant vanishes: `s` follows at once.
        equations: "s_inf = 1/(1 + exp((Vth - v_pre)/delta)) : 1\n\
                    ds/dt = int(1 - s_inf > 1e-4)*(s_inf - s)*k/max(1 - s_inf, 1e-4) : 1 (clock-driven)",
        regularly: "s = s_inf*int(1 - s_inf < 1e-4) + s*int(1 - s_inf >= 1e-4)",
        current: "weight*conductance*s*(erev - v)",
        ..NOTHING
    },
    SynapseType { name: "silentSynapse", ..NOTHING },
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
