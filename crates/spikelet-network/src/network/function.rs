//! Functions of one's own.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use spikelet_lang::own::{FunctionText, OwnFunctions};
use spikelet_lang::syntax::{Expr, ExprKind, parse_expression};

use super::json;
use crate::Error;

/// Maximum length of a function when those that it calls are written out.
const MAX_PARTS: f64 = 10_000.0;
/// Maximum number of functions that call each other one after the other: each is written out within the one that calls it.
const MAX_DEPTH: usize = 64;

/// A function that equations of neurons and synapses can call: an expression of its arguments, and the same in WGSL for GPUs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CustomFunction {
    /// Its name in equations.
    pub name: String,
    /// The unit of each argument, in their order: `{"v": "volt", "k": "1"}`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub arguments: IndexMap<String, String>,
    /// The unit of the result.
    pub unit: String,
    /// The result: an expression of the arguments, and of functions before this one. A function without it can only run on GPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What GPUs run instead: statements in WGSL that end with `return`. Arguments and result are f32, in inner units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wgsl: Option<String>,
}

impl super::Network {
    /// Checks the functions of the network.
    ///
    /// # Errors
    /// The errors of the first function that has one.
    pub fn own_functions(&self) -> Result<OwnFunctions, Error> {
        self.check_expansions()?;
        let texts = self.functions.iter().cloned().map(|CustomFunction { name, arguments, unit, value, wgsl }| FunctionText {
            name,
            arguments,
            unit,
            value,
            wgsl,
        });
        OwnFunctions::check(texts).map_err(|(index, diagnostic)| Error::model(&format!("functions[{index}]"), vec![diagnostic]))
    }

    /// Rejects functions that are too long when those that they call are written out, before they are.
    fn check_expansions(&self) -> Result<(), Error> {
        let mut before: HashMap<&str, Expansion> = HashMap::new();
        for (index, function) in self.functions.iter().enumerate() {
            let Some(value) = &function.value else { continue };
            // Errors of the syntax are reported where the functions are read.
            let Ok(value) = parse_expression("value", value) else { continue };
            let expansion = Expansion::of(&value, &function.arguments, &before);
            let parts = expansion.parts();
            if parts > MAX_PARTS {
                let value = format!("{parts:.0} parts long when the functions that it calls are written out");
                let (expected, way_out) = (
                    format!("a function has at most {MAX_PARTS}"),
                    "call fewer functions in it, or compute parts of it as variables",
                );
                return Err(Error::invalid(format!("functions[{index}].value"), value, expected, way_out));
            }
            if expansion.depth > MAX_DEPTH {
                let value = format!("the end of {} calls of functions by each other", expansion.depth);
                let (expected, way_out) =
                    (format!("there can be at most {MAX_DEPTH}"), "write some of them out, or compute parts of it as variables");
                return Err(Error::invalid(format!("functions[{index}].value"), value, expected, way_out));
            }
            before.insert(&function.name, expansion);
        }
        Ok(())
    }
}

/// The length of an expression when the functions that it calls are written out.
struct Expansion {
    /// Operators, numbers, names and calls, without arguments.
    own: f64,
    /// How often each argument occurs.
    arguments: Vec<f64>,
    /// Functions that call each other one after the other.
    depth: usize,
}

impl Expansion {
    /// That of an expression of these arguments and of functions before it. Its effort is that of the text as it is written.
    fn of(expression: &Expr, names: &IndexMap<String, String>, before: &HashMap<&str, Expansion>) -> Expansion {
        let mut whole = Expansion { own: 1.0, arguments: vec![0.0; names.len()], depth: 0 };
        match &expression.kind {
            ExprKind::Number(_) | ExprKind::Boolean(_) => {}
            ExprKind::Name(name) => {
                if let Some(number) = names.get_index_of(name) {
                    (whole.own, whole.arguments[number]) = (0.0, 1.0);
                }
            }
            ExprKind::Unary(_, of) => whole.add(&Expansion::of(of, names, before), 1.0),
            ExprKind::Binary(_, one, other) => {
                [one, other].into_iter().for_each(|of| whole.add(&Expansion::of(of, names, before), 1.0));
            }
            ExprKind::Call(name, given) => {
                let called = before.get(name.as_str());
                for (number, argument) in given.iter().enumerate() {
                    let times = called.and_then(|called| called.arguments.get(number)).copied().unwrap_or(1.0);
                    whole.add(&Expansion::of(argument, names, before), times.max(1.0));
                }
                whole.own += called.map_or(0.0, |called| called.own);
                whole.depth = whole.depth.max(called.map_or(0, |called| called.depth + 1));
            }
        }
        whole
    }

    fn add(&mut self, part: &Expansion, times: f64) {
        self.own += part.own * times;
        self.depth = self.depth.max(part.depth);
        self.arguments.iter_mut().zip(&part.arguments).for_each(|(all, own)| *all += own * times);
    }

    fn parts(&self) -> f64 {
        self.own + self.arguments.iter().sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use crate::{CustomFunction, Network};

    /// Functions of which each calls the one before it as `call` says.
    fn chain(call: &str, count: usize) -> Network {
        let function = |number: usize| CustomFunction {
            name: format!("f{number}"),
            arguments: [("x".to_owned(), "1".to_owned())].into_iter().collect(),
            unit: "1".to_owned(),
            value: Some(if number == 0 { "x + 1".to_owned() } else { call.replace('f', &format!("f{}", number - 1)) }),
            wgsl: None,
        };
        Network { functions: (0..count).map(function).collect(), ..Network::default() }
    }

    #[test]
    fn functions_that_grow_with_a_power_are_rejected_before_they_are_written_out() {
        for call in ["f(x) + f(x*0.5)", "f(f(x))"] {
            chain(call, 8).own_functions().expect("it is short");
            let error = chain(call, 40).own_functions().expect_err("it is long").to_string();
            assert!(
                error.contains("when the functions that it calls are written out, but a function has at most 10000"),
                "{error}"
            );
            assert!(error.contains("functions[") && error.contains("call fewer functions in it"), "{error}");
        }
        // A chain is no power, but may be deep.
        chain("f(x) + 1", 40).own_functions().expect("it is short");
        let error = chain("f(x) + 1", 500).own_functions().expect_err("it is deep").to_string();
        assert!(error.contains("the end of 65 calls of functions by each other, but there can be at most 64"), "{error}");
    }
}
