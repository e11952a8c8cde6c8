//! Tables of neurons: a row for each, with its identifier, type, side, transmitter …, as the files of connectomes have them.

use std::io::{Read, Seek};

use indexmap::{IndexMap, IndexSet};

use crate::Error;
use crate::columnar::{self, Cells, TableReader, is_columnar};
use crate::ids::Ids;

/// The rows of a table, in the order of the neurons. Cells are texts: identifiers of 18 digits stay exact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeuronTable {
    file: String,
    rows: usize,
    columns: IndexMap<String, TextColumn>,
    ids: Option<Ids>,
    /// The name of the column with the identifiers.
    id: Option<String>,
}

/// The cells of a column: few of its texts differ, as a rule.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct TextColumn {
    different: IndexSet<Box<str>>,
    /// For each row the place of its text.
    cells: Vec<u32>,
}

impl TextColumn {
    fn push(&mut self, cell: &str) {
        let place = self.different.get_index_of(cell).unwrap_or_else(|| self.different.insert_full(cell.into()).0);
        self.cells.push(place as u32);
    }

    fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        self.cells.iter().map(|place| &*self.different[*place as usize])
    }
}

impl NeuronTable {
    /// Reads values separated by commas, semicolons or tabs; the first line names the columns. A column without a name has the name `""`.
    /// `file` is the name of the file: one that ends in `.gz` is decompressed; with the feature `columnar` it may end in `.feather` or
    /// `.parquet`. `id` is the column with the identifiers.
    ///
    /// # Errors
    /// The first line without its columns, a column that is named twice, an unknown `id`, and identifiers that are missing or not unique,
    /// with their number.
    pub fn read(file: &str, source: impl Read + Seek, id: Option<&str>) -> Result<NeuronTable, Error> {
        let mut table =
            NeuronTable { file: file.to_owned(), rows: 0, columns: IndexMap::new(), ids: None, id: id.map(str::to_owned) };
        if is_columnar(file) {
            columnar::read(file, source, &mut table)?;
        } else {
            table.read_text(source)?;
        }
        if let Some(id) = id {
            table.ids = Some(Ids::new(&format!("column {id:?} of {file}"), table.column(id)?.iter())?);
        }
        Ok(table)
    }

    fn read_text(&mut self, source: impl Read) -> Result<(), Error> {
        let file = &self.file.clone();
        let mut bytes = Vec::new();
        let mut source = super::edges::decompressed(file, source);
        source.read_to_end(&mut bytes).map_err(|error| {
            Error::invalid(file, "unreadable", error, "check that the file is complete, and compressed as its name says")
        })?;
        let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let separator = [b',', b';', b'\t'].into_iter().find(|separator| first.contains(separator)).unwrap_or(b',');
        let mut reader = csv::ReaderBuilder::new().delimiter(separator).trim(csv::Trim::All).from_reader(&bytes[..]);
        let invalid = |error: csv::Error| {
            let line = error.position().map_or(1, csv::Position::line);
            let (found, expected) = match error.kind() {
                csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                    (format!("a row of {len}"), format!("the first line has {expected_len} columns"))
                }
                csv::ErrorKind::Utf8 { .. } => ("not text".to_owned(), "a line of text is expected".to_owned()),
                other => (format!("{other:?}"), "a table is expected".to_owned()),
            };
            Error::invalid(format!("{file}:{line}"), found, expected, "correct the line, and check that the file is complete")
        };
        let names = reader.headers().map_err(invalid)?.clone();
        // Some programs write a byte order mark.
        self.name_columns(names.iter().map(|name| name.trim_start_matches('\u{feff}').trim()), Some(1))?;
        for record in reader.records() {
            let record = record.map_err(invalid)?;
            self.columns.values_mut().zip(&record).for_each(|(column, cell)| column.push(cell));
            self.rows += 1;
        }
        Ok(())
    }

    /// Begins columns with these names, which are in a line of a text.
    fn name_columns<'a>(&mut self, names: impl Iterator<Item = &'a str>, line: Option<usize>) -> Result<(), Error> {
        for (place, name) in names.enumerate() {
            if self.columns.insert(name.to_owned(), TextColumn::default()).is_some() {
                let line = line.map(|line| format!("{line}:")).unwrap_or_default();
                let at = format!("{}:{line} column {}", self.file, place + 1);
                return Err(Error::invalid(at, format!("{name:?}"), "each column needs a unique name", "rename one of the two"));
            }
        }
        Ok(())
    }

    /// Number of neurons.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The identifiers of the neurons, if the table has some.
    pub fn ids(&self) -> Option<&Ids> {
        self.ids.as_ref()
    }

    /// The identifiers as they are written, in the order of the neurons.
    pub fn written_ids(&self) -> Option<impl Iterator<Item = &str>> {
        self.columns.get(self.id.as_ref()?).map(TextColumn::iter)
    }

    /// The place of the text of each neuron among the [different](NeuronTable::different) texts of a column.
    ///
    /// # Errors
    /// There is no such column.
    pub fn places(&self, column: &str) -> Result<&[u32], Error> {
        Ok(&self.column(column)?.cells)
    }

    /// The names of its columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.keys().map(String::as_str)
    }

    /// The texts of a column, in the order of the rows. `id` is also a name of the column with the identifiers, unless another one has it.
    ///
    /// # Errors
    /// There is no such column.
    pub fn texts(&self, column: &str) -> Result<impl Iterator<Item = &str>, Error> {
        self.column(column).map(TextColumn::iter)
    }

    /// The different texts of a column, in the order in which they come first.
    ///
    /// # Errors
    /// There is no such column.
    pub fn different(&self, column: &str) -> Result<impl ExactSizeIterator<Item = &str>, Error> {
        Ok(self.column(column)?.different.iter().map(|text| &**text))
    }

    /// For each different text of a column whether `test` holds, then for each row.
    ///
    /// # Errors
    /// There is no such column, or an error of `test`.
    pub(crate) fn test(&self, column: &str, mut test: impl FnMut(&str) -> Result<bool, Error>) -> Result<Vec<bool>, Error> {
        let TextColumn { different, cells } = self.column(column)?;
        let of_texts = different.iter().map(|text| test(text)).collect::<Result<Vec<bool>, Error>>()?;
        Ok(cells.iter().map(|place| of_texts[*place as usize]).collect())
    }

    /// A column as numbers.
    ///
    /// # Errors
    /// There is no such column, or the number of its cells that are no finite numbers, with the first of them.
    pub fn numbers(&self, column: &str) -> Result<Vec<f64>, Error> {
        let TextColumn { different, cells } = self.column(column)?;
        let numbers: Vec<Option<f64>> =
            different.iter().map(|text| text.parse().ok().filter(|number: &f64| number.is_finite())).collect();
        let of_rows: Option<Vec<f64>> = cells.iter().map(|place| numbers[*place as usize]).collect();
        of_rows.ok_or_else(|| {
            let none: Vec<usize> = (0..cells.len()).filter(|row| numbers[cells[*row] as usize].is_none()).collect();
            let text = &different[cells[none[0]] as usize];
            let expected = format!(
                "a finite number is expected for each neuron; {} of {} rows of column {column:?} have none",
                none.len(),
                self.rows
            );
            let way_out = "correct the table, or give its texts numbers with `codes`";
            Error::invalid(self.row(none[0]), format!("{text:?}"), expected, way_out)
        })
    }

    /// A column of texts as numbers: those of `values`, or `otherwise`.
    ///
    /// # Errors
    /// There is no such column, a text that no row has, or the first row whose text has no number.
    pub fn coded(&self, column: &str, values: &IndexMap<String, f64>, otherwise: Option<f64>) -> Result<Vec<f64>, Error> {
        let TextColumn { different, cells } = self.column(column)?;
        if let Some(unused) = values.keys().find(|text| !different.contains(text.as_str())) {
            let expected = format!("no row has it in column {column:?}; {}", self.some(column));
            return Err(Error::invalid(
                &self.file,
                format!("without {unused:?}"),
                expected,
                "correct it, or remove it from `codes`",
            ));
        }
        let number = |place: &u32| values.get(&*different[*place as usize]).copied().or(otherwise);
        let of_rows: Option<Vec<f64>> = cells.iter().map(number).collect();
        of_rows.ok_or_else(|| {
            let row = cells.iter().position(|place| number(place).is_none()).unwrap_or_default();
            let text = &different[cells[row] as usize];
            let rows = cells.iter().filter(|place| number(place).is_none()).count();
            let expected =
                format!("`codes` have no number for it; so it is in {rows} of {} rows of column {column:?}", self.rows);
            Error::invalid(self.row(row), format!("{text:?}"), expected, "add it to `values`, or add `otherwise`")
        })
    }

    /// Some of the texts of a column, for errors.
    pub(crate) fn some(&self, column: &str) -> String {
        const SHOWN: usize = 8;
        let Ok(TextColumn { different, .. }) = self.column(column) else { return String::new() };
        let shown: Vec<String> = different.iter().take(SHOWN).map(|text| format!("{text:?}")).collect();
        let more = if different.len() > SHOWN { format!(" and {} others", different.len() - SHOWN) } else { String::new() };
        format!("its {} are {}{more}", if different.len() == 1 { "text" } else { "texts" }, shown.join(", "))
    }

    /// The name of the file.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// The place of a row, as far as its cells have no line ends.
    fn row(&self, row: usize) -> String {
        format!("{}:{}", self.file, row + 2)
    }

    fn column(&self, name: &str) -> Result<&TextColumn, Error> {
        let of_ids = || self.columns.get(self.id.as_ref().filter(|_| name == "id")?);
        self.columns
            .get(name)
            .or_else(of_ids)
            .ok_or_else(|| Error::unknown_name(&self.file, "column", name, self.columns.keys().map(String::as_str)))
    }
}

impl TableReader for NeuronTable {
    fn choose(&mut self, names: &[String]) -> Result<Vec<bool>, Error> {
        self.name_columns(names.iter().map(String::as_str), None)?;
        Ok(vec![true; names.len()])
    }

    fn take(&mut self, columns: Vec<Cells>) -> Result<(), Error> {
        self.rows += columns.first().map_or(0, Cells::len);
        for (column, cells) in self.columns.values_mut().zip(columns) {
            (0..cells.len()).for_each(|row| column.push(cells.written(row).trim()));
        }
        Ok(())
    }
}
