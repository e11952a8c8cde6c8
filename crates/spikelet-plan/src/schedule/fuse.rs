//! Fusion of phases.

use super::{Access, Phase, Schedule};

impl Schedule {
    /// The same step with fewer phases: those of the same neurons are combined if nothing between them conflicts.
    #[must_use]
    pub fn fused(self) -> Schedule {
        Schedule { phases: fuse(self.phases), ..self }
    }
}

/// Phases executed by the neurons of a population independently are fused with the previous such phase, if they can be moved before
/// everything in between.
pub(super) fn fuse(phases: Vec<Phase>) -> Vec<Phase> {
    let mut fused: Vec<Phase> = Vec::new();
    for phase in phases {
        let before = phase.population().and_then(|population| {
            let last = fused.iter().rposition(|other| other.population() == Some(population))?;
            fused[last + 1..].iter().all(|between| between.commutes_with(&phase)).then_some(last)
        });
        match before {
            Some(last) => fused[last].absorb(phase),
            None => fused.push(phase),
        }
    }
    fused
}

impl Phase {
    /// Whether two phases commute: neither writes data that the other uses.
    fn commutes_with(&self, other: &Phase) -> bool {
        let minds = |one: &Phase, other: &Phase| {
            let mut touched = other.reads.iter().chain(&other.writes).map(|touch| touch.resource);
            touched.any(|what| one.writes.iter().any(|write| write.resource == what))
        };
        !minds(self, other) && !minds(other, self)
    }

    /// Appends the work of the other one.
    fn absorb(&mut self, other: Phase) {
        self.kinds.extend(other.kinds);
        for (own, others) in [(&mut self.reads, other.reads), (&mut self.writes, other.writes)] {
            let mut all: Vec<Access> = own.drain(..).chain(others).collect();
            all.sort_unstable();
            all.dedup();
            *own = all;
        }
    }
}
