//! The texts of a projection.

use serde_json::{Map, Value, json};

use super::connect::each;
use super::stateful::stateful;
use super::{End, Ends, ProjectionSpec, StatelessSpec, SynapseSpec, Weight};
use crate::expression::{NUMBERS, number};
use crate::population::PopulationNames;
use crate::setting::{Objects, Setting, ValueForm};

/// A projection as JSON, and what can be recorded and set of it. `summed` are targets of sums that other projections have taken.
pub(crate) fn projection(
    spec: &ProjectionSpec,
    name: &str,
    (firing, populations): (&[End], &[PopulationNames]),
    setting: &Setting,
    objects: &mut Objects,
) -> Value {
    let mut keys = Map::new();
    keys.insert("name".into(), name.into());
    let ends = Ends::new(spec, firing, populations, setting, &mut keys);
    match &spec.synapses {
        SynapseSpec::Stateless(of) => stateless(of, spec, name, &ends, setting, &mut keys, objects),
        SynapseSpec::Stateful(of) => stateful(of, spec, name, (&ends, populations), setting, &mut keys, objects),
    }
    Value::Object(keys)
}

fn stateless(
    spec: &StatelessSpec,
    of: &ProjectionSpec,
    name: &str,
    ends: &Ends<'_>,
    setting: &Setting,
    keys: &mut Map<String, Value>,
    objects: &mut Objects,
) {
    let mut weight: Option<Value> = None;
    let mut statements: Vec<String> = Vec::new();
    let floats = &ends.post.targets.floats;
    for (target, by) in &spec.adds {
        let target = &floats[target % floats.len()];
        let value = match by {
            Weight::Literal(at) => number(*at),
            Weight::Shared(at) => {
                weight.get_or_insert_with(|| NUMBERS[at % NUMBERS.len()].into());
                "w".into()
            }
            Weight::Scaled(at) => {
                weight.get_or_insert_with(|| NUMBERS[at % NUMBERS.len()].into());
                "0.37*w".into()
            }
            Weight::Each(at) => {
                weight.get_or_insert_with(|| each(*at, ends, setting));
                "w".into()
            }
        };
        statements.push(format!("{target}_post += {value}"));
    }
    if let Some(weight) = weight {
        let differs = !weight.is_number();
        keys.insert("equations".into(), "w : 1 (constant)".into());
        keys.insert("parameters".into(), json!({"w": weight}));
        if spec.half && differs {
            keys.insert("weights".into(), "f16".into());
        }
        let form = if differs { ValueForm::Pairs } else { ValueForm::Number };
        objects.settable.push((format!("{name}.w"), form));
    }
    keys.insert("on_pre".into(), statements.join("; ").into());
    keys.insert("delay_ms".into(), ends.delay(&of.delay.pre, setting).0);
    // What can be procedural depends on much; a given `stored` is always valid.
    if of.storage.is_some() {
        keys.insert("storage".into(), "stored".into());
    }
}
