//! The ranks that share the work of a run, as one of them sees them.

mod meter;
mod patience;
mod share;

use std::rc::Rc;
use std::time::Duration;

use pollster::block_on;
use spikelet::{Backend, BuildOptions, Error, Exchange, Message, Network, Partition, Plan, Played, Purpose, Ranked, Tag};

use crate::args::{RunArguments, Split};
use crate::jobs::Job;
use meter::Meter;
pub(crate) use meter::Spent;
pub(crate) use patience::Ended;
pub(crate) use share::Shares;

/// The ranks of a run.
pub(crate) struct Ranks {
    exchange: Rc<Meter>,
    /// How they share the network; without it each has runs of its own.
    partition: Option<Partition>,
    /// How many of them share the memory of this machine.
    on_machine: usize,
}

impl Ranks {
    /// Ranks of which this number is on one machine. Those that share a network wait for each other at most for `limit`; those with runs of their
    /// own, of any length, wait for each other's ends.
    pub(crate) fn new(exchange: Rc<dyn Exchange>, partition: Option<Partition>, on_machine: usize, limit: Duration) -> Ranks {
        let limit = partition.is_some().then_some(limit);
        Ranks { exchange: Rc::new(Meter::new(exchange, limit)), partition, on_machine }
    }

    /// A run without other ranks.
    pub(crate) fn alone() -> Ranks {
        let [only] = <[Played; 1]>::try_from(Played::ranks(1)).expect("one rank");
        Ranks::new(Rc::new(only), None, 1, Duration::MAX)
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
        self.partition.is_some()
    }

    /// The plan of a network, of which each rank has its part: `None` if they do not share it. A rank has its share of the free memory.
    pub(crate) fn plan(&self, network: &Network, options: BuildOptions) -> Result<Option<Plan>, Error> {
        let Some(partition) = &self.partition else { return Ok(None) };
        let own = options.memory.map_or(u64::MAX, |memory| memory / self.on_machine as u64);
        let least = self.least(Purpose::Memory, own)?;
        let options = BuildOptions { memory: (least < u64::MAX).then_some(least), ..options };
        block_on(Plan::for_part(network, options, partition, &*self.exchange)).map(Some)
    }

    /// A device as one of the ranks that share the network, if they do.
    pub(crate) fn join(&self, device: Box<dyn Backend>) -> Result<Box<dyn Backend>, Error> {
        Ok(if self.share_network() { Box::new(Ranked::new(device, self.exchange.clone())?) } else { device })
    }

    /// Why this rank exchanges nothing more with others, if that is so.
    pub(crate) fn ended(&self) -> Option<Ended> {
        self.exchange.ended()
    }

    /// What this rank has spent on the exchange so far.
    pub(crate) fn spent(&self) -> Spent {
        self.exchange.spent()
    }

    /// The runs of this rank.
    pub(crate) fn own(&self, jobs: Vec<Job>) -> Vec<Job> {
        if self.share_network() { jobs } else { jobs.into_iter().skip(self.rank()).step_by(self.size()).collect() }
    }

    /// How many trials a rank may load if `room` of them fit into the free memory of the machine: ranks that share the network agree.
    pub(crate) fn share_of_room(&self, room: usize) -> Result<usize, Error> {
        let own = (room / self.on_machine).max(1);
        if !self.share_network() {
            return Ok(own);
        }
        Ok(self.least(Purpose::Memory, own as u64)? as usize)
    }

    /// Those of all ranks, in their order.
    pub(crate) fn gather(&self, purpose: Purpose, words: Vec<u32>) -> Result<Vec<Vec<u32>>, Error> {
        block_on(self.exchange.gather(Tag::new(purpose), words))
    }

    /// The least of a number of all ranks.
    pub(crate) fn least(&self, purpose: Purpose, own: u64) -> Result<u64, Error> {
        let all = self.gather(purpose, vec![own as u32, (own >> 32) as u32])?;
        Ok(all.iter().map(|words| u64::from(words[0]) | u64::from(words[1]) << 32).min().unwrap_or(own))
    }

    /// The sums of numbers of all ranks, at the end of a run.
    pub(crate) fn sum(&self, own: &[u64]) -> Result<Vec<u64>, Error> {
        let words = own.iter().flat_map(|number| [*number as u32, (number >> 32) as u32]);
        let all = self.gather(Purpose::Ending, words.collect())?;
        let number = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair[1]) << 32;
        let of_rank = |words: &Vec<u32>, at: usize| words.get(2 * at..2 * at + 2).map_or(0, number);
        Ok((0..own.len()).map(|at| all.iter().map(|words| of_rank(words, at)).sum()).collect())
    }

    /// What the first rank sends to all.
    pub(crate) fn receive_from_first(&self, purpose: Purpose, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        let tag = Tag::new(purpose);
        if !self.is_first() {
            let received = block_on(self.exchange.exchange(tag, Vec::new(), &[0]))?;
            return Ok(received.iter().flat_map(|message| unpacked(&message.words)).collect());
        }
        let words = packed(&bytes);
        let to = |rank| Message { rank, words: words.clone() };
        block_on(self.exchange.exchange(tag, (1..self.size()).map(to).collect(), &[]))?;
        Ok(bytes)
    }

    /// What the others send to the first rank at the end of a run, in their order; they receive nothing.
    pub(crate) fn to_first(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let tag = Tag::new(Purpose::Ending);
        if self.is_first() {
            let others: Vec<usize> = (1..self.size()).collect();
            let received = block_on(self.exchange.exchange(tag, Vec::new(), &others))?;
            return Ok(received.iter().map(|message| unpacked(&message.words)).collect());
        }
        block_on(self.exchange.exchange(tag, vec![Message { rank: 0, words: packed(bytes) }], &[]))?;
        Ok(Vec::new())
    }
}

/// What ranks share: trials and combinations of values if there are enough for all, unless the user decides.
pub(crate) fn split(args: &RunArguments, ranks: usize, runs: usize) -> Split {
    args.of_ranks.split.unwrap_or(if runs >= ranks { Split::Trials } else { Split::Network })
}

/// Bytes as words: the number of bytes of the last word, and all words.
pub(crate) fn packed(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    std::iter::once((bytes.len() % 4) as u32).chain(bytes.chunks(4).map(word)).collect()
}

/// The bytes of words.
pub(crate) fn unpacked(words: &[u32]) -> Vec<u8> {
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
        let network = spikelet::catalogue::network("cuba", 0.01).expect("a network of the catalogue");
        let of = |rank: Played, partition| {
            let own = Ranks::new(Rc::new(rank), partition, 3, Duration::MAX).own(jobs.clone());
            own.into_iter().map(|job| job.trial).collect::<Vec<_>>()
        };
        let trials: Vec<_> = Played::ranks(3).into_iter().map(|rank| of(rank, None)).collect();
        assert_eq!(trials, [vec![0, 3, 6], vec![1, 4], vec![2, 5]]);
        let whole: Vec<u32> = (0..7).collect();
        assert!(Played::ranks(3).into_iter().all(|rank| of(rank, Partition::blocks(&network, 3).ok()) == whole));
    }
}
