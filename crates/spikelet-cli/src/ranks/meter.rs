//! What the exchange between ranks costs.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use spikelet::{Error, Exchange, Message, Task};

/// An exchange that measures itself.
pub(super) struct Meter {
    exchange: Rc<dyn Exchange>,
    spent: Rc<Cell<Spent>>,
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
    pub(super) fn new(exchange: Rc<dyn Exchange>) -> Meter {
        Meter { exchange, spent: Rc::default() }
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

    fn exchange(&self, sent: Vec<Message>, from: &[usize]) -> Task<'static, Vec<Message>> {
        let words: usize = sent.iter().map(|message| message.words.len()).sum();
        let began = Instant::now();
        let received = self.exchange.exchange(sent, from);
        let (before, spent) = (self.spent.get(), self.spent.clone());
        spent.set(Spent { sending: before.sending + began.elapsed(), bytes: before.bytes + 4 * words as u64, ..before });
        Box::pin(async move {
            let began = Instant::now();
            let received = received.await;
            let before = spent.get();
            spent.set(Spent { waiting: before.waiting + began.elapsed(), ..before });
            received
        })
    }

    fn abandon(&self, error: &Error) {
        self.exchange.abandon(error);
    }
}
