//! Runs that end by a panic, and files of unfinished runs that something else has changed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::unfinished::{PLASTIC, assert_same, kill, start, wait_for};
use super::{code, file, folder, json, spikelet, text};

/// The undisturbed run, and one that a panic ended at 100 ms, with checkpoints each 20 ms.
fn panicked(name: &str) -> (PathBuf, PathBuf) {
    let network = file(&format!("{name}_network"), PLASTIC);
    let (whole, out) = (folder(&format!("{name}_whole")), folder(&format!("{name}_out")));
    let base = ["run", &network, "--backend", "cpu", "--time", "200", "--threads", "1"];
    let undisturbed = spikelet(&[&base[..], &["--out", &whole.display().to_string()]].concat());
    assert_eq!(code(&undisturbed), 0, "{}", text(&undisturbed.stderr));
    let out_path = out.display().to_string();
    let options = ["--out", &out_path, "--checkpoint-every-model", "20ms", "--panic-at", "100"];
    let output = spikelet(&[&base[..], &options].concat());
    assert_eq!(code(&output), 1, "{}", text(&output.stderr));
    let message = text(&output.stderr);
    assert!(message.contains("error: the program has panicked: --panic-at; report this error"), "{message}");
    assert!(message.contains(&format!("`spikelet resume {out_path}` continues the run")), "{message}");
    (whole, out)
}

fn report(out: &Path) -> Value {
    serde_json::from_slice(&fs::read(out.join("report.json")).expect("a report")).expect("JSON")
}

const FILES: [&str; 4] = ["spikes.npz", "traces.npz", "statistics.npz", "network.json"];

/// What was recorded is written, and the run continues from its last checkpoint.
#[test]
fn a_panic_loses_nothing() {
    let (whole, out) = panicked("panic");
    let partial = report(&out);
    assert_eq!((&partial["completed"], partial["time_ms"].as_f64()), (&false.into(), Some(100.0)));
    assert!(partial["spikes"].as_u64() > Some(0) && FILES.iter().all(|name| out.join(name).exists()));
    json(&["resume", &out.display().to_string(), "--json"]);
    assert_same(&whole, &out, &FILES);
}

/// Tables that exist are written in another format than the run was started with.
#[test]
fn another_format_is_chosen_for_what_was_recorded() {
    let (_, out) = panicked("format");
    json(&["resume", &out.display().to_string(), "--format", "csv", "--json"]);
    assert!(out.join("spikes.csv").exists() && !out.join("spikes.npz").exists());
}

/// Results are written before weights and synapses are read from the device.
#[test]
fn a_panic_after_the_run_leaves_all_results() {
    let network = file("panic_end_network", PLASTIC);
    for option in ["--save-weights", "--save-synapses"] {
        let out = folder(&format!("panic_end{option}"));
        let [path, saved] = [&out, &out.join("saved")].map(|path| path.display().to_string());
        let run = ["run", &network, "--backend", "cpu", "--time", "20", "--quiet", "--panic-at", "20", "--out", &path];
        let output = spikelet(&[&run[..], &[option, &saved]].concat());
        let message = text(&output.stderr);
        assert_eq!(code(&output), 1, "{message}");
        assert!(
            message.contains(&format!(
                "error: the program has panicked: --panic-at; report this error; what was recorded until then is in {path}"
            )),
            "{message}"
        );
        assert_eq!(report(&out)["completed"], true);
        assert!(FILES.iter().all(|name| out.join(name).exists()));
        json(&["resume", &path, "--json"]);
        assert!(Path::new(&saved).exists() && !out.join("unfinished").exists());
    }
}

/// A byte that is wrong near the end of a table leads to the checkpoint before it, and one at its beginning to an error.
#[test]
fn a_changed_table_is_found() {
    let (whole, out) = panicked("tables");
    let path = out.display().to_string();
    for name in ["spikes.bin", "traces.bin", "statistics.bin"] {
        let table = out.join("unfinished").join(name);
        let content = fs::read(&table).expect("it is there");
        for wrong in [0, 7] {
            let mut changed = content.clone();
            changed[wrong] ^= 4;
            fs::write(&table, &changed).expect("the folder is writable");
            let output = spikelet(&["resume", &path]);
            let message = text(&output.stderr);
            assert_eq!(code(&output), 1, "{name}: {message}");
            assert!(message.contains(&format!("{name} has other content than the checkpoint expects")), "{message}");
        }
        fs::write(&table, &content[..content.len() / 4]).expect("the folder is writable");
        let output = spikelet(&["resume", &path]);
        let message = text(&output.stderr);
        assert_eq!(code(&output), 1, "{name}: {message}");
        assert!(message.contains(&format!("{name} has {} bytes instead of ", content.len() / 4)), "{message}");
        fs::write(&table, &content).expect("the folder is writable");
    }
    // The last checkpoint is at 100 ms, and the one before it at 80: a row of samples is 20 bytes, one each ms.
    let table = out.join("unfinished/traces.bin");
    let mut changed = fs::read(&table).expect("it is there");
    changed[95 * 20] ^= 1;
    fs::write(&table, &changed).expect("the folder is writable");
    let output = spikelet(&["resume", &path]);
    let message = text(&output.stderr);
    assert_eq!(code(&output), 0, "{message}");
    assert!(
        message.contains("the run continues from another one") && message.contains("the run continues at 80 ms"),
        "{message}"
    );
    assert_same(&whole, &out, &FILES);
}

/// How a run was started, and its checkpoints, belong together.
#[test]
fn a_changed_description_and_a_foreign_checkpoint_are_found() {
    let (_, out) = panicked("description");
    let (_, other) = panicked("description_other");
    let path = out.display().to_string();
    let description = out.join("unfinished/run.json");
    let content = fs::read_to_string(&description).expect("it is there");
    for (from, to) in [("\"indices\":[0,5]", "\"indices\":[0,6]"), ("\"200\"", "\"300\""), ("\"ranks\":1", "\"ranks\":2")] {
        assert!(content.contains(from), "{content}");
        fs::write(&description, content.replace(from, to)).expect("the folder is writable");
        let output = spikelet(&["resume", &path]);
        let message = text(&output.stderr);
        assert_eq!(code(&output), 2, "{message}");
        assert!(message.contains("run.json is damaged: its checksum is wrong"), "{message}");
    }
    fs::write(&description, content).expect("the folder is writable");
    for entry in fs::read_dir(other.join("unfinished")).expect("a folder") {
        let entry = entry.expect("an entry");
        if entry.file_name().to_string_lossy().starts_with("checkpoint-") {
            fs::copy(entry.path(), out.join("unfinished").join(entry.file_name())).expect("the folder is writable");
        }
    }
    let output = spikelet(&["resume", &path]);
    let message = text(&output.stderr);
    assert_eq!(code(&output), 1, "{message}");
    assert!(message.contains("is damaged: it is of another run than run.json beside it"), "{message}");
}

/// What comes from others writes nowhere but in its folder, unless that is confirmed.
#[test]
fn a_run_that_continues_writes_in_its_folder_only() {
    let network = file("outside_network", PLASTIC);
    let (out, elsewhere) = (folder("outside_out"), folder("outside_elsewhere"));
    let [path, weights] = [out.clone(), elsewhere.join("weights.npz")].map(|path| path.display().to_string());
    let run = ["run", &network, "--backend", "cpu", "--time", "40", "--quiet", "--checkpoint-every-model", "10ms"];
    let output = spikelet(&[&run[..], &["--out", &path, "--save-weights", &weights, "--panic-at", "20"]].concat());
    assert_eq!(code(&output), 1, "{}", text(&output.stderr));
    let output = spikelet(&["resume", &path]);
    let message = text(&output.stderr);
    assert_eq!(code(&output), 2, "{message}");
    assert!(
        message.contains(&format!(
            "the run in {path} writes {weights} (--save-weights), which is outside this folder; add --allow-outside"
        )),
        "{message}"
    );
    assert!(!Path::new(&weights).exists());
    #[cfg(unix)]
    {
        let (lock, kept) = (out.join("unfinished/lock"), elsewhere.join("kept"));
        fs::write(&kept, "kept").expect("the folder is writable");
        fs::remove_file(&lock).expect("it is there");
        std::os::unix::fs::symlink(&kept, &lock).expect("the folder is writable");
        let output = spikelet(&["resume", &path, "--allow-outside"]);
        let message = text(&output.stderr);
        assert!(code(&output) == 2 && message.contains("lock is a link: a run has files of its own only"), "{message}");
        assert_eq!(fs::read_to_string(&kept).expect("it is there"), "kept");
        fs::remove_file(&lock).expect("it is there");
    }
    json(&["resume", &path, "--allow-outside", "--json"]);
    assert!(Path::new(&weights).exists() && !out.join("unfinished").exists());
}

/// Batch systems announce the end of a job by signals, at which the state is saved, also without --checkpoint-every.
#[test]
#[cfg(unix)]
fn a_signal_of_a_batch_system_saves_the_state() {
    let (network, out) = (file("announced_network", PLASTIC), folder("announced_out"));
    let path = out.display().to_string();
    let run = ["run", &network, "--backend", "cpu", "--time", "1e7", "--quiet", "--out", &path];
    let mut child = start(&run);
    wait_for(&out.join("unfinished/spikes.bin"), &mut child);
    for (number, signal) in (1..).zip(["USR1", "USR2", "XCPU"]) {
        let sent = std::process::Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(sent.expect("kill is there").success());
        wait_for(&out.join(format!("unfinished/checkpoint-{number}")), &mut child);
        assert!(child.try_wait().expect("a process").is_none(), "it goes on after {signal}");
    }
    kill(child);
    assert!(!out.join("report.json").exists());
    let again = spikelet(&run);
    assert!(text(&again.stderr).contains("has an unfinished run; `spikelet resume"), "{}", text(&again.stderr));
}
