use std::{ops::Range, sync::Arc};

use super::*;

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

const CHOOSE: &str = r#"{"role": "expect", "text": "", "freeze": "There.", "predict": {"question": "?", "choices": [{"text": "few", "range": [0, 3]}, {"text": "many", "range": [3, null]}]},
    "until": {"measure": {"checks": [{"measure": {"quantity": "spikes", "of": "b"}, "range": [8, null]}], "over_ms": 10}}}"#;
const DRAW: &str = r#"{"role": "watch", "text": "", "predict": {"question": "?", "draw": {"of": "b", "x": "I in pA", "range": [0, 10], "y": "rate in Hz", "most": 100, "points": 2}},
    "until": {"run_ms": 20}}"#;

#[test]
fn a_step_waits_for_its_prediction_and_pauses_at_the_first_spike() {
    let mut course = course(&[WATCH, CHOOSE, CHANGE].join(","));
    course.run(false);
    assert_eq!(course.awaited(), None);
    course.take(0, 20, std::iter::empty());
    assert!(course.at == 1 && course.awaited().is_some());
    // Whatever runs before the prediction does not do the step.
    assert_eq!(course.run(true), Orders::default());
    course.take(20, 200, every_step(20..220));
    assert_eq!((course.at, course.frozen_ms()), (1, None));
    course.guess(Guess::Choice(1));
    assert!(course.awaited().is_none());
    course.run(true);
    assert_eq!(course.take(220, 5, std::iter::empty()), Outcome::Same);
    assert_eq!(course.take(225, 5, every_step(227..230)), Outcome::Ended);
    assert_eq!((course.at, course.frozen_ms()), (1, Some(227.0)));
    // Once: Play continues.
    course.run(false);
    course.take(230, 300, every_step(230..530));
    assert_eq!((course.at, course.guess_of(1)), (2, Some(&Guess::Choice(1))));
    course.start_again();
    assert_eq!(course.guess_of(1), None);
}

#[test]
fn a_curve_is_that_of_the_run_of_its_step() {
    let mut course = course(&[DRAW, CHANGE].join(","));
    course.take(0, 5, every_step(0..5));
    course.guess(Guess::Curve(vec![0.0, 100.0]));
    course.run(false);
    course.take(5, 10, every_step(5..15));
    assert_eq!(course.curve_of(0), None);
    course.take(15, 10, std::iter::empty());
    assert_eq!((course.at, course.curve_of(0)), (1, Some(&[500.0][..])));
}
