mod answers;

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use indexmap::IndexMap;
use spikelet::{Cpu, Estimate, Simulation};
use spikelet_lang::{library, quantity::constant, syntax::parse_unit};
use spikelet_network::Network;

use answers::{ANSWERS, WRONG};

use super::{
    course::{Course, Found, Orders, Reading, Scene},
    predict::{Guess, How},
    thumbnail::Thumbnail,
    *,
};

const LESSONS: &str = include_str!("../../lessons/lessons.json");
const PICTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/lessons/pictures.json");

/// The most work of a lesson, as neurons × ms, that is not only done with `SPIKELET_FULL`.
const QUICK: f64 = 8e6;

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
        if let Some(prediction) = self.course.awaited() {
            let guess = match &prediction.how {
                How::Choices(_) => Guess::Choice(0),
                How::Draw(axes) => Guess::Curve(vec![0.0; axes.points]),
            };
            self.course.guess(guess);
        }
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

/// Each chapter has a prediction; what is measured is one of the choices, and a curve is that of each neuron.
#[test]
fn predictions_are_decided_by_what_is_measured() {
    for lesson in lessons().chapters() {
        let mut lab = Lab::open(lesson);
        while lab.course.lesson.steps[lab.course.at].role != Role::Question {
            lab.follow();
        }
        let mut predicted = 0;
        for (place, step) in lesson.steps.iter().enumerate() {
            let Some(prediction) = &step.predict else { continue };
            predicted += 1;
            match &prediction.how {
                How::Choices(choices) => {
                    let Reading::Values(values) = &lab.course.readings[place] else { panic!("{}: no measure", lesson.name) };
                    let value = values[0].unwrap();
                    let found = choices.iter().filter(|choice| choice.holds(value)).count();
                    println!("{}: {value} is one of {choices:?}", lesson.name);
                    assert!(found == 1 && choices.len() == 3, "{}: {value} is {found} of {choices:?}", lesson.name);
                }
                How::Draw(axes) => {
                    let rates = lab.course.curve_of(place).unwrap();
                    let size = lesson.network_at(1.0).population(&axes.of).unwrap().size;
                    println!("{}: {rates:?}", lesson.name);
                    assert!(
                        rates.len() == size as usize
                            && rates.iter().all(|rate| *rate <= axes.most)
                            && rates[size as usize - 1] > 0.0
                    );
                }
            }
        }
        assert!(predicted > 0, "{} has no prediction", lesson.name);
    }
}

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

/// Each figure is that of a paper, of another simulator, or says that it rests on this one.
#[test]
fn a_figure_says_on_what_it_rests() {
    for lesson in &lessons().lessons {
        for figure in lesson.all_figures() {
            let others = ["Brian 2", "NEST", "in every step", "the formula"].iter().any(|source| figure.source.contains(source));
            let remark = figure.remark();
            assert!(others || remark.is_some(), "{}: {}", lesson.name, figure.source);
            // A citation has its year.
            let cited = figure
                .published
                .as_ref()
                .is_none_or(|text| text.contains("(") && text.chars().filter(char::is_ascii_digit).count() >= 4);
            assert!(cited && !figure.source.contains("et al."), "{}: {figure:?}", lesson.name);
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

#[test]
fn a_damaged_file_is_named() {
    assert!(Library::read("{\"lessons\": [{}]}").unwrap_err().starts_with("lessons.json: missing field"));
}
