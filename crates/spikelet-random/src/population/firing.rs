//! The texts of thresholds, resets and refractoriness.

use serde_json::{Map, Value, json};

use super::{PopulationNames, PopulationSpec, Refractory, Threshold, Winners};
use crate::expression::{NUMBERS, Scope, number};
use crate::statement::block;

/// Lines that declare what thresholds and refractoriness need, and the values of it.
pub(super) fn declared(spec: &PopulationSpec, lines: &mut Vec<String>, parameters: &mut Map<String, Value>) {
    let Some(firing) = &spec.firing else { return };
    if let Threshold::Parameter(at) = firing.threshold {
        lines.push("th : 1 (constant)".into());
        let of = |neuron: u32| 0.7 + 0.21 * NUMBERS[(at + neuron as usize) % NUMBERS.len()];
        parameters.insert("th".into(), (0..spec.size).map(of).collect());
    }
    if let Some(Refractory::Parameter(at)) = firing.refractory {
        lines.push("tref : second (constant)".into());
        let of = |neuron: u32| format!("{} ms", [0.31, 0.53, 0.17, 0.0, 0.97][(at + neuron as usize) % 5]);
        parameters.insert("tref".into(), (0..spec.size).map(of).collect());
    }
}

/// Adds the keys of firing.
pub(super) fn firing(spec: &PopulationSpec, names: &PopulationNames, scope: &Scope, keys: &mut Map<String, Value>) {
    let Some(firing) = &spec.firing else { return };
    let threshold = match &firing.threshold {
        Threshold::Number => "v > 0.913".into(),
        Threshold::Parameter(_) => "v > th".into(),
        Threshold::Moving(at) => format!("v > 0.797 + 0.213*tanh({})", scope.numbers[at % scope.numbers.len()]),
        Threshold::And(condition) => format!("v > 0.853 and {}", condition.text(scope)),
    };
    keys.insert("threshold".into(), threshold.into());
    let reset = ["v = 0", "v -= 0.913", "v = 0.23*v", "v = -0.17"][firing.reset % 4];
    // A reset that leaves neurons above threshold is an error.
    let mut targets = names.targets.clone();
    targets.floats.retain(|name| name != "v");
    let statements = block(&firing.statements, &targets, scope);
    let reset = if statements.is_empty() { reset.to_owned() } else { format!("{reset}; {statements}") };
    keys.insert("reset".into(), reset.into());
    if let Some(refractory) = &firing.refractory {
        let text = match refractory {
            Refractory::Fixed(at) => [
                "0.31*ms",
                "0.7*ms",
                "0.2*ms + 0.11*ms*i",
                "v > 0.31",
                "(t - lastspike) < 0.43*ms",
                "timestep(t - lastspike, dt) <= 3",
                "0*ms",
            ][at % 7]
                .into(),
            Refractory::Parameter(_) => "tref".into(),
            // Refractory conditions that name refractoriness itself would be circular.
            Refractory::While(condition) => {
                let mut scope = scope.clone();
                scope.conditions.retain(|name| name != "not_refractory");
                condition.text(&scope)
            }
        };
        keys.insert("refractory".into(), text.into());
    }
    if let Some(of) = &firing.winners {
        keys.insert("winners".into(), winners(of, spec.size, scope));
    }
}

fn winners(winners: &Winners, size: u32, scope: &Scope) -> Value {
    let of = format!("v + {}*{}", number(winners.of), scope.numbers[winners.of % scope.numbers.len()]);
    let mut keys = match winners.rule % 3 {
        0 => json!({"k": 1 + winners.number as u32 % size, "of": of}),
        1 => json!({"fraction": 0.01 + 0.97*NUMBERS[winners.number % NUMBERS.len()].min(1.0), "of": of}),
        _ => json!({"within": 0.29*NUMBERS[winners.number % NUMBERS.len()], "of": of}),
    };
    if winners.group {
        keys["group"] = "one".into();
    }
    keys
}
