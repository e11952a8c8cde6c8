//! Projections with checked models, before anything is drawn.

pub(super) mod changes;
pub(super) mod checked;
pub(super) mod links;
pub(super) mod quantities;
