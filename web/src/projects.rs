//! Projects: networks with their values, edits and notes, which the browser saves as they change.
//!
//! Plain data. `web/src/studio/projects.rs` saves and opens them, `crates/spikelet-js/ts/keep/projects.ts` stores them in IndexedDB.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::share::{Shared, VERSION, versioned};

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Card {
    /// Its key in the storage.
    pub(crate) id: String,
    /// The name that the user sees and changes.
    pub(crate) name: String,
    /// The time of the last change, in ms since 1970.
    pub(crate) changed_ms: f64,
    /// The size of its content.
    pub(crate) bytes: usize,
    /// Biological time in ms.
    pub(crate) time_ms: f64,
    /// A small picture of its spikes, as a `data:` address; empty without one.
    pub(crate) picture: String,
}

/// What is stored for a project beside its card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Content {
    /// The network and its run.
    pub(crate) shared: Shared,
    /// Notes of the user, for the lab book.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) notes: String,
}

impl Content {
    /// As stored.
    pub(crate) fn to_text(&self) -> String {
        // All fields can be represented in JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the stored text.
    ///
    /// # Errors
    /// A sentence: it is of a newer version, or damaged.
    pub(crate) fn from_text(text: &str) -> Result<Content, String> {
        let content: Content = serde_json::from_str(text).map_err(|problem| {
            format!("The project cannot be read: {problem}. If a newer version of Spikelet saved it, reload the page.")
        })?;
        let Content { shared, notes } = content;
        let value = serde_json::to_value(shared).map_err(|problem| problem.to_string())?;
        Ok(Content { shared: Shared::from_value(value)?, notes })
    }
}

/// A project in a file of projects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Exported {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) changed_ms: f64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) picture: String,
    #[serde(flatten)]
    pub(crate) content: Content,
}

/// All projects as one file.
pub(crate) fn to_file(projects: &[Exported]) -> String {
    serde_json::to_string_pretty(&json!({ "spikelet": VERSION, "projects": projects })).unwrap_or_default()
}

/// Reads a file of projects. `None` if it is something else.
///
/// # Errors
/// A sentence: the file is of a newer version, or which project is damaged. Nothing is imported then.
pub(crate) fn from_file(text: &str) -> Option<Result<Vec<Exported>, String>> {
    let (version, mut fields) = versioned(text)?;
    let projects = fields.shift_remove("projects")?;
    let read = |place: usize, project: Value| {
        let damaged = |problem: String| format!("Project {} of the file is damaged: {problem}. Nothing was imported.", place + 1);
        let project: Exported = serde_json::from_value(project).map_err(|error| damaged(error.to_string()))?;
        let shared = serde_json::to_value(&project.content.shared).map_err(|error| damaged(error.to_string()))?;
        Shared::from_value(shared).map_err(damaged)?;
        Ok(project)
    };
    Some(version.and_then(|()| match projects {
        Value::Array(projects) => projects.into_iter().enumerate().map(|(place, project)| read(place, project)).collect(),
        other => Err(format!("The file is damaged: `projects` is {other}; expected a list.")),
    }))
}

/// A name that no card has: `cuba`, `cuba 2`, …
pub(crate) fn free_name(wanted: &str, cards: &[Card]) -> String {
    let wanted = wanted.trim();
    let wanted = if wanted.is_empty() { "Network" } else { wanted };
    let is_free = |name: &str| cards.iter().all(|card| card.name != name);
    let numbered = (2..).map(|number| format!("{wanted} {number}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(|name| is_free(name)).unwrap_or_default()
}

/// The name of a copy: `cuba, copy`.
pub(crate) fn copy_name(name: &str, cards: &[Card]) -> String {
    const COPY: &str = ", copy";
    let stem = name.split(COPY).next().unwrap_or(name);
    free_name(&format!("{stem}{COPY}"), cards)
}

/// The latest first.
pub(crate) fn sort(cards: &mut [Card]) {
    cards.sort_by(|one, other| other.changed_ms.total_cmp(&one.changed_ms).then_with(|| one.name.cmp(&other.name)));
}

/// Projects of what earlier versions stored: networks, and edits of networks of the catalogue. Edits of a network belong to it. Names are
/// those of [`crate::kept`].
pub(crate) fn of_earlier_versions(stored: &[(String, String)]) -> Vec<(String, Content)> {
    let edits_of = |name: &str| {
        let edits = stored.iter().find(|(key, _)| key.strip_prefix("edits:") == Some(name))?;
        serde_json::from_str::<Value>(&edits.1).ok()
    };
    let content = |network: Value, scale: f64, draft: Option<Value>| {
        let mut fields = Map::from_iter([("network".to_owned(), network), ("scale".to_owned(), scale.into())]);
        fields.extend(draft.map(|draft| ("draft".to_owned(), draft)));
        Some(Content { shared: Shared::from_value(Value::Object(fields)).ok()?, notes: String::new() })
    };
    let project = |(key, text): &(String, String)| {
        if let Some(name) = key.strip_prefix("network:") {
            let network: Value = serde_json::from_str(text).ok()?;
            let title = network["name"].as_str().unwrap_or("Network").to_owned();
            return Some((title, content(network, 1.0, edits_of(name))?));
        }
        let (name, scale) = key.strip_prefix("edits:")?.split_once('×')?;
        let edits: Value = serde_json::from_str(text).ok()?;
        Some((format!("{name}, edited"), content(name.into(), scale.parse().ok()?, Some(edits))?))
    };
    stored.iter().filter_map(project).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::OpenRequest;

    fn card(name: &str, changed_ms: f64) -> Card {
        Card { id: name.to_owned(), name: name.to_owned(), changed_ms, bytes: 1, time_ms: 0.0, picture: String::new() }
    }

    fn content() -> Content {
        Content {
            shared: Shared { step: 12, ..Shared::of(&OpenRequest::first()).unwrap() },
            notes: "a note\nof two lines".into(),
        }
    }

    #[test]
    fn a_project_comes_back_as_it_was_saved() {
        assert_eq!(Content::from_text(&content().to_text()), Ok(content()));
        assert!(Content::from_text("{}").unwrap_err().contains("missing field `shared`"));
        let broken = content().to_text().replace("\"cuba\"", "7");
        assert!(Content::from_text(&broken).unwrap_err().contains("`network` is 7"));
    }

    #[test]
    fn all_projects_are_one_file() {
        let exported = |name: &str| Exported { name: name.into(), changed_ms: 5.0, picture: String::new(), content: content() };
        let projects = vec![exported("a"), exported("b")];
        assert_eq!(from_file(&to_file(&projects)), Some(Ok(projects)));
        assert_eq!(from_file(&content().shared.to_file()), None, "a single network is no list");
        let damaged = from_file(r#"{"spikelet": 1, "projects": [{"name": "x"}]}"#).unwrap().unwrap_err();
        assert!(damaged.contains("Project 1") && damaged.contains("`shared`"), "{damaged}");
        assert!(from_file(r#"{"spikelet": 2, "projects": []}"#).unwrap().unwrap_err().contains("newer version"));
    }

    #[test]
    fn names_are_free_and_copies_do_not_grow() {
        let cards = [card("cuba", 1.0), card("cuba 2", 2.0), card("cuba, copy", 3.0)];
        assert_eq!(free_name("coba", &cards), "coba");
        assert_eq!(free_name(" cuba ", &cards), "cuba 3");
        assert_eq!(free_name("", &[]), "Network");
        assert_eq!(copy_name("cuba, copy", &cards), "cuba, copy 2");
        assert_eq!(copy_name("cuba", &[]), "cuba, copy");
    }

    #[test]
    fn the_latest_is_first() {
        let mut cards = [card("b", 1.0), card("c", 2.0), card("a", 1.0)];
        sort(&mut cards);
        assert_eq!(cards.map(|card| card.name), ["c", "a", "b"]);
    }

    #[test]
    fn what_earlier_versions_stored_becomes_projects() {
        let stored = |key: &str, text: &str| (key.to_owned(), text.to_owned());
        let found = of_earlier_versions(&[
            stored("pane", "network"),
            stored("edits:cuba×0.5", r#"{"edits":[]}"#),
            stored("network:00ff", r#"{"name":"own"}"#),
            stored("edits:00ff", r#"{"edits":[1]}"#),
            stored("edits:broken×1", "{"),
        ]);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].0.as_str(), found[0].1.shared.scale), ("cuba, edited", 0.5));
        assert_eq!(found[1].0, "own");
        assert_eq!(found[1].1.shared.draft, Some(json!({"edits": [1]})));
    }
}
