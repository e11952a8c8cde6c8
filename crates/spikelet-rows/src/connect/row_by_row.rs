//! Rules whose rows are drawn one by one, but not from counters alone.

use std::ops::Range;
use std::sync::OnceLock;

use spikelet_network::Error;
use spikelet_network::connectors::{Draw, Kernel};

use super::connectivity::Connectivity;
use super::distance::{no_distances, no_grids, probability, within_reach};
use super::happens;
use super::procedural_rows::{Edge, ProceduralRows};
use super::space::Grid;
use crate::rng::{Key, Purpose};

/// A projection whose rows are drawn one by one.
pub struct RowByRow<'a> {
    connectivity: Connectivity<'a>,
    autapses: bool,
    way: TargetSource,
    /// The error of the first pair with an invalid probability, index or number of synapses.
    fault: OnceLock<Error>,
}

/// The source of the targets of a row.
enum TargetSource {
    /// A recipe, filtered by a condition or a cap.
    Filtered(ProceduralRows),
    /// The k-th presynaptic neuron with the k-th postsynaptic neuron.
    OneToOne,
    /// Every postsynaptic neuron, with the probability of the pair.
    Pairs,
    /// Every postsynaptic neuron, with a probability that depends on distance.
    Distance(Kernel),
    /// The neurons of neighbouring tiles of two grids.
    Tiles { grids: [Grid; 2], tile: u32, reach: u32, p: f64 },
    /// The indices that an expression generates.
    Generated,
    /// Neighbours on a ring.
    Ring { k: u32, rewire: f64 },
}

impl<'a> RowByRow<'a> {
    /// Of rows that can be drawn from counters, `unfiltered` is the recipe.
    ///
    /// # Errors
    /// The rule needs positions that the neurons do not have.
    pub(super) fn new(
        connectivity: Connectivity<'a>,
        draw: Draw,
        autapses: bool,
        unfiltered: Option<ProceduralRows>,
    ) -> Result<RowByRow<'a>, Error> {
        let way = match draw {
            Draw::OneToOne => TargetSource::OneToOne,
            Draw::Generated { .. } => TargetSource::Generated,
            Draw::Ring { k, rewire } => TargetSource::Ring { k, rewire },
            Draw::Tiles { tile, reach, p } => {
                match connectivity.spaces.as_ref().and_then(|[pre, post]| Some([pre.grid()?, post.grid()?])) {
                    Some(grids) => TargetSource::Tiles { grids, tile, reach, p },
                    None => return Err(no_grids(&connectivity)),
                }
            }
            draw => match (unfiltered, draw) {
                (Some(procedural), _) => TargetSource::Filtered(procedural),
                (None, Draw::Kernel(kernel)) if connectivity.spaces.is_some() => TargetSource::Distance(kernel),
                (None, Draw::Kernel(_)) => return Err(no_distances(&connectivity)),
                (None, _) => TargetSource::Pairs,
            },
        };
        Ok(RowByRow { connectivity, autapses, way, fault: OnceLock::new() })
    }

    /// The cost of the row of a neuron, in edges.
    pub(super) fn cost(&self, pre: u32, posts: &Range<u32>) -> u64 {
        /// The cost of a pair, whose condition or probability may be an expression.
        const TESTED: u64 = 4;
        match &self.way {
            TargetSource::Filtered(procedural) => TESTED * procedural.cost(pre),
            TargetSource::OneToOne => TESTED,
            TargetSource::Ring { k, .. } => TESTED * u64::from(*k),
            TargetSource::Distance(kernel) => {
                let spaces = self.connectivity.spaces.as_ref();
                let near = spaces.and_then(|[from, to]| {
                    let grid = to.grid().filter(Grid::is_plain)?;
                    Some(within_reach(kernel, &grid, from.place(pre)).iter().map(|range| range.len() as u64).product::<u64>())
                });
                TESTED * near.unwrap_or(u64::MAX).min(posts.len() as u64)
            }
            TargetSource::Pairs | TargetSource::Tiles { .. } | TargetSource::Generated => TESTED * posts.len() as u64,
        }
    }

    /// The error in one of the rows, if any.
    pub(super) fn fault(&self) -> Option<Error> {
        self.fault.get().cloned()
    }

    /// Appends the targets of a presynaptic neuron within `posts`, increasing; returns the number of synapses dropped by its cap.
    pub(super) fn row(&self, pre: u32, posts: &Range<u32>, targets: &mut Vec<u32>) -> u64 {
        let first = targets.len();
        let Some(most) = self.connectivity.most[0] else {
            self.draw(pre, posts, targets);
            targets[first..].sort_unstable();
            self.repeat(pre, first, targets);
            return 0;
        };
        // A cap needs the whole row, for any part of it.
        self.draw(pre, &self.connectivity.post, targets);
        targets[first..].sort_unstable();
        self.repeat(pre, first, targets);
        let count = (targets.len() - first) as u32;
        for at in self.connectivity.dropped(0, pre, count, most) {
            targets[first + at as usize] = u32::MAX;
        }
        let kept = |target: &u32| *target != u32::MAX && posts.contains(target);
        let row = targets.split_off(first);
        targets.extend(row.into_iter().filter(kept));
        u64::from(count.saturating_sub(most))
    }

    /// Gives each pair of a row, which begins at `first`, its number of synapses.
    fn repeat(&self, pre: u32, first: usize, targets: &mut Vec<u32>) {
        if self.connectivity.per_pair.is_none() {
            return;
        }
        for target in targets.split_off(first) {
            match self.connectivity.synapses_of(pre, target) {
                Ok(number) => targets.extend(std::iter::repeat_n(target, number as usize)),
                Err(error) => _ = self.fault.set(error),
            }
        }
    }

    fn draw(&self, pre: u32, posts: &Range<u32>, targets: &mut Vec<u32>) {
        let Connectivity { pre: pres, post, .. } = &self.connectivity;
        let posts = posts.start.max(post.start)..posts.end.min(post.end);
        let may_join = |target: &u32| self.connectivity.may_join(self.autapses, pre, *target);
        match &self.way {
            TargetSource::Filtered(procedural) => {
                let mut row: Vec<Edge> = Vec::new();
                procedural.draw(pre, &posts, &mut row);
                targets.extend(row.iter().map(|edge| edge.post).filter(may_join));
            }
            TargetSource::OneToOne => {
                let target = pre - pres.start + post.start;
                targets.extend(Some(target).filter(|target| posts.contains(target) && may_join(target)));
            }
            TargetSource::Generated => {
                let first = targets.len();
                if let Err(error) = self.connectivity.generate(pre, targets) {
                    _ = self.fault.set(error);
                }
                let row = targets.split_off(first);
                targets.extend(row.into_iter().filter(|target| posts.contains(target)));
            }
            TargetSource::Pairs => {
                let probability = |target: u32| self.connectivity.probability.as_ref().map_or(0.0, |of| of(pre, target));
                targets.extend(posts.filter(may_join).filter(|target| self.draw_pair(pre, *target, probability(*target))));
            }
            TargetSource::Distance(kernel) => {
                let Some([from, to]) = &self.connectivity.spaces else { return };
                let place = from.place(pre);
                let joined = |target: &u32| {
                    let along = to.along_axes(place, to.place(*target));
                    probability(kernel, along).is_some_and(|p| self.draw_pair(pre, *target, p))
                };
                let Some(grid) = to.grid().filter(Grid::is_plain) else {
                    targets.extend(posts.filter(may_join).filter(joined));
                    return;
                };
                let [x, y, z, w] = within_reach(kernel, &grid, place);
                for (w, z) in w.flat_map(|w| z.clone().map(move |z| (w, z))) {
                    for y in y.clone() {
                        let start = ((w * grid.shape[2] + z) * grid.shape[1] + y) * grid.shape[0];
                        let line = posts.start.max(start + x.start)..posts.end.min(start + x.end);
                        targets.extend(line.filter(may_join).filter(joined));
                    }
                }
            }
            TargetSource::Tiles { grids: [from, to], tile, reach, p } => {
                let near = |target: &u32| from.are_near(pre, to, *target, *tile, *reach);
                let joined = |target: &u32| self.draw_pair(pre, *target, *p);
                targets.extend(posts.filter(near).filter(may_join).filter(joined));
            }
            TargetSource::Ring { k, rewire } => {
                let count = post.len() as u32;
                let own = pre - post.start;
                let mut row: Vec<u32> = Vec::new();
                for n in 0..*k {
                    // One step to the right, one to the left, two to the right, …
                    let steps = n / 2 + 1;
                    let neighbour = if n % 2 == 0 { own + steps } else { own + count - steps } % count;
                    row.push(neighbour);
                }
                for n in 0..*k {
                    let mut attempt = 0;
                    let draw = |attempt: u32| self.key().draw(Purpose::Connect, self.connectivity.projection, [n, pre, attempt]);
                    if !happens(*rewire, draw(0)[0], || draw(0)[1]) {
                        continue;
                    }
                    // Not the current target, the neuron itself, or a target that the row already has.
                    row[n as usize] = loop {
                        attempt += 1;
                        let target = ((u64::from(draw(attempt)[1]) * u64::from(count)) >> 32) as u32;
                        if target != own && !row.contains(&target) {
                            break target;
                        }
                        if attempt > 1000 {
                            break row[n as usize];
                        }
                    };
                }
                targets.extend(row.into_iter().map(|place| place + post.start).filter(|target| posts.contains(target)));
            }
        }
    }

    fn key(&self) -> Key {
        Key(self.connectivity.seed)
    }

    /// Whether a pair with probability `p` is connected.
    fn draw_pair(&self, pre: u32, post: u32, p: f64) -> bool {
        if !(0.0..=1.0).contains(&p) {
            let (found, expected) = (format!("{p} for i = {pre}, j = {post}"), "a probability must be between 0 and 1");
            let (path, way_out) = (format!("{}.connect.p", self.connectivity.path), "limit it, for example by `clip(…, 0, 1)`");
            _ = self.fault.set(Error::invalid(path, found, expected, way_out));
            return false;
        }
        if p == 0.0 || p == 1.0 {
            return p > 0.0;
        }
        let word =
            |purpose: Purpose| self.key().draw(purpose, self.connectivity.projection, [post / 4, pre, 0])[post as usize % 4];
        happens(p, word(Purpose::Connect), || word(Purpose::MoreConnect))
    }
}
