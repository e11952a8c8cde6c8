use spikelet_module::{Failure, Session as _};

use super::*;

/// Yin-Yang with few neurons and samples.
fn small() -> serde_json::Value {
    let mut training: serde_json::Value = serde_json::from_str(preset("yin-yang").unwrap().text(None)).unwrap();
    training["network"]["populations"][0]["size"] = 40.into();
    training["data"]["train"] = 160.into();
    training["data"]["test"] = 60.into();
    training
}

fn open(training: &serde_json::Value) -> (Session, Result<Reply, SessionError>) {
    let mut session = Session::default();
    let json = training.to_string();
    let open = Open { json, files: Vec::new(), epochs: Some(3), seed: None, rate: None, batch: None };
    let opened = session.run(Command::Open(open));
    (session, opened)
}

fn trained(session: &mut Session, batches: u32) -> Trained {
    match session.run(Command::Train { batches, seconds: 0.0 }) {
        Ok(Reply::Trained(trained)) => trained,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_request_trains_to_the_end_of_an_epoch_at_most() {
    let (mut session, opened) = open(&small());
    let Ok(Reply::Opened(opened)) = opened else { panic!("{opened:?}") };
    assert_eq!((opened.batches, opened.epochs, opened.classes, opened.parameters), (5, 3, 3, 5 * 40 + 40 * 3));
    assert!(opened.has_plane);
    let first = trained(&mut session, 2);
    assert_eq!((first.epoch, first.batch, first.ended), (1, 2, None));
    let second = trained(&mut session, 100);
    assert_eq!((second.epoch, second.batch), (1, 5));
    let ended = second.ended.unwrap();
    // The mean over the epoch is that of both requests, which had 2 and 3 batches.
    assert!((ended.loss - (2.0 * first.loss + 3.0 * second.loss) / 5.0).abs() < 1e-9);
    let Ok(Reply::Score(Some(score))) = session.run(Command::Evaluate) else { panic!("there are samples") };
    assert_eq!(score.accuracy, ended.accuracy_test);
    assert_eq!(trained(&mut session, 1).epoch, 2);
}

#[test]
fn a_plane_agrees_with_samples_and_has_nothing_outside_of_the_disc() {
    let (mut session, _) = open(&small());
    for _ in 0..2 {
        trained(&mut session, 5);
    }
    let Ok(Reply::Plane(plane)) = session.run(Command::Plane { resolution: 40 }) else { panic!("it has one") };
    assert_eq!((plane.len(), plane[0], plane[39]), (1600, 255, 255));
    let mut same = 0;
    for index in 0..60 {
        let Ok(Reply::Sample(sample)) = session.run(Command::Sample { of: Part::Test, index }) else { panic!("there are 60") };
        assert_eq!(sample.neurons.len(), sample.times_ms.len());
        // The times of the first two inputs, which follow the 43 other neurons, are x and y.
        let time = |neuron: u32| sample.times_ms[sample.neurons.iter().position(|of| *of == neuron).unwrap()] / 30.0;
        let [column, row] = [time(43), time(44)].map(|part| (part * 40.0) as usize);
        let decision = sample.decision.map_or(255, |class| class as u8);
        same += u32::from(plane[row * 40 + column] == decision);
    }
    assert!(same >= 50, "{same} of 60 samples have the decision of their cell");
}

#[test]
fn weights_and_network_are_the_trained_ones() {
    let (mut session, _) = open(&small());
    trained(&mut session, 5);
    let Ok(Reply::Weights(groups)) = session.run(Command::Weights) else { panic!("there are some") };
    assert_eq!(groups.iter().map(|of| of.path.as_str()).collect::<Vec<_>>(), ["input_hidden", "hidden_output"]);
    assert!(groups.iter().all(|of| of.before != of.now));
    let Ok(Reply::Text(text)) = session.run(Command::Network) else { panic!("there is one") };
    let mut training = small();
    training["network"] = serde_json::from_str(&text).unwrap();
    let (mut again, _) = open(&training);
    let Ok(Reply::Weights(initial)) = again.run(Command::Weights) else { panic!("there are some") };
    for (group, initial) in groups.iter().zip(&initial) {
        assert_eq!(group.now, initial.before, "{}", group.path);
    }
}

#[test]
fn wrong_input_is_refused_with_its_place() {
    let refused = |reply: Result<Reply, SessionError>, code: &str, path: Option<&str>| {
        let failure = Failure::from(reply.unwrap_err());
        assert_eq!((failure.code, failure.path.as_deref()), (code, path), "{}", failure.message);
    };
    refused(Session::default().run(Command::Evaluate), "no_network", None);
    refused(Session::default().run(Command::Preset { name: "yin".into(), method: None }), "unknown_name", None);
    let other = Command::Preset { name: "randman".into(), method: Some("eventprop".into()) };
    refused(Session::default().run(other), "unknown_name", Some("method"));
    let with = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut training = small();
        change(&mut training);
        open(&training).1
    };
    refused(with(&|of| of["loss"][0]["population"] = "answer".into()), "unknown_name", Some("loss[0].population"));
    refused(with(&|of| of["train"][0]["path"] = "inputs".into()), "unknown_name", Some("train[0].path"));
    refused(with(&|of| of["data"] = serde_json::json!({"file": "spikes.csv"})), "unknown_name", Some("data.file"));
    let (mut session, _) = open(&small());
    refused(session.run(Command::Sample { of: Part::Test, index: 60 }), "invalid_value", Some("index"));
    refused(session.run(Command::Plane { resolution: 1 }), "invalid_value", Some("resolution"));
}
