//! Errors of the edited network, shown at the text.
//!
//! The engine checks the network: it gets a [`Question`] with all edits, and with the selected population, and its [`Judgement`] is
//! assigned to texts and forms here. Errors known to the page alone, such as invalid texts of fields, are added.

mod mistake;

use indexmap::IndexMap;
use spikelet_js::protocol::{Estimate, Judged, Judgement, Question};
use spikelet_lang::{Dimension, syntax};
use spikelet_network::{Network, Population, texts};

use super::texts::words;
use super::{Equations, Field, Texts, equations_of, variables};
use crate::network::field_errors::FieldError;
use crate::network::{self, Object};
pub(crate) use mistake::{EquationError, PopulationPath, TextPosition};
use mistake::{elsewhere, mistake, plain};

/// The results.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Checked {
    /// In the order found.
    pub(crate) mistakes: Vec<EquationError>,
    /// Positions of names without a value that are not misspelled.
    pub(crate) asking: Vec<EquationError>,
    /// Names in the texts without a value, with their dimensions if they can be inferred.
    pub(crate) missing: IndexMap<String, Option<Dimension>>,
    /// The integration method of the equations; `None` for a model without differential equations.
    pub(crate) method: Option<String>,
    /// The variables with a value at t = 0 that can be recorded, with their dimensions.
    pub(crate) variables: Vec<(String, Dimension)>,
    /// Names that the texts declare as parameters, with their dimensions.
    pub(crate) declared: IndexMap<String, Dimension>,
    /// Parameters with a value that are not used.
    pub(crate) unused: Vec<String>,
    /// Errors of the network by field, for the forms.
    pub(crate) field_errors: Vec<FieldError>,
    /// The size of the network; `None` if it cannot be determined.
    pub(crate) estimate: Option<Estimate>,
}

impl Checked {
    /// Whether the network can run.
    pub(crate) fn is_fine(&self) -> bool {
        self.mistakes.is_empty() && self.missing.is_empty()
    }

    /// The errors of a place.
    pub(crate) fn at(&self, place: &PopulationPath) -> Vec<EquationError> {
        self.mistakes.iter().filter(|mistake| mistake.place == *place).cloned().collect()
    }

    /// The marks in a text.
    pub(crate) fn spots(&self, field: Field) -> Vec<TextPosition> {
        let here = self.mistakes.iter().chain(&self.asking).filter(|mistake| mistake.place == PopulationPath::Field(field));
        here.filter_map(|mistake| mistake.spot.clone()).collect()
    }

    /// Selects another population, without results yet.
    pub(crate) fn turn_to(&mut self, population: Option<&Population>) {
        let (field_errors, estimate) = (std::mem::take(&mut self.field_errors), self.estimate.take());
        *self = Checked { field_errors, estimate, ..Checked::default() };
        if let Some(population) = population {
            self.read(population);
        }
    }

    /// Reads the declarations in the texts of the selected population.
    fn read(&mut self, population: &Population) {
        let texts = Texts::of(population);
        let names = variables(&texts);
        let variables = equations_of(&texts.equations).into_iter().filter(|equation| names.contains(&equation.name));
        self.variables = variables.map(|equation| (equation.name, equation.unit.dimension)).collect();
        self.declared = texts::declared(&texts);
        if population.model.is_none() {
            let used = words(&texts, population);
            self.unused = population.parameters.keys().filter(|name| !used.contains(name)).cloned().collect();
        }
    }

    fn add(&mut self, mistake: EquationError) {
        // Names of one or two letters are similar to too many others.
        let is_slip =
            |spot: &TextPosition| spot.width > 2 && mistake.help.as_ref().is_some_and(|help| help.starts_with("Did you mean"));
        let asks = mistake.spot.as_ref().is_some_and(|spot| spot.missing && !is_slip(spot));
        let list = if asks { &mut self.asking } else { &mut self.mistakes };
        if !list.contains(&mistake) {
            list.push(mistake);
        }
    }
}

/// The question to the engine about the equations; `None` before a network is open.
pub(crate) fn question(equations: &Equations) -> Option<Question> {
    let network = equations.candidate()?;
    let (shown, running) = (equations.shown(), equations.running());
    // The dimension of a value is checked against the equations for which it was entered; edited equations are checked against the values.
    let is_new = |name: &&String| {
        running.is_none_or(|running| running.parameters.get(*name) != shown.and_then(|shown| shown.parameters.get(*name)))
    };
    let typed = shown.into_iter().flat_map(|shown| shown.parameters.keys()).filter(is_new).cloned().collect();
    Some(Question { json: network.to_json(), population: shown.map(|_| equations.selected() as u32), typed })
}

/// The results, from the engine's answer to that question.
pub(crate) fn checked(equations: &Equations, judgement: Judgement) -> Checked {
    let here = Object::new(network::Kind::Population, equations.selected());
    let Judgement { population, network, missing, method, estimate } = judgement;
    let mut checked = Checked { method, estimate, ..Checked::default() };
    if let Some(shown) = equations.shown() {
        checked.read(shown);
        let dimension = |unit: String| Some(syntax::parse_unit(&unit).ok()?.dimension);
        checked.missing = missing.into_iter().map(|of| (of.name, of.unit.and_then(dimension))).collect();
        population.into_iter().map(mistake).for_each(|mistake| checked.add(mistake));
        if let Some(sentence) = size_error(&equations.size()) {
            checked.add(plain(PopulationPath::Size, sentence));
        }
        checked.field_errors = checked.mistakes.iter().map(|mistake| of_form(here, mistake)).collect();
        checked.field_errors.extend(checked.missing.keys().map(|name| FieldError {
            object: Some(here),
            key: format!("parameters.{name}"),
            sentence: format!("`{name}` has no value."),
            help: None,
        }));
    }
    add_network(equations, here, network, &mut checked);
    checked
}

/// Adds invalid texts in forms, and errors of the network with all edits.
fn add_network(equations: &Equations, here: Object, found: Vec<Judged>, checked: &mut Checked) {
    let Some(candidate) = equations.candidate() else { return };
    for (of, key, unread) in equations.all_unread() {
        let sentence = unread.sentence.clone();
        checked.add(plain(PopulationPath::Elsewhere, format!("{of}, {key}: {sentence}").trim_start_matches(", ").to_owned()));
        checked.field_errors.push(FieldError { object: object_named(&candidate, of), key: key.to_owned(), sentence, help: None });
    }
    for (place, name) in equations.names().into_iter().enumerate().filter(|(place, _)| *place != here.place) {
        if let Some(sentence) = size_error(&equations.size_at(place)) {
            checked.add(plain(PopulationPath::Elsewhere, format!("Population {name}: {sentence}")));
            let object = Some(Object::new(network::Kind::Population, place));
            checked.field_errors.push(FieldError { object, key: "size".into(), sentence, help: None });
        }
    }
    let is_fine = checked.is_fine();
    let known = checked.field_errors.len();
    for found in found {
        let field_error = of_recording(&candidate, FieldError::from(found.diagnostic.clone()));
        let is_known = |known: &FieldError| known.object == field_error.object && known.key == field_error.key;
        // Errors of the selected population were already reported for its texts.
        if (!is_fine && field_error.object == Some(here)) || checked.field_errors[..known].iter().any(is_known) {
            continue;
        }
        checked.add(elsewhere(&candidate, found));
        checked.field_errors.push(field_error);
    }
}

/// The error of this size for a population.
fn size_error(size: &str) -> Option<String> {
    let is_one = size.trim().parse::<u32>().is_ok_and(|size| size > 0);
    (!is_one).then(|| format!("`{size}` is not a number of neurons; expected 1 or more."))
}

fn object_named(network: &Network, name: &str) -> Option<Object> {
    let all = |kind: network::Kind| (0..kind.count(network)).map(move |place| Object::new(kind, place));
    network::Kind::ALL.into_iter().flat_map(all).find(|object| object.name(network) == Some(name))
}

/// The error of a recording belongs to the form of its object, with its index among those of this object.
fn of_recording(network: &Network, error: FieldError) -> FieldError {
    let at = error.key.strip_prefix("recordings[").and_then(|rest| {
        let (index, rest) = rest.split_once(']')?;
        Some((index.parse::<usize>().ok()?, rest))
    });
    let found = at.and_then(|(index, rest)| {
        let name = &network.recordings.get(index)?.object;
        let before = network.recordings[..index].iter().filter(|other| other.object == *name).count();
        Some((object_named(network, name)?, format!("recordings[{before}]{rest}")))
    });
    match found {
        Some((object, key)) => FieldError { object: Some(object), key, ..error },
        None => error,
    }
}

/// An error in the selected population, for its form.
fn of_form(here: Object, mistake: &EquationError) -> FieldError {
    let key = match &mistake.place {
        PopulationPath::Field(field) => field.name().to_owned(),
        PopulationPath::Method => "method".into(),
        PopulationPath::Regular(index) => format!("run_regularly[{index}].statements"),
        PopulationPath::Size => "size".into(),
        PopulationPath::Value(name) => format!("parameters.{name}"),
        PopulationPath::Initial(name) => format!("initial.{name}"),
        PopulationPath::Elsewhere => Object::of_path(&mistake.path).map(|(_, key)| key.to_owned()).unwrap_or_default(),
    };
    FieldError { object: Some(here), key, sentence: mistake.sentence.clone(), help: mistake.help.clone() }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Checks with the engine, and waits.
    pub(in crate::equations) fn check(equations: &Equations) -> Checked {
        let judgement = question(equations).map(|question| spikelet_js::judge::judge(&question, None, &|_| None));
        judgement.map(|judgement| checked(equations, judgement)).unwrap_or_default()
    }

    /// Objects and keys of the errors after a change.
    fn keys_after(change: impl FnOnce(&mut Equations)) -> Vec<(Option<Object>, String)> {
        let mut equations = Equations::of(spikelet_network::catalogue::network("cuba", 0.02).expect("cuba"));
        change(&mut equations);
        check(&equations).field_errors.into_iter().map(|of| (of.object, of.key)).collect()
    }

    #[test]
    fn errors_of_lists_are_at_their_fields() {
        let population = Some(Object::new(network::Kind::Population, 0));
        let regular = |every: &str, statements: &str| spikelet_network::RunRegularly {
            every_ms: Some(every.into()),
            statements: statements.into(),
            ..spikelet_network::RunRegularly::default()
        };
        let found =
            keys_after(|equations| equations.run_regularly(vec![regular("1 ms", "v += 1*mV"), regular("1 ms", "v += 1")]));
        assert_eq!(found, [(population, "run_regularly[1].statements".to_owned())]);
        let found = keys_after(|equations| equations.run_regularly(vec![regular("1.05 ms", "v += 1*mV")]));
        assert_eq!(found, [(population, "run_regularly[0].every_ms".to_owned())]);
        let recording = |var: &str, every_ms: f64| spikelet_network::Recording {
            var: var.into(),
            indices: spikelet_network::Indices::All,
            every_ms: Some(every_ms),
            ..spikelet_network::Recording::default()
        };
        let list = vec![recording("v", 1.0), recording("v", 0.05)];
        let found = keys_after(|equations| equations.record_as(Object::new(network::Kind::Population, 1), list));
        assert_eq!(found, [(Some(Object::new(network::Kind::Population, 1)), "recordings[1].every_ms".to_owned())]);
        let link = |population: &str| {
            let link = spikelet_network::Link { population: population.into(), var: "v".into(), index: Some("0".into()) };
            [("v_in".to_owned(), link)].into()
        };
        let found = keys_after(|equations| equations.link(link("I")));
        assert_eq!(found, [(population, "linked.v_in.linked".to_owned())], "there is no such variable");
        let declared = |equations: &mut Equations| {
            let text = Texts::of(equations.shown().expect("E")).equations;
            equations.write(Field::Equations, &format!("{text}\nv_in : volt (linked)"));
        };
        assert_eq!(keys_after(declared), [(population, "linked.v_in".to_owned())], "it is not linked");
        let found = keys_after(|equations| {
            declared(equations);
            equations.link(link("J"));
        });
        assert_eq!(found, [(population, "linked.v_in.population".to_owned())]);
    }

    #[test]
    fn errors_of_functions_are_those_of_the_network() {
        let function = |value: &str| spikelet_network::CustomFunction {
            name: "f".into(),
            arguments: [("x".to_owned(), "volt".to_owned())].into(),
            unit: "1".into(),
            value: Some(value.into()),
            wgsl: None,
        };
        for value in ["x/mV +", "x/unit", "x"] {
            let found = keys_after(|equations| {
                equations.draw(|network| network.functions.push(function(value)));
            });
            assert_eq!(found, [(None, "functions[0].value".to_owned())], "{value}");
        }
    }
}
