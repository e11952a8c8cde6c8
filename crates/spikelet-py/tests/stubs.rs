//! The types of the extension module in `_spikelet.pyi`, by which editors and type checkers know it, have all of its names.

use std::fs;
use std::path::Path;

#[test]
fn every_name_of_the_module_has_a_type() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let types = fs::read_to_string(root.join("python/spikelet/_spikelet.pyi")).expect("it is part of the package");
    let mut names = 0;
    for file in fs::read_dir(root.join("src")).expect("this crate's sources") {
        let text = fs::read_to_string(file.expect("a file").path()).expect("a text");
        let mut is_method = false;
        for line in text.lines() {
            let is_attribute = line.trim_start().starts_with("#[");
            is_method = match line {
                "#[pymethods]" => true,
                "}" => false,
                _ => is_method,
            };
            let is_function = line.starts_with("pub(crate) fn ") && text.contains(&format!("#[pyfunction]\n{line}"));
            let Some((_, rest)) = line.split_once("fn ").filter(|_| !is_attribute && (is_method || is_function)) else {
                continue;
            };
            let name = rest.split(['(', '<']).next().unwrap_or_default();
            let name = if name == "new" { "__new__" } else { name };
            assert!(types.contains(&format!("def {name}(")), "_spikelet.pyi lacks `{name}`");
            names += 1;
        }
    }
    assert!(names > 20, "{names} names were found");
}
