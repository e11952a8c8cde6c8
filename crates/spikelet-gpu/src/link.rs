//! Composes kernels from modules of WGSL. The order of declarations has no meaning in WGSL, and every declaration in our files begins at
//! the start of a line, so that words and lines are sufficient for parsing: slots of templates are filled, declarations of combined modules
//! are renamed to be distinct, and of a library only used functions are included, because the compile time of a device grows with the text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A file of `shaders/`.
macro_rules! shader {
    ($name:literal) => {
        include_str!(concat!(env!("SPIKELET_SHADERS"), "/", $name, ".wgsl"))
    };
}
pub(crate) use shader;

/// A piece of WGSL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Module {
    pub(crate) name: &'static str,
    source: String,
}

/// A module-scope declaration.
#[derive(Debug, PartialEq, Eq)]
struct Declaration<'a> {
    name: &'a str,
    is_function: bool,
    /// Its lines, without comments.
    text: String,
}

/// Words before the declared name.
const DECLARE: [&str; 6] = ["fn ", "const ", "var<private> ", "var<workgroup> ", "struct ", "alias "];

impl Module {
    /// A module of these pieces.
    pub(crate) fn new(name: &'static str, pieces: &[&str]) -> Module {
        Module { name, source: pieces.join("\n") }
    }

    /// The same with a text instead of the lines `//# slot` of a template, with their indentation.
    pub(crate) fn filled<'a>(&self, slot: impl Fn(&str) -> Option<&'a str>) -> Module {
        let mut source = String::with_capacity(self.source.len());
        for line in self.source.lines() {
            match line.trim().strip_prefix("//# ").and_then(&slot) {
                Some(text) => {
                    let indent = &line[..line.len() - line.trim_start().len()];
                    text.lines().for_each(|line| source.extend([indent, line, "\n"]));
                }
                None => source.extend([line, "\n"]),
            }
        }
        Module { source, ..*self }
    }

    /// The same with one word replaced by another.
    pub(crate) fn with(&self, word: &str, by: &str) -> Module {
        Module { source: self.source.replace(word, by), ..*self }
    }

    /// The names that it declares.
    fn exports(&self) -> BTreeSet<&str> {
        self.source.lines().filter_map(declared).collect()
    }

    /// The same with a number appended to every declared name, so that it can be combined with others.
    pub(crate) fn numbered(&self, number: usize) -> Module {
        let exports = self.exports();
        let mut source = String::with_capacity(self.source.len());
        for line in self.source.lines().filter(|line| !is_comment(line)) {
            let mut rest = line;
            while let Some(begin) = rest.find(|sign: char| is_of_word(sign) && !sign.is_ascii_digit()) {
                let end = rest[begin..].find(|sign| !is_of_word(sign)).map_or(rest.len(), |length| begin + length);
                // A number may end in letters: `64u`.
                let is_name = !rest[..begin].ends_with(|sign: char| sign.is_ascii_digit());
                source += &rest[..end];
                if is_name && exports.contains(&rest[begin..end]) {
                    // Writing to a String cannot fail.
                    let _ = write!(source, "_{number}");
                }
                rest = &rest[end..];
            }
            source.extend([rest, "\n"]);
        }
        Module { source, ..*self }
    }

    fn declarations(&self) -> Vec<Declaration<'_>> {
        let mut found: Vec<Declaration<'_>> = Vec::new();
        for line in self.source.lines().filter(|line| !is_comment(line) && !line.trim().is_empty()) {
            if let Some(name) = declared(line) {
                found.push(Declaration { name, is_function: line.starts_with("fn "), text: String::new() });
            }
            if let Some(of) = found.last_mut() {
                of.text.extend([line, "\n"]);
            }
        }
        found
    }
}

/// The text of `own` modules after a common `base`, with the used parts of a library.
pub(crate) fn link(base: &str, library: &[Module], own: &[Module]) -> String {
    let own: Vec<&str> = own.iter().map(|module| module.source.as_str()).collect();
    let own = own.join("\n");
    [base, &needed(library, &own), &own].join("\n")
}

/// The declarations of a library, with those functions that a text uses directly or indirectly.
fn needed(library: &[Module], text: &str) -> String {
    let (functions, others): (Vec<_>, Vec<_>) =
        library.iter().flat_map(Module::declarations).partition(|declaration| declaration.is_function);
    let functions: BTreeMap<&str, String> = functions.into_iter().map(|of| (of.name, of.text)).collect();
    let (mut called, mut unread) = (BTreeSet::new(), vec![text]);
    while let Some(text) = unread.pop() {
        for word in text.split(|sign| !is_of_word(sign)) {
            if let Some((name, body)) = functions.get_key_value(word)
                && called.insert(*name)
            {
                unread.push(body);
            }
        }
    }
    let others = others.iter().map(|of| of.text.as_str());
    others.chain(called.iter().map(|name| functions[name].as_str())).collect()
}

/// The name declared by a line at module scope.
fn declared(line: &str) -> Option<&str> {
    let named = DECLARE.iter().find_map(|word| line.strip_prefix(word))?;
    named.split(|sign| !is_of_word(sign)).next()
}

fn is_of_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_declared_is_numbered() {
        let text = "// work\nconst A: u32 = 64u;\nvar<private> u: u32;\nfn work(id: u32) {\n    let u2 = A + 64u + u.x;\n    other(u);\n}";
        let module = Module::new("one", &[text]);
        assert_eq!(module.exports().into_iter().collect::<Vec<_>>(), ["A", "u", "work"]);
        let expected = "const A_3: u32 = 64u;\nvar<private> u_3: u32;\nfn work_3(id: u32) {\n    let u2 = A_3 + 64u + u_3.x;\n    other(u_3);\n}\n";
        assert_eq!(module.numbered(3).source, expected);
    }

    #[test]
    fn slots_are_filled_where_they_stand() {
        let module = Module::new("one", &["fn work() {\n    //# body\n    //# nothing\n    //# unknown\n}"]);
        let filled = module.filled(|slot| match slot {
            "body" => Some("one();\nif two {\n    three();\n}\n"),
            "nothing" => Some(""),
            _ => None,
        });
        assert_eq!(filled.source, "fn work() {\n    one();\n    if two {\n        three();\n    }\n    //# unknown\n}\n");
    }

    #[test]
    fn of_a_library_only_what_is_called_is_taken() {
        let library = Module::new(
            "library",
            &[
                "// About b.\nconst K: u32 = 1u;\n\nfn a() {\n    b();\n}\nvar<private> v: u32;\nfn b() {\n    // c();\n    v = K;\n}\nfn c() {\n}\n",
            ],
        );
        let text = link("base", &[library], &[Module::new("one", &["fn work() {\n    a();\n}"])]);
        let expected = "base\nconst K: u32 = 1u;\nvar<private> v: u32;\nfn a() {\n    b();\n}\nfn b() {\n    v = K;\n}\n\nfn work() {\n    a();\n}";
        assert_eq!(text, expected);
    }
}
