//! `spikelet compare --all`: the tables of `docs/precision.md`.

use spikelet::Network;
use spikelet::catalogue::{self, CatalogueEntry};
use spikelet::compare::{Difference, VariableComparison};
use spikelet_verify::library_cells;

use super::{compare, object};
use crate::args::{CompareArguments, TableFormat};
use crate::failure::Failure;
use crate::terminal;
use crate::text::short;

/// Duration of each run in ms, unless it is set.
const TIME_MS: f64 = 1000.0;

/// Compares all networks of the catalogue, and all neuron models of the library.
pub(super) fn run(args: &CompareArguments) -> Result<(), Failure> {
    let mut comparisons = Vec::new();
    let table = Table::new(
        args,
        &[
            ("network", 18),
            ("neurons", 8),
            ("spikes", 9),
            ("same", 9),
            ("until ms", 10),
            ("error", 9),
            ("of", 14),
            ("f32/f64", 10),
        ],
    );
    for entry in catalogue::entries() {
        let comparison = compare(&network(entry, args)?, args)?;
        let [single, double] = comparison.spikes();
        let neurons: u32 = comparison.populations.iter().map(|of| of.size).sum();
        let [same, until] = first(comparison.first_difference.as_ref(), double);
        let [error, variable] = error(comparison.largest_error());
        let rate = if double > 0 { format!("{:.4}", single as f64 / double as f64) } else { "none".into() };
        table.row(&[entry.name.into(), neurons.to_string(), double.to_string(), same, until, error, variable, rate])?;
        comparisons.push(comparison);
    }
    let mut cells = library_cells()?;
    set(&mut cells, args, TIME_MS)?;
    let cells = compare(&cells, args)?;
    let columns = [("neuron model", 42), ("spikes", 9), ("same", 9), ("until ms", 10), ("error", 9), ("of", 14)];
    let table = Table::new(args, &columns);
    for of in &cells.populations {
        let own = cells.variables.iter().filter(|variable| variable.variable.split('.').next() == Some(of.name.as_str()));
        let largest = own.max_by(|one, other| one.relative_error().total_cmp(&other.relative_error()));
        let [same, until] = first(of.first_difference.as_ref(), of.spikes[1]);
        let [error, variable] = error(largest);
        table.row(&[of.name.clone(), of.spikes[1].to_string(), same, until, error, variable])?;
    }
    comparisons.push(cells);
    if args.json { terminal::print(&serde_json::json!(comparisons.iter().map(object).collect::<Vec<_>>())) } else { Ok(()) }
}

/// A network of the catalogue at its small scale.
fn network(entry: &CatalogueEntry, args: &CompareArguments) -> Result<Network, Failure> {
    let mut network = entry.network(entry.small)?;
    set(&mut network, args, TIME_MS)?;
    Ok(network)
}

fn set(network: &mut Network, args: &CompareArguments, time_ms: f64) -> Result<(), Failure> {
    network.set("duration_ms", &args.settings.time.unwrap_or(time_ms).to_string())?;
    if let Some(seed) = args.settings.seed {
        network.set("seed", &seed.to_string())?;
    }
    Ok(())
}

/// The number of equal spikes, and the time of the first one that differs.
fn first(difference: Option<&Difference>, all: u64) -> [String; 2] {
    match difference {
        Some(difference) => [difference.same_spikes.to_string(), short(difference.time_ms)],
        None => [if all > 0 { "all" } else { "none" }.to_owned(), "end".to_owned()],
    }
}

/// The largest error as a part of the range of its variable, and the name of this.
fn error(variable: Option<&VariableComparison>) -> [String; 2] {
    match variable {
        Some(of) if of.relative_error() > 0.0 => {
            let name = of.variable.split_once('.').map_or(of.variable.as_str(), |(_, name)| name);
            [format!("{:.1e}", of.relative_error()), name.to_owned()]
        }
        _ => ["0".to_owned(), "none".to_owned()],
    }
}

/// Rows that are printed as they are computed.
struct Table {
    widths: Vec<usize>,
    is_markdown: bool,
    is_silent: bool,
}

impl Table {
    fn new(args: &CompareArguments, columns: &[(&str, usize)]) -> Table {
        let widths = columns.iter().map(|(_, width)| *width).collect();
        let table = Table { widths, is_markdown: args.format == TableFormat::Markdown, is_silent: args.json };
        let names: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        // A table whose head cannot be printed fails with its first row.
        _ = table.row(&names);
        if table.is_markdown && !table.is_silent {
            _ = terminal::print(&format_args!("|{}", "---|".repeat(columns.len())));
        }
        table
    }

    fn row(&self, cells: &[String]) -> Result<(), Failure> {
        if self.is_silent {
            return Ok(());
        }
        if self.is_markdown {
            return terminal::print(&format_args!("| {} |", cells.join(" | ")));
        }
        let cell = |(cell, width): (&String, &usize)| format!("{cell:>width$}");
        let rest: String = cells.iter().zip(&self.widths).skip(1).map(cell).collect();
        terminal::print(&format_args!("{:<width$}{rest}", cells[0], width = self.widths[0]))
    }
}
