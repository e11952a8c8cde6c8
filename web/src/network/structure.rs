//! Adding, duplicating, renaming and removing the objects of a network, with all references to them.

use indexmap::IndexMap;
use spikelet_lang::Dimension;
use spikelet_lang::syntax::EquationKind;
use spikelet_network::{Connector, Endpoint, Network, Population, Projection, Quantity, Source, SourceKind};

use super::{Kind, Object};
use crate::equations::{self, Texts};
use crate::role::{Role, role};

/// Size and name of the first populations of a new network: four excitatory neurons per inhibitory one.
const FIRST: [(&str, u32); 2] = [("E", 800), ("I", 200)];

/// Whether an object has this name.
pub(crate) fn is_taken(network: &Network, name: &str) -> bool {
    names(network).any(|(_, taken)| taken == name)
}

fn names(network: &Network) -> impl Iterator<Item = (Object, &str)> {
    let all = |kind: Kind| (0..kind.count(network)).map(move |place| Object::new(kind, place));
    Kind::ALL.into_iter().flat_map(all).filter_map(|object| Some((object, object.name(network)?)))
}

/// `stem`, or `stem_2`, `stem_3` … if it is used.
fn free(network: &Network, stem: &str) -> String {
    let numbered = (2..).map(|number| format!("{stem}_{number}"));
    let mut names = std::iter::once(stem.to_owned()).chain(numbered);
    names.find(|name| !is_taken(network, name)).unwrap_or_default()
}

/// Adds a valid object; `None` if there is no target for it.
pub(crate) fn add(network: &mut Network, kind: Kind) -> Option<Object> {
    match kind {
        Kind::Population => {
            let (stem, size) = FIRST.into_iter().find(|(name, _)| !is_taken(network, name)).unwrap_or(("P", 100));
            add_population(network, stem, size);
        }
        Kind::Source => {
            let name = free(network, "input");
            network.sources.push(Source { name, kind: SourceKind::Poisson { size: 100, rate: "20 Hz".into() } });
        }
        Kind::Projection => {
            let (pre, post) = unjoined(network)?;
            join(network, &pre, &post);
        }
    }
    Some(Object::new(kind, kind.count(network) - 1))
}

/// Adds a projection between a population or source and a population.
pub(crate) fn join(network: &mut Network, pre: &str, post: &str) -> Object {
    let mut projection = Projection {
        name: free(network, &format!("{pre}_{post}")),
        pre: Endpoint::whole(pre),
        post: Endpoint::whole(post),
        connect: Some(Connector::bernoulli(0.1)),
        delay_ms: "1 ms".into(),
        ..Projection::default()
    };
    act_as_fits(network, &mut projection);
    network.projections.push(projection);
    Object::new(Kind::Projection, network.projections.len() - 1)
}

/// Adds a population with a name that begins with `stem`, and records its potential.
pub(crate) fn add_population(network: &mut Network, stem: &str, size: u32) -> Object {
    let start = Quantity::expr("Vr + rand()*(Vt - Vr)");
    let population = Population {
        name: free(network, stem),
        size,
        model: Some("lif_exp".into()),
        initial: IndexMap::from([("v".to_owned(), start)]),
        ..Population::default()
    };
    network.recordings.push(equations::recording(&population, "v"));
    network.populations.push(population);
    Object::new(Kind::Population, network.populations.len() - 1)
}

/// The first population or source, and the first population, without a projection; else the first of each.
fn unjoined(network: &Network) -> Option<(String, String)> {
    let senders = || {
        let sources = network.sources.iter().filter(|source| source.size() > 0).map(|source| &source.name);
        network.populations.iter().map(|population| &population.name).chain(sources)
    };
    let pairs = || senders().flat_map(|pre| network.populations.iter().map(move |post| (pre, &post.name)));
    let is_joined = |(pre, post): &(&String, &String)| {
        network.projections.iter().any(|of| of.pre.population == **pre && of.post.population == **post)
    };
    let pair = pairs().find(|pair| !is_joined(pair)).or_else(|| pairs().next());
    pair.map(|(pre, post)| (pre.clone(), post.clone()))
}

/// Gives a projection a statement that adds to a variable of its target, and a weight of the right dimension.
pub(crate) fn act_as_fits(network: &Network, projection: &mut Projection) {
    let Some(target) = network.population(&projection.post.population) else { return };
    let inhibits = role(&projection.pre.population) == Role::Inhibitory;
    let texts = Texts::of(target);
    let states: Vec<(String, Dimension)> = equations::equations_of(&texts.equations)
        .into_iter()
        .filter(|equation| matches!(equation.kind, EquationKind::Differential(_)))
        .map(|equation| (equation.name, equation.unit.dimension))
        .collect();
    // Usual names of excitatory and inhibitory variables.
    let wanted: &[&str] =
        if inhibits { &["gi", "g_i", "g_inh", "I_i", "I_inh", "Ii"] } else { &["ge", "g_e", "g_exc", "I_e", "I_exc", "Ie"] };
    let found = states.iter().find(|(name, _)| wanted.contains(&name.as_str())).or_else(|| states.first());
    let Some((variable, dimension)) = found else { return };
    let unit = if dimension.is_none() { String::new() } else { dimension.inner_unit().to_owned() };
    let size = match unit.as_str() {
        "mV" if inhibits => -2.0,
        "mV" => 0.5,
        "pA" if inhibits => -50.0,
        "pA" => 20.0,
        "nS" => 1.0,
        _ => 0.1,
    };
    projection.on_pre = Some(format!("{variable}_post += w").as_str().into());
    projection.parameters.insert("w".into(), format!("{size} {unit}").trim_end().into());
}

/// Inserts a copy after an object, with a unique name.
pub(crate) fn duplicate(network: &mut Network, object: Object) -> Option<Object> {
    let name = free(network, object.name(network)?);
    let place = object.place + 1;
    match object.kind {
        Kind::Population => {
            let copy = Population { name: name.clone(), ..network.populations[object.place].clone() };
            let original = &network.populations[object.place].name;
            let recordings = network.recordings.iter().filter(|recording| recording.object == *original);
            let recordings: Vec<_> =
                recordings.map(|of| spikelet_network::Recording { object: name.clone(), ..of.clone() }).collect();
            network.recordings.extend(recordings);
            network.populations.insert(place, copy);
        }
        Kind::Source => network.sources.insert(place, Source { name, ..network.sources[object.place].clone() }),
        Kind::Projection => {
            let original = &network.projections[object.place].name;
            let statistics = network.statistics.iter().filter(|statistic| statistic.object == *original);
            let statistics: Vec<_> =
                statistics.map(|of| spikelet_network::Statistic { object: name.clone(), ..of.clone() }).collect();
            network.statistics.extend(statistics);
            network.projections.insert(place, Projection { name, ..network.projections[object.place].clone() });
        }
    }
    Some(Object::new(object.kind, place))
}

/// The error of this name for an object.
pub(crate) fn name_error(network: &Network, object: Object, name: &str) -> Option<String> {
    let unfit = |c: char| matches!(c, '.' | '[' | ']' | ':' | '=') || c.is_whitespace() || c.is_control();
    if name.is_empty() {
        return Some(format!("A {} needs a name, such as E.", object.kind.word()));
    }
    if name.contains(unfit) {
        return Some("A name is an identifier without spaces and without . : = [ ]".into());
    }
    let (taken, _) = names(network).find(|(other, taken)| *other != object && *taken == name)?;
    Some(format!("The name {name} is already used by a {}; names must be unique.", taken.kind.word()))
}

/// Renames an object and all references to it. The name must be valid: see [`name_error`].
pub(crate) fn rename(network: &mut Network, object: Object, name: &str) {
    let Some(before) = object.name(network).map(str::to_owned) else { return };
    let follow = |reference: &mut String| {
        if *reference == before {
            name.clone_into(reference);
        }
    };
    let stem = |projection: &Projection| format!("{}_{}", projection.pre.population, projection.post.population);
    match object.kind {
        Kind::Population => name.clone_into(&mut network.populations[object.place].name),
        Kind::Source => name.clone_into(&mut network.sources[object.place].name),
        Kind::Projection => name.clone_into(&mut network.projections[object.place].name),
    }
    for recording in &mut network.recordings {
        follow(&mut recording.object);
    }
    for statistic in &mut network.statistics {
        follow(&mut statistic.object);
    }
    for change in &mut network.changes {
        let paths = std::mem::take(&mut change.set).into_iter();
        let renamed = |(path, value): (String, Quantity)| match path.strip_prefix(&before) {
            Some(rest) if rest.starts_with('.') => (format!("{name}{rest}"), value),
            _ => (path, value),
        };
        change.set = paths.map(renamed).collect();
    }
    for condition in &mut network.stop {
        if let Some((start, rest)) =
            counted(condition).filter(|(_, counted)| *counted == before).map(|(at, of)| (at, at + of.len()))
        {
            condition.replace_range(start..rest, name);
        }
    }
    if object.kind == Kind::Projection {
        return;
    }
    for source in &mut network.sources {
        if let SourceKind::PoissonInput { targets, .. } = &mut source.kind {
            targets.iter_mut().for_each(|target| follow(&mut target.population));
        }
    }
    for population in &mut network.populations {
        population.linked.values_mut().for_each(|link| follow(&mut link.population));
    }
    for place in 0..network.projections.len() {
        let projection = &mut network.projections[place];
        let is_named_after = projection.name == stem(projection);
        follow(&mut projection.pre.population);
        follow(&mut projection.post.population);
        if let Some(third) = &mut projection.third {
            follow(&mut third.population);
        }
        let after = stem(projection);
        if is_named_after && projection.name != after && !is_taken(network, &after) {
            rename(network, Object::new(Kind::Projection, place), &after);
        }
    }
}

/// The object of a condition, and its position: `E` in `rate(E, 50 ms) > 100 Hz`.
fn counted(condition: &str) -> Option<(usize, &str)> {
    let open = condition.find('(')? + 1;
    let inside = &condition[open..open + condition[open..].find([',', ')'])?];
    let start = open + inside.len() - inside.trim_start().len();
    Some((start, inside.trim()))
}

/// Objects that would have no target without this one: projections, and sources that act on nothing else.
pub(crate) fn references(network: &Network, object: Object) -> Vec<Object> {
    let Some(name) = object.name(network).filter(|_| object.kind != Kind::Projection) else { return Vec::new() };
    let only_on_it = |source: &Source| match &source.kind {
        SourceKind::PoissonInput { targets, .. } => !targets.is_empty() && targets.iter().all(|target| target.population == name),
        SourceKind::Spikes { .. } | SourceKind::Poisson { .. } => false,
    };
    let on_it = |projection: &Projection| {
        let third = projection.third.as_ref().map(|third| &third.population);
        [&projection.pre.population, &projection.post.population].into_iter().chain(third).any(|of| of == name)
    };
    let sources = network.sources.iter().enumerate().filter(|(_, source)| only_on_it(source));
    let projections = network.projections.iter().enumerate().filter(|(_, projection)| on_it(projection));
    let sources = sources.map(|(place, _)| Object::new(Kind::Source, place));
    sources.chain(projections.map(|(place, _)| Object::new(Kind::Projection, place))).collect()
}

/// Removes an object with all references to it.
pub(crate) fn remove(network: &mut Network, object: Object) {
    let Some(name) = object.name(network).map(str::to_owned) else { return };
    let mut gone = references(network, object);
    gone.push(object);
    let names: Vec<String> = gone.iter().filter_map(|object| Some(object.name(network)?.to_owned())).collect();
    let is_gone = |kind: Kind| {
        let places: Vec<usize> = gone.iter().filter(|object| object.kind == kind).map(|object| object.place).collect();
        let mut place = 0;
        move || {
            place += 1;
            places.contains(&(place - 1))
        }
    };
    let (mut population, mut source, mut projection) =
        (is_gone(Kind::Population), is_gone(Kind::Source), is_gone(Kind::Projection));
    network.populations.retain(|_| !population());
    network.sources.retain(|_| !source());
    network.projections.retain(|_| !projection());
    network.recordings.retain(|recording| !names.contains(&recording.object));
    network.statistics.retain(|statistic| !names.contains(&statistic.object));
    for change in &mut network.changes {
        change.set.retain(|path, _| !path.split_once('.').is_some_and(|(of, _)| names.iter().any(|name| name == of)));
    }
    network.changes.retain(|change| !change.set.is_empty());
    network.stop.retain(|condition| !counted(condition).is_some_and(|(_, of)| names.iter().any(|name| name == of)));
    for source in &mut network.sources {
        if let SourceKind::PoissonInput { targets, .. } = &mut source.kind {
            targets.retain(|target| target.population != name);
        }
    }
}

#[cfg(test)]
mod tests {
    use spikelet::Plan;
    use spikelet_network::catalogue;

    use super::*;

    const E: Object = Object { kind: Kind::Population, place: 0 };
    const I: Object = Object { kind: Kind::Population, place: 1 };

    fn names_of(network: &Network, kind: Kind) -> Vec<String> {
        (0..kind.count(network)).filter_map(|place| Some(Object::new(kind, place).name(network)?.to_owned())).collect()
    }

    #[test]
    fn a_network_from_nothing_runs_as_it_is_added() {
        let mut network = Network { name: "mine".into(), ..Network::default() };
        assert_eq!(add(&mut network, Kind::Projection), None, "there is nothing to join");
        assert_eq!(add(&mut network, Kind::Population), Some(E));
        assert_eq!(add(&mut network, Kind::Population), Some(I));
        assert_eq!(add(&mut network, Kind::Source), Some(Object::new(Kind::Source, 0)));
        for place in 0..6 {
            assert_eq!(add(&mut network, Kind::Projection), Some(Object::new(Kind::Projection, place)));
        }
        assert_eq!(names_of(&network, Kind::Population), ["E", "I"]);
        assert_eq!(names_of(&network, Kind::Projection), ["E_E", "E_I", "I_E", "I_I", "input_E", "input_I"]);
        let text = |place: usize| network.projections[place].on_pre.as_ref().and_then(|on_pre| on_pre.single());
        assert_eq!((text(0), text(2)), (Some("ge_post += w"), Some("gi_post += w")));
        assert_eq!(network.projections[2].parameters["w"], "-2 mV".into());
        network.validate().unwrap();
        Plan::new(&network).unwrap();
    }

    #[test]
    fn a_name_is_followed_by_what_refers_to_it() {
        let mut network = catalogue::network("cuba", 1.0).unwrap();
        let targets = vec!["E[0:100]".parse().unwrap(), Endpoint::whole("I")];
        let kind = SourceKind::PoissonInput { targets, var: "v".into(), n: 1, rate: "1 Hz".into(), weight: "1 mV".into() };
        network.sources.push(Source { name: "noise".into(), kind });
        network.validate().unwrap();
        rename(&mut network, E, "cells");
        network.validate().unwrap();
        assert_eq!(network.populations[0].name, "cells");
        assert!(network.projections.iter().all(|of| of.pre.population != "E" && of.post.population != "E"));
        assert!(network.recordings.iter().all(|recording| recording.object != "E"));
        let SourceKind::PoissonInput { targets, .. } = &network.sources[0].kind else { panic!("{network:?}") };
        assert_eq!(targets.iter().map(ToString::to_string).collect::<Vec<_>>(), ["cells[0:100]", "I"]);
        for (name, sentence) in [("I", "already"), ("noise", "already"), ("", "needs a name"), ("a b", "without spaces")] {
            let field_error = name_error(&network, E, name).unwrap();
            assert!(field_error.contains(sentence), "{field_error}");
        }
        assert_eq!(name_error(&network, E, "cells"), None, "its own");
    }

    #[test]
    fn changes_and_conditions_follow_too() {
        let mut network = catalogue::network("cuba", 1.0).unwrap();
        network.add_change("10 ms: E.taum = 15 ms".parse().unwrap()).unwrap();
        network.add_change("20 ms: I.taum = 15 ms".parse().unwrap()).unwrap();
        network.add_stop("rate( E , 50 ms) > 100 Hz").unwrap();
        network.add_stop("spikes > 1000").unwrap();
        rename(&mut network, E, "cells");
        network.validate().unwrap();
        let paths = |network: &Network| network.changes.iter().flat_map(|of| of.set.keys().cloned()).collect::<Vec<_>>();
        assert_eq!(paths(&network), ["cells.taum", "I.taum"]);
        assert_eq!(network.stop, ["rate( cells , 50 ms) > 100 Hz", "spikes > 1000"]);
        remove(&mut network, E);
        network.validate().unwrap();
        assert_eq!((paths(&network), network.stop.len()), (vec!["I.taum".to_owned()], 1));
    }

    #[test]
    fn names_made_of_two_follow_both() {
        let mut network = Network { name: "mine".into(), ..Network::default() };
        for kind in [Kind::Population, Kind::Population, Kind::Projection, Kind::Projection] {
            add(&mut network, kind);
        }
        rename(&mut network, E, "exc");
        assert_eq!(names_of(&network, Kind::Projection), ["exc_exc", "exc_I"]);
        rename(&mut network, Object::new(Kind::Projection, 1), "forward");
        rename(&mut network, E, "E");
        assert_eq!(names_of(&network, Kind::Projection), ["E_E", "forward"]);
    }

    #[test]
    fn what_is_removed_leaves_nothing_dangling() {
        let mut network = catalogue::network("cuba", 1.0).unwrap();
        let kind = |targets: &[&str]| SourceKind::PoissonInput {
            targets: targets.iter().map(|target| Endpoint::whole(*target)).collect(),
            var: "v".into(),
            n: 1,
            rate: "1 Hz".into(),
            weight: "1 mV".into(),
        };
        network.sources.push(Source { name: "both".into(), kind: kind(&["E", "I"]) });
        network.sources.push(Source { name: "one".into(), kind: kind(&["I"]) });
        let referring = references(&network, I);
        assert_eq!(referring.len(), 4, "three projections and a source: {referring:?}");
        remove(&mut network, I);
        network.validate().unwrap();
        assert_eq!(names_of(&network, Kind::Population), ["E"]);
        assert_eq!(names_of(&network, Kind::Source), ["both"]);
        assert_eq!(network.projections.len(), 1);
        remove(&mut network, Object::new(Kind::Projection, 0));
        network.validate().unwrap();
        assert_eq!(network.projections, []);
    }

    #[test]
    fn a_copy_has_a_name_of_its_own() {
        let mut network = catalogue::network("cuba", 1.0).unwrap();
        assert_eq!(duplicate(&mut network, E), Some(I));
        assert_eq!(names_of(&network, Kind::Population), ["E", "E_2", "I"]);
        let copy = Population { name: "E".into(), ..network.populations[1].clone() };
        assert_eq!(copy, network.populations[0]);
        duplicate(&mut network, Object::new(Kind::Projection, 0));
        network.validate().unwrap();
    }
}
