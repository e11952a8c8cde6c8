use std::path::Path;
use std::time::Instant;

use spikelet::{Backend, Cpu, Task};
use spikelet_gpu::Gpu;
use spikelet_tests::device;
use spikelet_verify::{Case, MakeBackend, Options, Outcome, verify};

/// All cases of the folder `conformance`, or with `SPIKELET_CASE=lif_,stdp` those that have one of these in their names.
fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance");
    let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = entries.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
    paths.sort();
    assert!(paths.len() >= 80, "{} cases in {}", paths.len(), folder.display());
    let read = |path: &std::path::PathBuf| {
        let case = Case::from_json(&std::fs::read_to_string(path).unwrap());
        let case = case.unwrap_or_else(|malformed| panic!("{}: {malformed}", path.display()));
        assert_eq!(Some(case.name.as_str()), path.file_stem().and_then(|stem| stem.to_str()), "a case has the name of its file");
        case
    };
    let wanted = std::env::var("SPIKELET_CASE").unwrap_or_default();
    let mut cases: Vec<Case> = paths.iter().map(read).collect();
    cases.retain(|case| wanted.split(',').any(|part| case.name.contains(part.trim())));
    assert!(!cases.is_empty(), "no case has {wanted} in its name");
    cases
}

/// Judges every case, a line each, and fails with the list of those that fail.
fn judge(device: &str, make_backend: &mut MakeBackend<'_>, options: &Options, skip: impl Fn(&Case) -> Option<&'static str>) {
    let mut failures = Vec::new();
    for case in cases() {
        let started = Instant::now();
        let verdict = match skip(&case) {
            Some(reason) => case.skipped(reason),
            None => pollster::block_on(verify(&case, make_backend, options)),
        };
        println!("{device}: {verdict} ({:.1} s)", started.elapsed().as_secs_f64());
        if verdict.outcome == Outcome::Failed {
            failures.push(verdict.to_string());
        }
    }
    assert!(failures.is_empty(), "{} cases fail on {device}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn cases_pass_on_the_cpu() {
    let mut cpu = || -> Task<'static, Box<dyn Backend>> { Box::pin(async { Ok(Box::new(Cpu::new(2)) as _) }) };
    judge("CPU", &mut cpu, &Options::default(), |_| None);
}

/// Statistical cases with one seed; on a software adapter the long ones only where `SPIKELET_FULL` is set.
#[test]
fn cases_pass_on_the_gpu() {
    let Some(device) = device() else { return };
    let options = Options { seeds: 1 };
    let hurry = device.report().software && std::env::var_os("SPIKELET_FULL").is_none();
    let skip = |case: &Case| (hurry && options.is_long(case)).then_some("long; SPIKELET_FULL=1 runs it");
    let name = device.report().name.clone();
    let mut gpu = || -> Task<'static, Box<dyn Backend>> {
        let gpu: Box<dyn Backend> = Box::new(Gpu::new(device.clone()));
        Box::pin(async { Ok(gpu) })
    };
    judge(&name, &mut gpu, &options, skip);
}
