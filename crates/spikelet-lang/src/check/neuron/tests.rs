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

#[test]
fn chains_of_subexpressions_end_before_the_stack_does() {
    let chain = |length: usize| {
        let links: String = (0..length).map(|k| format!("a{k} = a{} + 1 : 1\n", k + 1)).collect();
        let text = NeuronText { equations: format!("{links}a{length} = 2 : 1"), ..NeuronText::default() };
        check_neuron(&text, &given()).err().unwrap_or_default()
    };
    assert!(chain(40).is_empty());
    let found = chain(5000);
    assert!(found[0].message.contains("is longer than 50"), "{}", found[0]);
}

#[test]
fn circles_have_a_place_also_where_values_are_held() {
    let equations = "a = b : 1 (constant over dt)\nb = 2*a : 1 (constant over dt)";
    let found =
        check_neuron(&NeuronText { equations: equations.into(), ..NeuronText::default() }, &given()).err().unwrap_or_default();
    assert_eq!((found[0].kind, found[0].line, found[0].column), (Kind::CircularSubexpression, 1, 5));
}

#[test]
fn whatever_doubles_at_each_line_is_refused() {
    let lines: String = (0..40).map(|k| format!("a{k} = a{0} + a{0} : 1\n", k + 1)).collect();
    let text = NeuronText { equations: format!("{lines}a40 = rand() : 1"), ..NeuronText::default() };
    let found = check_neuron(&text, &given()).err().unwrap_or_default();
    assert!(found[0].message.contains("operations"), "{}", found[0]);
}
