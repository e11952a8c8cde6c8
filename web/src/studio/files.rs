//! Networks as files: opened from a chooser or dropped onto the page, and saved.

use std::io::Cursor;

use js_sys::{Array, Uint8Array};
use leptos::{prelude::*, task::spawn_local};
use spikelet::{Network, Pairs, SynapseState};
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
                Ok((text, weights)) => {
                    self.open_source(Source::Json { text });
                    self.start_with_weights(weights);
                }
                Err(sentence) => self.session.update(|session| session.error = Some(sentence)),
            }
        });
    }

    /// The network with its edits, as JSON.
    pub(crate) fn network_json(self) -> Option<String> {
        self.equations.with_untracked(crate::equations::Equations::candidate).map(|network| network.to_json())
    }

    /// Saves the network with its edits, under its name.
    pub(crate) fn save_file(self) {
        let candidate = self.equations.with_untracked(crate::equations::Equations::candidate);
        let Some(network) = candidate else { return };
        let text = Array::of1(&JsValue::from_str(&network.to_json()));
        if save(&file_name(&network.name, "json"), &text, "application/json").is_err() {
            let sentence = "The browser cannot save files from this page; copy the network's JSON instead.";
            self.session.update(|session| session.error = Some(sentence.into()));
        }
    }
}

/// A network as JSON, and a file of learned weights, if it names one.
type Opening = (String, Option<Vec<u8>>);

/// The network among these files; the others are files that it names.
async fn read(files: &[File]) -> Result<Opening, String> {
    let (networks, edges): (Vec<&File>, Vec<&File>) =
        files.iter().partition(|file| file.name().to_lowercase().ends_with(".json"));
    let names = |files: &[&File]| files.iter().map(|file| file.name()).collect::<Vec<_>>().join(", ");
    let file = match networks.as_slice() {
        [file] => *file,
        [] => return Err(format!("{} is not a network: a network is a file that ends with .json.", names(&edges))),
        several => return Err(format!("{} are several networks; open one of them.", names(several))),
    };
    let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
    let text = text.ok_or_else(|| format!("{} cannot be read.", file.name()))?;
    if edges.is_empty() {
        return Ok((text, None));
    }
    let mut contents = Vec::new();
    for file in edges {
        let bytes = JsFuture::from(file.array_buffer()).await.map_err(|_| format!("{} cannot be read.", file.name()))?;
        contents.push((file.name(), Uint8Array::new(&bytes).to_vec()));
    }
    with_files(&text, &contents)
}

/// A network with the edges of its files included, as JSON, so that no other file is needed. Learned weights are passed to the engine
/// separately.
fn with_files(text: &str, contents: &[(String, Vec<u8>)]) -> Result<Opening, String> {
    let sentence = |error: spikelet::Error| error.to_string();
    let mut network = Network::from_json(text).map_err(sentence)?;
    // A browser provides names of files without folders.
    let plain = |name: &str| name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned();
    let named: Vec<String> = network.files().map(plain).collect();
    if let Some((other, _)) = contents.iter().find(|(name, _)| !named.contains(name)) {
        return Err(format!(
            "{other} is not used by any projection of the network: leave it out, or write {{\"file\": {other:?}}} as `pairs` or `learned`."
        ));
    }
    network
        .resolve(&mut |name| {
            let content = contents.iter().find(|(given, _)| *given == plain(name));
            let bytes = content.ok_or_else(|| "it is not among the files that were opened together".to_owned())?;
            Ok(Box::new(Cursor::new(&bytes.1)))
        })
        .map_err(sentence)?;
    for projection in &mut network.projections {
        projection.pairs = projection.pairs.take().map(|pairs| Pairs::Listed(pairs.to_vec()));
    }
    let files = network.projections.iter_mut().filter_map(|projection| projection.learned.take());
    let learned: Vec<SynapseState> = files.filter_map(|file| file.learned().cloned()).collect();
    let weights = (!learned.is_empty()).then(|| SynapseState::write(&learned, Cursor::new(Vec::new()))).transpose();
    let weights = weights.map_err(|error| error.to_string())?;
    Ok((network.to_json(), weights.map(Cursor::into_inner)))
}

/// A name valid on every system: letters, digits, points and dashes.
pub(crate) fn file_name(name: &str, ending: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    let stem = if words.is_empty() { "network".to_owned() } else { words.join("-") };
    format!("{stem}.{ending}")
}

/// Saves texts and arrays, one after the other, as a file.
pub(super) fn save(name: &str, parts: &Array, kind: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    let blob = Blob::new_with_u8_array_sequence_and_options(parts, &options)?;
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
    fn edges_are_opened_along_with_the_network() {
        let text = r#"{"name": "x", "dt_ms": 0.1, "duration_ms": 1, "populations": [{"name": "n", "size": 5, "model": "lif_exp"}],
            "projections": [{"pre": "n", "post": "n", "pairs": {"file": "data/edges.csv"}, "on_pre": "ge_post += 1*mV"}]}"#;
        let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
        let (opened, weights) = with_files(text, &[file("edges.csv", "pre,post\n0,1\n2,4\n")]).unwrap();
        let network = Network::from_json(&opened).unwrap();
        assert_eq!(network.projections[0].pairs.as_deref(), Some(&[[0, 1], [2, 4]][..]));
        assert_eq!(weights, None);
        let wrong = with_files(text, &[file("edges.csv", "pre,post\n0,9\n")]).unwrap_err();
        assert!(wrong.contains('9'), "{wrong}");
        let other = with_files(text, &[file("notes.txt", "")]).unwrap_err();
        assert!(other.starts_with("notes.txt is not used by any projection"), "{other}");
        assert!(with_files(text, &[]).is_err());
    }

    #[test]
    fn learnt_values_are_opened_along_with_the_network() {
        let text = r#"{"name": "x", "dt_ms": 0.1, "duration_ms": 1, "populations": [{"name": "n", "size": 5, "model": "lif_exp"}],
            "projections": [{"name": "nn", "pre": "n", "post": "n", "pairs": [[0, 1]], "equations": "x : 1",
                "on_pre": "x += 1\nge_post += x*mV", "learned": {"file": "data/w.npz"}}]}"#;
        let learned = |projection: &str| SynapseState {
            projection: projection.into(),
            pairs: vec![[0, 1]],
            variables: [("x".to_owned(), vec![2.0])].into_iter().collect(),
        };
        let whole = SynapseState::write(&[learned("nn"), learned("other")], Cursor::new(Vec::new())).unwrap().into_inner();
        let (opened, weights) = with_files(text, &[("w.npz".to_owned(), whole)]).unwrap();
        assert_eq!(Network::from_json(&opened).unwrap().files().count(), 0);
        let kept = SynapseState::read("w.npz", Cursor::new(weights.unwrap()), &|_| true).unwrap();
        assert_eq!(kept, [learned("nn")], "what is of another projection is left alone");
        assert!(with_files(text, &[]).is_err());
    }

    #[test]
    fn a_file_is_called_as_the_network() {
        assert_eq!(file_name("cuba, edited", "json"), "cuba-edited.json");
        assert_eq!(file_name("Größe 1/2", "npz"), "Größe-1-2.npz");
        assert_eq!(file_name(" ", "json"), "network.json");
    }
}
