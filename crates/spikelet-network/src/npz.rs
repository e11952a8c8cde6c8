//! Writes NumPy's `.npz`: a zip archive of `.npy` arrays, each with a header in Python syntax and raw numbers.
//!
//! The format is that of `numpy.lib.format`, version 1.0.

use std::collections::HashSet;
use std::io::{Error, ErrorKind, Result, Write};

use rawzip::ZipArchiveWriter;
use rawzip::path::EntryPath;

/// An element type of arrays.
pub trait Element: Copy {
    /// Its name in NumPy.
    const KIND: &'static str;
    /// Appends its bytes.
    fn put(self, page: &mut Vec<u8>);
}

macro_rules! element {
    ($number:ty, $kind:literal) => {
        impl Element for $number {
            const KIND: &'static str = $kind;

            fn put(self, page: &mut Vec<u8>) {
                page.extend(self.to_le_bytes());
            }
        }
    };
}

element!(u32, "<u4");
element!(f32, "<f4");
element!(f64, "<f8");

/// Size of buffered writes: an archive forwards every write to its file.
const PAGE: usize = 1 << 16;

/// An archive that is being written.
pub struct NpzWriter<W> {
    archive: ZipArchiveWriter<W>,
    names: HashSet<String>,
}

impl<W: Write> NpzWriter<W> {
    /// An archive without arrays.
    pub fn new(file: W) -> NpzWriter<W> {
        NpzWriter { archive: ZipArchiveWriter::new(file), names: HashSet::new() }
    }

    /// Adds an array in row-major order.
    ///
    /// # Errors
    /// An error of the file, or there already is an array of that name.
    pub fn add<T: Element>(&mut self, name: &str, shape: &[usize], elements: impl Iterator<Item = T>) -> Result<()> {
        self.add_as(name, T::KIND, shape, elements)
    }

    /// Adds an array of `count` elements that come in parts: `fill` gives them to the function that it receives.
    ///
    /// # Errors
    /// As [`NpzWriter::add`]; an error of `fill`; or the parts have another number of elements.
    pub fn add_parts<T: Element>(
        &mut self,
        name: &str,
        count: usize,
        fill: impl FnOnce(&mut dyn FnMut(&[T]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        self.add_with(name, T::KIND, &[count], |data| {
            let (mut page, mut written) = (Vec::new(), 0);
            fill(&mut |elements| {
                page.clear();
                elements.iter().for_each(|element| element.put(&mut page));
                written += elements.len();
                data.write_all(&page)
            })?;
            if written == count {
                Ok(())
            } else {
                Err(Error::other(format!("`{name}` has {written} elements; expected {count}")))
            }
        })
    }

    /// Adds an array of texts, padded to the longest.
    ///
    /// # Errors
    /// As [`NpzWriter::add`].
    pub fn add_texts(&mut self, name: &str, texts: &[impl AsRef<str>]) -> Result<()> {
        let longest = texts.iter().map(|text| text.as_ref().chars().count()).max().unwrap_or(0).max(1);
        let letters = texts.iter().flat_map(|text| {
            let letters = text.as_ref().chars().map(u32::from).chain(std::iter::repeat(0));
            letters.take(longest)
        });
        self.add_as(name, &format!("<U{longest}"), &[texts.len()], letters)
    }

    /// Completes the archive and returns the file.
    ///
    /// # Errors
    /// An error of the file.
    pub fn finish(self) -> Result<W> {
        self.archive.finish().map_err(Error::other)
    }

    fn add_as<T: Element>(&mut self, name: &str, kind: &str, shape: &[usize], elements: impl Iterator<Item = T>) -> Result<()> {
        self.add_with(name, kind, shape, |data| {
            let mut page = Vec::with_capacity(PAGE);
            for element in elements {
                element.put(&mut page);
                if page.len() >= PAGE {
                    data.write_all(&page)?;
                    page.clear();
                }
            }
            data.write_all(&page)
        })
    }

    /// Adds an array whose bytes `fill` writes.
    fn add_with(
        &mut self,
        name: &str,
        kind: &str,
        shape: &[usize],
        fill: impl FnOnce(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        if !self.names.insert(name.to_owned()) {
            return Err(Error::new(ErrorKind::AlreadyExists, format!("there is an array `{name}` already")));
        }
        let path = format!("{name}.npy");
        // `conformant` marks the name as UTF-8, but replaces backslashes.
        let entry = if path.is_ascii() { EntryPath::verbatim(path.as_bytes()) } else { EntryPath::conformant(&path) };
        let (mut file, data) = self.archive.new_file(entry).start().map_err(Error::other)?;
        let mut data = data.wrap(&mut file);
        data.write_all(&header(kind, shape))?;
        fill(&mut data)?;
        let (_, descriptor) = data.finish().map_err(Error::other)?;
        file.finish(descriptor).map_err(Error::other)?;
        Ok(())
    }
}

/// Magic, version, and a dictionary padded so that the numbers start at a multiple of 64 bytes.
fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
    let shape = if shape.len() == 1 { sizes.trim_end() } else { sizes.trim_end_matches(", ") };
    let dictionary = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    let length = (10 + dictionary.len() + 1).next_multiple_of(64) - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{dictionary:<width$}\n", width = length - 1).bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As written by `numpy.save`.
    #[test]
    fn headers_are_those_of_numpy() {
        let expected = b"\x93NUMPY\x01\x00v\x00{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }";
        let found = header(u32::KIND, &[3]);
        assert_eq!((&found[..expected.len()], found.len(), found[127]), (&expected[..], 128, b'\n'));
        let matrix = header(f32::KIND, &[2, 3]);
        assert!(String::from_utf8_lossy(&matrix).contains("'shape': (2, 3), }"));
    }
}
