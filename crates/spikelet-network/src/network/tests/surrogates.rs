//! Surrogates of populations.

use spikelet_lang::gradient::{Shape, Surrogate};
use spikelet_lang::{NeuronModel, NeuronText, Quantities, check_neuron};

use crate::{Network, SurrogateChoice};

fn network(surrogate: &str) -> String {
    format!(
        r#"{{"name": "n", "dt_ms": 1, "duration_ms": 1, "populations": [
            {{"name": "a", "size": 1, "model": "lif", "surrogate": {surrogate}}}]}}"#
    )
}

/// A leaky cell with this threshold.
fn model(threshold: &str) -> NeuronModel {
    let text = NeuronText {
        equations: "dv/dt = -v/tau : volt\ndu/dt = -u/tau : 1".into(),
        threshold: Some(threshold.into()),
        ..NeuronText::default()
    };
    check_neuron(&text, &Quantities::from_texts([("tau", "10*ms")]).unwrap().dimensions()).unwrap()
}

/// The surrogate of a population with this declaration and threshold, or what is wrong.
fn surrogate(declared: &str, threshold: &str) -> Result<Surrogate, String> {
    let network = Network::from_json(&network(declared)).map_err(|error| error.to_string())?;
    let choice = network.populations[0].surrogate.clone().unwrap();
    choice.surrogate("populations[0]", &model(threshold)).map_err(|error| error.to_string())
}

#[test]
fn a_name_is_enough_without_a_unit() {
    for (name, shape) in Shape::ALL {
        assert_eq!(surrogate(&format!("{name:?}"), "u > 1"), Ok(Surrogate::from(shape)));
    }
    let expected = Surrogate { shape: Shape::SuperSpike, slope: 10.0, factor: 0.3 };
    assert_eq!(surrogate(r#"{"shape": "superspike", "slope": 10, "factor": 0.3}"#, "u > 1"), Ok(expected));
    // A source compares, too.
    assert_eq!(surrogate("\"arctan\"", "rand() < u").map(|of| of.slope), Ok(2.0));
}

#[test]
fn a_slope_has_the_unit_of_the_comparison() {
    let threshold = "v > -50*mV and not_refractory";
    for (slope, expected) in [("\"10/mV\"", 10.0), ("\"2000/volt\"", 2.0), ("0.5", 0.5)] {
        let found = surrogate(&format!(r#"{{"shape": "gaussian", "slope": {slope}}}"#), threshold);
        assert_eq!(found, Ok(Surrogate { shape: Shape::Gaussian, slope: expected, factor: 1.0 }), "{slope}");
    }
    for (declared, threshold, part) in [
        (
            "\"gaussian\"",
            threshold,
            "populations[0].surrogate is \"gaussian\", but the threshold compares values in mV, so that a slope is \
          necessary; add one, as in {\"shape\": \"gaussian\", \"slope\": \"1/mV\"}",
        ),
        (
            r#"{"shape": "gaussian", "slope": "10"}"#,
            threshold,
            "populations[0].surrogate.slope is \"10\", but the slope of this threshold is 1 over mV",
        ),
        (r#"{"shape": "gaussian", "slope": "10/mV"}"#, "u > 1", "the slope of this threshold is a number; for example 10"),
        (r#"{"shape": "gaussian", "slope": "-10/mV"}"#, threshold, "a slope must be finite and above 0"),
        (r#"{"shape": "gaussian", "slope": [1, 2]}"#, threshold, "one slope is expected"),
        (r#"{"shape": "gaussian", "slope": "10 mVV"}"#, threshold, "mVV"),
        ("\"gaussian\"", "v > -50*mV and u > 1", "must be one comparison of numbers"),
        ("\"gaussian\"", "u == 1", "populations[0].threshold"),
    ] {
        let found = surrogate(declared, threshold).unwrap_err();
        assert!(found.contains(part), "{found}");
    }
}

#[test]
fn what_is_no_surrogate_is_refused() {
    for (declared, part) in [
        ("\"superspik\"", "populations[0].surrogate: there is no surrogate `superspik`; did you mean `superspike`?"),
        (
            "{\"shape\": \"relu\", \"factor\": 0}",
            "populations[0].surrogate.factor is 0, but a factor must be a finite number above 0",
        ),
        ("{\"slope\": 1}", "shape"),
        ("{\"shape\": \"relu\", \"width\": 1}", "unknown key `width`"),
        ("7", "the name of a surrogate, or {\"shape\""),
    ] {
        let found = Network::from_json(&network(declared)).and_then(|network| network.validate()).unwrap_err().to_string();
        assert!(found.contains(part), "{found}");
    }
}

#[test]
fn a_surrogate_is_written_as_it_was_read() {
    for declared in ["\"relu\"", r#"{"shape":"relu","slope":"10/mV"}"#, r#"{"shape":"relu","factor":0.3}"#] {
        let choice: SurrogateChoice = serde_json::from_str(declared).unwrap();
        assert_eq!(serde_json::to_string(&choice).unwrap(), declared);
    }
}
