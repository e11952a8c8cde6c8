use std::path::Path;

use crate::{files, root};

/// Words and phrases that are not used, with their plain replacements. A phrase matches whole words.
const REPLACEMENTS: [(&str, &str); 38] = [
    ("told", "reported"),
    ("heard", "received"),
    ("hears", "receives"),
    ("held to", "checked against"),
    ("broke off", "failed, was interrupted"),
    ("broken off", "failed, was interrupted"),
    ("breaks off", "fails, is interrupted"),
    ("length is none", "is not a length"),
    ("hands on", "passes"),
    ("handed on", "passed"),
    ("hands it on", "passes it"),
    ("anew", "again"),
    ("learnt", "learned"),
    ("under way", "current, pending"),
    ("leaves the numbers", "becomes infinite or NaN"),
    ("left the numbers", "became infinite or NaN"),
    ("nobody", "no caller, no reader"),
    ("somebody", "the user, the caller"),
    ("anybody", "any caller, any user"),
    ("whoever", "the caller, the owner"),
    ("asked for", "requested"),
    ("no room", "not enough memory"),
    ("wiring", "connectivity"),
    ("side by side", "in parallel"),
    ("so many", "this number of"),
    ("refuse", "reject"),
    ("refuses", "rejects"),
    ("refused", "rejected"),
    ("refusal", "error"),
    ("goes on", "continues"),
    ("went on", "continued"),
    ("go on", "continue"),
    ("mended", "fixed"),
    ("mends", "fixes"),
    ("hardly meant", "probably not intended"),
    ("takes no", "does not accept"),
    ("wants of", "needs in"),
    ("dust", "rounding error"),
];

/// Manuals, messages and documentation use none of these words. Tests, the history of changes and third-party data are not checked.
#[test]
fn plain_words_are_used() {
    let mut found = Vec::new();
    let mut texts = 0;
    for file in files(&root()) {
        let name = file.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
        let is_test = name.split('/').any(|part| ["test", "tests", "tests.rs", "benches", "corpus"].contains(&part));
        if is_test || name.starts_with('.') || name.ends_with("CHANGELOG.md") {
            continue;
        }
        let source = std::fs::read_to_string(&file).unwrap_or_default();
        for (line, text) in prose(&file, &source) {
            texts += 1;
            let words = words(&text);
            for (phrase, replacement) in REPLACEMENTS {
                let phrase_words: Vec<&str> = phrase.split(' ').collect();
                if words.windows(phrase_words.len()).any(|window| window == phrase_words) {
                    found.push(format!("{name}:{line}: \"{phrase}\"; write \"{replacement}\": {}", text.trim()));
                }
            }
        }
    }
    assert!(texts > 10_000, "only {texts} texts were found");
    assert!(found.is_empty(), "{} texts use words of the list:\n{}", found.len(), found.join("\n"));
}

/// TypeDoc, which builds the page's help of these documents, fails at a code block of a language that its options do not name.
#[test]
fn code_blocks_have_languages_that_the_help_highlights() {
    let package = root().join("crates/spikelet-js");
    let options = std::fs::read_to_string(package.join("typedoc.mjs")).unwrap();
    let (_, list) = options.split_once("highlightLanguages: [").expect("typedoc.mjs has a list of languages");
    let languages: Vec<&str> = list.split(']').next().unwrap().split('"').skip(1).step_by(2).collect();
    let documents = files(&root().join("docs")).into_iter().filter(|file| file.extension().is_some_and(|of| of == "md"));
    let comments = files(&package.join("ts"));
    let mut blocks = 0;
    for file in documents.chain(comments).chain([package.join("README.md")]) {
        for line in std::fs::read_to_string(&file).unwrap_or_default().lines() {
            let Some(language) = line.trim_start_matches([' ', '*']).strip_prefix("```").filter(|language| !language.is_empty())
            else {
                continue;
            };
            blocks += 1;
            // TypeDoc knows by itself what plain text is, and that bash is a shell.
            let is_known = languages.contains(&language) || ["text", "bash"].contains(&language);
            assert!(is_known, "{}: add {language} to crates/spikelet-js/typedoc.mjs", file.display());
        }
    }
    assert!(blocks > 100, "only {blocks} code blocks were found");
}

/// The prose of a file with its line numbers: whole lines of manuals, models and pages; comments and string literals of source code.
fn prose(file: &Path, source: &str) -> Vec<(usize, String)> {
    match file.extension().and_then(|extension| extension.to_str()).unwrap_or("") {
        "md" | "html" => manual(source),
        "toml" => source.lines().map(str::to_owned).enumerate().map(|(line, text)| (line + 1, text)).collect(),
        "rs" | "ts" | "wgsl" => code(source.split("#[cfg(test)]\nmod ").next().unwrap()),
        _ => Vec::new(),
    }
}

/// Lines outside of code blocks.
fn manual(source: &str) -> Vec<(usize, String)> {
    let mut in_block = false;
    let lines = source.lines().enumerate().filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        in_block ^= fence;
        !in_block && !fence
    });
    lines.map(|(line, text)| (line + 1, text.to_owned())).collect()
}

/// Comments and string literals with several words.
fn code(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_string = false;
    for (line, text) in source.lines().enumerate() {
        let mut rest = text;
        let mut collected = String::new();
        while !rest.is_empty() {
            if in_string {
                let end = closing_quote(rest);
                collected.push_str(&rest[..end.unwrap_or(rest.len())]);
                rest = end.map_or("", |end| &rest[end + 1..]);
                in_string = end.is_none();
            } else {
                let comment =
                    rest.find("//").or_else(|| rest.find("/*")).or_else(|| rest.trim_start().starts_with("* ").then_some(0));
                match (rest.find('"'), comment) {
                    (Some(quote), comment) if comment.is_none_or(|comment| quote < comment) => {
                        rest = &rest[quote + 1..];
                        in_string = true;
                    }
                    (_, Some(comment)) => {
                        collected.push_str(&rest[comment..]);
                        rest = "";
                    }
                    _ => rest = "",
                }
            }
        }
        if collected.trim().contains(' ') {
            found.push((line + 1, collected));
        }
    }
    found
}

/// The position of the quote that ends a string literal.
fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, sign)| {
        let ends = sign == '"' && !escaped;
        escaped = sign == '\\' && !escaped;
        ends.then_some(at)
    })
}

/// The words of a text in lower case, without code in backticks.
fn words(text: &str) -> Vec<String> {
    let outside: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ` ");
    let prose: String =
        outside.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect::<String>().to_lowercase();
    prose
        .split(|sign: char| !sign.is_alphanumeric() && sign != '_' && sign != '`')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn words_of_the_list_are_found() {
    let source = "/// What it is told.\nlet text = \"a run \\\"goes on\";\nlet told = 1; // `told` is code\n";
    let lines: Vec<(usize, Vec<String>)> = code(source).into_iter().map(|(line, text)| (line, words(&text))).collect();
    assert_eq!(lines.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(lines[0].1.contains(&"told".to_owned()) && lines[1].1.ends_with(&["goes".to_owned(), "on".to_owned()]));
    assert!(!lines[2].1.contains(&"told".to_owned()));
}
