//! The results of a GPU: the lines that `run` of the kit, or a page, has written.

use crate::Result;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The format that is read.
const FORMAT: u64 = 1;

/// The name of the file in a folder of results.
const FILE: &str = "results.jsonl";

/// What was measured on a device: the results of one run, or of several, of which later ones replace those of the same name.
#[derive(Debug, Clone, Default)]
pub(super) struct Device {
    /// The last of each of these lines.
    pub(super) report: Value,
    pub(super) machine: Value,
    pub(super) adapter: Value,
    /// The commands of all runs, with their dates.
    pub(super) runs: Vec<String>,
    /// Whether any run was a rehearsal.
    pub(super) rehearsal: bool,
    /// All other lines.
    lines: Vec<Value>,
}

impl Device {
    /// Its name in documents; in a browser it may be that of a family.
    pub(super) fn name(&self) -> String {
        let text = |key: &str| self.adapter[key].as_str().unwrap_or("unknown");
        let place = if self.is_of_tab() { ", in a browser" } else { "" };
        format!("{} ({}{place})", text("name"), text("backend"))
    }

    pub(super) fn is_of_tab(&self) -> bool {
        self.report["from"] == "tab"
    }

    /// Whether it is no hardware.
    pub(super) fn is_software(&self) -> bool {
        let name = self.adapter["name"].as_str().unwrap_or_default().to_lowercase();
        self.adapter["type"] == "software" || ["llvmpipe", "swiftshader", "basic render"].iter().any(|known| name.contains(known))
    }

    /// The lines of a kind, in their order.
    pub(super) fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.lines.iter().filter(move |line| line["kind"] == kind)
    }

    /// A figure of a device, `gpu` or `cpu`.
    pub(super) fn figure(&self, case: &str, trials: u64, device: &str) -> Option<&Value> {
        let trials_of = |line: &Value| line["trials"].as_u64().unwrap_or(1);
        self.of_kind("figure").find(|line| line["case"] == case && line["device"] == device && trials_of(line) == trials)
    }

    /// Adds a line in place of that of the same name.
    fn add(&mut self, line: Value) {
        // What a line is about; the rest of it is what was found.
        const NAMES: [&str; 9] = ["kind", "case", "device", "trials", "operation", "network", "option", "step", "value"];
        let is_value = line["kind"] == "tune";
        let same = |other: &&mut Value| NAMES.iter().all(|name| (*name == "value" && !is_value) || other[*name] == line[*name]);
        match self.lines.iter_mut().find(same) {
            Some(other) => *other = line,
            None => self.lines.push(line),
        }
    }
}

/// What was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Results {
    pub(super) devices: Vec<Device>,
    /// What could not be used, as sentences.
    pub(super) notices: Vec<String>,
}

/// Reads the results of a folder, or of a file.
///
/// # Errors
/// There are none, or they are in a newer format.
pub(super) fn read(path: &Path) -> Result<Results> {
    let path = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
    let text = fs::read_to_string(&path).map_err(|error| {
        format!("cannot read {}: {error}; name the folder of `run --out`, or a file that the page has saved", path.display())
    })?;
    parse(&text).map_err(|problem| format!("{}: {problem}", path.display()).into())
}

/// Reads lines. Those that are damaged, as the last one of a run that was killed, are skipped.
fn parse(text: &str) -> std::result::Result<Results, String> {
    let mut results = Results::default();
    let mut run: Option<Device> = None;
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let Ok(line) = serde_json::from_str::<Value>(line) else {
            results.notices.push(format!("line {number} is damaged and left out"));
            continue;
        };
        if line["kind"] == "report" {
            let format = line["format"].as_u64().unwrap_or(0);
            if format != FORMAT {
                return Err(format!(
                    "line {number} has format {format}, and this program reads {FORMAT}; update the clone or the kit"
                ));
            }
            run.take().into_iter().for_each(|run| finish(run, &mut results));
            let text = |key: &str| line[key].as_str().unwrap_or("unknown").to_owned();
            let date = text("date");
            let date = date.split('T').next().unwrap_or_default();
            let runs = vec![format!("{date}, `{}`", text("command"))];
            run = Some(Device { rehearsal: line["rehearsal"] == true, runs, report: line, ..Device::default() });
            continue;
        }
        let Some(run) = &mut run else {
            return Err(format!(
                "line {number} is before the line of kind `report` with which results begin; give the whole file"
            ));
        };
        match line["kind"].as_str() {
            Some("machine") => run.machine = line,
            Some("adapter") => run.adapter = line,
            _ => run.add(line),
        }
    }
    run.into_iter().for_each(|run| finish(run, &mut results));
    match results.devices.is_empty() && results.notices.is_empty() {
        true => Err("there are no results in it".to_owned()),
        false => Ok(results),
    }
}

/// Adds a run to the device that it was about.
fn finish(run: Device, results: &mut Results) {
    if run.adapter.is_null() {
        let what = run.runs.concat();
        return results.notices.push(format!("a run had no GPU and is left out: {what}"));
    }
    match results.devices.iter_mut().find(|device| device.name() == run.name() && device.rehearsal == run.rehearsal) {
        Some(device) => {
            let Device { report, machine, adapter, runs, lines, .. } = run;
            (device.report, device.machine, device.adapter) = (report, machine, adapter);
            device.runs.extend(runs);
            lines.into_iter().for_each(|line| device.add(line));
        }
        None => results.devices.push(run),
    }
}

/// The steps that did not end well, and networks that differ, as sentences.
///
/// # Errors
/// As [`read`].
pub(super) fn failed(path: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for device in read(path)?.devices {
        for line in device.of_kind("step").filter(|line| line["end"] != "done") {
            let text = |key: &str| line[key].as_str().unwrap_or_default();
            found.push(format!("{} {} ended with {} {}", text("step"), text("case"), text("end"), text("reason")));
        }
        found.extend(
            device.of_kind("network").filter(|line| line["equal"] != true).map(|line| format!("a network differs: {line}")),
        );
        found.extend(device.of_kind("kernels").filter(|line| !line["error"].is_null()).map(|line| format!("kernels: {line}")));
        if device.of_kind("step").count() == 0 {
            found.push("no step ended".to_owned());
        }
    }
    Ok(found)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A run, as the kit writes it, cut where it was killed.
    pub(in crate::gpu) const SAMPLE: &str = include_str!("sample.jsonl");

    #[test]
    fn a_run_is_read_and_a_damaged_line_is_skipped() {
        let results = parse(SAMPLE).expect("it is read");
        assert_eq!(results.devices.len(), 2);
        assert!(results.notices.iter().any(|notice| notice.contains("is damaged")), "{:?}", results.notices);
        let device = &results.devices[0];
        assert_eq!(device.name(), "NVIDIA H200 (vulkan)");
        assert!(!device.is_software() && !device.rehearsal && !device.is_of_tab());
        let gpu = device.figure("cuba/published", 1, "gpu").expect("it is there");
        assert_eq!(gpu["steps_per_s"], 41_000.0);
        assert!(device.figure("cuba/published", 64, "gpu").is_some() && device.figure("cuba/published", 2, "gpu").is_none());
        assert_eq!(results.devices[1].name(), "nvidia hopper (webgpu, in a browser)");
    }

    #[test]
    fn a_later_run_replaces_what_it_has_measured_again() {
        let again = r#"{"kind":"report","format":1,"date":"2026-12-01T00:00:00Z","from":"native","command":"./run --only figures"}
{"kind":"adapter","name":"NVIDIA H200","backend":"vulkan"}
{"kind":"figure","case":"cuba/published","device":"gpu","trials":1,"steps_per_s":50000}"#;
        let results = parse(&format!("{SAMPLE}\n{again}")).expect("it is read");
        let device = &results.devices[0];
        assert_eq!(device.figure("cuba/published", 1, "gpu").expect("it is there")["steps_per_s"], 50_000);
        assert!(device.figure("cuba/published", 1, "cpu").is_some(), "what was not measured again stays");
        assert_eq!(device.runs, ["2026-11-28, `./run --seconds 400`", "2026-12-01, `./run --only figures`"]);
        let values = device.of_kind("tune").filter(|line| line["option"] == "spike_teams").count();
        assert_eq!(values, 2, "each value of a constant is a line of its own");
    }

    #[test]
    fn what_cannot_be_read_is_explained() {
        let problem = |text: &str| parse(text).expect_err(text);
        assert!(problem(r#"{"kind":"report","format":2}"#).contains("format 2"));
        assert!(problem(r#"{"kind":"figure"}"#).contains("before the line of kind `report`"));
        assert!(problem("\n").contains("no results"));
        let none = parse(r#"{"kind":"report","format":1,"date":"2026-11-28","command":"./run"}"#).expect("a run without GPU");
        assert!(none.devices.is_empty() && none.notices[0].contains("had no GPU"), "{:?}", none.notices);
        let missing = read(Path::new("/nonexistent/results")).expect_err("it is not there").to_string();
        assert!(missing.contains("/nonexistent/results") && missing.contains("`run --out`"), "{missing}");
    }
}
