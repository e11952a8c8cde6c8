//! The pages of a column: its different values and their numbers, or the values as they are; compressed.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use indexmap::IndexSet;

use super::thrift::{Struct, varint};
use super::{Cell, Column, Kind};

/// Encodings of values.
pub(super) const PLAIN: i32 = 0;
pub(super) const RLE: i32 = 3;
pub(super) const RLE_DICTIONARY: i32 = 8;

/// The values of a column that are collected for a group of rows.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// The bits of each value that is there; of texts their numbers in `words`.
    bits: Vec<u64>,
    /// In optional columns 1 for each row with a value.
    levels: Vec<u32>,
    words: IndexSet<String>,
}

/// The pages of a chunk.
#[derive(Debug)]
pub(super) struct Pages {
    pub(super) bytes: Vec<u8>,
    /// Bytes of the page of different values; 0 if there is none.
    dictionary: u64,
    /// Bytes without compression.
    plain: u64,
    values: usize,
    nulls: usize,
    bounds: Option<[Vec<u8>; 2]>,
}

/// A chunk in the file.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) offset: u64,
    pub(super) dictionary: u64,
    pub(super) plain: u64,
    pub(super) compressed: u64,
    pub(super) values: usize,
    pub(super) nulls: usize,
    /// The least and the greatest value.
    pub(super) bounds: Option<[Vec<u8>; 2]>,
}

impl Pages {
    pub(super) fn stored(&self, offset: u64) -> Stored {
        let Pages { dictionary, plain, values, nulls, .. } = *self;
        Stored { offset, dictionary, plain, compressed: self.bytes.len() as u64, values, nulls, bounds: self.bounds.clone() }
    }
}

impl Chunk {
    /// Adds a value; `false` if it is not one of the column.
    pub(super) fn push(&mut self, column: &Column, cell: Cell<'_>) -> bool {
        let bits = match (column.kind, cell) {
            (Kind::U32, Cell::U32(value)) => value.into(),
            (Kind::F32, Cell::F32(value)) => value.to_bits().into(),
            (Kind::F64, Cell::F64(value)) => value.to_bits(),
            (Kind::Text, Cell::Text(text)) => {
                self.words.get_index_of(text).unwrap_or_else(|| self.words.insert_full(text.to_owned()).0) as u64
            }
            (_, Cell::Nothing) if column.is_optional => {
                self.levels.push(0);
                return true;
            }
            _ => return false,
        };
        self.bits.push(bits);
        if column.is_optional {
            self.levels.push(1);
        }
        true
    }

    /// What is written of it.
    pub(super) fn pages(self, column: &Column) -> io::Result<Pages> {
        let rows = if column.is_optional { self.levels.len() } else { self.bits.len() };
        let (mut bytes, mut plain) = (Vec::new(), 0);
        let distinct: IndexSet<u64> =
            if column.kind == Kind::Text { (0..self.words.len() as u64).collect() } else { self.bits.iter().copied().collect() };
        // Each row has a number of at most half the bits of a value, if values are repeated.
        let is_dictionary = column.kind == Kind::Text || distinct.len() * 2 <= self.bits.len() && distinct.len() <= 1 << 16;
        if is_dictionary {
            let values: Vec<u8> = if column.kind == Kind::Text {
                self.words.iter().flat_map(|word| (word.len() as u32).to_le_bytes().into_iter().chain(word.bytes())).collect()
            } else {
                stored(column.kind, &distinct.iter().copied().collect::<Vec<u64>>())
            };
            let header = Struct::default().i32(1, distinct.len() as i32).i32(2, PLAIN);
            plain += page(&mut bytes, 2, &values, (7, header))?;
        }
        let dictionary = bytes.len() as u64;
        let mut content = Vec::new();
        if column.is_optional {
            let levels = runs(&self.levels, 1);
            content.extend((levels.len() as u32).to_le_bytes());
            content.extend(levels);
        }
        if is_dictionary {
            let width = (u64::BITS - (distinct.len().max(2) as u64 - 1).leading_zeros()) as u8;
            let number = |bits: &u64| distinct.get_index_of(bits).unwrap_or_default() as u32;
            let numbers: Vec<u32> = self.bits.iter().map(number).collect();
            content.push(width);
            content.extend(runs(&numbers, width));
        } else {
            content.extend(stored(column.kind, &self.bits));
        }
        let encoding = if is_dictionary { RLE_DICTIONARY } else { PLAIN };
        let header = Struct::default().i32(1, rows as i32).i32(2, encoding).i32(3, RLE).i32(4, RLE);
        plain += page(&mut bytes, 0, &content, (5, header))?;
        let (nulls, bounds) = (rows - self.bits.len(), bounds(column.kind, &self.bits));
        Ok(Pages { bytes, dictionary, plain, values: rows, nulls, bounds })
    }
}

/// Appends a page of a type with the field of its header; its bytes without compression.
fn page(bytes: &mut Vec<u8>, kind: i32, content: &[u8], (number, header): (u8, Struct)) -> io::Result<u64> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content)?;
    let compressed = encoder.finish()?;
    let sizes = Struct::default().i32(1, kind).i32(2, content.len() as i32).i32(3, compressed.len() as i32);
    let header = sizes.inner(number, header).end();
    bytes.extend(&header);
    bytes.extend(compressed);
    Ok((header.len() + content.len()) as u64)
}

/// Values as they are stored.
fn stored(kind: Kind, bits: &[u64]) -> Vec<u8> {
    let width = if kind == Kind::F64 { 8 } else { 4 };
    bits.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(width)).collect()
}

/// The least and the greatest value; not of texts, nor where one is not a number.
fn bounds(kind: Kind, bits: &[u64]) -> Option<[Vec<u8>; 2]> {
    let float = |bits: &u64| if kind == Kind::F64 { f64::from_bits(*bits) } else { f32::from_bits(*bits as u32).into() };
    let [least, greatest] = match kind {
        Kind::Text => return None,
        Kind::U32 => [*bits.iter().min()?, *bits.iter().max()?],
        Kind::F32 | Kind::F64 => {
            let values = || bits.iter().map(float);
            if bits.is_empty() || values().any(f64::is_nan) {
                return None;
            }
            // Readers do not know which zero is the least.
            let least = values().fold(f64::INFINITY, f64::min);
            let least = if least == 0.0 { -0.0 } else { least };
            let greatest = values().fold(f64::NEG_INFINITY, f64::max) + 0.0;
            [least, greatest].map(|value| if kind == Kind::F64 { value.to_bits() } else { (value as f32).to_bits().into() })
        }
    };
    Some([least, greatest].map(|bits| stored(kind, &[bits])))
}

/// Numbers of some bits: runs of the same one, and groups of eight others.
fn runs(numbers: &[u32], width: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < numbers.len() {
        let same = numbers[at..].iter().take_while(|number| **number == numbers[at]).count();
        // A run may begin where the groups before it are full.
        let missing = (at - start).next_multiple_of(8) - (at - start);
        if same >= 8 + missing {
            pack(&mut bytes, &numbers[start..at + missing], width);
            varint(&mut bytes, ((same - missing) as u64) << 1);
            bytes.extend(numbers[at].to_le_bytes().iter().take(usize::from(width).div_ceil(8)));
            start = at + same;
        }
        at += same;
    }
    pack(&mut bytes, &numbers[start..], width);
    bytes
}

/// Groups of eight numbers; the last may be filled up.
fn pack(bytes: &mut Vec<u8>, numbers: &[u32], width: u8) {
    if numbers.is_empty() {
        return;
    }
    let groups = numbers.len().div_ceil(8);
    varint(bytes, (groups as u64) << 1 | 1);
    let (mut word, mut filled) = (0_u64, 0);
    let filling = std::iter::repeat_n(&0, groups * 8 - numbers.len());
    for number in numbers.iter().chain(filling) {
        word |= u64::from(*number) << filled;
        filled += u32::from(width);
        while filled >= 8 {
            bytes.push(word as u8);
            word >>= 8;
            filled -= 8;
        }
    }
}
