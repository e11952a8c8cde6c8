//! Areas and fibres that are inhibited and disinhibited by locks.
//!
//! An area or a fibre is open if no lock inhibits it. It can have several locks, each with a number: one that is locked twice with different
//! locks opens only after both are released; locking twice with the same one is the same as once. A fibre joins two areas in both directions.

use crate::{AreaId, Brain, Error, Source};

/// Areas and the fibres between them, each with its locks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circuit {
    areas: Vec<AreaId>,
    /// The locks of each area, one bit each.
    locks: Vec<u32>,
    /// The locks of the fibre between two areas, in both directions.
    fibre_locks: Vec<u32>,
    /// Areas that never project to themselves.
    without_recurrence: Vec<AreaId>,
}

/// The largest number of a lock.
pub const MAX_LOCK: u32 = 31;

impl Circuit {
    /// A circuit in which each area and each fibre is inhibited by the lock 0.
    pub fn new(areas: &[AreaId]) -> Circuit {
        let count = areas.len();
        Circuit {
            areas: areas.to_vec(),
            locks: vec![1; count],
            fibre_locks: vec![1; count * count],
            without_recurrence: Vec::new(),
        }
    }

    /// The same with an area that never projects to itself.
    #[must_use]
    pub fn without_recurrence(mut self, area: AreaId) -> Circuit {
        self.without_recurrence.push(area);
        self
    }

    /// Adds a copy of an area, closed by the lock 0. It has the other locks of the area, and its fibres those of the area's fibres.
    pub fn add_copy(&mut self, of: AreaId, copy: AreaId) {
        let Some(of) = self.index(of) else { return };
        let count = self.areas.len();
        let originals = || (0..count).chain([of]);
        let pairs = originals().flat_map(|from| originals().map(move |to| from * count + to));
        self.fibre_locks = pairs.map(|pair| self.fibre_locks[pair]).collect();
        self.areas.push(copy);
        self.locks.push(self.locks[of] | 1);
    }

    fn index(&self, area: AreaId) -> Option<usize> {
        self.areas.iter().position(|one| *one == area)
    }

    /// Locks an area, or releases the lock. Areas of other circuits are ignored.
    pub fn set_area(&mut self, area: AreaId, lock: u32, is_open: bool) {
        if let Some(index) = self.index(area) {
            set(&mut self.locks[index], lock, is_open);
        }
    }

    /// Locks a fibre in both directions, or releases the lock. Areas of other circuits are ignored.
    pub fn set_fibre(&mut self, [a, b]: [AreaId; 2], lock: u32, is_open: bool) {
        if let (Some(a), Some(b)) = (self.index(a), self.index(b)) {
            let count = self.areas.len();
            set(&mut self.fibre_locks[a * count + b], lock, is_open);
            if a != b {
                set(&mut self.fibre_locks[b * count + a], lock, is_open);
            }
        }
    }

    /// Whether no lock inhibits an area.
    pub fn is_area_open(&self, area: AreaId) -> bool {
        self.index(area).is_some_and(|index| self.locks[index] == 0)
    }

    /// Whether no lock inhibits the fibre between two areas.
    pub fn is_fibre_open(&self, [a, b]: [AreaId; 2]) -> bool {
        let (Some(a), Some(b)) = (self.index(a), self.index(b)) else { return false };
        self.fibre_locks[a * self.areas.len() + b] == 0
    }

    /// The areas that are open.
    pub fn open_areas(&self) -> Vec<AreaId> {
        self.areas.iter().zip(&self.locks).filter(|(_, locks)| **locks == 0).map(|(area, _)| *area).collect()
    }

    /// What projects in the next round: each open fibre between open areas, in both directions, from areas that have winners; and each area
    /// with winners at the end of such a fibre projects to itself.
    pub fn projections(&self, has_winners: impl Fn(AreaId) -> bool) -> Vec<(AreaId, AreaId)> {
        let (open, mut found) = (self.open_areas(), Vec::new());
        for from in open.iter().copied() {
            for to in open.iter().copied().filter(|to| self.is_fibre_open([from, *to])) {
                if has_winners(from) {
                    found.push((from, to));
                }
                if has_winners(to) && !self.without_recurrence.contains(&to) {
                    found.push((to, to));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// One round in which what is open projects. Returns it.
    ///
    /// # Errors
    /// The round failed.
    pub fn step(&self, brain: &mut Brain) -> Result<Vec<(AreaId, AreaId)>, Error> {
        let projections = self.projections(|area| !brain.winners(area).is_empty());
        let fibres: Vec<(Source, AreaId)> = projections.iter().map(|(from, to)| (Source::Area(*from), *to)).collect();
        brain.project(&fibres, 1)?;
        Ok(projections)
    }
}

fn set(locks: &mut u32, lock: u32, is_open: bool) {
    let bit = 1 << lock.min(MAX_LOCK);
    if is_open {
        *locks &= !bit;
    } else {
        *locks |= bit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fibre_opens_when_all_locks_are_released() {
        let [a, b] = [AreaId(0), AreaId(1)];
        let mut circuit = Circuit::new(&[a, b]).without_recurrence(a);
        let all = |circuit: &Circuit| circuit.projections(|_| true);
        circuit.set_area(a, 0, true);
        circuit.set_area(b, 0, true);
        assert_eq!(all(&circuit), []);
        circuit.set_fibre([a, b], 1, false);
        circuit.set_fibre([a, b], 1, false);
        circuit.set_fibre([b, a], 0, true);
        assert_eq!(all(&circuit), []);
        circuit.set_fibre([a, b], 1, true);
        assert_eq!(all(&circuit), [(a, b), (b, a), (b, b)]);
        assert_eq!(circuit.projections(|area| area == a), [(a, b)]);
        circuit.set_area(b, 3, false);
        assert_eq!(all(&circuit), []);
    }

    #[test]
    fn a_copy_has_the_locks_of_its_area_and_is_closed() {
        let [a, b, copy] = [AreaId(0), AreaId(1), AreaId(2)];
        let mut circuit = Circuit::new(&[a, b]);
        [a, b].into_iter().for_each(|area| circuit.set_area(area, 0, true));
        circuit.set_fibre([a, b], 0, true);
        circuit.add_copy(b, copy);
        assert_eq!(circuit.open_areas(), [a, b]);
        circuit.set_area(copy, 0, true);
        assert_eq!(circuit.projections(|area| area == a), [(a, a), (a, b), (a, copy)]);
        assert!(!circuit.is_fibre_open([b, copy]));
    }
}
