//! What came of it, as tables and as JSON.

use std::fmt::Write;

use serde::Serialize;

use crate::machine::Conditions;
use crate::measure::SubjectResult;
use crate::model::Model;

/// A peer's mean rate further from ours than this is pointed at.
const RATES_WITHIN: f64 = 0.1;

/// All that was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    conditions: Conditions,
    /// Whether it was a run of a tenth of the time, just to see that it works.
    quick: bool,
    models: Vec<ModelReport>,
}

#[derive(Debug, Serialize)]
struct ModelReport {
    name: &'static str,
    /// Biological time of a run.
    seconds: f64,
    /// Of the last minute, before.
    load: Option<f64>,
    measured: Vec<SubjectResult>,
}

impl Report {
    pub(crate) fn new(conditions: Conditions, quick: bool) -> Report {
        Report { conditions, quick, models: Vec::new() }
    }

    /// Takes in what was measured on a model; gives it as a table.
    pub(crate) fn add(&mut self, model: &Model, seconds: f64, load: Option<f64>, measured: Vec<SubjectResult>) -> String {
        let of = ModelReport { name: model.name, seconds, load, measured };
        let text = of.table();
        self.models.push(of);
        text
    }

    pub(crate) fn to_json(&self) -> String {
        // Names and numbers only: it cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// How many times faster each of ours is than the fastest peer with one thread.
    pub(crate) fn summary(&self) -> String {
        let mut columns: Vec<&str> = Vec::new();
        for column in self.models.iter().flat_map(|model| &model.measured).filter_map(|of| of.identity.column.as_deref()) {
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        let mut text = format!("{:<15} {:<30}", "times faster", "than, with one thread");
        for column in &columns {
            let _ = write!(text, " {column:>12}");
        }
        let mut logarithms = vec![Vec::new(); columns.len()];
        for model in &self.models {
            let Some(peer) = model.fastest_peer() else { continue };
            let _ = write!(text, "\n{:<15} {:<30}", model.name, peer.identity.name);
            for (column, logarithms) in columns.iter().zip(&mut logarithms) {
                match model.measured.iter().find(|of| of.identity.column.as_deref() == Some(column)) {
                    Some(own) => {
                        let ratio = peer.wall() / own.wall();
                        logarithms.push(ratio.ln());
                        let _ = write!(text, " {ratio:>12.2}");
                    }
                    None => text += &format!(" {:>12}", "–"),
                }
            }
        }
        let _ = write!(text, "\n{:<46}", "geometric mean");
        for logarithms in &logarithms {
            let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
            let _ = write!(text, " {:>12}", if mean.is_finite() { format!("{mean:.2}") } else { "–".to_owned() });
        }
        text + if self.quick { "\na tenth of the time: figures of little worth" } else { "" }
    }
}

impl ModelReport {
    /// The fastest peer with one thread.
    fn fastest_peer(&self) -> Option<&SubjectResult> {
        let peers = self.measured.iter().filter(|measured| measured.identity.column.is_none() && measured.identity.threads == 1);
        peers.min_by(|a, b| a.wall().total_cmp(&b.wall()))
    }

    fn table(&self) -> String {
        let load = self.load.map_or(String::new(), |load| format!(", load before {load:.2}"));
        let mut text = format!("\n{}: {} s of biological time{load}\n", self.name, self.seconds);
        let reference = self.measured.iter().find(|of| of.identity.column.is_some());
        let _ = write!(
            text,
            "{:<30} {:>7} {:>12} {:>19} {:>8} {:>8}   rates, Hz",
            "", "threads", "wall s/bio s", "of all runs", "to ours", "others"
        );
        for measured in &self.measured {
            let wall = measured.wall();
            let (least, most) =
                measured.walls().fold((f64::INFINITY, 0.0_f64), |(least, most), wall| (least.min(wall), most.max(wall)));
            let of_ours = reference.map_or(f64::NAN, |ours| wall / ours.wall());
            let others = match measured.others.len() {
                0 => "–".to_owned(),
                runs => format!("{:.2}", measured.others.iter().sum::<f64>() / runs as f64),
            };
            let _ = write!(
                text,
                "\n{:<30} {:>7} {wall:>12.4} {:>19} {of_ours:>8.2} {others:>8}   {}",
                measured.identity.name,
                measured.identity.threads,
                format!("{least:.4} … {most:.4}"),
                measured.rates(reference),
            );
            if measured.died > 0 {
                let _ = write!(text, "; died out and repeated: {}", measured.died);
            }
        }
        text
    }
}

impl SubjectResult {
    /// Mean rates; those too far from ours are pointed at.
    fn rates(&self, reference: Option<&SubjectResult>) -> String {
        let rate = |population: &String| {
            let rate = self.rate(population).unwrap_or(f64::NAN);
            let ours = reference.and_then(|ours| ours.rate(population)).unwrap_or(rate);
            let far = (rate / ours - 1.0).abs() > RATES_WITHIN;
            format!("{population} {rate:.2}{}", if far { " (≠)" } else { "" })
        };
        self.runs.iter().take(1).flat_map(|run| run.rates_hz.keys()).map(rate).collect::<Vec<_>>().join("  ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::{Identity, SubjectRun};

    fn measured(name: &str, threads: usize, wall: f64, rate: f64) -> SubjectResult {
        let column = (name == "Spikelet").then(|| format!("native, {threads}"));
        let identity = Identity { name: name.into(), threads, column };
        let run = SubjectRun { wall_per_second: wall, rates_hz: [("E".into(), rate)].into() };
        SubjectResult { identity, runs: vec![run], others: vec![0.0], died: 0 }
    }

    #[test]
    fn ratios_are_to_the_fastest_peer_with_one_thread() {
        let conditions = Conditions { date: "now".into(), cpu: "a CPU".into(), cores: 2, spikelet: "0".into(), chromium: None };
        let mut report = Report::new(conditions, false);
        for (model, peer) in [("cuba", 0.4), ("coba", 0.1)] {
            let rows = vec![
                measured("Spikelet", 1, 0.1, 5.0),
                measured("slow", 1, 3.0, 5.2),
                measured("peer", 1, peer, 5.6),
                measured("peer", 2, 0.01, 5.0),
            ];
            let table = report.add(Model::named(model).unwrap(), 1.0, Some(0.5), rows);
            assert!(table.contains("E 5.60 (≠)") && table.contains("E 5.20\n"), "{table}");
        }
        let summary = report.summary();
        let line = |start: &str| summary.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
        assert!(line("cuba").ends_with("4.00") && line("coba").ends_with("1.00"), "{summary}");
        assert!(line("geometric mean").ends_with("2.00"), "{summary}");
        assert!(serde_json::from_str::<serde_json::Value>(&report.to_json()).is_ok());
    }
}
