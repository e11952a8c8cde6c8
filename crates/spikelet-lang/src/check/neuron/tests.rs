//! Mistakes have their kind and place; what is right is accepted.

use super::*;
use crate::Quantities;

const LIF: &str =
    "dv/dt = (ge + gi - (v - El))/taum : volt (unless refractory)\ndge/dt = -ge/taue : volt\ndgi/dt = -gi/taui : volt";

fn text(equations: &str, threshold: &str, reset: &str) -> NeuronText {
    NeuronText {
        equations: equations.into(),
        threshold: Some(threshold.into()),
        reset: Some(reset.into()),
        refractory: Some("5*ms".into()),
        ..NeuronText::default()
    }
}

fn given() -> IndexMap<String, Dimension> {
    let texts = [
        ("taum", "20*ms"),
        ("taue", "5*ms"),
        ("taui", "10*ms"),
        ("El", "-49*mV"),
        ("Vt", "-50*mV"),
        ("Vr", "-60*mV"),
        ("I", "1*nA"),
    ];
    Quantities::from_texts(texts).map(|given| given.dimensions()).unwrap_or_default()
}

fn kinds(text: &NeuronText) -> Vec<(Kind, usize)> {
    check_neuron(text, &given()).err().unwrap_or_default().iter().map(|found| (found.kind, found.line)).collect()
}

#[test]
fn accepts_the_current_based_cell() {
    let model = check_neuron(&text(LIF, "v > Vt", "v = Vr"), &given());
    let model = model.unwrap_or_else(|found| panic!("{}", found[0]));
    assert_eq!(model.variables.iter().map(|v| v.name.as_str()).collect::<Vec<_>>(), ["v", "ge", "gi"]);
    assert_eq!(model.constants.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["El", "taum", "taue", "taui", "Vr", "Vt"]);
}

#[test]
fn mistakes_have_a_kind_and_a_line() {
    assert_eq!(kinds(&text("dv/dt = (El - v + I)/taum : volt", "v > Vt", "v = Vr")), [(Kind::DimensionMismatch, 1)]);
    assert_eq!(kinds(&text(LIF, "v > -50", "v = Vr")), [(Kind::DimensionMismatch, 1)]);
    assert_eq!(kinds(&text(LIF, "v > Vt", "v = Vr\nu += 1")), [(Kind::UnknownAssignmentTarget, 2)]);
    assert_eq!(kinds(&text(&format!("{LIF}\nge : volt"), "v > Vt", "v = Vr")), [(Kind::DuplicateVariable, 4)]);
    assert_eq!(
        kinds(&text("dv/dt = (a - v)/taum : volt\na = b : volt\nb = a : volt", "v > Vt", "v = Vr"))[0].0,
        Kind::CircularSubexpression
    );
    assert_eq!(kinds(&text("dv/dt = (El - v/taum : volt", "v > Vt", "v = Vr")), [(Kind::SyntaxError, 1)]);
    assert_eq!(kinds(&text("dv/dt = (El - v)/taum : millivolts", "v > Vt", "v = Vr")), [(Kind::UndefinedUnit, 1)]);
    assert_eq!(kinds(&text("dv/dt = (El - v)/tuam : volt", "v > Vt", "v = Vr")), [(Kind::UndefinedName, 1)]);
    assert_eq!(
        kinds(&text("dv/dt = (El - v)*exp(1, 2)/taum : volt", "v", "v = Vr")),
        [(Kind::WrongArity, 1), (Kind::DimensionMismatch, 1)]
    );
}
