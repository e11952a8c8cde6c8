//! The order of pathways: `post: -1`.

use super::{Line, is_name};

/// The name of the pathway, and its place.
impl Line for (String, i32) {
    const EXAMPLE: &str = "post: -1";

    fn line(&self) -> String {
        format!("{}: {}", self.0, self.1)
    }

    fn parse(line: &str, _: &[(String, i32)]) -> Result<(String, i32), &'static str> {
        let found = line.split_once(':').map(|(name, place)| (name.trim(), place.trim().parse()));
        match found {
            Some((name, Ok(place))) if is_name(name) => Ok((name.to_owned(), place)),
            _ => Err("the name of a pathway, `:` and a whole number"),
        }
    }

    fn unique_name(&self) -> Option<&str> {
        Some(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{are_canonical, are_wrong, come_back};

    type Ordered = (String, i32);

    #[test]
    fn a_line_has_a_name_and_a_number() {
        are_canonical::<Ordered>(&["pre: 1", "slow_pre: -12"]);
        are_wrong::<Ordered>(&[
            ("pre", "a whole number"),
            ("pre: first", "a whole number"),
            ("pre: 0.5", "a whole number"),
            (": 1", "the name of a pathway"),
            ("post: 2", "one line for each name"),
        ]);
        come_back(&[("pre".to_owned(), 1), ("post".to_owned(), -1)]);
    }
}
