//! Files that other files name: they stay in the folder of the first one.

/// Reads a file by its path relative to the first one; the error says why it cannot be read.
pub type Open<'a> = dyn FnMut(&str) -> Result<Vec<u8>, String> + 'a;

/// A path relative to a file, in the folder of the first one; `None` if it leaves it, or is an address.
pub(crate) fn beside(file: &str, named: &str) -> Option<String> {
    if named.starts_with('/') || named.contains([':', '\\']) {
        return None;
    }
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in named.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_folder() {
        assert_eq!(beside("net.xml", "cells/a.nml").as_deref(), Some("cells/a.nml"));
        assert_eq!(beside("cells/a.nml", "../b.nml").as_deref(), Some("b.nml"));
        for outside in ["../b.nml", "/etc/passwd", "https://example.org/a.nml", "C:\\a.nml", "cells/../../b.nml"] {
            assert_eq!(beside("net.xml", outside), None, "{outside}");
        }
    }
}
