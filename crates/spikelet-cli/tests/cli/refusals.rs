//! Input that is refused.

use serde_json::Value;

use super::{SMALL, code, file, folder, spikelet, text};

/// One clear sentence on stderr, nothing on stdout, and exit code 2.
#[test]
fn bad_input_is_refused_with_a_sentence() {
    let run = |more: &[&str]| spikelet(&[&["run", "cuba", "--backend", "cpu"], more].concat());
    let small = |name: &str, from: &str, to: &str| {
        assert!(SMALL.contains(from), "{from}");
        spikelet(&["run", &file(name, &SMALL.replacen(from, to, 1)), "--backend", "cpu"])
    };
    let cases = [
        (spikelet(&["run", "cubba"]), "there is no network `cubba`; did you mean `cuba`?"),
        (spikelet(&["run", "no/such.json"]), "there is no file no/such.json; check the path"),
        (spikelet(&["check", "nothing.json"]), "there is no file nothing.json; check the path"),
        (spikelet(&["run", env!("CARGO_TARGET_TMPDIR")]), "is a folder; name the JSON file in it"),
        (
            small("b1", "\"dt_ms\": 0.1,", "\"dt_ms\": 0.1"),
            "network.json: line 4, column 3: the JSON is malformed: expected `,` or `}`",
        ),
        (small("b2", "\"size\"", "\"sise\""), "populations[0] (line 6) has an unknown key `sise`; did you mean `size`?"),
        (small("b3", "\"size\": 10", "\"size\": 0"), "populations[0].size is 0, but a population needs at least one neuron"),
        (small("b4", "\"p\": 0.5", "\"p\": 1.5"), "projections[0].connect.p is 1.5, but a probability is between 0 and 1"),
        (
            small("b5", "\"dt_ms\": 0.1", "\"dt_ms\": 0"),
            "dt_ms is 0, but a time step must be a finite number of milliseconds above 0",
        ),
        (small("b6", "\"dt_ms\": 0.1", "\"dt_ms\": NaN"), "line 3, column 12: the JSON is malformed: NaN is not a finite number"),
        (small("b7", "0.01", "1e999"), "the number is too large; write a smaller one"),
        (small("b8", "10 ms", "10 mV"), "equations, line 1, column 9: `(I - v)/tau` is"),
        (small("b9", "\"v = 0\"", "\"v = 2\""), "populations[0].threshold is `v > 1`, but it is still true after the reset ("),
        (small("b10", "\"threshold\": \"v > 1\"", "\"threshold\": \"x > 1\""), "`x`"),
        (
            small("b11", "\"equations\": \"dv/dt = (I - v)/tau : 1\\nI : 1 (constant)\",", "\"model\": \"lif_expo\","),
            "a library model defines this itself",
        ),
        (
            spikelet(&[
                "run",
                &file(
                    "b12",
                    r#"{"name": "x", "dt_ms": 1, "duration_ms": 1, "populations": [{"name": "n", "size": 1, "model": "lif_epx"}]}"#,
                ),
            ]),
            "populations[0].model: there is no model `lif_epx`; did you mean `lif_exp`?",
        ),
        (run(&["--dt", "-0.1"]), "dt_ms is -0.1, but a time step"),
        (run(&["--dt", "nan"]), "dt_ms is NaN, but a time step must be a finite number of milliseconds above 0"),
        (run(&["--time", "-1"]), "duration_ms is -1, but a duration"),
        (run(&["--time", "1e15"]), "and a run has at most 2147483647; use a shorter time or a longer step"),
        (run(&["--scale", "0"]), "scale is 0, but it multiplies 3200 neurons"),
        (run(&["--set", "E.size=0"]), "populations[0].size is 0, but"),
        (run(&["--set", "EE.p=7"]), "projections[0].connect.p is 7, but"),
        (run(&["--set", "E.tuam=15 ms"]), "`tuam`; did you mean `taum`?"),
        (run(&["--set", "E.taum=15 mV"]), "is a voltage; `taum` must be a time, such as 5 ms"),
        (run(&["--set", "E.taum=inf"]), "populations[0].parameters.taum is inf, but a finite number is expected"),
        (run(&["--set", "EX.taum=1"]), "there is no population, source or projection `EX`; did you mean"),
        (run(&["--set", "E.Vr=-40"]), "it is still true after the reset ("),
        (
            run(&["--at", "5 ms: E.tuam=1"]),
            "changes[0].set[\"E.tuam\"]: populations[0].parameters: there is no `lif_exp` parameter `tuam`",
        ),
        (run(&["--at", "5 ms: F.taum=1"]), "changes[0].set[\"F.taum\"]: there is no population, source or projection `F`"),
        (run(&["--at", "5 mV: E.taum=1"]), "a change needs a time, and 5 mV is volt"),
        (run(&["--at", "-5 ms: E.taum=1"]), "changes[0].at_ms is -5, but"),
        (
            run(&["--stop", "spike > 3"]),
            "stop[0]: condition, line 1, column 1: a condition must begin with `spikes` or `rate`, found ",
        ),
        (run(&["--set", "E.taum"]), "a setting has the form path, `=`, value, such as E.taum=\"15 ms\""),
        (spikelet(&["run", &file("b13", SMALL), "--scale", "2"]), "--scale 2 needs a network of the catalogue, and "),
        (spikelet(&["verify", "no/such"]), "there is no file or folder no/such; check the path"),
        (
            spikelet(&["verify", &folder("no_cases").display().to_string()]),
            "contains no case; a case is a file that ends in .json",
        ),
        (spikelet(&["verify"]), "<PATH>"),
        (spikelet(&["verify", ".", "--seeds", "0"]), "'--seeds <N>'"),
        (spikelet(&["run", "cuba", "--backend", "tpu"]), "possible values: auto, gpu, cpu"),
        (run(&["--adapter", "0"]), "the adapter is `0`, but the CPU was requested as well; remove one of the two"),
        (spikelet(&["verify", ".", "--adapter", "0"]), "--adapter 0 needs --backend gpu, and cases run on the CPU; add it"),
        (spikelet(&["check", "cuba", "--adapter", "0"]), "--kernels"),
        (spikelet(&["list", "networks", "--kind", "neuron"]), "--kind goes with `spikelet list models`"),
        (run(&["--trials", "0"]), "'--trials <N>'"),
        (run(&["--trials", "2", "--trial", "1"]), "cannot be used with '--trial <N>'"),
        (run(&["--sweep", "E.taum=10ms..30ms"]), "a range needs `:` and the number of values"),
        (run(&["--sweep", "E.taum=10ms..30mV:3"]), "one end is second, the other volt"),
        (run(&["--sweep", "E.taum=1ms,2ms", "--sweep", "E.taum=3ms"]), "E.taum twice"),
        (run(&["--sweep", "E.tuam=10ms,20ms"]), "`tuam`; did you mean `taum`?"),
        (run(&["--sweep", "F.taum=10ms,20ms"]), "there is no population, source or projection `F`"),
        (run(&["--sweep", "E.taum=10ms,0ms"]), "the time constant `taum` must be above 0"),
        (run(&["--format", "csv"]), "--out <DIR>"),
    ];
    for (output, expected) in cases {
        let message = text(&output.stderr);
        assert!(message.contains(expected), "expected: {expected}\n     got: {message}");
        assert_eq!((code(&output), text(&output.stdout)), (2, String::new()), "{expected}");
        assert_eq!(message.matches("error:").count(), 1, "{message}");
    }
}

/// What is wrong is there for machines, too, with its place; `check` finds all of it.
#[test]
fn mistakes_are_told_as_json() {
    let emitted = |arguments: &[&str]| {
        let output = spikelet(&[arguments, &["--json"]].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
        assert_eq!((code(&output), &report["completed"]), (2, &false.into()));
        assert!(text(&output.stderr).starts_with("error: "), "{}", text(&output.stderr));
        report["mistakes"].clone()
    };
    let place = |mistake: &Value| (mistake["path"].clone(), mistake["line"].clone(), mistake["column"].clone());
    let broken = file("json_model", &SMALL.replace("v > 1", "v >\\n 1*mV").replace("v = 0", "x = 0"));
    for command in ["run", "check"] {
        let mistakes = emitted(&[command, &broken]);
        let of = |path: &str| {
            let found = mistakes.as_array().into_iter().flatten().find(|mistake| mistake["path"] == path);
            found.unwrap_or_else(|| panic!("{mistakes}")).clone()
        };
        let (threshold, reset) = (of("populations[0].threshold"), of("populations[0].reset"));
        assert_eq!((place(&threshold).1, place(&reset)), (1.into(), ("populations[0].reset".into(), 1.into(), 1.into())));
        assert_eq!(threshold["file"], broken);
        assert_eq!((&threshold["kind"], threshold["column"].as_u64()), (&"dimension_mismatch".into(), Some(1)), "{mistakes}");
    }
    let cut = emitted(&["check", &file("json_cut", &SMALL.replace("\"dt_ms\": 0.1,", "\"dt_ms\": 0.1"))]);
    assert_eq!(place(&cut[0]), ("".into(), 4.into(), 3.into()), "{cut}");
    let key = emitted(&["run", &file("json_key", &SMALL.replace("\"size\"", "\"sise\""))]);
    assert_eq!(place(&key[0]), ("populations[0]".into(), 6.into(), Value::Null), "{key}");
    let several = emitted(&[
        "check",
        &file(
            "json_several",
            &SMALL
                .replace("\"p\": 0.5", "\"p\": 5")
                .replace("\"recordings\": [", "\"recordings\": [{\"object\": \"Z\", \"var\": \"v\", \"indices\": [0]}, "),
        ),
    ]);
    assert_eq!(several.as_array().map(Vec::len), Some(2), "{several}");
    let unknown = &emitted(&["run", "cubba"])[0];
    assert_eq!((&unknown["message"], &unknown["help"]), (&"There is no network `cubba`.".into(), &"Did you mean `cuba`?".into()));
    assert_eq!(emitted(&["run", "no/such.json"])[0]["path"], Value::Null);
}

/// Names come from files: they steer no terminal, and fill none.
#[test]
fn what_a_terminal_shows_is_escaped_and_short() {
    let name = "\\u001b[2J\\u001b[31mPWNED\\u0007";
    let network = file("steering", &SMALL.replace("\"small\"", &format!("\"{name}\"")));
    for arguments in [&["check", &network][..], &["run", &network, "--backend", "cpu"], &["run", &network, "--dry-run"]] {
        let output = spikelet(arguments);
        assert_eq!(code(&output), 2, "{}", text(&output.stderr));
        let shown = text(&output.stdout) + &text(&output.stderr);
        assert!(shown.contains("␛[2J␛[31mPWNED␇") && !shown.contains(['\u{1b}', '\u{7}']), "{shown}");
    }
    let wrong = spikelet(&["run", "no\u{1b}[2J/such.json"]);
    assert!(text(&wrong.stderr).contains("no␛[2J/such.json") && code(&wrong) == 2, "{}", text(&wrong.stderr));
    let lines = (0..300).map(|line| format!("d{line} = 1")).collect::<Vec<_>>().join("\\n");
    let many = spikelet(&["check", &file("many", &SMALL.replace("I : 1 (constant)", &lines))]);
    let message = text(&many.stderr);
    assert!(code(&many) == 2 && message.lines().count() <= 41 && message.contains(" more"), "{message}");
}

#[test]
fn the_last_trial_there_is_runs() {
    let output = spikelet(&["run", &file("last_trial", SMALL), "--backend", "cpu", "--trial", "4294967295", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    assert_eq!((code(&output), &report["results"][0]["trial"]), (0, &4_294_967_295_u32.into()));
}
