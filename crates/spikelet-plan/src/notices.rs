//! Notices about the models of a network, as far as known before the build.

use spikelet_lang::host::{Leaf, evaluate};
use spikelet_lang::model::{End, Target};
use spikelet_lang::term::{Symbol, Term};
use spikelet_network::{Error, Network, Notice, between_steps, nearest_step, whole};

use super::values::Values;
use crate::check::checked::{self, CheckedProjection};
use crate::check::quantities::{delays, named};
use crate::neurons;
use crate::neurons::ends::EndValues;
use crate::neurons::population::CheckedPopulation;
use crate::neurons::rates;
use crate::neurons::sources::LoweredNetwork;
use crate::pairs::edges::EdgelessContext;

/// Number of neurons of each side between which computed delays are checked.
const PAIRS_LOOKED_AT: u32 = 10;

/// Notices about the models of a network, and whether its neurons have no input.
pub struct ModelNotices {
    /// The notices.
    pub notices: Vec<Notice>,
    /// Only spikes of its own neurons could make a neuron fire that does not fire without input.
    pub is_left_alone: bool,
    /// For each population with a threshold the path of a recording: a variable in the condition.
    pub compared: Vec<(String, String)>,
}

/// Checks the models of a network.
///
/// # Errors
/// It is rejected.
pub fn of_models(network: &Network) -> Result<ModelNotices, Error> {
    let lowered = LoweredNetwork::new(network)?;
    let neurons = neurons::check(&lowered)?;
    let projections = (0..lowered.projections.len()).map(|index| checked::check(&lowered, index, &neurons));
    let projections: Vec<CheckedProjection> = projections.collect::<Result<_, _>>()?;
    let mut notices = Vec::new();
    for (index, of) in neurons.iter().enumerate() {
        notices.extend(rates::notices(of, network, index));
        notices.extend(without_value(network, index, of, &projections));
    }
    for (index, of) in projections.iter().enumerate().take(network.projections.len()) {
        notices.extend(computed_delay(&lowered, index, of)?);
    }
    let is_random = neurons.iter().any(|of| of.model.terms().any(draws));
    let acts_all_the_time = projections.iter().any(|of| !(of.model.summed.is_empty() && of.model.equations.is_empty()));
    let has_times = neurons.iter().any(|of| !of.model.regular.is_empty());
    let is_driven = has_times || !(network.sources.is_empty() && network.changes.is_empty());
    let compared = neurons.iter().zip(&network.populations).filter_map(|(of, population)| {
        let threshold = of.model.threshold.as_ref()?;
        let variable = (0..of.model.variables.len()).find(|variable| threshold.mentions(*variable))?;
        Some((population.name.clone(), of.model.variables[variable].name.clone()))
    });
    let compared = compared.collect();
    Ok(ModelNotices { notices, is_left_alone: !(is_random || acts_all_the_time || is_driven), compared })
}

/// Whether a term uses random numbers.
fn draws(term: &Term) -> bool {
    term.any(|symbol| symbol.is_none())
}

/// Declared variables without a value that nothing changes.
fn without_value(network: &Network, index: usize, of: &CheckedPopulation, projections: &[CheckedProjection]) -> Vec<Notice> {
    let Some(population) = network.populations.get(index) else { return Vec::new() };
    let is_written = |variable: usize| {
        projections.iter().any(|projection| {
            let statements = projection.model.pathways.iter().flat_map(|pathway| &pathway.statements);
            let mut targets = statements.map(|write| &write.target).filter(|_| projection.post == index);
            let is_sum =
                |end: End, name: &String| projection.population(end) == Some(index) && *name == of.model.variables[variable].name;
            let summed = projection.model.summed.iter().any(|sum| is_sum(sum.end, &sum.name));
            summed || targets.any(|target| matches!(target, Target::Add(to) | Target::Post(to) if *to == variable))
        })
    };
    let name = |variable: usize| &of.model.variables[variable].name;
    let is_set = |variable: usize| {
        let path = format!("{}.{}", population.name, name(variable));
        network.changes.iter().any(|change| change.set.contains_key(&path))
    };
    let unset = of.at_rest.iter().filter(|variable| !is_written(**variable) && !is_set(**variable));
    let notice = |variable: &usize| {
        let (path, name) = (format!("{}.parameters.{}", of.path, name(*variable)), name(*variable));
        let sentence = format!("{path} is not set, and nothing changes it: `{name}` stays 0; set it, or remove its declaration");
        Notice::new(path, sentence)
    };
    unset.map(notice).collect()
}

/// A computed delay between two steps.
fn computed_delay(network: &LoweredNetwork<'_>, index: usize, checked: &CheckedProjection) -> Result<Option<Notice>, Error> {
    let projection = &network.projections[index];
    let path = format!("projections[{index}].delay_ms");
    if projection.delay_ms.constants().any(|delay| between_steps(delay, network.dt_ms)) {
        // This is reported for the file itself.
        return Ok(None);
    }
    let edgeless = EdgelessContext { dt: network.dt_ms, projection, ends: EndValues::new(network, index)? };
    let values = delays(network, index, checked, &named(index, checked, &edgeless)?, &edgeless)?;
    let pairs = || (0..PAIRS_LOOKED_AT).flat_map(|i| (0..PAIRS_LOOKED_AT).map(move |j| (f64::from(i), f64::from(j))));
    let of_pair = |term: &Term, (i, j): (f64, f64)| {
        evaluate(term, &mut |leaf| match leaf {
            Leaf::Symbol(Symbol::Index) => i,
            Leaf::Symbol(Symbol::PostIndex) => j,
            _ => f64::NAN,
        })
    };
    let is_between = |delay: &f64| delay.is_finite() && between_steps(*delay, network.dt_ms);
    let between = values.iter().find_map(|values| match values {
        Values::Uniform(delay) => Some(*delay).filter(is_between),
        // Most drawn delays are between steps, as expected.
        Values::Formula(Some(term)) if !draws(term) => pairs().map(|pair| of_pair(term, pair)).find(is_between),
        Values::Each(_) | Values::Formula(_) => None,
    });
    Ok(between.map(|delay| {
        let (delay, taken) = (whole(delay), whole(nearest_step(delay / network.dt_ms) * network.dt_ms));
        let sentence = format!(
            "{path} is {delay} ms, which is not a multiple of dt_ms, {}: each delay is rounded to the nearest step, this one to \
             {taken} ms",
            network.dt_ms
        );
        Notice::new(path, sentence)
    }))
}
