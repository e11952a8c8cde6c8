//! The network as a diagram, in the notation of Senk et al. 2022 ("Connectivity concepts in neuronal network modeling", PLOS Comput Biol
//! 18:e1010086): its shapes, where they lie, and what pointer and keys do with them.
//!
//! Plain data without the browser. [`graph`] reads the network, [`automatic`] places its nodes, [`scene`] has their geometry on the
//! screen, [`mod@pointer`] and [`keys`] turn input into actions.

pub(crate) mod arrangement;
pub(crate) mod automatic;
pub(crate) mod geometry;
pub(crate) mod graph;
pub(crate) mod keys;
pub(crate) mod notation;
pub(crate) mod pointer;
pub(crate) mod scene;
mod strength;
