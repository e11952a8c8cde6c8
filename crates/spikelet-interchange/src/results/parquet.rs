//! Tables of Apache Parquet (github.com/apache/parquet-format): row groups of bounded size, columns compressed with gzip, with the bounds of their values.
//!
//! Own code, because tables of numbers and names need little of the format, while the crate `parquet` would add nine crates and a licence to the tree.

mod encoding;
mod footer;
mod thrift;

use std::io::{self, Error, ErrorKind, Write};

use encoding::{Chunk, Stored};
use footer::RowGroup;

/// How files begin and end.
const MAGIC: &[u8; 4] = b"PAR1";
/// Maximum number of rows of a group.
const ROWS: usize = 1 << 17;
/// Cells of a group with many columns: 32 MiB while it is collected.
const CELLS: usize = 1 << 22;

/// What a column contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers from 0 on, in 4 bytes.
    U32,
    /// Floats of 4 bytes.
    F32,
    /// Floats of 8 bytes.
    F64,
    /// Texts, of which there are few different ones.
    Text,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The unit of its values; empty for pure numbers and texts.
    pub unit: String,
    /// What it contains.
    pub kind: Kind,
    /// Whether rows may have nothing in it.
    pub is_optional: bool,
}

impl Column {
    /// A column of pure numbers or of texts, with something in each row.
    pub fn new(name: impl Into<String>, kind: Kind) -> Column {
        Column { name: name.into(), unit: String::new(), kind, is_optional: false }
    }

    /// The same, with a unit.
    #[must_use]
    pub fn in_unit(mut self, unit: impl Into<String>) -> Column {
        self.unit = unit.into();
        self
    }

    /// The same, with rows that have nothing in it.
    #[must_use]
    pub fn optional(mut self) -> Column {
        self.is_optional = true;
        self
    }
}

/// A value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// Of a column of whole numbers.
    U32(u32),
    /// Of a column of floats of 4 bytes.
    F32(f32),
    /// Of a column of floats of 8 bytes.
    F64(f64),
    /// Of a column of texts.
    Text(&'a str),
    /// Nothing, in an optional column.
    Nothing,
}

/// A file that is being written, row by row.
///
/// ```
/// use spikelet_interchange::results::parquet::{Cell, Column, Kind, Table};
///
/// # fn main() -> std::io::Result<()> {
/// let columns = vec![Column::new("neuron", Kind::U32), Column::new("time_ms", Kind::F64).in_unit("ms")];
/// let mut table = Table::new(Vec::new(), columns, &[("network", "cuba".to_owned())])?;
/// table.row([Cell::U32(3), Cell::F64(0.5)])?;
/// let bytes = table.finish()?;
/// assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Table<W: Write> {
    file: W,
    /// Number of bytes that were written.
    offset: u64,
    columns: Vec<Column>,
    about: Vec<(String, String)>,
    /// The rows that are not written yet, by columns.
    chunks: Vec<Chunk>,
    rows: usize,
    groups: Vec<RowGroup>,
}

impl<W: Write> Table<W> {
    /// An empty table; `about` are keys and values that say what it is. The units of columns are added to them.
    ///
    /// # Errors
    /// Two columns have the same name, there is none, or the file cannot be written.
    pub fn new(mut file: W, columns: Vec<Column>, about: &[(&str, String)]) -> io::Result<Table<W>> {
        let mut names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(invalid(format!("two columns are named {:?}; columns of Parquet have different names", pair[0])));
        }
        if columns.is_empty() {
            return Err(invalid("a table of Parquet has at least one column".to_owned()));
        }
        file.write_all(MAGIC)?;
        let mut about: Vec<(String, String)> = about.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        let units = columns.iter().filter(|column| !column.unit.is_empty());
        let units: serde_json::Map<String, serde_json::Value> =
            units.map(|column| (column.name.clone(), column.unit.clone().into())).collect();
        about.push(("units".to_owned(), serde_json::Value::Object(units).to_string()));
        let chunks = columns.iter().map(|_| Chunk::default()).collect();
        Ok(Table { file, offset: MAGIC.len() as u64, columns, about, chunks, rows: 0, groups: Vec::new() })
    }

    /// Adds a row with a value for each column.
    ///
    /// # Errors
    /// Values that are not those of the columns, or a file that cannot be written.
    pub fn row<'a>(&mut self, cells: impl IntoIterator<Item = Cell<'a>>) -> io::Result<()> {
        let mut count = 0;
        for cell in cells {
            let (Some(column), Some(chunk)) = (self.columns.get(count), self.chunks.get_mut(count)) else {
                return Err(invalid(format!("a row has more values than the {} columns", self.columns.len())));
            };
            if !chunk.push(column, cell) {
                return Err(invalid(format!("{:?} has {cell:?}, but contains {:?}", column.name, column.kind)));
            }
            count += 1;
        }
        if count < self.columns.len() {
            return Err(invalid(format!("a row has {count} values, but there are {} columns", self.columns.len())));
        }
        self.rows += 1;
        if self.rows >= (CELLS / self.columns.len()).clamp(1, ROWS) { self.write_group() } else { Ok(()) }
    }

    /// Writes what is left, and ends the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        if self.rows > 0 {
            self.write_group()?;
        }
        let footer = footer::of_file(&self.columns, &self.groups, &self.about);
        let length = u32::try_from(footer.len()).map_err(|_| invalid("the table has too many columns and rows".to_owned()))?;
        self.file.write_all(&footer)?;
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(MAGIC)?;
        self.file.flush()?;
        Ok(self.file)
    }

    /// Writes the collected rows as a group.
    fn write_group(&mut self) -> io::Result<()> {
        let mut stored: Vec<Stored> = Vec::with_capacity(self.columns.len());
        for (column, chunk) in self.columns.iter().zip(&mut self.chunks) {
            let pages = std::mem::take(chunk).pages(column)?;
            self.file.write_all(&pages.bytes)?;
            stored.push(pages.stored(self.offset));
            self.offset += pages.bytes.len() as u64;
        }
        self.groups.push(RowGroup { columns: stored, rows: self.rows });
        self.rows = 0;
        Ok(())
    }
}

fn invalid(sentence: String) -> Error {
    Error::new(ErrorKind::InvalidInput, sentence)
}

#[cfg(test)]
mod tests;
