//! A whole epoch, and the next, and the next, as one kernel.

use std::fmt::Write;

use spikelet::Plan;

use super::{Source, Text, shader};
use crate::passes::Kernel;
use crate::sizes::SINGLE_SIZE;

/// The kernel of these passes.
pub(super) fn text(plan: &Plan, kernels: impl Iterator<Item = Kernel>) -> Text {
    let (mut sources, mut own, mut passes): (Vec<Source>, String, String) = Default::default();
    for (number, kernel) in kernels.enumerate() {
        let source = Source::of(plan, kernel);
        let place = sources.iter().position(|known| *known == source).unwrap_or_else(|| {
            own += &marked(&source.own, sources.len());
            own.push('\n');
            sources.push(source);
            sources.len() - 1
        });
        let does = kernel.does();
        // Writing to a String cannot fail.
        let _ = write!(
            passes,
            "        job = job_at({number}u);
        step = epoch_first;
        if ({does}) {{
            work_{place}(lane, WORKGROUP_SIZE);
        }}
        storageBarrier();
"
        );
    }
    let entry = shader!("single").replace("        //# passes\n", &passes);
    Text::new("single", &[own, entry].join("\n"), SINGLE_SIZE)
}

/// A text in which every name that it declares carries a number, so that it can stand beside others.
fn marked(text: &str, number: usize) -> String {
    let declared: Vec<&str> = text.lines().filter_map(declares).collect();
    let mut marked = String::with_capacity(text.len());
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let mut rest = line;
        while let Some(begin) = rest.find(|c: char| c.is_alphabetic() || c == '_') {
            let end = rest[begin..].find(|c: char| !c.is_alphanumeric() && c != '_').map_or(rest.len(), |length| begin + length);
            // A number may end in letters: `64u`.
            let is_name = !rest[..begin].ends_with(|c: char| c.is_ascii_digit());
            marked += &rest[..end];
            if is_name && declared.contains(&&rest[begin..end]) {
                // Writing to a String cannot fail.
                let _ = write!(marked, "_{number}");
            }
            rest = &rest[end..];
        }
        marked += rest;
        marked.push('\n');
    }
    marked
}

/// The name that a line declares for the whole text.
fn declares(line: &str) -> Option<&str> {
    let named = ["fn ", "const ", "var<private> "].iter().find_map(|word| line.strip_prefix(word))?;
    named.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_declared_is_marked() {
        let text = "// work\nconst A: u32 = 64u;\nvar<private> u: u32;\nfn work(id: u32) {\n    let u2 = A + 64u + u.x;\n    other(u);\n}";
        let expected = "const A_3: u32 = 64u;\nvar<private> u_3: u32;\nfn work_3(id: u32) {\n    let u2 = A_3 + 64u + u_3.x;\n    other(u_3);\n}\n";
        assert_eq!(marked(text, 3), expected);
    }
}
