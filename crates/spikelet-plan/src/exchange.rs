//! The interface between ranks.

mod tag;

use spikelet_network::Error;
pub use tag::{Purpose, Tag};

use crate::task::Task;

/// Words that one rank sends to another one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// The rank to which it is sent, or, after it has arrived, the one from which it was sent.
    pub rank: usize,
    /// The words.
    pub words: Vec<u32>,
}

/// How [`Exchange::reduce`] combines the values of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// The sum, in the order of ranks, so that it is always the same.
    Sum,
    /// The largest value.
    Max,
}

/// The other ranks, as seen by one of them. All ranks call the same methods in the same order. A rank that ends makes the calls of all others
/// fail.
pub trait Exchange {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;
    /// Number of ranks.
    fn size(&self) -> usize;
    /// Sends a message to each of some ranks, and receives one from each of the ranks in `from`, in that order. Every rank must receive
    /// what the others send to it, even if it is empty. Sending begins with the call; the task waits for what is received, so that work
    /// between the two overlaps with the exchange. If a rank sends with another tag, all ranks end.
    fn exchange(&self, tag: Tag, sent: Vec<Message>, from: &[usize]) -> Task<'static, Vec<Message>>;
    /// Sends the same words to all ranks; returns those of every rank, in their order, with its own.
    fn gather(&self, tag: Tag, words: Vec<u32>) -> Task<'static, Vec<Vec<u32>>> {
        let (rank, size) = (self.rank(), self.size());
        let others: Vec<usize> = (0..size).filter(|other| *other != rank).collect();
        let sent = others.iter().map(|other| Message { rank: *other, words: words.clone() }).collect();
        let received = self.exchange(tag, sent, &others);
        Box::pin(async move {
            let mut all: Vec<Vec<u32>> = received.await?.into_iter().map(|message| message.words).collect();
            all.insert(rank, words);
            Ok(all)
        })
    }
    /// Combines the values of all ranks, element by element.
    fn reduce(&self, tag: Tag, values: Vec<f64>, by: Reduction) -> Task<'static, Vec<f64>> {
        let words = values.iter().flat_map(|value| [value.to_bits() as u32, (value.to_bits() >> 32) as u32]).collect();
        let all = self.gather(tag, words);
        Box::pin(async move {
            let values = |words: &Vec<u32>| -> Vec<f64> {
                words.chunks_exact(2).map(|pair| f64::from_bits(u64::from(pair[1]) << 32 | u64::from(pair[0]))).collect()
            };
            let mut all = all.await?;
            let mut combined = values(&all.remove(0));
            for of_rank in &all {
                for (total, value) in combined.iter_mut().zip(values(of_rank)) {
                    *total = if by == Reduction::Sum { *total + value } else { total.max(value) };
                }
            }
            Ok(combined)
        })
    }
    /// Waits for all ranks.
    fn barrier(&self, tag: Tag) -> Task<'static, ()> {
        let all = self.gather(tag, Vec::new());
        Box::pin(async move { all.await.map(|_| ()) })
    }
    /// Ends all ranks because of an error of this one, which the others cannot know.
    fn abandon(&self, error: &Error);
}
