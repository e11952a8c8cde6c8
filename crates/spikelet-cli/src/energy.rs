//! `--energy`: the energy of a run, measured by the meter of the processor, or estimated from an assumed power.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::args::CostArguments;
use crate::failure::Failure;
use crate::text::{metric, short};

/// The energy of a run. The keys of its JSON are those of the report.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Energy {
    /// `measured` or `estimated`.
    kind: &'static str,
    /// How it was obtained.
    from: String,
    joules: f64,
    /// Mean power during the run.
    watts: f64,
    /// `None` without synaptic events.
    joules_per_event: Option<f64>,
    /// The events of this run with the energy per event of other machines.
    others: Vec<OfOther>,
}

/// An estimate for another machine.
#[derive(Debug, Clone, Serialize)]
struct OfOther {
    #[serde(flatten)]
    per_event: PerEvent,
    joules: f64,
}

/// The energy per synaptic event of a machine.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PerEvent {
    name: String,
    joules_per_event: f64,
    source: String,
}

/// The content of the file of `--energy`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Assumptions {
    watts: Option<f64>,
    per_event: Option<Vec<PerEvent>>,
}

/// Published energies per synaptic event of the cortical microcircuit (pd14), with all that a simulation takes, idle power included.
const PUBLISHED: [(&str, f64, &str); 4] = [
    ("SpiNNaker, 20 times slower than real time", 5.9e-6, "van Albada et al. 2018, 10.3389/fnins.2018.00291"),
    ("NEST on a cluster, most efficient number of nodes", 5.8e-6, "van Albada et al. 2018, 10.3389/fnins.2018.00291"),
    ("SpiNNaker, in real time", 0.6e-6, "Rhodes et al. 2019, 10.1098/rsta.2019.0160"),
    ("NEST on a node with two AMD EPYC Rome", 0.26e-6, "Kurth et al. 2021, juser.fz-juelich.de/record/894269"),
];

/// Counts energy from its start on.
#[derive(Debug)]
pub(crate) struct EnergyMeter {
    /// The counters of the processors, with their values at the start in µJ.
    counters: Vec<(PathBuf, u64)>,
    watts: Option<f64>,
    per_event: Vec<PerEvent>,
}

impl EnergyMeter {
    /// A meter, if the arguments request one.
    pub(crate) fn start(args: &CostArguments) -> Result<Option<EnergyMeter>, Failure> {
        let Some(file) = &args.energy else { return Ok(None) };
        EnergyMeter::with(Path::new("/sys/class/powercap"), file.as_deref(), args.watts).map(Some)
    }

    /// The same, with the counters of a folder.
    fn with(root: &Path, file: Option<&Path>, watts: Option<f64>) -> Result<EnergyMeter, Failure> {
        let assumed = file.map(read).transpose()?.unwrap_or_default();
        let watts = watts.or(assumed.watts);
        // A power that the user gives takes precedence.
        let counters = if watts.is_some() { Vec::new() } else { counters(root) };
        if counters.is_empty() && watts.is_none() {
            let sentence = "--energy finds no energy meter of the processor that this user can read; give the assumed power with \
                            --watts, such as --watts 65";
            return Err(Failure::Input(sentence.into()));
        }
        let published = || {
            let of = |(name, joules_per_event, source): &(&str, f64, &str)| PerEvent {
                name: (*name).to_owned(),
                joules_per_event: *joules_per_event,
                source: (*source).to_owned(),
            };
            PUBLISHED.iter().map(of).collect()
        };
        Ok(EnergyMeter { counters, watts, per_event: assumed.per_event.unwrap_or_else(published) })
    }

    /// The energy since the start, of a simulation of this duration with this number of synaptic events.
    pub(crate) fn read(&self, seconds: f64, events: u64) -> Energy {
        let (kind, joules, from) = match self.watts {
            Some(watts) => ("estimated", watts * seconds, format!("{} s of simulation at an assumed {watts} W", short(seconds))),
            None => {
                let joules = self.counters.iter().map(|(path, before)| counted(path, *before)).sum();
                let from = "the meters of the processors, which count all programs, and no memory or network";
                ("measured", joules, from.to_owned())
            }
        };
        let per_event = |of: &PerEvent| OfOther { per_event: of.clone(), joules: of.joules_per_event * events as f64 };
        Energy {
            kind,
            from,
            joules,
            watts: if seconds > 0.0 { joules / seconds } else { 0.0 },
            joules_per_event: (events > 0).then(|| joules / events as f64),
            others: self.per_event.iter().map(per_event).collect(),
        }
    }
}

/// The counters of whole processors, and their values.
fn counters(root: &Path) -> Vec<(PathBuf, u64)> {
    let folders = fs::read_dir(root).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let is_processor = |path: &PathBuf| {
        // `intel-rapl:0` is a processor, `intel-rapl:0:1` a part of it.
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("intel-rapl:") && name.matches(':').count() == 1
    };
    folders.filter(is_processor).filter_map(|path| number(&path.join("energy_uj")).map(|count| (path, count))).collect()
}

/// Energy in J since a counter had a value; it starts again from 0 after its largest one.
fn counted(path: &Path, before: u64) -> f64 {
    let now = number(&path.join("energy_uj")).unwrap_or(before);
    let range = || number(&path.join("max_energy_range_uj")).unwrap_or(before);
    let counted = if now >= before { now - before } else { range().saturating_sub(before) + now };
    counted as f64 / 1e6
}

fn number(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// The assumptions of a file.
fn read(path: &Path) -> Result<Assumptions, Failure> {
    let name = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::Input(format!("--energy {name} cannot be read: {error}; check the path")))?;
    let assumed: Assumptions = serde_json::from_str(&text).map_err(|error| {
        let expected = r#"{"watts": 65, "per_event": [{"name": "…", "joules_per_event": 1e-6, "source": "…"}]}"#;
        Failure::Input(format!("--energy {name}: {error}; expected is an object such as {expected}"))
    })?;
    let per_event = assumed.per_event.iter().flatten().enumerate();
    let energies = per_event.map(|(index, of)| (format!("per_event[{index}].joules_per_event"), of.joules_per_event));
    for (path, value) in energies.chain(assumed.watts.map(|watts| ("watts".to_owned(), watts))) {
        if !value.is_finite() || value <= 0.0 {
            let sentence = format!("--energy {name}: {path} is {value}, but a number above 0 is expected; correct or remove it");
            return Err(Failure::Input(sentence));
        }
    }
    Ok(assumed)
}

impl Energy {
    /// Lines for the table.
    pub(crate) fn lines(&self) -> Vec<String> {
        let each = self.joules_per_event.map_or(String::new(), |joules| format!(", {} per event", micro(joules)));
        let own = format!("{} J {}{each}: {}", short(self.joules), self.kind, self.from);
        let other = |OfOther { per_event, joules }: &OfOther| {
            let PerEvent { name, joules_per_event, source } = per_event;
            format!("{} J estimated for {name} with {} per event ({source})", short(*joules), micro(*joules_per_event))
        };
        std::iter::once(own).chain(self.others.iter().map(other)).collect()
    }
}

/// An energy in µJ.
fn micro(joules: f64) -> String {
    format!("{} µJ", metric(joules * 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let root = std::env::temp_dir().join(format!("spikelet-energy-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).expect("the folder is writable");
        root
    }

    fn put(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is writable");
        fs::write(path, text).expect("the folder is writable");
    }

    #[test]
    fn processors_are_counted_once_and_over_the_end_of_a_counter() {
        let root = folder("counters");
        for (name, count) in [("intel-rapl:0", "1000000\n"), ("intel-rapl:1", "9000000\n"), ("intel-rapl:0:0", "5000000\n")] {
            put(&root.join(name).join("energy_uj"), count);
            put(&root.join(name).join("max_energy_range_uj"), "10000000\n");
        }
        let meter = EnergyMeter::with(&root, None, None).expect("there are counters");
        put(&root.join("intel-rapl:0/energy_uj"), "4000000\n");
        put(&root.join("intel-rapl:1/energy_uj"), "500000\n");
        let energy = meter.read(3.0, 9_000_000);
        assert_eq!((energy.kind, energy.joules, energy.watts), ("measured", 4.5, 1.5));
        assert_eq!(energy.joules_per_event, Some(0.5e-6));
        // A given power takes precedence.
        let energy = EnergyMeter::with(&root, None, Some(10.0)).expect("a power is given").read(2.0, 0);
        assert_eq!((energy.kind, energy.joules, energy.joules_per_event), ("estimated", 20.0, None));
        fs::remove_dir_all(&root).expect("it can be removed");
    }

    #[test]
    fn files_of_assumptions_are_checked() {
        let root = folder("files");
        let with = |text: &str| {
            let path = root.join("energy.json");
            put(&path, text);
            EnergyMeter::with(&root, Some(&path), None)
        };
        let meter = with(r#"{"watts": 40, "per_event": [{"name": "chip", "joules_per_event": 1e-9, "source": "its paper"}]}"#);
        let energy = meter.expect("it is valid").read(2.0, 1_000_000);
        assert_eq!((energy.joules, energy.others[0].joules), (80.0, 1e-3));
        assert_eq!(energy.lines().len(), 2);
        for (text, part) in [
            (r#"{"watts": -1}"#, "watts is -1, but a number above 0"),
            (
                r#"{"watts": 1, "per_event": [{"name": "a", "joules_per_event": 0, "source": ""}]}"#,
                "per_event[0].joules_per_event is 0",
            ),
            (r#"{"power": 1}"#, "unknown field `power`"),
            ("{}", "--watts"),
        ] {
            let message = with(text).expect_err(part).to_string();
            assert!(message.contains(part), "{message}");
        }
        fs::remove_dir_all(&root).expect("it can be removed");
    }
}
