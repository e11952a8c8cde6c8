//! The part of the address after `#`: which network, how large, and what was changed. It survives a reload and can be
//! sent to somebody.

use spikelet_js::protocol::{BackendChoice, Source};

use crate::session::Wish;

/// `network=cuba&scale=4&E.taum=15+ms`; nothing for a network that is not from the catalogue.
pub(crate) fn write(wish: &Wish) -> String {
    let Some((name, scale)) = wish.catalogue() else {
        return String::new();
    };
    let mut pairs = vec![("network".to_owned(), name.to_owned())];
    if scale != 1.0 {
        pairs.push(("scale".into(), scale.to_string()));
    }
    if let Some(seed) = wish.seed {
        pairs.push(("seed".into(), seed.to_string()));
    }
    pairs.extend(wish.changes.iter().cloned());
    let pairs = pairs.iter().map(|(key, value)| format!("{}={}", escape(key), escape(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// Reads what [`write`] wrote, and `backend` from the query. What it cannot read it leaves as it is at first: the address
/// is typed by people.
pub(crate) fn read(hash: &str, query: &str) -> Wish {
    let mut wish = Wish::first();
    for (key, value) in pairs(query) {
        if key == "backend" {
            wish.backend = backend(&value).unwrap_or_default();
        }
    }
    let (mut name, mut scale) = ("cuba".to_owned(), 1.0);
    for (key, value) in pairs(hash) {
        match key.as_str() {
            "network" => name = value,
            "scale" => scale = value.parse().unwrap_or(scale),
            "seed" => wish.seed = value.parse().ok(),
            _ if key.contains('.') => wish.changes.push((key, value)),
            _ => {}
        }
    }
    wish.source = Source::Catalogue { name, scale };
    wish
}

/// The word of the address and of the select.
pub(crate) fn backend_word(choice: BackendChoice) -> &'static str {
    match choice {
        BackendChoice::Auto => "auto",
        BackendChoice::Gpu => "gpu",
        BackendChoice::Cpu => "cpu",
    }
}

/// The reverse of [`backend_word`].
pub(crate) fn backend(word: &str) -> Option<BackendChoice> {
    [BackendChoice::Auto, BackendChoice::Gpu, BackendChoice::Cpu].into_iter().find(|&choice| backend_word(choice) == word)
}

fn pairs(text: &str) -> impl Iterator<Item = (String, String)> {
    let text = text.trim_start_matches(['#', '?']);
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(key, value)| (unescape(key), unescape(value)))
}

fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => escaped.push(byte.into()),
            b' ' => escaped.push('+'),
            _ => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = (*first == b'%').then(|| tail.get(..2)).flatten();
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(if *first == b'+' { b' ' } else { *first });
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_comes_back_as_it_was() {
        let wish = Wish {
            source: Source::Catalogue { name: "coba".into(), scale: 4.0 },
            backend: BackendChoice::Cpu,
            seed: Some(7),
            changes: vec![("E.taum".into(), "15 ms".into()), ("EI.w/x".into(), "-3.5e-2 µS".into())],
        };
        let hash = write(&wish);
        assert_eq!(hash, "network=coba&scale=4&seed=7&E.taum=15+ms&EI.w%2Fx=-3.5e-2+%C2%B5S");
        assert_eq!(read(&format!("#{hash}"), "?backend=cpu"), wish);
    }

    #[test]
    fn nonsense_gives_the_first_network() {
        assert_eq!(read("", ""), Wish::first());
        assert_eq!(read("#x&=&%zz=%&scale=big", "?backend=abacus&y"), Wish::first());
    }
}
