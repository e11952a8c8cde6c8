//! Suggestions to make a plan fit onto a device.

use spikelet_network::human;

use super::{EdgePlan, PerSynapse, Plan, ProjectionPlan};

/// Number of projections that are named, the largest first.
const NAMED: usize = 3;

impl Plan {
    /// What would reduce the memory on a device with `trials` trials: clauses, in the order of least effect. Only applicable ones are
    /// listed: projections that could be procedural, with their savings; f16 weights; and, if `samples` says that recordings are the larger
    /// part, fewer recordings. The CPU, which has other memory, comes last.
    pub fn ways_to_fit(&self, trials: usize, samples: bool) -> Vec<String> {
        let mut ways = Vec::new();
        if trials > 1 {
            ways.push(format!("run fewer trials in parallel (there are {trials})"));
        }
        let mut drawable: Vec<(u64, &str)> =
            self.projections.iter().filter_map(|projection| saved_by_drawing(projection)).collect();
        drawable.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
        if !drawable.is_empty() {
            let named = drawable.iter().take(NAMED).map(|(bytes, name)| format!("`{name}` ({})", human(*bytes)));
            let more = if drawable.len() > NAMED { format!(" and {} more", drawable.len() - NAMED) } else { String::new() };
            ways.push(format!(
                "set storage to \"procedural\", which stores no synapse, {}{more}",
                named.collect::<Vec<_>>().join(", ")
            ));
        }
        let halved: u64 = self.projections.iter().map(|projection| saved_by_halving(projection)).sum();
        if halved > 0 {
            ways.push(format!("store weights as \"f16\", which saves {}", human(halved)));
        }
        if samples {
            ways.push("record fewer variables".to_owned());
        }
        ways.push("make the network smaller".to_owned());
        ways.push("use the CPU".to_owned());
        ways
    }
}

/// Bytes of the synapses of a projection, if it could be procedural.
fn saved_by_drawing(projection: &ProjectionPlan) -> Option<(u64, &str)> {
    let EdgePlan::Stored(rows) = &projection.edges else { return None };
    let delays = projection.pathways.iter().filter(|pathway| matches!(pathway.delay, PerSynapse::Each(_))).count() as u64;
    let weights = projection.writes().map(|(_, write)| &write.weights).filter(|weights| !weights.is_shared());
    let synapses = 4 * ((1 + delays) * rows.len() as u64 + rows.offsets.len() as u64);
    let bytes = synapses + weights.map(PerSynapse::bytes).sum::<u64>();
    (rows.drawable && !rows.is_empty()).then_some((bytes, projection.name.as_str()))
}

/// Bytes saved by f16 weights of a projection.
fn saved_by_halving(projection: &ProjectionPlan) -> u64 {
    let listed = projection.writes().filter(|(_, write)| matches!(write.weights, PerSynapse::Each(_)));
    listed.map(|(_, write)| write.weights.bytes() / 2).sum()
}

#[cfg(test)]
mod tests {
    use crate::Plan;
    use spikelet_network::Network;

    fn plan(storage: &str) -> Plan {
        let json = format!(
            r#"{{"name": "fit", "dt_ms": 0.1, "duration_ms": 1, "populations": [{{"name": "n", "size": 100, "model": "lif_exp"}}],
            "projections": [
                {{"name": "small", "pre": "n", "post": "n", "connect": {{"rule": "fixed_outdegree", "n": 10}},
                  "storage": "{storage}", "on_pre": "ge_post += 0.1*mV"}},
                {{"name": "large", "pre": "n", "post": "n", "connect": {{"rule": "fixed_outdegree", "n": 20}},
                  "storage": "{storage}", "on_pre": "ge_post += 0.1*mV", "delay_ms": 1}},
                {{"name": "kept", "pre": "n", "post": "n", "connect": {{"rule": "fixed_indegree", "n": 30}},
                  "on_pre": "ge_post += 0.1*mV"}},
                {{"name": "stateful", "pre": "n", "post": "n", "connect": {{"rule": "all"}}, "equations": "x : 1",
                  "on_pre": "x += 1\nge_post += x*mV", "delay_ms": 1}}]}}"#
        );
        let network = Network::from_json(&json).unwrap_or_else(|error| panic!("{error}"));
        Plan::new(&network).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn weights_that_differ_could_be_halved() {
        let ways = |weights: &str| {
            let json = format!(
                r#"{{"name": "fit", "dt_ms": 0.1, "duration_ms": 1, "populations": [{{"name": "n", "size": 64, "model": "lif_exp"}}],
                "projections": [{{"name": "nn", "pre": "n", "post": "n", "connect": {{"rule": "fixed_indegree", "n": 16}},
                    "on_pre": "ge_post += w", "parameters": {{"w": "uniform(0 mV, 1 mV)"}}, "weights": "{weights}"}}]}}"#
            );
            Plan::new(&Network::from_json(&json).unwrap()).unwrap().ways_to_fit(1, false)
        };
        assert_eq!(ways("i32")[0], "store weights as \"f16\", which saves 2.0 KiB");
        assert_eq!(ways("f16").len() + 1, ways("i32").len());
    }

    #[test]
    fn only_what_applies_is_named_and_the_largest_first() {
        let ways = plan("stored").ways_to_fit(4, true);
        let expected = [
            "run fewer trials in parallel (there are 4)",
            // 100 neurons: 20 synapses of a word each, and an offset.
            "set storage to \"procedural\", which stores no synapse, `large` (8.2 KiB), `small` (4.3 KiB)",
            "record fewer variables",
            "make the network smaller",
            "use the CPU",
        ];
        assert_eq!(ways, expected);
        assert_eq!(plan("procedural").ways_to_fit(1, false), ["make the network smaller", "use the CPU"]);
    }
}
