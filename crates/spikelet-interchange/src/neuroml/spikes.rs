//! Sources of spikes.

use spikelet_network::{Error, Quantity, SourceKind};

use super::document::{Document, Element};
use super::quantity::{milliseconds, quantity, text};

/// Maximum number of values of an input: one for each cell, or one for each spike.
const MAX_VALUES: u32 = 20_000_000;

/// The source of a component that is a population of sources.
pub(super) fn source(document: &Document, component: &Element, size: u32, duration_ms: f64) -> Result<Option<SourceKind>, Error> {
    Ok(Some(match document.kind(component) {
        "spikeArray" => each(component, size, &times(component)?)?,
        "spikeGenerator" => {
            let period = milliseconds(component, "period")?;
            if period.is_nan() || period <= 0.0 || duration_ms / period > f64::from(MAX_VALUES) {
                let expected = "a period above 0 is expected, with fewer spikes";
                return Err(component.wrong("period", format_args!("{period} ms"), expected, "use a longer period"));
            }
            // The first spike is after a period.
            let times = (1..).map(|number| f64::from(number) * period).take_while(|time| *time < duration_ms);
            each(component, size, &times.collect::<Vec<_>>())?
        }
        "spikeGeneratorPoisson" => SourceKind::Poisson { size, rate: quantity(component, "averageRate")? },
        "SpikeSourcePoisson" => {
            let rate = text(&quantity(component, "rate")?);
            let [start, duration] = [milliseconds(component, "start")?, milliseconds(component, "duration")?];
            SourceKind::Poisson { size, rate: within(&rate, start, duration) }
        }
        _ => return Ok(None),
    }))
}

/// Sources that all fire at the same times.
fn each(component: &Element, size: u32, times: &[f64]) -> Result<SourceKind, Error> {
    check_values(component, u64::from(size) * times.len() as u64)?;
    let spike_times_ms = (0..size).flat_map(|cell| times.iter().map(move |time| (cell, *time))).collect();
    Ok(SourceKind::Spikes { size, spike_times_ms })
}

/// Rejects a component that would take too much memory.
pub(super) fn check_values(component: &Element, count: u64) -> Result<(), Error> {
    if count <= u64::from(MAX_VALUES) {
        return Ok(());
    }
    let expected = format!("at most {MAX_VALUES} values are possible");
    Err(component.wrong("", format_args!("{count} spikes or inputs"), expected, "make the population smaller"))
}

/// The source of an input that has a synapse of its own.
pub(super) fn spiking(
    document: &Document,
    component: &Element,
    size: u32,
    duration_ms: f64,
) -> Result<Option<SourceKind>, Error> {
    match document.kind(component) {
        "timedSynapticInput" => each(component, size, &times(component)?).map(Some),
        "poissonFiringSynapse" => Ok(Some(SourceKind::Poisson { size, rate: quantity(component, "averageRate")? })),
        "transientPoissonFiringSynapse" => {
            let [delay, duration] = [milliseconds(component, "delay")?, milliseconds(component, "duration")?];
            let rate = text(&quantity(component, "averageRate")?);
            Ok(Some(SourceKind::Poisson { size, rate: within(&rate, delay, duration) }))
        }
        _ => source(document, component, size, duration_ms),
    }
}

/// A rate between two times.
fn within(rate: &str, delay: f64, duration: f64) -> Quantity {
    Quantity::from(format!("{rate}*int(t >= {delay}*ms and t < {}*ms)", delay + duration).as_str())
}

/// The times of the spikes that a component lists.
fn times(component: &Element) -> Result<Vec<f64>, Error> {
    component.all("spike").map(|spike| milliseconds(spike, "time")).collect()
}
