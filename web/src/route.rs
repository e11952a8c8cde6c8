//! Which of its parts the page shows: networks, assemblies at the address `#assemblies`, training at `#training`, or the report on the GPU at `#gpu`.

use leptos::{ev, prelude::*};

/// A part of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PagePart {
    Networks,
    Assemblies,
    Training,
    GpuReport,
}

/// The address of the report on the GPU with tiny sizes, for tests.
const REHEARSAL: &str = "#gpu&rehearsal";

impl PagePart {
    /// The part that the address names.
    fn now() -> PagePart {
        match hash().as_str() {
            "#assemblies" => PagePart::Assemblies,
            "#training" => PagePart::Training,
            "#gpu" | REHEARSAL => PagePart::GpuReport,
            _ => PagePart::Networks,
        }
    }
}

/// What is shown, and what was opened so far: it stays, and is not loaded before.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    /// The part that is shown.
    pub(crate) place: RwSignal<PagePart>,
    /// The network that networks had open when another part was shown, as JSON.
    pub(crate) open_network: RwSignal<Option<String>>,
    /// A trained network that networks open next, as JSON.
    pub(crate) trained: RwSignal<Option<String>>,
    opened: RwSignal<Vec<PagePart>>,
    /// The address of the network that was left for another part.
    left: RwSignal<Option<String>>,
}

impl Route {
    /// The part that the address names.
    pub(crate) fn start() -> Route {
        let place = PagePart::now();
        let route = Route {
            place: RwSignal::new(place),
            open_network: RwSignal::new(None),
            trained: RwSignal::new(None),
            opened: RwSignal::new(vec![place]),
            left: RwSignal::new(None),
        };
        // Before the listeners of the parts, which are added later.
        let _ = window_event_listener(ev::hashchange, move |change| route.turn(&change.old_url()));
        route
    }

    fn turn(self, before: &str) {
        let place = PagePart::now();
        if place != PagePart::Networks && self.place.get_untracked() == PagePart::Networks {
            self.left.set(Some(before.find('#').map_or("", |at| &before[at..]).to_owned()));
        }
        if !self.opened.with_untracked(|opened| opened.contains(&place)) {
            self.opened.update(|opened| opened.push(place));
        }
        self.place.set(place);
    }

    /// Whether a part was opened.
    pub(crate) fn has_opened(self, place: PagePart) -> bool {
        self.opened.with(|opened| opened.contains(&place))
    }

    /// The address of networks.
    pub(crate) fn back(self) -> String {
        self.left.get().filter(|hash| !hash.is_empty()).unwrap_or_else(|| "#".to_owned())
    }

    /// Opens a trained network among networks.
    pub(crate) fn open_trained(self, json: String) {
        self.trained.set(Some(json));
        let address = untrack(|| self.back());
        window().location().set_hash(&address).ok();
    }

    /// Whether the address names a network that is not the one that was left for another part.
    pub(crate) fn is_another_network(self) -> bool {
        if !is_at_networks() {
            return false;
        }
        let left = self.left.get_untracked();
        self.left.set(None);
        left != Some(hash())
    }
}

/// Whether the address is that of a network.
pub(crate) fn is_at_networks() -> bool {
    PagePart::now() == PagePart::Networks
}

/// Whether the address requests a rehearsal of the report on the GPU.
pub(crate) fn is_rehearsal() -> bool {
    hash() == REHEARSAL
}

fn hash() -> String {
    window().location().hash().unwrap_or_default()
}
