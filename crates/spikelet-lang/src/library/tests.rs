use super::*;
use crate::{Layout, Quantities, SynapseText, check_neuron, check_synapse};

fn all() -> impl Iterator<Item = LibraryModel> {
    FILES.iter().map(|(name, text)| LibraryModel::read(name, text).unwrap_or_else(|error| panic!("{error}")))
}

/// The defaults of a model with a preset's values instead of some, checked.
fn given(model: &LibraryModel, preset: Option<&Preset>) -> Quantities {
    let value = |name: &str, default| preset.and_then(|preset| preset.parameters.get(name)).map_or(default, String::as_str);
    let texts = model.parameters.iter().map(|(name, parameter)| (name.as_str(), value(name, &parameter.default)));
    Quantities::from_texts(texts).unwrap_or_else(|error| panic!("{}: {error}", model.name))
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
fn every_cell_checks_and_compiles() {
    for model in all().filter(|model| model.kind != ModelKind::Synapse) {
        let name = &model.name;
        let text = model.text().unwrap_or_else(|error| panic!("{error}"));
        let checked =
            check_neuron(&text, &given(&model, None).dimensions()).unwrap_or_else(|found| panic!("{name}: {}", found[0]));
        for variable in model.initial.keys().chain(model.presets.values().flat_map(|preset| preset.initial.keys())) {
            assert!(checked.variable(variable).is_some(), "{name}: initial value of `{variable}`, which is no variable");
        }
        checked.compile(&Layout::uniform()).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn every_synapse_checks_against_its_lines() {
    for model in all().filter(|model| model.kind == ModelKind::Synapse) {
        let name = &model.name;
        let given = given(&model, None).dimensions();
        let post = NeuronText { equations: model.post().unwrap_or("").into(), ..NeuronText::default() };
        let post = check_neuron(&post, &given).unwrap_or_else(|found| panic!("{name}, post: {}", found[0]));
        let text = SynapseText {
            equations: model.equations().into(),
            on_pre: model.on_pre().unwrap_or("").into(),
            each: IndexMap::new(),
        };
        check_synapse(&text, &post, &given).unwrap_or_else(|found| panic!("{name}: {}", found[0]));
    }
}

#[test]
fn presets_keep_dimensions() {
    for model in all() {
        let defaults = given(&model, None).dimensions();
        for (name, preset) in &model.presets {
            assert_eq!(given(&model, Some(preset)).dimensions(), defaults, "{}, preset {name}", model.name);
        }
    }
}

#[test]
fn a_broken_file_says_what_is_wrong() {
    let head = "name = \"x\"\ntitle = \"X\"\nabout = \"A\"\ncitation = \"C\"\n";
    for (rest, expected) in [
        ("equations = \"v : 1\"\ntreshold = \"v > 1\"", "unknown field `treshold`"),
        ("equations = \"v : 1\"\nname = \"y\"", "duplicate key"),
        ("equations = \"v : 1\"\non_pre = \"v_post += 1\"", "`on_pre` belongs to a synapse, but kind is `neuron`."),
        ("kind = \"synapse\"\nequations = \"w : 1\"\nreset = \"w = 0\"", "`reset` belongs to a cell, but kind is `synapse`."),
        ("kind = \"cell\"", "unknown variant `cell`"),
        ("kind = \"synapse\"", "there are neither `equations` nor `on_pre`."),
        (
            "equations = \"v : 1\"\n[parameters]\ntau = { default = \"1 ms\", range = [\"0 ms\", \"2 ms\"], about = \"t\" }\n\
             [presets.slow]\nabout = \"s\"\nparameters = { taus = \"2 ms\" }",
            "preset `slow` sets `taus`, which is no parameter. Did you mean `tau`?",
        ),
    ] {
        let found = LibraryModel::read("x", &format!("{head}{rest}")).err().unwrap_or_default();
        assert!(found.starts_with("models/x.toml: ") && found.contains(expected), "{found:?} lacks {expected:?}");
    }
    let found = LibraryModel::read("z", &format!("{head}equations = \"v : 1\"")).err();
    assert_eq!(found.as_deref(), Some("models/z.toml: name is `x`; expected `z`, as the file is called."));
}

#[test]
fn a_synapse_is_no_neuron() {
    let text = "name = \"x\"\ntitle = \"X\"\nabout = \"A\"\ncitation = \"C\"\nkind = \"synapse\"\non_pre = \"v_post += 1\"";
    let model = LibraryModel::read("x", text).unwrap_or_else(|error| panic!("{error}"));
    let error = model.text().err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("`x` is a synapse model; expected a neuron or a source. Give it to a projection"), "{error}");
}

#[test]
fn unknown_names_get_a_suggestion() {
    assert_eq!(library("lif_ext").err(), Some(Some("lif_exp")));
    assert_eq!(library("zebra").err(), Some(None));
}
