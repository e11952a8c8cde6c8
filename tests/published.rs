//! Every network of the catalogue shows what it says it shows. Those that take minutes run with `cargo xtask test --full`.

/// What a run did, by population and time.
mod activity;
/// The benchmark networks of Brette et al. 2007, and that of Izhikevich 2003.
mod balanced;
/// The four states of Brunel 2000.
mod brunel;
/// Networks that settle in one of several states.
mod competition;
/// The figures that entries give of themselves.
mod figures;
/// Networks whose size is the point.
mod large;
/// Lattices of other libraries.
mod lattices;
/// Networks that learn.
mod learning;
/// The cortical microcircuit.
mod microcircuit;
/// Rhythms, volleys and waves.
mod rhythms;
/// Rates and irregularity, as the conformance corpus measures them.
mod statistics;
