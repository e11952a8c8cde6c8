//! Edge lists from files: CSV, Matrix Market and NumPy files become pairs of neurons with values of their synapses.
//!
//! A file is never stored as a whole: texts are read once from beginning to end, archives array by array. Indices count from 0 within a
//! population (in a Matrix Market file from 1). Every row is checked; errors give row and column.

mod csv;
mod matrix_market;
mod npy;
mod npz;
mod text;

use std::fmt::Display;
use std::io::{ErrorKind, Read, Seek};
use std::ops::Range;

use indexmap::IndexMap;

use crate::Error;

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

impl EdgeList {
    /// Reads a file in the format of its extension: `.csv`, `.tsv` and `.txt`, `.mtx`, or `.npz`.
    ///
    /// # Errors
    /// Another extension, or an error of [`EdgeList::read_csv`], [`EdgeList::read_matrix_market`] or [`EdgeList::read_npz`].
    pub fn read(name: &str, source: impl Read + Seek, bounds: &Bounds) -> Result<EdgeList, Error> {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        match ending.as_str() {
            "csv" | "tsv" | "txt" => EdgeList::read_csv(name, source, bounds),
            "mtx" => EdgeList::read_matrix_market(name, source, bounds),
            "npz" => EdgeList::read_npz(name, source, bounds),
            _ => {
                let expected = "an edge list must be a file that ends in .csv, .tsv, .txt, .mtx or .npz";
                Err(Error::invalid("the edge list", format!("{name:?}"), expected, "save it in one of these formats"))
            }
        }
    }

    /// Reads lines of values separated by commas, semicolons, tabs or blanks. The first line may name the columns: `pre`, `post`, and
    /// values of the synapses with or without a unit, as in `pre,post,w [nS],delay_ms`. Without such a line the columns are `pre`, `post`
    /// and, if there is a third, `w`. Lines that begin with `#` are comments. `name` is the name of the file in errors.
    ///
    /// # Errors
    /// The first invalid row, with its line and column.
    pub fn read_csv(name: &str, source: impl Read, bounds: &Bounds) -> Result<EdgeList, Error> {
        csv::read(&Reading { name, bounds }, source)
    }

    /// Reads a Matrix Market file in coordinate format, real, integer or pattern: an entry in row r and column c is an edge from neuron r −
    /// 1 to neuron c − 1, with the entry as `w`. The file of a symmetric matrix contains one half; both halves are read.
    ///
    /// The format: Boisvert, Pozo & Remington 1996, NIST IR 5935.
    ///
    /// # Errors
    /// Another kind of matrix, or the first invalid entry, with its line and column.
    pub fn read_matrix_market(name: &str, source: impl Read, bounds: &Bounds) -> Result<EdgeList, Error> {
        matrix_market::read(&Reading { name, bounds }, source)
    }

    /// Reads NumPy arrays: those of `scipy.sparse.save_npz` for a COO, CSR or CSC matrix (rows are presynaptic, columns postsynaptic,
    /// `data` is `w`), or `pre` and `post` with further arrays of the same length for named values.
    ///
    /// # Errors
    /// Missing arrays, arrays of other shapes or types, or the first invalid element, with its index.
    pub fn read_npz(name: &str, source: impl Read + Seek, bounds: &Bounds) -> Result<EdgeList, Error> {
        npz::read(&Reading { name, bounds }, source)
    }
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
    npz::read_by_projection(&Reading { name, bounds: &Bounds { pre: 0..u32::MAX, post: 0..u32::MAX } }, source, wanted)
}

/// A file that is being read.
struct Reading<'a> {
    name: &'a str,
    bounds: &'a Bounds,
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

    /// A finite number.
    fn value(&self, number: Option<f64>, written: impl Display, place: impl FnOnce() -> String) -> Result<f64, Error> {
        number
            .filter(|number| number.is_finite())
            .ok_or_else(|| Error::invalid(place(), written, "a finite number is expected", "correct it, or leave the row out"))
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
