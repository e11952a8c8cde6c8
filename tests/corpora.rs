//! The inputs of the fuzz targets, without a fuzzer: what it has found to reach something, and files that tests have for another purpose.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "it is a crate for the programs that fuzz")]
mod fuzz;

/// What takes the bytes of a target.
type Check = fn(&[u8]);

const TARGETS: [(&str, Check); 15] = [
    ("csv", fuzz::csv::check),
    ("equations", fuzz::equations::check),
    ("hdf5", fuzz::hdf5::check),
    ("judge", fuzz::judge::check),
    ("matrix_market", fuzz::matrix_market::check),
    ("network", fuzz::network::check),
    ("neuroml", fuzz::neuroml::check),
    ("nir", fuzz::nir::check),
    ("npz", fuzz::npz::check),
    ("samples", fuzz::samples::check),
    ("settings", fuzz::settings::check),
    ("snapshot", fuzz::snapshot::check),
    ("sonata", fuzz::sonata::check),
    ("training", fuzz::training::check),
    ("world", fuzz::world::check),
];

/// The longest input that the fuzzer makes, in bytes; longer files are for other tests.
const LONGEST: u64 = 40_000;

#[test]
fn every_target_takes_its_inputs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let seeds: BTreeMap<String, Vec<String>> = serde_json::from_str(include_str!("fuzz/seeds.json")).unwrap();
    assert_eq!(seeds.keys().map(String::as_str).collect::<Vec<_>>(), TARGETS.map(|(name, _)| name));
    for (name, check) in TARGETS {
        let folders = seeds[name].iter().cloned().chain([format!("tests/fuzz/corpus/{name}")]);
        let inputs: Vec<PathBuf> = folders.flat_map(|folder| files(&root.join(folder))).collect();
        assert!(!inputs.is_empty(), "{name} has no input");
        for input in inputs {
            // The name is printed if the check panics.
            println!("{name}: {}", input.display());
            check(&fs::read(input).unwrap());
        }
    }
}

/// The files of a folder that a fuzzer may have made; none if there is no such folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let files = entries.flatten().filter(|entry| entry.metadata().is_ok_and(|of| of.is_file() && of.len() <= LONGEST));
    let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    files.sort();
    files
}
