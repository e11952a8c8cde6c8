//! Files of other tools as networks: one entry for all formats.

use spikelet_network::{Diagnostic, Error, Network, World};

pub use crate::imported::Imported;
use crate::nir::{Graph, Import};
use crate::{Open, neuroml, sonata};

/// Finds the errors of a network, with few neurons.
pub type Check<'a> = dyn Fn(&Network) -> Vec<Diagnostic> + 'a;

/// A file to open.
pub struct File<'a> {
    /// Its name, or its path in the folder of the files that it includes.
    pub name: &'a str,
    /// Its content.
    pub bytes: Vec<u8>,
    /// How a graph, in which time is continuous, becomes a network.
    pub graph: Import,
    /// Reads the files that it includes.
    pub open: &'a mut Open<'a>,
    /// Checks the network before it is called imported: `spikelet::judge` does.
    pub check: &'a Check<'a>,
}

/// A format.
pub trait Format: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// How its files are recognised, as the end of a sentence.
    fn mark(&self) -> &'static str;

    /// Whether a file is probably of this format.
    fn sniff(&self, name: &str, bytes: &[u8]) -> bool;

    /// The network, and what differs from the file.
    ///
    /// # Errors
    /// What is wrong with the file, with its place.
    fn read(&self, file: File<'_>) -> Result<Imported, Error>;
}

/// All formats.
pub const FORMATS: [&dyn Format; 4] = [&Nir, &NeuroMl, &Sonata, &FourD];

/// What some editors put before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The format of a file; `None` if it is of none.
pub fn format_of(name: &str, bytes: &[u8]) -> Option<&'static dyn Format> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    FORMATS.into_iter().find(|format| format.sniff(name, bytes))
}

/// The network of a file of any format: it can be run.
///
/// # Errors
/// The file is of no format that can be read, or as [`Format::read`]; or what it becomes is not a valid network, with the place in the file.
pub fn open(mut file: File<'_>) -> Result<Imported, Error> {
    if file.bytes.starts_with(BYTE_ORDER_MARK) {
        file.bytes.drain(..BYTE_ORDER_MARK.len());
    }
    let Some(format) = format_of(file.name, &file.bytes) else {
        let marks: Vec<String> = FORMATS.iter().map(|format| format!("{} is {}", format.name(), format.mark())).collect();
        let expected = format!("it is of no format that can be imported: {}", marks.join(", "));
        return Err(Error::invalid("the file", file.name, expected, "run networks of Spikelet as they are"));
    };
    let check = file.check;
    let imported = format.read(file)?;
    match check(&imported.network).into_iter().find(|found| found.is_error) {
        Some(found) => Err(imported.error(found)),
        None => Ok(imported),
    }
}

struct Nir;
struct NeuroMl;
struct Sonata;
struct FourD;

impl Format for Nir {
    fn name(&self) -> &'static str {
        "a graph of NIR"
    }

    fn mark(&self) -> &'static str {
        "HDF5"
    }

    fn sniff(&self, name: &str, bytes: &[u8]) -> bool {
        bytes.starts_with(b"\x89HDF\r\n\x1a\n") || name.ends_with(".nir")
    }

    fn read(&self, file: File<'_>) -> Result<Imported, Error> {
        let has = |word: &str| file.bytes.windows(word.len()).any(|bytes| bytes == word.as_bytes());
        // HDF5 of others is data without a model.
        let others = [
            ("node_type_id", "a file of nodes of SONATA", "import the configuration that names it"),
            ("edge_type_id", "a file of edges of SONATA", "import the configuration that names it"),
            ("NWBFile", "a file of Neurodata Without Borders", "it has results and no network"),
        ];
        if let (Some((_, what, way_out)), false) = (others.iter().find(|(word, ..)| has(word)), file.name.ends_with(".nir")) {
            return Err(Error::invalid("the file", what, "a graph of NIR is expected in HDF5", way_out));
        }
        let (graph, mut notices) = Graph::read(file.bytes)?;
        let imported = graph.imported(&file.graph)?;
        notices.extend(imported.notices);
        Ok(Imported { notices, ..imported })
    }
}

impl Format for NeuroMl {
    fn name(&self) -> &'static str {
        "NeuroML"
    }

    fn mark(&self) -> &'static str {
        "XML with the root <neuroml> or <Lems>"
    }

    fn sniff(&self, name: &str, bytes: &[u8]) -> bool {
        neuroml::is_neuroml(bytes) || name.ends_with(".nml")
    }

    fn read(&self, file: File<'_>) -> Result<Imported, Error> {
        neuroml::read(file.name, &file.bytes, file.open)
    }
}

impl Format for Sonata {
    fn name(&self) -> &'static str {
        "a configuration of SONATA"
    }

    fn mark(&self) -> &'static str {
        "JSON with the key `network` or `networks`"
    }

    fn sniff(&self, _: &str, bytes: &[u8]) -> bool {
        sonata::is_sonata(bytes)
    }

    fn read(&self, file: File<'_>) -> Result<Imported, Error> {
        sonata::read(file.name, &file.bytes, file.open)
    }
}

impl Format for FourD {
    fn name(&self) -> &'static str {
        "a configuration of 4D-Neural-Cognition"
    }

    fn mark(&self) -> &'static str {
        "JSON with the key `lattice_shape`"
    }

    fn sniff(&self, _: &str, bytes: &[u8]) -> bool {
        // Malformed JSON has an error of its own.
        std::str::from_utf8(bytes).is_ok_and(|text| text.trim_start().starts_with('{') && text.contains("\"lattice_shape\""))
    }

    fn read(&self, file: File<'_>) -> Result<Imported, Error> {
        let text = String::from_utf8(file.bytes)
            .map_err(|_| Error::invalid("the file", file.name, "it is not text in UTF-8", "export it again"))?;
        let (world, notices) = World::from_json(&text)?;
        Ok(Imported { network: world.network(), notices, places: world.places() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error of the network that is made of a file stands where the file has it.
    #[test]
    fn errors_of_the_network_are_places_in_the_file() {
        use crate::nir::{Cell, CellKind, Graph, Node, Tensor};
        let ones = || Tensor::full(&[2], 1.0);
        let cell = Cell { kind: CellKind::If, values: vec![ones(), ones(), Tensor::full(&[2], 0.0)] };
        let graph = Graph::chain([
            ("in", Node::Input { shape: vec![2] }),
            ("fc", Node::Linear { weight: Tensor { shape: vec![2, 2], values: vec![1.0; 4] } }),
            ("lif.1", Node::Cell(cell)),
            ("out", Node::Output { shape: vec![2] }),
        ]);
        let world = include_bytes!("../../../tests/worlds/aquarium.json");
        let nir = graph.to_bytes(false).expect("a graph");
        for (name, bytes, path, place) in [
            ("a.nir", &nir, "populations[0].threshold", "the node `lif.1` (threshold)"),
            ("a.nir", &nir, "populations[0].parameters.v_threshold", "`v_threshold` of the node `lif.1`"),
            ("a.nir", &nir, "projections[0].on_pre", "the way from the node `in` to `lif.1` (on_pre)"),
            ("a.nir", &nir, "sources[0].size", "the node `in` (size)"),
            ("a.nir", &nir, "recordings[0].var", "the node `out` (var)"),
            ("a.nir", &nir, "dt_ms", "dt_ms"),
            ("b.json", &world.to_vec(), "populations[1].parameters.v_rest", "areas[1] (parameters.v_rest)"),
            ("b.json", &world.to_vec(), "populations[4].size", "senses.touch (size)"),
            ("b.json", &world.to_vec(), "projections[2].on_pre", "cell_lifecycle (on_pre)"),
            ("b.json", &world.to_vec(), "projections[5].connect.p", "synapses (connect.p)"),
        ] {
            let check = |_: &Network| Error::invalid(path, 7, "it is wrong", "correct it").diagnostics(None);
            let file =
                File { name, bytes: bytes.clone(), graph: Import::default(), open: &mut |_| Err(String::new()), check: &check };
            let said = open(file).unwrap_err().to_string();
            assert!(said.starts_with(&format!("{place} is ")), "{place}: {said}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_text() {
        let text = [BYTE_ORDER_MARK, br#"{"lattice_shape": [2, 2, 2, 2]}"#].concat();
        assert_eq!(format_of("a.json", &text).map(|format| format.name()), Some("a configuration of 4D-Neural-Cognition"));
        let file = File {
            name: "a.json",
            bytes: text,
            graph: Import::default(),
            open: &mut |_| Err(String::new()),
            check: &|_| Vec::new(),
        };
        let error = open(file).unwrap_err().to_string();
        assert!(!error.contains("line 1, column 1:"), "{error}");
    }
}
