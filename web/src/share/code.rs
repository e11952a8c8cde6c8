//! The text of a link: a digit for the version, then JSON, compressed in the zlib format and written in base64url.
//!
//! The zlib format contains a checksum: a link in which a character was lost or changed is rejected. In Python,
//! `zlib.decompress(base64.urlsafe_b64decode(link[1:] + "=="))` returns the JSON.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The maximum length of the JSON of a link, in bytes: a short link cannot expand to fill the memory.
const LARGEST: usize = 4 << 20;

/// Whether a text looks like a link: it begins with a version.
pub(crate) fn is_link(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && !text.contains(['=', '&'])
}

/// A link of a version.
pub(crate) fn write(version: u32, json: &str) -> String {
    format!("{version}{}", digits(&compressed(json.as_bytes())))
}

/// The JSON of a link.
///
/// # Errors
/// A sentence: the version is newer, or where the link is damaged.
pub(crate) fn read(version: u32, link: &str) -> Result<String, String> {
    let first = link.chars().next().and_then(|c| c.to_digit(10)).unwrap_or(0);
    if first > version {
        let reload = super::RELOAD;
        return Err(format!(
            "This link was made by a newer version of Spikelet (format {first}; this page reads {version}). {reload}"
        ));
    }
    if first != version {
        return Err(format!("The link is damaged: it begins with {first}; expected {version}. Copy it again."));
    }
    let content = bytes(&link[1..])?;
    let json = expanded(&content).map_err(|at| {
        // Four characters are three bytes.
        let (character, length) = (2 + at * 4 / 3, link.len());
        if at >= content.len() {
            format!("The link is incomplete: it ends after {length} characters. Copy it again, with its end.")
        } else {
            format!("The link is damaged near character {character} of {length}. Copy it again.")
        }
    })?;
    String::from_utf8(json).map_err(|_| "The link is damaged: its content is not text. Copy it again.".to_owned())
}

fn digits(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = group.iter().fold(0, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        text.extend((0..=group.len()).map(|place| char::from(DIGITS[(word >> (18 - 6 * place) & 63) as usize])));
    }
    text
}

fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut word, mut bits) = (0_u32, 0);
    for (place, c) in text.chars().enumerate() {
        let digit = DIGITS.iter().position(|digit| char::from(*digit) == c).ok_or_else(|| {
            format!("The link is damaged: character {} is “{c}”, which links do not contain. Copy it again.", place + 2)
        })?;
        word = word << 6 | digit as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
            word &= (1 << bits) - 1;
        }
    }
    Ok(bytes)
}

fn compressed(content: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(content.len() / 2 + 64);
    let mut compress = Compress::new(Compression::best(), true);
    loop {
        let read = compress.total_in() as usize;
        // It fails only if it is continued after its end.
        match compress.compress_vec(&content[read..], &mut output, FlushCompress::Finish) {
            Ok(Status::StreamEnd) | Err(_) => return output,
            Ok(_) => output.reserve(output.capacity()),
        }
    }
}

/// The content, or the place of the error.
fn expanded(content: &[u8]) -> Result<Vec<u8>, usize> {
    let mut output = Vec::with_capacity(content.len() * 4 + 64);
    let mut expand = Decompress::new(true);
    loop {
        let read = expand.total_in() as usize;
        let written = output.len();
        let status = expand.decompress_vec(&content[read..], &mut output, FlushDecompress::None).map_err(|_| read)?;
        let now = expand.total_in() as usize;
        match status {
            Status::StreamEnd if now == content.len() => return Ok(output),
            Status::StreamEnd => return Err(now),
            _ if output.len() >= LARGEST || (now == read && output.len() == written && output.len() < output.capacity()) => {
                return Err(now);
            }
            _ => output.reserve(output.capacity().max(64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64url_is_that_of_the_standard() {
        for (plain, text) in [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"), ("??>", "Pz8-")] {
            assert_eq!(digits(plain.as_bytes()), text);
            assert_eq!(bytes(text).unwrap(), plain.as_bytes());
        }
    }

    #[test]
    fn a_text_comes_back_and_is_short() {
        let json = format!("{{\"a\":\"{}τ\"}}", "dv/dt = -v/tau : 1\\n".repeat(200));
        let link = write(1, &json);
        assert!(link.len() < json.len() / 20 && is_link(&link), "{} of {}", link.len(), json.len());
        assert_eq!(read(1, &link).unwrap(), json);
        assert!(!is_link("network=cuba") && !is_link("status") && !is_link(""));
    }

    #[test]
    fn damage_is_found_wherever_it_is() {
        let json = "{\"network\":\"cuba\",\"values\":{\"E.taum\":\"15 ms\",\"I.taum\":\"25 ms\"},\"step\":5000}";
        let link = write(1, json);
        for place in 1..link.len() {
            for other in ['A', 'x', '_'] {
                let mut damaged: Vec<char> = link.chars().collect();
                if std::mem::replace(&mut damaged[place], other) == other {
                    continue;
                }
                let damaged: String = damaged.into_iter().collect();
                // The last character has bits that belong to no byte.
                if let Ok(read) = read(1, &damaged) {
                    assert!(place == link.len() - 1 && read == json, "{damaged} gives {read}");
                }
            }
            assert!(read(1, &link[..place]).unwrap_err().contains("The link is "), "cut at {place}");
        }
        assert!(read(1, &format!("{}%20", &link[..9])).unwrap_err().contains("character 10 is “%”"));
        assert!(read(1, &format!("{link}AAAA")).unwrap_err().contains("damaged near character"));
    }

    #[test]
    fn versions_are_named() {
        let error = read(1, "2AAAA").unwrap_err();
        assert!(error.contains("newer version") && error.contains("format 2") && error.contains("Reload"), "{error}");
        assert!(read(1, "0AAAA").unwrap_err().contains("begins with 0"));
        assert!(read(1, "1").unwrap_err().contains("incomplete"));
    }

    #[test]
    fn a_short_link_does_not_fill_the_memory() {
        let link = write(1, &" ".repeat(64 << 20));
        assert!(read(1, &link).is_err());
    }
}
