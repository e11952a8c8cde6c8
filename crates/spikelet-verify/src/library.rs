//! Networks with every model of the library, to hold two devices against each other.

use serde_json::{Value, json};
use spikelet::lang::library::{self, ModelKind};
use spikelet::{Error, Network};

/// Every cell and source of the library, with each of its presets, 65 neurons of each. Nothing is joined.
///
/// # Errors
/// None, as long as the library's own values hold.
pub fn library_cells() -> Result<Network, Error> {
    let mut populations = Vec::new();
    for model in library::models().filter(|model| model.kind != ModelKind::Synapse) {
        for preset in std::iter::once(None).chain(model.presets.keys().map(Some)) {
            let name = preset.map_or(model.name.clone(), |preset| format!("{}_{preset}", model.name));
            populations.push(json!({"name": name, "size": 65, "model": model.name, "preset": preset}));
        }
    }
    network("cells", &populations, &[])
}

/// Every synapse of the library that acts on its target's lines, each onto cells of its own that have the lines it wants.
///
/// # Errors
/// As [`library_cells`].
pub fn library_synapses() -> Result<Network, Error> {
    let mut populations = vec![json!({"name": "pre", "size": 33, "model": "lif", "preset": "tonic",
        "equations": "I_gap = 0*pA : amp", "initial": {"v": {"expr": "El + rand()*15*mV"}}})];
    let mut projections = Vec::new();
    for model in library::models().filter(|model| model.kind == ModelKind::Synapse) {
        let Some(lines) = model.post() else { continue };
        let mentions = |name: &str| lines.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        let wanted = model.parameters.iter().filter(|(name, _)| mentions(name));
        let parameters: Value = wanted.map(|(name, parameter)| (name.clone(), Value::from(parameter.default.as_str()))).collect();
        let post = format!("onto_{}", model.name);
        populations.push(json!({"name": post, "size": 20, "model": "lif", "preset": "tonic", "equations": lines,
            "parameters": parameters, "initial": {"v": {"expr": "El + rand()*15*mV"}}}));
        projections.push(json!({"name": model.name, "pre": "pre", "post": post, "model": model.name,
            "connect": {"rule": "bernoulli", "p": 0.3}, "delay_ms": {"expr": "rand()*ms"}}));
    }
    network("synapses", &populations, &projections)
}

fn network(name: &str, populations: &[Value], projections: &[Value]) -> Result<Network, Error> {
    let network =
        json!({"name": name, "dt_ms": 0.05, "duration_ms": 100, "populations": populations, "projections": projections});
    Network::from_json(&network.to_string())
}
