//! Differences that are known, until the simulator is corrected.

use serde_json::Value;

/// A difference that is known.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// What is wrong, in a sentence.
    pub sentence: &'static str,
    /// The comparisons that it makes fail.
    pub comparisons: &'static [&'static str],
    /// Whether a network can show it.
    pub matches: fn(&Value) -> bool,
    /// The smallest network that shows it.
    pub network: &'static str,
}

/// All of them. An entry that no longer differs must be removed: a test says so.
pub const KNOWN: [Known; 3] = [
    Known {
        sentence: "a number just below a whole one is that in f32, and cut off to another integer (rule 8.2)",
        comparisons: &["f64"],
        matches: |network| {
            let populations = || network["populations"].as_array().into_iter().flatten();
            populations().any(|of| of["equations"].to_string().contains(": integer") && of.to_string().contains("tanh"))
        },
        network: r#"{"name": "cut off", "dt_ms": 0.1, "duration_ms": 1.4, "populations": [{"name": "A", "size": 1,
            "equations": "dv/dt = 1/(700*ms) : 1\nn : integer", "run_regularly": [{"statements": "v -= 0.61; n = tanh(v)"}]}]}"#,
    },
    Known {
        sentence: "a number that grows to 2²³ times a divisor has no digit left of its remainder in f32, which may lie outside of its range (docs/precision.md)",
        comparisons: &["f64", "settled"],
        matches: |network| {
            let populations = || network["populations"].as_array().into_iter().flatten();
            let has = |of: &Value, what: &str| of["equations"].to_string().contains(what);
            populations().any(|of| has(of, "%") && has(of, "2.3*v"))
        },
        network: r#"{"name": "remainder", "dt_ms": 0.25, "duration_ms": 7.25, "populations": [{"name": "A", "size": 1,
            "equations": "dv/dt = (1.67 + 2.3*v)/ms : 1\nq1 = v % 0.7 : 1", "threshold": "v > 0.853 and -0.119 < q1 < 0.883"}]}"#,
    },
    Known {
        sentence: "a statistic of a trace stores it once per synapse, which changes roundings in f32 (rule 6.11)",
        comparisons: &["recorded-bits"],
        matches: |network| network.get("statistics").is_some(),
        network: r#"{"name": "statistic", "dt_ms": 0.1, "duration_ms": 0.8, "populations": [{"name": "A", "size": 4,
            "equations": "dv/dt = 1/tau : 1\ndz/dt = 0.07/ms : 1", "threshold": "v > 0.913", "reset": "v = -0.17",
            "run_regularly": [{"statements": "z += 0.17"}], "events": {"ev0": {"condition": "not z <= 0.127"}},
            "parameters": {"tau": {"expr": "0.7*ms"}}}],
            "projections": [{"name": "P", "pre": "A.ev0", "post": "A", "pairs": [[3, 0]],
            "equations": "w : 1\ndx/dt = -x/ms : 1 (event-driven)", "on_pre": "w += 1", "on_post": "x += 1", "delay_ms": 0.5}],
            "statistics": [{"object": "P", "var": "x", "every_ms": 0.8}]}"#,
    },
];

/// The known difference that a network can show in a comparison.
pub fn known(comparison: &str, network: &Value) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.comparisons.contains(&comparison) && (known.matches)(network))
}
