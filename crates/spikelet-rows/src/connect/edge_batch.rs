//! Edges in any order.

use crate::OwnNeurons;

/// Edges as pre- and postsynaptic neurons, in arrays of the same length.
#[derive(Debug, Default)]
pub(super) struct EdgeBatch {
    pub(super) pre: Vec<u32>,
    pub(super) post: Vec<u32>,
}

impl EdgeBatch {
    /// Keeps only the edges onto these neurons.
    pub(super) fn keep(&mut self, own: &OwnNeurons) {
        let mut kept = self.post.iter().map(|post| own.contains(*post));
        self.pre.retain(|_| kept.next().unwrap_or(false));
        self.post.retain(|post| own.contains(*post));
    }

    pub(super) fn push(&mut self, [pre, post]: [u32; 2]) {
        self.pre.push(pre);
        self.post.push(post);
    }
}
