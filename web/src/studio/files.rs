//! Networks as files: opened from a chooser or dropped onto the page, and saved.

use js_sys::Array;
use leptos::{prelude::*, task::spawn_local};
use spikelet_js::protocol::Source;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, File, FileList, HtmlAnchorElement, Url};

use super::Studio;

impl Studio {
    /// Opens the network among these files.
    pub(crate) fn open_files(self, files: Option<&FileList>) {
        let files: Vec<File> = files.into_iter().flat_map(|files| (0..files.length()).filter_map(|at| files.get(at))).collect();
        if files.is_empty() {
            return;
        }
        spawn_local(async move {
            match read(&files).await {
                Ok(text) => self.open_source(Source::Json { text }),
                Err(sentence) => self.session.update(|session| session.error = Some(sentence)),
            }
        });
    }

    /// Saves the network with its edits, under its name.
    pub(crate) fn save_file(self) {
        let candidate = self.equations.with_untracked(crate::equations::Equations::candidate);
        let Some(network) = candidate else { return };
        if save(&file_name(&network.name), &network.to_json()).is_err() {
            let sentence = "The browser saves no file from here; copy the network's JSON instead.";
            self.session.update(|session| session.error = Some(sentence.into()));
        }
    }
}

/// The text of a network's file.
async fn read(files: &[File]) -> Result<String, String> {
    let names = || files.iter().map(File::name).collect::<Vec<_>>().join(", ");
    let other = files.iter().map(File::name).find(|name| !name.to_lowercase().ends_with(".json"));
    if let Some(name) = other {
        return Err(format!("{name} is no network: a network is a file that ends with .json."));
    }
    let [file] = files else { return Err(format!("{} are several networks; open one of them.", names())) };
    let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
    text.ok_or_else(|| format!("{} cannot be read.", file.name()))
}

/// A name that every system takes: letters, digits, points and lines.
fn file_name(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "network.json".into() } else { format!("{}.json", words.join("-")) }
}

fn save(name: &str, text: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type("application/json");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&JsValue::from_str(text)), &options)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    Url::revoke_object_url(&url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_as_the_network() {
        assert_eq!(file_name("cuba, edited"), "cuba-edited.json");
        assert_eq!(file_name("Größe 1/2"), "Größe-1-2.json");
        assert_eq!(file_name(" "), "network.json");
    }
}
