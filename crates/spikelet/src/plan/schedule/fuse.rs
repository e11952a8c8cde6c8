//! Phases done in one go.

use super::{Access, Phase, Schedule};

impl Schedule {
    /// The same step in fewer phases: those of the same neurons follow each other without a stop where nothing between them minds.
    #[must_use]
    pub fn fused(self) -> Schedule {
        Schedule { phases: fuse(self.phases), ..self }
    }
}

/// Phases that are done by the neurons of a population, each by itself, join the last one that these did before, if they may come
/// before all that lies between.
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
    /// Whether it does not matter which of two comes first: neither writes what the other touches.
    fn commutes_with(&self, other: &Phase) -> bool {
        let minds = |one: &Phase, other: &Phase| {
            let mut touched = other.reads.iter().chain(&other.writes).map(|touch| touch.resource);
            touched.any(|what| one.writes.iter().any(|write| write.resource == what))
        };
        !minds(self, other) && !minds(other, self)
    }

    /// Does also what the other one does, afterwards.
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
