//! The values of a projection: its names, its increments, its delays.

use std::sync::Arc;

use spikelet_kernel::ValueCode;
use spikelet_lang::model::{End, Role, Target, Variable};
use spikelet_lang::term::{Function, Node, Symbol, Term, add, call, multiply, number, substitute, subtract, symbol};
use spikelet_network::{Delays, Error, nearest_step};

use super::checked::CheckedProjection;
use crate::neurons::population::{check_time_constants, without_value};
use crate::neurons::sources::LoweredNetwork;
use crate::values::draw_numbers::name_of_delay;
use crate::values::{Elements, NamedValues, Values, circle, in_order};

/// Maximum delay in steps, which determines the number of slots.
pub(crate) const MAX_DELAY_STEPS: f64 = 1_000_000.0;

/// The variable and value of each write, pathway by pathway.
pub(crate) type WriteValues = Vec<Vec<(usize, Values)>>;

/// Values of all names of a projection, in order.
pub(crate) fn named(index: usize, checked: &CheckedProjection, elements: &dyn Elements) -> Result<NamedValues, Error> {
    let path = format!("projections[{index}]");
    let (model, declared) = (&checked.model, &checked.declared);
    let mut named = NamedValues::default();
    let own = || model.variables.iter().filter(|variable| variable.role != Role::Local);
    let given = checked.parameters.iter().map(|entry| (entry, "parameters"));
    let given: Vec<_> = given.chain(checked.initial.iter().map(|entry| (entry, "initial"))).collect();
    // Variables changed by events without a value start at 0.
    let at_rest = |variable: &&Variable| variable.written && !given.iter().any(|((name, _), _)| **name == variable.name);
    for variable in own().filter(at_rest) {
        named.0.insert(variable.name.clone(), (variable.dimension, Values::Uniform(0.0)));
    }
    let order = in_order(given.iter().map(|(entry, _)| *entry)).map_err(|names| Error::model(&path, vec![circle(&names)]))?;
    for place in order {
        let ((name, quantity), key) = given[place];
        let wanted = declared.get(name).copied();
        if key == "initial" && wanted.is_none() {
            let known = declared.keys().map(String::as_str);
            return Err(Error::unknown_name(&format!("{path}.initial"), "variable", name, known));
        }
        named
            .set(name, quantity, wanted, elements, checked.draws.of(name))
            .map_err(|diagnostic| Error::model(&format!("{path}.{key}"), vec![diagnostic]))?;
        if own().any(|variable| variable.integer && variable.name == *name) {
            named.cut_off(name);
        }
    }
    if let Some(variable) = own().find(|variable| !named.0.contains_key(&variable.name)) {
        return Err(Error::model(&path, vec![without_value(&variable.name, &checked.equations)]));
    }
    check_time_constants(&path, &model.time_constants(), &named, "synapse")?;
    Ok(named)
}

/// The values of some names, each with its index among all.
pub(crate) fn values_of(names: &[String], named: &NamedValues) -> Vec<(usize, Values)> {
    names.iter().filter_map(|name| named.0.get_full(name)).map(|(index, _, (_, values))| (index, values.clone())).collect()
}

/// For each pathway of synapses without state: its target variable and increment.
pub(crate) fn writes(checked: &CheckedProjection, named: &NamedValues, elements: &dyn Elements) -> WriteValues {
    let model = &checked.model;
    if !model.is_static() {
        return Vec::new();
    }
    let lookup = |name: &String, symbol| named.lookup(name).map_or(symbol, |(found, _)| found);
    let event = |write: &spikelet_lang::model::SynapseStatement| {
        // The model's own numbering of names → that of the values.
        let term = substitute(&write.value, &|found| {
            symbol(match found {
                Symbol::Variable(variable) => lookup(&model.variables[variable].name, found),
                Symbol::Constant(constant) => lookup(&model.constants[constant].name, found),
                other => other,
            })
        });
        match write.target {
            Target::Add(variable) => Some((variable, named.evaluate(&term, elements, 0))),
            Target::Own(_) | Target::Post(_) => None,
        }
    };
    model.pathways.iter().map(|pathway| pathway.statements.iter().filter_map(event).collect()).collect()
}

/// The delay of each pathway, in ms.
pub(crate) fn delays(
    network: &LoweredNetwork<'_>,
    index: usize,
    checked: &CheckedProjection,
    named: &NamedValues,
    elements: &dyn Elements,
) -> Result<Vec<Values>, Error> {
    let projection = &network.projections[index];
    let none = Delays::default();
    let of_pathway = |pathway: &spikelet_lang::model::Pathway| {
        let (key, delays) = projection.delays(pathway.end);
        let delays = delays.unwrap_or(&none);
        let draws = checked.draws.of(&name_of_delay(key, delays, &pathway.name));
        let (path, quantity) = (format!("projections[{index}].{key}"), delays.of(&pathway.name));
        let mut named = named.clone();
        named
            .set("delay", quantity, Some(spikelet_lang::Dimension::TIME), elements, draws)
            .map_err(|diagnostic| Error::model(&path, vec![spikelet_lang::Diagnostic { place: key.to_owned(), ..diagnostic }]))?;
        let delay = named.0.swap_remove("delay").map(|(_, values)| values);
        let delay = delay.ok_or_else(|| Error::Backend("a delay was set and is not there".into()))?;
        match network.network().event(&projection.pre.population) {
            Some(_) if pathway.end == End::Pre => after_event(&path, delay, network.dt_ms),
            _ => Ok(delay),
        }
    };
    checked.model.pathways.iter().map(of_pathway).collect()
}

/// The delays of the spikes of an event, which are numbered by the step after it.
fn after_event(path: &str, delays: Values, dt: f64) -> Result<Values, Error> {
    let earlier = |delay: f64| match steps(path, delay, dt)? {
        0 => {
            let expected = "an event reaches synapses one step after it at the earliest";
            Err(Error::invalid(path, format!("{delay} ms"), expected, format!("use a delay of {dt} ms or more")))
        }
        steps => Ok(f64::from(steps - 1) * dt),
    };
    Ok(match delays {
        Values::Uniform(delay) => Values::Uniform(earlier(delay)?),
        Values::Each(delays) => Values::Each(delays.into_iter().map(earlier).collect::<Result<_, Error>>()?),
        Values::Formula(term) => Values::Formula(term.map(|term| {
            let raised = add(&multiply(&term, &number((1.0 + HALF_WAY_F32) / dt)), &number(0.5));
            multiply(&subtract(&call(Function::Floor, raised), &number(1.0)), &number(dt))
        })),
    })
}

/// Relative tolerance of delays computed in f32, so that half steps are not rounded down.
const HALF_WAY_F32: f64 = 1.0 / (1u64 << 20) as f64;

/// A delay computed by code in ms, as steps. Drawn delays are rarely half steps, and are rounded by the code; negative values stay
/// negative.
pub(crate) fn steps_in_code(delay: &Term, dt: f64) -> Term {
    let steps = multiply(delay, &number(1.0 / dt));
    if steps.any(|symbol| symbol.is_none()) {
        return steps;
    }
    let raised = add(&multiply(&steps, &number(1.0 + HALF_WAY_F32)), &number(0.5));
    let with_zero = |function, term| Arc::new(Node::Call(function, vec![term, number(0.0)])) as Term;
    add(&with_zero(Function::Max, call(Function::Floor, raised)), &with_zero(Function::Min, steps))
}

/// A delay in ms as steps.
pub(crate) fn steps(path: &str, delay: f64, dt: f64) -> Result<u32, Error> {
    whole_steps(path, delay / dt, dt)
}

/// A delay in steps, as an integer.
pub(crate) fn whole_steps(path: &str, steps: f64, dt: f64) -> Result<u32, Error> {
    let whole = nearest_step(steps);
    if steps < 0.0 || steps.is_nan() {
        let expected = "a spike cannot arrive before it is sent";
        let refusal = Error::invalid(path, format!("{} ms", steps * dt), expected, "use a delay of 0 or more");
        return Err(refusal.of_kind("negative_delay"));
    }
    if whole > MAX_DELAY_STEPS {
        let expected = format!("a delay can be at most {MAX_DELAY_STEPS} steps of {dt} ms");
        return Err(Error::invalid(path, format!("{} ms", steps * dt), expected, "shorten it"));
    }
    Ok(whole as u32)
}

/// The codes of all formulas; `None` if one of them needs the host.
pub(crate) fn codes(values: impl Iterator<Item = Values>) -> Option<Vec<Arc<ValueCode>>> {
    let formulas = values.filter_map(|values| match values {
        Values::Formula(term) => Some(term.as_ref().and_then(ValueCode::new).map(Arc::new)),
        Values::Uniform(_) => None,
        Values::Each(_) => Some(None),
    });
    formulas.collect()
}
