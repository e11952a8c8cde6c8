use spikelet_js::protocol::{BackendSummary, BuildSeconds, Opened, PopulationSummary, Summary};

use super::*;

fn parameter(path: &str, unit: &str, value: f64) -> Parameter {
    Parameter { path: path.into(), symbol: path.into(), about: String::new(), unit: unit.into(), value, min: 0.0, max: 100.0 }
}

fn opened(id: u32) -> Event {
    let parameters = vec![parameter("E.taum", "ms", 20.0), parameter("E.a", "", 0.02)];
    let backend =
        BackendSummary { kind: "cpu".into(), name: "CPU".into(), threads: 1, reason: "asked for".into(), facts: Vec::new() };
    Event::Opened(Box::new(Opened {
        id,
        network: Summary {
            name: "one".into(),
            description: String::new(),
            populations: vec![PopulationSummary { name: "E".into(), size: 1, first: 0, parameters }],
            projections: Vec::new(),
        },
        neurons: 1,
        synapses: 0,
        dt_ms: 0.1,
        seed: 1,
        backend,
        build: BuildSeconds::default(),
        buffers: Vec::new(),
        channels: Vec::new(),
        statistics: Vec::new(),
        has_weights: true,
    }))
}

fn state(id: u32, playing: bool, reset: bool) -> Event {
    Event::State { id, playing, time_ms: 0.0, reset, stopped: None }
}

fn changed(value: f64) -> Event {
    Event::Changed { id: 1, path: "E.taum".into(), value, step: 5, scheduled: false }
}

fn failed(id: Option<u32>, path: Option<&str>, fatal: bool) -> Event {
    Event::Failed { id, message: "that does not do".into(), path: path.map(str::to_owned), fatal }
}

fn set(value: &str) -> Command {
    Command::Set { id: 1, path: "E.taum".into(), value: value.into() }
}

/// A session with one network open, paused.
fn session() -> Session {
    let mut session = Session::default();
    assert_eq!(session.open(Wish::first()).id(), 1);
    assert!(session.is_opening() && session.toggle().is_none() && session.reset().is_none());
    assert_eq!(session.hear(&opened(1)), []);
    assert!(!session.is_opening());
    session
}

fn taum(session: &Session) -> Option<f64> {
    session.current.as_ref()?.shown("E.taum")
}

#[test]
fn play_and_pause_follow_the_engine() {
    let mut session = session();
    assert_eq!(session.toggle(), Some(Command::Play { id: 1 }));
    assert_eq!(session.toggle(), Some(Command::Play { id: 1 }), "nothing runs before the engine says so");
    session.hear(&state(1, true, false));
    assert_eq!(session.toggle(), Some(Command::Pause { id: 1 }));
    session.hear(&state(1, false, false));
    assert!(session.current.as_ref().is_some_and(|current| current.begun));
    assert_eq!(session.reset(), Some(Command::Reset { id: 1 }));
    session.hear(&state(1, false, true));
    assert!(session.current.as_ref().is_some_and(|current| !current.begun && !current.playing));
    session.hear(&state(7, true, false));
    assert!(session.current.as_ref().is_some_and(|current| !current.playing), "another network's state");
}

#[test]
fn a_network_that_does_not_open_leaves_the_one_that_runs() {
    let mut session = session();
    session.hear(&state(1, true, false));
    let own = Wish { source: Source::Json { text: "{".into() }, ..Wish::first() };
    assert_eq!(session.open(own.clone()).id(), 2);
    assert_eq!(session.wish(), Some(&own));
    session.hear(&failed(Some(2), None, false));
    assert_eq!(session.error.as_deref(), Some("that does not do"));
    assert_eq!(session.wish(), Some(&Wish::first()));
    assert!(session.is_current(1) && !session.is_opening());
    assert!(session.current.as_ref().is_some_and(|current| current.playing));
    session.open(Wish::first());
    assert_eq!(session.error, None, "a new attempt clears the last error");
}

#[test]
fn a_network_that_is_to_run_runs_when_it_is_there() {
    let mut session = session();
    let edited = Wish { changes: vec![("E.taum".into(), "15 ms".into())], ..Wish::first() };
    assert_eq!(session.open_and_play(edited).id(), 2);
    let set = Command::Set { id: 2, path: "E.taum".into(), value: "15 ms".into() };
    assert_eq!(session.hear(&opened(2)), [set, Command::Play { id: 2 }]);
    session.open_and_play(Wish::first());
    session.open(Wish::first());
    assert_eq!(session.hear(&opened(4)), [], "another one was asked for since then");
}

#[test]
fn what_the_engine_opened_last_is_current_even_when_overtaken() {
    let mut session = session();
    session.open(Wish { seed: Some(2), ..Wish::first() });
    session.open(Wish { seed: Some(3), ..Wish::first() });
    session.hear(&opened(2));
    assert!(session.is_current(2) && session.is_opening());
    session.hear(&failed(Some(3), None, false));
    assert!(session.is_current(2) && !session.is_opening());
    assert_eq!(session.wish().and_then(|wish| wish.seed), Some(2));
}

#[test]
fn a_dragged_slider_sends_one_change_at_a_time() {
    let mut session = session();
    assert_eq!(session.set("E.taum", 21.0), Some(set("21 ms")));
    assert_eq!(session.set("E.taum", 22.0), None);
    assert_eq!(session.set("E.taum", 23.5), None);
    assert_eq!(taum(&session), Some(23.5));
    assert_eq!(session.hear(&changed(21.0)), [set("23.5 ms")]);
    assert_eq!(taum(&session), Some(23.5), "the slider does not jump back");
    assert_eq!(session.hear(&changed(23.5)), []);
    assert_eq!(session.set("E.a", -0.03).map(|command| format!("{command:?}").contains("\"-0.03\"")), Some(true));
}

#[test]
fn a_refused_change_returns_the_slider() {
    let mut session = session();
    session.set("E.taum", 0.0);
    assert_eq!(taum(&session), Some(0.0));
    session.hear(&failed(Some(1), Some("E.taum"), false));
    assert_eq!(taum(&session), Some(20.0));
    assert!(session.error.is_some() && session.is_current(1));
    assert_eq!(session.set("E.taum", 9.0), Some(set("9 ms")), "and it can be moved again");
}

#[test]
fn changes_are_kept_for_the_next_visit() {
    let mut session = session();
    session.hear(&changed(15.0));
    let wish = session.current.as_ref().map(Current::wish_now).unwrap();
    assert_eq!(wish.changes, [("E.taum".to_owned(), "15 ms".to_owned())]);
    session.open(wish);
    assert_eq!(session.hear(&opened(2)), [Command::Set { id: 2, path: "E.taum".into(), value: "15 ms".into() }]);
    assert_eq!(session.current.as_ref().and_then(|current| current.default_of("E.taum")), Some(20.0));
}

#[test]
fn a_network_built_anew_keeps_how_it_was_asked_for() {
    let mut session = session();
    session.hear(&changed(15.0));
    session.hear(&state(1, true, false));
    session.hear(&failed(Some(1), None, false));
    session.hear(&opened(1));
    let current = session.current.as_ref().unwrap();
    assert!(!current.playing && !current.begun && session.error.is_none());
    assert_eq!((&current.wish, current.default_of("E.taum")), (&Wish::first(), Some(20.0)));
    session.hear(&opened(9));
    assert!(session.is_current(1), "nobody asked for that one");
}

#[test]
fn a_dead_engine_is_said_once() {
    let mut session = session();
    session.hear(&state(1, true, false));
    session.open(Wish::first());
    session.hear(&Event::Failed { id: None, message: "the cause".into(), path: None, fatal: true });
    session.hear(&failed(None, None, true));
    assert_eq!(session.error.as_deref(), Some("the cause"));
    assert!(session.stopped && !session.is_opening());
    assert!(session.current.as_ref().is_some_and(|current| !current.playing));
}

#[test]
fn a_run_that_ended_by_itself_says_why_until_it_is_reset() {
    let mut session = session();
    let stopped = Some("rate(E, 50 ms) > 100 Hz".to_owned());
    session.hear(&state(1, true, false));
    session.hear(&Event::State { id: 1, playing: false, time_ms: 312.40000000000003, reset: false, stopped });
    let why = |session: &Session| session.current.as_ref().and_then(|current| current.stopped.clone());
    assert_eq!(why(&session).as_deref(), Some("stopped: rate(E, 50 ms) > 100 Hz at 312.4\u{a0}ms"));
    session.hear(&state(1, false, true));
    assert_eq!(why(&session), None);
}

#[test]
fn what_the_network_changes_by_itself_is_not_part_of_its_address() {
    let mut session = session();
    let by_itself = |value, step| Event::Changed { id: 1, path: "E.taum".into(), value, step, scheduled: true };
    session.hear(&changed(15.0));
    session.hear(&by_itself(30.0, 100));
    session.hear(&by_itself(40.0, 200));
    assert_eq!(taum(&session), Some(40.0));
    let changes = |session: &Session| session.current.as_ref().map(Current::changes).unwrap_or_default();
    assert_eq!(changes(&session), [("E.taum".to_owned(), "15 ms".to_owned())]);
    // A reset brings the value back.
    session.hear(&by_itself(15.0, 0));
    assert_eq!((taum(&session), changes(&session).len()), (Some(15.0), 1));
    // What is set afterwards counts again.
    session.hear(&by_itself(30.0, 100));
    session.hear(&changed(20.0));
    assert_eq!(changes(&session), []);
}

#[test]
fn a_build_that_is_given_up_leaves_the_network_that_runs() {
    let mut session = session();
    session.hear(&state(1, true, false));
    assert_eq!(session.cancel(), None, "nothing is being built");
    session.open_and_play(Wish { seed: Some(2), ..Wish::first() });
    let building = |id, done| Event::Building { id, stage: "drawing synapses".into(), done, synapses: 7 };
    session.hear(&building(1, 0.9));
    assert_eq!(session.progress, None, "that one was asked for before");
    session.hear(&building(2, 0.5));
    assert_eq!(session.progress, Some(Progress { stage: "drawing synapses".into(), done: 0.5, synapses: 7 }));
    assert_eq!(session.cancel(), Some(Command::Cancel { id: 2 }));
    assert!(session.is_opening(), "until the engine says so");
    session.hear(&Event::Cancelled { id: 2 });
    assert!(session.is_current(1) && !session.is_opening() && session.error.is_none() && session.progress.is_none());
    assert!(session.current.as_ref().is_some_and(|current| current.playing));
    session.open(Wish::first());
    session.hear(&building(3, 0.5));
    session.hear(&opened(3));
    assert_eq!(session.progress, None);
}
