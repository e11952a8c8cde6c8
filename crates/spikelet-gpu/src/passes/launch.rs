//! Passes as dispatches: one per pass, or several passes in one. The work and its order are the same.

use std::ops::Range;

use super::{Kernel, Pass, Passes};
use crate::options::Fusion;
use crate::spec::EntryPoint;

/// A dispatch.
pub(crate) enum Launch<'a> {
    /// One pass, for these steps of the epoch.
    Pass(&'a Pass, Range<u32>),
    /// Several in one workgroup, one after the other.
    Loop(WorkgroupLoop<'a>),
}

/// Passes of a single workgroup.
pub(crate) struct WorkgroupLoop<'a> {
    /// Whether it continues with further epochs until the submission is complete.
    pub(crate) goes_on: bool,
    /// Number of passes before the first of them.
    pub(crate) first: usize,
    /// Once per epoch; in each step; and once, afterwards.
    pub(crate) passes: [&'a [Pass]; 3],
}

impl Passes {
    /// The dispatches of an epoch; of several if they continue automatically.
    pub(crate) fn launches(&self) -> Vec<Launch<'_>> {
        let Passes { ahead, each_step, at_end, epoch_steps, .. } = self;
        let (whole, mut launches) = (0..*epoch_steps, Vec::new());
        if self.fusion == Fusion::All {
            return vec![Launch::Loop(WorkgroupLoop { goes_on: true, first: 0, passes: [ahead, each_step, at_end] })];
        }
        launches.extend(ahead.iter().map(|pass| Launch::Pass(pass, whole.clone())));
        if self.fusion == Fusion::Steps {
            launches.push(Launch::Loop(WorkgroupLoop { goes_on: false, first: ahead.len(), passes: [&[], each_step, &[]] }));
        } else {
            launches.extend(whole.clone().flat_map(|step| each_step.iter().map(move |pass| Launch::Pass(pass, step..step + 1))));
        }
        launches.extend(at_end.iter().map(|pass| Launch::Pass(pass, whole.clone())));
        launches
    }
}

impl Launch<'_> {
    /// Its program, with the workgroup size for a single pass.
    pub(crate) fn entry(&self, workgroup_size: u32) -> EntryPoint {
        let kernels = |passes: &[Pass]| -> Vec<Kernel> { passes.iter().map(|pass| pass.kernel.clone()).collect() };
        match self {
            Launch::Pass(pass, _) => EntryPoint::Alone(pass.kernel.clone(), workgroup_size),
            Launch::Loop(WorkgroupLoop { goes_on, passes, .. }) => {
                EntryPoint::Loop { goes_on: *goes_on, kernels: passes.map(kernels) }
            }
        }
    }

    /// Its first step of the epoch.
    pub(crate) fn first_step(&self) -> u32 {
        match self {
            Launch::Pass(_, steps) => steps.start,
            Launch::Loop(_) => 0,
        }
    }

    /// `Job` of shaders/header.wgsl, for a dispatch that does this many epochs.
    pub(crate) fn job(&self, epoch_steps: u32, epochs: u32) -> [u32; 6] {
        match self {
            Launch::Pass(Pass { job: [at, count, first, second], .. }, steps) => {
                [*at, *count, *first, *second, steps.start, steps.end - steps.start]
            }
            Launch::Loop(WorkgroupLoop { first, .. }) => [*first as u32, epochs, 0, 0, 0, epoch_steps],
        }
    }
}
