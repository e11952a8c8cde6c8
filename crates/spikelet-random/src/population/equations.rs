//! The texts of a population.

use serde_json::{Map, Value, json};

use super::firing::{declared, firing};
use super::{DRIVES, Dynamics, Given, PopulationNames, PopulationSpec};
use crate::expression::{NUMBERS, Scope, number};
use crate::setting::Setting;
use crate::statement::block;

/// Time constants in ms: fast ones, and one so slow that its variable has two words.
const TAUS: [f64; 4] = [1.3, 0.7, 2.9, 700.0];

/// A population as JSON. `all` are the names of all populations, of which it is the one with index `own`.
pub(crate) fn population(spec: &PopulationSpec, all: &[PopulationNames], own: usize, setting: &Setting) -> Value {
    let names = &all[own];
    let scope = |known: usize| Scope { function: setting.function.clone(), ..names.scope(spec, known) };
    let whole = scope(usize::MAX);
    let drawing = Scope { draws: setting.draws, ..whole.clone() };
    let (mut lines, mut parameters, mut keys) = (Vec::new(), Map::new(), Map::new());
    keys.insert("name".into(), names.name.clone().into());
    keys.insert("size".into(), spec.size.into());
    let tau = tau(spec, &mut lines, &mut parameters);
    let mut input = drive(spec, &mut lines, &mut parameters);
    let mut linear = true;
    for (by, of) in &spec.terms {
        let name = &whole.numbers[of % whole.numbers.len()];
        // A subexpression that is not held may be any function of the state.
        linear &= !name.starts_with('q') || names.held.contains(name);
        linear &= !name.contains("clip");
        input += &format!(" + {}*{name}", number(*by));
    }
    let noise = spec.noise && setting.draws;
    if noise {
        input += " + 0.19*xi*ms**0.5";
    }
    let kept = |k: usize| {
        let rests = spec.firing.as_ref().is_some_and(|firing| firing.refractory.is_some());
        if spec.variables.held[k] && rests { " (unless refractory)" } else { "" }
    };
    let is_update = matches!(spec.dynamics, Dynamics::Update(_));
    match &spec.dynamics {
        Dynamics::Linear => lines.push(format!("dv/dt = ({input} - v)/{tau} : 1{}", kept(0))),
        Dynamics::Coupled => {
            lines.push(format!("dv/dt = ({input} - 0.61*a - v)/{tau} : 1{}", kept(0)));
            lines.push("da/dt = (0.47*v - a)/(2.3*ms) : 1".into());
        }
        Dynamics::Nonlinear(value) => {
            linear = false;
            lines.push(format!("dv/dt = ({input} + 0.37*{} - v)/{tau} : 1{}", value.bounded(&whole), kept(0)));
        }
        Dynamics::Declared | Dynamics::Update(_) => lines.push("v : 1".into()),
    }
    if let Dynamics::Update(statements) = &spec.dynamics {
        let more = block(statements, &names.targets, &drawing);
        let own = format!("v = v + 0.13*({} - v)", input.replace(" + 0.19*xi*ms**0.5", ""));
        keys.insert("update".into(), if more.is_empty() { own } else { format!("{own}; {more}") }.into());
    }
    variables(spec, is_update, kept(1), &mut lines, &mut parameters, setting);
    for (k, of) in spec.subexpressions.iter().enumerate() {
        let scope = Scope { draws: setting.draws && of.held, ..scope(k) };
        let flag = if of.held { " (constant over dt)" } else { "" };
        lines.push(format!("q{k} = {} : 1{flag}", of.value.text(&scope)));
    }
    declared(spec, &mut lines, &mut parameters);
    keys.insert("equations".into(), lines.join("\n").into());
    if let Some(method) = method(spec, linear, noise).filter(|_| !is_update) {
        keys.insert("method".into(), method.into());
    }
    firing(spec, names, &drawing, &mut keys);
    regular(spec, names, &drawing, setting, &mut keys);
    events(spec, names, &drawing, &mut keys);
    link(spec, all, own, &mut lines, &mut keys);
    keys.insert("equations".into(), lines.join("\n").into());
    if !parameters.is_empty() {
        keys.insert("parameters".into(), Value::Object(parameters));
    }
    initial(spec, setting, &mut keys);
    Value::Object(keys)
}

/// The time constant of `v`, as an operand.
fn tau(spec: &PopulationSpec, lines: &mut Vec<String>, parameters: &mut Map<String, Value>) -> String {
    let ms = TAUS[spec.tau.1 % TAUS.len()];
    if matches!(spec.dynamics, Dynamics::Declared | Dynamics::Update(_)) {
        return String::new();
    }
    let of = |neuron: u32| format!("{} ms", ms * (1.0 + 0.17 * f64::from(neuron)));
    match spec.tau.0 % 4 {
        0 => return format!("({ms}*ms)"),
        1 => drop(parameters.insert("tau".into(), format!("{ms} ms").into())),
        2 => {
            lines.push("tau : second (constant)".into());
            parameters.insert("tau".into(), json!({"expr": format!("({ms} + 0.21*i)*ms")}));
        }
        _ => {
            lines.push("tau : second".into());
            parameters.insert("tau".into(), (0..spec.size).map(of).collect());
        }
    }
    "tau".into()
}

/// The input, as a term.
fn drive(spec: &PopulationSpec, lines: &mut Vec<String>, parameters: &mut Map<String, Value>) -> String {
    let base = 1.3 + NUMBERS[spec.drive % NUMBERS.len()];
    let of = |k: usize| 0.9 + NUMBERS[(spec.drive + k) % NUMBERS.len()];
    let row = |length: usize, from: usize| (0..length).map(|k| of(k + 3 * from)).collect::<Vec<f64>>();
    let (size, rows) = (spec.size as usize, 2 + spec.drive % 3);
    let timed = |values: Value| json!({"timed": values, "dt": "0.5 ms", "unit": "1"});
    let (value, text) = match spec.drive % DRIVES {
        0 => (base.into(), "I"),
        1 => {
            lines.push("I : 1 (constant)".into());
            (row(size, 0).into(), "I")
        }
        2 => {
            lines.push("I : 1".into());
            (json!({"expr": format!("{base} + 0.13*i")}), "I")
        }
        3 => (format!("{base} + 0.6*sin(t/(1.3*ms))").into(), "I"),
        4 => (timed(row(rows, 0).into()), "I(t)"),
        6 if size == 1 => (timed(row(rows, 0).into()), "I(t)"),
        5 => (timed(row(rows, 0).into()), "I"),
        6 => (timed((0..rows).map(|at| row(size, at)).collect()), "I(t, i)"),
        _ => {
            lines.push("k : integer (constant)".into());
            parameters.insert("k".into(), (0..size).map(|i| (2 * i + 1) % 3).collect());
            (timed((0..rows).map(|at| row(3, at)).collect()), "I(t, k)")
        }
    };
    parameters.insert("I".into(), value);
    text.into()
}

/// Declares the variables beside `v`.
fn variables(
    spec: &PopulationSpec,
    is_update: bool,
    kept: &str,
    lines: &mut Vec<String>,
    parameters: &mut Map<String, Value>,
    setting: &Setting,
) {
    let variables = &spec.variables;
    match variables.g {
        Some(at) if at % 3 > 0 && !is_update => {
            lines.push(format!("dg/dt = -g/({}*ms) : 1{kept}", TAUS[(at / 3) % TAUS.len()]));
        }
        Some(_) => lines.push("g : 1".into()),
        None => {}
    }
    let also = [(variables.c, "c : 1"), (variables.y, "y : 1"), (variables.n, "n : integer"), (variables.b, "b : boolean")];
    lines.extend(also.iter().filter(|(is, _)| *is).map(|(_, line)| (*line).to_owned()));
    if variables.z {
        lines.push(if is_update { "z : 1" } else { "dz/dt = 0.07/ms : 1" }.into());
    }
    if variables.last {
        lines.push("last : second".into());
    }
    if let Some(with) = variables.sh {
        lines.push("sh : 1 (shared)".into());
        if with {
            lines.push("qs = sh + 0.3*sin(t/(1.7*ms)) : 1 (shared)".into());
        }
    }
    if let Some((constant, given)) = &variables.p {
        lines.push(if *constant { "p : 1 (constant)" } else { "p : 1" }.into());
        parameters.insert("p".into(), given.value(spec.size, setting));
    }
}

/// One of the methods that fit; none is the default.
fn method(spec: &PopulationSpec, linear: bool, noise: bool) -> Option<&'static str> {
    let all: &[Option<&str>] = match (linear, noise) {
        (_, true) => &[None, Some("euler"), Some("heun")],
        (true, false) => &[None, Some("exact"), Some("euler"), Some("exponential_euler"), Some("rk4"), Some("rk2"), Some("heun")],
        (false, false) => &[None, Some("euler"), Some("rk4"), Some("rk2"), Some("heun")],
    };
    let moves = spec.variables.z || spec.variables.g.is_some_and(|at| at % 3 > 0);
    if matches!(spec.dynamics, Dynamics::Declared) && !moves { None } else { all[spec.method % all.len()] }
}

fn regular(spec: &PopulationSpec, names: &PopulationNames, scope: &Scope, setting: &Setting, keys: &mut Map<String, Value>) {
    let mut list = Vec::new();
    for of in &spec.regular {
        let mut text = block(&of.statements, &names.targets, scope);
        if of.shared && spec.variables.sh.is_some() {
            let shared = "sh = tanh(0.7*sh + 0.31*sin(t/ms) + 0.29)";
            text = if text.is_empty() { shared.into() } else { format!("{shared}; {text}") };
        }
        list.push(setting.regular(of.every, of.start, of.order, &text));
    }
    if !list.is_empty() {
        keys.insert("run_regularly".into(), list.into());
    }
}

fn events(spec: &PopulationSpec, names: &PopulationNames, scope: &Scope, keys: &mut Map<String, Value>) {
    let mut all = Map::new();
    for (name, of) in names.events.iter().zip(&spec.events) {
        let mut event = json!({"condition": of.condition.text(scope)});
        let text = block(&of.statements, &names.targets, scope);
        if !text.is_empty() {
            event["statements"] = text.into();
        }
        if of.record {
            event["record"] = true.into();
        }
        all.insert(name.clone(), event);
    }
    if !all.is_empty() {
        keys.insert("events".into(), Value::Object(all));
    }
}

fn link(spec: &PopulationSpec, all: &[PopulationNames], own: usize, lines: &mut Vec<String>, keys: &mut Map<String, Value>) {
    let Some(link) = &spec.link else { return };
    let other = link.population % all.len();
    let from = &all[other];
    let mut known = from.numbers.clone();
    known.extend(from.held.clone());
    // Chains of links end, because they only lead to populations before.
    known.extend(from.linked.clone().filter(|_| other < own));
    let fits = from.size == spec.size || from.size == 1;
    let size = from.size;
    let list = || (0..spec.size).map(|i| (3 * i + 1) % size).collect::<Vec<u32>>();
    let index: Option<Value> = match link.index % 5 {
        0 if fits => None,
        1 => Some(json!(link.index as u32 % size)),
        2 => Some(json!(list())),
        3 => Some(json!({"expr": format!("(2*i + 1) % {size}")})),
        _ => Some(format!("i % {size}").into()),
    };
    let mut value = json!({"population": from.name, "var": known[link.variable % known.len()]});
    if let Some(index) = index {
        value["index"] = index;
    }
    lines.push("lk : 1 (linked)".into());
    keys.insert("linked".into(), json!({"lk": value}));
}

fn initial(spec: &PopulationSpec, setting: &Setting, keys: &mut Map<String, Value>) {
    let mut initial = Map::new();
    let [v, other, whole] = &spec.initial;
    if let Some(given) = v {
        initial.insert("v".into(), given.value(spec.size, setting));
    }
    if let Some(given) = other {
        let value = || given.value(spec.size, setting);
        let also = [(spec.variables.c, "c"), (spec.variables.sh.is_none() && spec.variables.g.is_some(), "g")];
        also.iter().filter(|(is, _)| *is).for_each(|(_, name)| drop(initial.insert((*name).into(), value())));
        if spec.variables.y {
            initial.insert("y".into(), value());
        }
        if spec.variables.sh.is_some() {
            initial.insert("sh".into(), 0.37.into());
        }
    }
    if let (Some(given), true) = (whole, spec.variables.n) {
        initial.insert("n".into(), given.value(spec.size, setting));
    }
    if !initial.is_empty() {
        keys.insert("initial".into(), Value::Object(initial));
    }
}

impl Given {
    /// As JSON.
    pub(crate) fn value(&self, size: u32, setting: &Setting) -> Value {
        let of = |at: usize| NUMBERS[at % NUMBERS.len()];
        match self {
            Given::Number(at) => of(*at).into(),
            Given::Indexed(at) => json!({"expr": format!("{} + 0.053*i", of(*at))}),
            Given::List(at) => (0..size as usize).map(|neuron| of(at + neuron)).collect(),
            Given::Drawn(at) if setting.draws => format!("uniform(0.1, {})", 0.2 + of(*at)).into(),
            Given::Drawn(at) => json!({"expr": format!("{}*(1 + 0.1*(i % 3))", of(*at))}),
        }
    }
}
