//! Compares many random networks with themselves, run in other ways, and writes each kind of difference as the smallest network that shows
//! it:
//!
//! ```sh
//! cargo run --release -p spikelet-random -- --networks 1000000 --seed 7 --only f64,threads --minutes 30 --out DIR
//! ```

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::json;
use spikelet::Network;
use spikelet_random::{COMPARISONS, Campaign, Comparison, Difference, Options, comparison};

const HELP: &str = "\
--networks N     how many networks; default 1000
--seed S         the seed of the first one; default 1
--only A,B       comparisons by their names; default: all
--minutes M      ends after this time, too
--draws          networks may draw random numbers
--out DIR        where to write the networks; default: nowhere
--sketches       prints the networks instead of running them
--network FILE   compares this network instead";

/// What the command line says.
struct Arguments {
    networks: u64,
    seed: u64,
    only: Vec<&'static Comparison>,
    minutes: f64,
    options: Options,
    out: Option<PathBuf>,
    sketches: bool,
    network: Option<PathBuf>,
    help: bool,
}

impl Arguments {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut read = Arguments {
            networks: 1000,
            seed: 1,
            only: COMPARISONS.iter().collect(),
            minutes: f64::INFINITY,
            options: Options::default(),
            out: None,
            sketches: false,
            network: None,
            help: false,
        };
        fn number<T: std::str::FromStr>(word: &str, value: &str) -> Result<T, String> {
            value.parse().map_err(|_| format!("{word} {value}: a number is expected"))
        }
        while let Some(word) = words.next() {
            match word.as_str() {
                "--draws" => read.options.draws = true,
                "--sketches" => read.sketches = true,
                "--help" => read.help = true,
                _ => {
                    let value =
                        words.next().ok_or_else(|| format!("{word}: a value is expected after it; the options are\n{HELP}"))?;
                    match word.as_str() {
                        "--networks" => read.networks = number(&word, &value)?,
                        "--seed" => read.seed = number(&word, &value)?,
                        "--minutes" => read.minutes = number(&word, &value)?,
                        "--out" => read.out = Some(value.into()),
                        "--network" => read.network = Some(value.into()),
                        "--only" => {
                            let find = |name: &str| {
                                let names = COMPARISONS.map(|of| of.name).join(", ");
                                comparison(name).ok_or_else(|| format!("--only {name}: the comparisons are {names}"))
                            };
                            read.only = value.split(',').map(find).collect::<Result<_, _>>()?;
                        }
                        other => return Err(format!("there is no option {other}; the options are\n{HELP}")),
                    }
                }
            }
        }
        Ok(read)
    }
}

/// Writes a difference as a network that `spikelet run` reads, with its sentence as the description.
fn write(folder: &std::path::Path, number: usize, difference: &Difference) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut network = difference.network.clone();
    network["description"] = json!(format!("{} ({}): {}", difference.comparison, difference.variant, difference.what));
    let name = format!("{}-{number:03}.json", difference.comparison);
    std::fs::write(folder.join(name), format!("{network:#}\n"))
}

fn table(campaign: &Campaign, times: &[(&'static str, Duration)]) -> String {
    let mut text = format!(
        "{} networks, {} rejected ({:.2} %), {} with spikes\n\n{:12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>11}\n",
        campaign.made,
        campaign.rejections(),
        100.0 * campaign.rejections() as f64 / campaign.made.max(1) as f64,
        campaign.firing,
        "comparison",
        "same",
        "rejected",
        "sensitive",
        "known",
        "different",
        "networks/s"
    );
    for (name, time) in times {
        let counts = campaign.counts.get(name).copied().unwrap_or_default();
        let all = counts.same + counts.rejected + counts.sensitive + counts.different;
        let rate = all as f64 / time.as_secs_f64().max(1e-9);
        let _ = writeln!(
            text,
            "{name:12} {:>9} {:>9} {:>9} {:>9} {:>9} {rate:>11.1}",
            counts.same, counts.rejected, counts.sensitive, counts.known, counts.different
        );
    }
    for (sentence, (count, _)) in &campaign.rejected {
        let _ = writeln!(text, "{count:6} rejected: {sentence}");
    }
    text
}

fn run(arguments: &Arguments) -> std::io::Result<ExitCode> {
    let (start, mut campaign) = (Instant::now(), Campaign::new(arguments.options, arguments.seed));
    let mut times: Vec<(&'static str, Duration)> = arguments.only.iter().map(|of| (of.name, Duration::ZERO)).collect();
    let mut known: Vec<String> = Vec::new();
    while campaign.made < arguments.networks && start.elapsed().as_secs_f64() < 60.0 * arguments.minutes {
        let Some((draw, network)) = campaign.draw() else { continue };
        if arguments.sketches {
            println!("{}", draw.sketch.json);
            continue;
        }
        for (comparison, (_, time)) in arguments.only.iter().zip(&mut times) {
            let begin = Instant::now();
            if campaign.compare(comparison, &draw, &network) {
                *time += begin.elapsed();
            }
        }
        for (kind, difference) in &campaign.differences {
            if known.contains(kind) {
                continue;
            }
            known.push(kind.clone());
            eprintln!("{}: {kind}", difference.what);
            if let Some(folder) = &arguments.out {
                write(folder, known.len(), difference)?;
            }
        }
    }
    for (number, (_, network)) in campaign.rejected.values().enumerate() {
        if let Some(folder) = &arguments.out {
            std::fs::create_dir_all(folder)?;
            std::fs::write(folder.join(format!("rejected-{number:03}.json")), format!("{network:#}\n"))?;
        }
    }
    print!("{}", table(&campaign, &times));
    println!("{} kinds of differences", campaign.differences.len());
    Ok(if campaign.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Compares the network of a file.
fn run_file(arguments: &Arguments, file: &std::path::Path) -> std::io::Result<ExitCode> {
    let network =
        Network::from_json(&std::fs::read_to_string(file)?).map_err(|error| std::io::Error::other(error.to_string()))?;
    let mut code = ExitCode::SUCCESS;
    for comparison in &arguments.only {
        match comparison.compare(&network) {
            Ok(agreement) => println!("{:12} {agreement:?}", comparison.name),
            Err(difference) => {
                code = ExitCode::FAILURE;
                println!("{:12} {}: {}", comparison.name, difference.variant, difference.what);
            }
        }
    }
    Ok(code)
}

fn main() -> ExitCode {
    // A panic is a result here, and says enough as one.
    std::panic::set_hook(Box::new(|_| {}));
    let done = Arguments::read(std::env::args().skip(1)).map(|arguments| match &arguments.network {
        _ if arguments.help => {
            println!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        Some(file) => run_file(&arguments, file),
        None => run(&arguments),
    });
    match done {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
