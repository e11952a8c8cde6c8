use super::*;
use crate::{Dimension, NeuronModel, PopulationLayout, SynapseLayout, check_neuron, check_synapse, syntax};

fn all() -> impl Iterator<Item = LibraryModel> {
    FILES.iter().map(|(name, json)| LibraryModel::read(name, json).unwrap_or_else(|error| panic!("{error}")))
}

/// What a population of this model gives to the checker: dimensions of its constants, and its functions of time.
fn given(model: &LibraryModel, preset: Option<&Preset>) -> (IndexMap<String, Dimension>, IndexMap<String, String>) {
    let (mut constants, mut driven) = (IndexMap::new(), IndexMap::new());
    for (name, parameter) in &model.parameters {
        let text = preset.and_then(|preset| preset.parameters.get(name)).unwrap_or(&parameter.default);
        if syntax::parse_quantity(name, text).is_ok_and(|tree| tree.mentions("t")) {
            driven.insert(name.clone(), text.clone());
        } else {
            let (_, dimension) = quantity::constant(name, text).unwrap_or_else(|error| panic!("{}: {error}", model.name));
            constants.insert(name.clone(), dimension);
        }
    }
    (constants, driven)
}

fn checked(model: &LibraryModel, preset: Option<&Preset>) -> NeuronModel {
    let (constants, driven) = given(model, preset);
    let text = model.text().unwrap_or_else(|error| panic!("{error}"));
    check_neuron(&NeuronText { driven, ..text }, &constants).unwrap_or_else(|found| panic!("{}: {}", model.name, found[0]))
}

#[test]
fn every_file_reads_and_has_defaults_in_range() {
    for model in all() {
        let name = &model.name;
        for text in [&model.title, &model.about, &model.citation] {
            assert!(!text.is_empty(), "{name} says too little");
        }
        for (parameter, Parameter { range, default, about }) in &model.parameters {
            assert!(!about.is_empty(), "{name}.{parameter} means nothing");
            let values = [&range[0], default, &range[1]]
                .map(|text| quantity::constant(parameter, text).unwrap_or_else(|error| panic!("{name}: {error}")));
            assert!(values[0].0 <= values[1].0 && values[1].0 <= values[2].0, "{name}.{parameter}: default outside its range");
            assert!(values.iter().all(|(_, dimension)| *dimension == values[1].1), "{name}.{parameter}: another dimension");
        }
        assert!(model.presets.values().all(|preset| !preset.about.is_empty()), "{name}: a preset shows nothing");
    }
}

#[test]
fn every_cell_checks_and_compiles_with_every_preset() {
    for model in all().filter(|model| model.kind != ModelKind::Synapse) {
        let name = &model.name;
        let (defaults, _) = given(&model, None);
        for preset in std::iter::once(None).chain(model.presets.values().map(Some)) {
            let checked = checked(&model, preset);
            for variable in model.initial.keys().chain(preset.into_iter().flat_map(|preset| preset.initial.keys())) {
                assert!(checked.variable(variable).is_some(), "{name}: initial value of `{variable}`, which is no variable");
            }
            for parameter in model.parameters.keys() {
                let found = checked.dimension(parameter);
                assert!(found.is_none_or(|found| found == defaults[parameter]), "{name}: {parameter} of another dimension");
            }
            checked.compile(&PopulationLayout::uniform()).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn every_synapse_joins_two_cells() {
    for model in all().filter(|model| model.kind == ModelKind::Synapse) {
        let name = &model.name;
        for preset in std::iter::once(None).chain(model.presets.values().map(Some)) {
            let (constants, _) = given(&model, preset);
            let cells = model.partner().unwrap_or_else(|found| panic!("{name}: {}", found[0]));
            let text = model.synapse_text().unwrap_or_else(|error| panic!("{error}"));
            let checked = check_synapse(&text, (&cells, &cells), &constants);
            let checked = checked.unwrap_or_else(|found| panic!("{name}: {}", found[0]));
            for variable in model.initial.keys().chain(preset.into_iter().flat_map(|preset| preset.initial.keys())) {
                assert!(checked.variable(variable).is_some(), "{name}: initial value of `{variable}`, which is no variable");
            }
            checked.compile(&cells, &SynapseLayout::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn parameters_of_a_synapse_belong_to_one_of_its_sides() {
    let of = |name: &str| {
        let model = library(name).unwrap_or_else(|_| panic!("there is no {name}"));
        model.post_parameters().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(of("exp_conductance"), ["tau_exp", "E_exp"]);
    assert_eq!(of("nmda"), ["Mg", "E_nmda"]);
    assert!(of("delta").is_empty() && of("electrical").is_empty());
}

/// What the build script makes of a file.
fn json(text: &str) -> String {
    toml::from_str::<serde_json::Value>(text).unwrap_or_else(|error| panic!("{error}")).to_string()
}

#[test]
fn a_broken_file_says_what_is_wrong() {
    let head = "name = \"x\"\ntitle = \"X\"\nabout = \"A\"\ncitation = \"C\"\n";
    for (rest, expected) in [
        ("equations = \"v : 1\"\ntreshold = \"v > 1\"", "unknown field `treshold`"),
        ("equations = \"v : 1\"\non_pre = \"v_post += 1\"", "`on_pre` belongs to a synapse, but kind is `neuron`."),
        ("kind = \"synapse\"\nequations = \"w : 1\"\nreset = \"w = 0\"", "`reset` belongs to a cell, but kind is `synapse`."),
        ("kind = \"cell\"", "unknown variant `cell`"),
        ("kind = \"synapse\"", "it has no effect: there are neither `equations` nor `threshold` nor `on_pre`."),
        (
            "equations = \"v : 1\"\n[parameters]\ntau = { default = \"1 ms\", range = [\"0 ms\", \"2 ms\"], about = \"t\" }\n\
             [presets.slow]\nabout = \"s\"\nparameters = { taus = \"2 ms\" }",
            "preset `slow` sets `taus`, which is not a parameter. Did you mean `tau`?",
        ),
    ] {
        let found = LibraryModel::read("x", &json(&format!("{head}{rest}"))).err().unwrap_or_default();
        assert!(found.starts_with("models/x.toml: ") && found.contains(expected), "{found:?} lacks {expected:?}");
    }
    let found = LibraryModel::read("z", &json(&format!("{head}equations = \"v : 1\""))).err();
    assert_eq!(found.as_deref(), Some("models/z.toml: name is `x`; expected `z`, the name of the file."));
}

#[test]
fn a_synapse_is_no_neuron_and_a_neuron_no_synapse() {
    let text = "name = \"x\"\ntitle = \"X\"\nabout = \"A\"\ncitation = \"C\"\nkind = \"synapse\"\non_pre = \"v_post += 1\"";
    let model = LibraryModel::read("x", &json(text)).unwrap_or_else(|error| panic!("{error}"));
    let error = model.text().err().map(|error| error.to_string()).unwrap_or_default();
    assert!(
        error.contains("`x` is a synapse model; expected a neuron or a source. Use it as the `model` of a projection."),
        "{error}"
    );
    let cell = library("lif").unwrap_or_else(|_| panic!("there is no lif"));
    let error = cell.synapse_text().err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("`lif` is a neuron model; expected a synapse. Use it as the `model` of a population."), "{error}");
}

#[test]
fn unknown_names_get_a_suggestion() {
    assert_eq!(library("lif_ext").err(), Some(Some("lif_exp")));
    assert_eq!(library("zebra").err(), Some(None));
}
