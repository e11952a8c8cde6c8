//! Which cell of SONATA a population has: the inverse of what is made of a cell.

use spikelet_network::Population;

use super::model::{MODELS, Model, REFRACTORY};

/// A cell, and the currents that are injected into it.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) model: &'static Model,
    pub(super) stimuli: Vec<Stimulus>,
}

/// A current between two times, with the name of the parameter that is its amplitude.
#[derive(Debug, PartialEq)]
pub(super) struct Stimulus {
    pub(super) amplitude: String,
    pub(super) start_ms: f64,
    pub(super) end_ms: f64,
}

/// The template of the cell that a population has, such as `nest:iaf_psc_exp`; `None` if it has none of those that SONATA names. Its texts are compared
/// up to spaces, comments and the order of equations.
pub fn template_of(population: &Population) -> Option<String> {
    cell_of(population).map(|cell| cell.model.template())
}

/// The templates of all cells.
pub fn templates() -> impl Iterator<Item = String> {
    MODELS.iter().map(Model::template)
}

/// The cell that a population has, whose texts are its own.
pub(super) fn cell_of(population: &Population) -> Option<Cell> {
    MODELS.iter().find_map(|model| stimuli(model, population).map(|stimuli| Cell { model, stimuli }))
}

/// The currents, if a population has this model.
fn stimuli(model: &Model, of: &Population) -> Option<Vec<Stimulus>> {
    let same = |own: &Option<String>, wanted: &str| statements(own.as_deref().unwrap_or_default()) == statements(wanted);
    let refractory = if model.is_refractory() { REFRACTORY } else { "" };
    let are_same = same(&of.update, model.update.unwrap_or_default())
        && same(&of.threshold, model.threshold)
        && same(&of.reset, model.reset)
        && same(&of.refractory, refractory);
    if !are_same {
        return None;
    }
    let mut missing: Vec<String> = model.equations.lines().map(tight).collect();
    let mut stimuli = Vec::new();
    let (mut has_stimuli, mut amplitudes) = (false, Vec::new());
    for line in lines(of.equations.as_deref().unwrap_or_default()) {
        if let Some(place) = missing.iter().position(|equation| *equation == line) {
            missing.swap_remove(place);
        } else if let Some(sum) = line.strip_prefix("I_stim=").filter(|_| model.has_current()) {
            stimuli = of_sum(sum.strip_suffix(":amp(constantoverdt)")?)?;
            has_stimuli = true;
        } else {
            let (name, rest) = line.split_once(':')?;
            if !rest.ends_with("(constant)") {
                return None;
            }
            if !model.parameters.iter().any(|(parameter, ..)| *parameter == name) {
                amplitudes.push(name.to_owned());
            }
        }
    }
    let are_declared = stimuli.iter().all(|stimulus| amplitudes.contains(&stimulus.amplitude));
    (missing.is_empty() && has_stimuli == model.has_current() && are_declared).then_some(stimuli)
}

/// The terms of a sum of currents, without spaces.
fn of_sum(sum: &str) -> Option<Vec<Stimulus>> {
    if sum == "0*pA" {
        return Some(Vec::new());
    }
    let term = |term: &str| {
        let (amplitude, times) = term.split_once("*int(t>=")?;
        let (start, end) = times.strip_suffix("*ms)")?.split_once("*msandt<")?;
        Some(Stimulus { amplitude: amplitude.to_owned(), start_ms: start.parse().ok()?, end_ms: end.parse().ok()? })
    };
    sum.split('+').map(term).collect()
}

/// The lines of equations, without comments, empty ones and spaces.
pub(super) fn lines(text: &str) -> impl Iterator<Item = String> {
    text.lines().map(|line| tight(line.split('#').next().unwrap_or_default())).filter(|line| !line.is_empty())
}

/// Statements, each without spaces.
pub(super) fn statements(text: &str) -> Vec<String> {
    text.lines()
        .flat_map(|line| line.split('#').next().unwrap_or_default().split(';'))
        .map(tight)
        .filter(|statement| !statement.is_empty())
        .collect()
}

fn tight(text: &str) -> String {
    text.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an import makes of a model.
    fn population(model: &Model, sum: &str) -> Population {
        let parameters = model.parameters.iter().map(|(name, _, unit)| format!("\n{name} : {unit} (constant)"));
        let current = if model.has_current() {
            format!("\namplitude_0 : amp (constant)\nI_stim = {sum} : amp (constant over dt)")
        } else {
            String::new()
        };
        Population {
            equations: Some(format!("{}{}{current}", model.equations, parameters.collect::<String>())),
            update: model.update.map(str::to_owned),
            threshold: Some(model.threshold.to_owned()),
            reset: Some(model.reset.to_owned()),
            refractory: model.is_refractory().then(|| REFRACTORY.to_owned()),
            ..Population::default()
        }
    }

    #[test]
    fn every_model_is_recognised() {
        for model in &MODELS {
            let mut of = population(model, "amplitude_0*int(t >= 10*ms and t < 60.5*ms)");
            assert_eq!(template_of(&of), Some(model.template()));
            let expected = Stimulus { amplitude: "amplitude_0".into(), start_ms: 10.0, end_ms: 60.5 };
            let found = cell_of(&of).unwrap().stimuli;
            assert_eq!(found, if model.has_current() { vec![expected] } else { Vec::new() });
            // In another order, with spaces and comments.
            let text = of.equations.unwrap();
            let reversed: Vec<String> = text.lines().rev().map(|line| format!("  {}  # why", line.replace('*', " * "))).collect();
            of.equations = Some(reversed.join("\n\n").replace("* *", "**"));
            assert_eq!(template_of(&of), Some(model.template()), "{:?}", of.equations);
        }
    }

    #[test]
    fn what_is_another_cell_is_not_recognised() {
        let base = || population(&MODELS[1], "0*pA");
        assert!(template_of(&base()).is_some());
        let equations = base().equations.unwrap();
        for changed in [
            Population { reset: Some("V_m = E_L".into()), ..base() },
            Population { refractory: Some("t_ref".into()), ..base() },
            Population { update: Some("V_m = 0*mV".into()), ..base() },
            Population { threshold: None, ..base() },
            Population { equations: Some(format!("{equations}\nx : 1")), ..base() },
            Population { equations: Some(equations.replace("tau_syn_in : amp", "tau_m : amp")), ..base() },
            Population { equations: Some(equations.replace("0*pA", "sin(t/ms)*pA")), ..base() },
            Population { equations: Some(equations.replace("0*pA", "other*int(t >= 1*ms and t < 2*ms)")), ..base() },
            Population { equations: Some(equations.replace("I_stim = 0*pA : amp (constant over dt)", "")), ..base() },
            Population::default(),
        ] {
            assert_eq!(template_of(&changed), None, "{changed:?}");
        }
    }
}
