//! Entries of lists.

use serde::Serialize;

/// An entry of a list.
pub(crate) trait Item: Serialize {
    /// Its name.
    fn label(&self) -> &str;
    /// Its description, in lines.
    fn lines(&self) -> Vec<String>;
}
