//! The program under `mpirun`. `cargo xtask test mpi` sets what Open MPI needs in a container.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_spikelet");
const CUBA: [&str; 7] = ["run", "cuba", "--scale", "0.1", "--time", "100", "--json"];

fn alone(arguments: &[&str]) -> Value {
    let output = Command::new(PROGRAM).args(arguments).output().expect("the program starts");
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    json(&output)
}

/// `mpirun` with this many ranks.
fn mpirun(ranks: usize, arguments: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "-n", &ranks.to_string(), PROGRAM]).args(arguments);
    command
}

fn output(mut command: Command) -> Output {
    command.output().expect("mpirun starts; `cargo xtask doctor` says how to install it")
}

fn run(ranks: usize, arguments: &[&str]) -> Value {
    let output = output(mpirun(ranks, arguments));
    assert!(output.status.success(), "{ranks} ranks of {arguments:?}: {}", text(&output.stderr));
    json(&output)
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("one JSON value: {error}: {}", text(&output.stdout)))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The sentences of the program among those of mpirun.
fn sentences(output: &Output) -> Vec<String> {
    text(&output.stderr).lines().filter(|line| line.starts_with("error: ")).map(str::to_owned).collect()
}

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).expect("a folder").filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// What does not depend on time, threads or ranks.
fn results(report: &Value) -> Value {
    let keys =
        ["network", "neurons", "synapses", "spikes", "synaptic_events", "populations", "spikes_hash", "results", "changes"];
    keys.iter().map(|key| (*key).to_owned()).zip(keys.iter().map(|key| report[key].clone())).collect()
}

#[test]
fn any_number_of_ranks_gives_the_same_spikes() {
    let expected = alone(&CUBA);
    assert!(expected["ranks"].is_null());
    assert_eq!(run(1, &CUBA)["ranks"], Value::Null);
    for ranks in [2, 3, 4, 7] {
        let report = run(ranks, &CUBA);
        assert_eq!(results(&report), results(&expected), "{ranks} ranks");
        assert_eq!(report["ranks"], ranks);
        let memory: Vec<u64> =
            report["memory_bytes_per_rank"].as_array().expect("a list").iter().flat_map(Value::as_u64).collect();
        let whole = expected["memory_bytes"].as_u64().expect("a number");
        assert!(memory.len() == ranks && memory.iter().all(|bytes| (1..whole).contains(bytes)), "{memory:?} of {whole}");
        assert!(report["bytes_exchanged"].as_u64() > Some(0) && report["imbalance"].as_f64() >= Some(1.0), "{report}");
        assert!(["exchange_seconds", "wait_seconds"].iter().all(|key| report[*key].as_f64() >= Some(0.0)), "{report}");
    }
}

/// Networks with plastic synapses, changes during the run, and noise.
#[test]
fn other_networks_give_the_same_spikes() {
    // The mean of a statistic is a sum in another order.
    let without_statistics = |report: &Value| {
        let mut results = results(report);
        results["results"][0]["statistics"] = Value::Null;
        results
    };
    let change = ["--at", "20 ms: E.taum=15 ms"];
    for network in [
        &["run", "stdp_window", "--time", "200"][..],
        &[&CUBA[..6], &change[..]].concat(),
        &["run", "brunel_ai", "--scale", "0.02", "--time", "50"],
    ] {
        let arguments = [network, &["--json"]].concat();
        assert_eq!(without_statistics(&run(3, &arguments)), without_statistics(&alone(&arguments)), "{network:?}");
    }
}

#[test]
fn trials_are_divided_and_their_report_is_whole() {
    let arguments = [&CUBA[..], &["--trials", "3", "--sweep", "E.taum=15ms,20ms"]].concat();
    let (expected, report) = (alone(&arguments), run(3, &arguments));
    assert_eq!(results(&report), results(&expected));
    assert_eq!((&report["ranks"], &report["trials"]), (&3.into(), &6.into()));
    // With fewer trials than ranks, all of them share the network.
    let arguments = [&CUBA[..], &["--trials", "2"]].concat();
    assert_eq!(results(&run(3, &arguments)), results(&alone(&arguments)));
}

#[test]
fn files_are_written_once_and_as_without_ranks() {
    let out = |name: &str| folder(name).display().to_string();
    let (one, several) = (out("mpi_one"), out("mpi_several"));
    let arguments = |out: &'static str| [&CUBA[..], &["--format", "csv", "--out", out]].concat();
    let expected = alone(&arguments(one.clone().leak()));
    let report = run(3, &arguments(several.clone().leak()));
    let (one, several) = (Path::new(&one), Path::new(&several));
    assert_eq!(names(several), names(one));
    for name in ["spikes.csv", "network.json"] {
        assert!(
            fs::read(several.join(name)).expect("it is written") == fs::read(one.join(name)).expect("it is written"),
            "{name}"
        );
    }
    let written: Value = serde_json::from_slice(&fs::read(several.join("report.json")).expect("a report")).expect("JSON");
    assert_eq!((&written, results(&written)), (&report, results(&expected)));
}

/// The second rank works in a folder without the network and its edges.
#[test]
fn only_the_first_rank_reads_files() {
    let (first, second) = (folder("mpi_files"), folder("mpi_no_files"));
    let network = r#"{"name": "listed", "dt_ms": 0.1, "duration_ms": 50,
        "populations": [{"name": "n", "size": 20, "equations": "dv/dt = (1.5 - v)/(10*ms) : 1", "threshold": "v > 1", "reset": "v = 0",
                         "initial": {"v": {"expr": "0.04*i"}}}],
        "projections": [{"name": "nn", "pre": "n", "post": "n", "pairs": {"file": "edges.csv"}, "on_pre": "v_post += w"}]}"#;
    fs::write(first.join("network.json"), network).expect("a file");
    let edges: String = (0..19).map(|pre| format!("{pre},{},{}\n", pre + 1, 0.01 * f64::from(pre))).collect();
    fs::write(first.join("edges.csv"), format!("pre,post,w\n{edges}")).expect("a file");
    let arguments = ["run", "network.json", "--json"];
    let mut expected = Command::new(PROGRAM);
    let expected = json(&output({
        expected.args(arguments).current_dir(&first);
        expected
    }));
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "-n", "1", "-wdir"]).arg(&first).arg(PROGRAM).args(arguments);
    command.args([":", "-n", "1", "-wdir"]).arg(&second).arg(PROGRAM).args(arguments);
    let output = output(command);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(results(&json(&output)), results(&expected));
    assert!(expected["spikes"].as_u64() > Some(20));
}

#[test]
fn what_is_wrong_is_said_once() {
    for (arguments, sentence) in [
        (&["run", "cubba"][..], "error: there is no network `cubba`"),
        (
            &["run", "cuba", "--ranks", "4"],
            "error: --ranks is 4, but mpirun started 3 processes; remove --ranks, or start 4 processes",
        ),
        (&["run", "cuba", "--devices", "cpu,cpu,cpu"], "error: --devices has one process use several devices"),
        (&["run", "cuba", "--balance", "1,2"], "error: --balance has 2 shares, but there are 3 ranks"),
        (&["run", "cuba", "--set", "E.size=two"], "error: "),
    ] {
        let output = output(mpirun(3, arguments));
        let said = sentences(&output);
        assert_eq!(
            (output.status.code(), text(&output.stdout).as_str()),
            (Some(2), ""),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        assert!(said.len() == 1 && said[0].starts_with(sentence), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn ranks_of_different_networks_end_with_one_sentence() {
    let mut command = mpirun(1, &["run", "cuba"]);
    command.args([":", "-n", "1", PROGRAM, "run", "izhikevich"]);
    let output = output(command);
    assert!(!output.status.success());
    assert_eq!(
        sentences(&output),
        ["error: rank 1 was started with another network or other options than rank 0; start all ranks with one command"]
    );
}

/// The processes that a process has started.
fn children(of: u32) -> Vec<u32> {
    let parent = |process: u32| -> Option<u32> {
        let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        line.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
    };
    let all = fs::read_dir("/proc").expect("Linux").filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    all.filter(|process| parent(*process) == Some(of)).collect()
}

/// Whether a process has not ended.
fn is_running(process: u32) -> bool {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    line.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
}

/// Starts a long run, and waits until its ranks are there.
#[allow(clippy::zombie_processes, reason = "the caller waits for it")]
fn long(out: &Path, ranks: usize) -> (Child, Vec<u32>) {
    let out = out.display().to_string();
    let mut command = mpirun(ranks, &["run", "cuba", "--time", "1000000", "--json", "--out", &out]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpirun starts");
    loop {
        let found = children(child.id());
        if found.len() == ranks {
            // They have read the network by now, and simulate.
            thread::sleep(Duration::from_secs(3));
            return (child, found);
        }
        thread::sleep(Duration::from_millis(50));
    }
}

fn signal(process: u32, name: &str) {
    let status = Command::new("kill").args([name, &process.to_string()]).status().expect("kill is there");
    assert!(status.success());
}

#[test]
fn a_rank_that_is_killed_ends_all_and_nothing_is_half_written() {
    let out = folder("mpi_killed");
    let (child, ranks) = long(&out, 3);
    signal(ranks[1], "-KILL");
    let output = child.wait_with_output().expect("it ends");
    let said = text(&output.stderr);
    assert!(!output.status.success() && said.contains("signal 9"), "{said}");
    assert!(sentences(&output).len() <= 1, "{said}");
    // What was recorded until then is there.
    assert_eq!((text(&output.stdout).as_str(), names(&out)), ("", vec!["unfinished".to_owned()]));
    // They end shortly after mpirun, or remain as entries without a process.
    while ranks.iter().any(|rank| is_running(*rank)) {
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_run_whose_rank_was_killed_is_continued_by_as_many_ranks() {
    let (whole, out) = (folder("mpi_whole"), folder("mpi_continued"));
    // Long enough that it does not end before it is killed, on a machine with other work, too.
    let cuba = ["run", "cuba", "--scale", "0.1", "--time", "20000", "--json", "--out"];
    let expected = alone(&[&cuba[..], &[&whole.display().to_string()]].concat());
    let path = out.display().to_string();
    let saved = [&cuba[..], &[&path, "--split", "network", "--checkpoint-every", "50ms"]].concat();
    let mut child = mpirun(2, &saved).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("mpirun starts");
    while !out.join("unfinished/checkpoint-2").exists() {
        assert!(child.try_wait().expect("a process").is_none(), "it has ended before its second checkpoint");
        thread::sleep(Duration::from_millis(5));
    }
    signal(*children(child.id()).last().expect("two ranks"), "-KILL");
    child.wait().expect("it ends");
    assert!(out.join("unfinished/run.json").exists(), "it ended before it was killed");
    let other = output(mpirun(3, &["resume", &path]));
    let said = ["error: the run was started with 2 ranks, and there are 3; use as many as before"];
    assert_eq!(sentences(&other), said, "{}", text(&other.stderr));
    let continued = run(2, &["resume", &path, "--json"]);
    assert_eq!((&continued["resumed"], &continued["spikes_hash"]), (&1.into(), &expected["spikes_hash"]));
    let spikes = |folder: &Path| fs::read(folder.join("spikes.npz")).expect("it was written");
    assert!(spikes(&whole) == spikes(&out));
    assert!(!out.join("unfinished").exists());
}

#[test]
fn a_signal_to_a_rank_ends_all_with_the_results_so_far() {
    let out = folder("mpi_signal");
    let (mut child, ranks) = long(&out, 2);
    signal(ranks[1], "-INT");
    let (mut printed, mut said) = (String::new(), String::new());
    child.stdout.take().expect("a pipe").read_to_string(&mut printed).expect("UTF-8");
    child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("UTF-8");
    assert!(!child.wait().expect("it ends").success());
    let report: Value = serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}{said}"));
    assert_eq!((&report["interrupted"], &report["completed"]), (&"SIGINT".into(), &false.into()));
    assert_eq!(said.lines().filter(|line| line.starts_with("interrupted by SIGINT at ")).count(), 1, "{said}");
    assert!(names(&out).contains(&"report.json".to_owned()), "{:?}", names(&out));
}

/// All commands of the guide that need no cluster, as they stand there.
#[test]
fn the_commands_of_the_guide_work() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cluster.md");
    let guide = fs::read_to_string(guide).expect("the guide is there");
    let blocks = guide.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let commands: Vec<&str> = blocks.flat_map(str::lines).filter(|line| !line.starts_with("cargo ")).collect();
    assert!(
        commands.len() >= 7
            && commands.iter().all(|line| ["spikelet ", "mpirun ", "for "].iter().any(|word| line.starts_with(word)))
    );
    let folder = folder("mpi_guide");
    let program = Path::new(PROGRAM).parent().expect("it is in a folder").display().to_string();
    let path = format!("{program}:{}", std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("bash");
    shell.args(["-euc", &commands.join("\n")]).env("PATH", path).current_dir(&folder);
    let output = output(shell);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report = |name: &str| -> Value {
        serde_json::from_slice(&fs::read(folder.join(name).join("report.json")).expect("a report")).expect("JSON")
    };
    for name in ["ranks-2", "ranks-4", "halves", "mpi-2"] {
        assert_eq!(report(name)["spikes_hash"], report("whole")["spikes_hash"], "{name}");
    }
    assert_eq!(report("trials")["results"][1], report("trials-network")["results"][1]);
    assert_eq!(
        report("trials")["results"].as_array().expect("a list")[..],
        report("mpi-trials")["results"].as_array().expect("a list")[..4]
    );
    let parts = ["part-1", "part-2", "part-3"].map(|name| report(name)["results"].as_array().map(Vec::len));
    assert_eq!(parts, [Some(2); 3]);
}
