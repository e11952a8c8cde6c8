//! What is known of a population by its name alone: others may link to it and connect it.

use super::{DRIVES, Dynamics, Given, PopulationSpec};
use crate::expression::Scope;
use crate::setting::ValueForm;
use crate::statement::Targets;

/// The names of a population.
#[derive(Debug, Clone, Default)]
pub(crate) struct PopulationNames {
    pub(crate) name: String,
    pub(crate) size: u32,
    /// What statements may assign.
    pub(crate) targets: Targets,
    /// Variables and parameters with numbers, as synapses and links read them.
    pub(crate) numbers: Vec<String>,
    /// Subexpressions that are held for the step.
    pub(crate) held: Vec<String>,
    /// The linked variable.
    pub(crate) linked: Option<String>,
    /// The variable for a sum.
    pub(crate) sum: Option<String>,
    /// Whether neurons fire.
    pub(crate) fires: bool,
    /// The names of events.
    pub(crate) events: Vec<String>,
    /// What a change can set, with its form.
    pub(crate) settable: Vec<(String, ValueForm)>,
    /// What can be recorded.
    pub(crate) recordable: Vec<String>,
}

/// The names of a population.
pub(crate) fn names(name: &str, spec: &PopulationSpec) -> PopulationNames {
    let variables = &spec.variables;
    let mut floats = vec!["v".to_owned()];
    let also = [(variables.g.is_some(), "g"), (variables.c, "c"), (variables.z, "z")];
    floats.extend(also.iter().filter(|(is, _)| *is).map(|(_, name)| (*name).to_owned()));
    let list = |is: bool, name: &str| if is { vec![name.to_owned()] } else { Vec::new() };
    let targets = Targets {
        floats: floats.clone(),
        integers: list(variables.n, "n"),
        booleans: list(variables.b, "b"),
        times: list(variables.last, "last"),
    };
    let mut numbers = floats;
    numbers.extend(list(matches!(spec.dynamics, Dynamics::Coupled), "a"));
    numbers.extend(list(variables.y, "y"));
    numbers.extend(list(variables.p.is_some(), "p"));
    numbers.extend(list(variables.sh.is_some(), "sh"));
    let held = (0..).zip(&spec.subexpressions).filter(|(_, of)| of.held).map(|(k, _): (usize, _)| format!("q{k}")).collect();
    let mut settable: Vec<(String, ValueForm)> = vec![("v".to_owned(), ValueForm::Number)];
    if let Some((_, given)) = &variables.p {
        let form = if matches!(given, Given::Number(_)) { ValueForm::Number } else { ValueForm::Numbers(spec.size) };
        settable.push(("p".to_owned(), form));
    }
    if spec.drive % DRIVES < 3 {
        let form = if spec.drive.is_multiple_of(DRIVES) { ValueForm::Number } else { ValueForm::Numbers(spec.size) };
        settable.push(("I".to_owned(), form));
    }
    if !spec.tau.0.is_multiple_of(4) && !matches!(spec.dynamics, Dynamics::Declared | Dynamics::Update(_)) {
        let form = if spec.tau.0 % 4 == 1 { ValueForm::Time } else { ValueForm::Times(spec.size) };
        settable.push(("tau".to_owned(), form));
    }
    let mut recordable = numbers.clone();
    recordable.extend((0..spec.subexpressions.len()).map(|k| format!("q{k}")));
    recordable.extend(targets.integers.iter().chain(&targets.booleans).cloned());
    recordable.extend(list(spec.link.is_some(), "lk"));
    PopulationNames {
        name: name.to_owned(),
        size: spec.size,
        targets,
        numbers,
        held,
        linked: spec.link.as_ref().map(|_| "lk".to_owned()),
        sum: variables.y.then(|| "y".to_owned()),
        fires: spec.firing.is_some(),
        events: ["ev0", "ea1"].iter().take(spec.events.len()).map(|name| (*name).to_owned()).collect(),
        settable,
        recordable,
    }
}

impl PopulationNames {
    /// What the equations and statements of the population itself may use; subexpressions from `subexpressions` on are unknown.
    pub(crate) fn scope(&self, spec: &PopulationSpec, subexpressions: usize) -> Scope {
        let mut numbers = self.numbers.clone();
        numbers.extend(self.targets.integers.iter().map(|n| format!("0.11*{n}")));
        numbers.extend(self.linked.clone());
        numbers.extend((spec.variables.sh == Some(true)).then(|| "qs".to_owned()));
        numbers.push("0.13*i".into());
        numbers.extend((0..subexpressions.min(spec.subexpressions.len())).map(|k| format!("q{k}")));
        numbers.extend(self.targets.times.iter().map(|last| format!("clip((t - {last})/ms, -1.3, 2.9)")));
        let mut conditions: Vec<String> = self.targets.booleans.clone();
        conditions.extend(self.events.clone());
        conditions.extend(["(i % 2 == 0)", "(i != 1)"].map(str::to_owned));
        if spec.firing.as_ref().is_some_and(|firing| firing.refractory.is_some()) {
            conditions.push("not_refractory".into());
            numbers.push("clip((t - lastspike)/ms, 0, 3.1)".into());
        }
        Scope { numbers, conditions, time: true, function: None, draws: false }
    }
}
