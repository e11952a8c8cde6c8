//! Functions: `boltzmann(v: volt, half: volt, k: volt) : 1 = 1/(1 + exp((half - v)/k))`.
//!
//! A line does not show the WGSL of a function. A function that has nothing else is a line without `=`.

use indexmap::IndexMap;
use spikelet_network::CustomFunction;

use super::{Line, code, is_name};

const EXPECTED: &str = "a name, arguments with units in brackets, `:`, the unit of the result, `=` and an expression";

impl Line for CustomFunction {
    const EXAMPLE: &str = "open(v: volt, k: volt) : 1 = 1/(1 + exp(-v/k))";

    fn line(&self) -> String {
        let arguments: Vec<String> = self.arguments.iter().map(|(name, unit)| format!("{name}: {unit}")).collect();
        let value = self.value.as_ref().map(|value| format!(" = {}", code(value).collect::<Vec<_>>().join(" ")));
        format!("{}({}) : {}{}", self.name, arguments.join(", "), self.unit, value.unwrap_or_default())
    }

    fn parse(line: &str, gone: &[CustomFunction]) -> Result<CustomFunction, &'static str> {
        let (name, rest) = line.split_once('(').ok_or(EXPECTED)?;
        let (list, rest) = until_closed(rest).ok_or("`)` after the arguments")?;
        let result = rest.trim_start().strip_prefix(':').ok_or("`:` and the unit of the result after the arguments")?;
        let (unit, value) = match result.split_once('=') {
            Some((unit, value)) => (unit.trim(), Some(value.trim())),
            None => (result.trim(), None),
        };
        if !is_name(name.trim()) {
            return Err(EXPECTED);
        }
        if unit.is_empty() {
            return Err("the unit of the result after `:`, which is 1 for a number");
        }
        if value == Some("") {
            return Err("an expression of the arguments after `=`");
        }
        let mut arguments = IndexMap::new();
        for argument in list.split(',').filter(|_| !list.trim().is_empty()) {
            let (name, unit) = argument.split_once(':').ok_or("a name, `:` and a unit for each argument")?;
            if !is_name(name.trim()) || unit.trim().is_empty() {
                return Err("a name, `:` and a unit for each argument");
            }
            if arguments.insert(name.trim().to_owned(), unit.trim().to_owned()).is_some() {
                return Err("another name for each argument");
            }
        }
        let (name, unit, value) = (name.trim().to_owned(), unit.to_owned(), value.map(str::to_owned));
        let read = CustomFunction { name, arguments, unit, value, wgsl: None };
        let renamed = |of: &&CustomFunction| CustomFunction { name: read.name.clone(), wgsl: None, ..(*of).clone() } == read;
        let before = gone.iter().find(|of| of.name == read.name).or_else(|| gone.iter().find(renamed));
        let wgsl = before.and_then(|of| of.wgsl.clone());
        Ok(CustomFunction { wgsl, ..read })
    }
}

/// The text before the bracket that closes an open one, and the text after it.
fn until_closed(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    let close = text.find(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    })?;
    Some((&text[..close], &text[close + 1..]))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{are_canonical, are_wrong, come_back};
    use super::super::{print, read};
    use super::*;

    #[test]
    fn a_line_has_arguments_with_units_and_a_value() {
        are_canonical::<CustomFunction>(&[
            "boltzmann(v: volt, half: volt, k: volt) : 1 = 1/(1 + exp((half - v)/k))",
            "rate(x: 1/(ms*mV)) : Hz*volt**-1 = x*1 if x >= 2*Hz/volt else 0*Hz/volt",
            "noise() : 1 = randn()",
            "on_gpus(x: 1) : 1",
        ]);
        let found = CustomFunction::parse("f ( x:1,y : volt ):1=x", &[]).unwrap();
        assert_eq!((found.name.as_str(), found.arguments.len(), found.value.as_deref()), ("f", 2, Some("x")));
    }

    #[test]
    fn a_wrong_line_is_named_with_what_is_expected() {
        are_wrong::<CustomFunction>(&[
            ("f", "a name, arguments"),
            ("f = 1", "a name, arguments"),
            ("(x: 1) : 1 = x", "a name, arguments"),
            ("f(x: 1", "`)`"),
            ("f(x: 1) = x", "the unit of the result"),
            ("f(x: 1) : = x", "the unit of the result"),
            ("f(x) : 1 = x", "a unit for each argument"),
            ("f(x:) : 1 = x", "a unit for each argument"),
            ("f(x: 1,) : 1 = x", "a unit for each argument"),
            ("f(x: 1, x: 1) : 1 = x", "another name"),
            ("f(x: 1) : 1 =", "an expression"),
        ]);
    }

    #[test]
    fn wgsl_stays_with_its_function() {
        let of = |line: &str, wgsl: Option<&str>| CustomFunction {
            wgsl: wgsl.map(str::to_owned),
            ..CustomFunction::parse(line, &[]).unwrap()
        };
        let mut entries = [
            of("f(x: 1) : 1 = x + 1", Some("return x + 1.0;")),
            of("g(x: 1) : 1", Some("return x;")),
            of("h(x: 1) : 1 = x", None),
        ];
        entries[2].value = Some("x\n  + 2  # two\n".into());
        come_back(&entries);
        assert_eq!(print(&entries), "f(x: 1) : 1 = x + 1\ng(x: 1) : 1\nh(x: 1) : 1 = x + 2");
        let wgsl = |text: &str| {
            let functions = read(text, &entries).unwrap();
            functions.into_iter().map(|of| of.wgsl.unwrap_or_default()).collect::<Vec<_>>()
        };
        assert_eq!(wgsl("f(x: 1) : 1 = x + 2"), ["return x + 1.0;"], "another value");
        assert_eq!(wgsl("f_2(x: 1) : 1 = x + 1"), ["return x + 1.0;"], "another name");
        assert_eq!(wgsl("k(x: 1) : 1 = x\nf(x: 1) : 1 = x + 1"), ["", "return x + 1.0;"], "one more");
        assert_eq!(wgsl("k(x: volt) : 1 = 2"), [""], "another function");
    }
}
