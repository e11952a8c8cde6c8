//! What programs print, as results.

use serde_json::{Value, json};

/// The lines of an own item: each is a result.
pub(crate) fn lines(_: &str, text: &str) -> Result<Vec<Value>, String> {
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).filter(|line: &Value| line["kind"] != "begin").collect())
}

fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("its output is not JSON: {error}"))
}

/// Copies numbers and texts that are known under other names.
fn copy(from: &Value, to: &mut Value, keys: &[(&str, &str)]) {
    for (key, name) in keys {
        if !from[*key].is_null() {
            to[*name] = from[*key].clone();
        }
    }
}

/// Figures of `spikelet bench --json`.
pub(crate) fn bench(_: &str, text: &str) -> Result<Vec<Value>, String> {
    let measured = parse(text)?;
    let figure = |of: &Value| {
        let case = format!("{}/{}", of["network"].as_str().unwrap_or("?"), of["size"].as_str().unwrap_or("?"));
        let mut figure = json!({"kind": "figure", "case": case, "device": of["backend"]["kind"]});
        let keys = [
            ("trials", "trials"),
            ("neurons", "neurons"),
            ("synapses", "synapses"),
            ("steps_per_second", "steps_per_s"),
            ("spread", "spread"),
            ("real_time_factor", "real_time_factor"),
            ("build_seconds", "build_s"),
            ("synaptic_events_per_second", "events_per_s"),
            ("spikes", "spikes"),
            ("spikes_hash", "hash"),
            ("compared_ms", "compared_ms"),
        ];
        copy(of, &mut figure, &keys);
        if let Some(seconds) = of["first_spike_seconds"].as_f64() {
            figure["first_spike_ms"] = (1000.0 * seconds).into();
        }
        if of["backend"]["kind"] == "cpu" {
            figure["threads"] = of["backend"]["threads"].clone();
        }
        let keys = [
            ("dispatches_per_epoch", "dispatches_per_epoch"),
            ("steps_per_submission", "steps_per_submission"),
            ("encode_microseconds_per_dispatch", "us_per_dispatch"),
            ("bytes", "bytes"),
        ];
        copy(&of["gpu"], &mut figure, &keys);
        figure
    };
    let figures: Vec<Value> = measured.as_array().into_iter().flatten().map(figure).collect();
    if figures.is_empty() { Err("it measured nothing".into()) } else { Ok(figures) }
}

/// The case and the device of the name of a job: `train/xor/bptt/gpu`.
fn parts(name: &str) -> (&str, &str) {
    name.rsplit_once('/').unwrap_or((name, "gpu"))
}

/// A figure of `spikelet assemblies project --json`.
pub(crate) fn assemblies(name: &str, text: &str) -> Result<Vec<Value>, String> {
    let (report, (case, device)) = (parse(text)?, parts(name));
    let seconds = report["seconds_per_round"].as_f64().filter(|seconds| *seconds > 0.0).ok_or("it ran no round")?;
    let mut figure = json!({"kind": "figure", "case": case, "device": device, "value": 1.0 / seconds, "unit": "rounds/s"});
    copy(&report, &mut figure, &[("n", "neurons"), ("memory_bytes", "bytes")]);
    copy(&report["results"][0], &mut figure, &[("winners_hash", "hash")]);
    Ok(vec![figure])
}

/// A figure of `spikelet train --json`: the time of the last epoch.
pub(crate) fn training(name: &str, text: &str) -> Result<Vec<Value>, String> {
    let (case, device) = parts(name);
    let last = parse(text.lines().last().unwrap_or_default())?;
    let seconds = last["final"]["seconds"].as_f64().ok_or("it completed no epoch")?;
    let mut figure = json!({"kind": "figure", "case": case, "device": device, "value": seconds, "unit": "s/epoch"});
    copy(&last["final"], &mut figure, &[("loss", "loss"), ("accuracy_test", "accuracy")]);
    Ok(vec![figure])
}

/// The profile of `spikelet run --profile --json`.
pub(crate) fn profile(name: &str, text: &str) -> Result<Vec<Value>, String> {
    let report = parse(text)?;
    let Some(profile) = report["profile"].as_object() else { return Err("it measured nothing".into()) };
    let mut line = json!({"kind": "profile", "case": name});
    copy(&report, &mut line, &[("neurons", "neurons"), ("time_ms", "time_ms"), ("real_time_factor", "real_time_factor")]);
    // Advice is for those who read the profile itself.
    let wanted = profile.iter().filter(|(key, value)| *key != "advice" && !value.is_null());
    line.as_object_mut()
        .into_iter()
        .for_each(|line| line.extend(wanted.clone().map(|(key, value)| (key.clone(), value.clone()))));
    Ok(vec![line])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bench_becomes_figures() {
        let text = r#"[{"name": "lif/1e2/cpu", "network": "lif", "size": "1e2", "backend": {"kind": "cpu", "threads": 2}, "trials": 1,
            "steps_per_second": 1000.5, "first_spike_seconds": 0.25, "spikes": 7, "spikes_hash": "95bd", "gpu": null},
            {"network": "lif", "size": "1e2", "backend": {"kind": "gpu", "threads": 0}, "first_spike_seconds": null,
            "gpu": {"steps_per_submission": 8.0}}]"#;
        let figures = bench("lif/1e2", text).expect("they are read");
        let cpu = json!({"kind": "figure", "case": "lif/1e2", "device": "cpu", "trials": 1, "steps_per_s": 1000.5, "spikes": 7,
            "hash": "95bd", "first_spike_ms": 250.0, "threads": 2});
        let gpu = json!({"kind": "figure", "case": "lif/1e2", "device": "gpu", "steps_per_submission": 8.0});
        assert_eq!(figures, [cpu, gpu]);
        assert_eq!(bench("", "[]"), Err("it measured nothing".to_owned()));
        assert!(bench("", "[{").is_err_and(|reason| reason.contains("not JSON")));
    }

    #[test]
    fn rounds_and_epochs_are_figures() {
        let text = r#"{"n": 1000, "seconds_per_round": 0.5, "memory_bytes": 9, "results": [{"winners_hash": "9e63"}]}"#;
        let figure = &assemblies("assemblies/project/gpu", text).expect("it is read")[0];
        assert_eq!((&figure["value"], &figure["device"], &figure["hash"]), (&json!(2.0), &json!("gpu"), &json!("9e63")));
        let text = "{\"epoch\": 1}\n{\"final\": {\"seconds\": 3.5, \"loss\": 0.7}, \"method\": \"bptt\"}\n";
        let figure = &training("train/xor/bptt/cpu", text).expect("it is read")[0];
        assert_eq!(
            *figure,
            json!({"kind": "figure", "case": "train/xor/bptt", "device": "cpu", "value": 3.5, "unit": "s/epoch", "loss": 0.7})
        );
        assert!(training("train/xor/bptt/cpu", "{\"final\": null}").is_err() && assemblies("a/gpu", "{}").is_err());
    }

    #[test]
    fn a_profile_keeps_what_is_known() {
        let text = r#"{"neurons": 400, "profile": {"kernels": [], "busy": null, "dispatches": 9, "advice": [1]}}"#;
        let line = &profile("cuba", text).expect("it is read")[0];
        assert_eq!(*line, json!({"kind": "profile", "case": "cuba", "neurons": 400, "kernels": [], "dispatches": 9}));
        assert!(profile("cuba", "{\"profile\": null}").is_err());
    }

    #[test]
    fn lines_of_an_own_item_are_results() {
        let text = "{\"kind\": \"begin\"}\na driver\n{\"kind\": \"figure\"}\n";
        assert_eq!(lines("", text), Ok(vec![json!({"kind": "figure"})]));
    }
}
