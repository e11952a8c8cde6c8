//! The values below the texts, one row each.

use spikelet_lang::Dimension;
use spikelet_network::Quantity;

use super::check::Checked;
use super::infer::{example, unit_text};
use super::texts::{is_blank, model_of, preset_of, words};
use super::{Equations, Texts, written};

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// The name.
    pub(crate) name: String,
    /// The value as written; `None` for a list, which a field cannot contain.
    pub(crate) text: Option<String>,
    /// An example value; empty if the dimension is unknown.
    pub(crate) example: Option<String>,
    /// Its description or dimension.
    pub(crate) note: String,
    /// Its state.
    pub(crate) state: State,
}

/// The state of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It is set and used.
    Given,
    /// It is used and not set.
    Missing,
    /// It is set and not used.
    Unused,
}

/// The parameters of the shown population, in the order of their use.
pub(crate) fn parameters(equations: &Equations, checked: &Checked) -> Vec<Row> {
    let Some(population) = equations.shown() else { return Vec::new() };
    let library = model_of(population);
    let preset = preset_of(population);
    let row = |name: &str| {
        let of_library = library.as_ref().and_then(|model| model.parameters.get(name));
        let of_preset = || preset.as_ref().and_then(|preset| preset.parameters.get(name));
        let default = of_preset().or(of_library.map(|of| &of.default)).map(|text| Quantity::from(text.as_str()));
        let value = population.parameters.get(name).or(default.as_ref());
        let missing = checked.missing.get(name);
        let needed = missing.copied().flatten().or(checked.declared.get(name).copied());
        let state = match value {
            _ if missing.is_some() => State::Missing,
            None if checked.declared.contains_key(name) => State::Given,
            None => return None,
            Some(_) if checked.unused.iter().any(|unused| unused == name) => State::Unused,
            Some(value) if is_blank(value) => State::Missing,
            Some(_) => State::Given,
        };
        let measured = || value.and_then(measured).or_else(|| default.as_ref().and_then(self::measured));
        let note = match (of_library, state) {
            (Some(of), _) => of.about.clone(),
            (None, State::Unused) => "not used".into(),
            (None, _) => needed.or_else(measured).map(measure).unwrap_or_default(),
        };
        let text = match value {
            Some(value) => written(value),
            None => Some(String::new()),
        };
        let example = needed.or_else(measured).map(example);
        Some(Row { name: name.to_owned(), text, example, note, state })
    };
    let used = words(&Texts::of(population), population);
    let given: Vec<&String> =
        library.iter().flat_map(|model| model.parameters.keys()).chain(population.parameters.keys()).collect();
    let of_library = |name: &String| library.as_ref().is_some_and(|model| model.parameters.contains_key(name));
    // The order of the library is more useful than that of the equations.
    let first = library.iter().flat_map(|model| model.parameters.keys());
    let then = used.iter().filter(|name| !of_library(name)).filter(|name| is_parameter(name, &given, checked));
    let last = population.parameters.keys().filter(|name| !used.contains(name) && !of_library(name));
    first.chain(then).chain(last).filter_map(|name| row(name)).collect()
}

fn is_parameter(name: &String, given: &[&String], checked: &Checked) -> bool {
    given.contains(&name) || checked.missing.contains_key(name) || checked.declared.contains_key(name)
}

/// The variables of the shown population and their values at t = 0.
pub(crate) fn variables(equations: &Equations, checked: &Checked) -> Vec<Row> {
    let Some(population) = equations.shown() else { return Vec::new() };
    let (library, preset) = (model_of(population), preset_of(population));
    let row = |(name, dimension): &(String, Dimension)| {
        let of_preset = || preset.as_ref()?.initial.get(name).cloned();
        let of_library = || of_preset().or_else(|| library.as_ref()?.initial.get(name).cloned());
        let text = match population.initial.get(name) {
            Some(value) => written(value),
            None => Some(of_library().unwrap_or_default()),
        };
        let example = format!("0 {}", if dimension.is_none() { String::new() } else { dimension.inner_unit() });
        Row { name: name.clone(), text, example: Some(example.trim_end().into()), note: measure(*dimension), state: State::Given }
    };
    checked.variables.iter().map(row).collect()
}

/// The dimension of a value, if known.
pub(crate) fn measured(value: &Quantity) -> Option<Dimension> {
    Some(spikelet_lang::quantity::constant("", &written(value)?).ok()?.1)
}

/// The name of a dimension beside a value.
fn measure(dimension: Dimension) -> String {
    let name = dimension.to_string();
    match () {
        () if dimension.is_none() => "number".into(),
        () if name.contains(['·', '^']) => unit_text(dimension),
        () => name,
    }
}

#[cfg(test)]
mod tests {
    use spikelet_network::catalogue;

    use super::super::Field;
    use super::super::check::tests::check;
    use super::*;

    fn brief(rows: &[Row]) -> Vec<(&str, &str, State)> {
        rows.iter().map(|row| (row.name.as_str(), row.text.as_deref().unwrap_or("list"), row.state)).collect()
    }

    #[test]
    fn a_library_model_shows_its_defaults_with_their_meaning() {
        let mut equations = Equations::of(catalogue::network("cuba", 1.0).expect("cuba"));
        equations.set("taum", "10 ms");
        let rows = parameters(&equations, &check(&equations));
        assert_eq!(rows[0].note, "membrane time constant");
        assert_eq!(brief(&rows)[0], ("taum", "10 ms", State::Given));
        assert_eq!(brief(&rows)[1], ("taue", "5 ms", State::Given));
        assert!(equations.shown().is_some_and(|population| population.model.is_some()), "a value makes no model one's own");
        let variables = variables(&equations, &check(&equations));
        assert_eq!(variables.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["v", "ge", "gi"]);
    }

    #[test]
    fn a_value_keeps_its_row_while_it_is_typed() {
        let mut equations = Equations::of(super::super::start::network());
        equations.write(Field::Equations, "dv/dt = (El - v + R*I)/tau_m + kick : volt\nI : amp");
        equations.write(Field::Reset, "v = Vr");
        let before = parameters(&equations, &check(&equations));
        let names = |rows: &[Row]| rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&before), ["El", "R", "I", "tau_m", "kick", "Vt", "Vr", "tau", "tauw", "a", "b"]);
        assert_eq!(brief(&before)[3], ("tau_m", "", State::Missing));
        assert_eq!((before[3].example.as_deref(), before[3].note.as_str()), (Some("20 ms"), "second"));
        assert_eq!(before[9].state, State::Unused);
        let example = |name: &str| before.iter().find(|row| row.name == name).and_then(|row| row.example.as_deref());
        assert_eq!((example("El"), example("R"), example("a")), (Some("-65 mV"), Some("100 Mohm"), Some("10 nS")));
        equations.set("kick", "1");
        let after = parameters(&equations, &check(&equations));
        assert_eq!(names(&after), names(&before));
        assert_eq!(brief(&after)[4], ("kick", "1", State::Given));
    }
}
