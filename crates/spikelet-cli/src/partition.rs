//! `spikelet partition`.

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use spikelet::{Network, Partition, grouped};
use spikelet_partition::{Candidate, Choice, Problem, Rates, Score, best, svg, to_json};

use crate::args::PartitionArguments;
use crate::failure::Failure;
use crate::overlap::{self, FileRole};
use crate::text::short;
use crate::{files, output, source, terminal};

/// The results. The keys of its JSON are part of the command line interface.
#[derive(Serialize)]
struct Report {
    network: String,
    neurons: u64,
    /// Expected number.
    synapses: f64,
    ranks: usize,
    methods: Vec<MethodReport>,
    best: String,
    reason: String,
    /// Wall time to find loads and expected synapses, which all methods need.
    seconds: f64,
}

/// The score of a method.
#[derive(Serialize)]
struct MethodReport {
    name: String,
    cut: f64,
    expected_spikes_exchanged: f64,
    imbalance: f64,
    memory_imbalance: f64,
    sampling_error: f64,
    /// Wall time of the division.
    seconds: f64,
}

pub(crate) fn run(args: &PartitionArguments) -> Result<(), Failure> {
    let network = source::network(&args.network, &args.settings)?;
    for (path, option) in [(&args.svg, "--svg"), (&args.out, "--out")] {
        path.iter().try_for_each(|path| output::check_writable(path, option))?;
    }
    let mut read = overlap::of_network(&args.network, &network);
    read.extend(args.rates.as_ref().map(|path| FileRole::new(path, "the file of --rates")));
    let written = [(&args.svg, "--svg"), (&args.out, "--out")];
    let written: Vec<FileRole> =
        written.iter().filter_map(|(path, option)| Some(FileRole::new(path.as_ref()?, *option))).collect();
    overlap::check(&read, &written, None)?;
    let rates = rates(args.rates.as_deref(), &network)?;
    // The number of ranks is checked before any work.
    Partition::blocks(&network, args.ranks)?;
    let started = Instant::now();
    let problem = Problem::new(&network, rates)?;
    let seconds = started.elapsed().as_secs_f64();
    let methods = match args.method {
        Choice::Auto => problem.methods(),
        Choice::Only(method) => vec![method],
    };
    let (mut partitions, mut candidates, mut reports) = (Vec::new(), Vec::new(), Vec::new());
    for method in methods {
        let started = Instant::now();
        let partition = problem.divide(args.ranks, method)?;
        let seconds = started.elapsed().as_secs_f64();
        let score = problem.score(&partition);
        reports.push(MethodReport::new(method.to_string(), &score, seconds));
        candidates.push(Candidate { method, score });
        partitions.push(partition);
    }
    // There is at least one method.
    let (index, reason) = best(&candidates).unwrap_or_default();
    let reason = if candidates.len() > 1 { reason } else { format!("{} was requested", candidates[0].method) };
    let (Candidate { method, score }, partition) = (&candidates[index], &partitions[index]);
    if let Some(path) = &args.svg {
        let title = format!("{}: {} ranks by {method}", network.name, args.ranks);
        write(path, &svg(&problem, partition, score, &title), "--svg")?;
    }
    if let Some(path) = &args.out {
        write(path, &to_json(&network, partition), "--out")?;
    }
    let report = Report {
        network: network.name.clone(),
        neurons: network.neurons(),
        synapses: score.synapses,
        ranks: args.ranks,
        methods: reports,
        best: method.to_string(),
        reason,
        seconds,
    };
    if args.json {
        // Names and finite numbers: cannot fail.
        return terminal::print(&serde_json::to_string_pretty(&report).unwrap_or_default());
    }
    terminal::print(&report)
}

/// The rates of a file, or the expected ones.
fn rates(path: Option<&Path>, network: &Network) -> Result<Rates, Failure> {
    let Some(path) = path else { return Ok(Rates::expected(network)) };
    let unread = |error: std::io::Error| {
        Failure::Input(format!("{} cannot be read: {error}; name a file of rates with --rates", path.display()))
    };
    let text = fs::read_to_string(path).map_err(unread)?;
    Rates::from_json(network, &text).map_err(|error| Failure::of_file(path, &error))
}

fn write(path: &Path, text: &str, option: &str) -> Result<(), Failure> {
    files::write(path, |file| file.write_all(text.as_bytes())).map_err(|error| output::unwritable(path, option, &error))
}

impl MethodReport {
    fn new(name: String, score: &Score, seconds: f64) -> MethodReport {
        MethodReport {
            name,
            cut: score.cut,
            expected_spikes_exchanged: score.expected_spikes_exchanged,
            imbalance: score.imbalance,
            memory_imbalance: score.memory_imbalance,
            sampling_error: score.sampling_error,
            seconds,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { network, neurons, synapses, ranks, methods, best, reason, .. } = self;
        writeln!(f, "{network}: {} neurons, {synapses:.3e} synapses expected, {ranks} ranks\n", grouped(*neurons))?;
        writeln!(f, "  method        cut  of synapses   spikes/s exchanged   load   memory  seconds")?;
        for of in methods {
            let mark = if of.name == *best { '*' } else { ' ' };
            let part = if *synapses > 0.0 { 100.0 * of.cut / synapses } else { 0.0 };
            let error =
                if of.sampling_error >= 0.0005 { format!(" ± {:.1} %", 100.0 * of.sampling_error) } else { String::new() };
            writeln!(
                f,
                "{mark} {:<8}{:>10.3e}  {part:>8.2} %  {:>18.4e}  {:>6.3}  {:>6.3}  {:>7}{}",
                of.name,
                of.cut,
                of.expected_spikes_exchanged,
                of.imbalance,
                of.memory_imbalance,
                short(of.seconds),
                error
            )?;
        }
        write!(f, "\n{reason}")
    }
}
