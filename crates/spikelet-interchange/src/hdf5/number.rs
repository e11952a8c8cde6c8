//! Numbers of any stored type.

use hdf5_pure::{Datatype, DatatypeByteOrder};

/// How a stored number is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    /// Bytes of a number: 1, 2, 4 or 8.
    pub(super) size: usize,
    kind: Kind,
    is_big_endian: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float,
    Signed,
    Unsigned,
}

impl Number {
    /// The decoder of a type: integers, enumerations of them (as h5py stores truth values), and IEEE floats of 2, 4 or 8 bytes.
    pub(super) fn of(datatype: &Datatype) -> Option<Number> {
        let (size, order, kind) = match datatype {
            Datatype::FixedPoint { size, byte_order, layout } => {
                let kind = if layout.signed { Kind::Signed } else { Kind::Unsigned };
                (layout.bit_offset == 0 && u64::from(layout.bit_precision) == 8 * u64::from(*size))
                    .then_some((*size, byte_order, kind))?
            }
            Datatype::FloatingPoint { size, byte_order, layout } => {
                let parts = (layout.mantissa_size, layout.exponent_size, layout.exponent_bias);
                let is_ieee = matches!((*size, parts), (2, (10, 5, 15)) | (4, (23, 8, 127)) | (8, (52, 11, 1023)));
                (is_ieee && layout.bit_offset == 0).then_some((*size, byte_order, Kind::Float))?
            }
            Datatype::Enumeration { base_type, .. } => return Number::of(base_type),
            _ => return None,
        };
        let is_big_endian = match order {
            DatatypeByteOrder::LittleEndian => false,
            DatatypeByteOrder::BigEndian => true,
            _ => return None,
        };
        matches!(size, 1 | 2 | 4 | 8).then_some(Number { size: size as usize, kind, is_big_endian })
    }

    /// Whether the numbers are whole.
    pub(super) fn is_whole(self) -> bool {
        self.kind != Kind::Float
    }

    /// The number of these bytes, of which there are `size`.
    pub(super) fn decode(self, bytes: &[u8]) -> f64 {
        let bits = self.bits(bytes);
        match (self.kind, self.size) {
            (Kind::Float, 2) => half(bits as u16),
            (Kind::Float, 4) => f64::from(f32::from_bits(bits as u32)),
            (Kind::Float, _) => f64::from_bits(bits),
            (Kind::Unsigned, _) => bits as f64,
            (Kind::Signed, _) => self.sign_extended(bits) as f64,
        }
    }

    /// The whole number of these bytes; `None` for floats and for what exceeds an `i64`.
    pub(super) fn decode_whole(self, bytes: &[u8]) -> Option<i64> {
        let bits = self.bits(bytes);
        match self.kind {
            Kind::Float => None,
            Kind::Signed => Some(self.sign_extended(bits)),
            Kind::Unsigned => i64::try_from(bits).ok(),
        }
    }

    fn bits(self, bytes: &[u8]) -> u64 {
        let append = |bits: u64, byte: &u8| (bits << 8) | u64::from(*byte);
        if self.is_big_endian { bytes.iter().fold(0, append) } else { bytes.iter().rev().fold(0, append) }
    }

    fn sign_extended(self, bits: u64) -> i64 {
        let unused = 64 - 8 * self.size as u32;
        ((bits << unused) as i64) >> unused
    }
}

/// The value of a float of two bytes (IEEE 754 binary16).
fn half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from((bits >> 10) & 0x1F);
    let fraction = f64::from(bits & 0x3FF) / 1024.0;
    sign * match exponent {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdf5_pure::FixedPointLayout;

    #[test]
    fn halves_are_those_of_ieee() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x3C00, 1.0),
            (0xC000, -2.0),
            (0x3555, 0.333_251_953_125),
            (0x7BFF, 65504.0),
            (0x0001, 5.960_464_477_539_063e-8),
            (0x7C00, f64::INFINITY),
        ] {
            assert_eq!(half(bits), value, "{bits:#x}");
        }
        assert!(half(0x7E00).is_nan());
    }

    #[test]
    fn sizes_that_no_number_has_are_of_no_number() {
        let layout = |bit_precision| FixedPointLayout { signed: false, bit_offset: 0, bit_precision };
        let of = |size, bit_precision| {
            Number::of(&Datatype::FixedPoint { size, byte_order: DatatypeByteOrder::LittleEndian, layout: layout(bit_precision) })
        };
        assert_eq!(of(8, 64).map(|number| number.size), Some(8));
        for size in [0, 3, 16, 1 << 29, u32::MAX] {
            assert_eq!(of(size, size.wrapping_mul(8) as u16), None, "{size}");
        }
    }

    #[test]
    fn whole_numbers_of_any_width_and_order_keep_their_sign() {
        let number = |size, kind, is_big_endian| Number { size, kind, is_big_endian };
        assert_eq!(number(2, Kind::Signed, false).decode(&[0xFE, 0xFF]), -2.0);
        assert_eq!(number(2, Kind::Signed, true).decode(&[0xFF, 0xFE]), -2.0);
        assert_eq!(number(2, Kind::Unsigned, false).decode(&[0xFE, 0xFF]), 65534.0);
        assert_eq!(number(8, Kind::Unsigned, false).decode_whole(&[0xFF; 8]), None);
        assert_eq!(number(8, Kind::Signed, false).decode_whole(&[0xFF; 8]), Some(-1));
        assert_eq!(number(4, Kind::Float, true).decode(&1.5f32.to_be_bytes()), 1.5);
    }
}
