//! Runs that are saved while they run, and continued: nothing is lost, and nothing is different.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{code, file, folder, json, spikelet, text};

/// Cells with noise, plastic synapses, a recording, a statistic and a change.
pub(super) const PLASTIC: &str = r#"{
  "name": "learning", "dt_ms": 0.1, "duration_ms": 5000, "seed": 7,
  "populations": [
    {"name": "E", "size": 120, "equations": "dv/dt = (I - v)/tau + 0.6*xi/sqrt(tau) : 1", "method": "euler",
     "threshold": "v > 1", "reset": "v = 0", "refractory": "2*ms", "parameters": {"tau": "10 ms", "I": 1.05}}
  ],
  "projections": [
    {"name": "EE", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.2}, "on_pre": "v_post += w\ntrace_pre += 0.002\nw = clip(w - trace_post, 0, 0.1)",
     "on_post": "trace_post += 0.002\nw = clip(w + trace_pre, 0, 0.1)",
     "equations": "dtrace_pre/dt = -trace_pre/(20*ms) : 1 (event-driven)\ndtrace_post/dt = -trace_post/(20*ms) : 1 (event-driven)\nw : 1",
     "initial": {"w": {"expr": "0.05*rand()"}}, "delay_ms": 1.5}
  ],
  "recordings": [{"object": "E", "var": "v", "indices": [0, 5], "every_ms": 1}],
  "statistics": [{"object": "EE", "var": "w", "every_ms": 50, "bins": 8, "range": [0, 0.1]}],
  "changes": [{"at_ms": 170, "set": {"E.I": 1.15}}]
}"#;

/// The files of a run that do not contain wall times.
const FILES: [&str; 5] = ["spikes.npz", "traces.npz", "statistics.npz", "network.json", "weights.npz"];

pub(super) fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spikelet"));
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// Waits until a file exists.
pub(super) fn wait_for(path: &Path, child: &mut Child) {
    let began = Instant::now();
    while !path.exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "{} does not appear", path.display());
        if let Some(status) = child.try_wait().expect("a process") {
            panic!("{} has not appeared before the end: {status}", path.display());
        }
        sleep(Duration::from_millis(2));
    }
}

pub(super) fn kill(mut child: Child) {
    // It may have ended by itself.
    _ = child.kill();
    child.wait().expect("a process");
}

fn report(out: &Path) -> Value {
    serde_json::from_slice(&fs::read(out.join("report.json")).expect("a report")).expect("JSON")
}

/// What two runs have in common.
pub(super) fn assert_same(whole: &Path, other: &Path, files: &[&str]) {
    for name in files {
        let [expected, found] = [whole, other].map(|folder| fs::read(folder.join(name)).unwrap_or_else(|_| panic!("{name}")));
        assert!(expected == found, "{name} differs");
    }
    let (whole, other) = (report(whole), report(other));
    for key in
        ["time_ms", "completed", "spikes", "synaptic_events", "populations", "spikes_hash", "changes", "stopped", "results"]
    {
        assert_eq!(whole[key], other[key], "{key}");
    }
    assert_eq!(whole["completed"], true);
}

/// The undisturbed run, and the arguments of another one in a folder of its own.
fn plastic(name: &str, options: &[&str]) -> (std::path::PathBuf, std::path::PathBuf, Vec<String>) {
    let network = file(&format!("{name}_network"), PLASTIC);
    let arguments = |out: &Path| -> Vec<String> {
        let weights = out.join("weights.npz").display().to_string();
        let base =
            ["run", &network, "--backend", "cpu", "--json", "--save-weights", &weights, "--out", &out.display().to_string()];
        base.iter().chain(options).map(|text| (*text).to_owned()).collect()
    };
    let (whole, other) = (folder(&format!("{name}_whole")), folder(&format!("{name}_out")));
    let all = arguments(&whole);
    json(&all.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(!whole.join("unfinished").exists());
    let mut with_checkpoints = arguments(&other);
    with_checkpoints.extend(["--checkpoint-every-model".to_owned(), "20ms".to_owned()]);
    (whole, other, with_checkpoints)
}

#[test]
fn a_killed_run_ends_as_if_nothing_had_happened() {
    killed_again_and_again("killed", &["--statistics", "--threads", "2"], 12);
}

#[test]
fn a_killed_run_in_f64_ends_as_if_nothing_had_happened() {
    killed_again_and_again("killed_f64", &["--precision", "f64", "--time", "1500"], 6);
}

/// Kills a run at moments that nobody chooses, until it ends.
fn killed_again_and_again(name: &str, options: &[&str], few: u32) {
    let (whole, out, arguments) = plastic(name, options);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let path = out.display().to_string();
    let kills = if std::env::var_os("SPIKELET_FULL").is_some() { 200 } else { few };
    let mut random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0_u64);
    let (mut killed, mut runs) = (0, 0);
    while killed < kills {
        let begun = !out.join("unfinished/run.json").exists();
        let resume = ["resume", &path, "--json"];
        let mut child = start(if begun { &arguments } else { &resume });
        if begun {
            wait_for(&out.join("unfinished/run.json"), &mut child);
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        sleep(Duration::from_millis(random >> 32 & 0x1ff));
        if child.try_wait().expect("a process").is_some() {
            let output = child.wait_with_output().expect("a process");
            assert!(output.status.success(), "{}", text(&output.stderr));
            assert_same(&whole, &out, &FILES);
            runs += 1;
            fs::remove_dir_all(&out).expect("it can be removed");
            continue;
        }
        kill(child);
        killed += 1;
        // Either it can be continued, or it is gone and the results are complete.
        let can_continue = out.join("unfinished/run.json").is_file();
        assert!(can_continue || out.join("report.json").is_file() && !out.join("unfinished").exists());
        if !can_continue {
            assert_same(&whole, &out, &FILES);
        }
    }
    if out.join("unfinished/run.json").exists() {
        let last = json(&["resume", &path, "--json"]);
        assert_eq!(last["spikes_hash"], report(&whole)["spikes_hash"]);
        assert_same(&whole, &out, &FILES);
        assert!(!out.join("unfinished").exists());
        runs += 1;
    }
    println!("killed {killed} times in {runs} runs");
}

/// A terminated run says how it continues; another one in its folder is an error, and the report again comes for a run that has ended.
#[test]
#[cfg(unix)]
fn a_terminated_run_is_continued() {
    let (whole, out, arguments) = plastic("terminated", &["--time", "4000"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let path = out.display().to_string();
    let mut child = start(&arguments);
    wait_for(&out.join("unfinished/checkpoint-3"), &mut child);
    let status = Command::new("kill").arg(child.id().to_string()).status().expect("kill");
    assert!(status.success());
    let output = child.wait_with_output().expect("a process");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(143), "{said}");
    assert!(said.contains(&format!("and `spikelet resume {path}` continues the run")), "{said}");
    let partial = report(&out);
    assert_eq!((&partial["interrupted"], &partial["completed"]), (&"SIGTERM".into(), &false.into()));

    let again = spikelet(&arguments);
    let said = text(&again.stderr);
    assert_eq!(code(&again), 2, "{said}");
    assert!(said.starts_with(&format!("error: {path} has an unfinished run; `spikelet resume {path}` continues it")), "{said}");

    let continued = json(&["resume", &path, "--json", "--threads", "1"]);
    assert_eq!(continued["resumed"], 1);
    assert_same(&whole, &out, &FILES);
    assert_eq!(json(&["resume", &path, "--json"]), continued);
    let quiet = spikelet(&["resume", &path]);
    assert_eq!((code(&quiet), text(&quiet.stderr).contains("has ended; its results are complete")), (0, true));
}

/// What is there while a run lasts is what numpy reads: whole records of words.
#[test]
fn what_was_recorded_is_there_while_the_run_lasts() {
    let (_, out, arguments) = plastic("streamed", &["--time", "20000"]);
    let arguments: Vec<&str> =
        arguments.iter().filter(|text| !text.contains("checkpoint") && *text != "20ms").map(String::as_str).collect();
    let mut child = start(&arguments);
    wait_for(&out.join("unfinished/spikes.bin"), &mut child);
    while fs::metadata(out.join("unfinished/spikes.bin")).expect("it is there").len() < 3200 {
        sleep(Duration::from_millis(2));
    }
    // Another run in the same folder would write into its files.
    let other = spikelet(&arguments);
    assert_eq!(code(&other), 2, "{}", text(&other.stderr));
    assert!(text(&other.stderr).contains("another process runs in this folder"), "{}", text(&other.stderr));
    kill(child);
    let words = |name: &str| -> Vec<u32> {
        let bytes = fs::read(out.join("unfinished").join(name)).expect("it is there");
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    };
    let (spikes, traces) = (words("spikes.bin"), words("traces.bin"));
    assert!(spikes.len() >= 800 && spikes.len().is_multiple_of(4) && traces.len().is_multiple_of(5));
    assert!(spikes.chunks_exact(4).all(|spike| spike[..2] == [0, 0] && spike[3] < 120));
    assert!(spikes.chunks_exact(4).is_sorted_by_key(|spike| spike[2]));
    assert!(
        traces.chunks_exact(5).enumerate().all(|(row, values)| values[2] == row as u32 * 10 && f32::from_bits(values[3]) < 2.0)
    );

    // Without checkpoints it can be started again, or continued from its start.
    let path = out.display().to_string();
    assert_eq!(json(&["resume", &path, "--json"])["completed"], true);
}

/// Trials and points that have ended are not run again.
#[test]
fn a_sweep_continues_where_it_was() {
    for (name, options) in [
        ("sweep", "--sweep E.I=1..1.3:4 --trials 2 --time 1000"),
        ("groups", "--sweep E.size=100,110,120 --time 1000 --keep 120 --monitor 0.01s"),
        ("ranks", "--trials 5 --time 1000 --ranks 2 --split trials --threads 1"),
        ("shared", "--time 1000 --ranks 2 --split network --threads 1"),
    ] {
        let network = file(&format!("continued_{name}_network"), PLASTIC);
        let (whole, out) = (folder(&format!("continued_{name}_whole")), folder(&format!("continued_{name}_out")));
        let base = |out: &Path| -> Vec<String> {
            let base = ["run", &network, "--backend", "cpu", "--quiet", "--out", &out.display().to_string()];
            base.into_iter().chain(options.split(' ')).map(str::to_owned).collect()
        };
        let strings = base(&whole);
        let output = spikelet(&strings.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(code(&output), 0, "{name}: {}", text(&output.stderr));
        let strings = base(&out);
        let arguments: Vec<&str> = strings.iter().map(String::as_str).chain(["--checkpoint-every", "10ms"]).collect();
        let path = out.display().to_string();
        let mut continued = 0;
        for wait in 0.. {
            let resume = ["resume", &path];
            let mut child = start(if continued == 0 { &arguments } else { &resume });
            if continued == 0 {
                wait_for(&out.join("unfinished/checkpoint-2"), &mut child);
            }
            sleep(Duration::from_millis(60 * wait));
            if child.try_wait().expect("a process").is_some() {
                let output = child.wait_with_output().expect("a process");
                assert!(output.status.success(), "{name}: {}", text(&output.stderr));
                break;
            }
            kill(child);
            continued += 1;
        }
        assert!(continued > 0);
        assert_same(&whole, &out, &FILES[..4]);
        let resumed = report(&out)["resumed"].as_u64().expect("a number");
        assert!((1..=continued).contains(&resumed), "{name}: {resumed} of {continued}");
    }
}

/// Each byte of the newest checkpoint may be wrong: the one before it is used, and the end is the same.
#[test]
fn a_damaged_checkpoint_is_replaced_by_the_one_before_it() {
    let (whole, out, arguments) = plastic("damaged", &["--time", "1000"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let path = out.display().to_string();
    let mut child = start(&arguments);
    wait_for(&out.join("unfinished/checkpoint-5"), &mut child);
    kill(child);
    let folder = out.join("unfinished");
    let mut checkpoints: Vec<_> = fs::read_dir(&folder)
        .expect("a folder")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("checkpoint-")))
        .collect();
    let number =
        |path: &std::path::PathBuf| path.to_string_lossy().rsplit('-').next().and_then(|number| number.parse::<u32>().ok());
    checkpoints.sort_by_key(number);
    // It may have been ended before it removed the third last.
    assert!((2..=3).contains(&checkpoints.len()), "{checkpoints:?}");
    let newest = &checkpoints[checkpoints.len() - 1];
    let mut bytes = fs::read(newest).expect("it is there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(newest, &bytes).expect("it can be written");
    let output = spikelet(&["resume", &path]);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains("is damaged: its checksum is wrong; the run continues from another one"), "{said}");
    assert_same(&whole, &out, &FILES);
}

/// A kill while the folder is removed: its other name is no run, and goes.
#[test]
fn a_folder_that_was_being_removed_is_no_run() {
    let (whole, _, _) = plastic("half_removed", &["--time", "100"]);
    let rest = whole.join(".unfinished.removed");
    let path = whole.display().to_string();
    for again in [
        &["resume", &path, "--json"][..],
        &["run", "cuba", "--scale", "0.01", "--time", "10", "--backend", "cpu", "--json", "--out", &path],
    ] {
        fs::create_dir_all(&rest).expect("it can be made");
        fs::write(rest.join("checkpoint-3"), "half").expect("it can be written");
        assert_eq!(json(again)["completed"], true);
        assert!(!rest.exists() && !whole.join("unfinished").exists(), "{again:?}");
    }
}

#[test]
fn what_cannot_be_continued_says_why() {
    let empty = folder("nothing_to_continue");
    let output = spikelet(&["resume", &empty.display().to_string()]);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 2, "{said}");
    assert!(said.contains("has no run to continue; name the folder of --out"), "{said}");

    let network = file("not_continued_network", PLASTIC);
    let out = folder("not_continued_out").display().to_string();
    for (option, value) in [("--checkpoint-every", "soon"), ("--checkpoint-every-model", "0ms")] {
        let output = spikelet(&["run", &network, "--out", &out, option, value]);
        assert_eq!(code(&output), 2);
        assert!(text(&output.stderr).contains("is expected"), "{}", text(&output.stderr));
    }
    let output = spikelet(&["run", &network, "--checkpoint-every", "1s"]);
    assert!(text(&output.stderr).contains("--out"), "{}", text(&output.stderr));
}
