//! The words of a table in a file.
#![allow(unsafe_code)] // The file of a table is mapped into memory, to be read without a copy.

use std::borrow::Cow;
use std::fs::File;
use std::path::Path;

use crc32fast::Hasher;
use memmap2::Mmap;

use crate::failure::Failure;
use crate::files;

/// Words of which the checksum is computed at once.
const AT_ONCE: usize = 1 << 14;

/// Words of a table.
pub(super) enum Words {
    Memory(Vec<u32>),
    Map(Mmap),
}

impl Words {
    /// The words of a file, which has at least this number.
    pub(super) fn of_file(file: &File, path: &Path, words: usize) -> Result<Words, Failure> {
        let unreadable = |error| files::unreadable(path, &error);
        let (found, expected) = (file.metadata().map_err(unreadable)?.len(), words as u64 * 4);
        if found < expected {
            return Err(damaged(path, &format!("has {found} bytes instead of {expected}")));
        }
        // A file without content cannot be mapped.
        if found == 0 {
            return Ok(Words::Memory(Vec::new()));
        }
        // SAFETY: the folder is locked, so that no other run changes the file while it is mapped.
        let map = unsafe { Mmap::map(file) }.map_err(unreadable)?;
        if cfg!(target_endian = "little") {
            return Ok(Words::Map(map));
        }
        Ok(Words::Memory(map.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()))
    }

    pub(super) fn as_slice(&self) -> &[u32] {
        match self {
            Words::Memory(words) => words,
            // A map begins with a page; an incomplete word is not read.
            Words::Map(map) => bytemuck::cast_slice(&map[..map.len() / 4 * 4]),
        }
    }
}

/// The bytes of words in a file.
pub(super) fn bytes_of(words: &[u32]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(bytemuck::cast_slice(words));
    }
    Cow::Owned(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// Their checksum.
pub(super) fn checksum_of(words: &[u32]) -> Hasher {
    let mut checksum = Hasher::new();
    words.chunks(AT_ONCE).for_each(|part| checksum.update(&bytes_of(part)));
    checksum
}

/// The error for a table that another program has changed.
pub(super) fn damaged(path: &Path, how: &str) -> Failure {
    Failure::Run(format!("{} {how}: something else has changed it; remove the folder, and run the network again", path.display()))
}
