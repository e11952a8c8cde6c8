//! Reading by the crates of Apache Arrow.

use std::cell::Cell;
use std::io::{Read, Seek};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, RecordBatch};
use arrow_ipc::reader::FileReader;
use arrow_schema::{ArrowError, DataType, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::{Cells, TableReader};
use crate::Error;

/// Rows of a batch from a Parquet file; a Feather file has its own batches.
const ROWS: usize = 1 << 16;

thread_local! {
    /// Whether a panic of this thread is an error of a file.
    static IS_READING: Cell<bool> = const { Cell::new(false) };
}

/// Reads the columns that the reader chooses, batch by batch.
///
/// # Errors
/// The file is damaged or of another format, a chosen column has cells that are neither numbers nor texts, or an error of the reader.
pub(crate) fn read(file: &str, source: impl Read + Seek, reader: &mut dyn TableReader) -> Result<(), Error> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_READING.get() {
                others(info);
            }
        }));
    });
    // These crates panic at some damaged files (arrow-buffer 60: "the offset of the new Buffer cannot exceed the existing length").
    IS_READING.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(|| read_unchecked(file, source, reader)));
    IS_READING.set(false);
    result.unwrap_or_else(|_| Err(invalid(file, "its parts are inconsistent")))
}

fn read_unchecked(file: &str, mut source: impl Read + Seek, reader: &mut dyn TableReader) -> Result<(), Error> {
    let mut first = [0; 6];
    let count = source.read(&mut first).and_then(|count| source.rewind().map(|()| count));
    let count = count.map_err(|error| invalid(file, error))?;
    if count >= 4 && &first[..4] == b"FEA1" {
        let expected = "version 1 of Feather has no compression and few types, and is not read";
        return Err(Error::invalid(file, "Feather 1", expected, "write it again with pandas or pyarrow, as version 2"));
    }
    if count == first.len() && &first == b"ARROW1" {
        let names = FileReader::try_new(&mut source, None).map_err(|error| invalid(file, error))?.schema();
        let (places, names) = chosen(&names, reader)?;
        source.rewind().map_err(|error| invalid(file, error))?;
        let batches = FileReader::try_new(source, Some(places)).map_err(|error| invalid(file, error))?;
        return all(file, batches, &names, reader);
    }
    if count < 4 || &first[..4] != b"PAR1" {
        let expected = "it begins neither like a Feather file (version 2) nor like a Parquet file";
        return Err(Error::invalid(file, "of another format", expected, "check its name, and that it is complete"));
    }
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes).map_err(|error| invalid(file, error))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).map_err(|error| invalid(file, error))?;
    let (places, names) = chosen(builder.schema(), reader)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), places);
    let batches = builder.with_projection(mask).with_batch_size(ROWS).build().map_err(|error| invalid(file, error))?;
    all(file, batches, &names, reader)
}

/// The places and names of the columns that the reader chooses.
fn chosen(schema: &Schema, reader: &mut dyn TableReader) -> Result<(Vec<usize>, Vec<String>), Error> {
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let is_chosen = reader.choose(&names)?;
    Ok(names.into_iter().enumerate().zip(is_chosen).filter(|(_, is_chosen)| *is_chosen).map(|(column, _)| column).unzip())
}

fn all(
    file: &str,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    names: &[String],
    reader: &mut dyn TableReader,
) -> Result<(), Error> {
    for batch in batches {
        let batch = batch.map_err(|error| invalid(file, error))?;
        let named = batch.columns().iter().zip(names);
        let columns = named.map(|(array, name)| cells(array).ok_or_else(|| unfit(file, name, array)));
        reader.take(columns.collect::<Result<_, Error>>()?)?;
    }
    Ok(())
}

fn cells(array: &dyn Array) -> Option<Cells> {
    fn whole<T: ArrowPrimitiveType<Native: Into<i64>>>(array: &dyn Array) -> Cells {
        Cells::Whole(array.as_primitive::<T>().iter().map(|number| number.map(Into::into)).collect())
    }
    fn texts<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Cells {
        Cells::Text(texts.map(|text| text.map(str::to_owned)).collect())
    }
    Some(match array.data_type() {
        DataType::Int8 => whole::<Int8Type>(array),
        DataType::Int16 => whole::<Int16Type>(array),
        DataType::Int32 => whole::<Int32Type>(array),
        DataType::Int64 => whole::<Int64Type>(array),
        DataType::UInt8 => whole::<UInt8Type>(array),
        DataType::UInt16 => whole::<UInt16Type>(array),
        DataType::UInt32 => whole::<UInt32Type>(array),
        DataType::UInt64 => {
            let numbers = array.as_primitive::<UInt64Type>();
            let signed = numbers.iter().map(|number| number.map(i64::try_from).transpose());
            // Larger ones are identifiers, if anything, and keep their digits as texts.
            let texts = || Cells::Text(numbers.iter().map(|number| number.map(|number| number.to_string())).collect());
            signed.collect::<Result<_, _>>().map_or_else(|_| texts(), Cells::Whole)
        }
        DataType::Float32 => {
            Cells::Real(array.as_primitive::<Float32Type>().iter().map(|number| number.map(f64::from)).collect())
        }
        DataType::Float64 => Cells::Real(array.as_primitive::<Float64Type>().iter().collect()),
        DataType::Boolean => texts(array.as_boolean().iter().map(|cell| cell.map(|cell| if cell { "true" } else { "false" }))),
        DataType::Utf8 => texts(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => texts(array.as_string::<i64>().iter()),
        DataType::Utf8View => texts(array.as_string_view().iter()),
        DataType::Null => Cells::Text(vec![None; array.len()]),
        DataType::Dictionary(..) => {
            let of = array.as_any_dictionary();
            if of.values().is_empty() {
                return Some(Cells::Text(vec![None; array.len()]));
            }
            let keys = of.normalized_keys();
            let rows = || keys.iter().enumerate().map(|(row, key)| Some(*key).filter(|_| !array.is_null(row)));
            match cells(of.values())? {
                Cells::Whole(values) => Cells::Whole(rows().map(|key| values[key?]).collect()),
                Cells::Real(values) => Cells::Real(rows().map(|key| values[key?]).collect()),
                Cells::Text(values) => Cells::Text(rows().map(|key| values[key?].clone()).collect()),
            }
        }
        _ => return None,
    })
}

fn unfit(file: &str, name: &str, array: &dyn Array) -> Error {
    let found = format!("of the type {}", array.data_type());
    let way_out = "leave the column out, or write it as numbers or texts";
    Error::invalid(format!("{file}: column {name:?}"), found, "a column of numbers or texts is expected", way_out)
}

fn invalid(file: &str, error: impl std::fmt::Display) -> Error {
    Error::invalid(file, "unreadable", error, "copy or write the file again")
}
