//! What types of a file inherit from those of NeuroML: their parameters. A type with dynamics of its own has none of theirs.

use super::core::CELLS;
use super::core_synapses::{CONTINUOUS, INPUTS, SYNAPSES};

/// Types without dynamics, and those whose dynamics are built in elsewhere, with all parameters that they have or inherit.
const BASES: [(&str, &[&str]); 50] = [
    ("baseCell", &[]),
    ("baseSpikingCell", &[]),
    ("baseCellMembPot", &[]),
    ("baseCellMembPotDL", &[]),
    ("baseCellMembPotCap", &["C"]),
    ("baseIaf", &["thresh", "reset"]),
    ("baseIafCapCell", &["C", "thresh", "reset"]),
    ("basePyNNCell", &["cm", "i_offset", "tau_syn_E", "tau_syn_I", "v_init"]),
    (
        "basePyNNIaFCell",
        &["cm", "i_offset", "tau_syn_E", "tau_syn_I", "v_init", "tau_refrac", "v_thresh", "tau_m", "v_rest", "v_reset"],
    ),
    (
        "basePyNNIaFCondCell",
        &[
            "cm",
            "i_offset",
            "tau_syn_E",
            "tau_syn_I",
            "v_init",
            "tau_refrac",
            "v_thresh",
            "tau_m",
            "v_rest",
            "v_reset",
            "e_rev_E",
            "e_rev_I",
        ],
    ),
    ("baseStandalone", &[]),
    ("baseSpikeSource", &[]),
    ("basePointCurrent", &[]),
    ("basePointCurrentDL", &[]),
    ("baseVoltageDepPointCurrent", &[]),
    ("baseVoltageDepPointCurrentDL", &[]),
    ("baseVoltageDepPointCurrentSpiking", &[]),
    ("baseSynapse", &[]),
    ("baseSynapseDL", &[]),
    ("baseVoltageDepSynapse", &[]),
    ("baseCurrentBasedSynapse", &[]),
    ("baseConductanceBasedSynapse", &["gbase", "erev"]),
    ("baseConductanceBasedSynapseTwo", &["gbase1", "gbase2", "erev"]),
    ("basePynnSynapse", &["tau_syn"]),
    ("baseGradedSynapse", &[]),
    ("baseVoltageDepRate", &[]),
    ("baseVoltageConcDepRate", &[]),
    ("baseHHRate", &["rate", "midpoint", "scale"]),
    ("baseVoltageDepVariable", &[]),
    ("baseVoltageConcDepVariable", &[]),
    ("baseHHVariable", &["rate", "midpoint", "scale"]),
    ("baseVoltageDepTime", &[]),
    ("baseVoltageConcDepTime", &[]),
    ("fixedTimeCourse", &["tau"]),
    ("baseQ10Settings", &[]),
    ("baseGate", &["instances"]),
    ("gate", &["instances"]),
    ("gateHHrates", &["instances"]),
    ("gateHHtauInf", &["instances"]),
    ("gateHHratesInf", &["instances"]),
    ("gateHHratesTau", &["instances"]),
    ("gateHHratesTauInf", &["instances"]),
    ("gateHHInstantaneous", &["instances"]),
    ("gateFractional", &["instances"]),
    ("gateKS", &["instances"]),
    ("subGate", &["fractionalConductance"]),
    ("concentrationModel", &[]),
    ("decayingPoolConcentrationModel", &["restingConc", "decayConstant", "shellThickness"]),
    ("fixedFactorConcentrationModel", &["restingConc", "decayConstant", "rho"]),
    ("fixedFactorConcentrationModelTraub", &["restingConc", "beta", "phi"]),
];

/// The parameters that a type of NeuroML has; `None` if there is no such type.
pub(super) fn parameters(name: &str) -> Option<&'static [&'static str]> {
    let base = BASES.iter().find(|(of, _)| *of == name).map(|(_, parameters)| *parameters);
    let cell = || CELLS.iter().find(|of| of.name == name).map(|of| of.parameters);
    let synapse = || SYNAPSES.iter().chain(&CONTINUOUS).find(|of| of.name == name).map(|of| of.parameters);
    let input = || INPUTS.iter().find(|of| of.name == name).map(|of| of.parameters);
    base.or_else(cell).or_else(synapse).or_else(input)
}
