//! Equations. Paragraphs are those of a population: its equations, threshold, reset; then those of a synapse: its equations, what a
//! presynaptic and a postsynaptic spike does.

use spikelet_lang::syntax::{parse_equations, parse_expression, parse_generator, parse_quantity, parse_statements, parse_unit};
use spikelet_lang::{
    Diagnostic, NeuronText, PopulationLayout, Quantities, SynapseLayout, SynapseText, check_neuron, check_synapse, ir_text,
    latex, wgsl,
};

/// Values of names that the equations do not declare.
const GIVEN: [(&str, &str); 8] = [
    ("tau", "10*ms"),
    ("E", "-60*mV"),
    ("C", "200*pF"),
    ("g", "10*nS"),
    ("w", "0.5*mV"),
    ("I", "1*nA"),
    ("r", "20*Hz"),
    ("a", "2"),
];

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    let Some(text) = super::text(bytes) else { return };
    if let Ok(expression) = parse_expression("expression", text) {
        let _ = latex::expression(&expression);
    }
    let _ = (parse_generator("condition", text), parse_statements("reset", text), parse_unit(text), parse_quantity("tau", text));
    if let Ok(equations) = parse_equations("equations", text) {
        let _ = latex::equations(&equations);
    }
    let mut paragraphs = text.split("\n\n").map(str::to_owned);
    let mut next = || paragraphs.next().filter(|paragraph| !paragraph.is_empty());
    let neuron = NeuronText { equations: next().unwrap_or_default(), threshold: next(), reset: next(), ..NeuronText::default() };
    let _ = latex::neuron(&neuron);
    let mut synapse = SynapseText { equations: next().unwrap_or_default(), ..SynapseText::default() };
    synapse.on_pre.extend(next().map(|statements| ("on_pre".to_owned(), statements)));
    synapse.on_post.extend(next().map(|statements| ("on_post".to_owned(), statements)));

    let given = Quantities::from_texts(GIVEN).expect("they are quantities").dimensions();
    let Some(model) = accepted(check_neuron(&neuron, &given)) else { return };
    let layout = PopulationLayout::uniform();
    if let Some(program) = accepted(model.compile(&layout).map_err(|found| vec![found])) {
        let _ = (wgsl::print(&program, Default::default()), ir_text::neurons(&model, &program));
    }
    let Some(synapses) = accepted(check_synapse(&synapse, (&model, &model), &given)) else { return };
    if let Some(program) = accepted(synapses.compile(&model, &SynapseLayout::default()).map_err(|found| vec![found])) {
        let _ = ir_text::synapses(&synapses, &program);
    }
}

fn accepted<T>(result: Result<T, Vec<Diagnostic>>) -> Option<T> {
    let found = result.map_err(|found| {
        assert!(!found.is_empty(), "an error without a diagnostic");
        for diagnostic in found {
            assert!(diagnostic.to_string().chars().any(char::is_alphabetic), "a diagnostic says nothing: {diagnostic:?}");
        }
    });
    found.ok()
}
