//! Training of spiking networks by gradients.
//!
//! A [`Training`] says what is trained: a network, data, a loss, an optimiser. Its [`TrainingPlan`] has the [`Parameters`] as one list of
//! numbers, the code of a step and of its gradient, and what the loss reads. A [`Differentiable`] device computes [`Readings`] of a
//! [`Batch`] and, from their adjoints, the [`RawGradient`].
//!
//! The weights that are trained are f32. What a step adds are integers in units of a port, as in every simulation: the weights rounded
//! to these units. The gradient is that with respect to the rounded weight (straight-through: Bengio, Léonard & Courville 2013).

mod batch;
pub mod bptt;
mod data;
mod dataset;
mod device;
pub mod eventprop;
mod loss;
mod optimiser;
mod parameters;
mod plan;
mod presets;
mod reference;
mod trainer;
mod training;

pub use batch::{Batch, Reading, Readings, Readout};
pub use data::{Data, Generator, RandomState, batches};
pub use dataset::{Dataset, Event, Part, Sample, Target};
pub use device::Differentiable;
pub use eventprop::{EventProp, EventPropCpu, Real};
pub use loss::{Evaluation, LossFunction, LossKind, LossTerm};
pub use optimiser::{Optimiser, OptimiserKind, OptimiserState, Schedule, ScheduleKind};
pub use parameters::{GroupKind, ParameterGroup, Parameters};
pub use plan::{DeviceValues, RawGradient, TrainedPopulation, TrainedProjection, TrainingPlan};
pub use presets::{PRESETS, Preset, preset};
pub use reference::NetworkReference;
pub use trainer::{Answers, BestEpoch, Checkpoint, EpochResult, PopulationRate, Score, Trainer, TrainerState};
pub use training::{Method, Tape, Trained, Training};

/// The examples of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/training.md")]
mod page {}
