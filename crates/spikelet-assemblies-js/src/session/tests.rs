use std::cell::RefCell;
use std::rc::Rc;

use super::*;
use crate::protocol;

/// FNV-1a of the winners, as `test/assemblies.test.mjs` of the package computes it too.
fn hash(winners: &[u32]) -> String {
    let byte = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    format!("{:08x}", winners.iter().flat_map(|winner| winner.to_le_bytes()).fold(0x811c_9dc5, byte))
}

/// A brain with a stimulus S and an area A, and the rounds that it reports.
fn brain(mode: protocol::Mode) -> (Session, Rc<RefCell<Vec<Round>>>) {
    let rounds = Rc::new(RefCell::new(Vec::new()));
    let told = rounds.clone();
    let mut session = Session::new(Box::new(move |round| told.borrow_mut().push(round)));
    let create = Create { p: 0.05, seed: 7, mode, w_max: 10_000.0, memory: 1e9 };
    session.run(Command::Create(create)).unwrap();
    session.run(Command::AddStimulus { name: "S".into(), size: 30 }).unwrap();
    session.run(Command::AddArea(area("A", 1000, 30))).unwrap();
    (session, rounds)
}

fn area(name: &str, n: u32, k: u32) -> Area {
    Area { name: name.into(), n, k, beta: 0.1, explicit: false, refraction: None }
}

fn fibres(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect()
}

fn winners(session: &mut Session) -> Vec<u32> {
    match session.run(Command::Winners { area: "A".into() }) {
        Ok(Reply::Neurons(neurons)) => neurons,
        other => panic!("{other:?}"),
    }
}

#[test]
fn winners_are_those_of_the_package() {
    let expected = include_str!("../../winners.txt");
    for mode in [protocol::Mode::Explicit, protocol::Mode::Procedural, protocol::Mode::Lazy] {
        let (mut session, _) = brain(mode);
        session.run(Command::Project { fibres: fibres(&[("S", "A")]), rounds: 1, watch: false }).unwrap();
        session.run(Command::Project { fibres: fibres(&[("S", "A"), ("A", "A")]), rounds: 9, watch: false }).unwrap();
        let line = format!("{mode:?} {}\n", hash(&winners(&mut session))).to_lowercase();
        assert!(expected.contains(&line), "{line} is not in\n{expected}");
    }
}

#[test]
fn rounds_are_reported_by_name_if_they_are_watched() {
    let (mut session, rounds) = brain(protocol::Mode::Lazy);
    session.run(Command::Project { fibres: fibres(&[("S", "A")]), rounds: 1, watch: false }).unwrap();
    assert!(rounds.borrow().is_empty());
    session.run(Command::Project { fibres: fibres(&[("S", "A"), ("A", "A")]), rounds: 2, watch: true }).unwrap();
    let last = rounds.borrow().last().cloned().unwrap();
    assert_eq!((rounds.borrow().len(), last.round), (2, 3.0));
    assert_eq!(last.fibres, fibres(&[("S", "A"), ("A", "A")]));
    assert_eq!(last.winners, [protocol::Winners { area: "A".into(), neurons: winners(&mut session) }]);
}

#[test]
fn errors_name_the_place_and_leave_the_brain() {
    let (mut session, _) = brain(protocol::Mode::Lazy);
    for (command, code, path, text) in [
        (Command::AddArea(area("A", 100, 10)), "invalid_value", "name", "choose another name"),
        (Command::AddArea(area("B", 100, 101)), "invalid_value", "k", "at most n"),
        (Command::AddArea(Area { beta: -1.0, ..area("B", 100, 10) }), "invalid_value", "beta", "at least 0"),
        (Command::Fix { area: "A".into() }, "invalid_value", "area", "no winners yet"),
        (Command::Winners { area: "Z".into() }, "unknown_name", "area", "there are A"),
        (Command::SetWinners { area: "A".into(), winners: vec![3] }, "invalid_value", "winners", "lazy"),
    ] {
        let failure = session.run(command).unwrap_err();
        assert_eq!((failure.code, failure.path.as_deref()), (code, Some(path)), "{failure:?}");
        assert!(failure.message.contains(text), "{failure:?}");
    }
    let Reply::Description(description) = session.run(Command::Describe).unwrap() else { panic!("no description") };
    assert_eq!((description.areas.len(), description.stimuli.len(), description.rounds), (1, 1, 0.0));
}
