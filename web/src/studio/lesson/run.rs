//! What runs in a lesson: its course gets spikes, weights and changes, its steps are run at their pace.

use leptos::prelude::*;
use spikelet_js::protocol::State;

use super::DONE;
use crate::{
    kept,
    lessons::{
        course::{Course, Orders, Outcome},
        pace::{Borrowed, Pace},
        predict::Guess,
    },
    package::{Spikes, StatisticValues},
    session::Command,
    studio::{Pane, Studio, turn_to},
};

impl Studio {
    /// Changes the lesson; views are updated only if it says so. At the end of a step the network pauses.
    fn update_course(self, act: impl FnOnce(&mut Course) -> Outcome) {
        let of_course = |course: &mut Option<Course>| course.as_mut().map_or(Outcome::Same, act);
        let outcome = self.lessons.course.try_update_untracked(of_course).unwrap_or(Outcome::Same);
        if outcome == Outcome::Same {
            return;
        }
        if outcome == Outcome::Ended {
            self.send(Command::Pause);
        }
        self.lessons.course.notify();
        self.look_at_parameters();
        self.keep_pace();
        self.note_done();
    }

    fn note_done(self) {
        let done = |course: &Option<Course>| course.as_ref().filter(|course| course.is_done()).map(|of| of.lesson.name.clone());
        let Some(name) = self.lessons.course.with_untracked(done) else { return };
        if self.lessons.done.with_untracked(|done| !done.contains(&name)) {
            self.lessons.done.update(|done| done.push(name));
            // Without storage the ticks of this visit are lost; nothing else depends on them.
            kept::write(DONE, Some(&self.lessons.done.get_untracked().join("\n"))).ok();
        }
    }

    /// Spikes of the latest steps.
    pub(in crate::studio) fn course_spikes(self, spikes: &Spikes) {
        if self.lessons.course.with_untracked(Option::is_none) {
            return;
        }
        self.update_course(|course| {
            let measures = course.measures();
            let copied = |array: js_sys::Uint32Array| if measures { array.to_vec() } else { Vec::new() };
            let (neurons, steps) = (copied(spikes.neurons()), copied(spikes.spike_steps()));
            course.take(spikes.first_step(), spikes.steps(), neurons.into_iter().zip(steps))
        });
    }

    /// Statistics of synapses.
    pub(in crate::studio) fn course_weights(self, values: &StatisticValues) {
        let of = values.statistic() as usize;
        let label = self.session.with_untracked(|session| session.current.as_ref()?.opened.statistics.get(of).cloned());
        let Some(label) = label else { return };
        let projection = label.split_once('.').map_or(label.as_str(), |(projection, _)| projection);
        let moments = values.moments().to_vec();
        self.update_course(|course| {
            let rows = values.steps().to_vec().into_iter().zip(moments.chunks_exact(4));
            let outcomes = rows.map(|(step, row)| course.take_weights(projection, step, [row[0], row[1]]));
            outcomes.max().unwrap_or(Outcome::Same)
        });
    }

    /// It runs, pauses, or was reset.
    pub(in crate::studio) fn course_state(self, state: &State) {
        if state.moved {
            let as_published = self.course_scale().is_some_and(|scale| self.is_as_published(scale));
            let dt_ms = self.session.with_untracked(|session| Some(session.current.as_ref()?.opened.dt_ms)).unwrap_or(1.0);
            self.update_course(|course| {
                course.moved((state.time_ms / dt_ms).round() as u32, as_published);
                Outcome::Changed
            });
        }
    }

    /// The learner has set a parameter.
    pub(in crate::studio) fn course_changed(self, path: &str) {
        let as_published = self.course_scale().is_some_and(|scale| self.is_as_published(scale));
        self.update_course(|course| {
            course.changed(path, as_published);
            Outcome::Changed
        });
    }

    fn course_scale(self) -> Option<f64> {
        self.lessons.course.with_untracked(|course| Some(course.as_ref()?.lesson.scale))
    }

    /// Ticks steps about parameters.
    pub(super) fn look_at_parameters(self) {
        let value = |path: &str| self.shown(path);
        let changed = self.lessons.course.try_update_untracked(|course| course.as_mut().is_some_and(|course| course.look(value)));
        if changed == Some(true) {
            if self.lessons.course.with_untracked(|course| course.as_ref().is_some_and(|course| course.awaited().is_some())) {
                // What comes next is predicted before it is seen.
                self.send(Command::Pause);
            }
            self.lessons.course.notify();
            self.keep_pace();
            self.note_done();
        }
    }

    /// Whether Play runs a step: the lesson is visible, and not done.
    pub(crate) fn is_in_lesson(self) -> bool {
        let is_open = |course: &Option<Course>| course.as_ref().is_some_and(|course| !course.is_done());
        self.pane.get() == Pane::Lesson && self.lessons.course.with(is_open)
    }

    /// The plot that shows the visible lesson.
    pub(crate) fn lesson_plot(self) -> Option<String> {
        let plot = |course: &Option<Course>| course.as_ref().map(|course| course.lesson.plot.clone());
        self.lessons.course.with(plot).filter(|_| self.pane.get() == Pane::Lesson)
    }

    /// Does what a step of the lesson says, and runs it.
    pub(crate) fn act(self) {
        self.end_soft_play();
        self.run_step(true);
    }

    /// The learner predicts what the current step will show, and runs it.
    pub(crate) fn predict(self, guess: Guess) {
        self.end_soft_play();
        self.lessons.course.update(|course| {
            if let Some(course) = course {
                course.guess(guess);
            }
        });
        self.run_step(true);
    }

    /// Runs the current step of the lesson; `for_me` also changes the network as it says. The step sets speed and time span.
    pub(in crate::studio) fn run_step(self, for_me: bool) {
        // Who begins a lesson finds it again after a reload.
        self.show_pane(Pane::Lesson);
        if self.lessons.course.with_untracked(|course| course.as_ref().is_some_and(|course| course.awaited().is_some())) {
            // First the prediction.
            turn_to("prediction");
            return;
        }
        self.take_pace();
        let run = |course: &mut Option<Course>| course.as_mut().map(|course| course.run(for_me)).unwrap_or_default();
        let Orders { set, reset } = self.lessons.course.try_update(run).unwrap_or_default();
        self.look_at_parameters();
        for (path, value) in set {
            self.send(Command::Set { path, value });
        }
        if reset {
            self.send(Command::Reset { run: true });
        } else if !self.is_playing() {
            self.dispatch(|session| session.toggle());
        }
    }

    /// Begins the steps again, with the values of the network.
    pub(crate) fn start_lesson_again(self) {
        self.send(Command::Pause);
        self.lessons.course.update(|course| course.iter_mut().for_each(Course::start_again));
        self.full_reset();
    }

    /// The lesson is not visible any more, or its network is replaced: a step that runs ends, and the pace is that from before.
    pub(in crate::studio) fn leave_lesson(self) {
        let leave = |course: &mut Option<Course>| {
            let followed = course.as_ref().is_some_and(Course::is_followed);
            course.iter_mut().for_each(Course::leave);
            followed
        };
        if self.lessons.course.try_update(leave) == Some(true) && self.is_playing() {
            self.send(Command::Pause);
        }
        if let Some(borrowed) = self.lessons.borrowed.try_update(Option::take).flatten() {
            self.set_pace(borrowed.give_back(self.pace()));
        }
    }

    fn take_pace(self) {
        let wanted = self.lessons.course.with_untracked(|course| course.as_ref().map(|of| Pace::of(&of.lesson, of.at)));
        let Some(wanted) = wanted else { return };
        let earlier = self.lessons.borrowed.get_untracked();
        // Within a step, what the user has chosen stays.
        if earlier.is_none_or(|earlier| earlier.set() != wanted) {
            self.lessons.borrowed.set(Some(Borrowed::take(earlier, self.pace(), wanted)));
            self.set_pace(wanted);
        }
    }

    /// The next step of a lesson that is followed has begun, with its own pace.
    fn keep_pace(self) {
        if self.lessons.borrowed.with_untracked(Option::is_some) {
            self.take_pace();
        }
    }

    fn pace(self) -> Pace {
        Pace { speed: self.speed.get_untracked(), window_ms: self.window_ms.get_untracked() }
    }

    fn set_pace(self, pace: Pace) {
        if pace.speed != self.speed.get_untracked() {
            self.set_speed(pace.speed);
        }
        if pace.window_ms != self.window_ms.get_untracked() {
            self.show_window(pace.window_ms);
        }
    }
}
