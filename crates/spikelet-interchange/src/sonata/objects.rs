//! Nodes and edges of a population: their types, and the values that a type or each of them has.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use spikelet_network::Error;

use crate::hdf5;

/// A table of types: the columns of each, by its number.
#[derive(Debug, Default)]
pub(super) struct Types {
    rows: BTreeMap<i64, IndexMap<String, String>>,
}

impl Types {
    /// Reads a table: columns are separated by single spaces, texts with spaces are in quotes.
    pub(super) fn parse(file: &str, bytes: &[u8], key: &str) -> Result<Types, Error> {
        let wrong = |line: u64, why: String| {
            let expected = format!("columns separated by single spaces are expected, with a header that has `{key}` ({why})");
            Error::invalid(format_args!("{file}, line {line}"), "not readable", expected, "export it again")
        };
        let line_of = |error: &csv::Error| error.position().map_or(1, csv::Position::line);
        let mut reader = csv::ReaderBuilder::new().delimiter(b' ').from_reader(bytes);
        let header = reader.headers().map_err(|error| wrong(line_of(&error), error.to_string()))?.clone();
        let Some(place) = header.iter().position(|name| name == key) else {
            return Err(wrong(1, format!("it has {}", header.iter().collect::<Vec<_>>().join(", "))));
        };
        let mut types = Types::default();
        for row in reader.records() {
            let row = row.map_err(|error| wrong(line_of(&error), error.to_string()))?;
            let line = row.position().map_or(0, csv::Position::line);
            let number = row[place].parse().map_err(|_| wrong(line, format!("`{}` is no number of a type", &row[place])))?;
            // Tables say in this way that a type has no value.
            let given = |value: &str| !value.is_empty() && value != "NULL" && value != "*";
            let values = header.iter().zip(&row).filter(|(_, value)| given(value));
            types.rows.insert(number, values.map(|(name, value)| (name.to_owned(), value.to_owned())).collect());
        }
        Ok(types)
    }

    fn get(&self, number: i64, column: &str) -> Option<&str> {
        self.rows.get(&number)?.get(column).map(String::as_str)
    }
}

/// Columns of types that say how a circuit was made.
const KNOWN: [&str; 5] = ["node_type_id", "edge_type_id", "target_query", "source_query", "pop_name"];
/// The group of the texts that others are indices of.
const LIBRARY: &str = "@library";

/// Nodes or edges of a population.
#[derive(Debug)]
pub(super) struct Objects<'a> {
    /// The path of the file.
    pub(super) file: &'a str,
    data: &'a hdf5::File,
    /// The group in the file, such as `/nodes/internal`.
    pub(super) root: String,
    table: Types,
    /// The type of each.
    types: Vec<i64>,
    /// The group of attributes of each, and its index in it.
    places: Vec<(i64, usize)>,
    /// The names of the attributes that were read: what nothing reads is a notice.
    read: RefCell<BTreeSet<String>>,
}

impl<'a> Objects<'a> {
    /// Opens a population; `kind` is `node` or `edge`.
    pub(super) fn open(
        (file, data): (&'a str, &'a hdf5::File),
        kind: &str,
        population: &str,
        table: Types,
    ) -> Result<Objects<'a>, Error> {
        let root = format!("/{kind}s/{population}");
        let column = |name: String| -> Result<Option<Vec<i64>>, Error> {
            if !data.has_dataset(&root, &name) {
                return Ok(None);
            }
            data.dataset(&format!("{root}/{name}"))?.i64().map(Some)
        };
        let told = |error: Error| error.within(file, "");
        let types = data.dataset(&format!("{root}/{kind}_type_id")).and_then(|types| types.i64()).map_err(told)?;
        let groups = column(format!("{kind}_group_id")).map_err(told)?.unwrap_or_else(|| vec![0; types.len()]);
        let indices = column(format!("{kind}_group_index")).map_err(told)?;
        let indices = indices.unwrap_or_else(|| (0..types.len() as i64).collect());
        if groups.len() != types.len() || indices.len() != types.len() {
            let expected = format!("{kind}_type_id, {kind}_group_id and {kind}_group_index must have the same length");
            let lengths = format!("{}, {} and {} values", types.len(), groups.len(), indices.len());
            return Err(Error::invalid(&root, lengths, expected, "export the file again").within(file, ""));
        }
        let places = groups.into_iter().zip(indices.into_iter().map(|index| usize::try_from(index).unwrap_or(usize::MAX)));
        Ok(Objects { file, data, table, types, places: places.collect(), root, read: RefCell::default() })
    }

    /// Their number.
    pub(super) fn count(&self) -> usize {
        self.types.len()
    }

    /// The whole numbers of a dataset with one for each of them.
    pub(super) fn column(&self, name: &str) -> Result<Vec<i64>, Error> {
        let path = format!("{}/{name}", self.root);
        let values = self.data.dataset(&path).and_then(|data| data.i64()).map_err(|error| error.within(self.file, ""))?;
        if values.len() == self.count() {
            return Ok(values);
        }
        let expected = format!("one value for each of {} is expected", self.count());
        Err(Error::invalid(path, format!("{} values", values.len()), expected, "export the file again").within(self.file, ""))
    }

    /// The same of a dataset that files may leave out.
    pub(super) fn column_if_any(&self, name: &str) -> Result<Option<Vec<i64>>, Error> {
        if self.data.has_dataset(&self.root, name) { self.column(name).map(Some) } else { Ok(None) }
    }

    /// The population to which a dataset of identifiers refers.
    pub(super) fn population_of(&self, name: &str) -> Option<String> {
        let attributes = self.data.attributes(&format!("{}/{name}", self.root)).ok()?;
        attributes.get("node_population")?.text().map(str::to_owned)
    }

    /// The attributes that groups and the table of types have, and nothing has read.
    pub(super) fn unused(&self) -> Result<Vec<String>, Error> {
        let mut names: BTreeSet<String> = self.table.rows.values().flat_map(IndexMap::keys).cloned().collect();
        let groups: BTreeSet<i64> = self.places.iter().map(|(group, _)| *group).collect();
        for group in groups {
            let folder = format!("{}/{group}", self.root);
            if !self.data.has_group(&folder) {
                continue;
            }
            let within = |error: Error| error.within(self.file, "");
            names.extend(self.data.datasets(&folder).map_err(within)?);
            for inner in self.data.groups(&folder).map_err(within)?.into_iter().filter(|inner| inner != LIBRARY) {
                let all = self.data.datasets(&format!("{folder}/{inner}")).map_err(within)?;
                names.extend(all.into_iter().map(|name| format!("{inner}/{name}")));
            }
        }
        let read = self.read.borrow();
        // The identifier of a type is its number, and queries say how the edges were made.
        let known = |name: &String| read.contains(name) || KNOWN.contains(&name.as_str());
        Ok(names.into_iter().filter(|name| !known(name)).collect())
    }

    /// The numbers with this name, of each or of its type; `None` where it has none.
    pub(super) fn numbers(&self, name: &str) -> Result<Vec<Option<f64>>, Error> {
        self.read.borrow_mut().insert(name.to_owned());
        let mut values = Vec::with_capacity(self.count());
        for number in &self.types {
            let text = self.table.get(*number, name);
            let value = text.map(|text| text.parse().map_err(|_| self.no_number(*number, name, text))).transpose()?;
            values.push(value);
        }
        self.overlay(name, &mut values, |data| data.f64())?;
        Ok(values)
    }

    /// The texts with this name, of each or of its type.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<Option<String>>, Error> {
        self.read.borrow_mut().insert(name.to_owned());
        let mut values: Vec<_> = self.types.iter().map(|number| self.table.get(*number, name).map(str::to_owned)).collect();
        let library = |group: i64| format!("{}/{group}/{LIBRARY}", self.root);
        self.overlay(name, &mut values, |data| {
            if data.is_text() {
                return data.strings();
            }
            // Enumerated: indices of texts in a library.
            let group = data.path().rsplit('/').nth(1).and_then(|group| group.parse().ok()).unwrap_or(0);
            if !self.data.has_dataset(&library(group), name) {
                return Ok(data.f64()?.into_iter().map(|value| value.to_string()).collect());
            }
            let words = self.data.dataset(&format!("{}/{name}", library(group)))?.strings()?;
            let word = |index: &i64| usize::try_from(*index).ok().and_then(|index| words.get(index)).cloned().unwrap_or_default();
            Ok(data.i64()?.iter().map(word).collect())
        })?;
        Ok(values)
    }

    /// Overwrites values by those that groups have of each.
    fn overlay<T: Clone>(
        &self,
        name: &str,
        values: &mut [Option<T>],
        read: impl Fn(&hdf5::Dataset<'_>) -> Result<Vec<T>, Error>,
    ) -> Result<(), Error> {
        let groups: BTreeSet<i64> = self.places.iter().map(|(group, _)| *group).collect();
        for group in groups {
            let folder = format!("{}/{group}", self.root);
            let (inner, last) =
                name.rsplit_once('/').map_or((folder.clone(), name), |(inner, last)| (format!("{folder}/{inner}"), last));
            if !self.data.has_dataset(&inner, last) {
                continue;
            }
            let path = format!("{inner}/{last}");
            let found = self.data.dataset(&path).and_then(|data| read(&data)).map_err(|error| error.within(self.file, ""))?;
            for ((of, index), value) in self.places.iter().zip(&mut *values).filter(|((of, _), _)| *of == group) {
                let own = found.get(*index).ok_or_else(|| {
                    let expected = format!("an index of group {of} below {} is expected", found.len());
                    Error::invalid(&path, index, expected, "export the file again").within(self.file, "")
                })?;
                *value = Some(own.clone());
            }
        }
        Ok(())
    }

    fn no_number(&self, number: i64, name: &str, text: &str) -> Error {
        let place = format!("{}: {}, `{name}` of type {number}", self.file, self.root);
        Error::invalid(place, format_args!("`{text}`"), "a number is expected", "correct the table of types")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_columns_of_texts_with_spaces() {
        let text = "edge_type_id target_query delay note\n7 ei=='e' 2.0 \"two words\"\n8 * NULL x\n";
        let types = Types::parse("t.csv", text.as_bytes(), "edge_type_id").unwrap();
        assert_eq!(types.get(7, "note"), Some("two words"));
        assert_eq!(types.get(7, "delay"), Some("2.0"));
        assert_eq!((types.get(8, "delay"), types.get(8, "target_query"), types.get(9, "note")), (None, None, None));
    }

    #[test]
    fn malformed_tables_have_a_sentence() {
        for (text, said) in [
            ("", "it has"),
            ("node_type_id a\n1 2\n", "it has node_type_id, a"),
            ("edge_type_id a\n1\n", "t.csv, line 2"),
            ("edge_type_id a\nx 1\n", "`x` is no number"),
        ] {
            let error = Types::parse("t.csv", text.as_bytes(), "edge_type_id").unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        assert!(Types::parse("t.csv", &[0xff, b'\n', 0xfe], "edge_type_id").is_err());
    }
}
