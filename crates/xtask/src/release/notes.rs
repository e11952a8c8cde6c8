//! CHANGELOG.md, cut at a version.

use crate::Result;

/// The heading of what is not published yet.
const UNRELEASED: &str = "## Unreleased";

/// The changelog after a release, and what it says of this one.
#[derive(Debug, PartialEq)]
pub(super) struct Cut {
    pub(super) changelog: String,
    pub(super) notes: String,
}

/// Makes a version of what is not published yet.
///
/// # Errors
/// There is nothing, or the version is there already.
pub(super) fn cut(changelog: &str, version: &str, date: &str) -> Result<Cut> {
    if changelog.lines().any(|line| line.starts_with(&format!("## {version} "))) {
        return Err(
            format!("CHANGELOG.md has a version {version} already: the next one needs another number in Cargo.toml").into()
        );
    }
    let (before, rest) =
        changelog.split_once(UNRELEASED).ok_or_else(|| format!("CHANGELOG.md has no heading \"{UNRELEASED}\""))?;
    let (changes, earlier) = match rest.find("\n## ") {
        Some(end) => rest.split_at(end + 1),
        None => (rest, ""),
    };
    let changes = changes.trim();
    if changes.is_empty() {
        return Err(format!("CHANGELOG.md has nothing below \"{UNRELEASED}\"").into());
    }
    let tail = if earlier.is_empty() { String::new() } else { format!("\n{earlier}") };
    Ok(Cut {
        changelog: format!("{before}{UNRELEASED}\n\n## {version} - {date}\n\n{changes}\n{tail}"),
        notes: format!("# Spikelet {version}\n\n{changes}\n"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_becomes_a_version() {
        let text = "# Changelog\n\n## Unreleased\n\n### Part 2\n- b\n\n## 0.1.0 - 2026-01-02\n\n- a\n";
        let after = cut(text, "0.2.0", "2026-03-04").expect("it is cut");
        let expected =
            "# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-03-04\n\n### Part 2\n- b\n\n## 0.1.0 - 2026-01-02\n\n- a\n";
        assert_eq!(after.changelog, expected);
        assert_eq!(after.notes, "# Spikelet 0.2.0\n\n### Part 2\n- b\n");
        let first = cut("## Unreleased\n- a\n", "0.1.0", "2026-01-02").expect("it is cut");
        assert_eq!(first.changelog, "## Unreleased\n\n## 0.1.0 - 2026-01-02\n\n- a\n");
    }

    #[test]
    fn a_version_has_changes_and_is_published_once() {
        let text = "## Unreleased\n\n## 0.1.0 - 2026-01-02\n- a\n";
        for (version, part) in [("0.1.0", "already"), ("0.2.0", "nothing below")] {
            let problem = cut(text, version, "2026-03-04").expect_err(version).to_string();
            assert!(problem.contains(part), "{problem}");
        }
        assert!(cut("", "0.1.0", "2026-03-04").expect_err("no heading").to_string().contains("no heading"));
    }

    #[test]
    fn the_changelog_can_be_cut() {
        cut(include_str!("../../../../CHANGELOG.md"), "999.0.0", "2026-01-02").expect("it has changes");
    }
}
