//! What kernels do: all that their texts are made of, and nothing besides. So kernels are the same where these are equal, which is how
//! populations, projections and traces come to share them, and how a kernel that is compiled is found again.

mod neurons;
mod procedural;
mod synapses;

use std::sync::Arc;

pub(crate) use neurons::Model;
pub(crate) use procedural::{ProceduralDistribution, ProceduralKernel, ProceduralWeight};
pub(crate) use synapses::{RegisterFill, SynapseCode, TraceOffsets, Writeback, reads_pre, traces};

/// A kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    /// A whole epoch of the populations of a model.
    Neurons(Arc<Model>),
    /// The start of a step of them.
    BeginStep(Arc<Model>),
    /// Their step.
    Update(Arc<Model>),
    /// A code of all synapses of a projection: what they show when they are recorded, or their step.
    SynapseStep(SynapseCode),
    /// A summed variable.
    Couple(SynapseCode),
    /// One that is the same for all networks.
    Fixed(FixedKernel),
    /// Rows of synapses without a state: those of a page.
    Propagate,
    /// The same where rows are drawn.
    Procedural(ProceduralKernel),
    /// A pathway, by the way its events are found.
    OnSpike(SynapseCode, EventTraversal),
    /// The traces of the neurons at one end, of all projections.
    UpdateTraces(Vec<SynapseCode>),
}

impl Kernel {
    /// What it is called.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Kernel::Neurons(_) => "neurons",
            Kernel::BeginStep(_) => "begin_step",
            Kernel::Update(_) => "update",
            Kernel::SynapseStep(_) => "synapse_step",
            Kernel::Couple(_) => "sum_inputs",
            Kernel::Fixed(plain) => plain.name,
            Kernel::Propagate => "propagate",
            Kernel::Procedural(_) => "procedural",
            Kernel::OnSpike(_, EventTraversal::BySpike) => "on_spike_by_spike",
            Kernel::OnSpike(_, EventTraversal::ByPost) => "on_spike_by_post",
            Kernel::OnSpike(_, EventTraversal::Serial) => "on_spike_serial",
            Kernel::UpdateTraces(_) => "update_traces",
        }
    }

    /// Whether it is the first of an epoch, and takes over from the one before.
    pub(crate) fn begins_epoch(&self) -> bool {
        matches!(self, Kernel::Neurons(_) | Kernel::BeginStep(_))
    }

    /// In which epochs it has something to do, as a condition of shaders/epoch.wgsl.
    pub(crate) fn condition(&self) -> &'static str {
        match self {
            Kernel::Propagate | Kernel::Procedural(_) => "action != IDLE",
            _ => "action == STEP && step < steps_end",
        }
    }
}

/// A kernel that is a file of `shaders`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FixedKernel {
    /// What it is called.
    pub(crate) name: &'static str,
    /// Its text, with a function `work`.
    pub(crate) source: &'static str,
}

/// How the events of a pathway are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum EventTraversal {
    /// By the synapses of the neurons that fired.
    BySpike,
    /// By postsynaptic neuron, each in turn.
    ByPost,
    /// All in turn.
    Serial,
}

/// A program of the device.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum EntryPoint {
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

impl EntryPoint {
    /// Its entry point.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            EntryPoint::Start => "start",
            EntryPoint::Alone(kernel, _) => kernel.name(),
            EntryPoint::Loop { goes_on: true, .. } => "single",
            EntryPoint::Loop { goes_on: false, .. } => "steps",
        }
    }
}
