//! The speed and the time span of the plots, which a lesson sets while it is followed and gives back afterwards.

use super::Lesson;

/// How fast the network runs, and how much of it is seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pace {
    /// Biological ÷ wall time.
    pub(crate) speed: f64,
    /// The time span of the plots, in ms.
    pub(crate) window_ms: f64,
}

/// The pace before a lesson, and the one that the lesson has set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Borrowed {
    before: Pace,
    set: Pace,
}

impl Pace {
    /// That of a step of a lesson; after the last step that of the lesson.
    pub(crate) fn of(lesson: &Lesson, step: usize) -> Pace {
        let own = lesson.steps.get(step).and_then(|step| step.speed);
        Pace { speed: own.unwrap_or(lesson.speed), window_ms: lesson.window_ms }
    }
}

impl Borrowed {
    /// A step sets the pace. What was there before the first of them is given back in the end.
    pub(crate) fn take(earlier: Option<Borrowed>, now: Pace, set: Pace) -> Borrowed {
        Borrowed { before: earlier.map_or(now, |earlier| earlier.before), set }
    }

    /// The pace that a step has set.
    pub(crate) fn set(&self) -> Pace {
        self.set
    }

    /// The pace after the lesson: that before it, except for what the user has chosen since.
    pub(crate) fn give_back(self, now: Pace) -> Pace {
        let of = |now: f64, set: f64, before: f64| if now == set { before } else { now };
        Pace {
            speed: of(now.speed, self.set.speed, self.before.speed),
            window_ms: of(now.window_ms, self.set.window_ms, self.before.window_ms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Pace = Pace { speed: f64::INFINITY, window_ms: 1000.0 };
    const SLOW: Pace = Pace { speed: 0.1, window_ms: 250.0 };

    #[test]
    fn a_lesson_gives_back_what_it_has_changed() {
        let first = Borrowed::take(None, USUAL, SLOW);
        assert_eq!(first.give_back(SLOW), USUAL);
        let second = Borrowed::take(Some(first), SLOW, Pace { speed: 0.2, ..SLOW });
        assert_eq!(second.give_back(second.set()), USUAL);
    }

    #[test]
    fn what_the_user_chooses_stays() {
        let borrowed = Borrowed::take(None, USUAL, SLOW);
        assert_eq!(borrowed.give_back(Pace { speed: 2.0, ..SLOW }), Pace { speed: 2.0, ..USUAL });
        assert_eq!(borrowed.give_back(Pace { window_ms: 100.0, ..SLOW }), Pace { window_ms: 100.0, ..USUAL });
    }
}
