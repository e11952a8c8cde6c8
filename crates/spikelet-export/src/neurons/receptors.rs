//! What receives the spikes of a cell of NEST.

use crate::Lack;
use crate::cell::{Course, Port, PortKind};

/// What receives spikes.
pub(crate) struct Receptor {
    /// The variable to which they add.
    pub(crate) variable: String,
    pub(crate) kind: ReceptorKind,
    /// What a spike that adds 1 weighs, in pA, nS or mV.
    pub(crate) factor: Vec<f64>,
    /// Steps that a delay is longer than here.
    pub(crate) later: u32,
}

/// Which receptor of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReceptorKind {
    /// By the sign of the weight.
    BySign,
    /// A conductance, whose weights are positive.
    Excitatory,
    /// The other one: in NEST its weights are negative.
    Inhibitory,
    /// By its number, from 1.
    Number(usize),
}

impl Port {
    pub(super) fn course(&self) -> Option<Course> {
        match &self.kind {
            PortKind::Potential => None,
            PortKind::Current { course, .. } | PortKind::Conductance { course, .. } => Some(*course),
        }
    }

    pub(super) fn tau(&self) -> &[f64] {
        match &self.kind {
            PortKind::Potential => &[],
            PortKind::Current { tau, .. } | PortKind::Conductance { tau, .. } => tau,
        }
    }

    pub(super) fn receptor(&self, kind: ReceptorKind, later: u32) -> Receptor {
        Receptor { variable: self.variable.clone(), kind, factor: self.factor.clone(), later }
    }
}

/// Ports with what spikes add to them.
pub(super) type Used<'a> = [&'a (&'a Port, Vec<f64>)];

/// The receptors of currents: by the sign of weights if there are two, else by numbers with their time constants.
pub(super) fn current_receptors(
    currents: &Used<'_>,
    parameters: &mut Vec<(&'static str, Vec<f64>)>,
) -> Result<(Vec<Receptor>, Vec<f64>), Lack> {
    // A port with weights of one sign: those of the factor count, too.
    let sign = |(port, amounts): &(&Port, Vec<f64>)| {
        let of_factor = port.factor.first().map_or(1.0, |factor| factor.signum());
        let signs: Vec<f64> = amounts.iter().filter(|amount| **amount != 0.0).map(|amount| amount.signum() * of_factor).collect();
        let is = |sign: f64| signs.iter().all(|of| *of == sign);
        [is(1.0), is(-1.0)]
    };
    let by_sign = |port: &Port| port.receptor(ReceptorKind::BySign, 0);
    match currents {
        [] => return Ok((Vec::new(), Vec::new())),
        [(port, _)] => {
            parameters.extend([("tau_syn_ex", port.tau().to_vec()), ("tau_syn_in", port.tau().to_vec())]);
            return Ok((vec![by_sign(port)], Vec::new()));
        }
        [one, other] => {
            let ordered = match (sign(one), sign(other)) {
                ([true, _], [_, true]) => Some([one.0, other.0]),
                ([_, true], [true, _]) => Some([other.0, one.0]),
                _ if one.0.tau() == other.0.tau() => Some([one.0, other.0]),
                _ => None,
            };
            if let Some([excitatory, inhibitory]) = ordered {
                parameters.extend([("tau_syn_ex", excitatory.tau().to_vec()), ("tau_syn_in", inhibitory.tau().to_vec())]);
                return Ok((vec![by_sign(excitatory), by_sign(inhibitory)], Vec::new()));
            }
        }
        _ => {}
    }
    let mut taus = Vec::new();
    for (port, _) in currents {
        let [first, rest @ ..] = port.tau() else { return Err("no neurons".into()) };
        if rest.iter().any(|tau| tau != first) {
            return Err("more than two receptors whose time constants differ between neurons".into());
        }
        taus.push(*first);
    }
    let receptors =
        currents.iter().enumerate().map(|(index, (port, _))| port.receptor(ReceptorKind::Number(index + 1), 0)).collect();
    Ok((receptors, taus))
}

/// The two receptors of conductances, by their reversal potentials.
pub(super) fn conductance_receptors(
    conductances: &Used<'_>,
    parameters: &mut Vec<(&'static str, Vec<f64>)>,
) -> Result<Vec<Receptor>, Lack> {
    let mut of: Vec<(&Port, &[f64])> = Vec::new();
    for (port, amounts) in conductances {
        let PortKind::Conductance { reversal, .. } = &port.kind else { continue };
        if amounts.iter().any(|amount| *amount * port.factor.first().copied().unwrap_or(1.0) < 0.0) {
            return Err("spikes that make a conductance smaller".into());
        }
        of.push((port, reversal));
    }
    of.sort_by(|(_, one), (_, other)| other.first().partial_cmp(&one.first()).unwrap_or(std::cmp::Ordering::Equal));
    let kinds: &[ReceptorKind] = match &of[..] {
        [] => &[],
        [(_, reversal)] if reversal.first().is_some_and(|of| *of < -60.0) => &[ReceptorKind::Inhibitory],
        [_] => &[ReceptorKind::Excitatory],
        [_, _] => &[ReceptorKind::Excitatory, ReceptorKind::Inhibitory],
        _ => return Err("more than two conductances of synapses".into()),
    };
    let mut receptors = Vec::new();
    for ((port, reversal), kind) in of.iter().zip(kinds) {
        let [tau, potential] = if *kind == ReceptorKind::Excitatory { ["tau_syn_ex", "E_ex"] } else { ["tau_syn_in", "E_in"] };
        parameters.extend([(tau, port.tau().to_vec()), (potential, reversal.to_vec())]);
        receptors.push(port.receptor(*kind, 0));
    }
    Ok(receptors)
}
