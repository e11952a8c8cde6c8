//! Values that would be lost, because equations compute the name.

use spikelet_lang::syntax::{Equation, EquationKind};
use spikelet_network::{Error, Quantity};

/// Rejects a value under `key` ("parameters", "initial") of the object at `path` for a subexpression of `equations`.
pub(crate) fn check_free<'a>(
    equations: &[Equation],
    path: &str,
    key: &str,
    given: impl IntoIterator<Item = (&'a String, &'a Quantity)>,
) -> Result<(), Error> {
    let is_computed = |name: &String| {
        equations.iter().any(|equation| equation.name == *name && matches!(equation.kind, EquationKind::Subexpression(_)))
    };
    match given.into_iter().find(|(name, _)| is_computed(name)) {
        Some((name, value)) => Err(Error::invalid(
            format!("{path}.{key}.{name}"),
            value,
            format!("the equations compute it, `{name} = …`"),
            format!("remove it, or write `{name} : unit` in the equations, so that it is a parameter"),
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Plan;
    use spikelet_network::Network;

    /// A population and its synapses, in which `at` (a JSON pointer) has this value.
    fn refusal(at: &str, value: &serde_json::Value) -> String {
        let mut network = json!({
            "format": 1, "name": "n", "dt_ms": 0.1, "duration_ms": 1, "seed": 1,
            "populations": [
                {"name": "A", "size": 2, "equations": "dv/dt = -v/ms : 1\nheld = 2*v : 1 (constant over dt)\nplain = 2*v : 1",
                 "threshold": "v > 1", "reset": "v = 0", "parameters": {}, "initial": {}}
            ],
            "projections": [{"name": "s", "pre": "A", "post": "A", "connect": {"rule": "all"}, "on_pre": "v_post += w",
                "equations": "w : 1\nheld = v_post : 1 (constant over dt)\nplain = v_post : 1", "parameters": {"w": 0}, "initial": {}}],
            "changes": [{"at_ms": 0.5, "set": {"s.w": 1}}]
        });
        let (parent, name) = at.rsplit_once('/').unwrap();
        network.pointer_mut(parent).unwrap()[name] = value.clone();
        let plan = Network::from_json(&network.to_string()).and_then(|network| Plan::new(&network));
        plan.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn values_of_what_equations_compute_are_errors() {
        assert_eq!(refusal("/populations/0/parameters/v", &json!(3)), "");
        assert_eq!(refusal("/projections/0/initial/w", &json!(3)), "");
        for object in ["populations", "projections"] {
            for key in ["parameters", "initial"] {
                for name in ["held", "plain"] {
                    let found = refusal(&format!("/{object}/0/{key}/{name}"), &json!(3));
                    let expected = format!("{object}[0].{key}.{name} is 3, but the equations compute it, `{name} = …`");
                    assert!(found.contains(&expected), "{found}");
                }
            }
        }
        for path in ["A.held", "A.plain", "s.held", "s.plain"] {
            let found = refusal("/changes/0/set", &json!({path: 3}));
            assert!(found.starts_with("changes[0]") && found.contains("compute it"), "{path}: {found}");
        }
    }
}
