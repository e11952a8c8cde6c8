use spikelet_js::protocol::{BackendKind, BackendSummary, BuildSeconds, Parameter, PopulationSummary, Summary};

use super::*;

fn parameter(path: &str, unit: &str, value: f64) -> Parameter {
    Parameter { path: path.into(), symbol: path.into(), about: String::new(), unit: unit.into(), value, min: 0.0, max: 100.0 }
}

fn opened(id: u32) -> OpenedNetwork {
    let parameters = vec![parameter("E.taum", "ms", 20.0), parameter("E.a", "", 0.02)];
    let backend =
        BackendSummary { kind: BackendKind::Cpu, name: "CPU".into(), threads: 1, reason: "asked for".into(), facts: Vec::new() };
    let population = PopulationSummary {
        name: "E".into(),
        source: false,
        size: 1,
        first: 0,
        dimensions: 0,
        parameters,
        variables: Vec::new(),
    };
    OpenedNetwork {
        id,
        network: Summary {
            name: "one".into(),
            description: String::new(),
            populations: vec![population],
            projections: Vec::new(),
        },
        synapses: 0,
        dt_ms: 0.1,
        backend,
        build: BuildSeconds::default(),
        buffers: Vec::new(),
        channels: Vec::new(),
        statistics: Vec::new(),
        has_weights: true,
    }
}

fn state(running: bool, moved: bool) -> State {
    State { running, time_ms: 0.0, moved, rewound: false, stopped: None }
}

fn changed(value: f64) -> Changed {
    Changed { path: "E.taum".into(), value, step: 5, scheduled: false, text: None }
}

fn error(code: &str) -> Error {
    Error { code: code.into(), message: "that does not do".into(), path: None }
}

fn set(value: &str) -> Command {
    Command::Set { path: "E.taum".into(), value: value.into() }
}

/// A session with one network open, paused.
fn session() -> Session {
    let mut session = Session::default();
    assert_eq!(session.open(OpenRequest::first(), false), 1);
    assert!(session.is_opening() && session.toggle().is_none() && session.reset().is_none());
    assert_eq!(session.opened(opened(1)), []);
    assert!(!session.is_opening());
    session
}

fn taum(session: &Session) -> Option<f64> {
    session.current.as_ref()?.shown("E.taum")
}

fn is_playing(session: &Session) -> bool {
    session.current.as_ref().is_some_and(|current| current.playing)
}

#[test]
fn play_and_pause_follow_the_engine() {
    let mut session = session();
    assert_eq!(session.toggle(), Some(Command::Run));
    assert_eq!(session.toggle(), Some(Command::Pause), "a double click is two requests");
    assert_eq!(session.toggle(), Some(Command::Run));
    assert!(!is_playing(&session), "nothing runs before the engine says so");
    session.state(&state(true, false));
    assert_eq!(session.toggle(), Some(Command::Pause));
    assert_eq!(session.toggle(), Some(Command::Run));
    session.not_done(error("busy"));
    assert_eq!(session.toggle(), Some(Command::Pause), "a request that failed is no request");
    assert_eq!(session.toggle(), Some(Command::Run));
    assert_eq!(session.reset(), Some(Command::Reset { run: true }), "what runs goes on");
    session.state(&state(false, false));
    session.state(&state(true, false));
    session.state(&state(false, false));
    assert!(session.current.as_ref().is_some_and(|current| current.begun));
    assert_eq!(session.reset(), Some(Command::Reset { run: false }));
    session.state(&state(false, true));
    assert!(session.current.as_ref().is_some_and(|current| !current.begun && !current.playing));
}

#[test]
fn a_network_that_does_not_open_leaves_the_one_that_runs() {
    let mut session = session();
    session.state(&state(true, false));
    let own = OpenRequest { source: Source::Json { text: "{".into() }, ..OpenRequest::first() };
    assert_eq!(session.open(own.clone(), false), 2);
    assert_eq!(session.requested(), Some(&own));
    session.not_opened(2, &error("json"));
    assert_eq!(session.error.as_deref(), Some("that does not do"));
    assert_eq!(session.requested(), Some(&OpenRequest::first()));
    assert!(session.is_current(1) && !session.is_opening() && is_playing(&session));
    session.open(OpenRequest::first(), false);
    assert_eq!(session.error, None, "a new attempt clears the last error");
    session.not_opened(3, &error("engine"));
    assert!(session.lost.is_none() && is_playing(&session), "the one that is open has an engine of its own");
}

#[test]
fn a_network_that_is_to_run_runs_when_it_is_there() {
    let mut session = session();
    let edited = OpenRequest { changes: vec![("E.taum".into(), "15 ms".into())], ..OpenRequest::first() };
    assert_eq!(session.open(edited, true), 2);
    assert_eq!(session.opened(opened(2)), [set("15 ms"), Command::Run]);
    session.open(OpenRequest::first(), true);
    session.open(OpenRequest::first(), false);
    assert_eq!(session.opened(opened(4)), [], "another one was asked for since then");
}

#[test]
fn what_was_asked_for_last_wins() {
    let mut session = session();
    session.open(OpenRequest { seed: Some(2), ..OpenRequest::first() }, false);
    session.open(OpenRequest { seed: Some(3), ..OpenRequest::first() }, false);
    assert!(!session.awaits(2) && session.awaits(3));
    session.not_opened(2, &error("argument"));
    assert_eq!(session.error, None, "nobody waits for that one");
    session.opened(opened(3));
    assert!(session.is_current(3) && !session.is_opening());
    assert_eq!(session.requested().and_then(|open_request| open_request.seed), Some(3));
}

#[test]
fn a_dragged_slider_sends_one_change_at_a_time() {
    let mut session = session();
    assert_eq!(session.set("E.taum", 21.0), Some(set("21 ms")));
    assert_eq!(session.set("E.taum", 22.0), None);
    assert_eq!(session.set("E.taum", 23.5), None);
    assert_eq!(taum(&session), Some(23.5));
    session.changed(&changed(21.0));
    assert_eq!(taum(&session), Some(23.5), "the slider does not jump back");
    assert_eq!(session.was_set("E.taum"), Some(set("23.5 ms")));
    session.changed(&changed(23.5));
    assert_eq!(session.was_set("E.taum"), None);
    assert_eq!(taum(&session), Some(23.5));
    assert_eq!(session.set("E.a", -0.03), Some(Command::Set { path: "E.a".into(), value: "-0.03".into() }));
}

#[test]
fn a_refused_change_returns_the_slider() {
    let mut session = session();
    session.set("E.taum", 0.0);
    assert_eq!(taum(&session), Some(0.0));
    session.refused("E.taum", &error("invalid_value"));
    assert_eq!(taum(&session), Some(20.0));
    assert!(session.error.is_some() && session.is_current(1));
    assert_eq!(session.set("E.taum", 9.0), Some(set("9 ms")), "and it can be moved again");
}

#[test]
fn changes_are_kept_for_the_next_visit() {
    let mut session = session();
    session.changed(&changed(15.0));
    let open_request = session.current.as_ref().map(Current::request_now).unwrap();
    assert_eq!(open_request.changes, [("E.taum".to_owned(), "15 ms".to_owned())]);
    session.open(open_request, false);
    assert_eq!(session.opened(opened(2)), [set("15 ms")]);
    assert_eq!(session.current.as_ref().and_then(|current| current.default_of("E.taum")), Some(20.0));
}

#[test]
fn a_run_that_broke_off_waits_for_a_reset() {
    let mut session = session();
    session.changed(&changed(15.0));
    session.state(&state(true, false));
    session.set("E.a", 1.0);
    session.failed(&error("diverged"));
    assert!(!is_playing(&session) && session.error.is_some() && session.lost.is_none());
    assert_eq!(session.reset(), Some(Command::Reset { run: false }));
    session.state(&state(false, true));
    let current = session.current.as_ref().unwrap();
    assert!(!current.begun && session.error.is_none());
    assert_eq!((current.shown("E.a"), current.shown("E.taum")), (Some(0.02), Some(15.0)));
    assert_eq!((&current.open_request, current.default_of("E.taum")), (&OpenRequest::first(), Some(20.0)));
}

#[test]
fn an_engine_that_is_gone_is_started_again_with_what_it_held() {
    let mut session = session();
    session.changed(&changed(15.0));
    session.state(&state(true, false));
    session.open(OpenRequest { seed: Some(2), ..OpenRequest::first() }, false);
    session.failed(&error("engine"));
    assert!(session.error.is_some() && !is_playing(&session));
    assert!(session.is_opening(), "the next one has an engine of its own");
    let lost = session.lost.clone().unwrap();
    assert_eq!(lost.changes, [("E.taum".to_owned(), "15 ms".to_owned())]);
    session.opened(opened(2));
    assert_eq!(session.lost, None);

    let mut first = Session::default();
    let open_request = OpenRequest { seed: Some(9), ..OpenRequest::first() };
    first.open(open_request.clone(), false);
    first.not_opened(1, &error("engine"));
    assert_eq!(first.lost, Some(open_request), "also where it never started");
}

#[test]
fn a_run_that_ended_by_itself_says_why_until_it_is_reset() {
    let mut session = session();
    let stopped = Some("rate(E, 50 ms) > 100 Hz".to_owned());
    session.state(&state(true, false));
    session.state(&State { running: false, time_ms: 312.40000000000003, moved: false, rewound: false, stopped });
    let why = |session: &Session| session.current.as_ref().and_then(|current| current.stopped.clone());
    assert_eq!(why(&session).as_deref(), Some("stopped: rate(E, 50 ms) > 100 Hz at 312.4\u{a0}ms"));
    session.state(&state(false, true));
    assert_eq!(why(&session), None);
}

#[test]
fn what_the_network_changes_by_itself_is_not_part_of_its_address() {
    let mut session = session();
    let by_itself = |value, step| Changed { path: "E.taum".into(), value, step, scheduled: true, text: None };
    session.changed(&changed(15.0));
    session.changed(&by_itself(30.0, 100));
    session.changed(&by_itself(40.0, 200));
    assert_eq!(taum(&session), Some(40.0));
    let changes = |session: &Session| session.current.as_ref().map(Current::changes).unwrap_or_default();
    assert_eq!(changes(&session), [("E.taum".to_owned(), "15 ms".to_owned())]);
    // A reset brings the value back.
    session.changed(&by_itself(15.0, 0));
    session.state(&state(false, true));
    assert_eq!((taum(&session), changes(&session).len()), (Some(15.0), 1));
    // What is set afterwards counts again.
    session.changed(&by_itself(30.0, 100));
    session.changed(&changed(20.0));
    assert_eq!(changes(&session), []);
}

#[test]
fn a_run_that_continues_knows_what_its_network_had_changed() {
    let mut session = session();
    let changes = |session: &Session| session.current.as_ref().map(Current::changes).unwrap_or_default();
    let with = |value: f64| {
        let mut opened = opened(1);
        opened.network.populations[0].parameters[0].value = value;
        opened
    };
    session.state(&State { time_ms: 3200.0, ..state(false, true) });
    assert!(!session.current.as_ref().unwrap().begun);
    session.resumed([("E.taum".to_owned(), 15.0)].into());
    let current = session.current.as_mut().unwrap();
    current.opened = with(30.0);
    assert!(current.begun && current.is_scheduled("E.taum"));
    assert_eq!(current.scheduled()["E.taum"], 15.0);
    assert_eq!(changes(&session), [("E.taum".to_owned(), "15 ms".to_owned())]);
}

#[test]
fn a_build_that_is_given_up_leaves_the_network_that_runs() {
    let mut session = session();
    session.state(&state(true, false));
    session.open(OpenRequest { seed: Some(2), ..OpenRequest::first() }, true);
    let building = |done| Building { stage: "drawing synapses".into(), done, synapses: 7 };
    session.building(1, building(0.9));
    assert_eq!(session.progress, None, "that one was asked for before");
    session.building(2, building(0.5));
    assert_eq!(session.progress, Some(building(0.5)));
    session.cancel_opening();
    assert!(session.is_current(1) && !session.is_opening() && session.error.is_none() && session.progress.is_none());
    assert!(is_playing(&session));
    assert!(!session.awaits(2), "should it be there all the same");
    session.open(OpenRequest::first(), false);
    session.building(3, building(0.5));
    session.opened(opened(3));
    assert_eq!(session.progress, None);
}

#[test]
fn a_lost_device_is_said_aloud_and_other_notices_where_they_belong() {
    let mut session = session();
    session.state(&state(true, false));
    let notice = |code| Notice { code, message: "so it is".into() };
    session.notice(notice(NoticeCode::OneThread));
    session.notice(notice(NoticeCode::Network));
    assert_eq!(session.error, None, "one stands beside the device, the other beside the network");
    assert_eq!(session.current.as_ref().map(|current| current.notices.len()), Some(1));
    session.notice(notice(NoticeCode::DeviceLost));
    assert_eq!(session.error.as_deref(), Some("so it is"));
    assert!(is_playing(&session));
}
