//! Kernels of rounds of assemblies. They have bindings of their own: `shaders/assemblies.wgsl`.

use super::{KernelText, select};
use crate::link::{Module, link, shader};
use crate::sizes::SELECT_SIZE;
use crate::spec::SelectPart;

/// A kernel of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum AssemblyKernel {
    /// Sets the inputs of an area to 0.
    ClearSums,
    /// Adds the input from a stimulus.
    AddStimulus,
    /// Draws the rows of the neurons that fire, and adds a weight of 1 for each synapse.
    Propagate,
    /// Adds what synapses have learned.
    AddChanges,
    /// Selects the winners.
    Select(SelectPart),
    /// Logs winners that stay.
    LogWinners,
    /// Sets the bits of winners.
    Mark,
    /// Clears the bits of winners.
    Unmark,
    /// Draws the rows of the neurons that fired, and counts an update of each synapse onto a winner.
    Learn,
    /// Counts an update of all synapses from a stimulus onto the winners.
    LearnStimulus,
    /// Draws the rows of a stimulus, and counts the synapses onto each neuron.
    CountLines,
}

impl AssemblyKernel {
    /// All kernels.
    pub(crate) const ALL: [AssemblyKernel; 13] = [
        AssemblyKernel::ClearSums,
        AssemblyKernel::AddStimulus,
        AssemblyKernel::Propagate,
        AssemblyKernel::AddChanges,
        AssemblyKernel::Select(SelectPart::Digit),
        AssemblyKernel::Select(SelectPart::Count),
        AssemblyKernel::Select(SelectPart::Emit),
        AssemblyKernel::LogWinners,
        AssemblyKernel::Mark,
        AssemblyKernel::Unmark,
        AssemblyKernel::Learn,
        AssemblyKernel::LearnStimulus,
        AssemblyKernel::CountLines,
    ];

    /// Its text.
    pub(crate) fn text(self) -> KernelText {
        let rows = |edge: &str| Module::new("rows", &[shader!("assemblies/rows"), edge]);
        let neurons = || Module::new("neurons", &[shader!("assemblies/neurons")]);
        let (module, entry_point) = match self {
            AssemblyKernel::ClearSums => (neurons(), "clear_sums"),
            AssemblyKernel::AddStimulus => (neurons(), "add_stimulus"),
            AssemblyKernel::LogWinners => (neurons(), "log_winners"),
            AssemblyKernel::Mark => (neurons(), "mark"),
            AssemblyKernel::Unmark => (neurons(), "unmark"),
            AssemblyKernel::LearnStimulus => (neurons(), "learn_stimulus"),
            AssemblyKernel::Propagate => (rows(shader!("assemblies/propagate")), "draw_rows"),
            AssemblyKernel::CountLines => (rows(shader!("assemblies/lines")), "draw_rows"),
            AssemblyKernel::Learn => (rows(shader!("assemblies/learn")), "draw_rows"),
            AssemblyKernel::AddChanges => (Module::new("changes", &[shader!("assemblies/changes")]), "add_changes"),
            AssemblyKernel::Select(part) => (select::of_area(part), "select_neurons"),
        };
        let size = format!("{SELECT_SIZE}u");
        let header = shader!("assemblies").replace("WORKGROUP_SIZE", &size);
        let library = [("rng", shader!("rng")), ("permutation", shader!("permutation")), ("order", shader!("order"))]
            .map(|(name, source)| Module::new(name, &[source]));
        KernelText { entry_point, wgsl: link(&header, &library, &[module.with("WORKGROUP_SIZE", &size)]) }
    }
}
