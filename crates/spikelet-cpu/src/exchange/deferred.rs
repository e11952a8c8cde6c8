//! Spikes with long delays are sent rarely.
//!
//! A rank needs a spike only when the shortest delay between the two ranks has passed. Until then spikes are collected, so that messages
//! are few. Both sides derive the turns from the same delay and steps.

use spikelet_plan::{Epoch, Message};

use super::Routes;

/// What has not been sent.
pub(super) struct Deferred {
    to: Vec<Peer>,
    from: Vec<Peer>,
}

/// Another rank.
struct Peer {
    rank: usize,
    /// The shortest delay of spikes between the two ranks.
    delay: u32,
    /// The first step whose spikes have not been sent.
    since: u32,
    words: Vec<u32>,
}

impl Peer {
    fn new(rank: usize, delay: u32) -> Peer {
        Peer { rank, delay, since: 0, words: Vec::new() }
    }

    /// Whether spikes of the steps before `end` are sent now: otherwise those of its first step might arrive after their effect. The next
    /// turn ends with another part of at most `part` steps, and what is sent arrives after `lag` more steps.
    fn is_due(&mut self, end: u32, part: u32, lag: u32) -> bool {
        let effect = u64::from(self.since) + u64::from(self.delay) + 1;
        let is_due = u64::from(end) + u64::from(part) + u64::from(lag) > effect;
        if is_due {
            self.since = end;
        }
        is_due
    }
}

impl Deferred {
    pub(super) fn new(routes: &Routes) -> Deferred {
        let to = routes.to().iter().map(|route| Peer::new(route.rank, route.delay));
        let from = routes.from().iter().zip(routes.delays()).map(|(rank, delay)| Peer::new(*rank, *delay));
        Deferred { to: to.collect(), from: from.collect() }
    }

    /// Spikes of steps from here on follow.
    pub(super) fn begin(&mut self, epoch: Epoch) {
        self.to.iter_mut().chain(&mut self.from).for_each(|peer| peer.since = peer.since.min(epoch.first));
    }

    /// Adds messages with the spikes of the steps before `end`, one for each route. Returns those that are sent now, and the ranks from which
    /// messages arrive.
    pub(super) fn turn(&mut self, messages: Vec<Message>, end: u32, part: u32, lag: u32) -> (Vec<Message>, Vec<usize>) {
        self.to.iter_mut().zip(messages).for_each(|(peer, message)| peer.words.extend(message.words));
        let due = self.to.iter_mut().filter_map(|peer| {
            peer.is_due(end, part, lag).then(|| Message { rank: peer.rank, words: std::mem::take(&mut peer.words) })
        });
        let sent = due.collect();
        let from = self.from.iter_mut().filter_map(|peer| peer.is_due(end, part, lag).then_some(peer.rank)).collect();
        (sent, from)
    }

    /// Everything that has not been sent, and all ranks from which messages arrive.
    pub(super) fn take_all(&mut self) -> (Vec<Message>, Vec<usize>) {
        self.to.iter_mut().chain(&mut self.from).for_each(|peer| peer.since = 0);
        let sent = self.to.iter_mut().map(|peer| Message { rank: peer.rank, words: std::mem::take(&mut peer.words) }).collect();
        (sent, self.from.iter().map(|peer| peer.rank).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever the lengths of parts: both sides have the same turns, a spike arrives before its effect, and no turn could be left out.
        #[test]
        fn spikes_arrive_in_time(
            (parts, part) in (1..20_u32).prop_flat_map(|part| (prop::collection::vec(1..=part, 1..60), Just(part))),
            more in 0..200_u32, overlaps in any::<bool>(), first in 0..1000_u32,
        ) {
            let (lag, least) = if overlaps { (part, 2 * part) } else { (0, part) };
            let delay = least + more - 1;
            let peers = || vec![Peer::new(1, delay)];
            let mut deferred = Deferred { to: peers(), from: peers() };
            deferred.take_all();
            deferred.begin(Epoch::new(first, parts.iter().sum()));
            let ends: Vec<u32> = parts.iter().scan(first, |end, steps| { *end += steps; Some(*end) }).collect();
            let (mut since, mut turns) = (first, Vec::new());
            for (at, end) in ends.iter().enumerate() {
                let (sent, from) = deferred.turn(vec![Message { rank: 1, words: vec![*end] }], *end, part, lag);
                prop_assert_eq!(sent.len(), from.len());
                if sent.is_empty() {
                    continue;
                }
                // With overlap, it arrives after the next part.
                let arrival = ends.get(at + usize::from(overlaps)).unwrap_or(end);
                prop_assert!(*arrival <= since + delay + 1, "step {} arrives at {}", since, arrival);
                since = *end;
                turns.push(*end);
            }
            for turn in turns.windows(2) {
                // Another part, and its way, would have taken too long.
                prop_assert!(turn[1] + part + lag > turn[0] + delay + 1, "{:?}", turns);
            }
        }
    }
}
