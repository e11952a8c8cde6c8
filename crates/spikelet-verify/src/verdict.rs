//! What was found.

use std::fmt;

use serde::Serialize;

/// How a case came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Everything agrees.
    Passed,
    /// Something does not.
    Failed,
    /// It was not run.
    Skipped,
}

/// How far something is from what is expected, and how far it may be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measure {
    /// What was compared: `spikes of n` in steps, `n.v[3]` in its unit, `exc.rate_hz`.
    pub what: String,
    /// The largest difference found.
    pub difference: f64,
    /// The largest one allowed.
    pub within: f64,
}

/// A case, and how it came out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// Name of the case.
    pub name: String,
    /// Its family; empty for a file that is no case.
    pub family: String,
    /// How it came out.
    pub outcome: Outcome,
    /// Why, unless it passed: a sentence for each thing that does not agree.
    pub reasons: Vec<String>,
    /// All that was compared.
    pub measures: Vec<Measure>,
}

impl Verdict {
    /// Of a file that could not be read as a case.
    pub fn malformed(file: impl Into<String>, reason: impl Into<String>) -> Verdict {
        let (reasons, measures) = (vec![reason.into()], Vec::new());
        Verdict { name: file.into(), family: String::new(), outcome: Outcome::Failed, reasons, measures }
    }
}

/// Reasons that stand in one line; the others are counted.
const SHOWN: usize = 2;

/// In one line: `ok   lif_delta_a`, `FAIL lif_delta_a: …`, `skip lif_delta_a: …`.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.outcome {
            Outcome::Passed => return write!(f, "ok   {}", self.name),
            Outcome::Failed => "FAIL",
            Outcome::Skipped => "skip",
        };
        // A reason may be followed by the text that it refers to, and a marker below.
        let first_lines = self.reasons.iter().map(|reason| reason.lines().next().unwrap_or_default().trim());
        let reasons = first_lines.take(SHOWN).collect::<Vec<_>>().join("; ");
        write!(f, "{word} {}: {reasons}", self.name)?;
        match self.reasons.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

/// Reasons and measures as they come up.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) reasons: Vec<String>,
    pub(crate) measures: Vec<Measure>,
}

impl Findings {
    /// Notes a comparison, and a reason if the difference is too large or not a number.
    pub(crate) fn compare(&mut self, what: &str, difference: f64, within: f64, reason: impl FnOnce() -> String) {
        self.measures.push(Measure { what: what.to_owned(), difference, within });
        if difference.is_nan() || difference > within {
            self.reasons.push(reason());
        }
    }
}
