//! What is kept of a run, in a sentence.

use serde::Deserialize;

use crate::number;

/// Times in ms since which data are kept; none if they are not kept.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeptData {
    spikes_ms: Option<f64>,
    every: u32,
    rates_ms: Option<f64>,
    traces_ms: Option<f64>,
}

/// The snapshots of a run.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stored {
    snapshots: u32,
    bytes: u64,
    is_too_large: bool,
}

impl KeptData {
    /// A sentence: `Kept: spikes since 12.3 s, rates and traces since 0 s; 12 snapshots (18 MiB).`
    pub(crate) fn sentence(&self, stored: &Stored) -> String {
        let of_neurons = match self.every {
            0 | 1 => "spikes".to_owned(),
            every => format!("spikes of one in {every} neurons"),
        };
        let kinds = [(of_neurons, self.spikes_ms), ("rates".to_owned(), self.rates_ms), ("traces".to_owned(), self.traces_ms)];
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for (what, since_ms) in kinds {
            let Some(since_ms) = since_ms else { continue };
            let since = format!("{} s", number::short(since_ms / 1000.0, 4));
            match groups.last_mut().filter(|(last, _)| *last == since) {
                Some((_, names)) => names.push(what),
                None => groups.push((since, vec![what])),
            }
        }
        let mut parts: Vec<String> =
            groups.into_iter().map(|(since, names)| format!("{} since {since}", joined(&names))).collect();
        if parts.is_empty() {
            parts.push("nothing, since no plot needs data".into());
        }
        let snapshots = match stored {
            Stored { is_too_large: true, .. } => {
                "; the state is too large for snapshots, so a fork starts at the beginning".into()
            }
            Stored { snapshots: 0, .. } => String::new(),
            Stored { snapshots, bytes, .. } => {
                format!("; {} ({})", number::count(u64::from(*snapshots), "snapshot"), number::bytes(*bytes))
            }
        };
        format!("Kept: {}{snapshots}.", parts.join(", "))
    }
}

/// `a, b and c`
fn joined(names: &[String]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        names => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_a_sentence() {
        let stored = Stored { snapshots: 12, bytes: 18 << 20, is_too_large: false };
        let all = KeptData { spikes_ms: Some(0.0), every: 1, rates_ms: Some(0.0), traces_ms: Some(0.0) };
        assert_eq!(all.sentence(&Stored::default()), "Kept: spikes, rates and traces since 0 s.");
        let later = KeptData { spikes_ms: Some(12_345.6), ..all.clone() };
        let sentence = later.sentence(&stored);
        assert!(sentence.starts_with("Kept: spikes since 12.35 s, rates and traces since 0 s; 12 snapshots ("), "{sentence}");
        let thin = KeptData { every: 4, traces_ms: None, ..all };
        assert_eq!(thin.sentence(&Stored::default()), "Kept: spikes of one in 4 neurons and rates since 0 s.");
        let large = Stored { is_too_large: true, ..stored };
        assert!(KeptData::default().sentence(&large).contains("a fork starts at the beginning"));
    }
}
