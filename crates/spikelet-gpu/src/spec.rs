//! What kernels do: all that their texts are made of, and nothing besides. So kernels are the same where these are equal, which is how
//! populations, projections and traces come to share them, and how a kernel that is compiled is found again.

mod drawn;
mod neurons;
mod synapses;

use std::sync::Arc;

pub(crate) use drawn::{DrawnLaw, DrawnRows, DrawnWeight};
pub(crate) use neurons::Model;
pub(crate) use synapses::{After, Fill, SynapseCode, TracePlace, reads_pre, traces};

/// A kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    /// A whole epoch of the populations of a model.
    Neurons(Arc<Model>),
    /// The start of a step of them.
    Settle(Arc<Model>),
    /// Their step.
    Update(Arc<Model>),
    /// A code of all synapses of a projection: what they show when they are recorded, or their step.
    Each(SynapseCode),
    /// A summed variable.
    Couple(SynapseCode),
    /// One that is the same for all networks.
    Plain(Plain),
    /// Rows of synapses without a state: those of a page.
    Propagate,
    /// The same where rows are drawn.
    Procedural(DrawnRows),
    /// A pathway, by the way its events are found.
    Arrive(SynapseCode, Way),
    /// The traces of the neurons at one end, of all projections.
    Traces(Vec<SynapseCode>),
}

impl Kernel {
    /// What it is called.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Kernel::Neurons(_) => "neurons",
            Kernel::Settle(_) => "settle",
            Kernel::Update(_) => "update",
            Kernel::Each(_) => "each",
            Kernel::Couple(_) => "couple",
            Kernel::Plain(plain) => plain.name,
            Kernel::Propagate => "propagate",
            Kernel::Procedural(_) => "procedural",
            Kernel::Arrive(_, Way::Fired) => "arrive_fired",
            Kernel::Arrive(_, Way::Turn) => "arrive_turn",
            Kernel::Arrive(_, Way::Alone) => "arrive_alone",
            Kernel::Traces(_) => "trace",
        }
    }

    /// Whether it is the first of an epoch, and takes over from the one before.
    pub(crate) fn begins_epoch(&self) -> bool {
        matches!(self, Kernel::Neurons(_) | Kernel::Settle(_))
    }

    /// In which epochs it has something to do, as a condition of shaders/epoch.wgsl.
    pub(crate) fn does(&self) -> &'static str {
        match self {
            Kernel::Propagate | Kernel::Procedural(_) => "doing != RESTS",
            _ => "doing == STEPS && step < steps_end",
        }
    }
}

/// A kernel that is a file of `shaders`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Plain {
    /// What it is called.
    pub(crate) name: &'static str,
    /// Its text, with a function `work`.
    pub(crate) source: &'static str,
}

/// How the events of a pathway are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Way {
    /// By the synapses of the neurons that fired.
    Fired,
    /// By postsynaptic neuron, each in turn.
    Turn,
    /// All in turn.
    Alone,
}

/// A program of the device.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Entry {
    /// What begins a submission.
    Start,
    /// A kernel by itself, in workgroups of so many invocations.
    Alone(Kernel, u32),
    /// Several in one workgroup, one after the other.
    Loop {
        /// Whether it goes on with the next epoch, and the next.
        goes_on: bool,
        /// Once in an epoch; in each step of it; and once, afterwards.
        kernels: [Vec<Kernel>; 3],
    },
}

impl Entry {
    /// Its entry point.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Entry::Start => "start",
            Entry::Alone(kernel, _) => kernel.name(),
            Entry::Loop { goes_on: true, .. } => "single",
            Entry::Loop { goes_on: false, .. } => "steps",
        }
    }
}
