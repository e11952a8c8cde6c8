//! Tables are read back by a reader that knows as much of the format as they use.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::GzDecoder;

use super::*;

/// A value of Thrift.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Bool(bool),
    Whole(i64),
    Bytes(Vec<u8>),
    List(Vec<Value>),
    Struct(BTreeMap<u8, Value>),
}

impl Value {
    fn at(&self, path: &[u8]) -> &Value {
        path.iter().fold(self, |value, number| match value {
            Value::Struct(fields) => &fields[number],
            other => panic!("{other:?} has no field {number}"),
        })
    }

    fn has(&self, number: u8) -> bool {
        matches!(self, Value::Struct(fields) if fields.contains_key(&number))
    }

    fn whole(&self) -> usize {
        match self {
            Value::Whole(value) => usize::try_from(*value).unwrap(),
            other => panic!("{other:?} is no number"),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Value::Bytes(bytes) => bytes,
            other => panic!("{other:?} are no bytes"),
        }
    }

    fn list(&self) -> &[Value] {
        match self {
            Value::List(list) => list,
            other => panic!("{other:?} is no list"),
        }
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
        shift += 7;
    }
}

fn value(bytes: &mut &[u8], kind: u8) -> Value {
    match kind {
        3 => {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            Value::Whole(byte.into())
        }
        4..=6 => {
            let raw = varint(bytes);
            Value::Whole((raw >> 1) as i64 ^ -((raw & 1) as i64))
        }
        8 => {
            let length = varint(bytes) as usize;
            let (content, rest) = bytes.split_at(length);
            *bytes = rest;
            Value::Bytes(content.to_vec())
        }
        9 => {
            let head = bytes[0];
            *bytes = &bytes[1..];
            let count = if head >> 4 == 15 { varint(bytes) } else { u64::from(head >> 4) };
            Value::List((0..count).map(|_| value(bytes, head & 15)).collect())
        }
        12 => {
            let (mut fields, mut last) = (BTreeMap::new(), 0);
            loop {
                let head = bytes[0];
                *bytes = &bytes[1..];
                if head == 0 {
                    return Value::Struct(fields);
                }
                last += head >> 4;
                let found = if head & 15 <= 2 { Value::Bool(head & 15 == 1) } else { value(bytes, head & 15) };
                fields.insert(last, found);
            }
        }
        other => panic!("unknown type {other}"),
    }
}

/// Numbers of `width` bits.
fn numbers(mut bytes: &[u8], width: usize, count: usize) -> Vec<u64> {
    let mut found = Vec::new();
    while found.len() < count {
        let head = varint(&mut bytes);
        let length = (head >> 1) as usize;
        if head & 1 == 0 {
            let (run, rest) = bytes.split_at(width.div_ceil(8));
            found.extend(std::iter::repeat_n(run.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)), length));
            bytes = rest;
        } else {
            let (packed, rest) = bytes.split_at(length * width);
            let bit = |at: usize| u64::from(packed[at / 8] >> (at % 8) & 1);
            found.extend((0..length * 8).map(|at| (0..width).fold(0, |value, of| value | bit(at * width + of) << of)));
            bytes = rest;
        }
    }
    found.truncate(count);
    found
}

/// The bytes of each value.
fn plain(kind: usize, mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let width = match kind {
            6 => {
                let (length, rest) = bytes.split_at(4);
                bytes = rest;
                u32::from_le_bytes(length.try_into().unwrap()) as usize
            }
            5 => 8,
            _ => 4,
        };
        let (own, rest) = bytes.split_at(width);
        found.push(own.to_vec());
        bytes = rest;
    }
    found
}

/// The description of a file, and the values of each column.
fn read(bytes: &[u8]) -> (Value, Vec<Vec<Option<Vec<u8>>>>) {
    assert!(bytes.starts_with(MAGIC) && bytes.ends_with(MAGIC));
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
    let footer = value(&mut &bytes[end - length..end], 12);
    let schema = footer.at(&[2]).list();
    let mut columns = vec![Vec::new(); schema.len() - 1];
    for group in footer.at(&[4]).list() {
        for (place, chunk) in group.at(&[1]).list().iter().enumerate() {
            let about = chunk.at(&[3]);
            let (kind, is_optional) = (about.at(&[1]).whole(), schema[place + 1].at(&[3]).whole() == 1);
            let page = |offset: usize| {
                let mut rest = &bytes[offset..];
                let header = value(&mut rest, 12);
                let mut content = Vec::new();
                GzDecoder::new(&rest[..header.at(&[3]).whole()]).read_to_end(&mut content).unwrap();
                assert_eq!(content.len(), header.at(&[2]).whole());
                (header, content)
            };
            let words = about.has(11).then(|| plain(kind, &page(about.at(&[11]).whole()).1));
            let (header, content) = page(about.at(&[9]).whole());
            let rows = header.at(&[5, 1]).whole();
            assert_eq!((rows, rows), (group.at(&[3]).whole(), about.at(&[5]).whole()));
            let mut content = &content[..];
            let mut levels = vec![1; rows];
            if is_optional {
                let length = u32::from_le_bytes(content[..4].try_into().unwrap()) as usize;
                levels = numbers(&content[4..4 + length], 1, rows);
                content = &content[4 + length..];
            }
            let count = levels.iter().filter(|level| **level == 1).count();
            assert_eq!(about.at(&[12, 3]).whole(), rows - count);
            let values = match &words {
                Some(words) => {
                    let indices = numbers(&content[1..], content[0].into(), count);
                    indices.iter().map(|index| words[*index as usize].clone()).collect()
                }
                None => plain(kind, content),
            };
            let mut values = values.into_iter();
            columns[place].extend(levels.iter().map(|level| (*level == 1).then(|| values.next().unwrap())));
            assert_eq!(values.next(), None);
        }
    }
    (footer, columns)
}

fn columns() -> Vec<Column> {
    vec![
        Column::new("population", Kind::Text),
        Column::new("neuron", Kind::U32),
        Column::new("time_ms", Kind::F64).in_unit("ms"),
        Column::new("E.v[0] (mV)", Kind::F32).in_unit("mV").optional(),
    ]
}

#[test]
fn rows_are_read_back() {
    // More than a group; times and potentials that repeat and that do not; runs of one value and of none.
    let count = ROWS + 1000;
    let name = |row: usize| if row % 100 < 40 { "E" } else { "Inh µ" };
    let neuron = |row: usize| if row < 700 { row as u32 } else { 4_000_000_000 - (row / 50) as u32 };
    let time = |row: usize| row as f64 * 0.1;
    let potential =
        |row: usize| (row.is_multiple_of(3) || row > ROWS).then_some(if row.is_multiple_of(2) { -60.5 } else { row as f32 });
    let mut table = Table::new(Vec::new(), columns(), &[("network", "cuba \"1\"".to_owned())]).unwrap();
    for row in 0..count {
        let value = potential(row).map_or(Cell::Nothing, Cell::F32);
        table.row([Cell::Text(name(row)), Cell::U32(neuron(row)), Cell::F64(time(row)), value]).unwrap();
    }
    let (footer, found) = read(&table.finish().unwrap());
    assert_eq!((footer.at(&[3]).whole(), footer.at(&[4]).list().len()), (count, 2));
    let number = |value: u32| Some(value.to_le_bytes().to_vec());
    assert!(found.iter().all(|column| column.len() == count));
    for (row, ((names, neurons), (times, values))) in
        found[0].iter().zip(&found[1]).zip(found[2].iter().zip(&found[3])).enumerate()
    {
        assert_eq!((names.as_deref(), neurons), (Some(name(row).as_bytes()), &number(neuron(row))));
        assert_eq!(times, &Some(time(row).to_le_bytes().to_vec()));
        assert_eq!(values, &potential(row).map(|value| value.to_le_bytes().to_vec()), "{row}");
    }
    let said: Vec<(&[u8], &[u8])> =
        footer.at(&[5]).list().iter().map(|pair| (pair.at(&[1]).bytes(), pair.at(&[2]).bytes())).collect();
    assert_eq!(said[0], (&b"network"[..], &b"cuba \"1\""[..]));
    assert_eq!(said[1], (&b"units"[..], &br#"{"time_ms":"ms","E.v[0] (mV)":"mV"}"#[..]));
    // Whole numbers have no sign, texts are in UTF-8, and bounds say which groups a query needs.
    let schema = footer.at(&[2]).list();
    assert_eq!((schema[2].at(&[10, 10, 1]), schema[2].at(&[10, 10, 2])), (&Value::Whole(32), &Value::Bool(false)));
    assert!(schema[1].at(&[10]).has(1));
    let of_last = footer.at(&[4]).list()[1].at(&[1]).list()[2].at(&[3, 12]).clone();
    assert_eq!(of_last.at(&[6]).bytes(), time(ROWS).to_le_bytes());
    assert_eq!(of_last.at(&[5]).bytes(), time(count - 1).to_le_bytes());
}

#[test]
fn all_of_any_length_is_read_back() {
    for count in (0..70).chain([255, 256, 257, 70_000]) {
        for distinct in [1, 2, 3, 9, 300] {
            let mut table = Table::new(Vec::new(), vec![Column::new("n", Kind::U32), Column::new("x", Kind::F32)], &[]).unwrap();
            let number = |row: usize| (row / 11 * 7 % distinct) as u32;
            let float = |row: usize| if row.is_multiple_of(distinct) { f32::NAN } else { -0.0 };
            (0..count).for_each(|row| table.row([Cell::U32(number(row)), Cell::F32(float(row))]).unwrap());
            let (_, found) = read(&table.finish().unwrap());
            assert_eq!(found[0].len(), count);
            for (row, (whole, value)) in found[0].iter().zip(&found[1]).enumerate() {
                assert_eq!(whole, &Some(number(row).to_le_bytes().to_vec()), "{count} rows, {distinct} values");
                assert_eq!(value, &Some(float(row).to_le_bytes().to_vec()));
            }
        }
    }
}

#[test]
fn bounds_leave_out_what_is_no_number() {
    let bounds_of = |values: &[f64]| {
        let mut table = Table::new(Vec::new(), vec![Column::new("x", Kind::F64)], &[]).unwrap();
        values.iter().for_each(|value| table.row([Cell::F64(*value)]).unwrap());
        let (footer, _) = read(&table.finish().unwrap());
        let found = footer.at(&[4]).list()[0].at(&[1]).list()[0].at(&[3, 12]).clone();
        found.has(5).then(|| [6, 5].map(|number| f64::from_le_bytes(found.at(&[number]).bytes().try_into().unwrap())))
    };
    assert_eq!(bounds_of(&[1.0, f64::NAN]), None);
    assert_eq!(bounds_of(&[1.0, f64::NEG_INFINITY]), Some([f64::NEG_INFINITY, 1.0]));
    let zeros = bounds_of(&[0.0, -0.0]).unwrap();
    assert!(zeros[0].is_sign_negative() && zeros[1].is_sign_positive());
}

#[test]
fn rows_that_do_not_fit_are_errors() {
    let row = |cells: &[Cell<'_>]| {
        let mut table = Table::new(Vec::new(), columns(), &[]).unwrap();
        table.row(cells.iter().copied()).unwrap_err().to_string()
    };
    let start = [Cell::Text("E"), Cell::U32(1), Cell::F64(0.0)];
    assert_eq!(row(&start), "a row has 3 values, but there are 4 columns");
    assert_eq!(row(&[Cell::Nothing]), "\"population\" has Nothing, but contains Text");
    assert_eq!(row(&[start[0], Cell::F32(1.0)]), "\"neuron\" has F32(1.0), but contains U32");
    let long = [&start[..], &[Cell::Nothing, Cell::Nothing]].concat();
    assert_eq!(row(&long), "a row has more values than the 4 columns");
    let twice = vec![Column::new("a", Kind::U32), Column::new("a", Kind::F32)];
    assert!(Table::new(Vec::new(), twice, &[]).unwrap_err().to_string().contains("two columns are named \"a\""));
    assert!(Table::new(Vec::new(), Vec::new(), &[]).unwrap_err().to_string().contains("at least one column"));
}
