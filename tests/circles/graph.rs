//! Which file of a crate uses which.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path as FilePath;

use super::source::{Path, Source};

/// The files of a crate, by the module that each of them is: `plan/build`; the root is the empty one.
pub(super) struct Files(BTreeMap<String, Source>);

/// For each file the files that it uses, with where and how it says so.
pub(super) type Uses = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// What a path leads to: a file that declares it, or a file as a whole.
#[derive(Clone, PartialEq, Eq)]
enum Found {
    Item(String),
    Module(String),
}

/// Re-exports that are followed one after the other, at most: names may go round in circles, too.
const MAX_STEPS: u32 = 16;

impl Files {
    /// Reads the files of a crate, but for those that are tests.
    pub(super) fn read(folder: &FilePath) -> Files {
        let mut files = BTreeMap::new();
        read_into(folder, "", &mut files);
        let declared = files.iter().flat_map(|(module, source)| source.test_modules.iter().map(|test| below(module, test)));
        let tests: Vec<String> = declared.collect();
        files.retain(|module, _| !tests.iter().any(|test| is_below(module, test)));
        Files(files)
    }

    /// Who uses whom.
    pub(super) fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for (module, source) in &self.0 {
            for mention in &source.mentions {
                let used = match self.find(module, &mention.path, mention.in_use, MAX_STEPS) {
                    Some(Found::Item(used)) => used,
                    // What is taken of it counts, and the files that declare that.
                    Some(Found::Module(used)) if mention.is_glob => used,
                    _ => continue,
                };
                if used != *module {
                    let place = format!("{}: {}", mention.line, mention.path.join("::"));
                    uses.entry(module.clone()).or_default().entry(used).or_default().push(place);
                }
            }
        }
        uses
    }

    /// The file that declares what a path means in a module, whichever files hand it on; none for what is not of this crate.
    fn find(&self, module: &str, path: &Path, in_use: bool, steps: u32) -> Option<Found> {
        let steps = steps.checked_sub(1)?;
        let mut module = module.to_owned();
        let rooted = path.iter().take_while(|part| ["crate", "self", "super"].contains(&part.as_str())).count();
        for part in &path[..rooted] {
            module = match part.as_str() {
                "crate" => String::new(),
                "super" => parent(&module)?.to_owned(),
                _ => module,
            };
        }
        for (place, name) in path.iter().enumerate().skip(rooted) {
            let source = self.0.get(&module)?;
            let (child, is_last) = (below(&module, name), place + 1 == path.len());
            let is_child = self.0.contains_key(&child);
            // A `use` begins outside, or with a module that stands here; a path also with what a `use` brought.
            let handed_on = source.uses.get(name).filter(|of| *of != path && !(in_use && place == 0));
            module = if is_child && !is_last {
                child
            } else if source.items.contains(name) {
                return Some(Found::Item(module));
            } else if let Some(of) = handed_on {
                match self.find(&module, of, true, steps)? {
                    Found::Module(handed_on) => handed_on,
                    item => return Some(item),
                }
            } else if is_child {
                child
            } else {
                // A macro may have made it, or it is of a type that stands here.
                return (place > 0).then_some(Found::Item(module));
            };
        }
        Some(Found::Module(module))
    }
}

fn read_into(folder: &FilePath, module: &str, files: &mut BTreeMap<String, Source>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or("");
        if path.is_dir() {
            read_into(&path, &below(module, name), files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let is_root = module.is_empty() && ["lib", "main"].contains(&name);
            let own = if is_root { String::new() } else { below(module, name) };
            files.insert(own, Source::of(&std::fs::read_to_string(&path).unwrap()));
        }
    }
}

fn below(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}/{name}") }
}

fn parent(module: &str) -> Option<&str> {
    (!module.is_empty()).then(|| module.rsplit_once('/').map_or("", |(parent, _)| parent))
}

/// Whether a module is this one, or one of those below it.
fn is_below(module: &str, above: &str) -> bool {
    above.is_empty() || module.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Files that reach each other, where no parent and child use one another: each with the others of its circle.
pub(super) fn circles(uses: &Uses) -> Vec<BTreeSet<String>> {
    let kin = |one: &str, other: &str| is_below(one, other) || is_below(other, one);
    let next = |from: &str| uses.get(from).into_iter().flat_map(|used| used.keys());
    let reached = |from: &str| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(file) = open.pop() {
            let used = next(&file).filter(|used| !kin(&file, used));
            open.extend(used.filter(|used| reached.insert((*used).clone())).cloned().collect::<Vec<_>>());
        }
        reached
    };
    let all: BTreeMap<&String, BTreeSet<String>> = uses.keys().map(|file| (file, reached(file))).collect();
    let tied = |file: &String| -> BTreeSet<String> {
        let both = |other: &&String| all.get(other).is_some_and(|reached| reached.contains(file));
        all[file].iter().filter(both).cloned().collect()
    };
    let found: BTreeSet<BTreeSet<String>> = uses.keys().map(tied).filter(|circle| !circle.is_empty()).collect();
    found.into_iter().collect()
}
