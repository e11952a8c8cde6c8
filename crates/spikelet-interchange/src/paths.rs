//! Files that other files name: they stay in the folder of the first one, or in the folder of its project.

use std::fmt::Display;

use spikelet_network::Error;

/// Reads a file by its path relative to the folder from which files are read; the error says why it cannot be read.
pub type Open<'a> = dyn FnMut(&str) -> Result<Vec<u8>, String> + 'a;

/// The path of a file that another one names, in the folder from which files are read.
///
/// # Errors
/// Why the path is none: it is absolute, an address, or leaves the folder. The place is added by the caller.
pub(crate) fn beside(file: &str, named: &str, at: impl Display) -> Result<String, Error> {
    let wrong = |expected: &str, way_out: &str| Err(Error::invalid(&at, format_args!("`{named}`"), expected, way_out));
    if named.contains("://") {
        return wrong("files are read from folders, and not from addresses", "download it, and name its path");
    }
    let has_drive = named.as_bytes().get(1) == Some(&b':');
    if named.starts_with('/') || named.starts_with('\\') || has_drive {
        return wrong(
            "an absolute path is that of one machine",
            "write it relative to the file that names it, inside the folder of the project",
        );
    }
    let named_parts = named.replace('\\', "/");
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in named_parts.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return wrong(
                        "files are read inside the folder of the project: that of the first file, or the nearest one above it with `.git`",
                        "name the folder that holds all files with --root",
                    );
                }
            }
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_folder() {
        let beside = |file: &str, named: &str| beside(file, named, "here").map_err(|error| error.to_string());
        assert_eq!(beside("net.xml", "cells/a.nml").as_deref(), Ok("cells/a.nml"));
        assert_eq!(beside("cells/a.nml", "../b.nml").as_deref(), Ok("b.nml"));
        assert_eq!(beside("net.xml", "cells\\a.nml").as_deref(), Ok("cells/a.nml"));
        for (outside, said) in [
            ("../b.nml", "--root"),
            ("cells/../../b.nml", "--root"),
            ("/etc/passwd", "an absolute path"),
            ("C:\\a.nml", "an absolute path"),
            ("https://example.org/a.nml", "addresses"),
        ] {
            let error = beside("net.xml", outside).unwrap_err();
            assert!(error.contains(said) && error.contains(outside), "{outside}: {error}");
        }
    }
}
