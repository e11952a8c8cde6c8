//! Use of the page without a network: the list of files that its service worker stores, and the version that replaces an earlier one.

use std::fs;
use std::hash::Hasher;
use std::path::Path;

use fnv::FnvHasher;

use crate::Result;

/// The list, beside the page. `isolate.js` reads it.
const LIST: &str = "offline.json";

/// Folders of which a file is stored when it is first loaded: large, and not needed by every visitor.
const LATER: [&str; 5] = ["help/", "engine/st/", "engine/assemblies/", "engine/training/", "engine/interchange/"];

/// The link of index.html to the script that registers the service worker.
const SCRIPT: &str = "<script src=\"isolate.js\"></script>";

/// Writes the list of a site.
///
/// # Errors
/// A file cannot be read or written.
pub(crate) fn list(site: &Path) -> Result {
    let found = files(site).map_err(|error| format!("cannot read {}: {error}", site.display()))?;
    let is_now = |file: &String| !LATER.iter().any(|folder| file.starts_with(folder));
    let names: Vec<String> = found.into_iter().filter(is_now).map(|file| format!("\"{}\"", page_or(&file))).collect();
    let later = LATER.map(|folder| format!("\"{folder}\""));
    let text = format!("{{\n\"files\": [\n{}\n],\n\"later\": [{}]\n}}\n", names.join(",\n"), later.join(", "));
    let list = site.join(LIST);
    // A list that stays the same keeps its date.
    if fs::read_to_string(&list).is_ok_and(|before| before == text) {
        return Ok(());
    }
    fs::write(&list, text).map_err(|error| format!("cannot write {}: {error}", list.display()).into())
}

/// Makes the page of a site store its files: its script gets the version, which is a hash of all of them.
///
/// # Errors
/// A file cannot be read or written, or index.html does not load `isolate.js`.
pub(crate) fn enable(site: &Path) -> Result {
    list(site)?;
    let page = site.join("index.html");
    let text = fs::read_to_string(&page).map_err(|error| format!("cannot read {}: {error}", page.display()))?;
    if !text.contains(SCRIPT) {
        return Err(format!("index.html has no {SCRIPT}").into());
    }
    let version = version(site).map_err(|error| format!("cannot read {}: {error}", site.display()))?;
    let text = text.replace(SCRIPT, &format!("<script src=\"isolate.js\" data-offline=\"{version:016x}\"></script>"));
    fs::write(&page, text).map_err(|error| format!("cannot write {}: {error}", page.display()).into())
}

/// The page is stored by the address of its folder.
fn page_or(file: &str) -> &str {
    if file == "index.html" { "./" } else { file }
}

/// Files that pages load, in the order of their names, relative to the site.
fn files(site: &Path) -> std::io::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(site.join(&folder))? {
            let entry = entry?;
            let name = format!("{folder}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                folders.push(format!("{name}/"));
            } else if is_loaded(&name) {
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Files for people, and for hosts, are not loaded by pages.
fn is_loaded(name: &str) -> bool {
    let plain = name.rsplit('/').next().unwrap_or(name);
    let ends = [".d.ts", ".map", ".names", ".br", ".gz", ".md", "/isolate.js", "package.json"];
    !ends.iter().any(|end| name.ends_with(end)) && !plain.starts_with("LICENSE") && plain != "_headers" && plain != LIST
}

/// FNV-1a of names and contents.
fn version(site: &Path) -> std::io::Result<u64> {
    let mut hash = FnvHasher::default();
    for name in files(site)? {
        hash.write(name.as_bytes());
        hash.write(&fs::read(site.join(&name))?);
    }
    Ok(hash.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pages_load_is_listed_and_another_content_is_another_version() {
        let site = std::env::temp_dir().join(format!("spikelet-offline-{}", std::process::id()));
        let _ = fs::remove_dir_all(&site);
        for folder in ["engine/mt", "engine/st", "help"] {
            fs::create_dir_all(site.join(folder)).expect("a folder");
        }
        let write = |name: &str, text: &str| fs::write(site.join(name), text).expect("a file");
        write("index.html", &format!("<head>{SCRIPT}</head>"));
        for name in
            ["isolate.js", "style.css", "engine/mt/e.wasm", "engine/st/e.wasm", "engine/mt/e.names", "help/a.html", "_headers"]
        {
            write(name, name);
        }
        let version = || {
            enable(&site).expect("it is written");
            let page = fs::read_to_string(site.join("index.html")).expect("the page");
            write("index.html", &format!("<head>{SCRIPT}</head>"));
            page.split("data-offline=\"").nth(1).expect("a version")[..16].to_owned()
        };
        let first = version();
        assert_eq!(version(), first);
        write("engine/mt/e.wasm", "another");
        assert_ne!(version(), first);
        let list = fs::read_to_string(site.join(LIST)).expect("the list");
        let files = list.split("],").next().expect("files");
        let expected = ["\"engine/mt/e.wasm\",", "\"./\",", "\"isolate.js\",", "\"style.css\""];
        assert_eq!(files.lines().skip(2).collect::<Vec<_>>(), expected, "{list}");
        assert!(list.contains("\"later\": [\"help/\", \"engine/st/\""), "{list}");
        write("index.html", "<head></head>");
        assert!(enable(&site).expect_err("no script").to_string().contains("isolate.js"));
        fs::remove_dir_all(&site).expect("it goes");
    }
}
