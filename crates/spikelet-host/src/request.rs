//! One request, as far as the server is interested.

use std::io::{self, BufRead, Read};

/// Nothing that a page sends is longer, in bytes.
pub(crate) const LONGEST: u64 = 1 << 20;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// In capitals, such as `GET`.
    pub method: String,
    /// Decoded, without the slash at its start and without its query.
    pub path: String,
    /// What came after the head.
    pub body: Vec<u8>,
    /// The `ETag` of what the browser has.
    pub(crate) known: Option<String>,
    /// The value of `Accept-Encoding`, in lower case.
    encodings: String,
}

impl Request {
    pub(crate) fn read(mut stream: impl BufRead) -> io::Result<Request> {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let mut words = line.split_whitespace();
        let (method, path) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or("/"));
        let path = decoded(path.split(['?', '#']).next().unwrap_or_default());
        let path = path.strip_prefix('/').unwrap_or(&path).to_owned();
        let (mut length, mut known, mut encodings) = (0, None, String::new());
        loop {
            let mut header = String::new();
            if stream.read_line(&mut header)? == 0 || header.trim().is_empty() {
                break;
            }
            let (name, value) = header.split_once(':').unwrap_or_default();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "if-none-match" => known = Some(value.trim().to_owned()),
                "accept-encoding" => encodings = value.to_ascii_lowercase(),
                _ => {}
            }
        }
        let mut body = Vec::new();
        stream.take(length).read_to_end(&mut body)?;
        Ok(Request { method, path, body, known, encodings })
    }

    /// Whether the browser can decompress this: it is listed, and not by a weight of zero.
    pub(crate) fn accepts(&self, encoding: &str) -> bool {
        self.encodings.split(',').any(|entry| {
            let (name, weight) = entry.split_once(';').unwrap_or((entry, ""));
            let weight = weight.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
            name.trim() == encoding && weight.is_ok_and(|weight| weight > 0.0)
        })
    }
}

/// `%41` is `A`.
fn decoded(path: &str) -> String {
    let mut parts = path.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(&part.as_bytes()[2..]);
            }
            None => {
                bytes.push(b'%');
                bytes.extend_from_slice(part.as_bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_those_that_are_listed() {
        let request = |line: &str| Request::read(format!("GET / HTTP/1.1\r\n{line}\r\n\r\n").as_bytes()).expect("a request");
        let chromium = request("Accept-Encoding: gzip, deflate, BR, zstd");
        assert!(chromium.accepts("br") && chromium.accepts("gzip") && !chromium.accepts("b"));
        let weighed = request("accept-encoding: br;q=0, gzip; q=0.5");
        assert!(!weighed.accepts("br") && weighed.accepts("gzip"));
        assert!(!request("Host: x").accepts("gzip"));
    }

    #[test]
    fn paths_are_decoded_and_lose_their_query() {
        let path = |line: &str| Request::read(line.as_bytes()).expect("a request").path;
        assert_eq!(path("GET /a%20b/%C3%A9.js?x=%41 HTTP/1.1\r\n\r\n"), "a b/é.js");
        assert_eq!(path("GET /100%/%zz HTTP/1.1\r\n\r\n"), "100%/%zz");
        assert_eq!(path("GET / HTTP/1.1\r\n\r\n"), "");
        assert_eq!(path(""), "");
    }
}
