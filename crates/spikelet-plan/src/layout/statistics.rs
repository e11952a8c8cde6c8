//! The statistics of a network.

use spikelet_lang::diagnostic::Span;
use spikelet_lang::{Diagnostic, Dimension, Kind};
use spikelet_network::{Error, Statistic};
use spikelet_rows::Distribution;

use super::recordings::check_unit;
use crate::ProjectionPlan;
use crate::check::checked::CheckedProjection;
use crate::neurons::sources::LoweredNetwork;

/// A statistic of an array of synapses.
#[derive(Debug, Clone, PartialEq)]
pub struct StatisticPlan {
    /// `EE.w`, and `EE.w_2` for the second one of that variable.
    pub label: String,
    /// Unit of the results.
    pub unit: String,
    /// One of that unit in inner units.
    pub factor: f64,
    /// Index of the projection.
    pub projection: usize,
    /// Index of the array in [`StatePlan::arrays`](crate::StatePlan::arrays).
    pub array: usize,
    /// Interval in steps; the first is taken at step 0.
    pub every: u32,
    /// Limits of the bins in the inner unit, one more than bins; empty without a histogram.
    pub edges: Vec<f32>,
}

impl StatisticPlan {
    /// Number of bins.
    pub fn bins(&self) -> usize {
        self.edges.len().saturating_sub(1)
    }

    /// Limits of the bins in the unit of the results.
    pub fn ends(&self) -> impl Iterator<Item = f64> + '_ {
        self.edges.iter().map(|edge| f64::from(*edge) / self.factor)
    }

    /// The distribution in the words of its [array](crate::Owner::Statistic).
    pub fn distribution(&self, words: &[u32]) -> Distribution {
        Distribution::from_words(words, self.factor)
    }

    /// Whether it is due at the start of a step.
    pub fn is_due(&self, step: u32) -> bool {
        step.is_multiple_of(self.every)
    }
}

/// The names of synaptic variables with statistics, which need an array.
pub(crate) fn observed<'a>(statistics: &'a [Statistic], object: &'a str) -> impl Iterator<Item = &'a str> {
    statistics.iter().filter(move |statistic| statistic.object == object).map(|statistic| statistic.var.as_str())
}

/// Checks the statistics of a network with the models of its projections.
pub(crate) fn check<'a>(
    network: &LoweredNetwork<'_>,
    projections: &(impl Iterator<Item = &'a CheckedProjection> + Clone),
) -> Result<(), Error> {
    for (index, statistic) in network.statistics.iter().enumerate() {
        let path = format!("statistics[{index}]");
        let Some(CheckedProjection { model, .. }) = projections.clone().find(|of| of.name == statistic.object) else { continue };
        if model.is_static() {
            let expected = "its synapses have no state: the effect of an event is constant";
            let (path, object) = (format!("{path}.object"), format!("{:?}", statistic.object));
            return Err(Error::invalid(path, object, expected, "name a projection whose synapses have state, or remove it"));
        }
        if model.subexpressions.contains_key(&statistic.var) {
            let expected = "a statistic needs a variable, and this is a subexpression";
            let way_out = "use one of the variables in it";
            return Err(Error::invalid(format!("{path}.var"), format!("{:?}", statistic.var), expected, way_out));
        }
        let variables = || model.dimensions().into_iter().filter(|(name, _)| !model.subexpressions.contains_key(name));
        let Some((_, measured)) = variables().find(|(name, _)| *name == statistic.var) else {
            let known: Vec<String> = variables().map(|(name, _)| name).collect();
            let known = known.iter().map(String::as_str);
            return Err(Error::unknown_name(&format!("{path}.var"), "variable", &statistic.var, known));
        };
        check_unit(statistic.unit.as_deref(), &statistic.var, measured, &path)?;
        edges(statistic, measured, &path)?;
    }
    Ok(())
}

/// The checked statistics of a network.
pub(crate) fn plans(
    network: &LoweredNetwork<'_>,
    projections: &[std::sync::Arc<ProjectionPlan>],
    dimension: &dyn Fn(&str, &str) -> Option<Dimension>,
) -> Result<Vec<StatisticPlan>, Error> {
    let mut plans = Vec::new();
    for (index, statistic) in network.statistics.iter().enumerate() {
        let Statistic { object, var, unit, .. } = statistic;
        let path = format!("statistics[{index}]");
        let Some(projection) = projections.iter().position(|projection| projection.name == *object) else { continue };
        let Some(state) = &projections[projection].state else { continue };
        let Some(array) = state.array(var) else { continue };
        let measured = dimension(object, var).unwrap_or(Dimension::NONE);
        let inner = measured.inner_unit();
        let factor = check_unit(unit.as_deref(), var, measured, &path)?;
        let every = statistic.every_steps(network.dt_ms).unwrap_or(1);
        let edges = edges(statistic, measured, &path)?;
        let same = network.statistics[..index].iter().filter(|other| (&other.object, &other.var) == (object, var)).count();
        let label = if same == 0 { format!("{object}.{var}") } else { format!("{object}.{var}_{}", same + 1) };
        let unit = unit.clone().unwrap_or(inner);
        plans.push(StatisticPlan { label, unit, factor, projection, array, every, edges });
    }
    Ok(plans)
}

/// Limits of the bins of its range.
fn edges(statistic: &Statistic, measured: Dimension, path: &str) -> Result<Vec<f32>, Error> {
    let path = format!("{path}.range");
    let ends = statistic.ends().map_err(|diagnostic| Error::model(&path, vec![diagnostic]))?;
    let (Some(ends), Some(range)) = (ends, &statistic.range) else { return Ok(Vec::new()) };
    for ((_, dimension), written) in ends.iter().zip(range) {
        if let Some(dimension) = dimension.filter(|dimension| *dimension != measured) {
            let text = written.to_string();
            let message = format!("{text} is {dimension}; `{}` is {measured}.", statistic.var);
            let whole = Span { start: 0, end: text.len() };
            let diagnostic = Diagnostic::new(Kind::DimensionMismatch, "range", &text, whole, message);
            let help = match measured.is_none() {
                true => "Use plain numbers for both limits.".to_owned(),
                false => format!("For example, use {} for both limits.", measured.inner_unit()),
            };
            return Err(Error::model(&path, vec![diagnostic.help(help)]));
        }
    }
    let ([(low, _), (high, _)], bins) = (ends, statistic.bins());
    let edge = |k: u32| (low + (high - low) * f64::from(k) / f64::from(bins)) as f32;
    let edges: Vec<f32> = (0..=bins).map(edge).collect();
    if edges.is_sorted_by(|one, next| one < next) && edges.iter().all(|edge| edge.is_finite()) {
        return Ok(edges);
    }
    let expected = format!("{bins} bins must be wider than the last digit of a number, and not extend beyond 3.4e38");
    Err(Error::invalid(path, format!("[{}, {}]", range[0], range[1]), expected, "widen it, or use fewer bins"))
}
