//! Edges as rows: for each pre neuron the posts it reaches.

/// The edges of a projection, compressed by pre neuron, posts rising within a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Row `r` is that of pre neuron `pre.start + r`, at `words[offsets[r]..offsets[r + 1]]`; one more than rows.
    pub offsets: Vec<u64>,
    /// For each edge the post neuron, its index in its population, in the lowest [`Rows::target_bits`] bits; in those above, where
    /// there are any, the delay in steps.
    pub words: Vec<u32>,
    /// Bits of a word that name the post neuron.
    pub target_bits: u32,
    /// For a list of pairs, which pair each edge is (values come in the order of pairs); empty for rules.
    pub pairs: Vec<u32>,
    /// Whether they could be drawn anew at every spike instead of being kept.
    pub drawable: bool,
}

/// Rows of nothing.
impl Default for Rows {
    fn default() -> Rows {
        Rows { offsets: vec![0], words: Vec::new(), target_bits: u32::BITS, pairs: Vec::new(), drawable: false }
    }
}

impl Rows {
    /// Number of edges.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether nothing is joined.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// What of a word names the post neuron.
    pub fn target_mask(&self) -> u32 {
        u32::MAX >> (u32::BITS - self.target_bits)
    }

    /// The post neuron of an edge.
    pub fn target(&self, edge: usize) -> u32 {
        self.words[edge] & self.target_mask()
    }

    /// The post neurons of all edges.
    pub fn targets(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        let mask = self.target_mask();
        self.words.iter().map(move |word| word & mask)
    }

    /// The words of row `row`.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.words[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }

    /// For a list of pairs, the edge that each pair became; empty for rules.
    pub fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.pairs.len()];
        for (edge, pair) in (0..).zip(&self.pairs) {
            places[*pair as usize] = edge;
        }
        places
    }

    /// The edges again, by post neuron: for each of `posts` neurons where its edges begin, and then the edges in their order, so
    /// that the pre neurons of a post neuron rise.
    pub fn by_post(&self, posts: u32) -> (Vec<u32>, Vec<u32>) {
        let mut offsets = vec![0; posts as usize + 1];
        for target in self.targets() {
            offsets[target as usize + 1] += 1;
        }
        for post in 0..posts as usize {
            offsets[post + 1] += offsets[post];
        }
        let (mut next, mut edges) = (offsets.clone(), vec![0; self.words.len()]);
        for (edge, target) in (0..).zip(self.targets()) {
            let place = &mut next[target as usize];
            edges[*place as usize] = edge;
            *place += 1;
        }
        (offsets, edges)
    }

    /// Rows of these lengths.
    pub(crate) fn of_lengths(lengths: &[u32], words: Vec<u32>) -> Rows {
        let sums = lengths.iter().scan(0, |sum, length| {
            *sum += u64::from(*length);
            Some(*sum)
        });
        Rows { offsets: std::iter::once(0).chain(sums).collect(), words, ..Rows::default() }
    }

    /// The edges for which `kept` holds.
    pub(super) fn filtered(&self, kept: &[bool]) -> Rows {
        let left = |values: &[u32]| values.iter().zip(kept).filter(|(_, kept)| **kept).map(|(value, _)| *value).collect();
        let of_row = |row: &[u64]| kept[row[0] as usize..row[1] as usize].iter().filter(|kept| **kept).count() as u32;
        let lengths: Vec<u32> = self.offsets.windows(2).map(of_row).collect();
        Rows { pairs: left(&self.pairs), ..Rows::of_lengths(&lengths, left(&self.words)) }
    }

    /// Rows of `pres` neurons, the first of them `first`, from edges in any order: a counting sort by pre, then each row by post. Equal
    /// pairs stay in their order, and `ordinals` asks for the place that each edge had.
    pub(super) fn sorted(first: u32, pres: usize, edges: impl Iterator<Item = [u32; 2]> + Clone, ordinals: bool) -> Rows {
        let mut offsets = vec![0_u64; pres + 1];
        // `for_each`, since walking nested iterators step by step takes far longer.
        edges.clone().for_each(|[i, _]| offsets[(i - first) as usize + 1] += 1);
        for row in 1..offsets.len() {
            offsets[row] += offsets[row - 1];
        }
        let mut next = offsets.clone();
        let count = offsets[pres] as usize;
        if !ordinals {
            let mut words = vec![0; count];
            edges.for_each(|[i, j]| {
                let place = &mut next[(i - first) as usize];
                words[*place as usize] = j;
                *place += 1;
            });
            offsets.windows(2).for_each(|row| words[row[0] as usize..row[1] as usize].sort_unstable());
            return Rows { offsets, words, ..Rows::default() };
        }
        let mut placed = vec![(0_u32, 0_u32); count];
        for (ordinal, [i, j]) in (0..).zip(edges) {
            let place = &mut next[(i - first) as usize];
            placed[*place as usize] = (j, ordinal);
            *place += 1;
        }
        offsets.windows(2).for_each(|row| placed[row[0] as usize..row[1] as usize].sort_unstable());
        let (words, pairs) = placed.into_iter().unzip();
        Rows { offsets, words, pairs, ..Rows::default() }
    }
}
