//! Checks of the equations by the engine: when typing pauses, and before they run.
//!
//! Only one check is pending. An outdated result is dropped, and the previous one is shown until there is a new one.

use std::time::Duration;

use leptos::{prelude::*, task::spawn_local};
use spikelet_js::protocol::{Judgement, Question};

use super::Studio;
use crate::{
    equations::check::{Checked, checked, question},
    package::{self, Error},
};

/// Duration of a pause in typing before a check.
const PAUSE: Duration = Duration::from_millis(150);

impl Studio {
    /// Checks the equations when typing pauses.
    pub(super) fn check_soon(self) {
        self.checking.set(true);
        self.no_check_is_due();
        self.live().check.set(set_timeout_with_handle(move || self.check_now(), PAUSE).ok());
    }

    /// Checks the equations at once.
    pub(super) fn check_now(self) {
        self.no_check_is_due();
        if !self.live().asking.replace(true) {
            spawn_local(self.check());
        }
    }

    /// Another population, or another network, is shown: only its declarations are known.
    pub(super) fn check_another(self) {
        self.checked.update(|checked| self.equations.with_untracked(|equations| checked.turn_to(equations.shown())));
        self.checking.set(true);
        self.check_now();
    }

    /// Checks the equations at once, and then calls an action with the result for the current equations.
    pub(super) fn when_checked(self, act: impl FnOnce(Studio, bool) + 'static) {
        self.live().when_checked.replace(Some(Box::new(act)));
        self.check_now();
    }

    /// Cancels the scheduled check.
    fn no_check_is_due(self) {
        if let Some(due) = self.live().check.take() {
            due.clear();
        }
    }

    /// Repeats until the result belongs to the current equations.
    async fn check(self) {
        let found = loop {
            let asked = self.equations.get_untracked();
            let answer = match question(&asked) {
                Some(question) => self.ask_judge(question).await.map(|judgement| checked(&asked, judgement)),
                None => Ok(Checked::default()),
            };
            let is_late = self.equations.with_untracked(|now| *now != asked);
            match answer {
                // Another simulation has replaced the one that was asked.
                Err(error) if error.is_disposed() => {}
                _ if is_late && self.is_check_due() => {
                    self.live().asking.set(false);
                    return;
                }
                _ if is_late => {}
                answer => break answer,
            }
        };
        self.live().asking.set(false);
        // If no engine is available, the errors are reported when the network is built.
        let fine = found.as_ref().map_or(true, Checked::is_fine);
        if let Ok(found) = found {
            if self.checked.with_untracked(|before| *before != found) {
                self.checked.set(found);
            }
            self.note_edits();
        }
        self.checking.set(false);
        let act = self.live().when_checked.take();
        if let Some(act) = act {
            act(self, fine);
        }
    }

    fn is_check_due(self) -> bool {
        let live = self.live();
        let due = live.check.take();
        live.check.set(due);
        due.is_some()
    }

    /// Uses the engine of the open network; a new one if it has ended.
    async fn ask_judge(self, question: Question) -> Result<Judgement, Error> {
        if let Some(answer) = self.with_simulation(|simulation| simulation.judge(&question)) {
            match answer.await {
                Err(error) if error.is_of_engine() => {}
                answer => return answer,
            }
        }
        package::judge(&question).await
    }
}
