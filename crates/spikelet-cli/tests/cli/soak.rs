//! A learning network on four ranks that is killed every two seconds and continued: with `SPIKELET_FULL=1`, for ten minutes, or as many seconds as
//! `SPIKELET_SOAK` says.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::unfinished::{assert_same, kill, start};
use super::{code, folder, spikelet, text};

/// Wall time between two kills.
const INTERVAL: Duration = Duration::from_secs(2);

#[test]
fn a_run_on_ranks_that_is_killed_for_minutes_ends_as_if_nothing_had_happened() {
    if std::env::var_os("SPIKELET_FULL").is_none() {
        return;
    }
    let seconds = std::env::var("SPIKELET_SOAK").map_or(600, |text| text.parse().expect("SPIKELET_SOAK is a number of seconds"));
    let run = |out: &Path| -> Vec<String> {
        let weights = out.join("weights.npz").display().to_string();
        let words = "run plastic_cuba --scale 0.05 --time 10000 --backend cpu --ranks 4 --threads 1 --quiet --out";
        let mut words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        words.extend([out.display().to_string(), "--save-weights".to_owned(), weights]);
        words
    };
    fn all(words: &[String]) -> Vec<&str> {
        words.iter().map(String::as_str).collect()
    }
    let (whole, out) = (folder("soak_whole"), folder("soak_out"));
    let output = spikelet(&all(&run(&whole)));
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let entries = fs::read_dir(&whole).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    // The report has wall times; its other keys are compared.
    let files: Vec<&str> = names.iter().map(String::as_str).filter(|name| *name != "report.json").collect();
    assert!(["spikes.npz", "traces.npz", "statistics.npz", "weights.npz"].iter().all(|name| files.contains(name)), "{files:?}");

    let path = out.display().to_string();
    let mut first = run(&out);
    first.extend(["--checkpoint-every", "200ms"].map(str::to_owned));
    let resume = ["resume", &path, "--quiet"];
    let (began, mut kills, mut runs) = (Instant::now(), 0, 0);
    // The last run is not killed any more.
    while began.elapsed() < Duration::from_secs(seconds) || out.join("unfinished").exists() {
        let is_last = began.elapsed() >= Duration::from_secs(seconds);
        let can_continue = out.join("unfinished/run.json").is_file();
        let mut child = start(&if can_continue { resume.to_vec() } else { all(&first) });
        let started = Instant::now();
        while child.try_wait().expect("a process").is_none() && (is_last || started.elapsed() < INTERVAL) {
            sleep(Duration::from_millis(5));
        }
        if child.try_wait().expect("a process").is_none() {
            kill(child);
            kills += 1;
            continue;
        }
        let output = child.wait_with_output().expect("a process");
        assert!(output.status.success(), "after {kills} kills: {}", text(&output.stderr));
        assert_same(&whole, &out, &files);
        runs += 1;
        fs::remove_dir_all(&out).expect("it can be removed");
        fs::create_dir_all(&out).expect("it can be made");
    }
    assert!(kills > 0 && runs > 0, "{kills} kills, {runs} runs");
    println!("{seconds} s: killed {kills} times in {runs} runs, whose files are those of the undisturbed run");
}
