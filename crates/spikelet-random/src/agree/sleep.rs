//! Neurons that sleep, in networks with little activity.

use serde_json::{Value, json};
use spikelet::Network;

use super::bits::base;
use super::{Agreement, ComparisonResult, judge, of, sleeping};
use crate::difference::{Closeness, first};
use crate::run::{Pace, poll, run};

/// Neurons that sleep whenever they can: those of the network, and of the same without input of its own.
pub(super) fn sleep(network: &Network) -> ComparisonResult {
    for network in std::iter::once(network.clone()).chain(quiet(network)) {
        let Ok(base) = base(&network) else { continue };
        for batch in [u32::MAX, 3] {
            let variant = format!("neurons sleep, {batch} steps at a time");
            let other = of(&variant, poll(run(&network, sleeping(1), Pace { batch, ..Pace::default() })))?;
            judge(&variant, first(&network, [&base, &of(&variant, other)?], Closeness::Bits))?;
        }
    }
    Ok(Agreement::Same)
}

/// The network with populations that rest at 0 until a spike arrives: without statements at regular
/// times, initial values, currents and synapses with state.
fn quiet(network: &Network) -> Option<Network> {
    let mut json: Value = serde_json::from_str(&network.to_json()).ok()?;
    for population in json["populations"].as_array_mut()? {
        let keys = population.as_object_mut()?;
        ["run_regularly", "initial", "poisson_input"].iter().for_each(|key| drop(keys.remove(*key)));
        if let Some(current) = keys.get_mut("parameters").and_then(|parameters| parameters.get_mut("I"))
            && current.get("timed").is_none()
        {
            *current = json!("0");
        }
    }
    // Synapses with state meet neurons in each step.
    let names = |json: &Value, key: &str| -> Vec<Value> {
        json[key].as_array().into_iter().flatten().map(|of| of["name"].clone()).collect()
    };
    let without_state = |of: &Value| of.get("equations").is_none() && of.get("plasticity").is_none();
    json.get_mut("projections").and_then(Value::as_array_mut).into_iter().for_each(|all| all.retain(without_state));
    let populations = names(&json, "populations");
    json.get_mut("recordings")
        .and_then(Value::as_array_mut)
        .into_iter()
        .for_each(|all| all.retain(|of| populations.contains(&of["object"])));
    ["changes", "statistics"].iter().for_each(|key| drop(json.as_object_mut().and_then(|keys| keys.remove(*key))));
    Network::from_json(&json.to_string()).ok()
}

#[cfg(test)]
mod tests {
    use spikelet::CpuProfile;

    use super::*;
    use crate::{Campaign, Options};

    /// The comparison compares nothing if no neuron sleeps, or if none that sleeps is woken.
    #[test]
    fn neurons_of_many_random_networks_sleep() {
        let mut campaign = Campaign::new(Options::default(), 1);
        let networks = (0..400).filter_map(|_| campaign.draw()).filter_map(|(_, network)| quiet(&network));
        let (mut sleep, mut fire) = (0, 0);
        for network in networks {
            let profile = CpuProfile::new(|| 0.0);
            profile.measure(true);
            let device = sleeping(1).with_profile(profile.clone());
            let Ok(Ok(seen)) = poll(run(&network, Box::new(device), Pace::default())) else { continue };
            if profile.slept().iter().sum::<u64>() > 0 {
                sleep += 1;
                fire += usize::from(!seen.spikes.is_empty());
            }
        }
        assert!(sleep > 15 && fire > 10, "{sleep} sleep, {fire} of them fire");
    }
}
