//! What is wrong with the edited network, said beside the text that is wrong.
//!
//! The judge is the engine's own, [`Network::diagnose`]: it is asked about the selected population, alone and with next to no neurons, and
//! about the whole network with all edits; where it finds nothing a [`Plan`] is made, once. Names without a value get one meanwhile, of the
//! dimension they must have, so that the rest is checked too.

mod mistake;

use std::collections::HashMap;

use indexmap::IndexMap;
use spikelet::{BuildOptions, Diagnostic, Error, Estimate, Network, Plan, Population, Quantity};
use spikelet_lang::{Dimension, Kind, quantity, syntax, unit};

use super::infer::{infer, unit_text};
use super::miniature::{alone, miniature};
use super::{Equations, Field, Texts, equations_of, texts::model_of, variables};
use crate::network::flaws::Flaw;
use crate::network::{self, Object};
pub(crate) use mistake::{Mistake, Place, Spot};
use mistake::{elsewhere, mistake, place, plain};

/// Rounds of filling in and asking again: more names than that are defined nowhere only in a text that is none.
const ROUNDS: usize = 64;

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Checked {
    /// In the order found.
    pub(crate) mistakes: Vec<Mistake>,
    /// Where names without a value stand that are no slip of another name.
    pub(crate) asking: Vec<Mistake>,
    /// Names that the texts use and nothing gives a value, with what they must measure where that follows.
    pub(crate) missing: IndexMap<String, Option<Dimension>>,
    /// How the equations will be integrated; nothing for a model without differential equations.
    pub(crate) method: Option<&'static str>,
    /// The variables that can have a value at t = 0 and be recorded, with what they measure.
    pub(crate) variables: Vec<(String, Dimension)>,
    /// Names that the texts declare as parameters, with what they measure.
    pub(crate) declared: IndexMap<String, Dimension>,
    /// Parameters that have a value and are used nowhere.
    pub(crate) unused: Vec<String>,
    /// What is wrong with the network, by field, for the forms.
    pub(crate) flaws: Vec<Flaw>,
    /// How large the network will be; nothing while that cannot be told.
    pub(crate) estimate: Option<Estimate>,
}

impl Checked {
    /// Whether the network can be run.
    pub(crate) fn is_fine(&self) -> bool {
        self.mistakes.is_empty() && self.missing.is_empty()
    }

    /// The mistakes of a place.
    pub(crate) fn at(&self, place: &Place) -> Vec<Mistake> {
        self.mistakes.iter().filter(|mistake| mistake.place == *place).cloned().collect()
    }

    /// What is to be marked in a text.
    pub(crate) fn spots(&self, field: Field) -> Vec<Spot> {
        let here = self.mistakes.iter().chain(&self.asking).filter(|mistake| mistake.place == Place::Field(field));
        here.filter_map(|mistake| mistake.spot.clone()).collect()
    }

    fn add(&mut self, mistake: Mistake) {
        // A letter or two are near to too many names to be a slip of one.
        let is_slip = |spot: &Spot| spot.width > 2 && mistake.help.as_ref().is_some_and(|help| help.starts_with("Did you mean"));
        let asks = mistake.spot.as_ref().is_some_and(|spot| spot.missing && !is_slip(spot));
        let list = if asks { &mut self.asking } else { &mut self.mistakes };
        if !list.contains(&mistake) {
            list.push(mistake);
        }
    }
}

/// Checks the selected population, then the network with all edits.
pub(crate) fn check(equations: &Equations) -> Checked {
    let here = Object::new(network::Kind::Population, equations.selected());
    let (Some(network), Some(population)) = (equations.network(), equations.shown()) else {
        let mut checked = Checked::default();
        check_network(equations, here, &mut checked);
        return checked;
    };
    let mut checked = check_population(network, population, equations.running());
    if let Some(sentence) = size_flaw(&equations.size()) {
        checked.add(plain(Place::Size, sentence));
    }
    checked.flaws = checked.mistakes.iter().map(|mistake| of_form(here, mistake)).collect();
    checked.flaws.extend(checked.missing.keys().map(|name| Flaw {
        object: Some(here),
        key: format!("parameters.{name}"),
        sentence: format!("`{name}` has no value."),
        help: None,
    }));
    check_network(equations, here, &mut checked);
    checked
}

/// Checks what is typed into forms, and the network with all edits.
fn check_network(equations: &Equations, here: Object, checked: &mut Checked) {
    let Some(candidate) = equations.candidate() else { return };
    for (of, key, unread) in equations.all_unread() {
        let sentence = unread.sentence.clone();
        checked.add(plain(Place::Elsewhere, format!("{of}, {key}: {sentence}").trim_start_matches(", ").to_owned()));
        checked.flaws.push(Flaw { object: object_named(&candidate, of), key: key.to_owned(), sentence, help: None });
    }
    for (place, name) in equations.names().into_iter().enumerate().filter(|(place, _)| *place != here.place) {
        if let Some(sentence) = size_flaw(&equations.size_at(place)) {
            checked.add(plain(Place::Elsewhere, format!("Population {name}: {sentence}")));
            let object = Some(Object::new(network::Kind::Population, place));
            checked.flaws.push(Flaw { object, key: "size".into(), sentence, help: None });
        }
    }
    let is_fine = checked.is_fine();
    let mut found = diagnose(&candidate);
    // It asks for a valid network.
    if candidate.validate().is_ok() {
        match Estimate::of(&candidate) {
            Ok(estimate) => checked.estimate = Some(estimate),
            Err(error) => found.extend(error.diagnostics(None)),
        }
    }
    let known = checked.flaws.len();
    for found in found {
        let flaw = Flaw::from(found.clone());
        let is_known = |known: &Flaw| known.object == flaw.object && known.key == flaw.key;
        // What is wrong with the selected population has been said, in the words of its texts.
        if (!is_fine && flaw.object == Some(here)) || checked.flaws[..known].iter().any(is_known) {
            continue;
        }
        checked.add(elsewhere(&candidate, found));
        checked.flaws.push(flaw);
    }
}

/// All that is wrong with a network. Its equations and values are those of the network with next to no neurons.
fn diagnose(network: &Network) -> Vec<Diagnostic> {
    let (mut errors, small): (Vec<Error>, _) = (network.flaws().collect(), miniature(network));
    for error in spikelet::diagnose(&small, BuildOptions::default()) {
        if !errors.iter().any(|known| known.path() == error.path()) {
            errors.push(error);
        }
    }
    // What a value comes to, such as a delay, shows where all the rest holds together.
    if errors.is_empty() {
        errors.extend(Plan::new(&small).err());
    }
    errors.iter().flat_map(|error| error.diagnostics(None)).collect()
}

/// Why a population cannot have this size.
fn size_flaw(size: &str) -> Option<String> {
    let is_one = size.trim().parse::<u32>().is_ok_and(|size| size > 0);
    (!is_one).then(|| format!("`{size}` is no number of neurons; expected 1 or more."))
}

fn object_named(network: &Network, name: &str) -> Option<Object> {
    let all = |kind: network::Kind| (0..kind.count(network)).map(move |place| Object::new(kind, place));
    network::Kind::ALL.into_iter().flat_map(all).find(|object| object.name(network) == Some(name))
}

/// A mistake in the selected population, as its form shows it.
fn of_form(here: Object, mistake: &Mistake) -> Flaw {
    let key = match &mistake.place {
        Place::Field(field) => field.name().to_owned(),
        Place::Method => "method".into(),
        Place::Size => "size".into(),
        Place::Value(name) => format!("parameters.{name}"),
        Place::Initial(name) => format!("initial.{name}"),
        Place::Elsewhere => String::new(),
    };
    Flaw { object: Some(here), key, sentence: mistake.sentence.clone(), help: mistake.help.clone() }
}

fn check_population(network: &Network, population: &Population, running: Option<&Population>) -> Checked {
    let texts = Texts::of(population);
    let mut checked = Checked::default();
    let names = variables(&texts);
    for equation in equations_of(&texts.equations) {
        let dimension = equation.unit.dimension;
        if names.contains(&equation.name) {
            checked.variables.push((equation.name, dimension));
        } else if matches!(equation.kind, syntax::EquationKind::Parameter) {
            checked.declared.insert(equation.name, dimension);
        }
    }
    let mut trial = population.clone();
    trial.parameters.retain(|_, value| !is_blank(value));
    trial.initial.retain(|name, _| names.contains(name) || population.model.is_some());
    let inferred = infer(&texts, &given(population));
    judge(network, trial, &inferred, &mut checked);
    checked.missing.retain(|name, _| population.parameters.get(name).is_none_or(is_blank));
    if population.model.is_none() {
        let used = words(&texts, population);
        let unused = population.parameters.keys().filter(|name| !used.contains(name));
        checked.unused = unused.cloned().collect();
        // What a value must measure is judged by the equations it was asked for; edited equations are judged by the values.
        let is_new =
            |name: &String| running.is_none_or(|running| running.parameters.get(name) != population.parameters.get(name));
        check_values(population, &inferred_without(&texts, population, is_new), &mut checked);
    }
    checked
}

/// Whether nothing was typed yet, or all of it taken away again.
pub(super) fn is_blank(value: &Quantity) -> bool {
    matches!(value, Quantity::Text(text) if text.trim().is_empty())
}

/// Asks what is wrong with the population; mends what can be mended for the moment, and asks again.
fn judge(network: &Network, mut trial: Population, inferred: &HashMap<String, Dimension>, checked: &mut Checked) {
    let stand_in =
        |name: &str| Quantity::from(format!("1*{}", unit_text(inferred.get(name).copied().unwrap_or(Dimension::NONE))).as_str());
    for _ in 0..ROUNDS {
        let small = alone(network, &trial);
        let mut found = spikelet::diagnose(&small, BuildOptions::default());
        if found.is_empty() {
            match Plan::new(&small) {
                Ok(plan) => {
                    checked.method = plan.populations[0].program.method.map(spikelet_lang::Method::name);
                    return;
                }
                Err(error) => found.push(error),
            }
        }
        let mut mended = false;
        // Whether a text itself is wrong, and not what comes of its values.
        let is_of_text = |error: &Error| matches!(error, Error::Model { .. });
        let all = found.iter().flat_map(|error| error.diagnostics(None).into_iter().map(move |found| (found, is_of_text(error))));
        for (found, is_of_text) in all {
            let place = place(&found.path);
            match (&place, undefined(&found)) {
                (Place::Initial(name), _) => mended |= trial.initial.shift_remove(name).is_some(),
                (Place::Value(name), _) if is_of_text && trial.parameters.get(name) != Some(&stand_in(name)) => {
                    trial.parameters.insert(name.clone(), stand_in(name));
                    mended = true;
                }
                (_, Some(missing)) if !trial.parameters.contains_key(&missing) => {
                    trial.parameters.insert(missing.clone(), stand_in(&missing));
                    checked.missing.insert(missing.clone(), inferred.get(&missing).copied());
                    mended = true;
                }
                _ if is_of_text => mended |= leave_out(&mut trial, &place),
                // With made-up values a threshold may well be true after the reset.
                _ if !checked.is_fine() => continue,
                _ => {}
            }
            if !is_about_stand_ins(&found, checked) {
                checked.add(mistake(place, found));
            }
        }
        if !mended {
            return;
        }
    }
}

/// Takes a text that is wrong out of a trial, so that what comes after it is checked too. Nothing goes without equations.
fn leave_out(trial: &mut Population, place: &Place) -> bool {
    let text = match place {
        Place::Field(Field::Threshold) => &mut trial.threshold,
        Place::Field(Field::Reset) => &mut trial.reset,
        Place::Field(Field::Refractory) => &mut trial.refractory,
        Place::Method => &mut trial.method,
        _ => return false,
    };
    text.take().is_some()
}

/// Whether a mistake comes from a stand-in whose dimension is not known.
fn is_about_stand_ins(found: &Diagnostic, checked: &Checked) -> bool {
    let open = |word: &str| checked.missing.get(word).is_some_and(Option::is_none);
    found.code == Kind::DimensionMismatch.name() && found.span.as_ref().is_some_and(|span| words_of(&span.excerpt).any(open))
}

/// The name that is defined nowhere, if giving it a value would help.
fn undefined(found: &Diagnostic) -> Option<String> {
    let span = found
        .span
        .as_ref()
        .filter(|_| [Kind::UndefinedName, Kind::MissingParameterValue].iter().any(|kind| found.code == kind.name()))?;
    let width = span.width?;
    let from = span.excerpt.chars().skip(span.column? - 1);
    let name: String = from.clone().take(width).collect();
    let is_name =
        name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_called = from.skip(width).find(|c| !c.is_whitespace()) == Some('(');
    (is_name && !is_called).then_some(name)
}

/// Values whose dimension is another than the texts need.
fn check_values(population: &Population, needed: &HashMap<String, Dimension>, checked: &mut Checked) {
    for (name, value) in &population.parameters {
        let (Some(text), Some(needed)) = (super::written(value), needed.get(name)) else { continue };
        let Ok((_, found)) = quantity::constant(name, &text) else { continue };
        // A plain number from a file is in inner units where its name is declared.
        if found == *needed || matches!(value, Quantity::Number(_)) || checked.declared.contains_key(name) {
            continue;
        }
        let sentence = format!("`{text}` is {found}; the equations need {needed}.");
        let number = text.trim().parse::<f64>().is_ok();
        let help = number.then(|| format!("Write `{} {}`, say.", text.trim(), unit_text(*needed)));
        // It is said here, once, and not wherever the name is used.
        let is_of_it = |spot: &Spot| words_of(&spot.excerpt).any(|word| word == name);
        checked.mistakes.retain(|mistake| !mistake.spot.as_ref().is_some_and(|spot| !spot.missing && is_of_it(spot)));
        checked.add(Mistake { place: Place::Value(name.clone()), sentence, help, spot: None });
    }
}

/// What parameters must measure for the texts to hold together, whatever they were given.
fn inferred_without(texts: &Texts, population: &Population, which: impl Fn(&String) -> bool) -> HashMap<String, Dimension> {
    let all = given(population);
    let alone = |name: &String| {
        let mut others = all.clone();
        others.remove(name);
        infer(texts, &others).remove(name).map(|dimension| (name.clone(), dimension))
    };
    population.parameters.keys().filter(|name| which(name)).filter_map(alone).collect()
}

/// What the given values measure, as far as each says so itself.
fn given(population: &Population) -> HashMap<String, Dimension> {
    let dimension = |(name, value): (&String, &Quantity)| {
        let dimension = match value {
            Quantity::Values { unit, .. } => {
                unit.as_ref().map_or(Some(Dimension::NONE), |unit| Some(syntax::parse_unit(unit).ok()?.dimension))
            }
            other => quantity::constant(name, &super::written(other)?).ok().map(|(_, dimension)| dimension),
        };
        dimension.map(|dimension| (name.clone(), dimension))
    };
    let model = model_of(population);
    let defaults = model.iter().flat_map(|model| &model.parameters);
    let defaults = defaults.filter_map(|(name, of)| Some((name.clone(), quantity::constant(name, &of.default).ok()?.1)));
    defaults.chain(population.parameters.iter().filter_map(dimension)).collect()
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Every name in the texts, the initial values and the other values, in the order of their first use.
pub(super) fn words(texts: &Texts, population: &Population) -> Vec<String> {
    let code =
        |text: &str| text.lines().map(|line| line.split('#').next().unwrap_or("").to_owned()).collect::<Vec<_>>().join("\n");
    let values = population.initial.values().chain(population.parameters.values()).filter_map(super::written);
    let texts = Field::ALL.into_iter().map(|field| code(field.of(texts))).chain(values);
    let mut words: Vec<String> = Vec::new();
    for text in texts {
        let new = words_of(&text).filter(|word| unit::lookup(word).is_none());
        for word in new {
            if !words.iter().any(|known| known == word) {
                words.push(word.to_owned());
            }
        }
    }
    words
}
