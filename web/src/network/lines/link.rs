//! Linked variables: `v_in = A.v[i//10]`.

use spikelet_network::{Link, Quantity};

use super::{Line, is_name, number};

/// In place of a list of indices, which is in the JSON.
const LISTED: &str = "…";

/// The name of the variable, and what it is linked to.
impl Line for (String, Link) {
    const EXAMPLE: &str = "v_in = A.v[i//10]";

    fn line(&self) -> String {
        let (name, Link { population, var, index }) = self;
        let index = index.as_ref().map(|index| index.text().unwrap_or_else(|| LISTED.to_owned()));
        let index = index.map_or_else(String::new, |index| format!("[{index}]"));
        format!("{name} = {population}.{var}{index}")
    }

    fn parse(line: &str, gone: &[(String, Link)]) -> Result<(String, Link), &'static str> {
        let (name, source) = line.split_once('=').ok_or("a name, `=`, a population, `.` and a variable")?;
        let (source, index) = match source.split_once('[') {
            Some((source, index)) => (source, Some(index.trim_end().strip_suffix(']').ok_or("`]` after the index")?.trim())),
            None => (source, None),
        };
        let (population, var) = source.split_once('.').ok_or("a population, `.` and a variable after `=`")?;
        let [name, population, var] = [name, population, var].map(str::trim);
        if ![name, population, var].into_iter().all(is_name) {
            return Err("a name, `=`, a population, `.` and a variable");
        }
        let index = match index {
            None => None,
            Some("") => return Err("an index between `[` and `]`"),
            Some(LISTED) => {
                let before = gone.iter().find(|(of, _)| of == name).and_then(|(_, link)| link.index.clone());
                Some(before.ok_or("an index: a list is written in the JSON")?)
            }
            Some(index) => Some(number(index).map_or_else(|| index.into(), Quantity::Number)),
        };
        Ok((name.to_owned(), Link { population: population.to_owned(), var: var.to_owned(), index }))
    }

    fn unique_name(&self) -> Option<&str> {
        Some(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{are_canonical, are_wrong, come_back};
    use super::super::{print, read};
    use super::*;

    type Named = (String, Link);

    #[test]
    fn a_line_has_a_source_and_an_index() {
        are_canonical::<Named>(&["v_in = A.v[i//10]", "v_in = A.v", "w = A.v[3]", "w = A.v[int(rand()*N)]"]);
        let link = Link { population: "A".into(), var: "v".into(), index: Some(3.0.into()) };
        assert_eq!(Named::parse(" w=A . v [ 3 ]", &[]), Ok(("w".into(), link)));
    }

    #[test]
    fn a_wrong_line_is_named_with_what_is_expected() {
        are_wrong::<Named>(&[
            ("w", "`=`"),
            ("w = A", "a population, `.` and a variable"),
            ("w = .v", "a population, `.` and a variable"),
            ("= A.v", "a name"),
            ("w x = A.v", "a name"),
            ("w = A.v[i", "`]`"),
            ("w = A.v[]", "an index"),
            ("w = A.v[…]", "in the JSON"),
            ("v_in = B.v", "one line for each name"),
        ]);
    }

    #[test]
    fn a_list_stays_as_long_as_its_name() {
        let list = Quantity::Values { values: vec![2.0, 0.0], unit: None };
        let link = |index| Link { population: "A".into(), var: "v".into(), index };
        let entries = [("v_in".into(), link(Some(list.clone()))), ("w".into(), link(Some(Quantity::expr("i//2"))))];
        assert_eq!(print(&entries), "v_in = A.v[…]\nw = A.v[i//2]");
        come_back(&entries);
        let edited = read("v_in = B.u[…]", &entries).unwrap();
        let expected = Link { population: "B".into(), var: "u".into(), index: Some(list) };
        assert_eq!(edited, [("v_in".to_owned(), expected)]);
    }
}
