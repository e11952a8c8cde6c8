//! The components of what is published, as CycloneDX 1.6 (ECMA-424): each crate that is compiled into it, with its licence and checksum.

use super::{VERSION, output};
use crate::Result;
use crate::workspace::Workspace;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Members of the workspace whose code is published: the command line, the Python package, the engine, the modules beside it, and the page.
const ROOTS: [&str; 7] = [
    "spikelet-cli",
    "spikelet-py",
    "spikelet-js",
    "spikelet-assemblies-js",
    "spikelet-train-js",
    "spikelet-interchange-js",
    "spikelet-web",
];

/// The list, as JSON.
///
/// # Errors
/// Cargo cannot tell the dependencies.
pub(super) fn of(workspace: &Workspace) -> Result<String> {
    let metadata: Value = serde_json::from_str(&output(workspace, "cargo", &["metadata", "--format-version=1", "--locked"])?)?;
    let lock = std::fs::read_to_string(workspace.root.join("Cargo.lock"))?;
    let list = list(&metadata, &checksums(&lock))?;
    Ok(format!("{}\n", serde_json::to_string_pretty(&list)?))
}

/// Checksums of Cargo.lock, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let value = |block: &str, key: &str| {
        let found = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
        found.map(|rest| rest.trim_end_matches('"').to_owned())
    };
    let blocks = lock.split("[[package]]").skip(1);
    blocks.filter_map(|block| Some(((value(block, "name")?, value(block, "version")?), value(block, "checksum")?))).collect()
}

fn list(metadata: &Value, checksums: &BTreeMap<(String, String), String>) -> Result<Value> {
    let all = |of: &Value| of.as_array().cloned().unwrap_or_default();
    let packages: BTreeMap<String, Value> = all(&metadata["packages"])
        .into_iter()
        .filter_map(|package| Some((package["id"].as_str()?.to_owned(), package)))
        .collect();
    let needs: BTreeMap<String, Vec<String>> = all(&metadata["resolve"]["nodes"])
        .iter()
        .filter_map(|node| Some((node["id"].as_str()?.to_owned(), needed(node))))
        .collect();

    let is_root = |package: &Value| ROOTS.iter().any(|root| package["name"] == *root && package["source"].is_null());
    let mut open: Vec<String> = packages.iter().filter(|(_, package)| is_root(package)).map(|(id, _)| id.clone()).collect();
    if open.len() != ROOTS.len() {
        return Err("a crate whose code is published is not in the workspace".into());
    }
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        if found.insert(id.clone()) {
            open.extend(needs.get(&id).into_iter().flatten().cloned());
        }
    }
    let mut components: Vec<Value> =
        found.iter().filter_map(|id| packages.get(id)).map(|package| component(package, checksums)).collect();
    components.sort_by_key(|component| component["purl"].to_string());
    Ok(json!({
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": { "component": { "type": "application", "name": "spikelet", "version": VERSION } },
        "components": components,
    }))
}

/// What a crate needs to be built, tests aside.
fn needed(node: &Value) -> Vec<String> {
    let deps = node["deps"].as_array().into_iter().flatten();
    let is_built = |dep: &&Value| dep["dep_kinds"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"] != "dev"));
    deps.filter(is_built).filter_map(|dep| dep["pkg"].as_str().map(str::to_owned)).collect()
}

fn component(package: &Value, checksums: &BTreeMap<(String, String), String>) -> Value {
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    let (name, version) = (text("name"), text("version"));
    let mut component = json!({
        "type": "library", "name": name, "version": version, "purl": format!("pkg:cargo/{name}@{version}"),
        "licenses": [{ "expression": text("license").replace('/', " OR ") }],
    });
    if let Some(checksum) = checksums.get(&(name.to_owned(), version.to_owned())) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compiled_into_it_is_listed_and_tools_are_not() {
        let text = of(&Workspace::open().expect("a clone")).expect("a list");
        let list: Value = serde_json::from_str(&text).expect("JSON");
        let components = list["components"].as_array().expect("components");
        let named = |name: &str| components.iter().find(|component| component["name"] == name);
        for name in ["spikelet", "wgpu", "leptos", "wasm-bindgen", "hdf5-pure", "clap"] {
            assert!(named(name).is_some(), "{name}");
        }
        assert!(named("proptest").is_none() && named("thirtyfour").is_none() && named("xtask").is_none());
        let wgpu = named("wgpu").expect("wgpu");
        assert!(wgpu["hashes"][0]["content"].as_str().is_some_and(|hash| hash.len() == 64), "{wgpu}");
        assert!(components.iter().all(|component| component["licenses"][0]["expression"] != ""), "each has a licence");
    }
}
