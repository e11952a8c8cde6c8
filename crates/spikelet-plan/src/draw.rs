//! Projections are drawn: rows, delays, values of synapses.

pub(super) mod drawing;
pub(super) mod event_sample;
pub(super) mod expected;
pub(super) mod generated;
pub(super) mod initial_synapses;
pub(super) mod memory;
pub(super) mod projection;
pub(super) mod realized;
pub(super) mod state;
pub(super) mod third;
