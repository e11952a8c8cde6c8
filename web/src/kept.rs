//! What the browser keeps between visits: edits that were not run yet, and networks too long for the address.

use leptos::prelude::window;

/// Before each name, since the storage is shared with whatever else is served from the same origin.
const PREFIX: &str = "spikelet:";

/// The text kept under a name.
pub(crate) fn read(name: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(&format!("{PREFIX}{name}")).ok()?
}

/// Keeps a text; none takes away what was kept.
///
/// # Errors
/// The browser keeps nothing, or no more.
pub(crate) fn write(name: &str, text: Option<&str>) -> Result<(), StorageError> {
    let storage = window().local_storage().ok().flatten().ok_or(StorageError)?;
    let name = format!("{PREFIX}{name}");
    let done = match text {
        Some(text) => storage.set_item(&name, text),
        None => storage.remove_item(&name),
    };
    done.map_err(|_| StorageError)
}

/// The browser would not keep a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StorageError;
