//! Lists of a network as texts with a line for each entry: statements at regular times, linked variables, recordings, functions, the order of
//! pathways.
//!
//! An entry whose line is not edited stays as it is, with all that a line does not show: lists, WGSL, comments.

mod function;
mod link;
mod order;
mod recording;
mod regular;

/// An entry of such a list.
pub(crate) trait Line: Clone {
    /// A line as an example.
    const EXAMPLE: &str;

    /// Its line.
    fn line(&self) -> String;

    /// Reads a line. `gone` are the entries whose lines are not in the text any more: one of them is what this line was before.
    ///
    /// # Errors
    /// What was expected, as the end of a sentence.
    fn parse(line: &str, gone: &[Self]) -> Result<Self, &'static str>;

    /// A name that no two entries of the list may have.
    fn unique_name(&self) -> Option<&str> {
        None
    }
}

/// The lines of a list.
pub(crate) fn print<T: Line>(entries: &[T]) -> String {
    entries.iter().map(T::line).collect::<Vec<_>>().join("\n")
}

/// Reads a text; `before` is the list until now.
///
/// # Errors
/// The first wrong line, with what was expected.
pub(crate) fn read<T: Line>(text: &str, before: &[T]) -> Result<Vec<T>, String> {
    let lines = || text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty());
    let mut gone: Vec<(String, T)> = before.iter().map(|entry| (entry.line(), entry.clone())).collect();
    let kept: Vec<Option<T>> =
        lines().map(|(_, line)| Some(gone.remove(gone.iter().position(|(of, _)| of == line)?).1)).collect();
    let gone: Vec<T> = gone.into_iter().map(|(_, entry)| entry).collect();
    let mut entries: Vec<T> = Vec::new();
    for ((index, line), kept) in lines().zip(kept) {
        let wrong = |what: &str| format!("Line {}, `{line}`: {what}, for example `{}`.", index + 1, T::EXAMPLE);
        let entry = match kept {
            Some(entry) => entry,
            None => T::parse(line, &gone).map_err(|expected| wrong(&format!("expected {expected}")))?,
        };
        if let Some(name) = entry.unique_name()
            && entries.iter().any(|other| other.unique_name() == Some(name))
        {
            return Err(wrong(&format!("`{name}` has a line already; expected one line for each name")));
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// The lines of a text without comments and blanks.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).filter(|line| !line.is_empty())
}

/// A number, if it is one that JSON can have.
fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// Whether it can be a name: the engine checks the rest.
fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || ".:=[]".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines that are read and printed as they are.
    pub(super) fn are_canonical<T: Line>(lines: &[&str]) {
        for line in lines {
            let entry = T::parse(line, &[]).unwrap_or_else(|expected| panic!("{line}: expected {expected}"));
            assert_eq!(entry.line(), *line);
        }
        assert_eq!(read::<T>(T::EXAMPLE, &[]).map(|entries| print(&entries)), Ok(T::EXAMPLE.to_owned()));
    }

    /// Lines with a part of what is expected instead.
    pub(super) fn are_wrong<T: Line>(lines: &[(&str, &str)]) {
        for (line, expected) in lines {
            let text = format!("{}\n\n {line} ", T::EXAMPLE);
            let error = read::<T>(&text, &[]).err().unwrap_or_else(|| panic!("{line} is read"));
            let named = error.starts_with(&format!("Line 3, `{}`: ", line.trim()));
            assert!(named && error.contains(expected) && error.contains(T::EXAMPLE), "{error}");
        }
    }

    /// Entries that come back from their own text as they are, in any order of the lines.
    pub(super) fn come_back<T: Line + PartialEq + std::fmt::Debug>(entries: &[T]) {
        assert_eq!(read(&print(entries), entries).as_deref(), Ok(entries));
        let mut turned = entries.to_vec();
        turned.reverse();
        assert_eq!(read(&print(&turned), entries), Ok(turned));
    }
}
