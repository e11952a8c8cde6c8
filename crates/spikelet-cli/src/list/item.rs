//! What has a line in a list.

use serde::Serialize;

/// Something that is listed.
pub(crate) trait Item: Serialize {
    /// A short name to refer to it by.
    fn label(&self) -> &str;
    /// What it is, a line each.
    fn lines(&self) -> Vec<String>;
}
