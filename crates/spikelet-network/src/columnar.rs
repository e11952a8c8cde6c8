//! Feather (Arrow IPC) and Parquet: tables by columns, read in batches of rows.
#![cfg_attr(not(feature = "columnar"), expect(dead_code, reason = "nothing is read without the feature"))]

use crate::Error;

/// The cells of a column in a batch of rows; `None` where there is nothing.
pub(crate) enum Cells {
    Whole(Vec<Option<i64>>),
    Real(Vec<Option<f64>>),
    Text(Vec<Option<String>>),
}

impl Cells {
    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        match self {
            Cells::Whole(cells) => cells.len(),
            Cells::Real(cells) => cells.len(),
            Cells::Text(cells) => cells.len(),
        }
    }

    /// A cell as it is written in a table of texts; without anything it is empty. Large floats are written with an exponent, so that they
    /// are not taken for identifiers with all digits.
    pub(crate) fn written(&self, row: usize) -> String {
        match self {
            Cells::Whole(cells) => cells[row].map(|number| number.to_string()).unwrap_or_default(),
            Cells::Real(cells) => cells[row].map(|number| format!("{number:?}")).unwrap_or_default(),
            Cells::Text(cells) => cells[row].clone().unwrap_or_default(),
        }
    }
}

/// What of a table is read.
pub(crate) trait TableReader {
    /// Which of the columns are read, by their names.
    fn choose(&mut self, names: &[String]) -> Result<Vec<bool>, Error>;

    /// The next rows of these columns.
    fn take(&mut self, columns: Vec<Cells>) -> Result<(), Error>;
}

/// Whether the name of a file is that of a table by columns.
pub(crate) fn is_columnar(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    [".feather", ".arrow", ".parquet"].iter().any(|ending| lower.ends_with(ending))
}

/// The names of all columns.
pub(crate) fn names(file: &str, source: impl std::io::Read + std::io::Seek) -> Result<Vec<String>, Error> {
    struct ColumnNames(Vec<String>);
    impl TableReader for ColumnNames {
        fn choose(&mut self, names: &[String]) -> Result<Vec<bool>, Error> {
            self.0 = names.to_vec();
            Ok(vec![false; names.len()])
        }

        fn take(&mut self, _: Vec<Cells>) -> Result<(), Error> {
            Ok(())
        }
    }
    let mut found = ColumnNames(Vec::new());
    read(file, source, &mut found)?;
    Ok(found.0)
}

#[cfg(not(feature = "columnar"))]
pub(crate) fn read(file: &str, _source: impl std::io::Read, _reader: &mut dyn TableReader) -> Result<(), Error> {
    let way_out = "save it as CSV, which may be compressed as .csv.gz, or use the command line or Python";
    Err(Error::invalid(file, "Feather or Parquet", "these are not read here", way_out))
}

#[cfg(feature = "columnar")]
pub(crate) use arrow::read;

#[cfg(feature = "columnar")]
mod arrow;
