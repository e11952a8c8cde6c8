//! Lines of a text, one at a time.

use std::io::{BufRead, BufReader, Read};

use super::Reading;
use crate::Error;

/// Maximum length of a line in bytes: a file without line ends must not fill the memory.
const LONGEST: u64 = 1 << 20;

/// Reads line after line into one buffer.
pub(super) struct Lines<'a, R> {
    reading: &'a Reading<'a>,
    source: BufReader<R>,
    buffer: Vec<u8>,
    /// Number of the last line, from 1.
    number: u64,
}

impl<'a, R: Read> Lines<'a, R> {
    pub(super) fn new(reading: &'a Reading<'a>, source: R) -> Self {
        Lines { reading, source: BufReader::with_capacity(1 << 16, source), buffer: Vec::new(), number: 0 }
    }

    /// The next line that is neither blank nor a comment, trimmed, and its number from 1.
    pub(super) fn next(&mut self, comment: char) -> Result<Option<(u64, &str)>, Error> {
        loop {
            self.buffer.clear();
            self.number += 1;
            let mut source = (&mut self.source).take(LONGEST);
            let read = source.read_until(b'\n', &mut self.buffer).map_err(|error| self.reading.unreadable(&error))?;
            if read == 0 {
                return Ok(None);
            }
            let place = || self.reading.line(self.number, None);
            if read as u64 == LONGEST && self.buffer.last() != Some(&b'\n') {
                let expected = format!("a line has at most {LONGEST} bytes");
                return Err(Error::invalid(place(), "a longer line", expected, "write one edge per line"));
            }
            let Ok(line) = std::str::from_utf8(&self.buffer) else {
                let way_out = "save the file as UTF-8, or use the file extension of its format";
                return Err(Error::invalid(place(), "not text", "a line of text is expected", way_out));
            };
            // Some programs write a byte order mark.
            let line = line.trim_start_matches('\u{feff}').trim();
            if !line.is_empty() && !line.starts_with(comment) {
                break;
            }
        }
        // Checked above; the borrow ends there.
        let line = std::str::from_utf8(&self.buffer).ok().map(|line| line.trim_start_matches('\u{feff}').trim());
        Ok(line.map(|line| (self.number, line)))
    }
}
