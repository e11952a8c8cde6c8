//! `spikelet list`.

use serde::Serialize;
use spikelet::catalogue;
use spikelet_lang::library;

use crate::args::{List, Listing};
use crate::device;
use crate::failure::Failure;
use crate::output::print;
use crate::report::grouped;

pub(crate) fn list(args: &List) -> Result<(), Failure> {
    match args.what {
        Listing::Networks => show(args.json, &networks()?),
        Listing::Models => show(args.json, &models()?),
        Listing::Devices => show(args.json, &device::all()),
    }
}

/// Something that is listed.
pub(crate) trait Item: Serialize {
    /// A short name to refer to it by.
    fn name(&self) -> &str;
    /// What it is, a line each.
    fn lines(&self) -> Vec<String>;
}

fn show<T: Item>(json: bool, items: &[T]) -> Result<(), Failure> {
    if json {
        // Names, texts and numbers: it cannot fail.
        return print(&serde_json::to_string_pretty(items).unwrap_or_default());
    }
    let widest = items.iter().map(|item| item.name().chars().count()).max().unwrap_or(0);
    let rows = items.iter().flat_map(|item| {
        let named = |(n, line): (usize, String)| format!("{:<widest$}  {line}", if n == 0 { item.name() } else { "" });
        item.lines().into_iter().enumerate().map(named)
    });
    print(&rows.collect::<Vec<_>>().join("\n"))
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
    fn name(&self) -> &str {
        self.name
    }

    fn lines(&self) -> Vec<String> {
        let size = format!("{} neurons at scale 1, steps of {} ms", grouped(self.neurons), self.dt_ms);
        vec![self.title.to_owned(), size, self.citation.to_owned()]
    }
}

fn networks() -> Result<Vec<NetworkItem>, Failure> {
    let item = |entry: &catalogue::Entry| {
        let network = (entry.build)(1.0)?;
        let catalogue::Entry { name, title, about, citation, .. } = *entry;
        Ok(NetworkItem { name, title, about, citation, neurons: network.neurons(), dt_ms: network.dt_ms })
    };
    catalogue::entries().iter().map(item).collect()
}

#[derive(Serialize)]
struct ModelItem {
    name: String,
    title: String,
    about: String,
    citation: String,
    parameters: Vec<Parameter>,
}

#[derive(Serialize)]
struct Parameter {
    name: String,
    default: String,
    range: [String; 2],
    about: String,
}

impl Item for ModelItem {
    fn name(&self) -> &str {
        &self.name
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.title.clone()];
        lines.extend(self.parameters.iter().map(|p| format!("  {:<6} {:<8} {}", p.name, p.default, p.about)));
        lines.push(self.citation.clone());
        lines
    }
}

fn models() -> Result<Vec<ModelItem>, Failure> {
    let item = |name: &str| {
        let model = library::library(name).map_err(|_| Failure::Run(format!("the model {name} cannot be read")))?;
        let parameters =
            model.parameters.into_iter().map(|(name, p)| Parameter { name, default: p.default, range: p.range, about: p.about });
        let parameters = parameters.collect();
        Ok(ModelItem { name: model.name, title: model.title, about: model.about, citation: model.citation, parameters })
    };
    library::names().map(item).collect()
}
