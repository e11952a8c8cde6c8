//! Which of its parts the page shows: networks, or assemblies at the address `#assemblies`.

use leptos::{ev, prelude::*};

/// The part of the address after `#` at which assemblies are shown.
const ASSEMBLIES: &str = "#assemblies";

/// What is shown, and what was opened so far: it stays, and is not loaded before.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    /// Whether assemblies are shown.
    pub(crate) is_at_assemblies: RwSignal<bool>,
    /// Whether networks were opened.
    pub(crate) networks: RwSignal<bool>,
    /// Whether assemblies were opened.
    pub(crate) assemblies: RwSignal<bool>,
    /// The address of the network that was left for assemblies.
    left: RwSignal<Option<String>>,
}

impl Route {
    /// The part that the address names.
    pub(crate) fn start() -> Route {
        let there = is_at_assemblies();
        let route = Route {
            is_at_assemblies: RwSignal::new(there),
            networks: RwSignal::new(!there),
            assemblies: RwSignal::new(there),
            left: RwSignal::new(None),
        };
        // Before the listeners of the parts, which are added later.
        let _ = window_event_listener(ev::hashchange, move |change| route.turn(&change.old_url()));
        route
    }

    fn turn(self, before: &str) {
        let there = is_at_assemblies();
        if there && !self.is_at_assemblies.get_untracked() {
            self.left.set(Some(before.find('#').map_or("", |at| &before[at..]).to_owned()));
        }
        let opened = if there { self.assemblies } else { self.networks };
        if !opened.get_untracked() {
            opened.set(true);
        }
        self.is_at_assemblies.set(there);
    }

    /// The address of networks.
    pub(crate) fn back(self) -> String {
        self.left.get().filter(|hash| !hash.is_empty()).unwrap_or_else(|| "#".to_owned())
    }

    /// Whether the address names a network that is not the one that was left for assemblies.
    pub(crate) fn is_another_network(self) -> bool {
        if is_at_assemblies() {
            return false;
        }
        let left = self.left.get_untracked();
        self.left.set(None);
        left != Some(hash())
    }
}

/// Whether the address is that of assemblies.
pub(crate) fn is_at_assemblies() -> bool {
    hash() == ASSEMBLIES
}

fn hash() -> String {
    window().location().hash().unwrap_or_default()
}
