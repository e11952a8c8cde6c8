//! Edits of several objects at once, and of the ends of connections, by the diagram.

use spikelet_network::{Endpoint, SourceKind};

use super::Equations;
use crate::canvas::notation::Shape;
use crate::network::{Kind, Object, structure};

/// Size and name of a population of each sign: four excitatory neurons per inhibitory one.
fn stem(shape: Shape) -> (&'static str, u32) {
    match shape {
        Shape::Excitatory => ("E", 800),
        Shape::Inhibitory => ("I", 200),
        _ => ("P", 100),
    }
}

impl Equations {
    /// Adds what a shape stands for; `None` for a recorder, which is no object.
    pub(crate) fn add_shape(&mut self, shape: Shape) -> Option<Object> {
        match shape {
            Shape::Recorder => None,
            Shape::Stimulator => self.add(Kind::Source),
            shape => {
                let (stem, size) = stem(shape);
                self.add_by(|network| Some(structure::add_population(network, stem, size)))
            }
        }
    }

    /// Connects two objects: by a projection, or as a target of a source without neurons. Returns the object with the connection.
    ///
    /// # Errors
    /// Why there can be no such connection.
    pub(crate) fn connect(&mut self, from: Object, to: Object) -> Result<Object, String> {
        let nothing = || "There is nothing to connect.".to_owned();
        let network = self.network().ok_or_else(nothing)?;
        let [pre, post] = [from, to].map(|object| object.name(network).map(str::to_owned));
        let (Some(pre), Some(post)) = (pre, post) else { return Err(nothing()) };
        if to.kind != Kind::Population {
            return Err(format!("{post} is a source: it sends spikes and receives none. Connect from {post} to a population."));
        }
        let has_targets = network.sources.get(from.place).filter(|_| from.kind == Kind::Source);
        if let Some(SourceKind::PoissonInput { targets, .. }) = has_targets.map(|source| &source.kind) {
            if targets.iter().any(|target| target.population == post) {
                return Err(format!("{pre} is already connected to {post}."));
            }
            self.draw(|network| {
                if let SourceKind::PoissonInput { targets, .. } = &mut network.sources[from.place].kind {
                    targets.push(Endpoint::whole(post));
                }
            });
            return Ok(from);
        }
        self.add_by(|network| Some(structure::join(network, &pre, &post))).ok_or_else(nothing)
    }

    /// Removes objects and all references to them. Returns the names of all that is gone.
    pub(crate) fn remove_objects(&mut self, objects: &[Object]) -> Vec<String> {
        let names = |equations: &Equations| -> Vec<String> {
            let Some(network) = equations.network() else { return Vec::new() };
            let all = |kind: Kind| (0..kind.count(network)).map(move |place| Object::new(kind, place));
            Kind::ALL.into_iter().flat_map(all).filter_map(|object| Some(object.name(network)?.to_owned())).collect()
        };
        let before = names(self);
        // Indices change with every removal, names do not.
        for (kind, name) in self.named(objects) {
            if let Some(object) = self.object_named(kind, &name) {
                self.remove_object(object);
            }
        }
        let after = names(self);
        let gone: Vec<String> = before.into_iter().filter(|name| !after.contains(name)).collect();
        self.arrangement.forget(&gone);
        gone
    }

    /// Inserts a copy after each object. Projections between copied objects are copied along, and connect the copies. Returns the copies
    /// of the given objects.
    pub(crate) fn duplicate_objects(&mut self, objects: &[Object]) -> Vec<Object> {
        let mut copies: Vec<(String, Kind, String)> = Vec::new();
        for (kind, name) in self.named(objects).into_iter().filter(|(kind, _)| *kind != Kind::Projection) {
            let Some(original) = self.object_named(kind, &name) else { continue };
            let copy = self.duplicate(original).and_then(|copy| Some(copy.name(self.network()?)?.to_owned()));
            copies.extend(copy.map(|copy| (name, kind, copy)));
        }
        let is_inside = |name: &str| copies.iter().any(|(original, ..)| original == name);
        let copy_of = |name: &str| {
            let found = copies.iter().find(|(original, ..)| original == name);
            found.map_or_else(|| name.to_owned(), |(.., copy)| copy.clone())
        };
        let chosen: Vec<String> =
            self.named(objects).into_iter().filter(|(kind, _)| *kind == Kind::Projection).map(|of| of.1).collect();
        let network = self.network();
        let projections = network.into_iter().flat_map(|network| &network.projections).filter(|projection| {
            let is_between = is_inside(&projection.pre.population) && is_inside(&projection.post.population);
            is_between || chosen.contains(&projection.name)
        });
        let projections: Vec<String> = projections.map(|projection| projection.name.clone()).collect();
        let mut all: Vec<(Kind, String)> = copies.iter().map(|(_, kind, copy)| (*kind, copy.clone())).collect();
        for name in projections {
            let Some(original) = self.object_named(Kind::Projection, &name) else { continue };
            let Some(copy) = self.duplicate(original) else { continue };
            let ends = self.network().and_then(|network| {
                let projection = network.projections.get(copy.place)?;
                let [pre, post] = [&projection.pre, &projection.post].map(|end| copy_of(&end.population));
                let wanted = format!("{pre}_{post}");
                let name = if structure::is_taken(network, &wanted) { projection.name.clone() } else { wanted };
                Some((pre, post, name))
            });
            let Some((pre, post, new_name)) = ends else { continue };
            self.draw(|network| {
                let projection = &mut network.projections[copy.place];
                (projection.pre.population, projection.post.population) = (pre, post);
                structure::rename(network, copy, &new_name);
            });
            if chosen.contains(&name) {
                all.push((Kind::Projection, new_name));
            }
        }
        all.into_iter().filter_map(|(kind, name)| self.object_named(kind, &name)).collect()
    }

    /// The kinds and names of objects.
    pub(crate) fn named(&self, objects: &[Object]) -> Vec<(Kind, String)> {
        let Some(network) = self.network() else { return Vec::new() };
        objects.iter().filter_map(|object| Some((object.kind, object.name(network)?.to_owned()))).collect()
    }

    fn object_named(&self, kind: Kind, name: &str) -> Option<Object> {
        let network = self.network()?;
        (0..kind.count(network)).map(|place| Object::new(kind, place)).find(|object| object.name(network) == Some(name))
    }
}

#[cfg(test)]
mod tests {
    use spikelet_network::catalogue;

    use super::*;

    fn at(kind: Kind, place: usize) -> Object {
        Object::new(kind, place)
    }

    fn cuba() -> Equations {
        Equations::of(catalogue::network("cuba", 0.1).expect("cuba"))
    }

    #[test]
    fn two_populations_are_drawn_from_nothing_and_run() {
        let mut equations = Equations::of(super::super::start::network());
        equations.remove_objects(&[at(Kind::Population, 0)]);
        let excitatory = equations.add_shape(Shape::Excitatory).expect("E");
        let inhibitory = equations.add_shape(Shape::Inhibitory).expect("I");
        let source = equations.add_shape(Shape::Stimulator).expect("a source");
        assert_eq!(equations.add_shape(Shape::Recorder), None);
        for (from, to) in [(excitatory, inhibitory), (inhibitory, excitatory), (excitatory, excitatory), (source, excitatory)] {
            equations.connect(from, to).expect("a projection");
        }
        let network = equations.candidate().expect("a network");
        network.validate().expect("it is valid");
        let names: Vec<_> = network.projections.iter().map(|projection| projection.name.as_str()).collect();
        assert_eq!(names, ["E_I", "I_E", "E_E", "input_E"]);
        let refused = equations.connect(excitatory, source).unwrap_err();
        assert!(refused.contains("receives none"), "{refused}");
    }

    #[test]
    fn a_source_without_neurons_gets_targets() {
        let mut equations = cuba();
        equations.draw(|network| {
            let kind = SourceKind::PoissonInput {
                targets: vec!["E".parse().unwrap()],
                var: "v".into(),
                n: 1,
                rate: "1 Hz".into(),
                weight: "1 mV".into(),
            };
            network.sources.push(spikelet_network::Source { name: "noise".into(), kind });
        });
        let noise = at(Kind::Source, 0);
        assert_eq!(equations.connect(noise, at(Kind::Population, 1)), Ok(noise));
        let again = equations.connect(noise, at(Kind::Population, 1)).unwrap_err();
        assert!(again.contains("already"), "{again}");
        let network = equations.candidate().expect("a network");
        assert_eq!(network.projections.len(), 4);
        let SourceKind::PoissonInput { targets, .. } = &network.sources[0].kind else { panic!("{network:?}") };
        assert_eq!(targets.iter().map(ToString::to_string).collect::<Vec<_>>(), ["E", "I"]);
    }

    #[test]
    fn several_are_removed_with_what_hangs_on_them() {
        let mut equations = cuba();
        equations.add(Kind::Population);
        equations.arrangement.put("E", crate::canvas::geometry::Point::new(1.0, 1.0));
        let gone = equations.remove_objects(&[at(Kind::Population, 0), at(Kind::Population, 1)]);
        assert_eq!(gone.len(), 6, "two populations and four projections: {gone:?}");
        assert_eq!(equations.names(), ["P"]);
        assert_eq!(equations.arrangement.position("E"), None);
        equations.candidate().expect("a network").validate().expect("it is valid");
    }

    #[test]
    fn copies_are_connected_like_their_originals() {
        let mut equations = cuba();
        equations.resize("77");
        let copies = equations.duplicate_objects(&[at(Kind::Population, 0), at(Kind::Population, 1)]);
        let network = equations.candidate().expect("a network");
        network.validate().expect("it is valid");
        let names: Vec<_> = copies.iter().filter_map(|copy| copy.name(&network)).collect();
        assert_eq!(names, ["E_2", "I_2"]);
        assert_eq!(network.projections.len(), 8, "those inside are copied");
        let inside =
            network.projections.iter().filter(|of| of.pre.population.ends_with("_2") && of.post.population.ends_with("_2"));
        assert_eq!(inside.count(), 4);
        assert_eq!(network.population("E_2").map(|population| population.size), Some(77), "with edits that do not run yet");
        // One alone: nothing is inside but its own connections.
        let mut equations = cuba();
        equations.duplicate_objects(&[at(Kind::Population, 0)]);
        let network = equations.candidate().expect("a network");
        let own: Vec<_> = network.projections.iter().filter(|of| of.pre.population == "E_2").map(|of| of.name.as_str()).collect();
        assert_eq!(own, ["E_2_E_2"]);
        // A projection alone is copied between the same ends.
        let copies = equations.duplicate_objects(&[at(Kind::Projection, 0)]);
        assert_eq!(copies.len(), 1);
    }
}
