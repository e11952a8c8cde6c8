//! Trials that can run in parallel.

use std::collections::VecDeque;

use spikelet::{Plan, Point, human};
use spikelet_native::memory;

use crate::jobs::Job;

/// Pending trials, in groups that share their rows.
pub(super) struct Groups {
    waiting: VecDeque<Vec<Job>>,
    /// Maximum number of parallel trials of a group.
    most: usize,
    /// The group of each point.
    of_point: Vec<usize>,
}

impl Groups {
    /// No trials yet.
    pub(super) fn new(points: &[Point]) -> Groups {
        Groups { waiting: VecDeque::new(), most: usize::MAX, of_point: Point::groups(points) }
    }

    /// Adds trials, a group after the other.
    pub(super) fn add(&mut self, jobs: impl Iterator<Item = Job>) {
        let mut groups = vec![Vec::new(); self.count()];
        jobs.for_each(|job| groups[self.of_point[job.point]].push(job));
        // Those of a run that is continued may have ended.
        self.waiting.extend(groups.into_iter().filter(|group| !group.is_empty()));
    }

    fn count(&self) -> usize {
        self.of_point.iter().max().map_or(0, |last| last + 1)
    }

    /// The notice for the user.
    pub(super) fn notice(&self, points: &[Point]) -> Option<String> {
        let count = self.count();
        if count < 2 {
            return None;
        }
        // A value changes the build if points that differ only in it are in different groups.
        let differing = |index: usize| {
            let mut values = points[index].values.iter().zip(&points[0].values).filter(|(one, other)| one != other);
            let only = values.next().filter(|_| values.next().is_none());
            only.filter(|_| self.of_point[index] != self.of_point[0]).map(|((path, _), _)| path.as_str())
        };
        let mut paths: Vec<&str> = (0..points.len()).filter_map(differing).collect();
        paths.dedup();
        let (paths, change) = match paths.as_slice() {
            [only] => ((*only).to_owned(), "changes"),
            several => (several.join(" and "), "change"),
        };
        Some(format!("{paths} {change} the build: {} networks run in {count} groups, one after the other", points.len()))
    }

    /// Whether all trials were taken.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The next trials to run in parallel.
    pub(super) fn next(&mut self) -> Option<Vec<Job>> {
        let group = self.waiting.front_mut()?;
        let taken: Vec<Job> = group.drain(..group.len().min(self.most)).collect();
        if group.is_empty() {
            self.waiting.pop_front();
        }
        Some(taken)
    }

    /// Returns trials that did not fit.
    pub(super) fn put_back(&mut self, jobs: &[Job]) {
        if !jobs.is_empty() {
            self.waiting.push_front(jobs.to_vec());
        }
    }

    /// Runs these next, one at a time.
    pub(super) fn part(&mut self, jobs: &[Job]) {
        jobs.iter().rev().for_each(|job| self.waiting.push_front(vec![*job]));
    }

    /// Limits the number of parallel trials.
    pub(super) fn limit(&mut self, most: usize) {
        self.most = most;
    }
}

/// The number of trials that fit into the memory of the CPU, and why not more.
pub(super) fn room(plan: &Plan, limit: Option<u64>) -> Option<(usize, String)> {
    let shared: u64 = plan.memory().iter().map(|(_, bytes)| bytes).sum();
    let (own, free) = (plan.trial_memory().max(1), limit.map(|limit| limit.saturating_sub(shared)).or_else(memory::free)?);
    let room = usize::try_from(free / own).unwrap_or(usize::MAX).max(1);
    Some((room, format!("each needs {}, and {} of memory are available", human(own), human(free))))
}
