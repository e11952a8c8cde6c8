//! Learned weights: shown, saved and loaded; synapses saved.

use js_sys::{Array, Uint8Array};
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FileList};

use super::{Studio, files};
use crate::package::Simulation;

impl Studio {
    /// Lets the user save the learned weights.
    pub(crate) fn save_weights(self) {
        let content = self.with_simulation(Simulation::weights);
        self.wait(content, |studio, content| studio.save(&content, "weights", "npz"));
    }

    /// Lets the user save all synapses of a projection of the running network, in the format of this extension.
    pub(crate) fn save_synapses(self, projection: String, extension: &'static str) {
        let content = self.with_simulation(|simulation| simulation.edges(&projection, extension));
        self.wait(content, move |studio, content| studio.save(&content, &projection, extension));
    }

    /// Saves a file whose name has the name of the network.
    fn save(self, content: &Uint8Array, what: &str, extension: &str) {
        let name = self.session.with_untracked(|session| Some(session.current.as_ref()?.opened.network.name.clone()));
        let name = files::file_name(&format!("{} {what}", name.unwrap_or_default()), extension);
        if files::save(&name, &Array::of1(content), "application/octet-stream").is_err() {
            let sentence = "The browser cannot save files from this page; run the network with `spikelet run --save-synapses`.";
            self.session.update(|session| session.error = Some(sentence.into()));
        }
    }

    /// Loads a file of learned weights.
    pub(crate) fn load_weights(self, files: Option<&FileList>) {
        if let Some(file) = files.and_then(|files| files.get(0)) {
            self.load_weights_of(file);
        }
    }

    /// The same, of this file.
    pub(super) fn load_weights_of(self, file: File) {
        spawn_local(async move {
            match JsFuture::from(file.array_buffer()).await {
                Ok(content) => self.set_weights(&Uint8Array::new(&content), file.name()),
                Err(_) => {
                    let sentence = format!("{} cannot be read.", file.name());
                    self.session.update(|session| session.error = Some(sentence));
                }
            }
        });
    }

    /// The network that is being opened starts with these weights instead of those of its text.
    pub(super) fn start_with_weights(self, content: Option<Vec<u8>>) {
        let id = self.session.with_untracked(|session| session.latest());
        self.live().weights.replace(content.map(|content| (id, content)));
    }

    /// The network that is being opened is the one of this number, opened again.
    pub(super) fn move_weights(self, before: u32) {
        let id = self.session.with_untracked(|session| session.latest());
        if let Some((of, _)) = &mut *self.live().weights.borrow_mut()
            && *of == before
        {
            *of = id;
        }
    }

    /// The open network is at its start: learned weights, if any, are loaded.
    pub(super) fn restore_weights(self) {
        let live = self.live();
        if let Some((of, content)) = &*live.weights.borrow()
            && self.is_current(*of)
        {
            self.set_weights(&Uint8Array::from(content.as_slice()), "learned before".into());
        }
    }

    fn set_weights(self, content: &Uint8Array, file: String) {
        let loaded = self.with_simulation(|simulation| simulation.load_weights(content, &file));
        self.wait(loaded, move |studio, ()| studio.mark_weights(&file));
    }

    /// The synapses have loaded a file.
    fn mark_weights(self, file: &str) {
        self.session.update(|session| session.error = None);
        if let Some(board) = &*self.live().board.borrow() {
            board.mark(&format!("weights = {file}"));
        }
    }
}
