//! Figures and profiles: what runs, for how long at most, and what reads its output.

use std::time::Duration;

use serde_json::Value;

use crate::options::Options;
use crate::readers;

/// A program to run.
pub(crate) enum Program {
    /// The program `spikelet` of the kit, with these words.
    Spikelet(Vec<String>),
    /// An item of a step of this program.
    Own(usize),
}

/// Makes results of the output of a program, of which the name of the job is given, too.
pub(crate) type Read = fn(&str, &str) -> Result<Vec<Value>, String>;

/// Something to measure.
pub(crate) struct Job {
    /// Its name in reports.
    pub(crate) name: String,
    pub(crate) program: Program,
    /// Maximum time.
    pub(crate) limit: Duration,
    pub(crate) read: Read,
}

impl Job {
    fn spikelet(name: &str, line: &str, seconds: u64, read: Read) -> Job {
        let words = line.split_whitespace().map(str::to_owned).collect();
        Job { name: name.to_owned(), program: Program::Spikelet(words), limit: Duration::from_secs(seconds), read }
    }

    fn own(name: &str, item: usize, seconds: u64) -> Job {
        Job { name: name.to_owned(), program: Program::Own(item), limit: Duration::from_secs(seconds), read: readers::lines }
    }
}

/// Arguments of `spikelet bench`, the most important first: the cases, and the longest time in s. A name is a part of others, too: `cuba/published`
/// also of `plastic_cuba/published`.
const BENCHES: [(&str, &str, u64); 14] = [
    ("cuba/published", "--seconds 0.8", 40),
    ("lif/1e3", "--seconds 0.6", 20),
    ("lif/1e4", "--seconds 0.6", 20),
    ("lif/1e5", "--seconds 0.6", 20),
    ("pd14/full", "--seconds 0.8", 60),
    ("million/published", "--seconds 0.5 --time 5", 60),
    ("lif/1e6", "--seconds 0.5", 45),
    ("pd14/procedural", "--seconds 0.5 --time 10", 40),
    ("lif/1e3", "--seconds 0.6 --trials 64", 20),
    ("cuba/published", "--seconds 0.5 --trials 64", 40),
    ("lattice/50", "--seconds 0.5", 20),
    ("lattice/200", "--seconds 0.5", 20),
    ("plastic_cuba/published", "--seconds 0.5 --trials 16", 30),
    ("coba/published", "--seconds 0.5", 20),
];

/// The assemblies of a million neurons, and those of a rehearsal.
const ASSEMBLIES: &str = "--n 1000000 --k 1000 --p 0.001 --rounds 100 --mode procedural";
const ASSEMBLIES_OF_REHEARSAL: &str = "--n 1000 --k 50 --p 0.05 --rounds 5 --mode procedural";

/// Everything that is measured beside the CPU.
pub(crate) fn figures(options: &Options) -> Vec<Job> {
    let bench = |case: &str, arguments: &str, seconds: u64| {
        Job::spikelet(case, &format!("bench {case} --backend both --json {arguments}"), seconds, readers::bench)
    };
    let on_both = |name: &str, line: &str, seconds: u64, read: Read| {
        ["gpu", "cpu"].map(|device| {
            // `--adapter` is for the GPU alone.
            let line = format!("{line} --backend {device} --json");
            let job = Job::spikelet(&format!("{name}/{device}"), &line, seconds, read);
            (device, job)
        })
    };
    let mut jobs = Vec::new();
    if options.rehearse {
        jobs.push(bench("lif/1e2", "--seconds 0.1 --time 20", 20));
        jobs.push(bench("lif/1e2", "--seconds 0.1 --time 20 --trials 4", 20));
    } else {
        jobs.extend(BENCHES.map(|(case, arguments, seconds)| bench(case, arguments, seconds)));
    }
    let assemblies = if options.rehearse { ASSEMBLIES_OF_REHEARSAL } else { ASSEMBLIES };
    let mut pairs =
        Vec::from(on_both("assemblies/project", &format!("assemblies project {assemblies}"), 40, readers::assemblies));
    let training = if options.rehearse { "xor" } else { "yin-yang" };
    for method in ["eventprop", "bptt"] {
        let line = format!("train {training} --method {method} --epochs 1");
        pairs.extend(on_both(&format!("train/{training}/{method}"), &line, 45, readers::training));
    }
    let is_possible = |device: &str| device == "gpu" || options.adapter.is_none();
    jobs.extend(pairs.into_iter().filter(|(device, _)| is_possible(device)).map(|(_, job)| job));
    jobs.push(Job::own("select", 0, 30));
    // It opens the usual GPU, and takes long on a software GPU.
    if options.adapter.is_none() && !options.rehearse {
        jobs.push(Job::own("gather/fly/2hz", 1, 60));
    }
    jobs
}

/// The profiles of some networks.
pub(crate) fn profiles(options: &Options) -> Vec<Job> {
    let profile = |(name, line): (&str, &str)| {
        Job::spikelet(name, &format!("run {line} --backend gpu --profile --json --quiet"), 60, readers::profile)
    };
    if options.rehearse {
        return vec![profile(("cuba", "cuba --scale 0.1 --time 10"))];
    }
    let all = [
        ("cuba", "cuba --time 2000"),
        ("plastic_cuba", "plastic_cuba --time 500"),
        ("pd14", "pd14 --time 500"),
        ("million", "million --time 20"),
    ];
    all.map(profile).into()
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use spikelet::catalogue;

    use super::*;

    fn names(line: &str, jobs: fn(&Options) -> Vec<Job>) -> Vec<String> {
        let options = Options::parse_from(std::iter::once("run").chain(line.split_whitespace()));
        jobs(&options).into_iter().map(|job| job.name).collect()
    }

    #[test]
    fn cases_exist() {
        let known: Vec<String> = catalogue::cases().iter().map(catalogue::Case::name).collect();
        for (case, ..) in BENCHES {
            assert!(known.iter().any(|name| name == case), "there is no case {case}");
        }
    }

    #[test]
    fn what_the_cpu_computes_is_left_out_if_a_gpu_is_named() {
        let all = names("", figures);
        assert!(all.contains(&"train/yin-yang/bptt/cpu".to_owned()) && all.contains(&"gather/fly/2hz".to_owned()), "{all:?}");
        let named = names("--adapter 1", figures);
        assert!(named.contains(&"assemblies/project/gpu".to_owned()) && !named.contains(&"assemblies/project/cpu".to_owned()));
        assert!(names("--rehearse", figures).len() < 12 && names("--rehearse", profiles).len() == 1);
        assert_eq!(names("", profiles).len(), 4);
    }
}
