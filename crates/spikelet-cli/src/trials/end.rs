//! The end of a run whose ranks do not agree.

use super::Trials;
use crate::failure::Failure;
use crate::ranks::Ended;
use crate::run_description::NAME;

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
