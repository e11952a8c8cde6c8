//! Whatever is typed, the answer is a model or a diagnostic that points into the text: never a panic.

mod fuzz;
mod mutations;
mod texts;

use proptest::prelude::*;
use spikelet_lang::{Diagnostic, NeuronText, PopulationLayout, Quantities, SynapseText, check_neuron, check_synapse, syntax};

/// Texts that are almost equations: real tokens in any order, with some noise between.
fn soup() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        prop::sample::select(vec![
            "dv/dt",
            "dx/dt",
            "v",
            "x",
            "tau",
            "I",
            "=",
            "+",
            "-",
            "*",
            "/",
            "**",
            "%",
            "(",
            ")",
            ",",
            ":",
            ";",
            "\n",
            " ",
            "volt",
            "amp",
            "1",
            "mV",
            "ms",
            "0.5",
            "1e3",
            "exp",
            "log",
            "clip",
            "sin",
            "poisson(",
            "binomial",
            "min",
            "rand()",
            "randn()",
            "int",
            "and",
            "or",
            "not",
            "<",
            ">=",
            "==",
            "+=",
            "-=",
            "(constant)",
            "(unless refractory)",
            "# comment\n",
            "t",
            "dt",
            "i",
            "N",
            "not_refractory",
            "True",
            "\\\n",
            "1e999",
            "/0",
        ])
        .prop_map(str::to_owned),
        "[ -~µΩ\n]{0,3}",
    ];
    prop::collection::vec(token, 0..30).prop_map(|tokens| tokens.join(" "))
}

fn points_into(text: &str, found: &Diagnostic) {
    if found.excerpt.is_empty() && (found.line, found.column, found.width) == (1, 1, 1) {
        // A mistake of several lines together has no place of its own.
        return;
    }
    let line = text.split('\n').nth(found.line.wrapping_sub(1)).unwrap_or_else(|| panic!("{found:?} is not in {text:?}"));
    let last = found.column.saturating_add(found.width);
    assert!(found.column >= 1 && found.width >= 1 && last <= line.chars().count() + 2, "{found:?} is not in {text:?}");
    assert_eq!(found.excerpt, spikelet_lang::diagnostic::visible(line.trim_end()));
    assert!(!found.message.is_empty() && !found.message.contains('\n') && !found.to_string().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn parsers_never_panic(text in soup()) {
        let results = [
            syntax::parse_expression("x", &text).err(),
            syntax::parse_equations("x", &text).err().and_then(|found| found.first().cloned()),
            syntax::parse_statements("x", &text).err().and_then(|found| found.first().cloned()),
            syntax::parse_quantity("x", &text).err(),
            syntax::parse_unit(&text).err(),
        ];
        results.iter().flatten().for_each(|found| points_into(&text, found));
    }

    #[test]
    fn models_never_panic(equations in soup(), condition in soup(), statements in soup()) {
        let given = Quantities::from_texts([("tau", "10 ms"), ("I", "3 mV")]).map(|given| given.dimensions()).unwrap_or_default();
        let equations = format!("dv/dt = (I - v)/tau : volt\n{equations}");
        let text = NeuronText {
            equations: equations.clone(),
            threshold: Some(condition.clone()),
            reset: Some(statements.clone()),
            refractory: Some(condition.clone()),
            ..NeuronText::default()
        };
        match check_neuron(&text, &given) {
            Ok(model) => drop(model.compile(&PopulationLayout::uniform())),
            Err(found) => {
                prop_assert!(!found.is_empty());
                for found in &found {
                    let text = if found.place == "equations" { &equations } else if found.place == "reset" { &statements } else { &condition };
                    points_into(text, found);
                }
            }
        }
    }

    #[test]
    fn synapses_never_panic(equations in soup(), on_pre in soup()) {
        let post = NeuronText { equations: "dv/dt = -v/(10*ms) : volt".into(), ..NeuronText::default() };
        let post = check_neuron(&post, &Default::default()).map_err(|found| TestCaseError::fail(found[0].to_string()))?;
        let text = SynapseText { equations, on_pre: [("pre".into(), on_pre)].into(), ..SynapseText::default() };
        if let Err(found) = check_synapse(&text, (&post, &post), &Default::default()) {
            prop_assert!(!found.is_empty());
        }
    }

    /// A number in a unit is read to the last bit, in either spelling.
    #[test]
    fn quantities_are_read_exactly(value in -1e6..1e6_f64) {
        for text in [format!("{value} mV"), format!("{value}*mV")] {
            let read = spikelet_lang::quantity::constant("x", &text).map(|(value, _)| value);
            prop_assert_eq!(read, Ok(value));
        }
    }
}
