//! The files of a zip archive in their order, without seeking: enough for what NumPy writes.
//!
//! The format: APPNOTE.TXT 6.3.10 of PKWARE, 4.3.7 (local file header) and 4.5.3 (sizes beyond 32 bits).

use std::io::{Error, ErrorKind, Read, Result, copy, sink};

use flate2::CrcReader;
use flate2::read::DeflateDecoder;

/// What stands before a file.
pub(super) struct Entry {
    pub(super) name: String,
    deflated: bool,
    crc: u32,
    /// Bytes in the archive.
    stored: u64,
}

const LOCAL_FILE: u32 = 0x0403_4b50;
const DIRECTORY: [u32; 2] = [0x0201_4b50, 0x0605_4b50];

/// The header of the next file; none where the files end.
pub(super) fn next(source: &mut impl Read) -> Result<Option<Entry>> {
    let signature = u32::from_le_bytes(bytes(source)?);
    if DIRECTORY.contains(&signature) {
        return Ok(None);
    }
    if signature != LOCAL_FILE {
        return Err(wrong("it is not a zip archive, as an .npz file must be"));
    }
    let header: [u8; 26] = bytes(source)?;
    let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let long = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (flags, method, crc) = (short(2), short(4), long(10));
    let (mut stored, size) = (u64::from(long(14)), u64::from(long(18)));
    let (mut name, mut extra) = (vec![0; short(22).into()], vec![0; short(24).into()]);
    source.read_exact(&mut name)?;
    source.read_exact(&mut extra)?;
    if flags & 1 != 0 {
        return Err(wrong("it is encrypted; save it without a password"));
    }
    if flags & 8 != 0 {
        return Err(wrong("it does not contain the lengths of its arrays, like archives written to a pipe; save it to a file"));
    }
    if stored == u64::from(u32::MAX) {
        stored = large_size(&extra, size).ok_or_else(|| wrong("the size of an array is missing"))?;
    }
    let deflated = match method {
        0 => false,
        8 => true,
        other => return Err(wrong(&format!("it is compressed by method {other}; save it with numpy.savez_compressed"))),
    };
    let name = String::from_utf8(name).map_err(|_| wrong("the name of an array is not UTF-8"))?;
    Ok(Some(Entry { name, deflated, crc, stored }))
}

impl Entry {
    /// Whether its content is longer than the bytes in the archive.
    pub(super) fn is_deflated(&self) -> bool {
        self.deflated
    }

    /// The bytes in the archive, as they are.
    pub(super) fn packed(&self, source: &mut impl Read) -> Result<Vec<u8>> {
        let mut packed = Vec::new();
        source.take(self.stored).read_to_end(&mut packed)?;
        Ok(packed)
    }

    /// The beginning of what deflated bytes hold; nothing of it is checked.
    pub(super) fn peek<'a>(&self, packed: &'a [u8]) -> impl Read + use<'a> {
        DeflateDecoder::new(packed)
    }

    /// Hands the content of the file to `use_it`, and goes on to the end of the file.
    pub(super) fn read<T, E: From<Error>>(
        &self,
        source: &mut impl Read,
        use_it: impl FnOnce(&mut dyn Read) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let mut packed = source.take(self.stored);
        let (value, crc) = if self.deflated {
            let mut content = CrcReader::new(DeflateDecoder::new(&mut packed));
            let value = use_it(&mut content)?;
            copy(&mut content, &mut sink())?;
            (value, content.crc().sum())
        } else {
            let mut content = CrcReader::new(&mut packed);
            let value = use_it(&mut content)?;
            copy(&mut content, &mut sink())?;
            (value, content.crc().sum())
        };
        copy(&mut packed, &mut sink())?;
        if packed.limit() > 0 {
            return Err(Error::from(ErrorKind::UnexpectedEof).into());
        }
        if crc != self.crc {
            return Err(wrong(&format!("the array `{}` is damaged: its checksum differs", self.name)).into());
        }
        Ok(value)
    }
}

/// The size in the archive, from the header's extra field: the size of the content stands before it where that is large too.
fn large_size(mut extra: &[u8], size: u64) -> Option<u64> {
    while let Some(((id, length), rest)) = extra
        .split_at_checked(4)
        .map(|(head, rest)| ((u16::from_le_bytes([head[0], head[1]]), usize::from(u16::from_le_bytes([head[2], head[3]]))), rest))
    {
        let (field, rest) = rest.split_at_checked(length)?;
        if id == 1 {
            let at = if size == u64::from(u32::MAX) { 8 } else { 0 };
            return field.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes);
        }
        extra = rest;
    }
    None
}

fn bytes<const N: usize>(source: &mut impl Read) -> Result<[u8; N]> {
    let mut bytes = [0; N];
    source.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn wrong(message: &str) -> Error {
    Error::new(ErrorKind::InvalidData, message.to_owned())
}
