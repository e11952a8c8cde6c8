//! Data that the browser stores between visits: edits that were not run, and networks too long for the address.

use leptos::prelude::window;

/// Prefix of names, because the storage is shared with other pages of the same origin.
const PREFIX: &str = "spikelet:";

/// The stored text with a name.
pub(crate) fn read(name: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(&format!("{PREFIX}{name}")).ok()?
}

/// All stored texts with their names.
pub(crate) fn all() -> Vec<(String, String)> {
    let Some(storage) = window().local_storage().ok().flatten() else { return Vec::new() };
    let names = (0..storage.length().unwrap_or(0)).filter_map(|at| storage.key(at).ok()?);
    let names = names.filter_map(|name| Some(name.strip_prefix(PREFIX)?.to_owned()));
    names.filter_map(|name| Some((name.clone(), read(&name)?))).collect()
}

/// Stores a text; `None` removes it.
///
/// # Errors
/// The browser stores nothing, or its storage is full.
pub(crate) fn write(name: &str, text: Option<&str>) -> Result<(), StorageError> {
    let storage = window().local_storage().ok().flatten().ok_or(StorageError)?;
    let name = format!("{PREFIX}{name}");
    let done = match text {
        Some(text) => storage.set_item(&name, text),
        None => storage.remove_item(&name),
    };
    done.map_err(|_| StorageError)
}

/// The browser could not store a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StorageError;
