//! Checks of a network that is being edited, with the errors of each field.
//!
//! A network that is being edited lacks values, and one error would hide all others. [`judge`] therefore calls
//! [`diagnose`](crate::diagnose) for the edited population alone, with very few neurons, and temporarily fixes what it can: names without a
//! value get one of the required dimension, an invalid text is removed. Then it repeats. The rest of the network is checked once, as it is.

pub mod miniature;

use std::collections::HashMap;

use indexmap::IndexMap;
use spikelet_lang::{Dimension, Kind, Method, quantity, syntax};
use spikelet_network::texts::infer::{infer, unit_text};
use spikelet_network::texts::{Field, PopulationPath, Texts, declared, is_blank, model_of, variables, words_of, written};
use spikelet_network::{Diagnostic, Error, Network, Population, Quantity};

use crate::{BuildOptions, Estimate, Plan};
use miniature::{alone, miniature};

/// Maximum number of repetitions: more undefined names occur only in a text that is not a model.
const ROUNDS: usize = 64;

/// The results.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// Errors in the equations and values of the edited population, in the order found; including [`undefined`] names.
    pub population: Vec<Diagnostic>,
    /// Errors in the whole network.
    pub network: Vec<Diagnostic>,
    /// Names in the texts of the population without a value, with their dimensions if these can be inferred.
    pub missing: IndexMap<String, Option<Dimension>>,
    /// The integration method of its equations; `None` if it cannot be determined, or without differential equations.
    pub method: Option<&'static str>,
    /// The size of the network; `None` if it cannot be determined.
    pub estimate: Option<Estimate>,
}

/// Checks a network, and the edited population, given by its index. The dimensions of `typed` values are checked against the equations; the
/// equations are checked against all other values.
pub fn judge(network: &Network, population: Option<usize>, typed: &[String]) -> Judgement {
    let edited = population.and_then(|place| Some((place, network.populations.get(place)?)));
    let mut judgement = edited.map(|(place, edited)| judge_population(network, place, edited, typed)).unwrap_or_default();
    judgement.network = judge_network(network);
    // The size needs a valid network.
    if network.validate().is_ok() {
        match Estimate::of(network) {
            Ok(estimate) => judgement.estimate = Some(estimate),
            Err(error) => {
                let new = error.diagnostics(None).into_iter().filter(|found| !judgement.network.contains(found));
                let new: Vec<Diagnostic> = new.collect();
                judgement.network.extend(new);
            }
        }
    }
    judgement
}

/// The undefined name, if a value for it would fix the error.
pub fn undefined(found: &Diagnostic) -> Option<String> {
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

/// All errors in a network. Its equations and values are checked with very few neurons.
fn judge_network(network: &Network) -> Vec<Diagnostic> {
    let (mut errors, small): (Vec<Error>, _) = (network.errors().collect(), miniature(network));
    for error in crate::diagnose(&small, BuildOptions::default()) {
        if !errors.iter().any(|known| known.path() == error.path()) {
            errors.push(error);
        }
    }
    // Computed values, such as delays, are checked if there are no other errors.
    if errors.is_empty() {
        errors.extend(Plan::new(&small).err());
    }
    errors.iter().flat_map(|error| error.diagnostics(None)).collect()
}

fn judge_population(network: &Network, place: usize, population: &Population, typed: &[String]) -> Judgement {
    let texts = Texts::of(population);
    let mut judgement = Judgement::default();
    let names = variables(&texts);
    let mut trial = population.clone();
    trial.parameters.retain(|_, value| !is_blank(value));
    trial.initial.retain(|name, _| names.contains(name) || population.model.is_some());
    judge_trial(network, trial, &infer(&texts, &given(population)), &mut judgement);
    judgement.missing.retain(|name, _| population.parameters.get(name).is_none_or(is_blank));
    if population.model.is_none() {
        judge_values(population, &texts, &inferred_without(&texts, population, typed), &mut judgement);
    }
    for found in &mut judgement.population {
        if let Some(key) = found.path.strip_prefix("populations[0]") {
            found.path = format!("populations[{place}]{key}");
        }
    }
    judgement
}

/// Checks the population, fixes temporarily what it can, and repeats.
fn judge_trial(network: &Network, mut trial: Population, inferred: &HashMap<String, Dimension>, judgement: &mut Judgement) {
    let stand_in =
        |name: &str| Quantity::from(format!("1*{}", unit_text(inferred.get(name).copied().unwrap_or(Dimension::NONE))).as_str());
    for _ in 0..ROUNDS {
        let small = alone(network, &trial);
        let mut found = crate::diagnose(&small, BuildOptions::default());
        if found.is_empty() {
            match Plan::new(&small) {
                Ok(plan) => {
                    judgement.method = plan.populations[0].program.method.map(Method::name);
                    return;
                }
                Err(error) => found.push(error),
            }
        }
        let mut mended = false;
        // Whether the text itself is invalid, and not its values.
        let is_of_text = |error: &Error| matches!(error, Error::Model { .. });
        let all = found.iter().flat_map(|error| error.diagnostics(None).into_iter().map(move |found| (found, is_of_text(error))));
        // Errors of functions are those of the network.
        let all = all.filter(|(found, _)| !found.path.starts_with("functions["));
        for (found, is_of_text) in all {
            match (PopulationPath::of_path(&found.path), undefined(&found)) {
                (PopulationPath::Initial(name), _) => mended |= trial.initial.shift_remove(&name).is_some(),
                // A model of the library has a default.
                (PopulationPath::Value(name), _) if is_of_text && trial.model.is_some() => {
                    mended |= trial.parameters.shift_remove(&name).is_some();
                }
                (PopulationPath::Value(name), _) if is_of_text && trial.parameters.get(&name) != Some(&stand_in(&name)) => {
                    let value = stand_in(&name);
                    trial.parameters.insert(name, value);
                    mended = true;
                }
                (_, Some(missing)) if !trial.parameters.contains_key(&missing) => {
                    trial.parameters.insert(missing.clone(), stand_in(&missing));
                    judgement.missing.insert(missing.clone(), inferred.get(&missing).copied());
                    mended = true;
                }
                (place, _) if is_of_text => mended |= disable_text(&mut trial, &place),
                // With placeholder values a threshold may be true after the reset.
                _ if !judgement.population.is_empty() || !judgement.missing.is_empty() => continue,
                _ => {}
            }
            if !concerns_placeholder(&found, judgement) && !judgement.population.contains(&found) {
                judgement.population.push(found);
            }
        }
        if !mended {
            return;
        }
    }
}

/// Removes an invalid text, so that the following ones are checked too. Equations are required.
fn disable_text(trial: &mut Population, place: &PopulationPath) -> bool {
    let text = match place {
        PopulationPath::Field(Field::Threshold) => &mut trial.threshold,
        PopulationPath::Field(Field::Reset) => &mut trial.reset,
        PopulationPath::Field(Field::Refractory) => &mut trial.refractory,
        PopulationPath::Method => &mut trial.method,
        // All of them, so that no others take the places of the removed ones.
        PopulationPath::Regular(_) => return !std::mem::take(&mut trial.run_regularly).is_empty(),
        _ => return false,
    };
    text.take().is_some()
}

/// Whether an error is caused by a placeholder of unknown dimension.
fn concerns_placeholder(found: &Diagnostic, judgement: &Judgement) -> bool {
    let open = |word: &str| judgement.missing.get(word).is_some_and(Option::is_none);
    found.code == Kind::DimensionMismatch.name() && found.span.as_ref().is_some_and(|span| words_of(&span.excerpt).any(open))
}

/// Values with another dimension than the texts require.
fn judge_values(population: &Population, texts: &Texts, needed: &HashMap<String, Dimension>, judgement: &mut Judgement) {
    let declared = declared(texts);
    for (name, value) in &population.parameters {
        let (Some(text), Some(needed)) = (written(value), needed.get(name)) else { continue };
        let Ok((_, found)) = quantity::constant(name, &text) else { continue };
        // A plain number from a file is in inner units if its name is declared.
        if found == *needed || matches!(value, Quantity::Number(_)) || declared.contains_key(name) {
            continue;
        }
        let number = text.trim().parse::<f64>().is_ok();
        // Reported here once, and not at every use of the name.
        let is_of_it = |found: &Diagnostic| {
            let span = found.span.as_ref().filter(|_| undefined(found).is_none());
            span.is_some_and(|span| words_of(&span.excerpt).any(|word| word == name))
        };
        judgement.population.retain(|found| !is_of_it(found));
        judgement.population.push(Diagnostic {
            code: Kind::DimensionMismatch.name(),
            is_error: true,
            path: format!("populations[0].parameters.{name}"),
            span: None,
            message: format!("`{text}` is {found}; the equations need {needed}."),
            help: number.then(|| format!("For example `{} {}`.", text.trim(), unit_text(*needed))),
        });
    }
}

/// The dimensions of parameters required by the texts, independent of their values.
fn inferred_without(texts: &Texts, population: &Population, which: &[String]) -> HashMap<String, Dimension> {
    let all = given(population);
    let alone = |name: &String| {
        let mut others = all.clone();
        others.remove(name);
        infer(texts, &others).remove(name).map(|dimension| (name.clone(), dimension))
    };
    population.parameters.keys().filter(|name| which.contains(name)).filter_map(alone).collect()
}

/// The dimensions of the given values, if known.
fn given(population: &Population) -> HashMap<String, Dimension> {
    let dimension = |(name, value): (&String, &Quantity)| {
        let dimension = match value {
            Quantity::Values { unit, .. } => {
                unit.as_ref().map_or(Some(Dimension::NONE), |unit| Some(syntax::parse_unit(unit).ok()?.dimension))
            }
            other => quantity::constant(name, &written(other)?).ok().map(|(_, dimension)| dimension),
        };
        dimension.map(|dimension| (name.clone(), dimension))
    };
    let model = model_of(population);
    let defaults = model.iter().flat_map(|model| &model.parameters);
    let defaults = defaults.filter_map(|(name, of)| Some((name.clone(), quantity::constant(name, &of.default).ok()?.1)));
    defaults.chain(population.parameters.iter().filter_map(dimension)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use spikelet_network::{RunRegularly, catalogue};

    #[test]
    fn paths_are_those_of_the_network() {
        let mut network = catalogue::network("cuba", 0.02).unwrap();
        let mut cell = Population { name: "I".into(), size: 64, ..Population::default() };
        cell.equations = Some("dv/dt = (E - v)/tau : volt".into());
        (cell.threshold, cell.reset) = (Some("v > 1*nA".into()), Some("v = 0*mV".into()));
        cell.parameters.insert("tau".into(), "20 mV".into());
        network.populations[1] = cell;
        let found = judge(&network, Some(1), &["tau".to_owned()]);
        let paths: Vec<&str> = found.population.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(
            paths,
            ["populations[1].equations", "populations[1].threshold", "populations[1].parameters.tau"],
            "{:?}",
            found.population
        );
        assert_eq!(found.missing.keys().collect::<Vec<_>>(), ["E"]);
        assert!(!found.network.is_empty());
        assert_eq!(judge(&network, Some(7), &[]).population, []);
    }

    /// What stands in for a wrong value is not reported.
    #[test]
    fn a_wrong_value_of_a_model_is_one_error() {
        let mut network = catalogue::network("cuba", 0.02).unwrap();
        for (value, said) in
            [("20 mV", "\"20 mV\" is a voltage; `taum` must be a time, such as 5 ms."), ("NaN", "`NaN` is not a finite number.")]
        {
            network.populations[0].parameters.insert("taum".into(), value.into());
            let found = judge(&network, Some(0), &[]).population;
            assert_eq!(found.iter().map(|found| found.message.as_str()).collect::<Vec<_>>(), [said]);
        }
    }

    /// Statements of regular times have errors of their own, and tell dimensions.
    #[test]
    fn statements_of_regular_times_are_judged() {
        let mut network = catalogue::network("cuba", 0.02).unwrap();
        let mut cell = Population { name: "I".into(), size: 64, ..Population::default() };
        cell.equations = Some("v : volt\nu : 1".into());
        let regular = |statements: &str| RunRegularly { statements: statements.into(), ..RunRegularly::default() };
        cell.run_regularly = vec![regular("v += kick"), regular("u = v"), regular("u += 1*mV")];
        network.populations[1] = cell;
        let found = judge(&network, Some(1), &[]);
        assert_eq!(found.missing.get("kick"), Some(&Some(Dimension::VOLTAGE)), "{:?}", found.missing);
        let paths: Vec<&str> = found.population.iter().map(|found| found.path.as_str()).collect();
        let expected = [0, 1, 2].map(|index| format!("populations[1].run_regularly[{index}].statements"));
        assert_eq!(paths, expected, "{:?}", found.population);
        assert_eq!(PopulationPath::of_path(paths[2]), PopulationPath::Regular(2));
    }

    #[test]
    fn a_network_that_is_in_order_has_a_method_and_a_size() {
        let network = catalogue::network("cuba", 1.0).unwrap();
        let found = judge(&network, Some(0), &[]);
        assert_eq!((&found.population, &found.network, found.method), (&vec![], &vec![], Some("exact")));
        assert_eq!(found.estimate.map(|of| of.neurons), Some(4000));
    }
}
