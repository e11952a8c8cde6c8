//! The texts of a population of cells: forward Euler, as Norse and snnTorch integrate them.

use std::fmt::Write;

use super::cell::CellKind;

/// What a spike does to the potential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reset {
    /// v = v_reset, as the definition of NIR says.
    #[default]
    ToValue,
    /// v -= v_threshold, as many frameworks do in training.
    Subtract,
}

/// The inputs of a population.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Drive {
    /// Whether events add to `x`.
    pub(super) has_events: bool,
    /// Whether there is a constant input `bias`.
    pub(super) has_bias: bool,
    /// Whether it begins in a later step, `start`: what drives it without spikes, a bias or a leak, acts in layer L from step L on, as its spikes do.
    pub(super) is_late: bool,
    /// How many sums of potentials there are: `x_1`, `x_2` …
    pub(super) sums: usize,
}

/// The texts of a population.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Texts {
    pub(super) equations: String,
    pub(super) update: String,
    pub(super) threshold: Option<String>,
    pub(super) reset: Option<String>,
}

impl Texts {
    /// The texts of cells; without a kind, those of neurons whose potential is their input, for outputs of a graph.
    pub(super) fn of(kind: Option<CellKind>, drive: Drive, reset: Reset) -> Texts {
        let mut inputs = Vec::new();
        let mut equations = "v : 1\n".to_owned();
        if drive.has_events {
            inputs.push("x".to_owned());
            equations += "x : 1\n";
        }
        for number in 1..=drive.sums {
            inputs.push(sum_name(number));
            // Writing to a String cannot fail.
            let _ = writeln!(equations, "{} : 1", sum_name(number));
        }
        if drive.has_bias {
            inputs.push("bias".to_owned());
            equations += "bias : 1\n";
        }
        let begun = if drive.is_late { "int(t > start)*" } else { "" };
        if drive.is_late {
            equations += "start : second (constant)\n";
        }
        let sum = if inputs.is_empty() { "0".to_owned() } else { inputs.join(" + ") };
        let input = if inputs.len() > 1 { format!("({sum})") } else { sum.clone() };
        let mut update = match kind {
            None | Some(CellKind::Threshold) if drive.is_late => format!("v = {begun}({sum})\n"),
            None | Some(CellKind::Threshold) => format!("v = {sum}\n"),
            // An input of 1 in a step adds r, whatever dt is.
            Some(CellKind::I | CellKind::If) => format!("v += {begun}r*{input}\n"),
            Some(CellKind::Li | CellKind::Lif) => format!("v += {begun}dt/tau*(v_leak - v + r*{input})\n"),
            Some(CellKind::CubaLi | CellKind::CubaLif) => {
                equations += "I : 1\n";
                format!("I += {begun}dt/tau_syn*(w_in*{input} - I)\nv += {begun}dt/tau_mem*(v_leak - v + r*I)\n")
            }
        };
        if drive.has_events {
            update += "x = 0\n";
        }
        for parameter in kind.map_or(&[][..], CellKind::table) {
            let unit = if parameter.is_time { "second" } else { "1" };
            let is_used = reset == Reset::ToValue || parameter.name != "v_reset";
            if is_used {
                let _ = writeln!(equations, "{} : {unit} (constant)", parameter.name);
            }
        }
        let threshold = kind.filter(|kind| kind.fires()).map(|kind| match kind {
            CellKind::Threshold => "v > threshold".to_owned(),
            _ => "v > v_threshold".to_owned(),
        });
        let reset = kind.filter(|kind| kind.resets()).map(|_| match reset {
            Reset::ToValue => "v = v_reset".to_owned(),
            Reset::Subtract => "v -= v_threshold".to_owned(),
        });
        Texts { equations, update, threshold, reset }
    }
}

/// The name of a sum of potentials, counted from 1.
pub(super) fn sum_name(number: usize) -> String {
    format!("x_{number}")
}
