//! HDF5: all groups, datasets and attributes of a file.

use super::accepted;
use spikelet_interchange::hdf5::File;

/// How deep groups are followed: they may contain themselves.
const DEPTH: usize = 4;

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    if let Some(file) = accepted(File::open(bytes.to_vec())) {
        walk(&file, "/", DEPTH);
    }
}

fn walk(file: &File, group: &str, depth: usize) {
    accepted(file.attributes(group));
    let path = |name: &String| format!("{}/{name}", group.trim_end_matches('/'));
    for name in accepted(file.datasets(group)).unwrap_or_default().iter().take(20) {
        accepted(file.attributes(&path(name)));
        let path = path(name);
        let Some(dataset) = accepted(file.dataset(&path)) else { continue };
        if let Some(numbers) = accepted(dataset.f64()) {
            assert_eq!(numbers.len(), dataset.shape().iter().product::<usize>(), "{path} has another shape than values");
        }
        accepted(dataset.i64());
        accepted(dataset.strings());
        accepted(dataset.lists());
        accepted(dataset.lists_of(0..2));
    }
    if depth > 0 {
        for name in accepted(file.groups(group)).unwrap_or_default().iter().take(8) {
            walk(file, &path(name), depth - 1);
        }
    }
}
