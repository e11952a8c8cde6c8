//! The table of a population's neurons, in a file.

use std::io::{Read, Seek};
use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Population, Quantity, json};
use crate::{Error, NeuronTable};

/// A table with a row for each neuron of the population, in the order of the indices: `{"file": "neurons.csv", "id": "root_id"}`. Files of
/// edges name neurons by their identifiers then, and conditions such as `brain[type == 'KC']` select some.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NeuronFile {
    /// Its name, or its path relative to the network file: `.csv`, `.tsv` or `.txt`, also with `.gz`, whose first line
    /// names the columns; or `.feather` or `.parquet`.
    pub file: String,
    /// The column with the identifiers of the neurons: whole numbers of up to 64 bits, or texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Parameters of the population from columns of numbers, in inner units: `{"threshold_mv": "Vt"}` reads the column `Vt`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub columns: IndexMap<String, String>,
    /// Parameters from columns of texts: `{"sign": {"column": "nt_type", "values": {"GABA": -1}, "otherwise": 1}}`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub codes: IndexMap<String, TextCodes>,
    /// Its content, after it was read.
    #[serde(skip)]
    pub(super) table: Option<Arc<NeuronTable>>,
    /// Parameters of the population that come from it.
    #[serde(skip)]
    taken: Vec<String>,
    /// Values of the population as they were given, where each neuron has its own now.
    #[serde(skip)]
    pub(super) written: IndexMap<String, Quantity>,
}

/// Numbers for the texts of a column.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TextCodes {
    /// The column.
    pub column: String,
    /// The number of each text.
    #[serde(deserialize_with = "json::ordered")]
    pub values: IndexMap<String, f64>,
    /// The number of all other texts; without it they are errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<f64>,
}

impl NeuronFile {
    /// The name of the file, if it has not been read.
    pub fn unread(&self) -> Option<&str> {
        if self.table.is_none() { Some(&self.file) } else { None }
    }

    /// Its content, after it was read.
    pub fn table(&self) -> Option<&NeuronTable> {
        self.table.as_deref()
    }

    /// A value is set: it comes neither from the file nor from what was given before.
    pub(super) fn forget(&mut self, name: &str) {
        self.taken.retain(|taken| taken != name);
        self.written.shift_remove(name);
    }

    /// The names of parameters that come from the file, unless the population gives them.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &String> {
        self.columns.keys().chain(self.codes.keys())
    }
}

impl Population {
    /// Reads the table, and takes parameters from it that the population does not give.
    pub(super) fn take_table(&mut self, path: &str, source: impl Read + Seek) -> Result<(), Error> {
        let Some(neurons) = &mut self.neurons else { return Ok(()) };
        let table = NeuronTable::read(&neurons.file, source, neurons.id.as_deref())?;
        if table.rows() != self.size as usize {
            let expected = format!("{} has {} rows, one for each neuron", neurons.file, table.rows());
            let way_out = format!("set the size to {}", table.rows());
            return Err(Error::invalid(format!("{path}.size"), self.size, expected, way_out));
        }
        let columns = neurons.columns.iter().map(|(name, column)| Ok((name.clone(), table.numbers(column)?)));
        let codes = neurons
            .codes
            .iter()
            .map(|(name, TextCodes { column, values, otherwise })| Ok((name.clone(), table.coded(column, values, *otherwise)?)));
        let read = columns.chain(codes).collect::<Result<Vec<(String, Vec<f64>)>, Error>>()?;
        neurons.table = Some(Arc::new(table));
        for (name, values) in read {
            if !self.parameters.contains_key(&name) && !self.initial.contains_key(&name) {
                self.parameters.insert(name.clone(), Quantity::Values { values, unit: None });
                neurons.taken.push(name);
            }
        }
        self.evaluate_conditions(path)
    }

    /// Without the parameters from its table, unless they were set.
    pub(super) fn without_table(&mut self) {
        let Some(neurons) = &mut self.neurons else { return };
        let (taken, written) = (std::mem::take(&mut neurons.taken), std::mem::take(&mut neurons.written));
        let rows = self.size as usize;
        self.parameters.retain(|name, value| !(taken.contains(name) && value.is_column(rows)));
        for (name, value) in written {
            if let Some(place) = self.initial.get_mut(&name).or_else(|| self.parameters.get_mut(&name)) {
                *place = value;
            }
        }
        neurons.table = None;
    }
}
