//! `spikelet partition`.

use std::fs;

use serde_json::Value;

use super::{SMALL, code, file, folder, json, spikelet, text};

#[test]
fn all_methods_are_compared() {
    let report = json(&["partition", "waves", "--ranks", "4", "--json"]);
    let methods = report["methods"].as_array().expect("a list");
    let names: Vec<&str> = methods.iter().filter_map(|of| of["name"].as_str()).collect();
    assert_eq!(names, ["blocks", "axis:x", "axis:y", "rcb", "kmeans", "graph"]);
    for of in methods {
        for key in ["cut", "expected_spikes_exchanged", "imbalance", "memory_imbalance", "sampling_error", "seconds"] {
            assert!(of[key].as_f64().is_some_and(|number| number >= 0.0), "{key}: {of}");
        }
    }
    let best = report["best"].as_str().expect("a name");
    let sentence = report["reason"].as_str().expect("a sentence");
    assert!(sentence.starts_with(&format!("{best} exchanges the fewest spikes")), "{sentence}");
    let shown = spikelet(&["partition", "waves", "--ranks", "4"]);
    let shown = text(&shown.stdout);
    assert!(shown.contains("neurons, 1.613e4 synapses expected, 4 ranks"), "{shown}");
    assert!(shown.contains(&format!("* {best}")) && shown.contains("fewest spikes"), "{shown}");
}

#[test]
fn a_partition_is_written_and_drawn() {
    let folder = folder("partition");
    let [out, svg] = ["parts.json", "parts.svg"].map(|name| folder.join(name).display().to_string());
    for (name, scale, shape) in [("lattice4d", "0.4", 4), ("waves", "0.1", 2), ("pd14", "0.02", 0)] {
        let report = json(&[
            "partition",
            name,
            "--scale",
            scale,
            "--ranks",
            "3",
            "--method",
            "graph",
            "--json",
            "--out",
            &out,
            "--svg",
            &svg,
        ]);
        assert_eq!((report["best"].as_str(), report["reason"].as_str()), (Some("graph"), Some("graph was requested")));
        let written: Value = serde_json::from_str(&fs::read_to_string(&out).expect("it was written")).expect("JSON");
        assert_eq!(written["ranks"], 3);
        let populations = written["populations"].as_object().expect("an object");
        assert!(populations.values().all(|of| of["blocks"].is_array() || of["ranks"].is_array()), "{name}");
        let picture = fs::read_to_string(&svg).expect("it was written");
        for part in ["<svg xmlns", "prefers-color-scheme:dark", "rank 0", "3 ranks by graph", "</svg>"] {
            assert!(picture.contains(part), "{name}: {part}");
        }
        let panels = picture.matches("class=\"frame\"").count();
        assert_eq!(panels, [0, 0, 1, 0, 16][shape], "{name}");
        assert!(picture.len() < 2_000_000, "{} bytes", picture.len());
    }
}

#[test]
fn measured_rates_count() {
    let folder = folder("rates");
    let (network, rates) = (file("rated", SMALL), folder.join("rates.json").display().to_string());
    let run = spikelet(&["run", &network, "--json", "--backend", "cpu"]);
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let measured = report["populations"][0]["rate_hz"].as_f64().expect("a rate");
    fs::write(&rates, &run.stdout).expect("the target folder is writable");
    let exchanged = |more: &[&str]| {
        let report = json(&[&["partition", &network, "--ranks", "2", "--method", "blocks", "--json"], more].concat());
        report["methods"][0]["expected_spikes_exchanged"].as_f64().expect("a number")
    };
    let per_hertz = exchanged(&[]) / 5.0;
    assert!((exchanged(&["--rates", &rates]) / (per_hertz * measured) - 1.0).abs() < 1e-9, "{measured}");
    fs::write(&rates, "{\"n\": 12.5}").expect("the target folder is writable");
    assert!((exchanged(&["--rates", &rates]) / (per_hertz * 12.5) - 1.0).abs() < 1e-9);
}

#[test]
fn what_cannot_be_divided_is_rejected() {
    let folder = folder("bad_rates");
    let rates = |name: &str, content: &str| {
        let path = folder.join(name);
        fs::write(&path, content).expect("the target folder is writable");
        path.display().to_string()
    };
    let (unknown, negative) = (rates("a.json", "{\"F\": 1}"), rates("b.json", "{\"E\": -1}"));
    for (arguments, part) in [
        (["cuba", "--ranks", "0"].as_slice(), "ranks is 0, but a network of 4000 neurons can have 1 to 4000 ranks"),
        (&["cuba", "--ranks", "4001"], "ranks is 4001, but"),
        (&["cuba", "--ranks", "-1"], "--ranks"),
        (&["cuba"], "--ranks"),
        (&["cuba", "--ranks", "2", "--method", "grap"], "there is no method `grap`; did you mean `graph`?"),
        (&["cuba", "--ranks", "2", "--method", "kmeans"], "no population of the network has positions; use one of blocks, graph"),
        (&["waves", "--ranks", "2", "--method", "axis:w"], "the positions of the network have only the coordinates x, y"),
        (&["cuba", "--ranks", "2", "--rates", &unknown], "there is no population or source `F`"),
        (&["cuba", "--ranks", "2", "--rates", &negative], "E is -1, but a rate is a number of Hz, 0 or more"),
        (&["cuba", "--ranks", "2", "--rates", "none.json"], "none.json cannot be read"),
        (&["cubba", "--ranks", "2"], "did you mean `cuba`?"),
    ] {
        let rejected = spikelet(&[&["partition"], arguments].concat());
        let sentence = text(&rejected.stderr);
        assert!(code(&rejected) == 2 && sentence.contains(part), "{arguments:?}: {sentence}");
        assert!(rejected.stdout.is_empty(), "{arguments:?}");
    }
}
