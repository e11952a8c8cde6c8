//! The texts of synapses with state.

use serde_json::{Map, Value, json};

use super::connect::each;
use super::{Act, Ends, ProjectionSpec, StatefulSpec, Third};
use crate::expression::{Expression, Scope, number};
use crate::population::{Given, PopulationNames};
use crate::setting::{Objects, Setting, ValueForm};
use crate::statement::{Targets, block};

/// Time constants of traces in ms.
const TAUS: [f64; 4] = [1.7, 0.9, 4.3, 900.0];

/// What the texts of a projection need to know.
struct Texts<'a> {
    ends: &'a Ends<'a>,
    /// The population of the presynaptic neurons, if it has variables.
    pre: Option<&'a PopulationNames>,
    targets: Targets,
    scope: Scope,
}

/// Adds the keys of synapses with state.
pub(super) fn stateful(
    spec: &StatefulSpec,
    of: &ProjectionSpec,
    name: &str,
    (ends, populations): (&Ends<'_>, &[PopulationNames]),
    setting: &Setting,
    keys: &mut Map<String, Value>,
    objects: &mut Objects,
) {
    let pre = ends.pre.population.map(|index| &populations[index]);
    let third = spec.third.as_ref().map(|third| (third, &populations[third.population % populations.len()]));
    let own = &spec.own;
    let mut numbers = vec!["w".to_owned()];
    let also = [(own.x.is_some(), "x"), (own.u.is_some(), "u"), (own.s.is_some(), "s")];
    numbers.extend(also.iter().filter(|(is, _)| *is).map(|(_, name)| (*name).to_owned()));
    let targets = Targets { floats: numbers.iter().filter(|name| *name != "s").cloned().collect(), ..Targets::default() };
    numbers.extend(own.r.iter().map(|_| "r".to_owned()));
    let neuron = |names: &PopulationNames, side: &str| {
        let all = names.numbers.iter().chain(&names.held).chain(&names.linked);
        all.map(|name| format!("{name}_{side}")).collect::<Vec<String>>()
    };
    // Only what synapses know between events.
    let mut outside = neuron(ends.post, "post");
    outside.extend(pre.into_iter().flat_map(|names| neuron(names, "pre")));
    outside.extend(third.iter().flat_map(|(_, names)| neuron(names, "third")));
    outside.extend(third.iter().map(|_| "0.13*i_third/N_third".to_owned()));
    outside.extend(["0.13*i", "0.13*j", "0.11*N_incoming", "0.11*N_outgoing", "0.11*N_pre"].map(str::to_owned));
    let conditions = vec!["((i + j) % 2 == 0)".to_owned(), "(i <= j)".to_owned()];
    let function = setting.function.clone();
    let plain = Scope { numbers: [numbers.clone(), outside].concat(), conditions, time: true, function, draws: false };
    let mut lines = vec![];
    let mut parameters = Map::new();
    let flags = [(own.flags.0 && learns(spec), "plastic"), (own.flags.1 && learns(spec), "f16")];
    let flags: Vec<&str> = flags.iter().filter(|(is, _)| *is).map(|(_, flag)| *flag).collect();
    lines.push(if flags.is_empty() { "w : 1".into() } else { format!("w : 1 ({})", flags.join(", ")) });
    for (trace, name) in [(own.x, "x"), (own.u, "u")] {
        if let Some(at) = trace {
            lines.push(format!("d{name}/dt = -{name}/({}*ms) : 1 (event-driven)", TAUS[at % TAUS.len()]));
        }
    }
    let mut scope = plain.clone();
    if let Some(value) = &own.m {
        lines.push(format!("m = {} : 1", value.text(&plain)));
        scope.numbers.push("m".into());
    }
    if let Some(value) = &own.s {
        let rate = value.bounded(&without_traces(&scope, own.m.is_some()));
        lines.push(format!("ds/dt = (0.7*{rate} - s)/(1.9*ms) : 1 (clock-driven)"));
    }
    if let Some(given) = &own.r {
        lines.push("r : 1 (constant)".into());
        parameters.insert("r".into(), value(given, ends, setting));
        let form = if matches!(given, Given::Number(_)) { ValueForm::Number } else { ValueForm::Pairs };
        objects.settable.push((format!("{name}.r"), form));
    }
    if let Some(value) = &own.h {
        let drawing = Scope { draws: setting.draws, ..scope.clone() };
        lines.push(format!("h = {} : 1 (constant over dt)", value.text(&drawing)));
        scope.numbers.push("h".into());
        numbers.push("h".into());
    }
    let mut sum = |names: &PopulationNames, side: &str, value: &Expression| {
        if let Some(target) = names.sum.clone().filter(|_| objects.summed.insert(names.name.clone())) {
            let value = value.bounded(&without_traces(&scope, own.m.is_some()));
            lines.push(format!("{target}_{side} = 0.43*w*{value} : 1 (summed)"));
        }
    };
    if let Some(value) = &own.sum {
        sum(ends.post, "post", value);
    }
    if let Some((_, names)) = third.as_ref().filter(|(third, _)| third.sum) {
        sum(names, "third", &Expression::Number(1));
    }
    keys.insert("equations".into(), lines.join("\n").into());
    let drawing = Scope { draws: setting.draws, ..scope };
    let texts = Texts { ends, pre, targets, scope: drawing };
    pathways(spec, of, &texts, setting, keys);
    if let Some((third, names)) = third {
        add_third(third, names, &texts, setting, keys);
    }
    let regular: Vec<Value> = spec
        .regular
        .iter()
        .map(|of| setting.regular(of.every, of.start, of.order, &block(&of.statements, &texts.targets, &texts.scope)))
        .collect();
    if !regular.is_empty() {
        keys.insert("run_regularly".into(), regular.into());
    }
    if let Some(is_on) = spec.plasticity.filter(|_| learns(spec)) {
        parameters.insert("plasticity".into(), u8::from(is_on).into());
        objects.settable.push((format!("{name}.plasticity"), ValueForm::Switch));
    }
    if !parameters.is_empty() {
        keys.insert("parameters".into(), Value::Object(parameters));
    }
    keys.insert("initial".into(), json!({"w": value(&own.w, ends, setting)}));
    let form = if matches!(own.w, Given::Number(_)) { ValueForm::Number } else { ValueForm::Pairs };
    objects.settable.push((format!("{name}.w"), form));
    let of_synapses = numbers.iter().filter(|name| *name != "r");
    objects
        .of_synapses
        .extend(of_synapses.map(|variable| (name.to_owned(), variable.clone(), ends.listed.filter(|_| !ends.is_capped))));
}

/// Whether some statement changes the weight for sure.
fn learns(spec: &StatefulSpec) -> bool {
    let learns = |acts: &Vec<Act>| acts.iter().any(|act| matches!(act, Act::Learn(_)));
    learns(&spec.on_pre) || spec.slow.as_ref().is_some_and(learns) || spec.on_post.as_ref().is_some_and(learns)
}

/// What equations between events may use: event-driven variables have a value at events only.
fn without_traces(scope: &Scope, has_subexpression: bool) -> Scope {
    let numbers = scope.numbers.iter().filter(|name| !["x", "u"].contains(&name.as_str()));
    // A subexpression may use traces.
    let numbers = numbers.filter(|name| !(has_subexpression && *name == "m")).cloned().collect();
    Scope { numbers, ..scope.clone() }
}

/// A value for each synapse.
fn value(given: &Given, ends: &Ends<'_>, setting: &Setting) -> Value {
    match given {
        Given::Number(_) => given.value(1, setting),
        Given::Indexed(at) | Given::List(at) | Given::Drawn(at) => each(*at, ends, setting),
    }
}

fn pathways(spec: &StatefulSpec, of: &ProjectionSpec, texts: &Texts<'_>, setting: &Setting, keys: &mut Map<String, Value>) {
    let (delay, one) = texts.ends.delay(&of.delay.pre, setting);
    let fast = texts.block(&spec.on_pre, one);
    match &spec.slow {
        None => {
            keys.insert("on_pre".into(), fast.into());
            keys.insert("delay_ms".into(), delay);
        }
        Some(slow) => {
            let (slow_delay, one) = texts.ends.delay(&of.delay.slow, setting);
            keys.insert("on_pre".into(), json!({"fast": fast, "slow": texts.block(slow, one)}));
            keys.insert("delay_ms".into(), json!({"fast": delay, "slow": slow_delay}));
        }
    }
    if let Some(acts) = &spec.on_post {
        let delay = of.delay.post.as_ref().map(|steps| texts.ends.delay(steps, setting));
        keys.insert("on_post".into(), texts.block(acts, delay.as_ref().is_none_or(|(_, one)| *one)).into());
        delay.into_iter().for_each(|(delay, _)| drop(keys.insert("delay_post_ms".into(), delay)));
    }
    if let Some((pre, post)) = spec.order {
        let mut order = Map::new();
        if spec.slow.is_none() {
            order.insert("pre".into(), pre.into());
        } else {
            order.insert("slow".into(), pre.into());
        }
        if spec.on_post.is_some() {
            order.insert("post".into(), post.into());
        }
        keys.insert("order".into(), Value::Object(order));
    }
}

fn add_third(third: &Third, names: &PopulationNames, texts: &Texts<'_>, setting: &Setting, keys: &mut Map<String, Value>) {
    let size = names.size;
    let index = match third.index % 3 {
        0 if size == 1 => None,
        1 => Some(json!(third.index as u32 % size)),
        _ => Some(json!(format!("(i + j) % {size}"))),
    };
    let mut value = json!({"population": names.name});
    index.into_iter().for_each(|index| value["index"] = index);
    keys.insert("third".into(), value);
    if let Some(acts) = third.acts.as_ref().filter(|_| names.fires) {
        let acts: Vec<Act> = acts.iter().filter(|act| !matches!(act, Act::ToPre(..))).cloned().collect();
        let acts = if acts.is_empty() { vec![Act::Transmit(0, 0)] } else { acts };
        keys.insert("on_third".into(), texts.block(&acts, true).into());
        third.delay.into_iter().for_each(|steps| drop(keys.insert("delay_third_ms".into(), setting.ms(steps).into())));
    }
}

impl Texts<'_> {
    /// The statements of a pathway; `one` if it has one delay for all synapses.
    fn block(&self, acts: &[Act], one: bool) -> String {
        let texts: Vec<String> = acts.iter().enumerate().map(|(place, act)| self.act(act, one, place)).collect();
        // Synapses that only change their presynaptic neurons are an error.
        let only_pre = acts.iter().all(|act| matches!(act, Act::ToPre(..)));
        let more = only_pre.then(|| self.act(&Act::Transmit(0, 0), one, 0));
        texts.into_iter().chain(more).collect::<Vec<_>>().join("; ")
    }

    fn act(&self, act: &Act, one: bool, place: usize) -> String {
        let floats = &self.ends.post.targets.floats;
        let target = |at: usize| &floats[at % floats.len()];
        match act {
            Act::Transmit(at, by) => format!("{}_post += {}*w", target(*at), number(*by)),
            Act::Add(at, value) => format!("{}_post += 0.17*{}", target(*at), value.bounded(&self.scope)),
            Act::Assign(at, value) => format!("{}_post = clip({}, -1.7, 1.9)", target(*at), value.text(&self.scope)),
            Act::ToPre(at, by) => match self.pre.filter(|_| one) {
                Some(pre) => {
                    let floats = &pre.targets.floats;
                    format!("{}_pre += 0.1*{}", floats[at % floats.len()], number(*by))
                }
                None => format!("{}_post -= {}", target(*at), number(*by)),
            },
            Act::Learn(value) => format!("w = clip(w + 0.07*{}, 0, 1.3)", value.bounded(&self.scope)),
            Act::Own(statement) => statement.text(&self.targets, &self.scope, place),
        }
    }
}
