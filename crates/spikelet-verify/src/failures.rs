//! Networks that are rejected, runs that fail, and their errors: tested natively and in a browser.

/// A network that cannot be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedNetwork {
    /// What is read as its JSON.
    pub json: String,
    /// The code of the failure in the npm package.
    pub failure: &'static str,
    /// The code of its first diagnostic, which may be finer.
    pub diagnostic: &'static str,
    /// The JSON path of the error; empty for the network as a whole.
    pub path: &'static str,
    /// A part of the message.
    pub message: &'static str,
}

/// A network whose run fails within its duration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenRun {
    /// The network.
    pub json: String,
    /// The code of the failure.
    pub code: &'static str,
    /// A part of the message.
    pub message: &'static str,
}

/// A network with all that a check finds in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedNetwork {
    /// What is read as its JSON.
    pub json: String,
    /// Its diagnostics, in order.
    pub found: Vec<Finding>,
}

/// A diagnostic without its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The sort of mistake.
    pub code: &'static str,
    /// JSON path of what is wrong.
    pub path: &'static str,
    /// 1-based line in the text at the path, or in the JSON.
    pub line: Option<u32>,
    /// 1-based column, in characters.
    pub column: Option<u32>,
    /// How many characters are meant.
    pub width: Option<u32>,
    /// A part of the message.
    pub message: &'static str,
}

/// A network of three cells called `n`, with what is given beside them.
pub fn network_of_cells(population: &str, more: &str) -> String {
    format!(
        r#"{{"name": "n", "dt_ms": 0.1, "duration_ms": 10, "populations": [{{"name": "n", "size": 3, {population}}}]{more}}}"#
    )
}

/// Networks that cannot be built, whatever the device.
pub fn rejected_networks() -> Vec<RejectedNetwork> {
    let lif = r#""model": "lif""#;
    let rejected = |json: String, [failure, diagnostic, path, message]: [&'static str; 4]| RejectedNetwork {
        json,
        failure,
        diagnostic,
        path,
        message,
    };
    vec![
        rejected("{\n  \"name\": }".into(), ["json", "json", "", "line 2, column 11: the JSON is malformed"]),
        rejected(
            network_of_cells(lif, ", \"dt\": 1"),
            ["unknown_key", "unknown_key", "", "the network (line 1) has an unknown key `dt`; the valid keys are"],
        ),
        rejected(
            network_of_cells("\"modle\": \"lif\"", ""),
            ["unknown_key", "unknown_key", "populations[0]", "did you mean `model`?"],
        ),
        rejected(r#"{"name": "n"}"#.into(), ["missing_key", "missing_key", "", "the network (line 1) lacks the key `dt_ms`"]),
        rejected(
            r#"{"name": "n", "dt_ms": 0, "duration_ms": 1}"#.into(),
            ["invalid_value", "invalid_value", "dt_ms", "for example 0.1"],
        ),
        rejected(
            network_of_cells("\"size\": \"many\"", ""),
            ["invalid_value", "invalid_value", "populations[0].size", "a key must be unique"],
        ),
        rejected(
            network_of_cells("\"model\": \"liff\"", ""),
            ["unknown_name", "unknown_name", "populations[0].model", "did you mean `lif`?"],
        ),
        rejected(
            network_of_cells("\"equations\": \"dv/dt = x/ms : volt\"", ""),
            ["equations", "undefined_name", "populations[0]", "`x`"],
        ),
    ]
}

/// Networks whose state, or whose synapses' events, leave the numbers.
pub fn broken_runs() -> Vec<BrokenRun> {
    let recorded = r#", "recordings": [{"object": "n", "var": "v", "indices": [0]}]"#;
    let diverging = network_of_cells(r#""equations": "dv/dt = v/(0.1*ms) : volt", "initial": {"v": "1 mV"}"#, recorded);
    let growing = r#"{"name": "growing", "dt_ms": 0.1, "duration_ms": 10,
        "populations": [{"name": "a", "size": 3, "equations": "x : 1", "update": "x += 1", "threshold": "i == 1 and x % 4 < 0.5"},
                        {"name": "b", "size": 70, "equations": "v : 1\nu : 1", "update": "u = 0*u"}],
        "projections": [{"name": "ab", "pre": "a", "post": "b", "pairs": [[0, 3], [1, 66]], "equations": "w : 1",
                         "on_pre": "w = 100*w + 1\nu_post += 1\nv_post += w", "delay_ms": 0.1}]}"#;
    vec![
        BrokenRun { json: diverging, code: "diverged", message: "of neuron 0 in `n`" },
        BrokenRun { json: growing.into(), code: "event_too_large", message: "an event of `ab` adds" },
    ]
}

/// Networks with mistakes in several places, and with what is allowed but may not be meant.
pub fn checked_networks() -> Vec<CheckedNetwork> {
    let several = r#"{"name": "n", "dt_ms": 0.1, "duration_ms": 10,
        "populations": [{"name": "a", "size": 3, "equations": "dv/dt = -v/tau : volt\ntau : second (constant)\ndw/dt = y/ms : 1",
                         "parameters": {"tau": "10 ms"}},
                        {"name": "b", "size": 3, "model": "lif"}, {"name": "c", "size": 3, "equations": "dv/dt = 1*mV : volt"}],
        "projections": [{"name": "bb", "pre": "b", "post": "b", "connect": {"rule": "all"}, "on_pre": "v_post += q"}]}"#;
    let late = network_of_cells(r#""model": "lif""#, r#", "changes": [{"at_ms": 100, "set": {"n.I": "500 pA"}}]"#);
    let at = |code, path, place: Option<(u32, u32, u32)>, message| {
        let [line, column, width] = place.map_or([None; 3], |(line, column, width)| [Some(line), Some(column), Some(width)]);
        Finding { code, path, line, column, width, message }
    };
    let sizes = ["populations[0].size", "populations[1].size", "populations[2].size"];
    vec![
        CheckedNetwork {
            json: "{\n  \"name\": }".into(),
            found: vec![Finding { line: Some(2), column: Some(11), ..at("json", "", None, "malformed") }],
        },
        CheckedNetwork {
            json: several.into(),
            found: vec![
                at("undefined_name", "populations[0].equations", Some((3, 9, 1)), "`y`"),
                at("dimension_mismatch", "populations[2].equations", Some((1, 9, 4)), "volt"),
                at("undefined_name", "projections[0].on_pre", Some((1, 11, 1)), "`q`"),
            ],
        },
        CheckedNetwork {
            json: several.replace("\"size\": 3", "\"size\": 0"),
            found: sizes.map(|path| at("invalid_value", path, None, "at least one neuron")).into(),
        },
        CheckedNetwork { json: late, found: vec![at("notice", "changes[0].at_ms", None, "the change never happens")] },
    ]
}
