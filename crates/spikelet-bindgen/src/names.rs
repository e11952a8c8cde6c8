//! The names of a module's functions: only people read them, so they lie in a file beside it.

use std::fmt::Write;

/// What every module starts with, and its version.
const HEADER: &[u8] = b"\0asm\x01\0\0\0";

/// A module without its section of names, and the names: a line for each function, its number and its name.
///
/// # Errors
/// It is not a module, or its names cannot be read.
pub(crate) fn split(module: &[u8]) -> Result<(Vec<u8>, String), String> {
    let mut rest = module.strip_prefix(HEADER).ok_or("it is not a WebAssembly module of version 1")?;
    let (mut without, mut names) = (HEADER.to_vec(), String::new());
    while let [id, after @ ..] = rest {
        let mut reader = Reader(after);
        let content = reader.bytes()?;
        let section = &rest[..rest.len() - reader.0.len()];
        rest = reader.0;
        match Reader(content).named("name") {
            Some(section) if *id == 0 => names += &functions(section)?,
            _ => without.extend_from_slice(section),
        }
    }
    Ok((without, names))
}

/// The names of functions in the content of the section.
fn functions(mut section: Reader<'_>) -> Result<String, String> {
    /// The part of the section that names functions.
    const FUNCTIONS: u8 = 1;
    let mut lines = String::new();
    while let [part, after @ ..] = section.0 {
        section.0 = after;
        let mut names = Reader(section.bytes()?);
        if *part != FUNCTIONS {
            continue;
        }
        for _ in 0..names.number()? {
            let index = names.number()?;
            let name = String::from_utf8_lossy(names.bytes()?).into_owned();
            writeln!(lines, "{index} {name}").expect("writing to a String cannot fail");
        }
    }
    Ok(lines)
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// A number in LEB128.
    fn number(&mut self) -> Result<usize, String> {
        let mut number = 0;
        for shift in (0..32).step_by(7) {
            let (byte, rest) = self.0.split_first().ok_or("it ends within a number")?;
            self.0 = rest;
            number |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err("a number in it has more than 32 bits".to_owned())
    }

    /// Bytes after their number.
    fn bytes(&mut self) -> Result<&'a [u8], String> {
        let length = self.number()?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or("a part of it is longer than the whole")?;
        self.0 = rest;
        Ok(bytes)
    }

    /// The content of a custom section, if it is named so.
    fn named(mut self, name: &str) -> Option<Reader<'a>> {
        let is_named = self.bytes().is_ok_and(|found| found == name.as_bytes());
        is_named.then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A section with its id and length.
    fn section(id: u8, content: &[u8]) -> Vec<u8> {
        [&[id, u8::try_from(content.len()).expect("short")], content].concat()
    }

    #[test]
    fn names_are_split_off_and_all_else_stays() {
        let other = section(0, b"\x04note\x01");
        let types = section(1, b"\x01\x60\0\0");
        // A local variable's name, in part 2, is not kept.
        let names = section(0, b"\x04name\x01\x0b\x02\0\x03a::\xb0\x01\x03b c\x02\x02\0\0");
        let module = [HEADER, &types, &names, &other].concat();
        // The second number takes two bytes.
        assert!(split(&module).is_err());
        let names = section(0, b"\x04name\x01\x0c\x02\0\x03a::\xb0\x01\x03b c\x02\x02\0\0");
        let module = [HEADER, &types, &names, &other].concat();
        let (without, lines) = split(&module).expect("a module");
        assert_eq!(without, [HEADER, &types, &other].concat());
        assert_eq!(lines, "0 a::\n176 b c\n");
        assert_eq!(split(&without), Ok((without.clone(), String::new())));
    }

    #[test]
    fn what_is_no_module_is_refused() {
        for (bytes, why) in [
            (&b"\0asm\x02\0\0\0"[..], "version 1"),
            (b"\0asm\x01\0\0\0\x01\x05\x01", "longer"),
            (b"\0asm\x01\0\0\0\x01\x80\x80", "ends within"),
            (b"\0asm\x01\0\0\0\x01\xff\xff\xff\xff\xff\x01", "32 bits"),
        ] {
            let problem = split(bytes).expect_err(why);
            assert!(problem.contains(why), "{problem}");
        }
    }
}
