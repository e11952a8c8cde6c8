//! A table of Parquet that is written row by row: row groups of bounded size, columns with their units and the bounds of their values.

use std::io::{Error, ErrorKind, Result, Write};
use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, Float32Builder, Float64Builder, StringBuilder, UInt32Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

/// Maximum number of rows of a group.
const ROWS: usize = 1 << 17;
/// Cells of a group with many columns: 32 MiB while it is collected.
const CELLS: usize = 1 << 22;

/// What a column contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whole numbers from 0 on, in 4 bytes.
    U32,
    /// Floats of 4 bytes.
    F32,
    /// Floats of 8 bytes.
    F64,
    /// Texts.
    Text,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    name: String,
    /// The unit of its values; empty for pure numbers and texts.
    unit: String,
    kind: Kind,
    /// Whether rows may have nothing in it.
    is_optional: bool,
}

impl Column {
    /// A column of pure numbers or of texts, with something in each row.
    pub(crate) fn new(name: impl Into<String>, kind: Kind) -> Column {
        Column { name: name.into(), unit: String::new(), kind, is_optional: false }
    }

    /// The same, with a unit.
    #[must_use]
    pub(crate) fn in_unit(mut self, unit: impl Into<String>) -> Column {
        self.unit = unit.into();
        self
    }

    /// The same, with rows that have nothing in it.
    #[must_use]
    pub(crate) fn optional(mut self) -> Column {
        self.is_optional = true;
        self
    }
}

/// A value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell<'a> {
    U32(u32),
    F32(f32),
    F64(f64),
    Text(&'a str),
    /// Nothing, in an optional column.
    Nothing,
}

/// The cells of a column that are not written yet.
enum Chunk {
    U32(UInt32Builder),
    F32(Float32Builder),
    F64(Float64Builder),
    Text(StringBuilder),
}

impl Chunk {
    fn new(kind: Kind) -> Chunk {
        match kind {
            Kind::U32 => Chunk::U32(UInt32Builder::new()),
            Kind::F32 => Chunk::F32(Float32Builder::new()),
            Kind::F64 => Chunk::F64(Float64Builder::new()),
            Kind::Text => Chunk::Text(StringBuilder::new()),
        }
    }

    /// Whether the cell is of the kind of the column.
    fn push(&mut self, cell: Cell<'_>) -> bool {
        match (self, cell) {
            (Chunk::U32(cells), Cell::U32(number)) => cells.append_value(number),
            (Chunk::F32(cells), Cell::F32(number)) => cells.append_value(number),
            (Chunk::F64(cells), Cell::F64(number)) => cells.append_value(number),
            (Chunk::Text(cells), Cell::Text(text)) => cells.append_value(text),
            (Chunk::U32(cells), Cell::Nothing) => cells.append_null(),
            (Chunk::F32(cells), Cell::Nothing) => cells.append_null(),
            (Chunk::F64(cells), Cell::Nothing) => cells.append_null(),
            (Chunk::Text(cells), Cell::Nothing) => cells.append_null(),
            _ => return false,
        }
        true
    }

    /// The cells so far; none are left.
    fn take(&mut self) -> ArrayRef {
        match self {
            Chunk::U32(cells) => ArrayBuilder::finish(cells),
            Chunk::F32(cells) => ArrayBuilder::finish(cells),
            Chunk::F64(cells) => ArrayBuilder::finish(cells),
            Chunk::Text(cells) => ArrayBuilder::finish(cells),
        }
    }
}

/// A file that is being written, row by row.
pub(crate) struct Table<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: SchemaRef,
    chunks: Vec<Chunk>,
    rows: usize,
}

impl<W: Write + Send> Table<W> {
    /// An empty table; `about` are keys and values that say what it is. The units of columns are added to them.
    ///
    /// # Errors
    /// Two columns have the same name, there is none, or the file cannot be written.
    pub(crate) fn new(file: W, columns: &[Column], about: &[(&str, String)]) -> Result<Table<W>> {
        let mut names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(invalid(format!("two columns are named {:?}; columns of Parquet have different names", pair[0])));
        }
        if columns.is_empty() {
            return Err(invalid("a table of Parquet has at least one column".to_owned()));
        }
        let field = |column: &Column| {
            let kind = match column.kind {
                Kind::U32 => DataType::UInt32,
                Kind::F32 => DataType::Float32,
                Kind::F64 => DataType::Float64,
                Kind::Text => DataType::Utf8,
            };
            Field::new(&column.name, kind, column.is_optional)
        };
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let units = columns.iter().filter(|column| !column.unit.is_empty());
        let units: serde_json::Map<String, serde_json::Value> =
            units.map(|column| (column.name.clone(), column.unit.clone().into())).collect();
        let about = about.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
        let about = about.chain([KeyValue::new("units".to_owned(), serde_json::Value::Object(units).to_string())]);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_key_value_metadata(Some(about.collect()))
            .build();
        let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties)).map_err(unwritten)?;
        let chunks = columns.iter().map(|column| Chunk::new(column.kind)).collect();
        Ok(Table { writer, schema, chunks, rows: 0 })
    }

    /// Adds a row with a value for each column.
    ///
    /// # Errors
    /// Values that are not those of the columns, or a file that cannot be written.
    pub(crate) fn row<'a>(&mut self, cells: impl IntoIterator<Item = Cell<'a>>) -> Result<()> {
        let mut count = 0;
        for cell in cells {
            let Some(chunk) = self.chunks.get_mut(count) else {
                return Err(invalid(format!("a row has more values than the {} columns", self.chunks.len())));
            };
            let field = self.schema.field(count);
            if !chunk.push(cell) || cell == Cell::Nothing && !field.is_nullable() {
                return Err(invalid(format!("{:?} has {cell:?}, but contains {}", field.name(), field.data_type())));
            }
            count += 1;
        }
        if count < self.chunks.len() {
            return Err(invalid(format!("a row has {count} values, but there are {} columns", self.chunks.len())));
        }
        self.rows += 1;
        if self.rows >= (CELLS / self.chunks.len()).clamp(1, ROWS) { self.write_group() } else { Ok(()) }
    }

    /// Writes what is left, and ends the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn finish(mut self) -> Result<()> {
        if self.rows > 0 {
            self.write_group()?;
        }
        self.writer.into_inner().map_err(unwritten)?.flush()
    }

    /// Writes the collected rows as a group.
    fn write_group(&mut self) -> Result<()> {
        self.rows = 0;
        let cells = self.chunks.iter_mut().map(Chunk::take).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), cells).map_err(Error::other)?;
        self.writer.write(&batch).and_then(|()| self.writer.flush()).map_err(unwritten)
    }
}

fn invalid(sentence: String) -> Error {
    Error::new(ErrorKind::InvalidInput, sentence)
}

/// The error of the file, as it is where there is one: its kind says that a disk is full.
fn unwritten(error: ParquetError) -> Error {
    match error {
        ParquetError::External(error) => match error.downcast::<Error>() {
            Ok(error) => *error,
            Err(error) => Error::other(error),
        },
        error => Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, UInt32Type};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;

    #[test]
    fn rows_are_read_back_by_groups() {
        let columns = [
            Column::new("neuron", Kind::U32),
            Column::new("population", Kind::Text),
            Column::new("time_ms", Kind::F64).in_unit("ms").optional(),
        ];
        let mut bytes = Vec::new();
        let mut table = Table::new(&mut bytes, &columns, &[("network", "cuba".to_owned())]).unwrap();
        let count = ROWS + 10;
        for row in 0..count {
            let time = if row % 3 == 0 { Cell::Nothing } else { Cell::F64(row as f64 * 0.1) };
            table.row([Cell::U32(row as u32), Cell::Text(["E", "I"][row % 2]), time]).unwrap();
        }
        table.finish().unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
        let file = reader.metadata().file_metadata();
        let about: Vec<_> = file.key_value_metadata().unwrap().iter().map(|of| (of.key.as_str(), of.value.as_deref())).collect();
        assert!(about.contains(&("network", Some("cuba"))) && about.contains(&("units", Some("{\"time_ms\":\"ms\"}"))));
        assert_eq!((reader.metadata().num_row_groups(), file.num_rows()), (2, count as i64));
        let mut next = 0;
        for batch in reader.build().unwrap() {
            let batch = batch.unwrap();
            let (neurons, names) = (batch.column(0).as_primitive::<UInt32Type>(), batch.column(1).as_string::<i32>());
            let times = batch.column(2).as_primitive::<Float64Type>();
            for row in 0..batch.num_rows() {
                assert_eq!((neurons.value(row) as usize, names.value(row)), (next, ["E", "I"][next % 2]));
                assert_eq!(times.is_valid(row).then(|| times.value(row)), (next % 3 != 0).then_some(next as f64 * 0.1));
                next += 1;
            }
        }
        assert_eq!(next, count);
    }

    #[test]
    fn rows_that_do_not_fit_are_errors() {
        let columns = [Column::new("a", Kind::U32), Column::new("b", Kind::F32)];
        let mut table = Table::new(Vec::new(), &columns, &[]).unwrap();
        let mut wrong = |cells: &[Cell<'_>]| table.row(cells.iter().copied()).unwrap_err().to_string();
        assert!(wrong(&[Cell::U32(1)]).contains("1 values, but there are 2 columns"));
        assert!(wrong(&[Cell::U32(1), Cell::F32(1.0), Cell::U32(1)]).contains("more values than the 2 columns"));
        assert!(wrong(&[Cell::F32(1.0), Cell::F32(1.0)]).contains("\"a\" has F32(1.0), but contains UInt32"));
        assert!(wrong(&[Cell::Nothing, Cell::F32(1.0)]).contains("Nothing"));
        let twice = [Column::new("a", Kind::U32), Column::new("a", Kind::F32)];
        assert!(Table::new(Vec::new(), &twice, &[]).err().unwrap().to_string().contains("two columns are named \"a\""));
        assert!(Table::new(Vec::new(), &[], &[]).is_err());
    }
}
