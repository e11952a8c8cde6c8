//! What ranks agree upon between batches of steps, and the end of a run whose ranks do not.

use std::thread;

use spikelet::Purpose;

use super::Trials;
use crate::failure::Failure;
use crate::interrupt;
use crate::ranks::{Ended, Ranks};
use crate::run_description::NAME;
use crate::signal::Signal;

impl Trials<'_> {
    /// Runs all trials, or until a signal. A failed trial does not affect the others.
    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        let result = self.run_all();
        let (Err(failure), Some(ended)) = (&result, self.ranks.ended()) else { return result };
        let mut sentence = failure.to_string();
        self.records.flush()?;
        if let (Some(_), Some(out)) = (&self.unfinished, &self.args.out) {
            let out = out.display();
            sentence += &format!("; what was recorded is in {out}/{NAME}, and `spikelet resume {out}` continues the run");
        }
        Err(match ended {
            Ended::Interrupted(signal) => Failure::Interrupted(signal, sentence),
            Ended::Failed | Ended::Late => Failure::Run(sentence),
        })
    }
}

/// What ranks that share the network do next: the first one decides about steps, a signal to any of them ends all, and if a checkpoint is due
/// on one, all take it.
pub(super) struct Agreed {
    pub(super) steps: u32,
    pub(super) signal: Option<Signal>,
    pub(super) checkpoint: bool,
}

pub(super) fn agreed(ranks: &Ranks, steps: u32, checkpoint: bool) -> Result<Agreed, Failure> {
    let signal = interrupt::asked();
    if !ranks.share_network() {
        return Ok(Agreed { steps, signal, checkpoint });
    }
    let words = vec![steps, signal.map_or(0, |signal| signal.number as u32), checkpoint.into()];
    let all = ranks.gather(Purpose::Agreement, words)?;
    Ok(Agreed {
        steps: all[0][0],
        signal: all.iter().find_map(|words| Signal::of_number(words[1] as i32)),
        checkpoint: all.iter().any(|words| words[2] != 0),
    })
}

/// A hidden option: the last of several ranks does nothing from a time on.
pub(super) fn hang_at(ms: Option<f64>, now_ms: f64, ranks: &Ranks) {
    if ranks.rank() > 0 && ranks.rank() + 1 == ranks.size() && ms.is_some_and(|ms| now_ms >= ms) {
        loop {
            thread::park();
        }
    }
}
