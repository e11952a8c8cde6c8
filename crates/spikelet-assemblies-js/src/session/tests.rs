use std::cell::RefCell;
use std::rc::Rc;

use spikelet_module::{Failure, Session as _};

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
        let failure = Failure::from(session.run(command).unwrap_err());
        assert_eq!((failure.code, failure.path.as_deref()), (code, Some(path)), "{failure:?}");
        assert!(failure.message.contains(text), "{failure:?}");
    }
    let Reply::Description(description) = session.run(Command::Describe).unwrap() else { panic!("no description") };
    assert_eq!((description.areas.len(), description.stimuli.len(), description.rounds), (1, 1, 0.0));
}

#[test]
fn operations_report_what_formed_by_name() {
    let (mut session, rounds) = brain(protocol::Mode::Lazy);
    session.run(Command::AddArea(area("B", 1000, 30))).unwrap();
    let form = protocol::Operation::Form { source: "S".into(), area: "A".into(), rounds: 15 };
    let Reply::Report(report) = session.run(Command::Operate { operation: form, watch: true }).unwrap() else { panic!() };
    let protocol::Report::Formed(formed) = *report else { panic!("{report:?}") };
    assert_eq!((formed.area.as_str(), rounds.borrow().len()), ("A", 15));
    assert_eq!(formed.neurons, winners(&mut session));
    let complete = protocol::Operation::Complete { area: "A".into(), fraction: 0.5, rounds: 5, draw: 1 };
    let Reply::Report(report) = session.run(Command::Operate { operation: complete, watch: false }).unwrap() else { panic!() };
    let protocol::Report::Completed { original, kept, recovered, .. } = *report else { panic!("{report:?}") };
    assert_eq!((original.len(), kept.len(), rounds.borrow().len()), (30, 15, 15));
    assert!(recovered > 0.6, "{recovered}");
    let separate = protocol::Operation::Separate { stimuli: ["S".into(), "A".into()], area: "B".into(), rounds: 5 };
    let failure = Failure::from(session.run(Command::Operate { operation: separate, watch: false }).unwrap_err());
    assert!(failure.message.contains("“A” is an area"), "{failure:?}");
}

#[test]
fn a_sentence_is_parsed_and_a_wrong_word_is_named() {
    let (mut session, _) = brain(protocol::Mode::Lazy);
    let mut parse = |text: &str, grammar: &str| {
        let (text, grammar) = (text.into(), grammar.into());
        session.run(Command::Parse(protocol::ParseRequest { text, grammar, p: 0.1, seed: 1, n: 10_000, k: 100, rounds: 20 }))
    };
    let Reply::Parse(parsed) = parse("cats chase mice", "english").unwrap() else { panic!("no parse") };
    let found: Vec<_> = parsed.dependencies.iter().map(|it| (it.head.as_str(), it.dependent.as_str(), it.area)).collect();
    assert_eq!(found, [("chase", "cats", "SUBJ"), ("chase", "mice", "OBJ")]);
    assert_eq!(parsed.words.iter().map(|path| path.area).collect::<Vec<_>>(), ["SUBJ", "VERB", "OBJ"]);
    for (text, grammar, path, message) in [
        ("cats chase unicorns", "english", "sentence[2]", "known words are"),
        ("chase chase", "english", "sentence[0]", "has no place here"),
        ("dogs chase", "english", "sentence[1]", "the sentence ends after word 2"),
        ("", "english", "sentence", "empty"),
        ("cats chase mice", "latin", "grammar", "there are english, russian"),
    ] {
        let failure = Failure::from(parse(text, grammar).unwrap_err());
        assert_eq!(failure.path.as_deref(), Some(path), "{failure:?}");
        assert!(failure.message.contains(message), "{failure:?}");
    }
}
