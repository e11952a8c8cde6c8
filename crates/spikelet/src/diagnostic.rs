//! The errors of a network text, in the form shown by command line, package and page.

pub use spikelet_network::diagnostic::{Diagnostic, Span};
use spikelet_plan::diagnose;

use crate::notices::notices;
use crate::{BuildOptions, Network};

/// All errors of a network that can be found before its synapses are drawn; if there are none, its notices.
pub fn check(json: &str, options: BuildOptions) -> Vec<Diagnostic> {
    let network = match Network::from_json_unchecked(json) {
        Ok(network) => network,
        Err(error) => return error.diagnostics(None),
    };
    let errors = diagnose(&network, options);
    if errors.is_empty() {
        return notices(&network).iter().map(Diagnostic::from).collect();
    }
    errors.iter().flat_map(|error| error.diagnostics(Some(&network))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = r#"{"name": "n", "dt_ms": 0.1, "duration_ms": 10,
        "populations": [{"name": "a", "size": 3, "equations": "dv/dt = -v/tau : 1", "threshold": "v > 1", "reset": "v = 0",
                         "parameters": {"tau": "10 ms"}}],
        "projections": [{"name": "aa", "pre": "a", "post": "a", "connect": {"rule": "bernoulli", "p": 0.5}, "on_pre": "v_post += 0.1"}]}"#;

    /// The result after a change of the text: code, path, message and help.
    fn found(from: &str, to: &str) -> Vec<[String; 4]> {
        assert!(SOUND.contains(from));
        let parts = |of: Diagnostic| [of.code.to_owned(), of.path, of.message, of.help.unwrap_or_default()];
        check(&SOUND.replace(from, to), BuildOptions::default()).into_iter().filter(|of| of.is_error).map(parts).collect()
    }

    #[test]
    fn each_mistake_has_its_path_and_a_way_out() {
        assert_eq!(found("0.5", "0.5"), Vec::<[String; 4]>::new());
        for (from, to, expected) in [
            (
                "0.5}",
                "1.5}",
                ["projections[0].connect.p", "1.5 is invalid: a probability is between 0 and 1.", "For example 0.02 for 2 %."],
            ),
            (
                "\"v_post += 0.1\"",
                "\"v_post += 0.1\", \"delay_ms\": \"3 mV\"",
                ["projections[0].delay_ms", "\"3 mV\" is a voltage; `delay` must be a time, such as 5 ms.", ""],
            ),
            ("\"post\": \"a\"", "\"post\": \"ab\"", ["projections[0].post", "There is no population `ab`.", "Did you mean `a`?"]),
            ("\"size\": 3, ", "", ["populations[0].size", "`size` is missing.", "Add it, as in \"size\": 1000."]),
            (
                "\"size\": 3",
                "\"size\": 3, \"sise\": 4",
                ["populations[0]", "There is no key `sise` here.", "Did you mean `size`?"],
            ),
        ] {
            let [only] = &found(from, to)[..] else { panic!("{from} → {to}: {:?}", found(from, to)) };
            assert_eq!(only[1..], expected, "{from} → {to}");
        }
    }

    #[test]
    fn a_mistake_in_a_text_has_its_place_there() {
        let all = check(&SOUND.replace("v > 1", "v >\\n 1*mV").replace("v_post += 0.1", "v_post += q"), BuildOptions::default());
        let places: Vec<_> = all.iter().map(|of| (of.code, of.path.as_str(), of.span.as_ref().map(|span| span.line))).collect();
        assert_eq!(
            places,
            [("dimension_mismatch", "populations[0].threshold", Some(1))],
            "what ends at a wrong population is not looked at"
        );
        let all = check(&SOUND.replace("v_post += 0.1", "v_post += q"), BuildOptions::default());
        let span = all[0].span.as_ref().unwrap();
        assert_eq!(
            (all[0].path.as_str(), span.column, span.width, span.in_json),
            ("projections[0].on_pre", Some(11), Some(1), false)
        );
        let cut = check("{\n  \"name\": }", BuildOptions::default());
        let span = cut[0].span.as_ref().unwrap();
        assert_eq!((cut[0].code, span.in_json, span.line, span.column), ("json", true, 2, Some(11)));
    }
}
