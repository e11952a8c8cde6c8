//! Statements at regular times: `every 1 ms from 100 ms, order 1: v += 1*mV; x = 0`.

use spikelet_network::{Quantity, RunRegularly};

use super::{Line, code, number};

impl Line for RunRegularly {
    const EXAMPLE: &str = "every 10 ms: x = rand()";

    fn line(&self) -> String {
        let every = self.every_ms.as_ref().map_or_else(|| "step".to_owned(), time_text);
        let from = self.start_ms.as_ref().map_or_else(String::new, |start| format!(" from {}", time_text(start)));
        let order = if self.order == 0 { String::new() } else { format!(", order {}", self.order) };
        format!("every {every}{from}{order}: {}", in_one_line(&self.statements))
    }

    fn parse(line: &str, _: &[RunRegularly]) -> Result<RunRegularly, &'static str> {
        let (when, statements) = line.split_once(':').ok_or("a time, `:` and statements")?;
        let when = when.trim().strip_prefix("every").filter(|when| when.is_empty() || when.starts_with(' '));
        let when = when.ok_or("`every` and a time, or `every step`, before `:`")?;
        // A comma before a bracket is one of a computed time.
        let comma = when.rfind(',').filter(|comma| !when[*comma..].contains(')'));
        let (when, order) = match comma.map(|comma| (&when[..comma], &when[comma + 1..])) {
            Some((when, order)) => {
                let order = order.trim().strip_prefix("order ").and_then(|order| order.trim().parse().ok());
                (when, order.ok_or("`order` and a whole number after the comma")?)
            }
            None => (when, 0),
        };
        let (every, start) = match when.split_once(" from ") {
            Some((every, start)) => (every, Some(time(start).ok_or("a time after `from`")?)),
            None => (when, None),
        };
        let every_ms = match every.trim() {
            "step" => None,
            every => Some(time(every).ok_or("a time or `step` after `every`")?),
        };
        let statements = statements.trim();
        if statements.is_empty() {
            return Err("statements after `:`");
        }
        Ok(RunRegularly { every_ms, start_ms: start, statements: statements.to_owned(), order })
    }
}

/// A number is in ms.
fn time_text(time: &Quantity) -> String {
    match time {
        Quantity::Number(ms) => format!("{ms} ms"),
        other => other.text().unwrap_or_else(|| other.to_string()),
    }
}

fn time(text: &str) -> Option<Quantity> {
    let text = text.trim();
    let ms = number(text.strip_suffix("ms").unwrap_or(text));
    (!text.is_empty()).then(|| ms.map_or_else(|| text.into(), Quantity::Number))
}

/// Statements separated by `;`. Those in brackets and after a backslash continue in the next line.
fn in_one_line(statements: &str) -> String {
    let (mut joined, mut open, mut continued) = (String::new(), 0, false);
    for line in code(statements) {
        if !joined.is_empty() {
            joined.push_str(if open > 0 || continued { " " } else { "; " });
        }
        continued = line.ends_with('\\');
        joined.push_str(line.trim_end_matches(['\\', ';', ' ']));
        let count = |brackets: [char; 2]| line.matches(brackets).count() as i32;
        open += count(['(', '[']) - count([')', ']']);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::super::tests::{are_canonical, are_wrong, come_back};
    use super::super::{print, read};
    use super::*;

    #[test]
    fn a_line_has_times_order_and_statements() {
        are_canonical::<RunRegularly>(&[
            "every 10 ms: I = I_0*rand()",
            "every 1 ms from 100 ms, order 1: v += 1*mV; x = 0",
            "every step: x = 1",
            "every step from 0.5 s, order -2: x = 1 if x > 0 else 2",
            "every max(1*ms, 2*ms) from 1e-1*second: x += max(1, 2)",
        ]);
        let found = RunRegularly::parse("every  1e1ms  from 2 ,  order  -1 :x=0 ", &[]);
        let expected =
            RunRegularly { every_ms: Some(10.0.into()), start_ms: Some(2.0.into()), statements: "x=0".into(), order: -1 };
        assert_eq!(found, Ok(expected));
    }

    #[test]
    fn a_wrong_line_is_named_with_what_is_expected() {
        are_wrong::<RunRegularly>(&[
            ("every 10 ms", "`:` and statements"),
            ("evry 10 ms: x = 0", "`every` and a time"),
            ("10 ms: x = 0", "`every` and a time"),
            ("every : x = 0", "a time or `step`"),
            ("every from 1 ms: x = 0", "a time or `step`"),
            ("every 1 ms from , order 1: x = 0", "a time after `from`"),
            ("every 1 ms, first: x = 0", "`order` and a whole number"),
            ("every 1 ms, order 1.5: x = 0", "`order` and a whole number"),
            ("every 1 ms:", "statements after `:`"),
        ]);
    }

    #[test]
    fn what_a_line_does_not_show_stays_until_the_line_is_edited() {
        let of = |every: Option<Quantity>, statements: &str| RunRegularly {
            every_ms: every,
            statements: statements.into(),
            ..RunRegularly::default()
        };
        let entries = [
            of(Some(10.0.into()), "v += 1*mV  # a kick\nx = max(1,\n  2);\n\nu = 1 + \\\n  2"),
            of(Some("10 ms".into()), "x = 0"),
            of(Some(10.0.into()), "x = 0"),
            of(None, "x = 1"),
            of(Some(Quantity::expr("1*ms")), "x = 2"),
        ];
        come_back(&entries[..1]);
        let text = print(&entries);
        assert_eq!(text.lines().next(), Some("every 10 ms: v += 1*mV; x = max(1, 2); u = 1 + 2"));
        assert_eq!(read(&text, &entries).as_deref(), Ok(entries.as_slice()), "also of two equal lines");
        let edited = read(&text.replace("x = 1", "x = 3"), &entries).unwrap();
        assert_eq!((&edited[..3], edited[3].statements.as_str(), &edited[4]), (&entries[..3], "x = 3", &entries[4]));
    }
}
