//! The compact protocol of Apache Thrift (thrift.apache.org), in which pages and files are described.

/// Types of fields and of elements of lists.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
pub(super) const I32: u8 = 5;
const I64: u8 = 6;
pub(super) const BINARY: u8 = 8;
const LIST: u8 = 9;
pub(super) const STRUCT: u8 = 12;

/// A structure that is being written, field by field, with rising numbers.
#[derive(Debug, Default)]
pub(super) struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    fn field(mut self, number: u8, kind: u8) -> Struct {
        // Numbers of the format rise by less than 16.
        self.bytes.push(((number - self.last) << 4) | kind);
        self.last = number;
        self
    }

    pub(super) fn bool(self, number: u8, value: bool) -> Struct {
        self.field(number, if value { TRUE } else { FALSE })
    }

    pub(super) fn byte(mut self, number: u8, value: u8) -> Struct {
        self = self.field(number, BYTE);
        self.bytes.push(value);
        self
    }

    pub(super) fn i16(mut self, number: u8, value: i16) -> Struct {
        self = self.field(number, I16);
        zigzag(&mut self.bytes, value.into());
        self
    }

    pub(super) fn i32(mut self, number: u8, value: i32) -> Struct {
        self = self.field(number, I32);
        zigzag(&mut self.bytes, value.into());
        self
    }

    pub(super) fn i64(mut self, number: u8, value: u64) -> Struct {
        self = self.field(number, I64);
        zigzag(&mut self.bytes, value as i64);
        self
    }

    pub(super) fn binary(mut self, number: u8, value: &[u8]) -> Struct {
        self = self.field(number, BINARY);
        self.bytes.extend(binary(value));
        self
    }

    pub(super) fn inner(mut self, number: u8, value: Struct) -> Struct {
        self = self.field(number, STRUCT);
        self.bytes.extend(value.end());
        self
    }

    /// A list of elements that are written already.
    pub(super) fn list(mut self, number: u8, kind: u8, elements: &[Vec<u8>]) -> Struct {
        self = self.field(number, LIST);
        if elements.len() < 15 {
            self.bytes.push(((elements.len() as u8) << 4) | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint(&mut self.bytes, elements.len() as u64);
        }
        self.bytes.extend(elements.iter().flatten());
        self
    }

    /// The bytes of the whole structure.
    pub(super) fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

/// A whole number as an element of a list.
pub(super) fn number(value: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    zigzag(&mut bytes, value.into());
    bytes
}

/// Bytes with their length.
pub(super) fn binary(value: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(value.len() + 1);
    varint(&mut bytes, value.len() as u64);
    bytes.extend(value);
    bytes
}

/// Seven bits a byte, the lowest first.
pub(super) fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn zigzag(bytes: &mut Vec<u8>, value: i64) {
    varint(bytes, ((value << 1) ^ (value >> 63)) as u64);
}
