use spikelet::{Activity, Cpu, Plan, Spike};

use super::*;

/// A neuron with a known solution, v = 2 (1 - exp(-t/5 ms)), which crosses 1 after 3.4657 ms.
const LIF: &str = r#"{
  "name": "one", "family": "lif", "citation": "none", "dt_ms": 0.1, "duration_ms": 5,
  "populations": [{"name": "n", "size": 2, "equations": "dv/dt = (2*mV - v)/(5*ms) : volt", "method": "exact",
                   "threshold": "v > th", "reset": "v = 0*mV", "parameters": {"th": {"values": [1, 3], "unit": "mV"}}}],
  "recordings": [{"object": "n", "var": "v", "indices": [0, 1], "unit": "uvolt"}],
  "final": [{"object": "n", "var": "v", "unit": "mV"}],
  "expected": {
    "spikes": {"n": [[0, 3.4]]},
    "state": {"n.v[0]": {"t_ms": [0, 1, 4], "values": [0, 362.538, 190.325], "unit": "uvolt"},
              "n.v[1]": {"t_ms": [4], "values": [1.101342], "unit": "mV"}},
    "weights": {"n.v": {"values": [0.5183636, 1.264241], "unit": "mV"}}
  },
  "tolerance": {
    "spike_steps": 1,
    "state": {"n.v[0]": {"abs": 0.01, "abs_if_spikes_shifted": 60}, "n.v[1]": {"abs": 1e-5, "abs_if_spikes_shifted": 1}},
    "weights": {"n.v": {"abs": 1e-5}}
  }
}"#;

fn judged(text: &str) -> Verdict {
    let case = Case::from_json(text).unwrap();
    let mut cpu =
        || -> spikelet::Task<'static, Box<dyn spikelet::Backend>> { Box::pin(async { Ok(Box::new(Cpu::new(1)) as _) }) };
    pollster::block_on(verify(&case, &mut cpu, &Options { seeds: 2 }))
}

/// The reasons after a change of the text.
fn reasons(from: &str, to: &str) -> Vec<String> {
    assert!(LIF.contains(from), "{from}");
    let verdict = judged(&LIF.replacen(from, to, 1));
    assert_eq!(verdict.outcome, if verdict.reasons.is_empty() { Outcome::Passed } else { Outcome::Failed });
    verdict.reasons
}

#[test]
fn a_right_run_passes() {
    let verdict = judged(LIF);
    assert_eq!((verdict.outcome, verdict.reasons.len()), (Outcome::Passed, 0), "{:?}", verdict.reasons);
    let compared: Vec<&str> = verdict.measures.iter().map(|measure| measure.what.as_str()).collect();
    assert_eq!(compared, ["spikes of n", "n.v[0]", "n.v[1]", "n.v"]);
    assert!(verdict.measures.iter().all(|measure| measure.difference <= measure.within));
}

#[test]
fn what_differs_is_named_with_values() {
    for (from, to, expected) in [
        ("[[0, 3.4]]", "[[0, 3.2]]", "spike 0 of neuron 0 of n is at 3.4 ms, expected at 3.2 ms, up to 1 steps apart"),
        ("[[0, 3.4]]", "[]", "neuron 0 of n has 1 spikes, expected 0; the first unmatched one is at 3.4 ms"),
        ("{\"n\": [[0, 3.4]]}", "{}", "neuron 0 of n has 1 spikes, expected 0;"),
        ("[[0, 3.4]]", "[[0, 2.2], [0, 3.4]]", "neuron 0 of n has 1 spikes, expected 2; the first unmatched one is at 2.2 ms"),
        ("362.538", "362.6", "n.v[0] at 1 ms is 362.53"),
        ("\"n.v[1]\"", "\"n.v[7]\"", "n.v[7] was not recorded at 4 ms"),
        ("0.5183636", "0.6", "n.v[0] at the end is 0.51836"),
        ("[0.5183636, 1.264241]", "[0.5183636, 1.264241, 0]", "n.v[2] was not recorded at the end"),
        ("\"dv/dt = (", "\"dv/dt = ((", "populations[0]"),
        ("\"dt_ms\": 0.1", "\"dt_ms\": 0", "dt_ms is 0, but a time step must be a finite number of milliseconds above 0"),
        ("\"duration_ms\": 5", "\"duration_ms\": 1e12", "1000000000000 ms are more steps than a run can have"),
    ] {
        let changed = if to == "\"n.v[7]\"" {
            // Both the expectation and its tolerance.
            let verdict = judged(&LIF.replace(from, to));
            assert_eq!(verdict.outcome, Outcome::Failed);
            verdict.reasons
        } else {
            reasons(from, to)
        };
        assert!(changed.iter().any(|reason| reason.starts_with(expected)), "{to}: {changed:?}");
    }
}

#[test]
fn a_shifted_spike_widens_the_band_of_its_neuron_only() {
    let shifted = LIF.replace("[[0, 3.4]]", "[[0, 3.3]]");
    assert_eq!(judged(&shifted).outcome, Outcome::Passed);
    let wider = |text: &str, label: &str| {
        let measures = judged(text).measures;
        measures.iter().find(|measure| measure.what == label).map(|measure| measure.within)
    };
    assert_eq!((wider(LIF, "n.v[0]"), wider(&shifted, "n.v[0]")), (Some(0.01), Some(60.0)));
    assert_eq!((wider(LIF, "n.v[1]"), wider(&shifted, "n.v[1]")), (Some(1e-5), Some(1e-5)));
    // 5 steps before the end a spike is not needed; here it is at step 34 of 39.
    assert_eq!(reasons("[[0, 3.4]]", "[[0, 3.4], [1, 4.5]]"), Vec::<String>::new());
    assert_eq!(reasons("[[0, 3.4]]", "[[0, 3.4], [1, 4.4]]").len(), 1);
}

#[test]
fn a_verdict_is_one_line() {
    assert_eq!(judged(LIF).to_string(), "ok   one");
    let mut verdict = judged(&LIF.replace("[[0, 3.4]]", "[[0, 1.1]]"));
    assert!(verdict.to_string().starts_with("FAIL one: spike 0 of neuron 0 of n is at 3.4 ms"), "{verdict}");
    verdict.reasons = vec!["x is wrong\n  x\n  ^".to_owned(), "so is y".to_owned(), "z".to_owned(), "w".to_owned()];
    assert_eq!(verdict.to_string(), "FAIL one: x is wrong; so is y; and 2 more");
    assert_eq!(Case::from_json(LIF).unwrap().skipped("long").to_string(), "skip one: long");
    assert_eq!(Verdict::malformed("a.json", "no JSON").to_string(), "FAIL a.json: no JSON");
}

#[test]
fn a_file_that_is_no_case_is_refused_with_its_place() {
    let malformed = |from: &str, to: &str| {
        assert!(LIF.contains(from), "{from}");
        Case::from_json(&LIF.replacen(from, to, 1)).unwrap_err().to_string()
    };
    for (from, to, expected) in [
        ("\"family\": \"lif\", ", "", "the case: missing field `family`"),
        ("\"expected\"", "\"hoped\"", "hoped: unknown field `hoped`"),
        ("\"size\": 2", "\"sizes\": 2", "populations[0].sizes: unknown field `sizes`, expected one of"),
        ("\"size\": 2", "\"size\": -2", "populations[0].size: invalid value: integer `-2`, expected u32 at line 3"),
        (
            "\"expected\"",
            "\"note\"",
            "the case: the key `expected` is missing; a case needs an expected result, or an `expected_error`",
        ),
        ("\"tolerance\"", "\"converged\"", "the case: the key `tolerance` is missing;"),
        ("\"spike_steps\": 1,", "", "tolerance: the key `spike_steps` is missing"),
        ("{\"n\": [[0, 3.4]]}", "{\"m\": [[0, 3.4]]}", "expected.spikes.m: there is no population or source of that name"),
        ("[[0, 3.4]]", "[[2, 3.4]]", "expected.spikes.n: neuron 2 of a spike at 3.4 ms is not among the 2 of `n`"),
        ("[[0, 3.4]]", "[[0]]", "expected.spikes.n[0]: invalid length 1"),
        ("[0, 1, 4]", "[0, 1]", "expected.state.n.v[0]: `t_ms` and `values` differ in length"),
        ("\"n.v[0]\"", "\"n.v\"", "expected.state.n.v: a channel has the form `n.v[3]`"),
        ("\"n.v[0]\"", "\"n.v[5]\"", "expected.state.n.v[5]: it has no entry in `tolerance.state`"),
        ("\"n.v\"", "\"n.w\"", "expected.weights.n.w: it has no entry in `tolerance.weights`"),
        ("\"unit\": \"uvolt\"},", "\"unit\": \"parsec\"},", "expected.state.n.v[0]: "),
        ("{", "", "the case: invalid type: string \"name\", expected struct File"),
    ] {
        let message = malformed(from, to);
        assert!(message.starts_with(expected), "{to}: {message}");
    }
}

/// A network that must be refused for the division in its first equation.
fn refused(error: &str) -> Vec<String> {
    let text = format!(
        r#"{{"name": "no", "family": "invalid", "dt_ms": 0.1, "duration_ms": 5,
            "populations": [{{"name": "n", "size": 1, "equations": "dv/dt = (gain - v)/(5*ms) : 1"}}],
            "expected_error": {{"kind": "undefined_name", "where": "equations", "brian2_raises": true, {error}}}}}"#
    );
    judged(&text).reasons
}

#[test]
fn a_refusal_is_judged_by_kind_names_and_place() {
    assert_eq!(refused(r#""must_mention": ["gain"], "line": 1, "column": 10"#), Vec::<String>::new());
    assert_eq!(refused(r#""must_mention": [], "line": null, "column": null, "note": """#), Vec::<String>::new());
    assert_eq!(refused(r#""column": 30, "note": "or at the name (10)""#), Vec::<String>::new());
    for (error, expected) in [
        (r#""must_mention": ["gai"]"#, "the error does not mention gai: "),
        (r#""line": 2"#, "the error has line 1, expected 2: "),
        (r#""column": 7"#, "the error has column 10, expected one of [7] within one: "),
    ] {
        let reasons = refused(error);
        assert!(reasons.len() == 1 && reasons[0].starts_with(expected), "{error}: {reasons:?}");
    }
    let text = r#"{"name": "no", "family": "invalid", "dt_ms": 0.1, "duration_ms": 5,
        "populations": [{"name": "n", "size": 1, "equations": "dv/dt = (VALUE - v)/(5*ms) : 1"}],
        "expected_error": {"kind": "dimension_mismatch"}}"#;
    let reasons = judged(&text.replace("VALUE", "1")).reasons;
    assert_eq!(reasons, ["it was accepted, expected an error of the kind dimension_mismatch"]);
    let reasons = judged(&text.replace("VALUE", "gain")).reasons;
    assert!(reasons[0].starts_with("it was rejected with undefined_name, expected dimension_mismatch: "), "{reasons:?}");
}

/// Two neurons that never fire by themselves, so that a test can write down their spikes.
const SILENT: &str = r#"{
  "name": "rates", "family": "statistical", "dt_ms": 0.1, "duration_ms": 20,
  "populations": [{"name": "n", "size": 3, "equations": "v : 1", "threshold": "v > 1"}],
  "measure": {"warmup_ms": 10, "groups": {"two": ["n", 1, 3]}},
  "expected": {"summary": {"two.rate_hz": {"mean": 300}, "two.frac_silent": {"mean": 0.5}, "two.cv_isi": {"mean": 0.5},
                           "two.rate_sd_across_neurons_hz": {"mean": 300}, "two.pop_fano_1ms": {"mean": 1.4}}},
  "tolerance": {"metrics": {
    "two.rate_hz": {"mean_of_10_within": 0.001, "single_trial_within": 100},
    "two.frac_silent": {"mean_of_10_within": 1e-9, "single_trial_within": 0},
    "two.cv_isi": {"mean_of_10_within": 1e-9, "single_trial_within": 1e-9},
    "two.rate_sd_across_neurons_hz": {"mean_of_10_within": 1e-9, "single_trial_within": 1e-9},
    "two.pop_fano_1ms": {"mean_of_10_within": 1e-9, "single_trial_within": 1e-9}}}
}"#;

fn recorded(case: &Case, spikes: &[(u32, u32)]) -> Record {
    let mut record = Record::new(case, &Plan::new(&case.network()).unwrap());
    let spikes = spikes.iter().map(|&(neuron, step)| Spike { neuron, step }).collect();
    record.add(0, &Activity { spikes, ..Activity::default() });
    record
}

#[test]
fn statistics_are_those_of_the_window() {
    let case = Case::from_json(SILENT).unwrap();
    assert!(case.is_statistical() && case.cost() == 600.0);
    assert!(!Options::default().is_long(&case) && Options { seeds: 100_000 }.is_long(&case));
    assert!(!Options { seeds: u32::MAX }.is_long(&Case::from_json(LIF).unwrap()));
    // Before the warm-up, of another group, after the end; then six spikes at intervals of 1 and 3 ms.
    let spikes = [(2, 99), (0, 120), (2, 200), (2, 100), (2, 110), (2, 140), (2, 150), (2, 180), (2, 190)];
    let mut record = recorded(&case, &spikes);
    let verdict = case.judge(&[record.clone()]);
    let found: Vec<(&str, f64)> = verdict.measures.iter().map(|m| (m.what.as_str(), m.difference)).collect();
    let wrong: Vec<_> = found.iter().filter(|(what, difference)| *difference > 1e-9 && *what != "two.cv_isi").collect();
    // Six spikes in ten bins: mean 0.6, variance 0.24, so 0.4 and not 1.4.
    assert_eq!(wrong.len(), 1, "{found:?}");
    assert!((found[4].1 - 1.0).abs() < 1e-9, "{found:?}");
    // Intervals 10, 30, 10, 30, 10: mean 18, sd 9.798.
    assert!((found[2].1 - (0.5_f64 - 96.0_f64.sqrt() / 18.0).abs()).abs() < 1e-9, "{found:?}");
    assert_eq!(verdict.outcome, Outcome::Failed);

    // 100 Hz too many on average: fine for one seed, not for ten.
    record.add(
        0,
        &Activity { spikes: vec![Spike { neuron: 1, step: 150 }, Spike { neuron: 1, step: 160 }], ..Activity::default() },
    );
    let rate = |records: &[Record]| case.judge(records).reasons.iter().any(|reason| reason.starts_with("two.rate_hz"));
    assert!(!rate(&[record.clone()]) && rate(&vec![record; 10]));
}

#[test]
fn a_metric_without_a_value_fails() {
    let case = Case::from_json(SILENT).unwrap();
    let reasons = case.judge(&[recorded(&case, &[])]).reasons;
    assert!(reasons.iter().any(|reason| reason.starts_with("two.cv_isi is NaN over 1 seed, expected 0.5")), "{reasons:?}");
    let other = Case::from_json(&SILENT.replace("two.cv_isi", "two.charm")).unwrap();
    let reasons = other.judge(&[recorded(&other, &[])]).reasons;
    assert!(reasons.contains(&"two.charm is not a known metric".to_owned()), "{reasons:?}");
    assert_eq!(case.judge(&[]).reasons, ["there is no run to evaluate"]);
}

#[test]
fn statistical_cases_that_measure_nothing_are_refused() {
    for (from, to, expected) in [
        ("[\"n\", 1, 3]", "[\"n\", 1, 4]", "measure.groups.two: `n` has neurons 0 to 2"),
        ("[\"n\", 1, 3]", "[\"m\", 1, 3]", "measure.groups.two: there is no population or source `m`"),
        ("\"two.rate_hz\": {\"mean\": 300}, ", "", "tolerance.metrics.two.rate_hz: it has no entry in `expected.summary`"),
        ("\"metrics\"", "\"bands\"", "tolerance.metrics: it is empty or missing"),
    ] {
        assert!(SILENT.contains(from), "{from}");
        let message = Case::from_json(&SILENT.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(message.starts_with(expected), "{to}: {message}");
    }
    let reasons = judged(&SILENT.replace("\"warmup_ms\": 10", "\"warmup_ms\": 10, \"kind\": \"fractal\"")).reasons;
    assert!(reasons[0].starts_with("measure.kind is \"fractal\", which is not a known kind; "), "{reasons:?}");
    let reasons = judged(&SILENT.replace("\"warmup_ms\": 10", "\"warmup_ms\": 20")).reasons;
    assert_eq!(reasons, ["the warm-up of 20 ms leaves no time of 20 ms"]);
}

/// A case of noise whose samples a test writes down: v alternates, so that its autocorrelation after two samples is 1.
#[test]
fn noise_is_measured_at_every_tenth_step_after_the_warm_up() {
    let text = r#"{
      "name": "ou", "family": "statistical", "dt_ms": 0.1, "duration_ms": 20,
      "populations": [{"name": "n", "size": 2, "equations": "dv/dt = -v/tau : volt", "parameters": {"tau": "2*ms"}}],
      "recordings": [{"object": "n", "var": "v", "indices": "all", "unit": "mV"}],
      "measure": {"warmup_ms": 10, "kind": "ou"},
      "expected": {"summary": {"mean_mV": {"mean": 3}, "var_mV2": {"mean": 4}, "autocorr_at_tau": {"mean": 1}}},
      "tolerance": {"metrics": {"mean_mV": {"mean_of_10_within": 1e-9, "single_trial_within": 1e-9},
                                "var_mV2": {"mean_of_10_within": 1e-9, "single_trial_within": 1e-9},
                                "autocorr_at_tau": {"mean_of_10_within": 1e-9, "single_trial_within": 1e-9}}}
    }"#;
    let case = Case::from_json(text).unwrap();
    let mut record = Record::new(&case, &Plan::new(&case.network()).unwrap());
    // Anything before the warm-up, between the tenth steps and after the end must not count.
    let value = |step: u32| match step {
        100..200 if step.is_multiple_of(10) => 3.0 + 2.0 * if (step / 10).is_multiple_of(2) { 1.0 } else { -1.0 },
        _ => 1000.0,
    };
    let samples = (0..=200).flat_map(|step| [value(step); 2]).collect();
    record.add(0, &Activity { samples, ..Activity::default() });
    let verdict = case.judge(&[record]);
    assert_eq!(verdict.outcome, Outcome::Passed, "{:?} {:?}", verdict.reasons, verdict.measures);
    assert_eq!(verdict.measures.len(), 3);
}
