//! A network that is being opened, and the run that comes with it.

use crate::share::Shared;

/// A run that is repeated, or could be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Replay {
    /// Where it ends, in ms.
    pub(crate) to_ms: f64,
    /// Whether it runs; else it is offered.
    pub(crate) runs: bool,
    pub(super) shared: Shared,
    /// The number of the network.
    pub(super) id: u32,
}

/// What becomes of the run of a link, file or project when it is opened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rerun {
    /// It runs again at once.
    AtOnce,
    /// It is offered.
    Offered,
    /// Its state is restored.
    Continued,
}

/// A network that is being opened, with what belongs to it.
#[derive(Debug, Clone)]
pub(super) struct Arrival {
    /// The number of the network.
    pub(super) id: u32,
    /// The project, if it is of one.
    pub(super) project: Option<String>,
    /// Notes of the project.
    pub(super) notes: String,
    /// Its run and layout.
    pub(super) shared: Option<(Shared, Rerun)>,
    /// Whether the project is that of the address: another tab may have it.
    pub(super) of_address: bool,
}

impl Arrival {
    /// A network without a project.
    pub(super) fn plain(id: u32) -> Arrival {
        Arrival { id, project: None, notes: String::new(), shared: None, of_address: false }
    }
}
