//! What was typed after `cargo xtask`.

use crate::engine::Profile;
use crate::{Problem, Result};

/// One command with its options.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) command: Command,
    /// Install system packages without asking.
    pub(crate) yes: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Command {
    Help,
    Doctor,
    Engine,
    Serve {
        port: u16,
        profile: Profile,
    },
    /// Not for typing: what trunk has built before the page (see `Trunk.toml`).
    TrunkHook,
    Test(Part),
    Ci,
    /// With the words that the program is given.
    BenchPeers(Vec<String>),
    Instructions {
        /// Writes the counts down instead of comparing them.
        record: bool,
    },
}

/// Which of the tests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Part {
    Native,
    Wasm,
    Package,
    Page,
    All,
}

impl Part {
    /// Whether a run of `self` contains `part`.
    pub(crate) fn contains(self, part: Part) -> bool {
        self == Part::All || self == part
    }
}

impl Options {
    /// # Errors
    /// A word that is not known, one too many, or a port that is no number.
    pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Options> {
        let (mut yes, mut port, mut release, mut record, mut plain) = (false, None, false, false, Vec::new());
        let mut words = words.into_iter().peekable();
        if words.next_if(|word| word == "bench-peers").is_some() {
            let (yes, words): (Vec<_>, Vec<_>) = words.partition(|word| word == "-y" || word == "--yes");
            return Ok(Options { command: Command::BenchPeers(words), yes: !yes.is_empty() });
        }
        while let Some(word) = words.next() {
            match word.as_str() {
                "-y" | "--yes" => yes = true,
                "--release" => release = true,
                "--record" => record = true,
                "-h" | "--help" => plain.insert(0, "help".to_owned()),
                "-p" | "--port" => port = Some(read_port(&words.next().unwrap_or_default())?),
                _ => match word.strip_prefix("--port=") {
                    Some(text) => port = Some(read_port(text)?),
                    None => plain.push(word),
                },
            }
        }

        let mut plain = plain.iter().map(String::as_str);
        let name = plain.next().unwrap_or("help");
        let command = match name {
            "help" => {
                return Ok(Options { command: Command::Help, yes });
            }
            "doctor" => Command::Doctor,
            "engine" => Command::Engine,
            "serve" => {
                let profile = if std::mem::take(&mut release) { Profile::Release } else { Profile::Quick };
                Command::Serve { port: port.take().unwrap_or(8080), profile }
            }
            "trunk-hook" => Command::TrunkHook,
            "test" => Command::Test(read_part(plain.next().unwrap_or("all"))?),
            "ci" => Command::Ci,
            "instructions" => Command::Instructions { record: std::mem::take(&mut record) },
            other => return Err(format!("there is no command `{other}`").into()),
        };
        if let Some(word) = plain.next() {
            return Err(format!("`{name}` does not accept `{word}`").into());
        }
        if port.is_some() {
            return Err(format!("`{name}` does not accept --port").into());
        }
        if release {
            return Err(format!("`{name}` does not accept --release").into());
        }
        if record {
            return Err(format!("`{name}` does not accept --record").into());
        }
        Ok(Options { command, yes })
    }
}

fn read_port(text: &str) -> Result<u16> {
    match text.parse() {
        Ok(port) if port != 0 => Ok(port),
        _ => Err(Problem::from(format!("--port needs a number from 1 to 65535, not `{text}`"))),
    }
}

fn read_part(text: &str) -> Result<Part> {
    match text {
        "native" => Ok(Part::Native),
        "wasm" => Ok(Part::Wasm),
        "package" => Ok(Part::Package),
        "page" => Ok(Part::Page),
        "all" => Ok(Part::All),
        other => Err(format!("`test` runs native, wasm, package, page or all, not `{other}`").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    fn command(line: &str) -> Command {
        parse(line).expect("a good line").command
    }

    #[test]
    fn commands_and_their_defaults() {
        assert_eq!(command(""), Command::Help);
        assert_eq!(command("serve --help"), Command::Help);
        let (quick, release) = (Profile::Quick, Profile::Release);
        assert_eq!(command("serve"), Command::Serve { port: 8080, profile: quick });
        assert_eq!(command("serve --port 9000"), Command::Serve { port: 9000, profile: quick });
        assert_eq!(command("--port=9000 serve --release"), Command::Serve { port: 9000, profile: release });
        assert_eq!(command("test"), Command::Test(Part::All));
        assert_eq!(command("test page"), Command::Test(Part::Page));
        assert_eq!(command("instructions --record"), Command::Instructions { record: true });
        assert!(parse("test --yes").expect("a good line").yes);
        assert!(!parse("ci").expect("a good line").yes);
    }

    #[test]
    fn the_words_for_another_program_are_handed_on() {
        let options = parse("bench-peers --models cuba --yes --json x --port").expect("a good line");
        let words = ["--models", "cuba", "--json", "x", "--port"].map(str::to_owned);
        assert_eq!(options, Options { command: Command::BenchPeers(words.into()), yes: true });
    }

    #[test]
    fn a_wrong_word_is_named() {
        for (line, wrong) in [
            ("srve", "srve"),
            ("test gpu", "gpu"),
            ("engine fast", "fast"),
            ("serve --port eighty", "eighty"),
            ("serve --port 0", "`0`"),
            ("serve --port", "``"),
            ("engine --port 80", "--port"),
            ("test --record", "--record"),
            ("engine --release", "--release"),
        ] {
            let problem = parse(line).expect_err(line).to_string();
            assert!(problem.contains(wrong), "{line}: {problem}");
        }
    }
}
