//! What a link, a file and a project contain: a network, its values, and the run up to now.
//!
//! [`Shared`] is plain JSON. A file contains it as it is, a link compressed ([`code`]); [`history`] collects the values that were set
//! during a run, so that another browser repeats it with the same spikes.

pub(crate) mod code;
pub(crate) mod history;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spikelet_js::protocol::{BackendChoice, Source};

use crate::session::OpenRequest;

/// The version of the content. A link begins with it, and a file has it as `spikelet`.
pub(crate) const VERSION: u32 = 1;

/// The maximum length of a link after `#`. Mail programs and chats shorten or break longer addresses.
pub(crate) const LONGEST: usize = 8_000;

/// The end of the name of a file.
pub(crate) const ENDING: &str = "spikelet.json";

/// A parameter that was set during a run: the first step with the value, path and quantity.
pub(crate) type TimedChange = (u32, String, String);

/// A network with everything that is needed to show it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shared {
    /// Its name in the catalogue, or the whole network.
    pub(crate) network: Value,
    /// The size of a network of the catalogue, relative to the published one.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub(crate) scale: f64,
    /// The seed, if not that of the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seed: Option<u64>,
    /// Parameters that differ at t = 0: path and quantity.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub(crate) values: IndexMap<String, String>,
    /// Parameters that were set during the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) changes: Vec<TimedChange>,
    /// The time, in steps of the network's `dt_ms`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) step: u32,
    /// The visible time span in ms, if it does not follow the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) view: Option<(f64, f64)>,
    /// Biological ÷ wall time, if the speed is limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) speed: Option<f64>,
    /// The length of the time span of plots in ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) window_ms: Option<f64>,
    /// The plots and their sizes, if the user has arranged them: the layout of a board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) plots: Option<Value>,
    /// The visible pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pane: Option<String>,
    /// Edits of the network that were not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) draft: Option<Value>,
}

fn one() -> f64 {
    1.0
}

fn is_one<Of: From<u8> + PartialEq>(value: &Of) -> bool {
    *value == Of::from(1)
}

fn is_default<Of: Default + PartialEq>(value: &Of) -> bool {
    *value == Of::default()
}

impl Shared {
    /// A network at t = 0 with the values of its request. `None` if its text is not JSON.
    pub(crate) fn of(open_request: &OpenRequest) -> Option<Shared> {
        let (network, scale) = match &open_request.source {
            Source::Catalogue { name, scale } => (Value::from(name.as_str()), *scale),
            Source::Json { text } => (serde_json::from_str(text).ok().filter(Value::is_object)?, 1.0),
        };
        Some(Shared {
            network,
            scale,
            seed: open_request.seed,
            values: open_request.changes.iter().cloned().collect(),
            changes: Vec::new(),
            step: 0,
            view: None,
            speed: None,
            window_ms: None,
            plots: None,
            pane: None,
            draft: None,
        })
    }

    /// The network at t = 0.
    pub(crate) fn open_request(&self, backend: BackendChoice) -> OpenRequest {
        let source = match &self.network {
            Value::String(name) => Source::Catalogue { name: name.clone(), scale: self.scale },
            network => Source::Json { text: network.to_string() },
        };
        let changes = self.values.iter().map(|(path, value)| (path.clone(), value.clone())).collect();
        OpenRequest { source, backend, seed: self.seed, changes }
    }

    /// The parameters at the end of the run.
    pub(crate) fn final_values(&self) -> IndexMap<String, String> {
        let mut values = self.values.clone();
        values.extend(self.changes.iter().map(|(_, path, value)| (path.clone(), value.clone())));
        values
    }

    /// The same at t = 0, with the values at the end.
    pub(crate) fn at_start(self) -> Shared {
        let values = self.final_values();
        Shared { values, changes: Vec::new(), step: 0, view: None, ..self }
    }

    /// As JSON without white space.
    fn to_json(&self) -> String {
        // All fields can be represented in JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The part of an address after `#`.
    ///
    /// # Errors
    /// The length of the link, if it is above [`LONGEST`].
    pub(crate) fn to_link(&self) -> Result<String, usize> {
        let link = code::write(VERSION, &self.to_json());
        if link.len() > LONGEST { Err(link.len()) } else { Ok(link) }
    }

    /// Reads a link.
    ///
    /// # Errors
    /// A sentence: the link is damaged, or of a newer version.
    pub(crate) fn from_link(link: &str) -> Result<Shared, String> {
        let json = code::read(VERSION, link)?;
        Shared::from_json(&json)
            .map_err(|problem| format!("The link is damaged or of a newer version of Spikelet: {problem}. {RELOAD}"))
    }

    /// The content of a file.
    pub(crate) fn to_file(&self) -> String {
        let mut file = serde_json::Map::from_iter([("spikelet".to_owned(), Value::from(VERSION))]);
        if let Ok(Value::Object(fields)) = serde_json::to_value(self) {
            file.extend(fields);
        }
        serde_json::to_string_pretty(&file).unwrap_or_default()
    }

    /// Reads the content of a file. `None` if it is a plain network or something else.
    ///
    /// # Errors
    /// A sentence: the file is damaged, or of a newer version.
    pub(crate) fn from_file(text: &str) -> Option<Result<Shared, String>> {
        let (version, fields) = versioned(text)?;
        Some(version.and_then(|()| {
            Shared::from_value(Value::Object(fields)).map_err(|problem| format!("The file is damaged: {problem}."))
        }))
    }

    fn from_json(json: &str) -> Result<Shared, String> {
        serde_json::from_str::<Shared>(json).map_err(|error| error.to_string())?.checked()
    }

    pub(crate) fn from_value(value: Value) -> Result<Shared, String> {
        serde_json::from_value::<Shared>(value).map_err(|error| error.to_string())?.checked()
    }

    /// Values that the types allow and the page cannot use are rejected.
    pub(crate) fn checked(self) -> Result<Shared, String> {
        let number = |name: &str, value: Option<f64>| match value {
            Some(value) if !(value.is_finite() && value > 0.0) => Err(format!("`{name}` is {value}; expected a positive number")),
            _ => Ok(()),
        };
        if !self.network.is_string() && !self.network.is_object() {
            return Err(format!("`network` is {}; expected a name or an object", self.network));
        }
        number("scale", Some(self.scale))?;
        number("speed", self.speed)?;
        number("window_ms", self.window_ms)?;
        if let Some((from, to)) = self.view
            && !(from >= 0.0 && to > from && to.is_finite())
        {
            return Err(format!("`view` is from {from} to {to} ms; expected a time span"));
        }
        if let Some(pair) = self.changes.windows(2).find(|pair| pair[0].0 > pair[1].0) {
            return Err(format!("`changes` are not in the order of time: {} is before {}", pair[0].0, pair[1].0));
        }
        if let Some((step, path, _)) = self.changes.last().filter(|change| change.0 > self.step) {
            return Err(format!("`changes` sets {path} at step {step}, after the end at step {}", self.step));
        }
        Ok(self)
    }
}

/// Advice for content of a newer version.
pub(crate) const RELOAD: &str = "Reload the page to get the newest version, or open the file instead of the link.";

/// The content of a file of this page without its version; the version is an error if it is not known.
pub(crate) fn versioned(text: &str) -> Option<(Result<(), String>, serde_json::Map<String, Value>)> {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(text) else { return None };
    let version = fields.shift_remove("spikelet")?;
    let known = match version.as_u64() {
        Some(version) if version == u64::from(VERSION) => Ok(()),
        Some(newer) if newer > u64::from(VERSION) => Err(format!(
            "The file was made by a newer version of Spikelet (format {newer}; this page reads {VERSION}): reload the page to get the newest version."
        )),
        _ => Err(format!("The file is damaged: its version is {version}; expected {VERSION}.")),
    };
    Some((known, fields))
}

#[cfg(test)]
mod tests;
