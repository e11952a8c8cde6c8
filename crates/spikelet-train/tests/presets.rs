//! The trainings that have a name.

use spikelet_train::{Method, PRESETS, Training, TrainingPlan, preset};

#[test]
fn every_training_has_a_plan() {
    for preset in PRESETS {
        for method in preset.methods() {
            let training = preset.training(Some(method)).unwrap();
            assert_eq!((training.name.as_str(), training.method), (preset.name, method));
            let plan = TrainingPlan::new(&training).unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            assert!(plan.parameters.values.len() >= 100, "{}", preset.name);
        }
    }
}

#[test]
fn a_training_is_read_back_as_it_was() {
    for preset in PRESETS {
        let training = preset.training(None).unwrap();
        assert_eq!(Training::from_json(&training.to_json()), Ok(training));
    }
}

#[test]
fn names_are_suggested() {
    let error = preset("yinyang").unwrap_err().to_string();
    assert!(error.starts_with("there is no training `yinyang`; ") && error.contains("`yin-yang`"), "{error}");
}

/// A method without a file of its own uses that of the training.
#[test]
fn a_method_can_be_chosen() {
    let [first, second] =
        [Method::EventProp, Method::Bptt].map(|method| preset("yin-yang").unwrap().training(Some(method)).unwrap());
    assert_ne!(first.loss, second.loss);
    let randman = preset("randman").unwrap();
    let chosen = randman.training(Some(Method::EventProp)).unwrap();
    assert_eq!(chosen, Training { method: Method::EventProp, ..randman.training(None).unwrap() });
}
