//! Networks as files: opened from a chooser or dropped onto the page, and saved.

use std::io::Cursor;

use js_sys::{Array, Uint8Array};
use leptos::{prelude::*, task::spawn_local};
use spikelet_js::protocol::Source;
use spikelet_network::{Network, SynapseState};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, DataTransfer, File, FileList, HtmlAnchorElement, Url};

use super::{Studio, arrival::Rerun};
use crate::{
    package::{self, ForeignFiles, ForeignNetwork, Paths},
    projects::{self, Exported},
    share::Shared,
};

impl Studio {
    /// Opens the network among these files, or imports projects. A file of weights by itself is loaded into the open network.
    pub(crate) fn open_files(self, list: Option<&FileList>) {
        let files = list.into_iter().flat_map(|files| (0..files.length()).filter_map(|at| files.get(at)));
        self.open_paths(files.map(|file| (file.name(), file)).collect());
    }

    /// The same for files and folders that are dropped.
    pub(crate) fn open_dropped(self, transfer: Option<&DataTransfer>) {
        let files = package::dropped_files(transfer);
        spawn_local(async move {
            match files.await {
                Ok(files) => self.open_paths(files),
                Err(error) => self.session.update(|session| session.error = Some(error.message)),
            }
        });
    }

    fn open_paths(self, files: Paths) {
        if files.is_empty() {
            return;
        }
        let has_weights =
            self.session.with_untracked(|session| session.current.as_ref().is_some_and(|current| current.opened.has_weights));
        if let ([(path, file)], true) = (files.as_slice(), has_weights)
            && kind(path) == Kind::Weights
        {
            return self.load_weights_of(file.clone());
        }
        spawn_local(async move {
            match read(&files).await {
                Ok(Opening::Network(text, weights)) => {
                    self.open_source(Source::Json { text });
                    self.start_with_weights(weights);
                }
                Ok(Opening::Foreign(foreign)) => self.open_foreign(foreign),
                Ok(Opening::Shared(shared)) => self.open_shared(*shared, Rerun::AtOnce, None),
                Ok(Opening::Projects(projects)) => self.import_projects(projects),
                Err(sentence) => self.session.update(|session| session.error = Some(sentence)),
            }
        });
    }

    /// Opens a network of another tool, and says what is dropped or approximated.
    pub(super) fn open_foreign(self, foreign: ForeignNetwork) {
        let id = self.open_source(Source::Json { text: foreign.json });
        let opened = format!("Opened {} as {}.", foreign.file, foreign.format);
        let notices = foreign.notices.into_iter().map(|notice| format!("{}: {}", notice.path, notice.message));
        let notices = std::iter::once(opened).chain(notices).collect();
        self.session.update(|session| session.announce(id, notices));
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
        self.save_text(&file_name(&network.name, "json"), &text);
    }

    /// Saves the network with its edits for another tool, as an archive. `said` gets what it leaves out.
    pub(crate) fn save_foreign(self, format: &'static str, said: impl Fn(Result<Vec<String>, String>) + 'static) {
        let candidate = self.equations.with_untracked(crate::equations::Equations::candidate);
        let Some(network) = candidate else { return };
        spawn_local(async move {
            match package::export(&network.to_json(), format, true).await {
                Ok(ForeignFiles { files, notices }) => {
                    let name = file_name(&format!("{} {format}", network.name), "zip");
                    let content: Array = files.iter().map(|(_, content)| content).collect();
                    let saved = save(&name, &content, "application/zip");
                    said(saved.map(|()| notices).map_err(|_| "The browser cannot save files from this page.".into()));
                }
                Err(error) => said(Err(error.message)),
            }
        });
    }

    /// The script of the network with its edits for another simulator. `said` gets it with what it leaves out.
    pub(crate) fn foreign_script(self, format: &'static str, said: impl Fn(Result<(String, Vec<String>), String>) + 'static) {
        let candidate = self.equations.with_untracked(crate::equations::Equations::candidate);
        let Some(network) = candidate else { return };
        spawn_local(async move {
            let written = package::export(&network.to_json(), format, false).await.map_err(|error| error.message);
            said(written.and_then(|ForeignFiles { files, notices }| {
                let script = files.into_iter().find(|(name, _)| name.ends_with(".py"));
                let (_, content) = script.ok_or("There is no script among the files.")?;
                Ok((String::from_utf8_lossy(&content.to_vec()).into_owned(), notices))
            }));
        });
    }

    /// Saves the results of a class.
    pub(crate) fn save_results(self, text: &str) {
        if save("class-results.txt", &Array::of1(&JsValue::from_str(text)), "text/plain").is_err() {
            self.session.update(|session| session.error = Some("The browser cannot save files from this page.".into()));
        }
    }

    /// Saves JSON.
    pub(super) fn save_text(self, name: &str, text: &Array) {
        if save(name, text, "application/json").is_err() {
            let sentence = "The browser cannot save files from this page; copy the network's JSON instead.";
            self.session.update(|session| session.error = Some(sentence.into()));
        }
    }
}

/// What is opened.
#[derive(Debug, PartialEq)]
enum Opening {
    /// A network as JSON, and a file of learned weights, if it names one.
    Network(String, Option<Vec<u8>>),
    /// A network of another tool.
    Foreign(ForeignNetwork),
    /// A network with its run.
    Shared(Box<Shared>),
    /// Projects.
    Projects(Vec<Exported>),
}

impl Opening {
    /// The content of a file by itself.
    fn of(text: String) -> Result<Opening, String> {
        if let Some(projects) = projects::from_file(&text) {
            return projects.map(Opening::Projects);
        }
        match Shared::from_file(&text) {
            Some(shared) => shared.map(|shared| Opening::Shared(Box::new(shared))),
            None => Ok(Opening::Network(text, None)),
        }
    }
}

/// What a file is, by the end of its name.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// A network, a run, or projects.
    Json,
    /// Synapses or values that a network names.
    Edges,
    /// The same, or learned weights.
    Weights,
    /// A file of another tool.
    Foreign,
    Other,
}

fn kind(name: &str) -> Kind {
    let name = name.to_lowercase();
    match name.strip_suffix(".gz").unwrap_or(&name).rsplit('.').next().unwrap_or_default() {
        "json" => Kind::Json,
        "csv" | "tsv" | "txt" | "mtx" => Kind::Edges,
        "npz" => Kind::Weights,
        "nir" | "h5" | "hdf5" | "xml" | "nml" => Kind::Foreign,
        _ => Kind::Other,
    }
}

/// Why files without a network cannot be opened.
fn not_a_network(names: &[String]) -> String {
    let listed = names.join(", ");
    let is = if names.len() == 1 { "is not a network" } else { "are not networks" };
    let kinds: Vec<Kind> = names.iter().map(|name| kind(name)).collect();
    let way_out = match kinds.as_slice() {
        [Kind::Weights] => {
            "The open network has no learned weights to load it into; open it together with the .json file that names it."
        }
        _ if kinds.iter().all(|kind| matches!(kind, Kind::Edges | Kind::Weights)) => {
            "Open them together with the .json file that names them."
        }
        _ => {
            "A network is a file that ends with .json; files that it names (.csv, .tsv, .txt, .mtx, also with .gz, .npz) are opened together with it."
        }
    };
    format!("{listed} {is}. {way_out}")
}

/// Whether JSON is of another tool: a configuration of SONATA or of 4D-Neural-Cognition, which the network's own keys are not in.
fn is_foreign(text: &str) -> bool {
    let has = |key: &str| text.contains(&format!("\"{key}\""));
    !has("populations")
        && !has("spikelet")
        && (has("lattice_shape") || has("networks") || has("network") && (has("run") || has("simulation")))
}

/// The network among these files; the others are files that it names.
async fn read(files: &[(String, File)]) -> Result<Opening, String> {
    let unreadable = |path: &str| format!("{path} cannot be read.");
    let mut texts = Vec::new();
    for (path, file) in files.iter().filter(|(path, _)| kind(path) == Kind::Json) {
        let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
        texts.push((path, text.ok_or_else(|| unreadable(path))?));
    }
    if files.iter().any(|(path, _)| kind(path) == Kind::Foreign) || texts.iter().any(|(_, text)| is_foreign(text)) {
        return package::open_file(files).await.map(Opening::Foreign).map_err(|error| error.message);
    }
    let edges: Vec<&(String, File)> = files.iter().filter(|(path, _)| kind(path) != Kind::Json).collect();
    let (path, text) = match texts.as_slice() {
        [(path, text)] => (path, text.clone()),
        [] => return Err(not_a_network(&edges.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>())),
        several => {
            let names: Vec<&str> = several.iter().map(|(path, _)| path.as_str()).collect();
            return Err(format!("{} are several networks; open one of them.", names.join(", ")));
        }
    };
    if edges.is_empty() {
        return Opening::of(text).map_err(|sentence| format!("{path}: {sentence}"));
    }
    let mut contents = Vec::new();
    for (path, file) in edges {
        let bytes = JsFuture::from(file.array_buffer()).await.map_err(|_| unreadable(path))?;
        contents.push((file.name(), Uint8Array::new(&bytes).to_vec()));
    }
    let (text, weights) = with_files(&text, &contents)?;
    Ok(Opening::Network(text, weights))
}

/// A network with the edges of its files included, as JSON, so that no other file is needed. Learned weights are passed to the engine
/// separately.
fn with_files(text: &str, contents: &[(String, Vec<u8>)]) -> Result<(String, Option<Vec<u8>>), String> {
    let sentence = |error: spikelet_network::Error| error.to_string();
    let mut network = Network::from_json(text).map_err(sentence)?;
    // A browser provides names of files without folders.
    let plain = |name: &str| name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned();
    let named: Vec<String> = network.files().map(plain).collect();
    if let Some((other, _)) = contents.iter().find(|(name, _)| !named.contains(name)) {
        return Err(format!(
            "{other} is not used by the network: leave it out, or write {{\"file\": {other:?}}} as `pairs` or `learned` of a projection, or as `neurons` of a population."
        ));
    }
    network
        .resolve(&mut |name| {
            let content = contents.iter().find(|(given, _)| *given == plain(name));
            let bytes = content.ok_or_else(|| "it is not among the files that were opened together".to_owned())?;
            Ok(Box::new(Cursor::new(&bytes.1)))
        })
        .map_err(sentence)?;
    let files = network.projections.iter_mut().filter_map(|projection| projection.learned.take());
    let learned: Vec<SynapseState> = files.filter_map(|file| file.learned().cloned()).collect();
    let weights = (!learned.is_empty()).then(|| SynapseState::write(&learned, Cursor::new(Vec::new()))).transpose();
    let weights = weights.map_err(|error| error.to_string())?;
    Ok((network.with_contents().to_json(), weights.map(Cursor::into_inner)))
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
        assert!(other.starts_with("notes.txt is not used by the network"), "{other}");
        assert!(with_files(text, &[]).is_err());
    }

    #[test]
    fn tables_of_neurons_are_opened_along_with_the_network() {
        let text = r#"{"name": "x", "dt_ms": 0.1, "duration_ms": 1,
            "populations": [{"name": "n", "size": 2, "model": "lif_exp", "neurons": {"file": "data/neurons.tsv", "id": "id"}}],
            "projections": [
                {"name": "edges", "pre": "n", "post": "n", "pairs": {"file": "edges.csv"}, "on_pre": "ge_post += 1*mV"},
                {"name": "chosen", "pre": "n", "post": "n[type == 'a']", "connect": {"rule": "all"}, "on_pre": "ge_post += 1*mV"}],
            "recordings": [{"object": "n", "var": "v", "indices": "type == 'b'"}]}"#;
        let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
        let files =
            [file("neurons.tsv", "id\ttype\n720575940600000001\tb\n29\ta\n"), file("edges.csv", "29,720575940600000001\n")];
        let network = Network::from_json(&with_files(text, &files).unwrap().0).unwrap();
        let pairs = |index: usize| network.projections[index].pairs.as_deref().map(<[_]>::to_vec);
        assert_eq!((pairs(0), pairs(1)), (Some(vec![[1, 0]]), Some(vec![[0, 1], [1, 1]])));
        assert_eq!((network.recordings[0].indices.of(2), network.files().count()), (vec![0], 0));
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
    fn files_of_the_page_are_told_from_networks() {
        let opening = |text: &str| Opening::of(text.to_owned());
        assert_eq!(opening("{\"name\": 1}"), Ok(Opening::Network("{\"name\": 1}".into(), None)));
        assert!(
            matches!(opening(r#"{"spikelet": 1, "network": "cuba", "step": 5}"#), Ok(Opening::Shared(shared)) if shared.step == 5)
        );
        assert_eq!(opening(r#"{"spikelet": 1, "projects": []}"#), Ok(Opening::Projects(Vec::new())));
        assert!(opening(r#"{"spikelet": 2, "network": "cuba"}"#).unwrap_err().contains("newer version"));
    }

    #[test]
    fn other_files_get_a_way_out() {
        let said = |names: &[&str]| not_a_network(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert!(said(&["w.npz"]).contains("has no learned weights"));
        assert!(said(&["a.csv", "b.NPZ"]).starts_with("a.csv, b.NPZ are not networks. Open them together"));
        assert!(said(&["photo.png"]).contains("ends with .json"));
    }

    #[test]
    fn configurations_of_other_tools_are_recognised() {
        assert!(is_foreign(r#"{"manifest": {}, "network": "circuit.json", "run": {"tstop": 100}}"#));
        assert!(is_foreign(r#"{"networks": {"nodes": []}}"#));
        assert!(is_foreign(r#"{"lattice_shape": [4, 4, 4, 4]}"#));
        assert!(!is_foreign(r#"{"name": "network", "populations": [], "description": "\"networks\""}"#));
        assert!(!is_foreign(r#"{"spikelet": 1, "network": "cuba", "step": 5}"#));
    }

    #[test]
    fn a_file_is_called_as_the_network() {
        assert_eq!(file_name("cuba, edited", "json"), "cuba-edited.json");
        assert_eq!(file_name("Größe 1/2", "npz"), "Größe-1-2.npz");
        assert_eq!(file_name(" ", "json"), "network.json");
    }
}
