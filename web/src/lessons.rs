//! Lessons: what to watch in a network, what to change, and what should happen then, measured during the run.
//!
//! Plain data, independent of the browser. The texts are in `web/lessons/lessons.json`, which the page loads when the first lesson is
//! opened. [`course`] is the state of the lesson of the open network, [`measure`] what it measures, [`pace`] how fast it runs.

pub(crate) mod course;
pub(crate) mod gallery;
pub(crate) mod measure;
pub(crate) mod pace;
pub(crate) mod predict;
pub(crate) mod thumbnail;
pub(crate) mod visit;

use indexmap::IndexMap;
use serde::Deserialize;
use spikelet_network::catalogue;

use measure::{Measure, Quantity};
use predict::Prediction;

/// The run over which the catalogue states its figures, in ms.
const CATALOGUE_SPAN_MS: [f64; 2] = [200.0, 1000.0];

/// The time after a change that is not measured, unless a step says otherwise, in ms.
const SETTLE_MS: f64 = 100.0;

/// All lessons.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Library {
    /// The first lesson from zero, in the order of its chapters, then a lesson for each network of the catalogue.
    pub(crate) lessons: Vec<Lesson>,
}

/// A lesson about a network.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lesson {
    /// Name of the network: that of the catalogue, or of the chapter's own network.
    pub(crate) name: String,
    /// What it shows, in one line.
    pub(crate) line: String,
    /// Words to find it by.
    pub(crate) tags: Vec<String>,
    /// The network of a chapter, as JSON.
    #[serde(default)]
    pub(crate) network: Option<serde_json::Value>,
    /// The size of the catalogue's network at which the figures hold.
    #[serde(default = "one")]
    pub(crate) scale: f64,
    /// Published figures, besides those that the catalogue states.
    #[serde(default)]
    pub(crate) figures: Vec<Figure>,
    /// The speed at which its steps run, biological ÷ wall time.
    pub(crate) speed: f64,
    /// The time span of the plots while they run, in ms.
    pub(crate) window_ms: f64,
    /// The plot that shows it, by the name of its kind.
    #[serde(default = "raster")]
    pub(crate) plot: String,
    /// Its steps.
    pub(crate) steps: Vec<Step>,
    /// The picture of the gallery.
    pub(crate) picture: Picture,
}

/// What a thumbnail shows: the spikes of a time span.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Picture {
    /// The start, in ms.
    pub(crate) from_ms: f64,
    /// The end, in ms.
    pub(crate) to_ms: f64,
    /// The scale of the catalogue's network.
    #[serde(default = "one")]
    pub(crate) scale: f64,
    /// Values that differ for the picture, as quantities.
    #[serde(default)]
    pub(crate) set: IndexMap<String, String>,
    /// The shown populations; without it all except sources.
    #[serde(default)]
    pub(crate) of: Option<Vec<String>>,
    /// Width of a sheet of neurons: the picture shows where neurons fired, instead of when.
    #[serde(default)]
    pub(crate) sheet: Option<u32>,
}

/// A published figure, with what one run may differ from it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figure {
    /// What is measured.
    pub(crate) measure: Measure,
    /// Start and end of the measured span from t = 0, in ms.
    pub(crate) span_ms: [f64; 2],
    /// The expected value.
    pub(crate) expected: f64,
    /// Its tolerance.
    pub(crate) within: f64,
    /// Where both are from.
    pub(crate) source: String,
    /// What the paper states, with its citation.
    #[serde(default)]
    pub(crate) published: Option<String>,
}

impl Figure {
    /// What else is known of it, in a sentence.
    pub(crate) fn remark(&self) -> Option<String> {
        match &self.published {
            Some(published) => Some(format!("In the paper: {published}.")),
            None if self.source.contains(OWN) => Some("No published value: it rests on this simulator.".into()),
            None => None,
        }
    }
}

/// What the source of a figure says that rests on no other simulator.
const OWN: &str = "this simulator";

/// The role of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    Watch,
    Change,
    Expect,
    /// A question that is answered by doing.
    Question,
}

/// A step of a lesson.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    /// Its role.
    pub(crate) role: Role,
    /// The text.
    pub(crate) text: String,
    /// Its own speed, where that of the lesson would take too long.
    #[serde(default)]
    pub(crate) speed: Option<f64>,
    /// Parameters whose sliders are in the step, besides those that it sets and expects.
    #[serde(default)]
    pub(crate) knobs: Vec<String>,
    /// What the learner predicts before it runs.
    #[serde(default)]
    pub(crate) predict: Option<Prediction>,
    /// The network pauses at the first spike, with this sentence.
    #[serde(default)]
    pub(crate) freeze: Option<String>,
    /// What its button does before the network runs.
    #[serde(rename = "do", default)]
    pub(crate) action: Action,
    /// When it is done.
    pub(crate) until: Goal,
}

/// What the button of a step does before the network runs, in this order.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Action {
    /// Sets parameters to quantities with units.
    #[serde(default)]
    pub(crate) set: IndexMap<String, String>,
    /// Returns to t = 0.
    #[serde(default)]
    pub(crate) reset: bool,
}

/// When a step is done.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(crate) enum Goal {
    /// The network has run for this time, in ms.
    RunMs(f64),
    /// A parameter is in a range.
    Parameter {
        /// Its path.
        path: String,
        /// The range, in the unit of its slider.
        range: [f64; 2],
    },
    /// Measures are in their ranges, all of them over the same span of time.
    Measure {
        /// What is measured, and what is expected.
        checks: Vec<Check>,
        /// How long, in ms: again and again, from when the step begins and the network has settled.
        #[serde(default)]
        over_ms: f64,
        /// Time that is left out after a change or a reset, in ms.
        #[serde(default = "settling")]
        settle_ms: f64,
        /// Or the span from t = 0, in ms, of a run without a change.
        #[serde(default)]
        span_ms: Option<[f64; 2]>,
    },
}

/// A measure with its range.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Check {
    /// What is measured.
    pub(crate) measure: Measure,
    /// The range; `null` for no limit.
    pub(crate) range: [Option<f64>; 2],
}

impl Check {
    /// Whether a value is in the range.
    pub(crate) fn holds(&self, value: f64) -> bool {
        let [low, high] = self.range;
        low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high)
    }

    /// The range as text: `above 8 Hz`.
    pub(crate) fn wanted(&self) -> String {
        let value = |value: f64| crate::number::quantity(value, self.measure.quantity.unit());
        match self.range {
            [Some(low), Some(high)] if low == high => value(low),
            [Some(low), Some(high)] => format!("between {} and {}", crate::number::short(low, 4), value(high)),
            [Some(low), None] => format!("at least {}", value(low)),
            [None, Some(high)] => format!("at most {}", value(high)),
            [None, None] => "any value".into(),
        }
    }
}

impl Step {
    /// Whether its button changes the network for the learner.
    pub(crate) fn sets(&self) -> bool {
        !self.action.set.is_empty()
    }

    /// The paths of the sliders in it, each once.
    pub(crate) fn sliders(&self) -> Vec<String> {
        let of_goal = match &self.until {
            Goal::Parameter { path, .. } => Some(path),
            _ => None,
        };
        let all = of_goal.into_iter().chain(self.action.set.keys()).chain(&self.knobs);
        all.cloned().collect::<indexmap::IndexSet<_>>().into_iter().collect()
    }
}

impl Library {
    /// Reads the file of lessons.
    ///
    /// # Errors
    /// It is not such a file.
    pub(crate) fn read(text: &str) -> Result<Library, String> {
        serde_json::from_str(text).map_err(|error| format!("lessons.json: {error}"))
    }

    /// The lesson about a network.
    pub(crate) fn of(&self, network: &str) -> Option<&Lesson> {
        self.lessons.iter().find(|lesson| lesson.name == network)
    }

    /// The chapters of the first lesson.
    pub(crate) fn chapters(&self) -> impl Iterator<Item = &Lesson> {
        self.lessons.iter().filter(|lesson| lesson.network.is_some())
    }
}

impl Lesson {
    /// All published figures: those of the catalogue first.
    pub(crate) fn all_figures(&self) -> Vec<Figure> {
        let entry = self.network.is_none().then(|| catalogue::entry(&self.name).ok()).flatten().filter(|_| self.scale == 1.0);
        let of_catalogue = entry.into_iter().flat_map(|entry| {
            entry.expected.iter().flat_map(|activity| {
                let figure = |quantity: Quantity, [expected, within]: [f64; 2]| Figure {
                    measure: Measure { quantity, of: activity.population.into(), neurons: None, periods_ms: None },
                    span_ms: CATALOGUE_SPAN_MS,
                    expected,
                    within,
                    source: entry.figures_from.into(),
                    published: None,
                };
                let rate = figure(Quantity::Rate, [activity.rate_hz, activity.rate_within_hz]);
                [Some(rate), activity.cv_isi.map(|cv| figure(Quantity::Cv, cv))].into_iter().flatten()
            })
        });
        of_catalogue.chain(self.figures.iter().cloned()).collect()
    }

    /// The text of its network, if it has its own.
    pub(crate) fn network_text(&self) -> Option<String> {
        self.network.as_ref().map(serde_json::Value::to_string)
    }
}

fn one() -> f64 {
    1.0
}

fn raster() -> String {
    "raster".into()
}

fn settling() -> f64 {
    SETTLE_MS
}

#[cfg(test)]
mod tests;
