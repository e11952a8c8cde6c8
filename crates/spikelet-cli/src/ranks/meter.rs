//! The exchange between ranks as a run sees it: what it costs, and when it ends.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use spikelet::{Error, Exchange, Message, Tag, Task};

use super::patience::{self, Ended};

/// An exchange that measures itself, and does not wait for ever.
pub(super) struct Meter {
    exchange: Rc<dyn Exchange>,
    /// The longest time to wait.
    limit: Option<Duration>,
    spent: Rc<Cell<Spent>>,
    ended: Rc<Cell<Option<Ended>>>,
}

/// The cost of an exchange for one rank.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spent {
    /// Wall time in which messages were sent.
    pub(super) sending: Duration,
    /// Wall time in which the rank had nothing to do but to wait for messages.
    pub(super) waiting: Duration,
    /// Sent bytes.
    pub(super) bytes: u64,
}

impl Spent {
    /// Adds what was spent between two times.
    pub(crate) fn add(&mut self, before: Spent, after: Spent) {
        self.sending += after.sending.saturating_sub(before.sending);
        self.waiting += after.waiting.saturating_sub(before.waiting);
        self.bytes += after.bytes - before.bytes;
    }
}

impl Meter {
    pub(super) fn new(exchange: Rc<dyn Exchange>, limit: Option<Duration>) -> Meter {
        Meter { exchange, limit, spent: Rc::default(), ended: Rc::default() }
    }

    /// Why nothing more is exchanged, if that is so.
    pub(super) fn ended(&self) -> Option<Ended> {
        self.ended.get()
    }

    pub(super) fn spent(&self) -> Spent {
        self.spent.get()
    }
}

impl Exchange for Meter {
    fn rank(&self) -> usize {
        self.exchange.rank()
    }

    fn size(&self) -> usize {
        self.exchange.size()
    }

    fn exchange(&self, tag: Tag, sent: Vec<Message>, from: &[usize]) -> Task<'static, Vec<Message>> {
        if self.ended.get().is_some() {
            return Box::pin(async { Err(Error::Backend("the exchange between the ranks has ended".into())) });
        }
        let words: usize = sent.iter().map(|message| message.words.len()).sum();
        let began = Instant::now();
        let received = self.exchange.exchange(tag, sent, from);
        let (before, spent) = (self.spent.get(), self.spent.clone());
        spent.set(Spent { sending: before.sending + began.elapsed(), bytes: before.bytes + 4 * words as u64, ..before });
        let (ended, limit, rank, from) = (self.ended.clone(), self.limit, self.rank(), from.to_vec());
        Box::pin(async move {
            let began = Instant::now();
            // Each rank has a thread of its own, which has nothing else to do.
            let received = patience::wait(received, limit, rank, tag, &from);
            let before = spent.get();
            spent.set(Spent { waiting: before.waiting + began.elapsed(), ..before });
            received.map_err(|(why, error)| {
                ended.set(Some(why));
                error
            })
        })
    }

    fn abandon(&self, error: &Error) {
        self.exchange.abandon(error);
    }
}
