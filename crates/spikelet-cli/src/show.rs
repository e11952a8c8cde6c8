//! `spikelet show`.

use spikelet::{Network, Plan, Population};
use spikelet_gpu::kernels;
use spikelet_lang::library::{self, LibraryModel, ModelKind, Parameter, Preset};
use spikelet_lang::wgsl::Arithmetic;
use spikelet_lang::{Diagnostic, NeuronModel, PopulationLayout, Program, Quantities, SynapseLayout};
use spikelet_lang::{check_neuron, check_synapse, ir_text, latex};
use spikelet_train::{Training, preset};

use crate::args::{ModelForm, SchemaKind, ShowArguments};
use crate::failure::Failure;
use crate::terminal::print;
use crate::text::wrapped;

pub(crate) fn show(what: &ShowArguments) -> Result<(), Failure> {
    match what {
        ShowArguments::Model { name, form } => show_model(name, *form),
        ShowArguments::Training { name, method } => print(&preset(name)?.text(method.map(Into::into)).trim_end()),
        ShowArguments::Schema { of: SchemaKind::Network } => print(&Network::json_schema().trim_end()),
        ShowArguments::Schema { of: SchemaKind::Training } => print(&Training::json_schema().trim_end()),
    }
}

fn show_model(name: &str, form: ModelForm) -> Result<(), Failure> {
    let model = library::library(name).map_err(|near| {
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "see `spikelet list models`".into(),
        };
        Failure::Input(format!("there is no model `{name}`; {help}"))
    })?;
    let text = match form {
        ModelForm { latex: true, .. } => in_print(model)?,
        ModelForm { ir: true, .. } => code(model)?,
        ModelForm { wgsl: true, .. } => kernel(model)?,
        _ => page(model)?,
    };
    print(&text.trim_end())
}

/// The files of the library are tested: an error in one is not an error of the user.
fn broken(model: &LibraryModel, found: &[Diagnostic]) -> Failure {
    let list: Vec<String> = found.iter().map(ToString::to_string).collect();
    Failure::Run(format!("the model {} cannot be read: {}", model.name, list.join("\n")))
}

fn one(model: &LibraryModel) -> impl Fn(Diagnostic) -> Failure {
    |diagnostic| broken(model, &[diagnostic])
}

/// The statements of a synapse, by pathway.
fn events(model: &LibraryModel) -> impl Iterator<Item = (&str, &str)> {
    [("on_pre", model.on_pre()), ("on_post", model.on_post())].into_iter().filter_map(|(name, text)| Some((name, text?)))
}

fn in_print(model: &LibraryModel) -> Result<String, Failure> {
    let latex = match model.kind {
        ModelKind::Synapse => latex::synapse(model.equations(), events(model), model.post().unwrap_or_default()),
        ModelKind::Neuron | ModelKind::Source => latex::neuron(&model.text().map_err(one(model))?),
    };
    latex.map_err(|found| broken(model, &found))
}

fn defaults(model: &LibraryModel) -> Result<Quantities, Failure> {
    let texts = model.parameters.iter().map(|(name, parameter)| (name.as_str(), parameter.default.as_str()));
    Quantities::from_texts(texts).map_err(one(model))
}

/// A single neuron or source, compiled.
fn compiled(model: &LibraryModel) -> Result<(NeuronModel, Program), Failure> {
    let text = model.text().map_err(one(model))?;
    let checked = check_neuron(&text, &defaults(model)?.dimensions()).map_err(|found| broken(model, &found))?;
    let mut program = checked.compile(&PopulationLayout::uniform()).map_err(one(model))?;
    if program.codes().all(|code| code.ops.is_empty()) {
        // A current that depends on time alone is computed when it is recorded.
        let observed = checked.subexpressions.keys().cloned().collect();
        program = checked.compile(&PopulationLayout { observed, ..PopulationLayout::uniform() }).map_err(one(model))?;
    }
    Ok((checked, program))
}

fn code(model: &LibraryModel) -> Result<String, Failure> {
    if model.kind != ModelKind::Synapse {
        return compiled(model).map(|(checked, program)| ir_text::neurons(&checked, &program));
    }
    let cells = model.partner().map_err(|found| broken(model, &found))?;
    let text = model.synapse_text().map_err(one(model))?;
    let given = defaults(model)?.dimensions();
    let checked = check_synapse(&text, (&cells, &cells), &given).map_err(|found| broken(model, &found))?;
    let program = checked.compile(&cells, &SynapseLayout::default()).map_err(one(model))?;
    Ok(ir_text::synapses(&checked, &program))
}

fn kernel(model: &LibraryModel) -> Result<String, Failure> {
    if model.kind == ModelKind::Synapse {
        let name = &model.name;
        return Err(Failure::Input(format!(
            "{name} is a synapse, and --wgsl needs a neuron model; remove --wgsl, or use --ir for the code of {name}"
        )));
    }
    let population = Population { name: model.name.clone(), size: 1, model: Some(model.name.clone()), ..Population::default() };
    let network = Network { name: model.name.clone(), dt_ms: 0.1, populations: vec![population], ..Network::default() };
    let texts = kernels::of_epoch(&Plan::new(&network)?, Arithmetic::Exact)?;
    Ok(texts.iter().map(|text| text.wgsl.as_str()).collect::<Vec<_>>().join("\n"))
}

/// The content of a model file.
fn page(model: &LibraryModel) -> Result<String, Failure> {
    let mut lines = vec![format!("{}: {}", model.name, model.title)];
    lines.extend(wrapped(&model.about));
    lines.extend(wrapped(&model.citation));
    let mut part = |title: &str, text: Option<&str>| {
        if let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) {
            lines.extend([String::new(), title.into()]);
            lines.extend(text.lines().map(|line| format!("  {line}").trim_end().to_owned()));
        }
    };
    part("equations", Some(model.equations()));
    if model.kind == ModelKind::Synapse {
        part("post neuron needs", model.post());
        events(model).for_each(|(name, text)| part(name, Some(text)));
        part("method", model.method());
    } else {
        let text = model.text().map_err(one(model))?;
        part("update", text.update.as_deref());
        part("threshold", text.threshold.as_deref());
        part("reset", text.reset.as_deref());
        part("refractory", text.refractory.as_deref());
        part("method", method(model)?.as_deref());
    }
    let initial: Vec<String> = model.initial.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    part("initial values", Some(&initial.join("\n")));
    part("parameters", Some(&table(&model.parameters.iter().map(row).collect::<Vec<_>>())));
    let presets: Vec<String> = model.presets.iter().map(|(name, preset)| described(name, preset)).collect();
    part("presets", Some(&presets.join("\n")));
    Ok(lines.join("\n"))
}

/// The integration method, and how it was chosen.
fn method(model: &LibraryModel) -> Result<Option<String>, Failure> {
    let (_, program) = compiled(model)?;
    let whose = if model.method().is_some() { "set by the model" } else { "chosen for these equations" };
    Ok(program.method.map(|method| format!("{} ({whose})", method.name())))
}

/// Name, default, range, unit, meaning.
fn row((name, parameter): (&String, &Parameter)) -> [String; 5] {
    let unit = parameter.unit();
    let bare = |text: &str| text.strip_suffix(unit).map_or(text, str::trim_end).to_owned();
    let [low, high] = &parameter.range;
    let in_unit = |text: &str| text.split_once(' ').is_none_or(|(_, other)| other == unit);
    // A range in another unit than the default keeps its unit.
    let range = if in_unit(low) && in_unit(high) && unit != "1" {
        format!("{} to {}", bare(low), bare(high))
    } else {
        format!("{low} to {high}")
    };
    let default = if unit == "1" { parameter.default.clone() } else { bare(&parameter.default) };
    [name.clone(), default, range, unit.into(), parameter.about.clone()]
}

/// Rows with a header, each column as wide as its widest cell.
fn table(rows: &[[String; 5]]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let head = ["name", "default", "range", "unit", "meaning"].map(str::to_owned);
    let all: Vec<&[String; 5]> = std::iter::once(&head).chain(rows).collect();
    let width = |column: usize| all.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    let line = |row: &&[String; 5]| {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    all.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A preset: its description, and its values.
fn described(name: &str, preset: &Preset) -> String {
    let values = preset.parameters.iter().chain(&preset.initial).map(|(name, value)| format!("{name} = {value}"));
    let citation = preset.citation.iter().map(|citation| format!("\n    {citation}")).collect::<String>();
    format!("{name}: {}{citation}\n    {}", preset.about, values.collect::<Vec<_>>().join(", "))
}
