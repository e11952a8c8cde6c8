//! The network in the address, so that it survives a reload and can be shared.

use leptos::prelude::*;
use spikelet_js::protocol::{BackendChoice, Source};
use wasm_bindgen::JsValue;

use super::Studio;
use crate::{
    kept, link, route,
    session::{OpenRequest, Session},
};

/// The name under which a long network is stored.
fn network(name: &str) -> String {
    format!("network:{name}")
}

fn address() -> Result<OpenRequest, String> {
    let location = window().location();
    let (hash, query) = (location.hash().unwrap_or_default(), location.search().unwrap_or_default());
    link::read(&hash, &query, |name| kept::read(&network(name)))
}

impl Studio {
    /// Opens the network of the address.
    pub(crate) fn open_address(self) {
        match address() {
            Ok(open_request) => self.open(open_request),
            Err(name) => {
                self.open(OpenRequest::first());
                let sentence = format!(
                    "The address names network {name}, which is stored only in the browser that created it: send the network's JSON instead. Opened the first network of the list."
                );
                self.session.update(|session| session.error = Some(sentence));
            }
        }
    }

    /// Writes the network and its changes to the address. Another network is a new entry of the browser's history.
    pub(super) fn write_address(self) {
        if !route::is_at_networks() {
            return;
        }
        let open_request = self.request_now();
        if let (Some(name), Source::Json { text }) = (link::kept_as(&open_request.source), &open_request.source)
            && kept::write(&network(&name), Some(text)).is_err()
        {
            let sentence =
                "The network is too long for the address, and the browser does not store it: copy its JSON before you leave.";
            self.session.update(|session: &mut Session| session.error = Some(sentence.into()));
            return;
        }
        let query = match open_request.backend {
            BackendChoice::Auto => String::new(),
            choice => format!("?backend={}", link::backend_word(choice)),
        };
        let path = window().location().pathname().unwrap_or_default();
        let url = format!("{path}{query}#{}", link::write(&open_request));
        let is_same = address().is_ok_and(|before| link::name_of(&before.source) == link::name_of(&open_request.source));
        let Ok(history) = window().history() else { return };
        let written = if is_same {
            history.replace_state_with_url(&JsValue::NULL, "", Some(&url))
        } else {
            history.push_state_with_url(&JsValue::NULL, "", Some(&url))
        };
        // Browsers reject this without an address, such as in a sandboxed frame. Nothing else depends on it.
        written.ok();
    }
}
