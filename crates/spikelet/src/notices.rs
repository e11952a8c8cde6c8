//! Notices: valid but possibly unintended properties of a network.

use std::collections::HashMap;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use spikelet_plan::{ModelNotices, of_models};

use crate::network::{Notice, whole};
use crate::{Cpu, Error, Indices, Network, Recording, Simulation};

/// Maximum number of steps of a trial run of neurons: a fraction of a second.
const MAX_TRIED: f64 = 2e7;
/// Size of a batch of the trial run: steps, and values that are checked.
const STEPS: u32 = 500;
const SAMPLES: u32 = 1 << 20;

/// The notices of a network: times that are rounded to a step, changes after the end of the run, rates that leave their range during the
/// run, variables without a value, neurons that cannot fire. For an invalid network, only those that do not need its equations.
pub fn notices(network: &Network) -> Vec<Notice> {
    let mut notices = network.notices_of_times();
    notices.extend(network.notices_of_files());
    if let Ok(ModelNotices { notices: of_models, is_left_alone, compared }) = of_models(network) {
        notices.extend(of_models);
        if is_left_alone {
            notices.extend(nothing_fires(network, &compared).ok().flatten());
        }
    }
    notices
}

/// Reports that no neuron fires without input, if there is no input. Neurons without input behave the same with and without synapses, so
/// they are run without. `compared` lists variables used in thresholds.
fn nothing_fires(network: &Network, compared: &[(String, String)]) -> Result<Option<Notice>, Error> {
    let steps = network.steps();
    if compared.is_empty() || steps < 1.0 || steps * network.neurons() as f64 > MAX_TRIED {
        return Ok(None);
    }
    let recording = |(object, var): &(String, String)| Recording {
        object: object.clone(),
        var: var.clone(),
        indices: Indices::All,
        ..Recording::default()
    };
    let alone = Network {
        projections: Vec::new(),
        statistics: Vec::new(),
        stop: Vec::new(),
        recordings: compared.iter().map(recording).collect(),
        ..network.clone()
    };
    let Some(highest) = at_once(highest(&alone, steps as u32))? else { return Ok(None) };
    let plural = if highest.len() == 1 { "" } else { "s" };
    let sentence = format!(
        "no neuron fires in all of the {} ms: there is no source, no noise and no change, and without input the neurons stay \
         below their threshold{plural} (at most {}); increase their input, and check its unit",
        whole(network.duration_ms),
        highest.join(", ")
    );
    Ok(Some(Notice::new("populations".to_owned(), sentence)))
}

/// The maximum of each recorded variable, with its unit; `None` if a neuron fires.
async fn highest(network: &Network, steps: u32) -> Result<Option<Vec<String>>, Error> {
    let mut simulation = Simulation::new(network, Box::new(Cpu::new(1))).await?;
    let mut highest = vec![f32::NEG_INFINITY; simulation.plan().channels.len()];
    let at_once = (SAMPLES / highest.len().max(1) as u32).clamp(1, STEPS);
    while simulation.step() < steps {
        let activity = simulation.advance(at_once.min(steps - simulation.step())).await?;
        if !activity.spikes.is_empty() {
            return Ok(None);
        }
        for row in activity.samples.chunks_exact(highest.len().max(1)) {
            highest.iter_mut().zip(row).for_each(|(highest, value)| *highest = highest.max(*value));
        }
    }
    // By variable: the channels of its neurons follow each other, `E.v[0]`, `E.v[1]`.
    let mut of_variables: HashMap<&str, (f32, &str)> = HashMap::new();
    for (channel, value) in simulation.plan().channels.iter().zip(&highest) {
        if let Some((variable, _)) = channel.label.rsplit_once('[') {
            let (highest, _) = of_variables.entry(variable).or_insert((*value, channel.unit.as_str()));
            *highest = highest.max(*value);
        }
    }
    let of_variable = |recording: &Recording| {
        let name = format!("{}.{}", recording.object, recording.var);
        let (value, unit) = of_variables.get(name.as_str())?;
        Some(format!("{name} = {value} {unit}"))
    };
    Ok(Some(network.recordings.iter().filter_map(of_variable).collect()))
}

/// The result of a future that never waits: those of the CPU do not.
fn at_once<T>(future: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => Err(Error::Backend("the CPU waits for something; report this".into())),
    }
}
