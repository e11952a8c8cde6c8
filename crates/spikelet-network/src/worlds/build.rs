//! From a world to its network.

use indexmap::IndexMap;

use super::{Area, LearningRule, Lifecycle, NeuronModel, Sense, SynapseRule, World};
use crate::connectors::{All, Bernoulli, Exponential};
use crate::network::Delays;
use crate::{Connector, Endpoint, Network, Pathways, Population, Positions, Projection, Quantity};

/// One step, in ms.
pub(super) const STEP_MS: f64 = 1.0;

/// Health below which a neuron dies.
const DEATH: &str = "0.1";

/// Objects of the network, each with its place in the configuration.
struct Objects {
    populations: Vec<(Population, String)>,
    projections: Vec<(Projection, String)>,
}

fn objects(world: &World) -> Objects {
    let of_sense = |sense: &Sense| format!("senses.{}", sense.name);
    let areas = world.areas.iter().enumerate();
    let mut populations: Vec<_> = areas.map(|(index, area)| (neurons(world, area), format!("areas[{index}]"))).collect();
    populations.extend(world.senses.iter().map(|sense| (sensors(sense), of_sense(sense))));
    let input = |sense: &Sense| Some((input(world, sense)?, of_sense(sense)));
    let mut projections: Vec<_> = world.senses.iter().filter_map(input).collect();
    if let Some(lifecycle) = &world.lifecycle {
        let place = || "cell_lifecycle".to_owned();
        populations.extend(world.areas.iter().map(|area| (lives(area, lifecycle), place())));
        projections.extend(world.areas.iter().map(|area| (deaths(area, lifecycle), place())));
    }
    for pre in &world.areas {
        for post in &world.areas {
            let within_reach = match world.synapses.rule {
                SynapseRule::Random { .. } => true,
                SynapseRule::Distance { cutoff, .. } => pre.distance(post) <= cutoff,
            };
            if within_reach {
                projections.push((synapses(world, pre, post), "synapses".to_owned()));
            }
        }
    }
    Objects { populations, projections }
}

/// Where the objects of the network are in the configuration, by their paths.
pub(super) fn places(world: &World) -> Vec<(String, String)> {
    let Objects { populations, projections } = objects(world);
    let [populations, projections] =
        [populations.into_iter().map(|(_, place)| place).collect(), projections.into_iter().map(|(_, place)| place).collect()]
            .map(|places: Vec<String>| places.into_iter().enumerate());
    let populations = populations.map(|(index, place)| (format!("populations[{index}]"), place));
    populations.chain(projections.map(|(index, place)| (format!("projections[{index}]"), place))).collect()
}

pub(super) fn network(world: &World) -> Network {
    let Objects { populations, projections } = objects(world);
    let populations = populations.into_iter().map(|(population, _)| population).collect();
    let projections = projections.into_iter().map(|(projection, _)| projection).collect();
    let sizes = world.areas.len();
    let description = format!("A four-dimensional world of {sizes} area{}", if sizes == 1 { "" } else { "s" });
    Network { name: "world".to_owned(), description, dt_ms: STEP_MS, populations, projections, ..Network::default() }
}

/// A value with its unit.
pub(super) fn with_unit(value: f64, unit: &str) -> Quantity {
    if unit.is_empty() { Quantity::Number(value) } else { Quantity::Text(format!("{value} {unit}")) }
}

/// The parameters of a model with their units.
pub(super) fn parameters(model: &NeuronModel) -> Vec<(&'static str, f64, &'static str)> {
    match *model {
        NeuronModel::Lif { tau_m, v_rest, v_reset, v_threshold, refractory_period } => vec![
            ("tau_m", tau_m, "ms"),
            ("v_rest", v_rest, "mV"),
            ("v_reset", v_reset, "mV"),
            ("v_threshold", v_threshold, "mV"),
            ("refractory_period", refractory_period, "ms"),
        ],
        NeuronModel::Izhikevich { a, b, c, d } => vec![("a", a, ""), ("b", b, ""), ("c", c, "mV"), ("d", d, "mV")],
    }
}

/// The type of a parameter of a model, in a declaration.
fn type_of(parameter: &str) -> &'static str {
    match parameter {
        "tau_m" | "refractory_period" => "second",
        "a" | "b" => "1",
        _ => "volt",
    }
}

fn values(of: &[(&str, f64, &str)]) -> IndexMap<String, Quantity> {
    of.iter().map(|(name, value, unit)| ((*name).to_owned(), with_unit(*value, unit))).collect()
}

/// The neurons of an area.
fn neurons(world: &World, area: &Area) -> Population {
    let is_lif = matches!(area.model, NeuronModel::Lif { .. });
    // Input lasts one step: Euler's method subtracts all of it.
    let mut lines = vec!["dI_syn/dt = -I_syn/dt : volt"];
    let senses = world.senses.iter().any(|sense| sense.area == area.name);
    let input = if senses { "I_syn + sense" } else { "I_syn" };
    if senses {
        lines.push("sense : volt");
    }
    let (equations, fires) = if is_lif {
        (format!("dv/dt = (v_rest - v + {input})/tau_m : volt (unless refractory)"), "v >= v_threshold")
    } else {
        let potential = format!("dv/dt = (0.04*v**2/mV + 5*v + 140*mV - u + {input})/ms : volt");
        (format!("{potential}\ndu/dt = a*(b*v - u)/ms : volt"), "v >= 30*mV")
    };
    lines.insert(0, &equations);
    let reborn = world.lifecycle.as_ref().is_some_and(|lifecycle| lifecycle.reproduction);
    let dies = world.lifecycle.is_some() && !reborn;
    let fires = if dies { format!("fires = alive*int({fires}) : 1") } else { format!("fires = int({fires}) : 1") };
    lines.push(&fires);
    let own = values(&parameters(&area.model));
    let (mut parameters, mut initial) = (IndexMap::new(), IndexMap::new());
    let declared: Vec<String> = own.keys().map(|name| format!("{name} : {}", type_of(name))).collect();
    if reborn {
        lines.extend(declared.iter().map(String::as_str));
        lines.push("births : 1");
        initial.extend(own);
    } else {
        parameters.extend(own);
    }
    if dies {
        lines.push("alive : 1");
        initial.insert("alive".to_owned(), 1.0.into());
    }
    if is_lif {
        initial.insert("v".to_owned(), "v_rest".into());
    } else {
        initial.extend(values(&[("v", -65.0, "mV")]));
        initial.insert("u".to_owned(), "b*v".into());
    }
    if area.inhibitory_fraction > 0.0 {
        lines.push("inhibitory : 1 (constant)");
        parameters.extend(values(&[("inhibitory_fraction", area.inhibitory_fraction, "")]));
        parameters.insert("inhibitory".to_owned(), Quantity::expr("int(rand() < inhibitory_fraction)"));
    }
    if let Some(homeostasis) = &world.plasticity.homeostasis {
        lines.push("drate/dt = (int(t - lastspike < 1.5*dt)/dt - rate)/time_window : Hz");
        lines.push("dscaling/dt = scaling_rate*(target_rate - rate)/(target_rate*time_window) : 1");
        parameters.extend(values(&[
            ("target_rate", homeostasis.target_rate, "Hz"),
            ("time_window", homeostasis.time_window, "ms"),
            ("scaling_rate", homeostasis.scaling_rate, ""),
        ]));
    }
    Population {
        name: area.name.clone(),
        size: area.size() as u32,
        equations: Some(lines.join("\n")),
        threshold: Some("fires > 0.5".to_owned()),
        reset: Some(if is_lif { "v = v_reset" } else { "v = c\nu += d" }.to_owned()),
        refractory: is_lif.then(|| "refractory_period".to_owned()),
        method: Some("euler".to_owned()),
        parameters,
        initial,
        positions: Some(Positions::Grid {
            shape: area.shape.to_vec(),
            spacing: 1.0.into(),
            tile: None,
            periodic: false,
            origin: area.start.iter().map(|at| f64::from(*at)).collect(),
        }),
        ..Population::default()
    }
}

/// The array of a sense: a variable of neurons that do not fire. Its equation lets the outside set a number for each.
fn sensors(sense: &Sense) -> Population {
    Population {
        name: sense.name.clone(),
        size: sense.size[0] * sense.size[1],
        equations: Some("dvalue/dt = 0*mV/ms : volt".to_owned()),
        method: Some("euler".to_owned()),
        initial: values(&[("value", 0.0, "mV")]),
        positions: Some(Positions::lattice(sense.size.to_vec())),
        ..Population::default()
    }
}

/// The array as input of the first layer of its area, number by number.
fn input(world: &World, sense: &Sense) -> Option<Projection> {
    let area = world.areas.iter().find(|area| area.name == sense.area)?;
    let [across, along] = sense.size;
    // Rows of the array are rows of the layer, or parts of them.
    let (connect, end) = if across == area.shape[0] {
        (Connector::one_to_one(), across * along)
    } else {
        let condition = format!("i % {across} == j % {0} and i // {across} == j // {0}", area.shape[0]);
        let pairs = All { condition: Some(condition), autapses: true };
        (pairs.into(), area.shape[0] * along)
    };
    Some(Projection {
        name: format!("{}_to_{}", sense.name, area.name),
        pre: Endpoint::whole(&sense.name),
        post: Endpoint { start: Some(0), end: Some(end), ..Endpoint::whole(&area.name) },
        connect: Some(connect),
        equations: Some("sense_post = value_pre : volt (summed)".to_owned()),
        ..Projection::default()
    })
}

/// The ages of the neurons of an area, as neurons of their own: one that fires is a death.
fn lives(area: &Area, lifecycle: &Lifecycle) -> Population {
    let (mut lines, mut threshold) = (vec!["dhealth/dt = -health_decay/dt : 1", "dage/dt = 1 : second"], String::new());
    threshold += &format!("health < {DEATH} or age > max_age");
    let mut reset = "health = 1\nage = 0*ms";
    if !lifecycle.reproduction {
        lines.push("dead : 1");
        threshold = format!("({threshold}) and dead < 0.5");
        reset = "dead = 1";
    }
    Population {
        name: format!("{}_life", area.name),
        size: area.size() as u32,
        equations: Some(lines.join("\n")),
        threshold: Some(threshold),
        reset: Some(reset.to_owned()),
        method: Some("euler".to_owned()),
        parameters: values(&[
            ("health_decay", lifecycle.health_decay_per_step, ""),
            ("max_age", lifecycle.max_age * STEP_MS, "ms"),
        ]),
        initial: [("health", "0.1 + 0.9*rand()"), ("age", "max_age*rand()")]
            .map(|(name, text)| (name.to_owned(), Quantity::expr(text)))
            .into(),
        ..Population::default()
    }
}

/// What a death does to the neuron: silence, or other parameters, drawn around those that it had.
fn deaths(area: &Area, lifecycle: &Lifecycle) -> Projection {
    let mut projection = Projection {
        name: format!("{}_death", area.name),
        pre: Endpoint::whole(format!("{}_life", area.name)),
        post: Endpoint::whole(&area.name),
        connect: Some(Connector::one_to_one()),
        on_pre: Some("alive_post = 0".into()),
        ..Projection::default()
    };
    if lifecycle.reproduction {
        let mutated = |(name, _, _)| format!("{name}_post = {name}_post*(1 + mutation_std_params*randn())");
        let mut lines: Vec<String> = parameters(&area.model).into_iter().map(mutated).collect();
        let born = match area.model {
            NeuronModel::Lif { .. } => "v_post = v_rest_post",
            NeuronModel::Izhikevich { .. } => "v_post = c_post\nu_post = b_post*c_post",
        };
        lines.extend([born.to_owned(), "births_post = births_post + 1".to_owned()]);
        projection.on_pre = Some(lines.join("\n").into());
        projection.parameters = values(&[("mutation_std_params", lifecycle.mutation_std_params, "")]);
    }
    projection
}

/// The synapses between two areas, or in one.
fn synapses(world: &World, pre: &Area, post: &Area) -> Projection {
    let plasticity = &world.plasticity;
    let mut of = Statements::default();
    let mut numbers = vec![("weight_min", plasticity.weight_min, "mV"), ("weight_max", plasticity.weight_max, "mV")];
    if plasticity.weight_decay > 0.0 {
        of.declare("last : second");
        of.learn("next = sign(next)*max(abs(next) - weight_decay*(t - last)/dt, 0*mV)\nlast = t");
        numbers.push(("weight_decay", plasticity.weight_decay, "mV"));
    }
    if plasticity.homeostasis.is_some() {
        of.declare("seen : 1");
        of.learn("next = next*exp(scaling_post - seen)\nseen = scaling_post");
    }
    // A weight changes with each birth at either end; these changes are independent, so one draw gives their sum.
    if let Some(lifecycle) = world.lifecycle.filter(|lifecycle| lifecycle.reproduction && lifecycle.mutation_std_weights > 0.0) {
        of.declare("born : 1");
        of.learn(
            "next = next + mutation_std_weights*sqrt(births_pre + births_post - born)*randn()\nborn = births_pre + births_post",
        );
        numbers.push(("mutation_std_weights", lifecycle.mutation_std_weights, "mV"));
    }
    let mut on_post = None;
    match plasticity.rule {
        LearningRule::None => {}
        LearningRule::Hebb { learning_rate } => {
            of.learn("next = next + learning_rate*(1.5*fires_post - 0.5)");
            numbers.push(("learning_rate", learning_rate, "mV"));
        }
        LearningRule::Stdp { a_plus, a_minus, tau_plus, tau_minus } => {
            of.declare("dx/dt = -x/tau_plus : 1 (event-driven)");
            of.declare("dy/dt = -y/tau_minus : 1 (event-driven)");
            of.learn("next = next - a_minus*y\nx += 1");
            on_post = Some("y += 1\nw = clip(w + a_plus*x, weight_min, weight_max)".into());
            let of_rule = [("a_plus", a_plus, "mV"), ("a_minus", a_minus, "mV"), ("tau_plus", tau_plus, "ms")];
            numbers.extend(of_rule.into_iter().chain([("tau_minus", tau_minus, "ms")]));
        }
    }
    let transmit =
        if pre.inhibitory_fraction > 0.0 { "I_syn_post += w - inhibitory_pre*(w + abs(w))" } else { "I_syn_post += w" };
    let steps = f64::from(world.synapses.delay - 1);
    let learning = (!of.learning.is_empty())
        .then(|| format!("next = w\n{}\nw = clip(next, weight_min, weight_max)", of.learning.join("\n")));
    let (on_pre, delay_ms) = match learning {
        None => (transmit.into(), with_unit(steps * STEP_MS, "").into()),
        // What a neuron learns in a step, its spike of that step transmits.
        Some(learning) if steps == 0.0 => (format!("{learning}\n{transmit}").into(), Delays::default()),
        Some(learning) => {
            let pathways = [("learn", learning), ("transmit", transmit.to_owned())];
            let pathways: Pathways = pathways.map(|(name, text)| (name.to_owned(), text)).into_iter().collect();
            (pathways, Delays::Each([("transmit".to_owned(), (steps * STEP_MS).into())].into()))
        }
    };
    of.lines.insert(0, if of.learning.is_empty() { "w : volt (constant)" } else { "w : volt (plastic)" });
    let connect = match world.synapses.rule {
        SynapseRule::Random { p } => Bernoulli { p: p.into(), condition: None, autapses: false }.into(),
        SynapseRule::Distance { p, lambda, cutoff } => {
            Exponential { p, lambda: lambda.into(), cutoff: Some(cutoff.into()), autapses: false }.into()
        }
    };
    let mut parameters = values(&numbers);
    parameters
        .extend(values(&[("weight_mean", world.synapses.weight_mean, "mV"), ("weight_std", world.synapses.weight_std, "mV")]));
    let drawn = Quantity::expr("clip(normal(weight_mean, weight_std), weight_min, weight_max)");
    Projection {
        name: format!("{}_to_{}", pre.name, post.name),
        pre: Endpoint::whole(&pre.name),
        post: Endpoint::whole(&post.name),
        connect: Some(connect),
        equations: Some(of.lines.join("\n")),
        on_pre: Some(on_pre),
        on_post,
        parameters,
        initial: [("w".to_owned(), drawn)].into(),
        delay_ms,
        ..Projection::default()
    }
}

/// The variables of synapses, and what a presynaptic spike does to their weight `next`.
#[derive(Default)]
struct Statements {
    lines: Vec<&'static str>,
    learning: Vec<&'static str>,
}

impl Statements {
    fn declare(&mut self, line: &'static str) {
        self.lines.push(line);
    }

    fn learn(&mut self, line: &'static str) {
        self.learning.push(line);
    }
}
