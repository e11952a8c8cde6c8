//! Checks of functions of one's own, and their values as terms.

use super::{DISTRIBUTIONS, Scope, Type, resolve_as};
use crate::diagnostic::{Diagnostic, Kind, Span};
use crate::own::{FunctionText, MAX_WGSL_ARGUMENTS, OwnFunction, OwnFunctions};
use crate::syntax;
use crate::term::{self, Function, Symbol, Term};

impl OwnFunctions {
    /// Checks functions. The place of an error is a key of the function.
    ///
    /// # Errors
    /// The first error, with the number of the function.
    pub fn check(texts: impl IntoIterator<Item = FunctionText>) -> Result<OwnFunctions, (usize, Diagnostic)> {
        let mut checked = Vec::new();
        for (number, text) in texts.into_iter().enumerate() {
            let function = check(text, &checked).map_err(|diagnostic| (number, diagnostic))?;
            checked.push(function);
        }
        Ok(OwnFunctions(checked.into()))
    }
}

impl OwnFunction {
    /// Its value for arguments, in a text whose other names are those of `caller`; not a number without an expression.
    pub(crate) fn of(&self, arguments: &[Term], functions: &OwnFunctions, caller: &dyn Scope) -> Result<Term, Diagnostic> {
        let Some((text, value)) = self.text.value.as_ref().zip(self.value.as_ref()) else { return Ok(term::number(f64::NAN)) };
        let scope = Body { function: self, arguments, functions, site: &|| caller.site() };
        resolve_as("value", text, value, &scope, self.dimension)
    }
}

/// The scope of the expression of a function: its arguments, and the functions before it.
struct Body<'a> {
    function: &'a OwnFunction,
    arguments: &'a [Term],
    functions: &'a OwnFunctions,
    site: &'a dyn Fn() -> Result<u32, &'static str>,
}

impl Scope for Body<'_> {
    fn name(&self, name: &str, _: (&str, &str, Span)) -> Result<Option<(Term, Type)>, Diagnostic> {
        let number = self.function.text.arguments.get_index_of(name);
        Ok(number.map(|number| (self.arguments[number].clone(), Type::Number(self.function.arguments[number]))))
    }

    fn site(&self) -> Result<u32, &'static str> {
        (self.site)()
    }

    fn functions(&self) -> Option<&OwnFunctions> {
        Some(self.functions)
    }

    fn known(&self) -> Vec<String> {
        self.function.text.arguments.keys().cloned().collect()
    }

    fn elsewhere(&self, name: &str) -> Option<String> {
        ["t", "dt", "i", "j", "N"].contains(&name).then(|| "known where the function is called, and no argument of it".into())
    }
}

fn check(text: FunctionText, before: &[OwnFunction]) -> Result<OwnFunction, Diagnostic> {
    let whole = |of: &str| Span { start: 0, end: of.len() };
    let error = |key: &str, of: &str, message: String| Diagnostic::new(Kind::SyntaxError, key, of, whole(of), message);
    let name = text.name.as_str();
    let is_name = |name: &str| {
        let mut signs = name.chars();
        signs.next().is_some_and(|first| first.is_ascii_alphabetic())
            && signs.all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
    };
    if !is_name(name) {
        return Err(error("name", name, format!("`{name}` is not a name: expected letters, digits and `_`, a letter first.")));
    }
    let built_in = Function::written().map(|known| known.row().name).chain(DISTRIBUTIONS.iter().map(|(known, _)| *known));
    if built_in.chain(["rand", "randn"]).any(|known| known == name) {
        return Err(error("name", name, format!("`{name}` is a function of the language.")).help("Give yours another name."));
    }
    if before.iter().any(|other| other.text.name == name) {
        return Err(error("name", name, format!("there are two functions called `{name}`.")).help("Rename one of them."));
    }
    if let Some(argument) = text.arguments.keys().find(|argument| !is_name(argument)) {
        let message = format!("`{argument}` is not a name: expected letters, digits and `_`, a letter first.");
        return Err(error("arguments", argument, message));
    }
    let unit = |key: &str, unit: &str| {
        let parsed = syntax::parse_unit(unit).map(|unit| unit.dimension);
        parsed.map_err(|found| Diagnostic { place: key.to_owned(), ..found })
    };
    let arguments =
        text.arguments.iter().map(|(name, of)| unit(&format!("arguments.{name}"), of)).collect::<Result<Vec<_>, _>>()?;
    let dimension = unit("unit", &text.unit)?;
    if text.value.is_none() && text.wgsl.is_none() {
        let message = format!("the function `{name}` has no value: expected an expression of its arguments.");
        return Err(error("value", "", message).help("Add for example \"value\": \"x/(1 + x)\"."));
    }
    if let Some(wgsl) = &text.wgsl {
        if arguments.is_empty() || arguments.len() > MAX_WGSL_ARGUMENTS {
            let message =
                format!("`{name}` has {} arguments; a function in WGSL has 1 to {MAX_WGSL_ARGUMENTS}.", arguments.len());
            return Err(error("wgsl", wgsl, message).help("Compute a part of it in the equations, or leave only the `value`."));
        }
        if !wgsl.contains("return") {
            let message = format!("the WGSL of `{name}` returns nothing.");
            return Err(
                error("wgsl", wgsl, message).help("Write statements that end with `return …;`, without `fn` and braces around.")
            );
        }
    }
    let value = text.value.as_deref().map(|value| syntax::parse_expression("value", value)).transpose()?;
    let function = OwnFunction { arguments, dimension, value, text };
    // Its own names and dimensions, before anything calls it.
    let symbols: Vec<Term> = (0..function.arguments.len()).map(|number| term::symbol(Symbol::Variable(number))).collect();
    function.of(&symbols, &OwnFunctions(before.into()), &Anywhere)?;
    Ok(function)
}

/// A caller that has draws, and no names.
struct Anywhere;

impl Scope for Anywhere {
    fn name(&self, _: &str, _: (&str, &str, Span)) -> Result<Option<(Term, Type)>, Diagnostic> {
        Ok(None)
    }

    fn site(&self) -> Result<u32, &'static str> {
        Ok(0)
    }

    fn known(&self) -> Vec<String> {
        Vec::new()
    }
}
