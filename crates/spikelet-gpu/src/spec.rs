//! Specifications of kernels: everything that determines their texts, and nothing else. Kernels are the same if these are equal;
//! populations, projections and traces share kernels by them, and compiled kernels are found by them.

mod neurons;
mod procedural;
mod synapses;

use std::sync::Arc;

pub(crate) use neurons::Model;
pub(crate) use procedural::{ProceduralDistribution, ProceduralKernel, ProceduralWeight};
pub(crate) use synapses::{RegisterFill, SynapseCode, TraceOffsets, Writeback, reads_written, traces};

use crate::sizes::SELECT_SIZE;

/// A kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    /// A whole epoch of the populations of a model.
    Neurons(Arc<Model>),
    /// The first part of a step of them.
    BeginStep(Arc<Model>),
    /// What completes the last step before values are read or set.
    CompleteStep(Arc<Model>),
    /// The second part of a step.
    Update(Arc<Model>),
    /// A code of all synapses of a projection: recorded subexpressions, or their step.
    SynapseStep(SynapseCode),
    /// A step of the traces of presynaptic neurons.
    IntegrateTraces(SynapseCode),
    /// A summed variable.
    Couple(SynapseCode),
    /// One that is the same for all networks.
    Fixed(FixedKernel),
    /// Rows of synapses without state: those of a page.
    Propagate,
    /// The same for procedural rows.
    Procedural(ProceduralKernel),
    /// A pathway, by the way to find its events.
    OnSpike(SynapseCode, EventTraversal),
    /// The traces of the neurons of one side, of all projections.
    UpdateTraces(Vec<SynapseCode>),
    /// A part of the selection of the winners of populations.
    Select(SelectPart),
}

impl Kernel {
    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Kernel::Neurons(_) => "neurons",
            Kernel::BeginStep(_) => "begin_step",
            Kernel::CompleteStep(_) => "complete_step",
            Kernel::Update(_) => "update",
            Kernel::SynapseStep(_) => "synapse_step",
            Kernel::IntegrateTraces(_) => "integrate_traces",
            Kernel::Couple(_) => "sum_inputs",
            Kernel::Fixed(plain) => plain.name,
            Kernel::Propagate => "propagate",
            Kernel::Procedural(_) => "procedural",
            Kernel::OnSpike(_, EventTraversal::BySpike) => "on_spike_by_spike",
            Kernel::OnSpike(_, EventTraversal::ByPost) => "on_spike_by_post",
            Kernel::OnSpike(_, EventTraversal::Serial) => "on_spike_serial",
            Kernel::UpdateTraces(_) => "update_traces",
            Kernel::Select(part) => part.name(),
        }
    }

    /// The size of its workgroups, if those of others have this one.
    pub(crate) fn workgroup_size(&self, others: u32) -> u32 {
        if matches!(self, Kernel::Select(_)) { SELECT_SIZE } else { others }
    }

    /// Whether it is the first of an epoch, which begins the epoch.
    pub(crate) fn begins_epoch(&self) -> bool {
        matches!(self, Kernel::Neurons(_) | Kernel::BeginStep(_))
    }

    /// The epochs in which it has work, as a condition of shaders/epoch.wgsl.
    pub(crate) fn condition(&self) -> &'static str {
        match self {
            // It has barriers, and so tests the condition itself.
            Kernel::Select(_) => "true",
            Kernel::CompleteStep(_) => "true",
            Kernel::Propagate | Kernel::Procedural(_) => "action != IDLE",
            _ => "action == STEP && step < steps_end",
        }
    }
}

/// A kernel in a file of `shaders`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FixedKernel {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its text, with a function `work`.
    pub(crate) source: &'static str,
}

/// The way to find the events of a pathway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum EventTraversal {
    /// By the synapses of the neurons that fired.
    BySpike,
    /// By postsynaptic neuron, each sequentially.
    ByPost,
    /// All sequentially.
    Serial,
}

/// A part of a selection; see `shaders/select.wgsl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SelectPart {
    /// Counts a digit of the keys.
    Digit,
    /// Counts the winners of each chunk.
    Count,
    /// Gives winners their places.
    Emit,
    /// Adds up the values of the winners of a population that is inhibited by others.
    Sum,
    /// Fires the winners of one population of a group.
    Fire,
}

impl SelectPart {
    /// The dispatches of a selection, with the digit that each counts.
    pub(crate) const DISPATCHES: [(SelectPart, u32); 5] =
        [(SelectPart::Digit, 0), (SelectPart::Digit, 1), (SelectPart::Digit, 2), (SelectPart::Count, 0), (SelectPart::Emit, 0)];

    /// Those after them, if populations inhibit each other.
    pub(crate) const OF_GROUPS: [(SelectPart, u32); 2] = [(SelectPart::Sum, 0), (SelectPart::Fire, 0)];

    /// The name of its kernel.
    pub(crate) fn name(self) -> &'static str {
        match self {
            SelectPart::Digit => "select_digit",
            SelectPart::Count => "select_count",
            SelectPart::Emit => "select_emit",
            SelectPart::Sum => "select_sum",
            SelectPart::Fire => "select_fire",
        }
    }
}

/// A program of the device.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum EntryPoint {
    /// The first kernel of a submission.
    Start,
    /// A single kernel, in workgroups of this size.
    Alone(Kernel, u32),
    /// Several in one workgroup, one after the other.
    Loop {
        /// Whether it continues with further epochs.
        goes_on: bool,
        /// Once per epoch; in each step; and once, afterwards.
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
