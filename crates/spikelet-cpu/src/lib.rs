//! The backends on CPUs, which execute the [schedule](spikelet_plan::schedule) of a plan.
//!
//! | modules | |
//! |---|---|
//! | `cpu` | threads that own shards of neurons, in f32: the reference |
//! | `double` | phase by phase in f64, to show rounding errors |
//! | `exchange`, `ranked` | several ranks that each have a part of a network |
//! | `select` | exact selections of the largest values |
//! | `barrier`, `sync` | how threads wait for each other |
//!
//! Loops over neurons and events: the crate is compiled for speed in every profile.

mod barrier;
mod cpu;
mod double;
mod exchange;
mod ranked;
mod select;
mod sync;

pub use cpu::{Cpu, CpuProfile, Operation, OperationTimes, Sleep, drawn_values, refilled, step_cost, synapse_costs};
pub use double::{Double, ExactSamples};
pub use exchange::{Played, RankLink, RankTiming, Routes, draws, part_steps, together};
pub use ranked::Ranked;
pub use select::{NotANumber, Select, inhibited, sum_of_winners};

#[cfg(test)]
mod tests;
