//! From a network to the world of which it was made.

use super::build::{STEP_MS, parameters};
use super::{Area, Homeostasis, LearningRule, Lifecycle, NeuronModel, Plasticity, Sense, SynapseRule, World, WorldSynapses};
use crate::{Connector, Delays, Network, Population, Positions, Projection, Quantity};

/// What lacks, as a sentence.
type Found<T> = Result<T, String>;

pub(super) fn world(network: &Network) -> Found<World> {
    if network.dt_ms != STEP_MS {
        return Err(format!("the time step is {} ms, and a configuration has steps of {STEP_MS} ms", network.dt_ms));
    }
    let areas: Vec<Area> = network.populations.iter().filter_map(|of| area(of).transpose()).collect::<Found<_>>()?;
    let Some(first) = areas.first() else {
        return Err("no population is on a grid of four dimensions".to_owned());
    };
    let edge = |axis: usize| areas.iter().map(|area| area.start[axis] + area.shape[axis]).max().unwrap_or(1);
    let named =
        |pre: &str, post: &str| network.projections.iter().find(|of| of.pre.population == pre && of.post.population == post);
    let Some(recurrent) = named(&first.name, &first.name) else {
        return Err(format!("`{0}` has no projection to itself", first.name));
    };
    let sense = |of: &Population| {
        let Some(Positions::Grid { shape, .. }) = &of.positions else { return None };
        let size = <[u32; 2]>::try_from(shape.as_slice()).ok()?;
        let target = network.projections.iter().find(|projection| projection.pre.population == of.name)?;
        Some(Sense { name: of.name.clone(), area: target.post.population.clone(), size })
    };
    let lives = network.population(&format!("{}_life", first.name));
    let world = World {
        shape: std::array::from_fn(edge),
        senses: network.populations.iter().filter_map(sense).collect(),
        synapses: synapses(recurrent)?,
        plasticity: plasticity(network.population(&first.name), recurrent)?,
        lifecycle: lives.map(|lives| lifecycle(lives, named(&lives.name, &first.name), recurrent)).transpose()?,
        areas,
    };
    let mut made = world.network();
    // The arrays are input, not part of the world.
    for of in made.populations.iter_mut().filter(|of| world.senses.iter().any(|sense| sense.name == of.name)) {
        let given = network.population(&of.name).and_then(|given| given.initial.get("value"));
        of.initial.extend(given.map(|value| ("value".to_owned(), value.clone())));
    }
    compare(network, &made)?;
    Ok(world)
}

/// Finds the first part of a network that a configuration cannot express.
fn compare(network: &Network, made: &Network) -> Found<()> {
    if !network.sources.is_empty() {
        return Err(format!("a configuration has no sources, and the network has `{}`", network.sources[0].name));
    }
    let population = network.populations.iter().find(|of| made.population(&of.name) != Some(*of));
    let of_name = |name: &str| made.projections.iter().find(|of| of.name == name);
    let projection = network.projections.iter().find(|of| of_name(&of.name) != Some(*of));
    if let Some(name) = population.map(|of| &of.name).or(projection.map(|of| &of.name)) {
        return Err(format!("a configuration cannot express `{name}`, its equations or its values"));
    }
    let lacks = made.populations.iter().map(|of| &of.name).find(|name| network.population(name).is_none());
    let has = |name: &str| network.projections.iter().any(|of| of.name == name);
    let lacks = lacks.or(made.projections.iter().map(|of| &of.name).find(|name| !has(name)));
    match lacks {
        Some(name) => Err(format!("the network lacks `{name}`, which a configuration has")),
        None if (&network.populations, &network.projections) != (&made.populations, &made.projections) => {
            Err("a configuration lists areas, senses and projections in another order".to_owned())
        }
        None => Ok(()),
    }
}

/// The area of a population, if it is on a grid of four dimensions.
fn area(of: &Population) -> Found<Option<Area>> {
    let Some(Positions::Grid { shape, origin, .. }) = &of.positions else { return Ok(None) };
    let Ok(shape) = <[u32; 4]>::try_from(shape.as_slice()) else { return Ok(None) };
    let at = |axis: usize| origin.get(axis).copied().unwrap_or(0.0);
    if (0..4).any(|axis| at(axis).fract() != 0.0 || !(0.0..1e9).contains(&at(axis))) {
        return Err(format!("the origin of `{}` is {origin:?}, and areas are boxes of lattice points", of.name));
    }
    let is_lif = of.equations.as_deref().unwrap_or_default().contains("tau_m");
    let mut model = if is_lif { NeuronModel::LIF } else { NeuronModel::IZHIKEVICH };
    for (name, _, unit) in parameters(&model) {
        let value = number(of, name, unit)?;
        *parameter(&mut model, name) = value;
    }
    let mixed = of.parameters.contains_key("inhibitory_fraction");
    Ok(Some(Area {
        name: of.name.clone(),
        start: std::array::from_fn(|axis| at(axis) as u32),
        shape,
        model,
        inhibitory_fraction: if mixed { number(of, "inhibitory_fraction", "")? } else { 0.0 },
    }))
}

/// A parameter of a model.
fn parameter<'a>(model: &'a mut NeuronModel, name: &str) -> &'a mut f64 {
    match model {
        NeuronModel::Lif { tau_m, v_rest, v_reset, v_threshold, refractory_period } => match name {
            "tau_m" => tau_m,
            "v_rest" => v_rest,
            "v_reset" => v_reset,
            "v_threshold" => v_threshold,
            _ => refractory_period,
        },
        NeuronModel::Izhikevich { a, b, c, d } => match name {
            "a" => a,
            "b" => b,
            "c" => c,
            _ => d,
        },
    }
}

/// A value of a population.
fn number(of: &Population, name: &str, unit: &str) -> Found<f64> {
    let value = of.parameters.get(name).or_else(|| of.initial.get(name));
    value.and_then(|value| read(value, unit)).ok_or_else(|| lacks(&of.name, name))
}

/// A value of a projection.
fn parameter_of(of: &Projection, name: &str, unit: &str) -> Found<f64> {
    of.parameters.get(name).and_then(|value| read(value, unit)).ok_or_else(|| lacks(&of.name, name))
}

fn lacks(object: &str, name: &str) -> String {
    format!("`{object}` has no single number `{name}`, which a configuration has")
}

/// A number as it is written in the network of a world.
fn read(value: &Quantity, unit: &str) -> Option<f64> {
    match value {
        Quantity::Number(number) if unit.is_empty() => Some(*number),
        Quantity::Text(text) => text.strip_suffix(unit)?.trim_end().parse().ok(),
        _ => None,
    }
}

fn synapses(of: &Projection) -> Found<WorldSynapses> {
    let length = |quantity: &Quantity| quantity.length("").map_err(|error| error.to_string());
    let rule = match &of.connect {
        Some(Connector::Bernoulli(rule)) => match rule.p {
            Quantity::Number(p) => SynapseRule::Random { p },
            _ => return Err(lacks(&of.name, "p")),
        },
        Some(Connector::Exponential(rule)) => {
            let lambda = length(&rule.lambda)?;
            let cutoff = rule.cutoff.as_ref().ok_or_else(|| lacks(&of.name, "cutoff"))?;
            SynapseRule::Distance { p: rule.p, lambda, cutoff: length(cutoff)? }
        }
        _ => return Err(format!("`{}` has another rule than \"bernoulli\" and \"exponential\"", of.name)),
    };
    let delay = match &of.delay_ms {
        Delays::Same(delay) => delay,
        each @ Delays::Each(_) => each.of("transmit"),
    };
    let Quantity::Number(delay) = delay else { return Err(lacks(&of.name, "delay_ms")) };
    Ok(WorldSynapses {
        rule,
        weight_mean: parameter_of(of, "weight_mean", "mV")?,
        weight_std: parameter_of(of, "weight_std", "mV")?,
        delay: libm::round(delay / STEP_MS) as u32 + 1,
    })
}

fn plasticity(post: Option<&Population>, of: &Projection) -> Found<Plasticity> {
    let has = |name: &str| of.parameters.contains_key(name);
    let rule = if has("learning_rate") {
        LearningRule::Hebb { learning_rate: parameter_of(of, "learning_rate", "mV")? }
    } else if has("a_plus") {
        LearningRule::Stdp {
            a_plus: parameter_of(of, "a_plus", "mV")?,
            a_minus: parameter_of(of, "a_minus", "mV")?,
            tau_plus: parameter_of(of, "tau_plus", "ms")?,
            tau_minus: parameter_of(of, "tau_minus", "ms")?,
        }
    } else {
        LearningRule::None
    };
    let homeostasis = |post: &Population| {
        Ok::<_, String>(Homeostasis {
            target_rate: number(post, "target_rate", "Hz")?,
            time_window: number(post, "time_window", "ms")?,
            scaling_rate: number(post, "scaling_rate", "")?,
        })
    };
    Ok(Plasticity {
        rule,
        weight_min: parameter_of(of, "weight_min", "mV")?,
        weight_max: parameter_of(of, "weight_max", "mV")?,
        weight_decay: if has("weight_decay") { parameter_of(of, "weight_decay", "mV")? } else { 0.0 },
        homeostasis: post.filter(|post| post.parameters.contains_key("target_rate")).map(homeostasis).transpose()?,
    })
}

fn lifecycle(lives: &Population, deaths: Option<&Projection>, recurrent: &Projection) -> Found<Lifecycle> {
    let mutated = |of: Option<&Projection>, name: &str, unit: &str| match of {
        Some(of) if of.parameters.contains_key(name) => parameter_of(of, name, unit),
        _ => Ok(0.0),
    };
    Ok(Lifecycle {
        reproduction: !lives.initial.contains_key("dead") && !lives.reset.as_deref().unwrap_or_default().contains("dead"),
        max_age: number(lives, "max_age", "ms")? / STEP_MS,
        health_decay_per_step: number(lives, "health_decay", "")?,
        mutation_std_params: mutated(deaths, "mutation_std_params", "")?,
        mutation_std_weights: mutated(Some(recurrent), "mutation_std_weights", "mV")?,
    })
}
