//! The ranks that share the work of a run, as one of them sees them.

#[cfg(feature = "mpi")]
mod input;
pub(crate) mod launch;
mod meter;
#[cfg(feature = "mpi")]
mod processes;
mod results;
mod share;

use std::rc::Rc;

use pollster::block_on;
use spikelet::{Error, Exchange, Message, Played};

use crate::args::{RunArguments, Split};
use crate::jobs::Job;
use meter::Meter;
pub(crate) use results::RankResults;
pub(crate) use share::Shares;

/// The ranks of a run.
pub(crate) struct Ranks {
    exchange: Rc<Meter>,
    split: Split,
}

impl Ranks {
    /// Ranks that share what the arguments say.
    fn new(exchange: Rc<dyn Exchange>, split: Split) -> Ranks {
        Ranks { exchange: Rc::new(Meter::new(exchange)), split }
    }

    /// A run without other ranks.
    pub(crate) fn alone() -> Ranks {
        let [only] = <[Played; 1]>::try_from(Played::ranks(1)).expect("as many as asked for");
        Ranks::new(Rc::new(only), Split::Trials)
    }

    /// Number of this rank, from 0.
    pub(crate) fn rank(&self) -> usize {
        self.exchange.rank()
    }

    /// Number of ranks.
    pub(crate) fn size(&self) -> usize {
        self.exchange.size()
    }

    /// Whether it is the rank that reads and writes files, prints and decides.
    pub(crate) fn is_first(&self) -> bool {
        self.rank() == 0
    }

    /// Whether all ranks simulate the same runs, each a part of the network: then they make the same calls in the same order.
    pub(crate) fn share_network(&self) -> bool {
        self.size() > 1 && self.split == Split::Network
    }

    /// The runs of this rank.
    pub(crate) fn own(&self, jobs: Vec<Job>) -> Vec<Job> {
        if self.share_network() { jobs } else { jobs.into_iter().skip(self.rank()).step_by(self.size()).collect() }
    }

    /// Those of all ranks, in their order.
    pub(crate) fn gather(&self, words: Vec<u32>) -> Result<Vec<Vec<u32>>, Error> {
        block_on(self.exchange.gather(words))
    }

    /// What the first rank sends to all.
    #[cfg(feature = "mpi")]
    pub(crate) fn from_first(&self, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        if !self.is_first() {
            let received = block_on(self.exchange.exchange(Vec::new(), &[0]))?;
            return Ok(received.iter().flat_map(|message| unpacked(&message.words)).collect());
        }
        let words = packed(&bytes);
        let to = |rank| Message { rank, words: words.clone() };
        block_on(self.exchange.exchange((1..self.size()).map(to).collect(), &[]))?;
        Ok(bytes)
    }

    /// What the others send to the first rank, in their order; they receive nothing.
    pub(crate) fn to_first(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        if self.is_first() {
            let others: Vec<usize> = (1..self.size()).collect();
            let received = block_on(self.exchange.exchange(Vec::new(), &others))?;
            return Ok(received.iter().map(|message| unpacked(&message.words)).collect());
        }
        block_on(self.exchange.exchange(vec![Message { rank: 0, words: packed(bytes) }], &[]))?;
        Ok(Vec::new())
    }
}

/// What ranks share: trials and combinations of values if there are enough for all, unless the user decides.
pub(crate) fn split(args: &RunArguments, ranks: usize, runs: usize) -> Split {
    args.of_ranks.split.unwrap_or(if runs >= ranks { Split::Trials } else { Split::Network })
}

/// Bytes as words: the number of bytes of the last word, and all words.
fn packed(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    std::iter::once((bytes.len() % 4) as u32).chain(bytes.chunks(4).map(word)).collect()
}

/// The bytes of words.
fn unpacked(words: &[u32]) -> Vec<u8> {
    let Some((last, words)) = words.split_first() else { return Vec::new() };
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.truncate(bytes.len() - (4 - *last as usize) % 4);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_arrive_as_they_were_sent() {
        let bytes: Vec<u8> = (1..=9).collect();
        for length in 0..=bytes.len() {
            assert_eq!(unpacked(&packed(&bytes[..length])), bytes[..length]);
        }
    }

    #[test]
    fn runs_go_to_the_ranks_in_turn() {
        let jobs: Vec<Job> = (0..7).map(|trial| Job { point: 0, trial }).collect();
        let of = |rank: Played, split| {
            let own = Ranks::new(Rc::new(rank), split).own(jobs.clone());
            own.into_iter().map(|job| job.trial).collect::<Vec<_>>()
        };
        let trials: Vec<_> = Played::ranks(3).into_iter().map(|rank| of(rank, Split::Trials)).collect();
        assert_eq!(trials, [vec![0, 3, 6], vec![1, 4], vec![2, 5]]);
        let whole: Vec<u32> = (0..7).collect();
        assert!(Played::ranks(3).into_iter().all(|rank| of(rank, Split::Network) == whole));
    }
}
