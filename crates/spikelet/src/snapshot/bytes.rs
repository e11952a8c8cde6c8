//! Little-endian bytes in sections with a checksum each, read with checks.

use std::hash::Hasher;

use fnv::FnvHasher;

use crate::Error;

/// The hash of some bytes: FNV-1a with 64 bits, <http://www.isthe.com/chongo/tech/comp/fnv/>.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = FnvHasher::default();
    hash.write(bytes);
    hash.finish()
}

/// Remaining bytes.
#[derive(Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.u32(text.len() as u32);
        self.0.extend(text.as_bytes());
    }

    pub(super) fn words(&mut self, words: impl IntoIterator<Item = u32>) {
        words.into_iter().for_each(|word| self.u32(word));
    }

    /// A name, the length of the content, the content, and the checksum of these three.
    pub(super) fn section(&mut self, name: &str, content: &Writer) {
        let first = self.0.len();
        self.text(name);
        self.u64(content.0.len() as u64);
        self.0.extend(&content.0);
        self.u64(checksum(&self.0[first..]));
    }
}

/// Untrusted bytes.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    /// Offset of the first of them in the file.
    offset: usize,
    /// The name of the current part, for errors.
    pub(super) place: String,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], place: impl Into<String>) -> Reader<'a> {
        Reader { bytes, offset: 0, place: place.into() }
    }

    /// Number of remaining bytes.
    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }

    /// Offset of the next byte in the file.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// The error of something read here.
    pub(super) fn wrong(&self, value: impl std::fmt::Display, expected: impl std::fmt::Display) -> Error {
        let place = format!("the snapshot, at byte {}, in {},", self.offset, self.place);
        Error::invalid(place, value, expected, "use an undamaged copy of the file, or run the network from its start")
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let Some((taken, rest)) = self.bytes.split_at_checked(count) else {
            return Err(self.wrong(format!("{} bytes long from there", self.left()), format!("{count} bytes are expected")));
        };
        (self.bytes, self.offset) = (rest, self.offset + count);
        Ok(taken)
    }

    pub(super) fn u8(&mut self) -> Result<u8, Error> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn u32(&mut self) -> Result<u32, Error> {
        Ok(self.take(4)?.try_into().map_or(0, u32::from_le_bytes))
    }

    pub(super) fn u64(&mut self) -> Result<u64, Error> {
        Ok(self.take(8)?.try_into().map_or(0, u64::from_le_bytes))
    }

    pub(super) fn text(&mut self) -> Result<String, Error> {
        let length = self.u32()? as usize;
        let bytes = self.take(length)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| self.wrong("a text that is not UTF-8", "all texts must be UTF-8"))
    }

    /// A list with its length: no memory is allocated for missing items.
    pub(super) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T, Error>) -> Result<Vec<T>, Error> {
        let count = self.u32()?;
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Words up to the end.
    pub(super) fn words(&mut self) -> Result<Vec<u32>, Error> {
        if !self.left().is_multiple_of(4) {
            return Err(self.wrong(format!("{} bytes long", self.left()), "an array has words of 4 bytes"));
        }
        let bytes = self.take(self.left())?;
        Ok(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// A section: its name, and its content after its checksum was verified.
    pub(super) fn section(&mut self) -> Result<(String, Reader<'a>), Error> {
        let (whole, offset) = (self.bytes, self.offset);
        let name = self.text()?;
        let length = self.u64()?;
        // A wrong length is detected before anything is read by it.
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let at = self.offset;
        let content = self.take(length)?;
        let covered = self.offset - offset;
        let (found, written) = (checksum(&whole[..covered]), self.u64()?);
        let content = Reader { bytes: content, offset: at, place: format!("`{name}`") };
        if found != written {
            return Err(content.wrong(format!("damaged: its checksum is {found:016x}"), format!("{written:016x} was written")));
        }
        Ok((name, content))
    }

    /// Rejects additional bytes.
    pub(super) fn end(&self) -> Result<(), Error> {
        if self.bytes.is_empty() {
            Ok(())
        } else {
            Err(self.wrong(format!("{} bytes longer", self.left()), "the file should end here"))
        }
    }
}
