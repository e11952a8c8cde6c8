//! What is wrong with the edited network, by the field that it is about.

use spikelet::{Error, Network};

use super::{Kind, Object};

/// Projections that are looked at one by one after the first mistake.
const MOST: usize = 50;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Flaw {
    /// Of which object; of the network itself where there is none.
    pub(crate) object: Option<Object>,
    /// The key in the object's JSON, `connect.p`, as far as it is known.
    pub(crate) key: String,
    /// What is wrong.
    pub(crate) sentence: String,
    /// The way out, where it is not in the sentence.
    pub(crate) help: Option<String>,
}

impl Flaw {
    /// Whether it is about this field, or about a part of what stands in it.
    pub(crate) fn is_of(&self, object: Option<Object>, key: &str) -> bool {
        let rest = || self.key.strip_prefix(key);
        self.object == object && rest().is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }
}

/// All that is wrong: each error as it was found, in the network without what was wrong before it.
///
/// `plan` makes a plan of a network that is checked, as far as that is quickly done.
pub(crate) fn find<T>(network: &Network, plan: impl Fn(&Network) -> Result<T, Error>) -> Vec<(Error, Vec<Flaw>)> {
    let mut found = Vec::new();
    let mut rest = network.clone();
    // Where the projections that are left stand in the whole network.
    let mut places: Vec<usize> = (0..network.projections.len()).collect();
    while let Err(error) = rest.validate().and_then(|()| plan(&rest).map(drop)) {
        let mut flaws = flaws(&error);
        let at = flaws.iter().find_map(|flaw| flaw.object.filter(|object| object.kind == Kind::Projection));
        for flaw in &mut flaws {
            if let Some(object) = flaw.object.as_mut().filter(|object| object.kind == Kind::Projection) {
                object.place = places.get(object.place).copied().unwrap_or(object.place);
            }
        }
        found.push((error, flaws));
        match at {
            // Nothing refers to a projection but its recordings and statistics.
            Some(object) if found.len() < MOST && object.place < rest.projections.len() => {
                let gone = rest.projections.remove(object.place);
                places.remove(object.place);
                rest.recordings.retain(|recording| recording.object != gone.name);
                rest.statistics.retain(|statistic| statistic.object != gone.name);
            }
            _ => break,
        }
    }
    found
}

/// An error as what is wrong with fields.
pub(crate) fn flaws(error: &Error) -> Vec<Flaw> {
    let at = |path: &str, sentence: String| {
        let (object, key) = match Object::of_path(path) {
            Some((object, key)) => (Some(object), key),
            None => (None, path),
        };
        Flaw { object, key: key.to_owned(), sentence, help: None }
    };
    match error {
        Error::Invalid { path, value, expected, way_out, .. } => {
            vec![at(path, capital(&format!("{value} does not do: {expected}; {way_out}.")))]
        }
        Error::UnknownName { path, .. } => {
            let text = error.to_string();
            vec![at(path.trim_end_matches(": "), capital(text.strip_prefix(path.as_str()).unwrap_or(&text)))]
        }
        Error::MissingKey { path, key, example, .. } => {
            let sentence = format!("It lacks `{key}`: write {example}, say.");
            let flaw = at(path, sentence);
            let key = if flaw.key.is_empty() { key.clone() } else { format!("{}.{key}", flaw.key) };
            vec![Flaw { key, ..flaw }]
        }
        Error::Model { path, diagnostics } => {
            let flaw = |of: &spikelet_lang::Diagnostic| {
                let (place, sentence) = (of.place.as_str(), of.message.clone());
                let flaw = at(path, sentence);
                let key = if flaw.key.is_empty() { place.to_owned() } else { format!("{}.{place}", flaw.key) };
                Flaw { key, help: of.help.clone(), ..flaw }
            };
            diagnostics.iter().map(flaw).collect()
        }
        other => vec![at("", capital(&other.to_string()))],
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use spikelet::{Connector, Plan, catalogue};

    use super::*;

    fn cuba() -> Network {
        catalogue::network("cuba", 0.02).expect("cuba")
    }

    fn found(network: &Network) -> Vec<(Option<Object>, String)> {
        let flaws = find(network, Plan::new).into_iter().flat_map(|(_, flaws)| flaws);
        flaws.map(|flaw| (flaw.object, flaw.key)).collect()
    }

    #[test]
    fn each_projection_has_its_own_flaw() {
        let mut network = cuba();
        assert_eq!(found(&network), []);
        network.projections[0].connect = Some(Connector::bernoulli(1.5));
        network.projections[2].post.population = "J".into();
        network.projections[3].on_pre = Some("gi_post += wii".into());
        let at = |place, key: &str| (Some(Object::new(Kind::Projection, place)), key.to_owned());
        let flaws = found(&network);
        assert_eq!(flaws[..2], [at(0, "connect.p"), at(2, "post")]);
        assert_eq!(flaws[2].0, Some(Object::new(Kind::Projection, 3)));
        assert!(flaws[2].1.starts_with("on_pre"), "{flaws:?}");
    }

    #[test]
    fn a_flaw_says_what_does() {
        let mut network = cuba();
        network.projections[0].connect = Some(Connector::bernoulli(1.5));
        let flaw = flaws(&network.validate().unwrap_err()).remove(0);
        assert_eq!(flaw.sentence, "1.5 does not do: a probability lies between 0 and 1; write 0.02 for 2 %, say.");
        assert!(flaw.is_of(Some(Object::new(Kind::Projection, 0)), "connect"));
        assert!(!flaw.is_of(Some(Object::new(Kind::Projection, 0)), "con"));
        assert!(!flaw.is_of(None, "connect"));
        network = cuba();
        network.projections[1].pre.population = "EE".into();
        let flaw = flaws(&network.validate().unwrap_err()).remove(0);
        assert!(flaw.sentence.starts_with("There is no population `EE`"), "{flaw:?}");
        network = cuba();
        network.dt_ms = 0.0;
        let flaw = flaws(&network.validate().unwrap_err()).remove(0);
        assert_eq!((flaw.object, flaw.key.as_str()), (None, "dt_ms"));
    }

    #[test]
    fn values_of_synapses_are_found_by_their_names() {
        let mut network = cuba();
        network.projections[0].parameters.insert("we".into(), "1.62 mS".into());
        let flaws = found(&network);
        assert_eq!(flaws.len(), 1, "{flaws:?}");
        assert_eq!(flaws[0].0, Some(Object::new(Kind::Projection, 0)));
    }
}
