//! The network in the address, so that it survives a reload; links that are opened.

use leptos::{prelude::*, task::spawn_local};
use spikelet_js::protocol::{BackendChoice, Source};

use super::{
    Studio,
    arrival::{Arrival, Rerun},
};
use crate::{
    backend, kept, link, package, route,
    session::{OpenRequest, Session},
    share::{Shared, code},
};

/// The address of a file to open: `#open=https://example.org/circuit/config.json`.
const FILE: &str = "#open=";

/// The name under which a long network is stored.
fn network(name: &str) -> String {
    format!("network:{name}")
}

fn address() -> Result<OpenRequest, String> {
    let location = window().location();
    let (hash, query) = (location.hash().unwrap_or_default(), location.search().unwrap_or_default());
    link::read(&hash, &query, |name| kept::read(&network(name)))
}

/// The device of the address.
pub(super) fn backend() -> BackendChoice {
    link::read("", &window().location().search().unwrap_or_default(), |_| None).map(|request| request.backend).unwrap_or_default()
}

impl Studio {
    /// Opens the network of the address.
    pub(crate) fn open_address(self) {
        let hash = window().location().hash().unwrap_or_default();
        let project = self.project_of_address();
        if let Some(link) = hash.strip_prefix('#').filter(|hash| code::is_link(hash)) {
            // The project of an entry of the history continues; a link by itself is opened and run.
            let rerun = if project.is_some() { Rerun::Offered } else { Rerun::AtOnce };
            return match Shared::from_link(link) {
                Ok(shared) => self.open_arriving(shared, rerun, |id| Arrival { project, of_address: true, ..Arrival::plain(id) }),
                Err(sentence) => self.open_first(&sentence),
            };
        }
        match self.open_class(&hash) {
            // A result is shown over the first network.
            Some(Ok(())) if self.is_visiting() => return,
            Some(Ok(())) => {
                let id = self.create(OpenRequest { backend: backend(), ..OpenRequest::first() }, false);
                return self.expect(Arrival::plain(id));
            }
            Some(Err(sentence)) => return self.open_first(&sentence),
            None => {}
        }
        if let Some(file) = hash.strip_prefix(FILE) {
            return self.open_file_of_address(file);
        }
        match address() {
            Ok(open_request) => {
                let id = self.create(open_request, false);
                self.expect(Arrival { project, of_address: true, ..Arrival::plain(id) });
            }
            Err(name) => self.open_first(&format!(
                "The address names network {name}, which is stored only in the browser that created it: send a link from “Share”, or the network's JSON, instead."
            )),
        }
    }

    /// Opens the file that an address names, of any format; what it names is loaded from beside it.
    fn open_file_of_address(self, file: &str) {
        let file = js_sys::decode_uri_component(file).map_or_else(|_| file.to_owned(), String::from);
        spawn_local(async move {
            match package::open_url(&file).await {
                Ok(foreign) => self.open_foreign(foreign),
                Err(error) => self.open_first(&format!("{}.", error.message)),
            }
        });
    }

    /// Opens the first network, because the address cannot be opened.
    fn open_first(self, sentence: &str) {
        let id = self.create(OpenRequest { backend: backend(), ..OpenRequest::first() }, false);
        self.expect(Arrival::plain(id));
        let sentence = format!("{sentence} Opened the first network of the list.");
        self.session.update(|session| session.error = Some(sentence));
    }

    /// Writes the network and its changes to the address. Another network is a new entry of the browser's history.
    pub(super) fn write_address(self) {
        if !route::is_at_networks() || self.is_replaying() || self.is_visiting() || self.is_as_linked() {
            return;
        }
        let open_request = self.request_now();
        if let (Some(name), Source::Json { text }) = (link::kept_as(&open_request.source), &open_request.source)
            && kept::write(&network(&name), Some(text)).is_err()
        {
            let sentence = "The network is too long for the address, and the browser does not store it: save a file from “Share” before you leave.";
            self.session.update(|session: &mut Session| session.error = Some(sentence.into()));
            return;
        }
        let query = match open_request.backend {
            BackendChoice::Auto => String::new(),
            choice => format!("?backend={}", backend::word(choice)),
        };
        let path = window().location().pathname().unwrap_or_default();
        let url = format!("{path}{query}#{}", link::write(&open_request));
        let is_same = address().is_ok_and(|before| link::name_of(&before.source) == link::name_of(&open_request.source));
        let Ok(history) = window().history() else { return };
        let project = self.stamp_value();
        let written = if is_same {
            history.replace_state_with_url(&project, "", Some(&url))
        } else {
            history.push_state_with_url(&project, "", Some(&url))
        };
        // Browsers reject this without an address, such as in a sandboxed frame. Nothing else depends on it.
        written.ok();
    }
}
