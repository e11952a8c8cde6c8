//! Full disks, refused memory and limits: a sentence, nothing lost, nothing wrong. `SPIKELET_FULL=1` tries many more.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use super::unfinished::{PLASTIC, assert_same};
use super::{code, file, folder, json, spikelet, text};

/// The arguments of a run into a folder.
fn run(network: &str, out: &Path, options: &[&str]) -> Vec<String> {
    let base = ["run", network, "--backend", "cpu", "--threads", "2", "--quiet", "--out", &out.display().to_string()];
    base.iter().chain(options).map(|text| (*text).to_owned()).collect()
}

fn is_full() -> bool {
    std::env::var_os("SPIKELET_FULL").is_some()
}

/// The undisturbed run of a network.
fn whole(name: &str, network: &str) -> PathBuf {
    let whole = folder(&format!("{name}_whole"));
    let output = program(&run(network, &whole, &[]));
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    whole
}

fn program(arguments: &[String]) -> Output {
    spikelet(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

const FILES: [&str; 4] = ["spikes.npz", "traces.npz", "statistics.npz", "network.json"];

/// Continues a run that was ended by a fault, or repeats it if it had not begun.
fn continued(network: &str, out: &Path) -> bool {
    let is_begun = out.join("unfinished/run.json").exists();
    let path = out.display().to_string();
    let output = if is_begun { spikelet(&["resume", &path, "--quiet"]) } else { program(&run(network, out, &[])) };
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(!out.join("unfinished").exists());
    is_begun
}

/// A file system of a number of bytes, of which the run takes more: told at once, and continued in a larger one.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_ends_a_run_which_continues_where_there_is_room() {
    let may_mount = Command::new("unshare").args(["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).output();
    if !may_mount.is_ok_and(|output| output.status.success()) {
        println!("skipped: this system lets no file system be mounted");
        return;
    }
    let network = file("full_disk_network", PLASTIC);
    let whole = whole("full_disk", &network);
    let (disk, copy) = (folder("full_disk_disk"), folder("full_disk_copy"));
    let steps = if is_full() { 50 } else { 6 };
    let (mut told, mut begun) = (0, 0);
    for size in (1..=steps).map(|number| number * 6000 / steps) {
        _ = fs::remove_dir_all(&copy);
        let script = r#"mount -t tmpfs -o "size=${1}k" tmpfs "$2" || exit 99
            disk="$2" copy="$3"; shift 3; "$@"; code=$?; cp -a "$disk" "$copy"; exit $code"#;
        let arguments = run(&network, &disk, &["--checkpoint-every-model", "50ms"]);
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", script, "sh", &size.to_string()]).arg(&disk).arg(&copy);
        let output = command.arg(env!("CARGO_BIN_EXE_spikelet")).args(arguments).output().expect("unshare starts");
        let said = text(&output.stderr);
        match code(&output) {
            0 => {}
            1 => {
                assert!(said.contains("No space left on device") && said.lines().count() == 1, "{size} KiB: {said}");
                told += 1;
            }
            other => panic!("{size} KiB: {other}: {said}"),
        }
        if code(&output) == 1 {
            let is_begun = continued(&network, &copy);
            // The way out that is there.
            let resume = format!("`spikelet resume {}` continues the run", disk.display());
            assert_eq!(said.contains(&resume), is_begun, "{size} KiB: {said}");
            begun += u32::from(is_begun);
        }
        assert_same(&whole, &copy, &FILES);
    }
    assert!(told > 0 && begun > 0);
    println!("{steps} sizes of a disk: {told} were told, of which {begun} continued");
}

/// Whatever file of a run has no room: its results are there, and the sentence says how the run continues.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_beside_the_folder_loses_nothing() {
    let network = file("full_file_network", &PLASTIC.replace("\"duration_ms\": 5000", "\"duration_ms\": 200"));
    let whole = whole("full_file", &network);
    let out = folder("full_file_out");
    let path = out.display().to_string();
    let output = program(&run(&network, &out, &["--save-weights", "/dev/full", "--checkpoint-every-model", "50ms"]));
    let said = text(&output.stderr);
    assert_eq!((code(&output), said.lines().count()), (1, 1), "{said}");
    assert!(said.starts_with("error: /dev/full cannot be written: No space left on device"), "{said}");
    assert!(
        said.contains(&format!("choose another with --save-weights, and `spikelet resume {path}` continues the run")),
        "{said}"
    );
    assert_same(&whole, &out, &FILES);
    assert!(out.join("unfinished/run.json").is_file());
}

/// A run that cannot begin leaves no folder that is neither finished nor can be continued beside the results of an earlier one.
#[test]
#[cfg(target_os = "linux")]
fn a_run_without_room_for_its_description_leaves_the_results_before_it() {
    let network = file("no_room_network", &PLASTIC.replace("\"duration_ms\": 5000", "\"duration_ms\": 200"));
    let whole = whole("no_room", &network);
    let before = fs::read(whole.join("report.json")).expect("a report");
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 0; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_spikelet")]).args(run(&network, &whole, &[]));
    let output = command.output().expect("sh starts");
    let said = text(&output.stderr);
    assert_eq!((code(&output), said.lines().count()), (1, 1), "{said}");
    assert!(said.contains("cannot be written: File too large"), "{said}");
    assert!(!whole.join("unfinished").exists() && fs::read(whole.join("report.json")).expect("a report") == before);
}

/// A network of more than 1 MiB, for a shorter time.
fn large() -> String {
    PLASTIC.replace("\"size\": 120", "\"size\": 3000").replace("\"duration_ms\": 5000", "\"duration_ms\": 40")
}

/// Each large allocation is refused in turn.
#[test]
#[cfg(target_os = "linux")]
fn each_large_allocation_may_be_refused() {
    let network = file("refused_memory_network", &large());
    let whole = whole("refused_memory", &network);
    let out = folder("refused_memory_out");
    let (mut refused, mut begun) = (0, 0);
    for number in 1.. {
        _ = fs::remove_dir_all(&out);
        let number = number.to_string();
        let output = program(&run(&network, &out, &["--checkpoint-every-model", "10ms", "--refuse-allocation", &number]));
        let said = text(&output.stderr);
        if code(&output) == 0 {
            assert_same(&whole, &out, &FILES);
            break;
        }
        assert_eq!(code(&output), 1, "allocation {number}: {said}");
        let is_sentence = said.starts_with("error: there is no memory for ") && said.lines().count() == 1;
        assert!(is_sentence, "allocation {number}: {said}");
        refused += 1;
        // To build it again each time takes long.
        if is_full() || out.join("unfinished/run.json").exists() {
            begun += u32::from(continued(&network, &out));
            assert_same(&whole, &out, &FILES);
        }
    }
    assert!(refused > 10 && begun > 0, "{refused}, {begun}");
    println!("{refused} allocations refused, of which {begun} ended a run that continued");
}

/// Limits of the address space and of the length of files: the run succeeds, or says what it lacks; it continues without the limit.
#[test]
#[cfg(target_os = "linux")]
fn limits_of_the_system_end_a_run_with_a_sentence() {
    let network = file("limits_network", PLASTIC);
    let whole = whole("limits", &network);
    let out = folder("limits_out");
    let steps: u32 = if is_full() { 50 } else { 5 };
    // KiB of address space; blocks of 512 bytes of a file.
    let limits = (1..=steps).flat_map(|number| [("-v", 1_000_000 / steps * number), ("-f", 16_000 / steps * number)]);
    let (mut done, mut told, mut aborted) = (0, 0, 0);
    for (limit, value) in limits {
        _ = fs::remove_dir_all(&out);
        let script = format!("ulimit {limit} {value}; exec \"$@\"");
        let arguments = run(&network, &out, &["--checkpoint-every-model", "50ms"]);
        let mut command = Command::new("sh");
        let output =
            command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_spikelet")]).args(arguments).output().expect("sh starts");
        let said = text(&output.stderr);
        match output.status.code() {
            Some(0) => done += 1,
            Some(1) => {
                assert!(said.starts_with("error: "), "{limit} {value}: {said}");
                told += 1;
            }
            // With less memory than the loader or a thread needs, the system ends the process.
            _ => aborted += 1,
        }
        if output.status.code() != Some(0) {
            continued(&network, &out);
        }
        assert_same(&whole, &out, &FILES);
    }
    assert!(done > 0 && told > 0, "{done}, {told}");
    println!("{} limits: {done} runs ended, {told} were told, {aborted} were ended by the system", 2 * steps);
}

/// A GPU that is lost at any step: the results are those of the undisturbed run.
#[test]
fn a_device_may_be_lost_at_any_step() {
    let network = file("lost_network", PLASTIC);
    let base = ["run", &network, "--backend", "gpu", "--time", "200", "--json"];
    let output = spikelet(&base);
    if code(&output) != 0 {
        println!("skipped: {}", text(&output.stderr));
        return;
    }
    let whole: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
    let steps = if is_full() { 50 } else { 3 };
    for number in 0..steps {
        let at = format!("{:.1}", 200.0 * f64::from(number) / f64::from(steps));
        let lost = json(&[&base[..], &["--lose-device-at", &at]].concat());
        assert_eq!((&lost["spikes_hash"], &lost["results"]), (&whole["spikes_hash"], &whole["results"]), "at {at} ms");
        assert_eq!(lost["notices"].as_array().map(Vec::len), Some(1), "at {at} ms: {}", lost["notices"]);
    }
    println!("a device lost at {steps} times");
}
