//! What a file of Rust declares and names, read from its text: no types are needed for that, and so no compiler.

use std::collections::{BTreeMap, BTreeSet};

/// A name by which another is reached: `crate::plan::Plan` in parts.
pub(super) type Path = Vec<String>;

/// A path that a file names.
pub(super) struct Mention {
    pub(super) path: Path,
    pub(super) line: usize,
    /// Whether a `use` names it, rather than what is run.
    pub(super) in_use: bool,
    /// Whether it stands for all that is there: `use path::*`.
    pub(super) is_glob: bool,
}

/// What stands in a file, its tests aside.
#[derive(Default)]
pub(super) struct Source {
    /// What it declares.
    pub(super) items: BTreeSet<String>,
    /// What it has by `use`, by the name that it has there.
    pub(super) uses: BTreeMap<String, Path>,
    /// All that it names.
    pub(super) mentions: Vec<Mention>,
    /// Modules that are there for tests alone.
    pub(super) test_modules: Vec<String>,
}

/// A name, `::`, or a sign, with its line.
type Token<'a> = (&'a str, usize);

/// Words before the name of an item.
const ITEMS: [&str; 10] = ["const", "enum", "fn", "macro_rules", "mod", "static", "struct", "trait", "type", "union"];

impl Source {
    pub(super) fn of(text: &str) -> Source {
        let mut source = Source::default();
        let tokens = source.without_tests(&tokens(text));
        let word = |at: usize| tokens.get(at).map_or("", |(word, _)| word);
        let (mut at, mut depth) = (0, 0);
        while at < tokens.len() {
            let (token, line) = tokens[at];
            match token {
                "{" => depth += 1,
                "}" => depth -= 1,
                // `use<'a>` says what a type captures.
                "use" if word(at + 1) != "<" => {
                    at = source.read_use(&tokens, at + 1, &[]);
                    continue;
                }
                // `const fn`, `type Name`, `macro_rules! name`; a module that follows in a file is that file's.
                _ if depth == 0 && ITEMS.contains(&token) => {
                    let name = word(at + 1 + usize::from(token == "macro_rules"));
                    if is_name(name) && (token, word(at + 2)) != ("mod", ";") {
                        source.items.insert(name.to_owned());
                    }
                }
                _ if is_name(token) && word(at + 1) == "::" && !follows_path(&tokens, at) => {
                    let mut path = vec![token.to_owned()];
                    while word(at + 1) == "::" && is_name(word(at + 2)) {
                        path.push(word(at + 2).to_owned());
                        at += 2;
                    }
                    source.mentions.push(Mention { path, line, in_use: false, is_glob: false });
                }
                _ => {}
            }
            at += 1;
        }
        source
    }

    /// Takes what a `use` names from here on; says where it ends.
    fn read_use(&mut self, tokens: &[Token<'_>], mut at: usize, before: &[String]) -> usize {
        let (mut path, line) = (before.to_vec(), tokens[at].1);
        loop {
            match tokens[at].0 {
                "{" => {
                    at += 1;
                    while tokens[at].0 != "}" {
                        at = self.read_use(tokens, at, &path);
                        at += usize::from(tokens[at].0 == ",");
                    }
                    return at + 1;
                }
                "*" => {
                    self.mentions.push(Mention { path, line, in_use: true, is_glob: true });
                    return at + 1;
                }
                "::" => at += 1,
                name => {
                    path.push(name.to_owned());
                    at += 1;
                    if tokens[at].0 != "::" {
                        break;
                    }
                }
            }
        }
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let mut name = path[path.len() - 1].clone();
        if tokens[at].0 == "as" {
            name = tokens[at + 1].0.to_owned();
            at += 2;
        }
        self.uses.insert(name, path.clone());
        self.mentions.push(Mention { path, line, in_use: true, is_glob: false });
        at
    }

    /// The tokens without attributes, and without what is only there for tests.
    fn without_tests<'a>(&mut self, tokens: &[Token<'a>]) -> Vec<Token<'a>> {
        let (mut kept, mut at) = (Vec::new(), 0);
        while at < tokens.len() {
            if tokens[at].0 != "#" || at + 1 == tokens.len() {
                kept.push(tokens[at]);
                at += 1;
                continue;
            }
            let begin = at + 1 + usize::from(tokens[at + 1].0 == "!");
            let end = closing(tokens, begin);
            let says = |word: &str| tokens[begin..end].iter().any(|(token, _)| *token == word);
            at = end;
            if says("cfg") && says("test") && !says("not") {
                let first = at;
                // Up to a `;`, or the end of a body.
                while tokens[at].0 != ";" && tokens[at].0 != "{" {
                    at = if ["(", "["].contains(&tokens[at].0) { closing(tokens, at) } else { at + 1 };
                }
                if tokens[at].0 == ";" && tokens[first].0 == "mod" {
                    self.test_modules.push(tokens[first + 1].0.to_owned());
                }
                at = if tokens[at].0 == "{" { closing(tokens, at) } else { at + 1 };
            }
        }
        kept
    }
}

/// One past the bracket that closes the one which stands here.
fn closing(tokens: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0;
    for (place, (token, _)) in tokens.iter().enumerate().skip(at) {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return place + 1;
        }
    }
    tokens.len()
}

/// Whether a name goes on with what stands before it, or says who may see an item: `pub(in path)`.
fn follows_path(tokens: &[Token<'_>], at: usize) -> bool {
    let before = |places: usize| at.checked_sub(places).map_or("", |at| tokens[at].0);
    ["::", "."].contains(&before(1)) || (before(3), before(2), before(1)) == ("pub", "(", "in")
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// What is left of a text without spaces, comments, strings and lifetimes.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut tokens, mut rest, mut line) = (Vec::new(), text, 1);
    while !rest.is_empty() {
        let length = match skipped(rest) {
            Some(length) => length,
            None => {
                let length = match word(rest) {
                    0 if rest.starts_with("::") => 2,
                    0 => rest.chars().next().map_or(1, char::len_utf8),
                    length => length,
                };
                tokens.push((&rest[..length], line));
                length
            }
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

/// How long the name or number is that a text begins with.
fn word(text: &str) -> usize {
    text.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(text.len())
}

/// How long the space, comment, string, character or lifetime is that a text begins with.
fn skipped(text: &str) -> Option<usize> {
    let space = text.len() - text.trim_start().len();
    if space > 0 {
        return Some(space);
    }
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        let (mut depth, mut at) = (0, 0);
        loop {
            let rest = &text[at..];
            match (rest.starts_with("/*"), rest.starts_with("*/")) {
                (true, _) => (depth, at) = (depth + 1, at + 2),
                (_, true) => (depth, at) = (depth - 1, at + 2),
                _ => at += rest.chars().next()?.len_utf8(),
            }
            if depth == 0 {
                return Some(at);
            }
        }
    }
    string(text).or_else(|| character(text))
}

fn string(text: &str) -> Option<usize> {
    let of = |prefix: &&str| {
        let body = text.strip_prefix(*prefix)?;
        let hashes = if prefix.ends_with('r') { body.len() - body.trim_start_matches('#').len() } else { 0 };
        let inside = body[hashes..].strip_prefix('"')?;
        let begin = prefix.len() + hashes + 1;
        if prefix.ends_with('r') {
            let end = format!("\"{}", "#".repeat(hashes));
            return Some(begin + inside.find(&end)? + end.len());
        }
        let mut escaped = false;
        let end = inside.find(|sign| {
            let ends = sign == '"' && !escaped;
            escaped = sign == '\\' && !escaped;
            ends
        });
        Some(begin + end? + 1)
    };
    ["", "b", "c", "r", "br", "cr"].iter().find_map(of)
}

/// A character, or a lifetime.
fn character(text: &str) -> Option<usize> {
    let begin = 1 + usize::from(text.starts_with("b'"));
    let inside = text.strip_prefix("b'").or_else(|| text.strip_prefix('\''))?;
    let mut signs = inside.char_indices();
    match (signs.next()?.1, signs.next()) {
        // What is escaped may be a quote.
        ('\\', Some((_, escaped))) => Some(begin + 1 + escaped.len_utf8() + inside[1 + escaped.len_utf8()..].find('\'')? + 1),
        (_, Some((at, '\''))) => Some(begin + at + 1),
        _ => Some(begin + word(inside)),
    }
}

#[test]
fn strings_and_comments_name_nothing() {
    let text = r##"
        /* crate::a /* crate::b */ */ // crate::c
        const TEXT: &'static str = "crate::d \" crate::e"; const RAW: &str = r#"crate::f "quoted" crate::g"#;
        fn one(at: char) -> bool { at == '"' || at == '\'' || at == 'x' || crate::h::is(at, b'\\') }
        #[cfg(test)]
        mod tests { use crate::i; }
        #[cfg(test)]
        mod others;
        pub(in crate::j) use super::{k::{self, Name as Other}, l::*};
    "##;
    let source = Source::of(text);
    let mentions: Vec<String> = source.mentions.iter().map(|mention| mention.path.join("::")).collect();
    assert_eq!(mentions, ["crate::h::is", "super::k", "super::k::Name", "super::l"]);
    assert_eq!(source.items, ["RAW", "TEXT", "one"].map(str::to_owned).into());
    assert_eq!(source.uses.into_keys().collect::<Vec<_>>(), ["Other", "k"]);
    assert_eq!(source.test_modules, ["others"]);
    assert_eq!(source.mentions[0].line, 4);
}
