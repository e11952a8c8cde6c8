//! How runs end that do not run to their end.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{SMALL, code, file, folder, spikelet, text};

/// A network whose cells leave the numbers at a time of their own: v doubles in each step until it is beyond 3.4e38.
const GROWING: &str = r#"{"name": "growing", "dt_ms": 1, "duration_ms": 1000,
  "populations": [{"name": "n", "size": 300, "equations": "dv/dt = g*v/ms : 1", "method": "euler",
                   "parameters": {"g": 1}, "initial": {"v": {"expr": "1e-30 + 1e-23*int(i == 257)"}}}],
  "recordings": [{"object": "n", "var": "v", "indices": [0, 257]}]}"#;

fn arrays(path: &Path) -> Vec<String> {
    let archive = zip::ZipArchive::new(fs::File::open(path).expect("it was written")).expect("a whole archive");
    archive.file_names().map(|name| name.expect("a name").into_owned()).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).expect("a folder").filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn report(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("report.json")).expect("a report")).expect("JSON")
}

/// The first neuron that leaves the numbers, the variable and the step are named; what was recorded before is there, with any number of
/// threads.
#[test]
fn a_state_that_leaves_the_numbers_is_named_with_its_step() {
    let network = file("growing", GROWING);
    for threads in ["1", "2"] {
        let out = folder(&format!("growing_out_{threads}"));
        let output =
            spikelet(&["run", &network, "--backend", "cpu", "--threads", threads, "--json", "--out", &out.display().to_string()]);
        // 1e-23 · 2ⁿ is beyond 3.4e38 from n = 205 on: the step that starts with n = 204 leads there.
        let said = "v of neuron 257 in `n` became inf in step 204, at 204 ms: the step of 1 ms is too long";
        assert!(text(&output.stderr).starts_with(&format!("error: {said}")), "{}", text(&output.stderr));
        assert_eq!(code(&output), 1);
        let printed: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
        assert_eq!(
            (&printed["completed"], &printed["interrupted"], &printed["time_ms"]),
            (&false.into(), &Value::Null, &204.0.into())
        );
        assert!(printed["results"][0]["failure"].as_str().is_some_and(|failure| failure.starts_with(said)), "{printed}");
        assert_eq!(report(&out), printed);
        assert!(arrays(&out.join("traces.npz")).contains(&"values.npy".to_owned()));
    }
}

#[test]
fn one_bad_point_of_a_sweep_leaves_the_others_alone() {
    let (network, out) = (file("points", GROWING), folder("points_out"));
    let run = ["run", &network, "--backend", "cpu", "--time", "300", "--sweep", "n.g=0.1,1,0.2,0.9", "--json", "--format", "csv"];
    let output = spikelet(&[&run[..], &["--out", &out.display().to_string()]].concat());
    let message = text(&output.stderr);
    assert!(
        message.starts_with("error: 2 of 4 trials failed, the first: v of neuron 257 in `n` became inf in step 204"),
        "{message}"
    );
    let printed: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
    let completed: Vec<&Value> = (0..4).map(|point| &printed["results"][point]["completed"]).collect();
    assert_eq!((code(&output), completed), (1, vec![&Value::Bool(true), &false.into(), &true.into(), &false.into()]));
    let traces = fs::read_to_string(out.join("traces.csv")).expect("it was written");
    let rows = |variant: &str| traces.lines().filter(|line| line.starts_with(variant)).count();
    // 1e-23 · 1.9ⁿ is beyond 3.4e38 from n = 221 on.
    assert_eq!(["0,", "1,", "2,", "3,"].map(rows), [300, 204, 300, 220]);
    assert!(!traces.contains("inf") && !traces.contains("NaN"));
}

/// A GPU says the same as the CPU.
#[test]
fn a_gpu_names_the_same_step() {
    let network = file("growing_gpu", GROWING);
    for workgroups in [&[][..], &["--trials", "2"]] {
        let output = spikelet(&[&["run", &network, "--backend", "gpu", "--json"], workgroups].concat());
        if text(&output.stderr).contains("there is no GPU adapter") {
            assert!(std::env::var_os("SPIKELET_REQUIRE_ADAPTER").is_none(), "{}", text(&output.stderr));
            return println!("skipped: no adapter");
        }
        let message = text(&output.stderr);
        assert!(message.contains("v of neuron 257 in `n` became inf in step 204, at 204 ms"), "{message}");
        assert_eq!(code(&output), 1);
    }
}

/// What nobody reads is no success, and no panic.
#[cfg(unix)]
#[test]
fn a_closed_output_ends_the_command_with_1() {
    let sh = |command: &str| {
        let mut shell = Command::new("bash");
        shell.args(["-c", command, "bash", env!("CARGO_BIN_EXE_spikelet")]);
        shell.output().expect("bash is there")
    };
    // The shell tells the program's own exit code.
    let piped = sh("\"$1\" list models | head -1; exit ${PIPESTATUS[0]}");
    assert_eq!((text(&piped.stdout).lines().count(), text(&piped.stderr).as_str()), (1, ""));
    assert!(matches!(code(&piped), 0 | 1), "it may have printed all before the reader went");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut unread = Command::new(env!("CARGO_BIN_EXE_spikelet"));
    let unread = unread.args(["list", "models"]).stdout(writer).output().expect("the program starts");
    assert_eq!((code(&unread), text(&unread.stderr).as_str()), (1, ""));
    let closed = sh("\"$1\" list networks >&-");
    let message = text(&closed.stderr);
    assert_eq!((code(&closed), message.as_str()), (1, "error: the output cannot be written: standard output is closed\n"));
    // Nobody hears what is wrong: the code tells.
    assert_eq!(code(&sh("\"$1\" run cubba 2>&-")), 2);
    assert_eq!(code(&sh("\"$1\" run cuba --scale 0.1 --time 1 --backend cpu --quiet >&- 2>&-")), 0);
}

#[cfg(target_os = "linux")]
mod signals {
    use super::*;
    use std::process::Child;

    fn start(arguments: &[&str]) -> Child {
        let mut program = Command::new(env!("CARGO_BIN_EXE_spikelet"));
        program.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    }

    fn send(child: &Child, signal: &str) {
        let kill = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(kill.expect("kill is there").success());
    }

    /// The exit code, and what was printed.
    fn end(mut child: Child) -> (i32, String, String) {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        child.stdout.take().expect("a pipe").read_to_string(&mut stdout).expect("text");
        child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
        (child.wait().expect("it ends").code().expect("it ends by itself"), stdout, stderr)
    }

    /// Returns once a run has begun (the thread that watches until then is gone) and made steps (it has used 0.2 s since).
    fn wait_until_it_runs(child: &mut Child) {
        let process = format!("/proc/{}", child.id());
        let watched = || {
            let threads = fs::read_dir(format!("{process}/task")).into_iter().flatten().flatten();
            threads.filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok()).any(|name| name == "signals\n")
        };
        let ticks = || -> u64 {
            let stat = fs::read_to_string(format!("{process}/stat")).unwrap_or_default();
            stat.rsplit(')').next().and_then(|fields| fields.split_whitespace().nth(11)?.parse().ok()).unwrap_or(0)
        };
        let mut before = 0;
        loop {
            assert_eq!(child.try_wait().expect("a process"), None, "it ended by itself");
            if watched() {
                before = ticks();
            } else if ticks() > before + 20 {
                return;
            }
            std::thread::yield_now();
        }
    }

    /// What was recorded is written, told as incomplete, and the exit code is the signal's, quiet or not. Nothing of an earlier run stays.
    #[test]
    fn a_run_that_is_interrupted_keeps_what_it_has() {
        let network = file("interrupted", SMALL);
        for (signal, expected, quiet) in [("INT", 130, false), ("TERM", 143, true), ("HUP", 129, false)] {
            let out = folder(&format!("interrupted_{signal}"));
            fs::write(out.join("statistics.npz"), "of an earlier run").expect("the folder is writable");
            fs::write(out.join(".spikes.npz.77.draft"), "of one that was killed").expect("the folder is writable");
            fs::write(out.join("notes.txt"), "mine").expect("the folder is writable");
            let place = out.display().to_string();
            let mut arguments = vec!["run", &network, "--backend", "cpu", "--time", "1e7", "--json", "--out", &place];
            arguments.extend(quiet.then_some("--quiet"));
            let mut child = start(&arguments);
            wait_until_it_runs(&mut child);
            send(&child, signal);
            let (code, stdout, stderr) = end(child);
            assert_eq!(code, expected, "{stderr}");
            assert!(stderr.starts_with(&format!("interrupted by SIG{signal} at ")), "{stderr}");
            let printed: Value = serde_json::from_str(&stdout).expect("one JSON value");
            assert_eq!((&printed["completed"], &printed["interrupted"]), (&false.into(), &format!("SIG{signal}").into()));
            let time = printed["time_ms"].as_f64().expect("a number");
            assert!(time > 0.0 && time < 1e7, "{time}");
            assert_eq!(report(&out), printed);
            assert_eq!(names(&out), ["network.json", "notes.txt", "report.json", "spikes.npz", "traces.npz"]);
            assert!(arrays(&out.join("spikes.npz")).contains(&"neuron.npy".to_owned()));
        }
    }

    fn pipe(name: &str) -> String {
        let path = folder(name).join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo is there").success());
        path.display().to_string()
    }

    /// Before anything is run there is nothing to keep, but the report says so.
    #[test]
    fn a_signal_ends_what_is_still_built() {
        let (pipe, out, earlier) = (pipe("building"), folder("building_out"), folder("building_earlier"));
        // The results of an earlier run stay, and with them no other report.
        fs::write(earlier.join("spikes.npz"), "of an earlier run").expect("the folder is writable");
        for (signal, expected, out) in [("INT", 130, &out), ("TERM", 143, &out), ("HUP", 129, &out), ("TERM", 143, &earlier)] {
            let mut child = start(&["run", &pipe, "--json", "--quiet", "--out", &out.display().to_string()]);
            let mut line = String::new();
            let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
            stderr.read_line(&mut line).expect("text");
            assert!(line.contains("is a pipe; waiting for its end"), "{line}");
            send(&child, signal);
            let (mut said, mut printed) = (String::new(), String::new());
            stderr.read_to_string(&mut said).expect("text");
            child.stdout.take().expect("a pipe").read_to_string(&mut printed).expect("text");
            assert_eq!(said, format!("interrupted by SIG{signal} during the build; no step was run\n"));
            assert_eq!(child.wait().expect("it ends").code(), Some(expected));
            let printed: Value = serde_json::from_str(&printed).expect("one JSON value");
            assert_eq!((&printed["completed"], &printed["interrupted"]), (&false.into(), &format!("SIG{signal}").into()));
            if out == &earlier {
                assert_eq!(names(out), ["spikes.npz"]);
            } else {
                assert_eq!((report(out), names(out)), (printed, vec!["report.json".to_owned()]));
            }
        }
    }

    /// While it writes what it has, to somebody who does not read it.
    #[test]
    fn a_second_signal_ends_at_once() {
        let (network, pipe) = (crate::files::tiring("second"), pipe("second_pipe"));
        let mut child = start(&["run", &network, "--backend", "cpu", "--time", "1e7", "--json", "--save-weights", &pipe]);
        wait_until_it_runs(&mut child);
        // Two signals of a kind that are under way at once are one.
        while child.try_wait().expect("a process").is_none() {
            send(&child, "TERM");
        }
        assert_eq!(end(child), (143, String::new(), String::new()));
    }
}

/// What cannot be written is found before anything is run; a file that cannot be finished leaves the old one.
#[cfg(unix)]
#[test]
fn an_output_that_cannot_be_written_is_refused_before_the_run() {
    let network = file("blocked", SMALL);
    let inside = format!("{network}/out");
    for (arguments, said) in [
        (["--out", inside.as_str()], "cannot be written: Not a directory (os error 20); use another folder with --out"),
        (["--save-weights", "/proc/weights.npz"], "; choose another with --save-weights"),
    ] {
        let output = spikelet(&[&["run", &network, "--backend", "cpu", "--time", "1e7"], &arguments[..]].concat());
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
        assert_eq!((code(&output), text(&output.stdout)), (1, String::new()));
    }
}
