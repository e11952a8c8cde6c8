//! How the synapses of a projection are visited: as matrices, which vectors pass quickly, or one by one.

use std::collections::HashSet;

use crate::TrainedProjection;

/// Entries of matrices for each synapse, up to which these are faster than the list of synapses: with 8, one in eight is a synapse.
const ENTRIES: usize = 8;

/// The synapses of a projection.
pub(super) struct Connectivity {
    /// Its matrices, unless it is too sparse for them.
    pub(super) matrices: Option<Matrices>,
    /// The presynaptic neurons in the order of [`TrainedProjection::by_post`].
    pub(super) pre_by_post: Vec<u32>,
    /// The distinct delays in steps.
    pub(super) delays: Vec<u32>,
    /// The index of the delay of each synapse; empty if there is one delay.
    pub(super) delay_of: Vec<u32>,
    /// The same in the order of [`TrainedProjection::by_post`].
    pub(super) delay_by_post: Vec<u32>,
}

/// A matrix of presynaptic times postsynaptic neurons for each distinct delay. Where there is no synapse they have 0, which changes no sum.
pub(super) struct Matrices {
    /// Number of delays.
    delays: usize,
    /// The place of each synapse in `[delay][pre][post]`; empty if all are there in order, so that its number is its place.
    places: Vec<u32>,
    pres: usize,
    posts: usize,
}

impl Connectivity {
    pub(super) fn new(of: &TrainedProjection, posts: usize) -> Connectivity {
        let pres = of.rows.len() - 1;
        let mut pre_of = vec![0; of.targets.len()];
        (0..pres).for_each(|pre| pre_of[of.row(pre)].fill(pre as u32));
        let pre_by_post = of.by_post.iter().map(|synapse| pre_of[*synapse as usize]).collect();
        let mut delays = of.delays.clone();
        delays.sort_unstable();
        delays.dedup();
        let synapses = if delays.len() == 1 { 0 } else { of.targets.len() };
        let index = |synapse: usize| delays.partition_point(|delay| *delay < of.delay(synapse)) as u32;
        let delay_of: Vec<u32> = (0..synapses).map(index).collect();
        let delay_by_post = of.by_post[..synapses].iter().map(|synapse| delay_of[*synapse as usize]).collect();
        let matrices = Matrices::new(of, &delays, pres, posts);
        Connectivity { matrices, pre_by_post, delays, delay_of, delay_by_post }
    }
}

impl Matrices {
    fn new(of: &TrainedProjection, delays: &[u32], pres: usize, posts: usize) -> Option<Matrices> {
        let entries = delays.len().checked_mul(pres)?.checked_mul(posts)?;
        if entries == 0 || entries / ENTRIES > of.targets.len() || u32::try_from(entries).is_err() {
            return None;
        }
        let is_whole = delays.len() == 1
            && of.targets.len() == entries
            && (0..pres).all(|pre| of.targets[of.row(pre)].iter().copied().eq(0..posts as u32));
        let mut places = Vec::new();
        for pre in if is_whole { 0..0 } else { 0..pres } {
            let row = of.row(pre);
            // Several synapses of a pair are added one after the other.
            let targets = &of.targets[row.clone()];
            if !targets.is_sorted_by(|one, next| one < next) && targets.iter().collect::<HashSet<_>>().len() < targets.len() {
                return None;
            }
            places.extend(row.map(|synapse| {
                let matrix = delays.partition_point(|delay| *delay < of.delay(synapse));
                ((matrix * pres + pre) * posts + of.targets[synapse] as usize) as u32
            }));
        }
        Some(Matrices { delays: delays.len(), places, pres, posts })
    }

    /// Numbers of synapses as `[delay][pre][post]`; `None` if they are so already.
    pub(super) fn by_pre<T: Copy + Default>(&self, of_synapses: &[T]) -> Option<Vec<T>> {
        (!self.places.is_empty()).then(|| {
            let mut matrices = vec![T::default(); self.entries()];
            self.places.iter().zip(of_synapses).for_each(|(place, number)| matrices[*place as usize] = *number);
            matrices
        })
    }

    /// Numbers of synapses as `[post][delay][pre]`.
    pub(super) fn by_post(&self, of_synapses: impl Iterator<Item = f32>) -> Vec<f32> {
        let mut matrices = vec![0.0; self.entries()];
        for (synapse, number) in of_synapses.enumerate() {
            let place = self.places.get(synapse).map_or(synapse, |place| *place as usize);
            let (row, post) = (place / self.posts, place % self.posts);
            let (delay, pre) = (row / self.pres, row % self.pres);
            matrices[(post * self.delays + delay) * self.pres + pre] = number;
        }
        matrices
    }

    /// The numbers of synapses, from `[delay][pre][post]`.
    pub(super) fn of_synapses(&self, matrices: Vec<f32>) -> Vec<f32> {
        if self.places.is_empty() {
            return matrices;
        }
        self.places.iter().map(|place| matrices[*place as usize]).collect()
    }

    pub(super) fn entries(&self) -> usize {
        self.delays * self.pres * self.posts
    }
}
