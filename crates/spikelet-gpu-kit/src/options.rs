//! What was typed after `./run`.

use std::path::PathBuf;

use clap::Parser;

use crate::step::Step;

/// Measures Spikelet on the GPU of this machine. Results are appended to DIR/results.jsonl as soon as they are known, so that a run that is
/// interrupted keeps what it has.
#[derive(Debug, Clone, PartialEq, Parser)]
#[command(name = "run", bin_name = "./run", version)]
pub(crate) struct Options {
    /// Wall time of all steps together, in seconds; what does not fit is left out, and recorded as left out [default: 400, with --rehearse 60]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(5..=86_400))]
    seconds: Option<u32>,
    /// Folder of the results; a file of an earlier run is continued
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub(crate) out: PathBuf,
    /// GPU, by its number or a part of its name (`./spikelet list devices`)
    #[arg(long, value_name = "NUMBER|NAME")]
    pub(crate) adapter: Option<String>,
    /// Only these steps, in their usual order
    #[arg(long, value_enum, value_name = "STEP", value_delimiter = ',')]
    pub(crate) only: Vec<Step>,
    /// Does everything with tiny sizes, as a test of this program; a software GPU is sufficient
    #[arg(long)]
    pub(crate) rehearse: bool,
    /// Does the items of a step from a number on, as a process of its own that can be ended
    #[arg(long, value_enum, value_name = "STEP", hide = true)]
    pub(crate) child: Option<Step>,
    #[arg(long, value_name = "ITEM", default_value_t = 0, hide = true)]
    pub(crate) from: usize,
}

impl Options {
    /// Wall time of all steps, in seconds.
    pub(crate) fn seconds(&self) -> u32 {
        self.seconds.unwrap_or(if self.rehearse { 60 } else { 400 })
    }

    /// The steps of this run. Results belong to an adapter, so its step is always among them.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let is_wanted = |step: &Step| *step == Step::Adapter || self.only.is_empty() || self.only.contains(step);
        Step::ALL.into_iter().filter(is_wanted).collect()
    }

    /// The command as it was typed, for reports.
    pub(crate) fn line(&self) -> String {
        let mut words = vec![format!("./run --seconds {}", self.seconds())];
        words.extend(self.rehearse.then(|| "--rehearse".to_owned()));
        words.extend(self.adapter.iter().map(|adapter| format!("--adapter {adapter:?}")));
        let names: Vec<&str> = self.only.iter().map(|step| step.name()).collect();
        words.extend((!names.is_empty()).then(|| format!("--only {}", names.join(","))));
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parse(line: &str) -> Result<Options, clap::Error> {
        Options::try_parse_from(std::iter::once("run").chain(line.split_whitespace()))
    }

    #[test]
    fn lines_and_their_defaults() {
        Options::command().debug_assert();
        let usual = parse("").expect("a good line");
        assert_eq!((usual.seconds(), usual.steps().len(), usual.out.to_str()), (400, Step::ALL.len(), Some("results")));
        assert_eq!(usual.line(), "./run --seconds 400");
        let some = parse("--rehearse --only tune,figures --adapter h200").expect("a good line");
        assert_eq!(some.steps(), [Step::Adapter, Step::Figures, Step::Tune]);
        assert_eq!(some.line(), "./run --seconds 60 --rehearse --adapter \"h200\" --only tune,figures");
        for (line, wrong) in [("--seconds 4", "'4'"), ("--only figure", "figure"), ("--out", "--out"), ("fast", "fast")] {
            let problem = parse(line).expect_err(line).to_string();
            assert!(problem.contains(wrong), "{line}: {problem}");
        }
    }
}
