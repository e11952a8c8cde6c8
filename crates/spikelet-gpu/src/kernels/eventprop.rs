//! Kernels of EventProp. They have bindings of their own: `shaders/eventprop.wgsl`.

use super::KernelText;
use crate::link::{Module, link, shader};
use crate::sizes::WORKGROUP_SIZE;

/// A kernel of EventProp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum EventPropKernel {
    /// Events of trials.
    Forward,
    /// The state at the end of trials.
    Begin,
    /// Events of the trials of chunks, in reverse.
    Backward,
    /// Sums over chunks.
    Sum,
}

impl EventPropKernel {
    /// All kernels.
    pub(crate) const ALL: [EventPropKernel; 4] =
        [EventPropKernel::Forward, EventPropKernel::Begin, EventPropKernel::Backward, EventPropKernel::Sum];

    /// Its text.
    pub(crate) fn text(self) -> KernelText {
        let dynamics = shader!("eventprop/dynamics");
        let (pieces, entry_point) = match self {
            EventPropKernel::Forward => (vec![dynamics, shader!("eventprop/forward")], "forward_events"),
            EventPropKernel::Begin => (vec![shader!("eventprop/begin")], "begin_backward"),
            EventPropKernel::Backward => (vec![dynamics, shader!("eventprop/backward")], "backward_events"),
            EventPropKernel::Sum => (vec![shader!("eventprop/tree")], "sum_gradients"),
        };
        let library =
            [("math", shader!("math")), ("exponential", shader!("math/exponential")), ("logarithm", shader!("math/logarithm"))];
        let library = library.map(|(name, source)| Module::new(name, &[source]));
        let module = Module::new("eventprop", &pieces).with("WORKGROUP_SIZE", &format!("{WORKGROUP_SIZE}u"));
        KernelText { entry_point, wgsl: link(shader!("eventprop"), &library, &[module]) }
    }
}
