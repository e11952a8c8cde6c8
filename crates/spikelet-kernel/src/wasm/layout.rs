//! Where a function finds its inputs: the words of [`Arguments`](crate::block::Arguments), by their offsets.

use std::mem::offset_of;

use crate::block::{Arguments, LANES};

/// Bytes of an array of lanes.
pub(super) const LANES_BYTES: u32 = 4 * LANES as u32;

/// Bytes of a vector.
pub(super) const ROUND: i32 = 16;

/// The offset of a field, whose fields are words where modules run.
macro_rules! offset {
    ($field:ident) => {
        (offset_of!(Arguments, $field) / size_of::<usize>() * 4) as u32
    };
}

pub(super) const END: u32 = offset!(end);
pub(super) const TABLES: u32 = offset!(tables);
pub(super) const TABLE_COUNT: u32 = offset!(table_count);
pub(super) const CONSTANTS: u32 = offset!(constants);
pub(super) const CLOCKS: u32 = offset!(clocks);
pub(super) const UNITS: u32 = offset!(units);
pub(super) const STEP: u32 = offset!(step);
pub(super) const SIN: u32 = offset!(sin);
pub(super) const COS: u32 = offset!(cos);
pub(super) const TAN: u32 = offset!(tan);

/// Number of pointers beside those into ports.
pub(super) const POINTERS: u32 = 4;

/// A pointer to the lanes at hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Pointer {
    /// Into the variables.
    Variables,
    /// Into the steps of the last spikes.
    LastSpike,
    /// Into what was computed before.
    Precomputed,
    /// Into the lanes that fire.
    Above,
    /// Into the sums of a port, or their remainders.
    Port { port: u32, is_fine: bool },
}

impl Pointer {
    /// Its place among the pointers.
    pub(super) fn index(self) -> u32 {
        match self {
            Pointer::Variables => 0,
            Pointer::LastSpike => 1,
            Pointer::Precomputed => 2,
            Pointer::Above => 3,
            Pointer::Port { port, is_fine } => POINTERS + 2 * port + u32::from(is_fine),
        }
    }

    /// The argument that it starts as.
    pub(super) fn argument(self) -> u32 {
        match self {
            Pointer::Variables => offset!(variables),
            Pointer::LastSpike => offset!(last_spike),
            Pointer::Precomputed => offset!(given),
            Pointer::Above => offset!(above),
            Pointer::Port { .. } => offset!(ports),
        }
    }

    /// Where that argument is a list of addresses: the offset in the list.
    pub(super) fn entry(self) -> Option<u32> {
        match self {
            Pointer::Port { port, is_fine } => Some(8 * port + 4 * u32::from(is_fine)),
            _ => None,
        }
    }
}

/// The type of the functions of a module: from the address of the arguments, whether any lane fires.
pub(super) const FUNCTION_TYPE: u32 = 0;

/// The type of a function of numbers with this number of arguments.
pub(super) fn scalar_type(arguments: usize) -> u32 {
    arguments as u32
}
