//! Edge lists from files: CSV, Matrix Market and NumPy files become pairs of neurons with values of their synapses.
//!
//! A file is never stored as a whole: texts are read once from beginning to end, archives array by array. Indices count from 0 within a
//! population (in a Matrix Market file from 1); where the population has a table of neurons, they are its identifiers. Every row is
//! checked; errors give row and column.

mod columnar;
mod csv;
mod header;
mod identifiers;
mod matrix_market;
mod npy;
mod npz;
mod sum;
mod text;

pub use header::{POST, PRE};

use std::fmt::Display;
use std::io::{ErrorKind, Read, Seek};
use std::ops::Range;

use flate2::read::MultiGzDecoder;
use indexmap::IndexMap;

use crate::Error;
use crate::columnar::is_columnar;
use crate::ids::Ids;

/// Edges with their values.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EdgeList {
    /// `[pre, post]`, one synapse each, in the order of the file.
    pub pairs: Vec<[u32; 2]>,
    /// Values of the synapses: weights, delays …
    pub columns: Vec<Column>,
}

/// Values of the synapses for one name.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Name of a parameter or variable of the synapses, or `delay_ms`.
    pub name: String,
    /// Unit of the values; the inner unit if the file gives none.
    pub unit: Option<String>,
    /// One for each edge.
    pub values: Vec<f64>,
}

/// The neurons that edges may connect, as indices in their populations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// The presynaptic neurons.
    pub pre: Range<u32>,
    /// The postsynaptic neurons.
    pub post: Range<u32>,
}

/// What the columns of a file mean.
#[derive(Debug, Clone, Copy, Default)]
pub struct Meaning<'a> {
    /// The identifiers of the pre- and postsynaptic neurons, where the file has these instead of indices.
    pub ids: [Option<&'a Ids>; 2],
    /// The names of columns of the file for `pre`, `post` and values of the synapses. If there are any, all others are left out.
    pub columns: Option<&'a IndexMap<String, String>>,
    /// Whether rows with an unknown identifier are left out.
    pub skip_unknown: bool,
}

/// The content of a file; one whose name ends in `.gz` is decompressed.
pub(crate) fn decompressed<'a>(name: &str, source: impl Read + 'a) -> Box<dyn Read + 'a> {
    if name.to_ascii_lowercase().ends_with(".gz") { Box::new(MultiGzDecoder::new(source)) } else { Box::new(source) }
}

impl EdgeList {
    /// Adds an edge whose values are in the columns already, or removes these if one of its ends is left out.
    fn push(&mut self, pair: [Option<u32>; 2]) {
        match pair {
            [Some(pre), Some(post)] => self.pairs.push([pre, post]),
            _ => self.columns.iter_mut().for_each(|column| column.values.truncate(self.pairs.len())),
        }
    }

    /// Reads a file in the format of its extension: `.csv`, `.tsv` and `.txt`, also compressed as `.csv.gz`, `.feather` and
    /// `.parquet` with the feature `columnar`, `.mtx`, or `.npz`.
    ///
    /// # Errors
    /// Another extension, or an error of [`EdgeList::read_csv`], [`EdgeList::read_matrix_market`] or [`EdgeList::read_npz`].
    pub fn read(name: &str, source: impl Read + Seek, bounds: &Bounds) -> Result<EdgeList, Error> {
        EdgeList::read_as(name, source, bounds, &Meaning::default())
    }

    /// The same, with what the columns mean.
    ///
    /// # Errors
    /// As [`EdgeList::read`], and an identifier that no neuron has.
    pub fn read_as(name: &str, source: impl Read + Seek, bounds: &Bounds, meaning: &Meaning<'_>) -> Result<EdgeList, Error> {
        let lower = name.to_ascii_lowercase();
        let plain = lower.strip_suffix(".gz").filter(|plain| !plain.ends_with(".npz")).unwrap_or(&lower);
        let reading = Reading { name, bounds, meaning };
        match plain.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "csv" | "tsv" | "txt" => csv::read(&reading, decompressed(name, source)),
            "mtx" => matrix_market::read(&reading, decompressed(name, source)),
            "npz" => npz::read(&reading, source),
            _ if is_columnar(name) => columnar::read(&reading, source),
            _ => {
                let expected =
                    "an edge list must be a file that ends in .csv, .tsv, .txt (also with .gz), .feather, .parquet, .mtx or .npz";
                Err(Error::invalid("the edge list", format!("{name:?}"), expected, "save it in one of these formats"))
            }
        }
    }

    /// Reads lines of values separated by commas, semicolons, tabs or blanks. The first line may name the columns: `pre`, `post` (or another
    /// of the usual names, such as `source` or `pre_root_id`), and values of the synapses with or without a unit, as in
    /// `pre,post,w [nS],delay_ms`. Without such a line the columns are `pre`, `post`
    /// and, if there is a third, `w`. Lines that begin with `#` are comments. `name` is the name of the file in errors.
    ///
    /// # Errors
    /// The first invalid row, with its line and column.
    pub fn read_csv(name: &str, source: impl Read, bounds: &Bounds) -> Result<EdgeList, Error> {
        csv::read(&Reading { name, bounds, meaning: &Meaning::default() }, source)
    }

    /// Reads a Matrix Market file in coordinate format, real, integer or pattern: an entry in row r and column c is an edge from neuron r −
    /// 1 to neuron c − 1, with the entry as `w`. The file of a symmetric matrix contains one half; both halves are read.
    ///
    /// The format: Boisvert, Pozo & Remington 1996, NIST IR 5935.
    ///
    /// # Errors
    /// Another kind of matrix, or the first invalid entry, with its line and column.
    pub fn read_matrix_market(name: &str, source: impl Read, bounds: &Bounds) -> Result<EdgeList, Error> {
        matrix_market::read(&Reading { name, bounds, meaning: &Meaning::default() }, source)
    }

    /// Reads NumPy arrays: those of `scipy.sparse.save_npz` for a COO, CSR or CSC matrix (rows are presynaptic, columns postsynaptic,
    /// `data` is `w`), or `pre` and `post` with further arrays of the same length for named values.
    ///
    /// # Errors
    /// Missing arrays, arrays of other shapes or types, or the first invalid element, with its index.
    pub fn read_npz(name: &str, source: impl Read + Seek, bounds: &Bounds) -> Result<EdgeList, Error> {
        npz::read(&Reading { name, bounds, meaning: &Meaning::default() }, source)
    }
}

/// The names of the columns of edges: none of a text without a header, of archives and of Matrix Market files.
///
/// # Errors
/// The file cannot be read.
pub fn column_names(name: &str, source: impl Read + Seek) -> Result<Vec<String>, Error> {
    if is_columnar(name) {
        return crate::columnar::names(name, source);
    }
    let lower = name.to_ascii_lowercase();
    let is_text = [".csv", ".tsv", ".txt"].iter().any(|ending| lower.trim_end_matches(".gz").ends_with(ending));
    let bounds = Bounds { pre: 0..0, post: 0..0 };
    let reading = Reading { name, bounds: &bounds, meaning: &Meaning::default() };
    if is_text { csv::header_names(&reading, decompressed(name, source)) } else { Ok(Vec::new()) }
}

/// Reads the one-dimensional arrays of numbers of an `.npz` file, by name, in the order of the file. `name` is that of the file in errors.
///
/// # Errors
/// The bytes are not an archive of such arrays, or damaged.
pub fn read_arrays(name: &str, bytes: &[u8]) -> Result<IndexMap<String, Vec<f64>>, Error> {
    npz::read_arrays(name, bytes)
}

/// Synapses with values by name.
#[derive(Debug, Default)]
pub(crate) struct NamedColumns {
    pub(crate) pairs: Vec<[u32; 2]>,
    pub(crate) columns: IndexMap<String, Vec<f32>>,
}

/// Reads the NumPy arrays `NAME.pre` and `NAME.post`, and all others with the same prefix: the synapses of each projection for which
/// `wanted` is true.
pub(crate) fn read_by_projection(
    name: &str,
    source: impl Read + Seek,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<IndexMap<String, NamedColumns>, Error> {
    let bounds = Bounds { pre: 0..u32::MAX, post: 0..u32::MAX };
    npz::read_by_projection(&Reading { name, bounds: &bounds, meaning: &Meaning::default() }, source, wanted)
}

/// A file that is being read.
struct Reading<'a> {
    name: &'a str,
    bounds: &'a Bounds,
    meaning: &'a Meaning<'a>,
}

/// A whole number, also one that a program wrote with a decimal point, such as `9.0`.
fn whole(written: &str) -> Option<i64> {
    let decimals = |text: &str| {
        text.split_once('.').filter(|(_, zeros)| zeros.bytes().all(|digit| digit == b'0')).map(|(whole, _)| whole.to_owned())
    };
    written.parse().ok().or_else(|| decimals(written)?.parse().ok())
}

/// An end of an edge.
#[derive(Clone, Copy)]
enum Side {
    Pre,
    Post,
}

impl Reading<'_> {
    fn range(&self, side: Side) -> (&Range<u32>, &'static str) {
        match side {
            Side::Pre => (&self.bounds.pre, "presynaptic"),
            Side::Post => (&self.bounds.post, "postsynaptic"),
        }
    }

    /// An index of that side, which counts from `base` in the file. `written` is its text, `place` its position.
    fn index(
        &self,
        side: Side,
        base: u32,
        number: Option<i64>,
        written: impl Display,
        place: impl FnOnce() -> String,
    ) -> Result<u32, Error> {
        let (range, what) = self.range(side);
        let index =
            number.and_then(|number| u32::try_from(number.checked_sub(base.into())?).ok()).filter(|index| range.contains(index));
        index.ok_or_else(|| {
            let (first, last) = (range.start + base, range.end.saturating_sub(1) + base);
            let expected = match number {
                None => format!("a whole number is expected, the index of a {what} neuron, {first} to {last}"),
                Some(_) => format!("the {what} neurons are {first} to {last}"),
            };
            Error::invalid(place(), written, expected, "correct the file, or the size of the population")
        })
    }

    /// The neuron of that side whose index or identifier is written; `None` if its row is left out.
    fn neuron(&self, side: Side, written: &str, place: impl FnOnce() -> String) -> Result<Option<u32>, Error> {
        let quoted = format_args!("{written:?}");
        let Some(ids) = self.meaning.ids[side as usize] else {
            return self.index(side, 0, whole(written), quoted, place).map(Some);
        };
        match ids.find(written) {
            Ok(found) => self.of_table(side, found, quoted, ids, place),
            Err(why) => Err(Error::invalid(place(), quoted, why, "save the file again with whole numbers, or with texts")),
        }
    }

    /// A neuron that was looked up in a table.
    fn of_table(
        &self,
        side: Side,
        found: Option<u32>,
        written: impl Display,
        ids: &Ids,
        place: impl FnOnce() -> String,
    ) -> Result<Option<u32>, Error> {
        let (range, what) = self.range(side);
        match found {
            Some(neuron) if range.contains(&neuron) => Ok(Some(neuron)),
            None if self.meaning.skip_unknown => Ok(None),
            None => {
                let expected = format!("it must be the identifier of a {what} neuron, in {}", ids.source());
                Err(Error::invalid(
                    place(),
                    written,
                    expected,
                    "complete the table, or leave such rows out with \"skip_unknown\": true",
                ))
            }
            Some(neuron) => {
                let expected =
                    format!("the {what} neurons are {} to {}, and it belongs to neuron {neuron}", range.start, range.end - 1);
                Err(Error::invalid(place(), written, expected, "correct the file, or the slice"))
            }
        }
    }

    /// A finite number.
    fn value(&self, number: Option<f64>, written: impl Display, place: impl FnOnce() -> String) -> Result<f64, Error> {
        number
            .filter(|number| number.is_finite())
            .ok_or_else(|| Error::invalid(place(), written, "a finite number is expected", "correct it, or leave the row out"))
    }

    /// An error in a line of a text, or in one of the columns of a file.
    fn place(&self, line: Option<u64>, column: Option<usize>) -> String {
        match (line, column) {
            (Some(line), column) => self.line(line, column),
            (None, Some(column)) => format!("{}: column {column}", self.name),
            (None, None) => self.name.to_owned(),
        }
    }

    /// An error in a line, or in one of its columns, both counted from 1.
    fn line(&self, line: u64, column: Option<usize>) -> String {
        match column {
            Some(column) => format!("{}:{line}: column {column}", self.name),
            None => format!("{}:{line}", self.name),
        }
    }

    /// The file cannot be read.
    fn unreadable(&self, error: &std::io::Error) -> Error {
        match error.kind() {
            ErrorKind::UnexpectedEof => self.cut_off("in the middle"),
            ErrorKind::NotSeekable => {
                Error::invalid(self.name, "a pipe", "an archive is read from its end", "write it to a file, and name that file")
            }
            _ => Error::invalid(self.name, "unreadable", error, "check that the file is complete and readable"),
        }
    }

    /// The file ends too early.
    fn cut_off(&self, place: &str) -> Error {
        Error::invalid(self.name, format!("cut off {place}"), "the whole file is necessary", "copy or save the file again")
    }

    /// Rejects more edges than a projection can have.
    fn check_count(&self, edges: usize) -> Result<(), Error> {
        if edges < u32::MAX as usize {
            return Ok(());
        }
        Err(Error::invalid(self.name, "too long", "a projection has at most 4294967295 synapses", "split the file"))
    }
}

#[cfg(test)]
mod tests;
