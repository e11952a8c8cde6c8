//! What an import makes of a file.

use spikelet_network::{Diagnostic, Error, Network, Notice};

/// A network that was made of a file.
#[derive(Debug, Clone, Default)]
pub struct Imported {
    /// The network.
    pub network: Network,
    /// What is dropped or approximated, each with its place.
    pub notices: Vec<Notice>,
    /// Where objects of the network are in the file: a path such as `populations[1]`, and the place, such as `net.xml, line 5`.
    pub places: Vec<(String, String)>,
}

impl Imported {
    /// An error of the network as one of the file.
    pub(crate) fn error(&self, found: Diagnostic) -> Error {
        let holds =
            |path: &str| found.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        let place = self.places.iter().filter(|(path, _)| holds(path)).max_by_key(|(path, _)| path.len());
        let place = match place {
            Some((path, place)) if found.path == *path => place.clone(),
            Some((path, place)) => format!("{place} ({})", found.path[path.len()..].trim_start_matches('.')),
            None => found.path.clone(),
        };
        let value = found.span.map(|span| span.excerpt).filter(|line| !line.is_empty());
        let value = value.map_or_else(|| "no valid part of a network".to_owned(), |line| format!("`{}`", line.trim()));
        let message = found.message.trim_end_matches('.').to_owned();
        Error::invalid(place, value, message, found.help.unwrap_or_else(|| "correct the file, or report this".to_owned()))
    }
}
