//! Reading of HDF5 files.

use std::collections::BTreeMap;
use std::ops::Range;

use hdf5_pure::{AttrValue, Datatype};
use spikelet_network::Error;

use super::heap;
use super::number::Number;

/// How many bytes of data a file may contain for each of its own: deflate compresses at most about 1030 to 1.
const MAX_RATIO: u64 = 1100;
/// How many bytes of data any file may contain.
const ALWAYS_ALLOWED: u64 = 1 << 24;

/// An HDF5 file in memory.
#[derive(Debug)]
pub struct File {
    pub(super) file: hdf5_pure::File,
}

/// Values of an attribute; a single value is a list of one.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    /// Numbers of any stored type.
    Numbers(Vec<f64>),
    /// Texts.
    Texts(Vec<String>),
    /// To write: a reference to the object with an attribute of this text, which no other object has. It is not read.
    Reference(String),
}

impl Attribute {
    /// The text, if it is a single one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Attribute::Texts(texts) if texts.len() == 1 => Some(&texts[0]),
            _ => None,
        }
    }

    /// The number, if it is a single one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Attribute::Numbers(numbers) if numbers.len() == 1 => Some(numbers[0]),
            _ => None,
        }
    }
}

impl File {
    /// Opens a file.
    ///
    /// # Errors
    /// The bytes are not HDF5, or damaged.
    pub fn open(bytes: Vec<u8>) -> Result<File, Error> {
        let file = hdf5_pure::File::from_bytes(bytes).map_err(|error| {
            let expected = format!("an HDF5 file is expected ({error})");
            Error::invalid("the file", "not readable", expected, "write it again with h5py, or download it again")
        })?;
        Ok(File { file })
    }

    /// The names of the groups in a group, sorted; `"/"` is the root.
    ///
    /// # Errors
    /// There is no such group.
    pub fn groups(&self, path: &str) -> Result<Vec<String>, Error> {
        self.children(path).map(|[groups, _]| groups)
    }

    /// The names of the datasets in a group, sorted.
    ///
    /// # Errors
    /// There is no such group.
    pub fn datasets(&self, path: &str) -> Result<Vec<String>, Error> {
        self.children(path).map(|[_, datasets]| datasets)
    }

    /// Whether a group contains a dataset of this name, or a link by which it would; false if there is no such group.
    pub fn has_dataset(&self, group: &str, name: &str) -> bool {
        let is_named = |names: Vec<String>| names.iter().any(|of| of == name);
        // A link that cannot be followed is an error when the dataset is read.
        self.datasets(group).map_or_else(|_| self.has_link(group, name), is_named)
    }

    fn has_link(&self, group: &str, name: &str) -> bool {
        let header = self.resolved(group).ok().and_then(|path| self.header(&path));
        let links = header.and_then(|header| self.bytes()?.links(header));
        links.is_some_and(|links| links.unread_of.is_some() || links.found.iter().any(|(of, _)| of == name))
    }

    /// Whether there is a group at a path.
    pub fn has_group(&self, path: &str) -> bool {
        self.group(path).is_ok()
    }

    /// The dataset at a path such as `/units/times`.
    ///
    /// # Errors
    /// There is no such dataset; the message has the names that the group contains.
    pub fn dataset(&self, path: &str) -> Result<Dataset<'_>, Error> {
        let data = self.file.dataset(&self.resolved(path)?).map_err(|_| {
            let (group, name) = path.rsplit_once('/').unwrap_or(("", path));
            let names = self.datasets(if group.is_empty() { "/" } else { group }).unwrap_or_default();
            Error::unknown_name(group, "dataset", name, names.iter().map(String::as_str))
        })?;
        let refused = |error| unreadable(path, &error);
        if matches!(data.layout(), Ok(hdf5_pure::Layout::Virtual)) {
            let expected = "a dataset with data of its own is expected";
            return Err(Error::invalid(
                path,
                "a virtual dataset, of data in other files",
                expected,
                "copy the data into the file, such as with h5py",
            ));
        }
        let shape = data.shape().map_err(refused)?;
        let element = data.element_size().map_err(refused)?;
        let bytes = shape.iter().try_fold(element.max(1), |product, extent| product.checked_mul(*extent));
        let allowed = self.file.file_size().saturating_mul(MAX_RATIO).max(ALWAYS_ALLOWED);
        if bytes.is_none_or(|bytes| bytes > allowed) {
            let expected = format!("a file of {} bytes cannot contain that many", self.file.file_size());
            return Err(Error::invalid(path, format!("of shape {shape:?}"), expected, "the file is damaged; write it again"));
        }
        let shape = shape.into_iter().map(|extent| extent as usize).collect();
        let datatype = data.datatype().map_err(refused)?;
        Ok(Dataset { file: self, path: path.to_owned(), shape, datatype, data })
    }

    /// The attributes of a group or dataset by name, without those that are neither numbers nor texts, such as references.
    ///
    /// # Errors
    /// There is neither a group nor a dataset at the path.
    pub fn attributes(&self, path: &str) -> Result<BTreeMap<String, Attribute>, Error> {
        let found = match self.file.dataset(&self.resolved(path)?) {
            Ok(dataset) => dataset.attrs(),
            Err(_) => self.group(path)?.attrs(),
        };
        let attributes = found.map_err(|error| unreadable(path, &error))?;
        Ok(attributes.into_iter().filter_map(|(name, value)| Some((name, attribute(&value)?))).collect())
    }

    pub(super) fn group(&self, path: &str) -> Result<hdf5_pure::Group, Error> {
        let resolved = self.resolved(path)?;
        let inner = resolved.trim_matches('/');
        if inner.is_empty() {
            return Ok(self.file.root());
        }
        self.file.group(inner).map_err(|_| {
            let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
            let names = match self.group(parent) {
                Ok(parent) => parent.groups().unwrap_or_default(),
                Err(error) => return error,
            };
            Error::unknown_name(parent, "group", name, names.iter().map(String::as_str))
        })
    }
}

/// A dataset of a [`File`]. Its values are in the order of C: the last index changes fastest.
#[derive(Debug)]
pub struct Dataset<'a> {
    file: &'a File,
    path: String,
    shape: Vec<usize>,
    datatype: Datatype,
    data: hdf5_pure::Dataset,
}

impl Dataset<'_> {
    /// Its path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The extent of each dimension; empty for a scalar.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Whether its values are texts.
    pub fn is_text(&self) -> bool {
        matches!(self.datatype, Datatype::String { .. } | Datatype::VariableLength { is_string: true, .. })
    }

    /// Its numbers, of any integer type, or floats of 2, 4 or 8 bytes.
    ///
    /// # Errors
    /// They are not numbers, or damaged.
    pub fn f64(&self) -> Result<Vec<f64>, Error> {
        let number = self.number(&self.datatype, "numbers are expected")?;
        Ok(self.raw()?.chunks_exact(number.size).map(|bytes| number.decode(bytes)).collect())
    }

    /// The same, rounded to f32.
    ///
    /// # Errors
    /// As [`Dataset::f64`].
    pub fn f32(&self) -> Result<Vec<f32>, Error> {
        Ok(self.f64()?.into_iter().map(|value| value as f32).collect())
    }

    /// Its whole numbers. Floats are not converted.
    ///
    /// # Errors
    /// They are not whole numbers, exceed an `i64`, or are damaged.
    pub fn i64(&self) -> Result<Vec<i64>, Error> {
        let number = self.number(&self.datatype, "whole numbers are expected")?;
        let raw = self.raw()?;
        let whole = raw.chunks_exact(number.size).map(|bytes| number.decode_whole(bytes));
        whole.collect::<Option<_>>().ok_or_else(|| {
            let value = if number.is_whole() { "a list with numbers above 2^63" } else { "a list of floats" };
            Error::invalid(&self.path, value, "whole numbers are expected", "store them as int64")
        })
    }

    /// Its texts, of fixed or variable length.
    ///
    /// # Errors
    /// They are not texts, or damaged.
    pub fn strings(&self) -> Result<Vec<String>, Error> {
        if !self.is_text() {
            return Err(self.mistyped("texts are expected"));
        }
        self.data.read_string().map_err(|error| unreadable(&self.path, &error))
    }

    /// Its lists of numbers, each of its own length, as h5py writes them with `h5py.vlen_dtype`.
    ///
    /// # Errors
    /// They are not lists of numbers, or damaged.
    pub fn lists(&self) -> Result<Vec<Vec<f64>>, Error> {
        self.lists_of(0..self.shape.iter().product())
    }

    /// Some of the lists of a dataset of one dimension, so that not all of a long recording are in memory; those that it does not have are
    /// left out.
    ///
    /// # Errors
    /// As [`Dataset::lists`].
    pub fn lists_of(&self, rows: Range<usize>) -> Result<Vec<Vec<f64>>, Error> {
        let expected = "lists of numbers of variable length are expected";
        let Datatype::VariableLength { is_string: false, base_type, .. } = &self.datatype else {
            return Err(self.mistyped(expected));
        };
        let number = self.number(base_type, expected)?;
        let file = &self.file.file;
        let (base, address) = (file.superblock().base_address.get(), file.superblock().offset_size);
        if address != 8 {
            return Err(damaged(&self.path, &format!("addresses have {address} bytes instead of 8")));
        }
        let is_whole = rows == (0..self.shape.iter().product());
        let raw = if is_whole { self.raw() } else { self.raw_rows(&rows) }?;
        let lists = raw.chunks_exact(heap::REFERENCE).map(|reference| {
            let bytes = heap::list(file.as_bytes(), base, reference, number.size)?;
            Some(bytes.chunks_exact(number.size).map(|bytes| number.decode(bytes)).collect())
        });
        lists.collect::<Option<_>>().ok_or_else(|| damaged(&self.path, "a list is not in the heap that should contain it"))
    }

    fn number(&self, datatype: &Datatype, expected: &str) -> Result<Number, Error> {
        Number::of(datatype).ok_or_else(|| self.mistyped(expected))
    }

    fn mistyped(&self, expected: &str) -> Error {
        let stored = self.data.dtype().map_or_else(|_| "unknown".to_owned(), |of| of.to_string());
        Error::invalid(&self.path, format!("of the type {stored}"), expected, "convert it with h5py")
    }

    fn raw_rows(&self, rows: &Range<usize>) -> Result<Vec<u8>, Error> {
        let raw = self.data.read_raw_rows(rows.start as u64, rows.len() as u64);
        raw.map_err(|error| unreadable(&self.path, &error))
    }

    fn raw(&self) -> Result<Vec<u8>, Error> {
        self.data.read_raw().map_err(|error| unreadable(&self.path, &error))
    }
}

fn attribute(value: &AttrValue) -> Option<Attribute> {
    if let Some(text) = value.as_str() {
        return Some(Attribute::Texts(vec![text.to_owned()]));
    }
    if let Some(texts) = value.as_strings() {
        return Some(Attribute::Texts(texts.to_vec()));
    }
    let whole = || Some(value.to_i64s()?.into_iter().map(|whole| whole as f64).collect());
    value.to_f64s().or_else(whole).map(Attribute::Numbers)
}

pub(super) fn unreadable(path: &str, error: &hdf5_pure::Error) -> Error {
    damaged(path, &error.to_string())
}

fn damaged(path: &str, why: &str) -> Error {
    Error::invalid(
        path,
        "not readable",
        format!("data in a supported form of HDF5 are expected ({why})"),
        "write it again with h5py",
    )
}
