//! The class without accounts: the point of this visitor is opened, run and measured; results are collected.

use std::sync::Arc;

use leptos::prelude::*;

use super::{Studio, arrival::Rerun};
use crate::{
    class::{Answer, Collected, Collection, RESULT, TASK, Task},
    kept,
    lessons::measure::Gauge,
    link,
    package::Spikes,
    session::Command,
};

/// The names under which the browser stores the point of a visitor, the task of a teacher, its results, and which was the last.
fn point_of(id: &str) -> String {
    format!("class-point:{id}")
}

fn task_of(id: &str) -> String {
    format!("class-task:{id}")
}

fn answers_of(id: &str) -> String {
    format!("class-results:{id}")
}

const LAST: &str = "class-last";

/// How far the run of a visitor is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum VisitRun {
    /// It has not begun; with a sentence if one was interrupted.
    Ready(Option<&'static str>),
    /// It runs.
    Runs,
    /// It was measured.
    Done(Answer),
}

/// The part of a class that this visitor has.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Visit {
    pub(crate) task: Task,
    pub(crate) point: u32,
    pub(crate) run: VisitRun,
    gauge: Option<Gauge>,
    /// Spikes so far, and the next step.
    spikes: u64,
    next: u32,
}

/// The state of classes, shared by all views.
#[derive(Clone, Copy)]
pub(crate) struct ClassState {
    /// The part that this visitor has.
    pub(crate) visit: RwSignal<Option<Visit>>,
    /// The task whose results are shown.
    pub(crate) collecting: RwSignal<Option<Arc<Task>>>,
    /// Its results.
    pub(crate) collection: RwSignal<Collection>,
}

impl ClassState {
    pub(super) fn start() -> ClassState {
        let (visit, collecting, collection) = (RwSignal::new(None), RwSignal::new(None), RwSignal::new(Collection::default()));
        ClassState { visit, collecting, collection }
    }
}

impl Studio {
    /// Opens an address of a class; returns whether it is one, or a sentence if it cannot be opened.
    pub(super) fn open_class(self, hash: &str) -> Option<Result<(), String>> {
        if let Some(link) = hash.strip_prefix(TASK) {
            return Some(Task::from_link(link).map(|task| {
                let id = task.id();
                let stored = kept::read(&point_of(&id)).and_then(|point| point.parse().ok()).filter(|point| *point < task.points);
                let point = stored.unwrap_or_else(|| (js_sys::Math::random() * f64::from(task.points)) as u32);
                self.visit_point(task, point);
            }));
        }
        let link = hash.strip_prefix(RESULT)?;
        Some(Answer::from_link(link).and_then(|answer| {
            let task = kept::read(&task_of(&answer.task)).and_then(|link| Task::from_link(&link).ok());
            let task = task.ok_or("This is the result of a class that this browser does not collect: send it to the teacher.")?;
            self.collect(task);
            self.add_results(&answer.to_link());
            Ok(())
        }))
    }

    /// Opens a point of a task.
    pub(crate) fn visit_point(self, task: Task, point: u32) {
        // If it is not stored, a reload can get another one.
        kept::write(&point_of(&task.id()), Some(&point.to_string())).ok();
        let shared = task.shared(point);
        let visit = Visit { task, point, run: VisitRun::Ready(None), gauge: None, spikes: 0, next: 0 };
        self.lessons.plays_softly.set(false);
        self.class.visit.set(Some(visit));
        self.open_shared(shared, Rerun::AtOnce, None);
    }

    /// Whether the network of a class is open, or being opened, whose address stays.
    pub(super) fn is_visiting(self) -> bool {
        self.class.visit.with_untracked(Option::is_some)
    }

    /// Another network is being opened: a visit is over if it is not its own.
    pub(super) fn leave_class(self) {
        let own = self.class.visit.with_untracked(|visit| visit.as_ref().map(|visit| visit.task.shared(visit.point)));
        let Some(own) = own else { return };
        let is_own = self.session.with_untracked(|session| {
            session.requested().is_some_and(|request| {
                let source = own.open_request(request.backend).source;
                link::name_of(&source) == link::name_of(&request.source) && request.seed == own.seed
            })
        });
        if !is_own {
            self.class.visit.set(None);
        }
    }

    /// The visitor runs the part from the start. If a slider was moved, the part is opened once more instead.
    pub(crate) fn run_visit(self) {
        let Some((task, point)) = self.class.visit.with_untracked(|visit| visit.as_ref().map(|of| (of.task.clone(), of.point)))
        else {
            return;
        };
        if !self.has_values(&task.shared(point).final_values()) {
            self.visit_point(task, point);
            return self.end_visit_run(VisitRun::Ready(Some(
                "The values were not those of your part: it was opened again. Now run it.",
            )));
        }
        self.end_visit_run(VisitRun::Runs);
        self.set_speed(f64::INFINITY);
        self.send(Command::Reset { run: true });
    }

    /// Spikes of the latest steps.
    pub(super) fn class_spikes(self, spikes: &Spikes) {
        let runs = self.class.visit.with_untracked(|visit| visit.as_ref().is_some_and(|visit| visit.run == VisitRun::Runs));
        if !runs {
            return;
        }
        let Some(scene) = self.scene() else { return };
        let (first, steps) = (spikes.first_step(), spikes.steps());
        let events: Vec<(u32, u32)> = spikes.neurons().to_vec().into_iter().zip(spikes.spike_steps().to_vec()).collect();
        let ended = self.class.visit.try_update_untracked(|visit| {
            let visit = visit.as_mut()?;
            let span = visit.task.span_ms.map(|ms| (ms / scene.dt_ms).round() as u32);
            if first == 0 {
                (visit.spikes, visit.next) = (0, 0);
                visit.gauge = Gauge::of(&visit.task.measure, &scene.populations, span[0]..span[1], scene.dt_ms);
                if visit.gauge.is_none() {
                    return Some(VisitRun::Ready(Some("The network lacks the population that the class measures.")));
                }
            }
            let gauge = visit.gauge.as_mut()?;
            if first != visit.next {
                return Some(VisitRun::Ready(Some("The run was interrupted: run it again.")));
            }
            for (neuron, step) in events {
                gauge.add(neuron, step);
                visit.spikes += u64::from(step < span[1]);
            }
            visit.next = first + steps;
            gauge.is_complete(visit.next).then(|| {
                let (task, point, value, spikes) = (visit.task.id(), visit.point, gauge.value(), visit.spikes);
                VisitRun::Done(Answer { task, point, value, spikes })
            })
        });
        if let Some(run) = ended.flatten() {
            self.send(Command::Pause);
            self.end_visit_run(run);
        }
    }

    /// The visitor has set a value: what runs is not the point any more.
    pub(super) fn class_changed(self) {
        let has_begun = self
            .class
            .visit
            .with_untracked(|visit| visit.as_ref().is_some_and(|visit| visit.run == VisitRun::Runs && visit.gauge.is_some()));
        if has_begun {
            self.end_visit_run(VisitRun::Ready(Some("A value was changed: run it again.")));
        }
    }

    fn end_visit_run(self, run: VisitRun) {
        self.class.visit.update(|visit| {
            if let Some(visit) = visit {
                (visit.run, visit.gauge) = (run, None);
            }
        });
    }

    /// The address of a link of a class.
    pub(crate) fn class_address(self, link: &str) -> String {
        let location = window().location();
        let (origin, path) = (location.origin().unwrap_or_default(), location.pathname().unwrap_or_default());
        format!("{origin}{path}{link}")
    }

    /// Shows the results of a task, with those that the browser has stored.
    pub(crate) fn collect(self, task: Task) {
        let id = task.id();
        let mut collection = Collection::default();
        collection.add(&task, &kept::read(&answers_of(&id)).unwrap_or_default());
        // Without storage they are there until the page is left.
        let link = task.to_link();
        kept::write(&task_of(&id), link.strip_prefix(TASK)).ok();
        kept::write(LAST, Some(&id)).ok();
        self.class.collection.set(collection);
        self.class.collecting.set(Some(Arc::new(task)));
    }

    /// The task that was collected last.
    pub(crate) fn last_class(self) -> Option<Task> {
        let link = kept::read(&task_of(&kept::read(LAST)?))?;
        Task::from_link(&link).ok()
    }

    /// Adds the links of a text to the results that are shown.
    pub(crate) fn add_results(self, text: &str) -> Collected {
        let Some(task) = self.class.collecting.get_untracked() else { return Collected::default() };
        let collected = self.class.collection.try_update(|all| all.add(&task, text)).unwrap_or_default();
        let all = self.class.collection.with_untracked(Collection::to_text);
        kept::write(&answers_of(&task.id()), Some(&all)).ok();
        collected
    }
}
