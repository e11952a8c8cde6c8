//! What a file says of itself at its end: its columns, and where their values are.

use super::encoding::{PLAIN, RLE, RLE_DICTIONARY, Stored};
use super::thrift::{self, BINARY, I32, STRUCT, Struct};
use super::{Column, Kind};

/// Version of the format: pages of different values, and whole numbers without a sign.
const VERSION: i32 = 2;
/// The number of gzip among the codecs.
const GZIP: i32 = 2;

/// Rows that are written together.
#[derive(Debug)]
pub(super) struct RowGroup {
    pub(super) columns: Vec<Stored>,
    pub(super) rows: usize,
}

/// The description of a file.
pub(super) fn of_file(columns: &[Column], groups: &[RowGroup], about: &[(String, String)]) -> Vec<u8> {
    let root = Struct::default().binary(4, b"schema").i32(5, columns.len() as i32).end();
    let schema: Vec<Vec<u8>> = std::iter::once(root).chain(columns.iter().map(of_column)).collect();
    let rows = groups.iter().map(|group| group.rows as u64).sum();
    let groups: Vec<Vec<u8>> = groups.iter().enumerate().map(|(number, group)| of_group(columns, number, group)).collect();
    let about: Vec<Vec<u8>> =
        about.iter().map(|(key, value)| Struct::default().binary(1, key.as_bytes()).binary(2, value.as_bytes()).end()).collect();
    // Bounds are those of the order of the type.
    let orders: Vec<Vec<u8>> = columns.iter().map(|_| Struct::default().inner(1, Struct::default()).end()).collect();
    Struct::default()
        .i32(1, VERSION)
        .list(2, STRUCT, &schema)
        .i64(3, rows)
        .list(4, STRUCT, &groups)
        .list(5, STRUCT, &about)
        .binary(6, concat!("spikelet version ", env!("CARGO_PKG_VERSION")).as_bytes())
        .list(7, STRUCT, &orders)
        .end()
}

/// The number of the type in which values are stored.
fn stored(kind: Kind) -> i32 {
    match kind {
        Kind::U32 => 1,
        Kind::F32 => 4,
        Kind::F64 => 5,
        Kind::Text => 6,
    }
}

fn of_column(column: &Column) -> Vec<u8> {
    let element = Struct::default().i32(1, stored(column.kind)).i32(3, column.is_optional.into());
    let element = element.binary(4, column.name.as_bytes());
    let element = match column.kind {
        Kind::F32 | Kind::F64 => element,
        // Twice: older readers know the number only, newer ones the structure.
        Kind::Text => element.i32(6, 0).inner(10, Struct::default().inner(1, Struct::default())),
        Kind::U32 => element.i32(6, 13).inner(10, Struct::default().inner(10, Struct::default().byte(1, 32).bool(2, false))),
    };
    element.end()
}

fn of_group(columns: &[Column], number: usize, group: &RowGroup) -> Vec<u8> {
    let chunks: Vec<Vec<u8>> = columns.iter().zip(&group.columns).map(|(column, stored)| of_chunk(column, stored)).collect();
    let plain = group.columns.iter().map(|of| of.plain).sum();
    let compressed = group.columns.iter().map(|of| of.compressed).sum();
    let offset = group.columns.first().map_or(0, |of| of.offset);
    let group = Struct::default().list(1, STRUCT, &chunks).i64(2, plain).i64(3, group.rows as u64);
    let group = group.i64(5, offset).i64(6, compressed);
    match i16::try_from(number) {
        Ok(number) => group.i16(7, number).end(),
        Err(_) => group.end(),
    }
}

fn of_chunk(column: &Column, of: &Stored) -> Vec<u8> {
    let is_dictionary = of.dictionary > 0;
    let encodings: &[i32] = if is_dictionary { &[PLAIN, RLE, RLE_DICTIONARY] } else { &[PLAIN, RLE] };
    let encodings: Vec<Vec<u8>> = encodings.iter().map(|encoding| thrift::number(*encoding)).collect();
    let about = Struct::default()
        .i32(1, stored(column.kind))
        .list(2, I32, &encodings)
        .list(3, BINARY, &[thrift::binary(column.name.as_bytes())])
        .i32(4, GZIP)
        .i64(5, of.values as u64)
        .i64(6, of.plain)
        .i64(7, of.compressed)
        .i64(9, of.offset + of.dictionary);
    let about = if is_dictionary { about.i64(11, of.offset) } else { about };
    let statistics = Struct::default().i64(3, of.nulls as u64);
    let statistics = match &of.bounds {
        Some([least, greatest]) => statistics.binary(5, greatest).binary(6, least),
        None => statistics,
    };
    Struct::default().i64(2, of.offset).inner(3, about.inner(12, statistics)).end()
}
