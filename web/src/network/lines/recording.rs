//! Recordings of an object: `v[0,400,799]`, `mean(v[0:100]) every 1 ms in mV`.

use spikelet_network::{Aggregate, Indices, Recording};

use super::{Line, is_name, number};

impl Line for Recording {
    const EXAMPLE: &str = "mean(v[0:100]) every 1 ms";

    fn line(&self) -> String {
        let variable = format!("{}[{}]", self.var, self.indices);
        let recorded = self.reduce.map_or_else(|| variable.clone(), |reduce| format!("{reduce}({variable})"));
        let every = self.every_ms.map_or_else(String::new, |every_ms| format!(" every {every_ms} ms"));
        let unit = self.unit.as_ref().map_or_else(String::new, |unit| format!(" in {unit}"));
        format!("{recorded}{every}{unit}")
    }

    fn parse(line: &str, _: &[Recording]) -> Result<Recording, &'static str> {
        let (rest, unit) = match line.split_once(" in ") {
            Some((rest, unit)) => (rest, Some(unit.trim().to_owned())),
            None => (line, None),
        };
        let (recorded, every_ms) = match rest.split_once(" every ") {
            Some((recorded, every)) => {
                let ms = every.trim().strip_suffix("ms").and_then(number);
                (recorded.trim(), Some(ms.ok_or("a time in ms after `every`")?))
            }
            None => (rest.trim(), None),
        };
        let (variable, reduce) = match recorded.split_once('(') {
            Some((word, rest)) => {
                let reduce = match word.trim() {
                    "mean" => Aggregate::Mean,
                    "sum" => Aggregate::Sum,
                    _ => return Err("`mean` or `sum` before `(`"),
                };
                (rest.trim_end().strip_suffix(')').ok_or("`)` after the variable")?.trim(), Some(reduce))
            }
            None => (recorded, None),
        };
        let (var, indices) = match variable.split_once('[') {
            Some((var, rest)) => (var.trim(), indices(rest.trim_end().strip_suffix(']').ok_or("`]` after the indices")?)?),
            None => (variable, Indices::All),
        };
        if !is_name(var) || var.contains(')') {
            return Err("the name of a variable");
        }
        Ok(Recording { object: String::new(), var: var.to_owned(), indices, reduce, every_ms, unit })
    }
}

/// Those between brackets.
fn indices(text: &str) -> Result<Indices, &'static str> {
    const EXPECTED: &str = "`:` for all, a slice such as `0:100`, or indices such as `0,5,7` between `[` and `]`";
    let index = |text: &str| text.trim().parse::<u32>().map_err(|_| EXPECTED);
    match text.split_once(':') {
        Some((from, to)) if from.trim().is_empty() && to.trim().is_empty() => Ok(Indices::All),
        Some((from, to)) => {
            let slice = index(from)?..index(to)?;
            if slice.is_empty() { Err("a slice whose end is behind its start") } else { Ok(Indices::Slice(slice)) }
        }
        None => text.split(',').map(index).collect::<Result<_, _>>().map(Indices::List),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{are_canonical, are_wrong, come_back};
    use super::*;

    #[test]
    fn a_line_has_indices_a_reduction_an_interval_and_a_unit() {
        are_canonical::<Recording>(&[
            "v[:]",
            "v[0,400,799]",
            "v[0:100] every 0.5 ms",
            "mean(v[0:100]) every 1 ms in mV",
            "sum(near[:]) in nA",
        ]);
        let found = Recording::parse(" mean ( v [ 0 : 100 ] )  every  1ms  in  mV ", &[]);
        let expected = Recording {
            var: "v".into(),
            indices: Indices::Slice(0..100),
            reduce: Some(Aggregate::Mean),
            every_ms: Some(1.0),
            unit: Some("mV".into()),
            ..Recording::default()
        };
        assert_eq!(found, Ok(expected));
        assert_eq!(Recording::parse("v", &[]).map(|of| of.indices), Ok(Indices::All));
    }

    #[test]
    fn a_wrong_line_is_named_with_what_is_expected() {
        are_wrong::<Recording>(&[
            ("v[0:100", "`]`"),
            ("v[100:0]", "behind its start"),
            ("v[0,x]", "`0:100`"),
            ("v[]", "`0,5,7`"),
            ("mean(v", "`)`"),
            ("median(v)", "`mean` or `sum`"),
            ("v every 1", "a time in ms"),
            ("v every now", "a time in ms"),
            ("v w", "the name of a variable"),
        ]);
    }

    #[test]
    fn what_a_line_does_not_show_stays() {
        let of =
            |var: &str| Recording { object: "E".into(), var: var.into(), indices: vec![0, 1].into(), ..Recording::default() };
        come_back(&[of("v"), of("w")]);
    }
}
