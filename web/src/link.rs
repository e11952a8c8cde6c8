//! The part of the address after `#`: the network, its size, and its changes. It survives a reload and can be shared.
//!
//! A custom network is included completely, `json={…}`; one that is too long for an address is stored by the browser, and the address
//! contains only its name, `kept=…`.

use std::hash::Hasher;

use fnv::FnvHasher;
use spikelet_js::protocol::Source;

use crate::{backend, session::OpenRequest};

/// The maximum length of a network in an address, in encoded bytes. All browsers and most mail programs support more.
const LONGEST: usize = 16_000;

/// `network=cuba&scale=4&E.taum=15+ms`, `json=%7B…`, or `kept=…`.
pub(crate) fn write(open_request: &OpenRequest) -> String {
    let mut pairs = Vec::new();
    match &open_request.source {
        Source::Catalogue { name, scale } => {
            pairs.push(("network", name.clone()));
            if *scale != 1.0 {
                pairs.push(("scale", scale.to_string()));
            }
        }
        Source::Json { text } => match kept_as(&open_request.source) {
            Some(name) => pairs.push(("kept", name)),
            None => pairs.push(("json", compact(text))),
        },
    }
    if let Some(seed) = open_request.seed {
        pairs.push(("seed", seed.to_string()));
    }
    let changes = open_request.changes.iter().map(|(path, value)| (path.as_str(), value.clone()));
    let pairs = pairs.into_iter().chain(changes).map(|(key, value)| format!("{}={}", escape(key), escape(&value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// The name under which a network is stored, if it is too long for an address.
pub(crate) fn kept_as(source: &Source) -> Option<String> {
    match source {
        Source::Json { text } => {
            let compact = compact(text);
            (escape(&compact).len() > LONGEST).then(|| format!("{:016x}", fingerprint(&compact)))
        }
        Source::Catalogue { .. } => None,
    }
}

/// A short name for a network, independent of its changes during a run.
pub(crate) fn name_of(source: &Source) -> String {
    match source {
        Source::Catalogue { name, scale } => format!("{name}×{scale}"),
        Source::Json { text } => format!("{:016x}", fingerprint(&compact(text))),
    }
}

/// Reads the output of [`write()`], and `backend` from the query. Invalid parts are ignored, because users edit addresses. `kept` returns a
/// stored network by its name.
///
/// # Errors
/// The network is stored under this name.
pub(crate) fn read(hash: &str, query: &str, kept: impl Fn(&str) -> Option<String>) -> Result<OpenRequest, String> {
    let mut open_request = OpenRequest::first();
    for (key, value) in pairs(query) {
        if key == "backend" {
            open_request.backend = backend::of_word(&value).unwrap_or_default();
        }
    }
    let (mut name, mut scale, mut json) = ("cuba".to_owned(), 1.0, None);
    for (key, value) in pairs(hash) {
        match key.as_str() {
            "network" => name = value,
            "scale" => scale = value.parse().unwrap_or(scale),
            "seed" => open_request.seed = value.parse().ok(),
            "json" => json = Some(value),
            "kept" => json = Some(kept(&value).ok_or(value)?),
            _ if key.contains('.') => open_request.changes.push((key, value)),
            _ => {}
        }
    }
    open_request.source = match json {
        Some(text) => Source::Json { text },
        None => Source::Catalogue { name, scale },
    };
    Ok(open_request)
}

/// JSON without white space between tokens.
fn compact(json: &str) -> String {
    let (mut compact, mut in_text, mut escaped) = (String::with_capacity(json.len()), false, false);
    for c in json.chars() {
        if in_text || !c.is_whitespace() {
            compact.push(c);
        }
        if c == '"' && !escaped {
            in_text = !in_text;
        }
        escaped = c == '\\' && !escaped;
    }
    compact
}

/// FNV-1a: a name for a text, not a cryptographic hash.
fn fingerprint(text: &str) -> u64 {
    let mut hash = FnvHasher::default();
    hash.write(text.as_bytes());
    hash.finish()
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
    use spikelet_js::protocol::BackendChoice;

    use super::*;

    fn nothing_kept(_: &str) -> Option<String> {
        None
    }

    #[test]
    fn a_link_comes_back_as_it_was() {
        let open_request = OpenRequest {
            source: Source::Catalogue { name: "coba".into(), scale: 4.0 },
            backend: BackendChoice::Cpu,
            seed: Some(7),
            changes: vec![("E.taum".into(), "15 ms".into()), ("EI.w/x".into(), "-3.5e-2 µS".into())],
        };
        let hash = write(&open_request);
        assert_eq!(hash, "network=coba&scale=4&seed=7&E.taum=15+ms&EI.w%2Fx=-3.5e-2+%C2%B5S");
        assert_eq!(read(&format!("#{hash}"), "?backend=cpu", nothing_kept), Ok(open_request));
    }

    #[test]
    fn nonsense_gives_the_first_network() {
        assert_eq!(read("", "", nothing_kept), Ok(OpenRequest::first()));
        assert_eq!(read("#x&=&%zz=%&scale=big", "?backend=abacus&y", nothing_kept), Ok(OpenRequest::first()));
    }

    #[test]
    fn a_network_of_ones_own_is_in_the_address() {
        let text = "{\n  \"name\": \"a \\\" b\",\n  \"equations\": \"dv/dt = -v/τ : 1\\n# 50 % & more = less\"\n}";
        let source = Source::Json { text: text.into() };
        let open_request =
            OpenRequest { source, seed: Some(2), changes: vec![("cells.tau".into(), "15 ms".into())], ..OpenRequest::first() };
        let back = read(&write(&open_request), "", nothing_kept).unwrap();
        let Source::Json { text: compacted } = &back.source else { panic!("{back:?}") };
        assert_eq!(compacted, "{\"name\":\"a \\\" b\",\"equations\":\"dv/dt = -v/τ : 1\\n# 50 % & more = less\"}");
        assert_eq!((back.seed, &back.changes), (open_request.seed, &open_request.changes));
        assert_eq!(name_of(&back.source), name_of(&open_request.source), "its name does not hang on white space");
    }

    #[test]
    fn a_long_network_is_kept_elsewhere() {
        let open_request = |text: String| OpenRequest { source: Source::Json { text }, ..OpenRequest::first() };
        let long = open_request(format!("[{}1]", "0, ".repeat(10_000)));
        let hash = write(&long);
        assert!(hash.len() < 40 && hash.starts_with("kept="), "{hash}");
        let name = kept_as(&long.source).unwrap();
        assert_eq!(read(&hash, "", |asked| (asked == name).then(|| "[1]".to_owned())), Ok(open_request("[1]".into())));
        assert_eq!(read(&hash, "", nothing_kept), Err(name));
        assert_eq!(kept_as(&open_request("[1]".into()).source), None);
    }
}
