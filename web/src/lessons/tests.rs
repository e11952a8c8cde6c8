use std::{collections::BTreeMap, ops::Range, sync::Arc};

use indexmap::IndexMap;
use spikelet::{Cpu, Estimate, Simulation};
use spikelet_lang::{library, quantity::constant, syntax::parse_unit};
use spikelet_network::Network;

use super::{
    course::{Course, Found, Orders, Outcome, Reading, Scene},
    thumbnail::Thumbnail,
    *,
};

const LESSONS: &str = include_str!("../../lessons/lessons.json");
const PICTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/lessons/pictures.json");

/// The most work of a lesson, as neurons × ms, that is not only done with `SPIKELET_FULL`.
const QUICK: f64 = 8e6;

/// What answers the question of each chapter.
const ANSWERS: [(&str, &[(&str, &str)]); 5] = [
    ("What a spike is", &[("cell.I", "155 pA")]),
    ("The knobs of a cell", &[("cells.tau", "60 ms")]),
    ("Cells in contact", &[("C.I", "160 pA")]),
    ("Balance", &[("IE.wi", "-13 mV")]),
    ("Learning", &[("early.A_plus", "0.1")]),
];

fn lessons() -> Library {
    Library::read(LESSONS).unwrap()
}

impl Lesson {
    fn network_at(&self, scale: f64) -> Network {
        match self.network_text() {
            Some(text) => Network::from_json(&text).unwrap(),
            None => catalogue::network(&self.name, scale).unwrap(),
        }
    }

    /// The biological time that its figures and steps take, times the number of neurons: a measure of the work.
    fn work(&self) -> f64 {
        let figures = self.all_figures().into_iter().map(|figure| figure.span_ms[1]).fold(0.0, f64::max);
        let steps = self.steps.iter().map(|step| match &step.until {
            Goal::RunMs(ms) => *ms,
            Goal::Parameter { .. } => 0.0,
            Goal::Measure { over_ms, span_ms, .. } => span_ms.map_or(*over_ms, |[_, end]| end),
        });
        (figures + steps.sum::<f64>()) * self.network_at(self.scale).neurons() as f64
    }
}

/// A network with its lesson, as the page runs them.
struct Lab {
    simulation: Simulation,
    course: Course,
    /// Parameters set so far, in the units of their sliders.
    set: BTreeMap<String, f64>,
}

impl Lab {
    fn open(lesson: &Lesson) -> Lab {
        let network = lesson.network_at(lesson.scale);
        let simulation = pollster::block_on(Simulation::new(&network, Box::new(Cpu::new(2)))).unwrap();
        let plan = simulation.plan();
        let populations = plan.populations.iter().map(|of| (of.name.clone(), of.first..of.first + of.size)).collect();
        let scene = Scene { dt_ms: plan.dt_ms, populations, as_published: lesson.network.is_none() };
        Lab { course: Course::new(Arc::new(lesson.clone()), scene, 0), simulation, set: BTreeMap::new() }
    }

    /// Runs the current step, as its button does (`for_me`), or as Play does.
    fn start(&mut self, for_me: bool) {
        let Orders { set, reset } = self.course.run(for_me);
        for (path, text) in &set {
            self.set(path, text);
        }
        if reset {
            pollster::block_on(self.simulation.restart()).unwrap();
            self.course.moved(0, self.set.is_empty());
        }
    }

    fn set(&mut self, path: &str, text: &str) {
        pollster::block_on(self.simulation.set(path, text)).unwrap_or_else(|error| panic!("{path} = {text}: {error}"));
        self.set.insert(path.into(), shown(self.simulation.network(), path, text));
        self.course.changed(path, false);
        let set = &self.set;
        self.course.look(|path| set.get(path).copied());
    }

    fn run(&mut self, ms: f64) {
        let steps = (ms / self.simulation.plan().dt_ms).round() as u32;
        let first = self.simulation.step();
        let activity = pollster::block_on(self.simulation.advance(steps)).unwrap();
        self.course.take(first, steps, activity.spikes.iter().map(|spike| (spike.neuron, spike.step)));
        for measured in &activity.statistics {
            let label = self.simulation.plan().statistics[measured.statistic].label.clone();
            let projection = label.split('.').next().unwrap_or_default();
            self.course.take_weights(projection, measured.step, [measured.distribution.mean, measured.distribution.sd]);
        }
    }

    /// Does what the current step says, and answers its question.
    fn follow(&mut self) {
        let place = self.course.at;
        let name = self.course.lesson.name.clone();
        self.start(true);
        if self.course.lesson.steps[place].role == Role::Question {
            let (_, answer) = ANSWERS.iter().find(|(of, _)| *of == name).unwrap();
            answer.iter().for_each(|(path, text)| self.set(path, text));
            self.start(false);
        }
        self.run_step(place);
        assert!(self.course.at > place, "{name}, step {}: {:?}", place + 1, self.course.readings.last());
    }

    /// Runs until a step is done, or for a few times as long as it should take.
    fn run_step(&mut self, place: usize) {
        let limit = match &self.course.lesson.steps[place].until {
            Goal::RunMs(ms) => *ms,
            Goal::Parameter { .. } => 0.0,
            Goal::Measure { over_ms, settle_ms, span_ms, .. } => span_ms.map_or(settle_ms + 4.0 * over_ms, |[_, end]| end),
        };
        let batch = (limit / 20.0).max(1.0).round();
        let mut ran = 0.0;
        while self.course.at == place && ran < limit + batch {
            self.run(batch);
            ran += batch;
        }
    }
}

/// The value of a parameter in the unit of its slider.
fn shown(network: &Network, path: &str, text: &str) -> f64 {
    let (object, name) = path.split_once('.').unwrap();
    let populations = network.populations.iter().map(|of| (&of.name, &of.model));
    let model = populations.chain(network.projections.iter().map(|of| (&of.name, &of.model))).find(|(of, _)| *of == object);
    let model = model.and_then(|(_, model)| library(model.as_deref()?).ok());
    let factor = model.and_then(|model| Some(parse_unit(model.parameters.get(name)?.unit()).ok()?.factor)).unwrap_or(1.0);
    constant(name, text).unwrap().0 / factor
}

#[test]
fn every_network_of_the_catalogue_has_a_lesson() {
    let lessons = lessons();
    for entry in catalogue::entries() {
        let lesson = lessons.of(entry.name).unwrap_or_else(|| panic!("{} has no lesson", entry.name));
        assert!(lesson.network.is_none() && lesson.steps.len() == 3, "{}", entry.name);
        assert_eq!(lesson.steps.iter().map(|step| step.role).collect::<Vec<_>>(), [Role::Watch, Role::Change, Role::Expect]);
        assert!(!lesson.all_figures().is_empty(), "{} has no figure", entry.name);
    }
    assert_eq!(lessons.lessons.len(), catalogue::entries().len() + 5);
    assert_eq!(lessons.chapters().count(), 5);
    for lesson in &lessons.lessons {
        assert_eq!(lessons.lessons.iter().filter(|other| other.name == lesson.name).count(), 1, "{}", lesson.name);
        assert!(!lesson.tags.is_empty() && lesson.line.len() <= 100, "{}: {}", lesson.name, lesson.line);
        if lesson.network.is_some() {
            assert_eq!(lesson.network_at(1.0).name, lesson.name, "the open network leads to its lesson");
            assert_eq!(lesson.steps.last().unwrap().role, Role::Question);
        }
    }
}

/// Each lesson does what it says: steps are done by following them, in the page's own measures.
#[test]
fn lessons_do_what_they_say() {
    let full = std::env::var_os("SPIKELET_FULL").is_some();
    for lesson in &lessons().lessons {
        if lesson.work() > QUICK && !full {
            println!("{}: only in --full", lesson.name);
            continue;
        }
        let mut lab = Lab::open(lesson);
        while !lab.course.is_done() {
            lab.follow();
        }
        println!("{}: {:?}", lesson.name, lab.course.readings);
    }
}

/// Values that are set at once, one group after the other.
type WrongAnswer = &'static [&'static [(&'static str, &'static str)]];

/// Wrong answers to the question of each chapter: sets of values, set one after the other.
const WRONG: [(&str, [WrongAnswer; 5]); 5] = [
    (
        "What a spike is",
        [
            // Silent, after it has fired at the values on the way.
            &[&[("cell.I", "130 pA")]],
            &[&[("cell.I", "170 pA")], &[("cell.I", "155 pA")], &[("cell.I", "149 pA")]],
            &[&[("cell.I", "0 pA")]],
            // Too fast.
            &[&[("cell.I", "200 pA")]],
            &[&[("cell.I", "1000 pA")]],
        ],
    ),
    (
        "The knobs of a cell",
        [
            &[&[("cells.R", "50 Mohm")]],
            &[&[("cells.R", "70 Mohm")]],
            &[&[("cells.Vt", "-40 mV")]],
            &[&[("cells.tau", "5 ms")]],
            &[&[]],
        ],
    ),
    (
        "Cells in contact",
        [
            &[&[("C.I", "300 pA")]],
            &[&[("C.I", "0 pA")]],
            // Less often, and so does A.
            &[&[("C.I", "0 pA"), ("A.I", "155 pA")]],
            &[&[("A.I", "0 pA")]],
            &[&[("inhibit.w", "0 mV")]],
        ],
    ),
    (
        "Balance",
        [
            &[&[]],
            &[&[("IE.wi", "-9 mV")]],
            &[&[("IE.wi", "0 mV")]],
            &[&[("E.El", "-60 mV")]],
            &[&[("IE.wi", "-13 mV"), ("E.El", "-60 mV")]],
        ],
    ),
    (
        "Learning",
        [
            &[&[]],
            &[&[("early.A_plus", "0")]],
            &[&[("early.A_plus", "0.005")]],
            &[&[("early.A_minus", "0")]],
            &[&[("late.A_plus", "0.1")]],
        ],
    ),
];

#[test]
fn wrong_answers_are_not_ticked() {
    let lessons = lessons();
    assert_eq!(WRONG.map(|(name, _)| name), ANSWERS.map(|(name, _)| name));
    for (name, answers) in WRONG {
        let lesson = lessons.of(name).unwrap();
        for answer in answers {
            let mut lab = Lab::open(lesson);
            let question = lesson.steps.len() - 1;
            while lab.course.at < question {
                lab.follow();
            }
            lab.start(true);
            // From one value to the next as a hand on the slider, and then until it is measured.
            for values in answer {
                values.iter().for_each(|(path, text)| lab.set(path, text));
                lab.start(false);
                lab.run(60.0);
            }
            lab.run_step(question);
            println!("{name}: {answer:?}: {:?}", lab.course.readings.last());
            assert_eq!(lab.course.at, question, "{name}: {answer:?} is ticked");
        }
    }
}

/// Each step ends within a time in which a learner looks, and none is over before it is seen.
#[test]
fn every_step_runs_at_a_speed_at_which_it_is_seen() {
    for lesson in &lessons().lessons {
        for (place, step) in lesson.steps.iter().enumerate() {
            let ms = match &step.until {
                Goal::RunMs(ms) => *ms,
                Goal::Parameter { .. } => continue,
                Goal::Measure { over_ms, settle_ms, span_ms, .. } => span_ms.map_or(settle_ms + over_ms, |[_, end]| end),
            };
            let seconds = ms / pace::Pace::of(lesson, place).speed / 1000.0;
            assert!((0.4..=12.0).contains(&seconds), "{}, step {}: {seconds} s", lesson.name, place + 1);
            assert!(lesson.window_ms > 0.0, "{}", lesson.name);
        }
    }
}

#[test]
fn published_figures_hold() {
    let full = std::env::var_os("SPIKELET_FULL").is_some();
    for lesson in lessons().lessons.iter().filter(|lesson| lesson.network.is_none()) {
        if lesson.work() > QUICK && !full {
            println!("{}: only in --full", lesson.name);
            continue;
        }
        let mut lab = Lab::open(lesson);
        let end = lesson.all_figures().into_iter().map(|figure| figure.span_ms[1]).fold(0.0, f64::max);
        for _ in 0..10 {
            lab.run((end / 10.0).ceil());
        }
        for (figure, found) in &lab.course.figures {
            println!(
                "{}: {:?} of {}: {found:?}, expected {} ± {}",
                lesson.name, figure.measure.quantity, figure.measure.of, figure.expected, figure.within
            );
            assert!(matches!(found, Found::Measured { holds: true, .. }), "{}: {figure:?}: {found:?}", lesson.name);
        }
    }
}

/// The picture of a network, from a new run.
fn picture(lesson: &Lesson) -> Thumbnail {
    let Picture { from_ms, to_ms, scale, set, of, sheet } = &lesson.picture;
    let mut network = lesson.network_at(*scale);
    set.iter().for_each(|(path, value)| network.set(path, value).unwrap());
    let mut simulation = pollster::block_on(Simulation::new(&network, Box::new(Cpu::new(2)))).unwrap();
    let dt_ms = simulation.plan().dt_ms;
    let populations: Vec<(String, Range<u32>)> =
        simulation.plan().populations.iter().map(|of| (of.name.clone(), of.first..of.first + of.size)).collect();
    let is_shown = |name: &str| match of {
        Some(of) => of.iter().any(|of| of == name),
        None => network.populations.iter().any(|population| population.name == name),
    };
    let populations: Vec<_> = populations.into_iter().filter(|(name, _)| is_shown(name)).collect();
    let activity = pollster::block_on(simulation.advance((to_ms / dt_ms).round() as u32)).unwrap();
    let spikes: Vec<(u32, f64)> = activity.spikes.iter().map(|spike| (spike.neuron, f64::from(spike.step) * dt_ms)).collect();
    let picture = match sheet {
        Some(width) => Thumbnail::sheet(&populations[0], *width, [*from_ms, *to_ms], &spikes),
        None => Thumbnail::raster(&populations, [*from_ms, *to_ms], &spikes),
    };
    Thumbnail { synapses: synapses(lesson), ..picture }
}

/// The expected number of synapses at the published size.
fn synapses(lesson: &Lesson) -> f64 {
    Estimate::of(&lesson.network_at(1.0)).unwrap().synapses()
}

/// `UPDATE_EXPECT=1` writes the pictures anew.
#[test]
fn pictures_show_what_the_networks_do() {
    let lessons = lessons();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let pictures: IndexMap<&str, Thumbnail> =
            lessons.lessons.iter().map(|lesson| (lesson.name.as_str(), picture(lesson))).collect();
        let lines: Vec<String> =
            pictures.iter().map(|(name, of)| format!("{name:?}: {}", serde_json::to_string(of).unwrap())).collect();
        std::fs::write(PICTURES, format!("{{\n{}\n}}\n", lines.join(",\n"))).unwrap();
    }
    let pictures: IndexMap<String, Thumbnail> = serde_json::from_str(&std::fs::read_to_string(PICTURES).unwrap()).unwrap();
    assert_eq!(pictures.keys().collect::<Vec<_>>(), lessons.lessons.iter().map(|lesson| &lesson.name).collect::<Vec<_>>());
    for name in ["What a spike is", "Balance", "cuba", "ping", "waves", "assemblies_parser"] {
        let lesson = lessons.of(name).unwrap();
        assert!(pictures[name] == picture(lesson), "the picture of {name} is old: UPDATE_EXPECT=1 writes a new one");
    }
    for (name, picture) in &pictures {
        assert!(picture.paths().iter().any(|(_, path)| path.len() > 40), "{name} is empty");
        let expected = synapses(lessons.of(name).unwrap());
        assert!(picture.synapses == expected, "{name} has {expected} synapses: UPDATE_EXPECT=1 writes a new picture");
    }
}

/// A lesson about two cells, of which the second fires in each step from 100 on.
fn course(steps: &str) -> Course {
    let figure =
        r#"{"measure": {"quantity": "rate", "of": "b"}, "span_ms": [10, 20], "expected": 1000, "within": 1, "source": "x"}"#;
    let lesson = format!(
        r#"{{"name": "x", "line": "", "tags": [], "steps": [{steps}], "speed": 1, "window_ms": 100, "figures": [{figure}], "picture": {{"from_ms": 0, "to_ms": 1}}}}"#
    );
    let scene = Scene { dt_ms: 1.0, populations: vec![("a".into(), 0..1), ("b".into(), 1..2)], as_published: true };
    Course::new(Arc::new(serde_json::from_str(&lesson).unwrap()), scene, 0)
}

const WATCH: &str = r#"{"role": "watch", "text": "", "until": {"run_ms": 20}}"#;
const CHANGE: &str = r#"{"role": "change", "text": "", "until": {"parameter": {"path": "b.I", "range": [5, 6]}}}"#;
const EXPECT: &str = r#"{"role": "expect", "text": "", "until": {"measure": {"checks": [{"measure": {"quantity": "spikes", "of": "b"}, "range": [8, null]}], "over_ms": 10, "settle_ms": 5}}}"#;
const FROM_START: &str = r#"{"role": "expect", "text": "", "do": {"reset": true}, "until": {"measure": {"checks": [{"measure": {"quantity": "spikes", "of": "b"}, "range": [8, null]}], "span_ms": [10, 20]}}}"#;

fn every_step(steps: Range<u32>) -> impl Iterator<Item = (u32, u32)> {
    steps.map(|step| (1, step))
}

#[test]
fn steps_tick_in_their_order_when_they_are_true() {
    let mut course = course(&[WATCH, CHANGE, EXPECT].join(","));
    course.run(false);
    assert!(!course.look(|_| Some(5.5)), "it is not its turn");
    course.take(0, 19, every_step(0..19));
    assert_eq!(course.at, 0);
    assert_eq!(course.take(19, 1, every_step(19..20)), Outcome::Ended);
    assert_eq!(course.at, 1);
    assert!(!course.look(|_| Some(5.5)), "nobody has set it");
    course.changed("b.I", false);
    assert!(!course.look(|_| Some(4.0)) && !course.look(|_| None));
    assert!(course.look(|path| (path == "b.I").then_some(5.5)) && course.at == 2);
    // What is left of the time before the change counts as little as the time in which the network settles.
    assert_eq!(course.take(20, 5, every_step(20..25)), Outcome::Same);
    // Silent at first: measured, and measured again.
    assert_eq!(course.take(25, 10, std::iter::empty()), Outcome::Changed);
    assert_eq!((course.at, course.readings.last()), (2, Some(&Reading::Values(vec![Some(0.0)]))));
    course.take(35, 5, every_step(35..40));
    assert!(!course.is_done(), "the span has not ended");
    assert_eq!(course.take(40, 5, every_step(40..45)), Outcome::Ended);
    assert!(course.is_done());
    assert_eq!(course.readings[2], Reading::Values(vec![Some(10.0)]));
    course.start_again();
    assert_eq!(course.at, 0);
}

#[test]
fn what_runs_by_itself_does_no_step() {
    let mut course = course(&[WATCH, EXPECT].join(","));
    assert_eq!(course.take(0, 100, every_step(0..100)), Outcome::Changed, "only the figure");
    assert_eq!(course.at, 0);
    course.run(false);
    assert_eq!(course.take(100, 19, every_step(100..119)), Outcome::Same, "time from before does not count");
    assert_eq!(course.take(119, 1, every_step(119..120)), Outcome::Ended);
    // Another pane: the rest is not done behind the learner's back.
    course.leave();
    assert_eq!(course.take(120, 50, every_step(120..170)), Outcome::Same);
    assert_eq!(course.at, 1);
}

#[test]
fn a_change_begins_the_measure_again() {
    let mut course = course(EXPECT);
    course.run(false);
    course.take(0, 14, every_step(0..14));
    course.changed("b.I", false);
    course.take(14, 10, every_step(14..24));
    assert!(!course.is_done(), "5 to 15 was not free of a change, and 19 to 29 is not over");
    assert_eq!(course.take(24, 5, every_step(24..29)), Outcome::Ended);
}

#[test]
fn a_span_from_the_start_is_measured_in_a_run_without_a_change() {
    let mut course = course(FROM_START);
    assert_eq!(course.run(false), Orders::default(), "it is at its start");
    course.take(0, 12, every_step(0..12));
    course.changed("b.I", false);
    assert_eq!(course.readings, [Reading::Changed]);
    course.take(12, 20, every_step(12..32));
    assert!(!course.is_done());
    assert!(course.run(false).reset, "Play begins again");
    course.moved(0, false);
    assert_eq!(course.take(0, 20, std::iter::empty()), Outcome::Ended, "wrong, and its span is over");
    assert!(!course.is_done() && course.run(false).reset);
    course.moved(0, false);
    assert!(!course.run(false).reset, "it was paused: Play continues it");
    assert_eq!(course.take(0, 20, every_step(0..20)), Outcome::Ended);
    assert!(course.is_done());
}

#[test]
fn a_figure_is_only_measured_where_it_holds() {
    let waiting = course(WATCH);
    let found = |course: &Course| course.figures[0].1.clone();
    let mut run = waiting.clone();
    run.take(0, 15, every_step(0..15));
    assert_eq!(found(&run), Found::Waiting);
    run.take(15, 10, every_step(15..25));
    assert_eq!(found(&run), Found::Measured { value: 1000.0, holds: true });
    run.moved(0, true);
    run.take(0, 20, std::iter::empty());
    assert_eq!(found(&run), Found::Measured { value: 0.0, holds: false });
    // A value that was changed, spikes that are missing, a network that differs.
    let mut changed = waiting.clone();
    changed.take(0, 5, std::iter::empty());
    changed.changed("b.I", false);
    changed.take(5, 20, every_step(5..25));
    assert!(matches!(found(&changed), Found::Not(_)));
    let mut late = waiting.clone();
    late.take(12, 20, every_step(12..32));
    assert!(matches!(found(&late), Found::Not(_)));
    let mut other = waiting;
    other.moved(0, false);
    other.take(0, 30, every_step(0..30));
    assert!(matches!(found(&other), Found::Not(_)));
}

#[test]
fn a_damaged_file_is_named() {
    assert!(Library::read("{\"lessons\": [{}]}").unwrap_err().starts_with("lessons.json: missing field"));
}
