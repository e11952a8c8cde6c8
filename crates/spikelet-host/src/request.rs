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

/// Why a request has no answer.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The connection ended.
    Connection(io::Error),
    /// It is not HTTP, or its path cannot be read.
    Broken(String),
    /// It was sent to another host: a page of that host has its name stand for this machine, to read what is served here.
    Foreign(String),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
        match error.kind() {
            io::ErrorKind::InvalidData => Problem::Broken("the request is not text".into()),
            _ => Problem::Connection(error),
        }
    }
}

impl Request {
    pub(crate) fn read(mut stream: impl BufRead) -> Result<Request, Problem> {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(Problem::Connection(io::ErrorKind::UnexpectedEof.into()));
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [method, target, "HTTP/1.0" | "HTTP/1.1"] = words[..] else {
            return Err(Problem::Broken("the first line is not that of a request of HTTP/1.1".into()));
        };
        let path = path_of(target)?;
        let (mut length, mut known, mut encodings) = (0, None, String::new());
        loop {
            let mut header = String::new();
            if stream.read_line(&mut header)? == 0 || header.trim().is_empty() {
                break;
            }
            let (name, value) = header.split_once(':').unwrap_or_default();
            match name.to_ascii_lowercase().as_str() {
                "host" if !is_this_machine(value.trim()) => return Err(Problem::Foreign(value.trim().to_owned())),
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "if-none-match" => known = Some(value.trim().to_owned()),
                "accept-encoding" => encodings = value.to_ascii_lowercase(),
                _ => {}
            }
        }
        let mut body = Vec::new();
        stream.take(length).read_to_end(&mut body)?;
        Ok(Request { method: method.to_owned(), path, body, known, encodings })
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

/// Whether the value of a `Host` header is a name of this machine, with or without a port.
fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        _ => host,
    };
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The path of a target, decoded: one inside the folder that is served.
fn path_of(target: &str) -> Result<String, Problem> {
    let broken = |why: &str| Problem::Broken(format!("the path {target:?} {why}"));
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let path = path.strip_prefix('/').ok_or_else(|| broken("does not start with /"))?;
    let path = decoded(path).ok_or_else(|| broken("has a % without two hexadecimal digits, or is not UTF-8"))?;
    if path.contains(['\0', '\\']) || path.split('/').any(|part| part == "..") {
        return Err(broken("leaves the folder that is served"));
    }
    Ok(path)
}

/// `%41` is `A`.
fn decoded(path: &str) -> Option<String> {
    let mut parts = path.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
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
        assert!(!request("Host: localhost").accepts("gzip"));
    }

    #[test]
    fn paths_are_decoded_and_lose_their_query() {
        let path = |line: &str| Request::read(line.as_bytes()).expect("a request").path;
        assert_eq!(path("GET /a%20b/%C3%A9.js?x=%41 HTTP/1.1\r\n\r\n"), "a b/é.js");
        assert_eq!(path("GET / HTTP/1.1\r\n\r\n"), "");
    }

    #[test]
    fn broken_requests_are_told_from_those_that_end() {
        for target in ["/100%", "/%zz", "/%+1", "/%ff", "/%00", "/a\\b", "/../a", "/a/%2e%2e/b", "a", "http://x/a"] {
            let request = Request::read(format!("GET {target} HTTP/1.1\r\n\r\n").as_bytes());
            assert!(matches!(&request, Err(Problem::Broken(why)) if why.contains("path")), "{target}: {request:?}");
        }
        for head in ["GET\r\n\r\n", "GET / FTP\r\n\r\n", "\r\n"] {
            assert!(matches!(Request::read(head.as_bytes()), Err(Problem::Broken(_))), "{head:?}");
        }
        assert!(matches!(Request::read(&b"GET /\xff HTTP/1.1\r\n\r\n"[..]), Err(Problem::Broken(_))));
        assert!(matches!(Request::read(&b""[..]), Err(Problem::Connection(_))));
    }

    #[test]
    fn hosts_are_this_machine() {
        for host in ["127.0.0.1:8080", "localhost", "LocalHost:1", "[::1]:8080", "[::1]"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in
            ["evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example:80", "127.0.0.1:x", ""]
        {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
