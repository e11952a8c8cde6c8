//! The page, put together from index.html, which is trunk's template: what its links with `data-trunk` name is compiled or copied.

use crate::copy::{self, copy};
use crate::engine;
use crate::profile::Profile;
use crate::toolchain::{Threads, Wasm};
use crate::workspace::Workspace;
use crate::{Result, offline, policy, step};
use std::fs;
use std::path::Path;

/// The module and its script.
const NAME: &str = "spikelet-web";

/// The script that starts it: the policy of the page allows none in its text.
const START: &str = "start.js";

/// The first element of the page's head.
const FIRST: &str = "<meta charset=\"utf-8\" />";

/// What a link with `data-trunk` asks for. Paths are relative to the root.
#[derive(Debug, PartialEq)]
enum Link {
    /// The page's own module.
    Rust { manifest: String },
    /// A style sheet.
    Css { file: String },
    /// A file, put beside the page.
    CopyFile { file: String },
    /// A folder, put beside the page by another name.
    CopyFolder { folder: String, to: String },
}

/// Compiles the page's module, and makes its JavaScript in `site`.
///
/// # Errors
/// A step fails.
pub(crate) fn compile(workspace: &Workspace, wasm: &Wasm, profile: Profile, site: &Path) -> Result {
    let template = template(workspace)?;
    let manifest = links(&template)?.into_iter().find_map(|(_, link)| match link {
        Link::Rust { manifest } => Some(manifest),
        _ => None,
    });
    let manifest = manifest.ok_or("index.html has no link with rel=\"rust\"")?;
    let wasm = wasm.with(Threads::One);
    let words = ["build", "--manifest-path", &manifest, "--profile", profile.of_page()];
    step::run("page: compile", wasm.compile(workspace, profile, &words))?;
    let module = wasm.artifacts(profile.of_page()).join(format!("{NAME}.wasm"));
    let made = site.join(format!("{NAME}_bg.wasm"));
    let time = |file: &Path| fs::metadata(file).and_then(|found| found.modified()).ok();
    if time(&made) > time(&module) {
        return Ok(());
    }
    engine::bind(workspace, profile, "page", &module, site, NAME)
}

/// Puts all else into `site`, as far as it is there already: the page itself, styles, the package and the help.
///
/// # Errors
/// index.html asks for something that is not known here, or a file cannot be copied.
pub(crate) fn assemble(workspace: &Workspace, site: &Path) -> Result {
    let mut page = template(workspace)?;
    for (tag, link) in links(&page.clone())? {
        let instead = match link {
            Link::Rust { .. } => start(),
            Link::Css { file } => {
                let name = copy_beside(workspace, &file, site)?;
                format!("<link rel=\"stylesheet\" href=\"{name}\" />")
            }
            Link::CopyFile { file } => copy_beside(workspace, &file, site).map(|_| String::new())?,
            Link::CopyFolder { folder, to } => {
                let from = workspace.root.join(&folder);
                // What is built behind is there later.
                if from.is_dir() {
                    copy(&from, &site.join(to), copy::newer)?;
                }
                String::new()
            }
        };
        page = page.replacen(&tag, &instead, 1);
    }
    if !page.contains(FIRST) {
        return Err(format!("index.html has no {FIRST}").into());
    }
    let page = page.replacen(FIRST, &format!("{FIRST}\n    {}", policy::element()), 1);
    for (name, text) in [("index.html", page), (START, start_script())] {
        let file = site.join(name);
        fs::write(&file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    }
    offline::list(site)
}

fn template(workspace: &Workspace) -> Result<String> {
    fs::read_to_string(workspace.root.join("index.html")).map_err(|error| format!("cannot read index.html: {error}").into())
}

/// The elements that load the module early and start it.
fn start() -> String {
    format!(
        "<link rel=\"modulepreload\" href=\"./{NAME}.js\" />\n    \
         <link rel=\"preload\" href=\"./{NAME}_bg.wasm\" as=\"fetch\" type=\"application/wasm\" crossorigin />\n    \
         <script type=\"module\" src=\"./{START}\"></script>"
    )
}

/// What trunk writes into the page.
fn start_script() -> String {
    format!("import init from \"./{NAME}.js\";\n\nawait init({{ module_or_path: \"./{NAME}_bg.wasm\" }});\n")
}

/// Each link with `data-trunk`, whole, and what it asks for.
fn links(page: &str) -> Result<Vec<(String, Link)>> {
    let tags = page.split("<link ").skip(1).filter_map(|rest| rest.split_once('>').map(|(tag, _)| tag));
    tags.filter(|tag| tag.starts_with("data-trunk ")).map(|tag| Ok((format!("<link {tag}>"), link(tag)?))).collect()
}

fn link(tag: &str) -> Result<Link> {
    let value = |name: &str| {
        let found = tag.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split_once('"'));
        found.map(|(value, _)| value.to_owned()).ok_or_else(|| format!("index.html: <link {tag}> has no {name}"))
    };
    match value("rel")?.as_str() {
        "rust" => Ok(Link::Rust { manifest: value("href")? }),
        "css" => Ok(Link::Css { file: value("href")? }),
        "copy-file" => Ok(Link::CopyFile { file: value("href")? }),
        "copy-dir" => Ok(Link::CopyFolder { folder: value("href")?, to: value("data-target-path")? }),
        other => Err(format!(
            "index.html: rel=\"{other}\" is not supported by xtask; supported are rust, css, copy-file and \
                              copy-dir"
        )
        .into()),
    }
}

/// Copies a file into `site`; gives its name.
fn copy_beside(workspace: &Workspace, file: &str, site: &Path) -> Result<String> {
    let from = workspace.root.join(file);
    let name = from.file_name().ok_or_else(|| format!("index.html: {file} is not a file"))?.to_string_lossy().into_owned();
    copy(&from, &site.join(&name), copy::newer)?;
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> Workspace {
        Workspace::open().expect("a clone")
    }

    #[test]
    fn our_own_template_is_understood_and_names_our_profiles() {
        let page = template(&workspace()).expect("index.html");
        let links = links(&page).expect("it is understood");
        assert_eq!(links.len(), page.matches("data-trunk ").count());
        let (tag, _) = links.iter().find(|(_, link)| matches!(link, Link::Rust { .. })).expect("the page's module");
        assert!(tag.contains(&format!("data-cargo-profile-dev=\"{}\"", Profile::Quick.of_page())), "{tag}");
        assert!(tag.contains(&format!("data-cargo-profile-release=\"{}\"", Profile::Release.of_page())), "{tag}");
        let engine = Link::CopyFolder { folder: "target/engine".to_owned(), to: "engine".to_owned() };
        assert!(links.iter().any(|(_, link)| *link == engine));
    }

    #[test]
    fn a_page_is_put_together_without_a_second_copy_of_its_content() {
        let site = std::env::temp_dir().join(format!("spikelet-page-{}", std::process::id()));
        fs::create_dir_all(&site).expect("a folder");
        assemble(&workspace(), &site).expect("it is assembled");
        let page = fs::read_to_string(site.join("index.html")).expect("the page");
        for part in ["<title>Spikelet</title>", "href=\"style.css\"", "src=\"isolate.js\"", "src=\"./start.js\"", "<noscript>"] {
            assert!(page.contains(part), "{page} lacks {part}");
        }
        // Its policy comes before all that is loaded, and would stop a script in its text.
        let policy = page.find("Content-Security-Policy").expect("a policy");
        assert!(["<link", "<script"].iter().all(|element| page.find(element) > Some(policy)), "{page}");
        assert!(
            page.split("<script").skip(1).all(|script| script.split('>').next().is_some_and(|tag| tag.contains("src="))),
            "{page}"
        );
        let start = fs::read_to_string(site.join("start.js")).expect("the script that starts it");
        assert!(start.contains("from \"./spikelet-web.js\""), "{start}");
        assert!(!page.contains("data-trunk"), "{page}");
        assert!(site.join("style.css").is_file() && site.join("isolate.js").is_file());
        fs::remove_dir_all(&site).expect("it goes");
    }

    #[test]
    fn what_is_not_known_is_named() {
        for (page, word) in [("<link data-trunk rel=\"sass\" href=\"a\" />", "sass"), ("<link data-trunk rel=\"css\" />", "href")]
        {
            let problem = links(page).expect_err(page).to_string();
            assert!(problem.contains(word), "{problem}");
        }
    }
}
