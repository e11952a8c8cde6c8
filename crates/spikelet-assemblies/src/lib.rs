//! The assembly calculus (Papadimitriou, Vempala, Mitropolsky, Collins & Maass 2020, "Brain computation by assemblies of neurons", PNAS
//! 117:14464): areas of neurons of which only the k most excited fire, random plastic fibres between them, and operations on the assemblies
//! that form.
//!
//! A [`Brain`] has areas and stimuli. A [`Round`] projects sources into areas: all inputs are computed from the winners of the previous
//! round, then all new winners are committed together, and each synapse from an old winner of a source to a new winner is multiplied by
//! 1 + β. An [`Engine`] computes rounds. Winners are exact: sums are integers in units of 2⁻¹², ties go to the neuron with the lower index,
//! and every random choice is a function of the seed and its coordinates. So any number of threads gives the same winners.
//!
//! On rounds are built [operations] on assemblies (project, associate, merge, complete, …), [sequences], finite [automata] and a coin, a
//! [parser], and a [learner] of words. A [`Circuit`](circuit::Circuit) opens and closes areas and fibres by locks.

mod area;
mod assembly;
pub mod automata;
mod brain;
pub mod circuit;
mod cpu;
mod engine;
mod error;
pub mod learner;
mod network;
pub mod operations;
pub mod parser;
pub mod sequences;
mod weights;

pub use area::{AreaOptions, Refraction};
pub use assembly::{Assembly, chance};
pub use brain::{Brain, BrainOptions};
pub use cpu::Cpu;
pub use engine::{AreaId, Engine, MemoryItem, Mode, Round, Source, StimulusId, Target};
pub use error::Error;
pub use weights::{LARGEST_INPUT, LARGEST_SUM, ONE, UNIT, Weights};

/// The examples of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/assemblies.md")]
mod page {}
