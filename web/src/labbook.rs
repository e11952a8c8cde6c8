//! The lab book: what a reader needs to understand and repeat a run, as plain tables.

use indexmap::IndexMap;
use serde_json::Value;
use spikelet_network::{Delays, Network, Pathways, Population, Projection, Quantity, RunRegularly, Source};

use crate::{
    equations::{
        self,
        texts::{Field, Texts},
    },
    network::{fields, lines},
    number,
    share::TimedChange,
};

/// A row: its name, and facts as label and text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TableRow {
    pub(crate) name: String,
    /// Short facts for columns.
    pub(crate) cells: Vec<String>,
    /// Longer texts, as labels and code.
    pub(crate) texts: Vec<(&'static str, String)>,
}

/// The columns of populations, sources and projections.
pub(crate) const POPULATIONS: [&str; 4] = ["Population", "Neurons", "Model", "Positions"];
/// See [`POPULATIONS`].
pub(crate) const SOURCES: [&str; 2] = ["Source", "Spikes"];
/// See [`POPULATIONS`].
pub(crate) const PROJECTIONS: [&str; 5] = ["Projection", "From", "To", "Connectivity", "Delay"];

/// Populations with their equations.
pub(crate) fn populations(network: &Network) -> Vec<TableRow> {
    network.populations.iter().map(population).collect()
}

fn population(population: &Population) -> TableRow {
    let texts = Texts::of(population);
    let label = |field: Field| match field {
        Field::Equations => "Equations",
        Field::Update => "Every step",
        Field::Threshold => "Threshold",
        Field::Reset => "Reset",
        Field::Refractory => "Refractory",
    };
    let model = match (&population.model, &population.preset) {
        (Some(model), Some(preset)) => format!("{model}, {preset}"),
        (Some(model), None) => model.clone(),
        (None, _) => "own equations".to_owned(),
    };
    let positions = population.positions.as_ref().map_or_else(|| "none".to_owned(), json_kind);
    let texts = Field::ALL.into_iter().map(|field| (label(field), field.of(&texts).trim().to_owned()));
    let texts = texts.chain(regular(&population.run_regularly));
    TableRow {
        name: population.name.clone(),
        cells: vec![number::grouped(population.size.into()), model, positions],
        texts: texts.chain(values("Initial values", &population.initial)).filter(|(_, text)| !text.is_empty()).collect(),
    }
}

/// `every 10 ms: v += 1*mV`, one per line.
fn regular(list: &[RunRegularly]) -> Option<(&'static str, String)> {
    let in_order: Vec<RunRegularly> = RunRegularly::in_order(list).into_iter().map(|index| list[index].clone()).collect();
    (!list.is_empty()).then(|| ("At regular times", lines::print(&in_order)))
}

/// `v = -60 mV`, one per line.
fn values(label: &'static str, values: &IndexMap<String, Quantity>) -> Option<(&'static str, String)> {
    let lines: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {}", text_of(value))).collect();
    (!lines.is_empty()).then(|| (label, lines.join("\n")))
}

/// A value as it is typed; a list as JSON.
fn text_of(value: &Quantity) -> String {
    equations::written(value).unwrap_or_else(|| shortened(&value.to_string()))
}

/// Sources.
pub(crate) fn sources(network: &Network) -> Vec<TableRow> {
    network.sources.iter().map(source).collect()
}

fn source(source: &Source) -> TableRow {
    let fields = fields::of_source(source).into_iter().filter_map(|field| match field.content {
        fields::Content::Text(text) if !text.is_empty() && field.key != "name" => {
            Some(format!("{}: {}", fields::label(&field.key), shortened(&text)))
        }
        _ => None,
    });
    TableRow { name: source.name.clone(), cells: vec![fields.collect::<Vec<_>>().join("; ")], texts: Vec::new() }
}

/// Projections with what their synapses do.
pub(crate) fn projections(network: &Network) -> Vec<TableRow> {
    network.projections.iter().map(projection).collect()
}

fn projection(projection: &Projection) -> TableRow {
    let delay_of =
        |delay: &Quantity| fields::delay_text(delay).map_or_else(|| "one per synapse".to_owned(), |text| shortened(&text));
    let delay = match &projection.delay_ms {
        Delays::Same(delay) => delay_of(delay),
        Delays::Each(delays) => {
            delays.iter().map(|(pathway, delay)| format!("{pathway}: {}", delay_of(delay))).collect::<Vec<_>>().join("; ")
        }
    };
    let pathways = |label: &'static str, pathways: Option<&Pathways>| {
        let pathways = pathways?;
        let lines = || pathways.iter().map(|(name, text)| format!("{name}: {text}")).collect::<Vec<_>>().join("\n");
        Some((label, pathways.single().map_or_else(lines, str::to_owned)))
    };
    let text = |label: &'static str, text: &Option<String>| text.as_ref().map(|text| (label, text.trim().to_owned()));
    let third = projection.third.as_ref().map(|third| {
        let index = third.index.as_ref().map(|index| format!("[{}]", shortened(&index.to_string())));
        format!("{}{}", third.population, index.unwrap_or_default())
    });
    let texts = [
        text("Model", &projection.model),
        text("Third neuron", &third),
        text("Equations", &projection.equations),
        pathways("At a presynaptic spike", projection.on_pre.as_ref()),
        pathways("At a postsynaptic spike", projection.on_post.as_ref()),
        pathways("At a spike of the third neuron", projection.on_third.as_ref()),
        regular(&projection.run_regularly),
        values("Parameters", &projection.parameters),
        values("Initial values", &projection.initial),
    ];
    TableRow {
        name: projection.name.clone(),
        cells: vec![projection.pre.to_string(), projection.post.to_string(), fields::rule_in_short(projection), delay],
        texts: texts.into_iter().flatten().filter(|(_, text)| !text.is_empty()).collect(),
    }
}

/// A row of the changes of a run: one change, or those of one slider that was dragged.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChangeRow {
    /// The first and the last step.
    pub(crate) steps: [u32; 2],
    pub(crate) path: String,
    /// The last value.
    pub(crate) value: String,
}

/// Changes of the same parameter that are at most this far apart, with no other between them, are one row, in ms.
const DRAG_MS: f64 = 2000.0;

/// The changes of a run as rows.
pub(crate) fn changes(changes: &[TimedChange], dt_ms: f64) -> Vec<ChangeRow> {
    let mut rows: Vec<ChangeRow> = Vec::new();
    for (step, path, value) in changes {
        match rows.last_mut().filter(|row| row.path == *path && f64::from(step - row.steps[1]) * dt_ms <= DRAG_MS) {
            Some(row) => {
                row.steps[1] = *step;
                row.value.clone_from(value);
            }
            None => rows.push(ChangeRow { steps: [*step, *step], path: path.clone(), value: value.clone() }),
        }
    }
    rows
}

/// The kind of a tagged object, such as that of positions, with its numbers.
fn json_kind(object: &impl serde::Serialize) -> String {
    let Ok(Value::Object(fields)) = serde_json::to_value(object) else { return String::new() };
    let parts = fields.iter().map(|(key, value)| match value {
        Value::String(text) => text.clone(),
        value => format!("{key} {}", shortened(&value.to_string())),
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// The maximum number of characters of a value in a table.
const WIDEST: usize = 120;

/// A long list by its beginning and its length.
fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= WIDEST {
        return text.to_owned();
    }
    format!("{} … ({} characters)", text.chars().take(WIDEST).collect::<String>(), number::grouped(count as u64))
}

/// The mean rate of all neurons, in Hz: spikes per neuron and second.
pub(crate) fn mean_rate_hz(spikes: u64, neurons: u64, time_ms: f64) -> Option<f64> {
    (neurons > 0 && time_ms > 0.0).then(|| spikes as f64 / neurons as f64 / (time_ms * 1e-3))
}

#[cfg(test)]
mod tests {
    use spikelet_network::catalogue;

    use super::*;

    #[test]
    fn a_drag_is_one_row() {
        let change = |step: u32, path: &str, value: &str| (step, path.to_owned(), value.to_owned());
        let drag = [
            change(20_340, "E.taum", "19.5 ms"),
            change(30_000, "E.taum", "18 ms"),
            change(39_200, "E.taum", "15 ms"),
            change(39_300, "IE.wi", "-4 mV"),
            change(39_400, "E.taum", "16 ms"),
            change(99_400, "E.taum", "17 ms"),
        ];
        let rows = changes(&drag, 0.1);
        let found: Vec<_> = rows.iter().map(|row| (row.steps, row.path.as_str(), row.value.as_str())).collect();
        assert_eq!(
            found,
            [
                ([20_340, 39_200], "E.taum", "15 ms"),
                ([39_300, 39_300], "IE.wi", "-4 mV"),
                ([39_400, 39_400], "E.taum", "16 ms"),
                ([99_400, 99_400], "E.taum", "17 ms"),
            ]
        );
    }

    #[test]
    fn every_built_in_network_is_described() {
        for entry in catalogue::entries() {
            let network = catalogue::network(entry.name, 1.0).unwrap();
            for (rows, count, columns) in [
                (populations(&network), network.populations.len(), POPULATIONS.len()),
                (sources(&network), network.sources.len(), SOURCES.len()),
                (projections(&network), network.projections.len(), PROJECTIONS.len()),
            ] {
                assert_eq!(rows.len(), count, "{}", network.name);
                for row in rows {
                    assert_eq!(row.cells.len() + 1, columns, "{row:?}");
                    assert!(!row.name.is_empty() && row.cells.iter().all(|cell| cell.len() < 400), "{row:?}");
                }
            }
            let all = [populations(&network), sources(&network), projections(&network)].concat();
            assert!(all.iter().all(|row| row.texts.iter().all(|(_, text)| !text.contains("\"expr\""))), "{all:?}");
            assert!(populations(&network).iter().all(|row| row.texts.iter().any(|(label, _)| *label == "Equations")));
        }
    }

    #[test]
    fn the_rate_is_per_neuron_and_second() {
        assert_eq!(mean_rate_hz(5000, 1000, 500.0), Some(10.0));
        assert_eq!(mean_rate_hz(5000, 0, 500.0), None);
        assert_eq!(mean_rate_hz(0, 1000, 0.0), None);
    }
}
