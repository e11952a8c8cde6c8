//! `spikelet list`.

mod device;
mod item;
mod training;

use serde::Serialize;
use spikelet::{catalogue, grouped};
use spikelet_lang::library::{self, LibraryModel, ModelKind};

use crate::args::{self, ListArguments, ListKind};
use crate::failure::Failure;
use crate::terminal::print;
use crate::text::wrapped;
use item::Item;

pub(crate) fn list(args: &ListArguments) -> Result<(), Failure> {
    if args.kind.is_some() && !matches!(args.what, ListKind::Models) {
        return Err(Failure::Input("--kind goes with `spikelet list models`".into()));
    }
    match args.what {
        ListKind::Networks => show(args.json, &networks()?),
        ListKind::Models => show_models(args.json, args.kind),
        ListKind::Trainings => show(args.json, &training::all()?),
        ListKind::Devices => show_devices(args.json),
    }
}

fn show<T: Item>(json: bool, items: &[T]) -> Result<(), Failure> {
    if json {
        // Names, texts and numbers: it cannot fail.
        return print(&serde_json::to_string_pretty(items).unwrap_or_default());
    }
    print(&table(items.iter()))
}

fn show_devices(json: bool) -> Result<(), Failure> {
    let (devices, no_gpu_reason) = device::all();
    match no_gpu_reason {
        Some(no_gpu_reason) if !json => print(&format!("{}\n\n{no_gpu_reason}", table(devices.iter()))),
        _ => show(json, &devices),
    }
}

/// Names on the left, descriptions on the right.
fn table<'a, T: Item + 'a>(items: impl Iterator<Item = &'a T> + Clone) -> String {
    let widest = items.clone().map(|item| item.label().chars().count()).max().unwrap_or(0);
    let rows = items.flat_map(|item| {
        let named = move |(n, line): (usize, String)| format!("{:<widest$}  {line}", if n == 0 { item.label() } else { "" });
        item.lines().into_iter().enumerate().map(named)
    });
    rows.collect::<Vec<_>>().join("\n")
}

#[derive(Serialize)]
struct NetworkItem {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    citation: &'static str,
    neurons: u64,
    dt_ms: f64,
}

impl Item for NetworkItem {
    fn label(&self) -> &str {
        self.name
    }

    fn lines(&self) -> Vec<String> {
        let size = format!("{} neurons at scale 1, steps of {} ms", grouped(self.neurons), self.dt_ms);
        vec![self.title.to_owned(), size, self.citation.to_owned()]
    }
}

fn networks() -> Result<Vec<NetworkItem>, Failure> {
    let item = |entry: &catalogue::CatalogueEntry| {
        let network = entry.network(1.0)?;
        let catalogue::CatalogueEntry { name, title, about, citation, .. } = *entry;
        Ok(NetworkItem { name, title, about, citation, neurons: network.neurons(), dt_ms: network.dt_ms })
    };
    catalogue::entries().iter().map(item).collect()
}

#[derive(Serialize)]
struct ModelItem {
    name: String,
    kind: ModelKind,
    title: String,
    about: String,
    citation: String,
    parameters: Vec<Parameter>,
    presets: Vec<Preset>,
}

#[derive(Serialize)]
struct Parameter {
    name: String,
    default: String,
    range: [String; 2],
    about: String,
}

#[derive(Serialize)]
struct Preset {
    name: String,
    about: String,
}

impl Item for ModelItem {
    fn label(&self) -> &str {
        &self.name
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.title.clone()];
        if !self.presets.is_empty() {
            let names: Vec<&str> = self.presets.iter().map(|preset| preset.name.as_str()).collect();
            lines.extend(wrapped(&format!("presets: {}", names.join(", "))));
        }
        lines
    }
}

/// The models of each kind under a heading; or those of one kind.
fn show_models(json: bool, kind: Option<args::ModelKind>) -> Result<(), Failure> {
    let wanted = kind.map(|kind| match kind {
        args::ModelKind::Neuron => ModelKind::Neuron,
        args::ModelKind::Source => ModelKind::Source,
        args::ModelKind::Synapse => ModelKind::Synapse,
    });
    let mut models = models();
    models.retain(|model| wanted.is_none_or(|kind| model.kind == kind));
    if json {
        return show(true, &models);
    }
    let of = |kind| models.iter().filter(move |model| model.kind == kind);
    let sections =
        [("Neurons", ModelKind::Neuron), ("Sources of spikes and currents", ModelKind::Source), ("Synapses", ModelKind::Synapse)];
    let sections = sections.into_iter().filter(|(_, kind)| of(*kind).next().is_some());
    let sections: Vec<String> = sections.map(|(heading, kind)| format!("{heading}\n\n{}", table(of(kind)))).collect();
    print(&format!("{}\n\nOne of them: spikelet show model NAME", sections.join("\n\n")))
}

fn models() -> Vec<ModelItem> {
    let item = |model: &LibraryModel| {
        let LibraryModel { name, kind, title, about, citation, parameters, presets, .. } = model.clone();
        let parameters =
            parameters.into_iter().map(|(name, p)| Parameter { name, default: p.default, range: p.range, about: p.about });
        let presets = presets.into_iter().map(|(name, preset)| Preset { name, about: preset.about });
        let (parameters, presets) = (parameters.collect(), presets.collect());
        ModelItem { name, kind, title, about, citation, parameters, presets }
    };
    library::models().map(item).collect()
}
