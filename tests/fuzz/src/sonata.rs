//! Circuits of SONATA: the bytes replace a file of a circuit, JSON, HDF5 or a table, in each place where such a file is.

use super::{accepted, run};
use spikelet_interchange::import::Imported;
use spikelet_interchange::sonata;

/// The files of a circuit.
macro_rules! files {
    ($($name:literal),*) => {
        [$(($name, include_bytes!(concat!("../../sonata/iaf_psc_exp/", $name)).as_slice())),*]
    };
}

const FILES: [(&str, &[u8]); 9] = files![
    "config.json",
    "node_sets.json",
    "type_0.json",
    "type_1.json",
    "node_types.csv",
    "edge_types.csv",
    "nodes.h5",
    "edges.h5",
    "spikes.h5"
];

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    let ending = match bytes {
        [b'{', ..] => ".json",
        [0x89, ..] => ".h5",
        _ => ".csv",
    };
    for (replaced, _) in FILES.iter().filter(|(name, _)| name.ends_with(ending)) {
        let content = |name: &str| {
            let known = FILES.iter().find(|(known, _)| *known == name).map(|(_, content)| *content);
            if name == *replaced { Some(bytes) } else { known }
        };
        let config = content("config.json").unwrap_or_default();
        let mut open = |name: &str| content(name).map(<[u8]>::to_vec).ok_or_else(|| "there is no such file".to_owned());
        if let Some(Imported { network, .. }) = accepted(sonata::read("config.json", config, &mut open)) {
            run(&network);
        }
    }
}
