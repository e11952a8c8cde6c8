//! Changes of single values by their paths, as used by the command line and the page.

use super::silence::SILENCED;
use super::{Delays, Network, Pairs, Quantity, SourceKind, json};
use indexmap::IndexSet;
use spikelet_lang::syntax::{EquationKind, parse_equations};
use spikelet_lang::{End, library};

use crate::Error;

impl Network {
    /// Sets one value before the network is built.
    ///
    /// `path` is `dt_ms`, `duration_ms`, `seed`, or a population, source or projection with one of its values: a parameter or initial value
    /// (`E.taum`, `EI.we`), the `size` of a population, whether its neurons are [`silenced`](Network::silence_neurons), the `size`, `rate`, `spike_times_ms`, `weight` or `N` of a source, the `delay_ms`
    /// (of one pathway: `EI.delay_ms.fast`), `delay_post_ms` or `delay_third_ms`, `p` or `n` of a projection. `value` is in the form of JSON, a text without
    /// its quotes: `15 ms`, `0.5`, `{"expr": "rand()"}`.
    ///
    /// # Errors
    /// An unknown name, a value of the wrong kind, or an error of [`Network::validate`]; the network is not changed then.
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), Error> {
        let mut changed = self.clone();
        changed.assign(path, value.trim())?;
        changed.validate()?;
        *self = changed;
        Ok(())
    }

    /// Sets values that were set before in a network with the same objects.
    ///
    /// # Errors
    /// As [`Network::set`].
    pub fn set_again<'a>(&mut self, values: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<(), Error> {
        // Intermediate states may be invalid.
        values.into_iter().try_for_each(|(path, value)| self.assign(path, value.trim()))?;
        self.validate()
    }

    pub(super) fn assign(&mut self, path: &str, value: &str) -> Result<(), Error> {
        let number = |expected: &str| {
            value.parse::<f64>().map_err(|_| Error::invalid(path, format!("{value:?}"), expected, "for example 0.1"))
        };
        let whole = |way_out: &str| {
            let expected = "a whole number is expected";
            value.parse::<u64>().map_err(|_| Error::invalid(path, format!("{value:?}"), expected, way_out))
        };
        let count = |way_out: &str| {
            let expected = "the maximum is 4294967295";
            u32::try_from(whole(way_out)?).map_err(|_| Error::invalid(path, value, expected, "use a smaller number"))
        };
        let Some((object, key)) = path.split_once('.') else {
            match path {
                "dt_ms" => self.dt_ms = number("a number of milliseconds is expected")?,
                "duration_ms" => self.duration_ms = number("a number of milliseconds is expected")?,
                "seed" => self.seed = whole("for example 1")?,
                other => {
                    let known = ["dt_ms", "duration_ms", "seed"];
                    let objects = self.objects().map(|name| format!("{name}.…"));
                    let known: Vec<String> = known.map(str::to_owned).into_iter().chain(objects).collect();
                    return Err(Error::unknown_name("", "setting", other, known.iter().map(String::as_str)));
                }
            }
            return Ok(());
        };

        if key == SILENCED && self.population(object).is_some() {
            self.add_silenced(object)?;
        }
        if let Some(population) = self.populations.iter_mut().find(|p| p.name == object) {
            if key == "size" {
                population.size = count("for example 1000")?;
            } else if let Some(link) = population.linked.get(key) {
                let expected = format!("it is linked to `{}` of `{}`", link.var, link.population);
                let way_out = format!("set {}.{}", link.population, link.var);
                return Err(Error::invalid(path, format!("{value:?}"), expected, way_out));
            } else {
                population.set_value(path, key, quantity(path, value)?)?;
            }
            return Ok(());
        }

        if let Some(source) = self.sources.iter_mut().find(|s| s.name == object) {
            let known: &[&str] = match &source.kind {
                SourceKind::Spikes { .. } => &["size", "spike_times_ms"],
                SourceKind::Poisson { .. } => &["size", "rate"],
                SourceKind::PoissonInput { .. } => &["N", "rate", "weight"],
            };
            match (key, &mut source.kind) {
                ("size", SourceKind::Spikes { size, .. } | SourceKind::Poisson { size, .. }) => {
                    *size = count("for example 1000")?;
                }
                ("spike_times_ms", SourceKind::Spikes { spike_times_ms, .. }) => *spike_times_ms = json::parse(value, path)?,
                ("N", SourceKind::PoissonInput { n, .. }) => *n = count("for example 1000")?,
                ("rate", SourceKind::Poisson { rate, .. } | SourceKind::PoissonInput { rate, .. }) => {
                    *rate = quantity(path, value)?;
                }
                ("weight", SourceKind::PoissonInput { weight, .. }) => *weight = quantity(path, value)?,
                _ => {
                    return Err(Error::unknown_name("", &format!("`{object}` setting"), key, known.iter().copied()));
                }
            }
            return Ok(());
        }

        let Some(projection) = self.projections.iter_mut().find(|p| p.name == object) else {
            return Err(Error::unknown_name("", "population, source or projection", object, self.objects()));
        };
        for (prefix, end) in [("delay_ms.", End::Pre), ("delay_post_ms.", End::Post), ("delay_third_ms.", End::Third)] {
            let Some(pathway) = key.strip_prefix(prefix) else { continue };
            let names: Vec<String> = projection.pathways(end).map(|(name, _)| name.to_owned()).collect();
            let delays = match end {
                End::Pre => &mut projection.delay_ms,
                End::Post => projection.delay_post_ms.get_or_insert_default(),
                End::Third => projection.delay_third_ms.get_or_insert_default(),
            };
            // One delay for all becomes one per pathway; validation rejects names that are not pathways.
            if let Delays::Same(delay) = delays {
                *delays = Delays::Each(names.into_iter().map(|name| (name, delay.clone())).collect());
            }
            if let Delays::Each(delays) = delays {
                delays.insert(pathway.to_owned(), quantity(path, value)?);
            }
            return Ok(());
        }
        if let Some(Pairs::File(file)) = &mut projection.pairs {
            // A value that is set overrides the file.
            file.taken.retain(|column| column != key);
        }
        if let Some(file) = &projection.learned
            && file.learned().is_some_and(|learned| learned.variables.contains_key(key))
        {
            let expected = format!("{} sets one learned value per synapse", file.file);
            return Err(Error::invalid(path, format!("{value:?}"), expected, "remove `learned`, or the value"));
        }
        match (key, &mut projection.connect) {
            ("delay_ms", _) => projection.delay_ms = delays(path, value)?,
            ("delay_post_ms", _) => projection.delay_post_ms = Some(delays(path, value)?),
            ("delay_third_ms", _) => projection.delay_third_ms = Some(delays(path, value)?),
            ("synapses_per_pair", _) => projection.synapses_per_pair = Some(quantity(path, value)?),
            ("max_indegree", _) => projection.max_indegree = Some(count("for example 1000")?),
            ("max_outdegree", _) => projection.max_outdegree = Some(count("for example 1000")?),
            (_, Some(connector)) if connector.entry().keys.contains(&key) => {
                *connector = connector.with(path, key, value)?;
            }
            _ => {
                let place = match projection.initial.get_mut(key) {
                    Some(initial) => initial,
                    None => projection.parameters.entry(key.to_owned()).or_default(),
                };
                *place = quantity(path, value)?;
            }
        }
        Ok(())
    }

    /// Names of the parameters of a population or projection: those of its model, those declared in its equations, and others with values.
    pub fn parameter_names(&self, object: &str) -> IndexSet<String> {
        let projection = self.projections.iter().find(|projection| projection.name == object);
        let of_projection = projection.map(|of| (&of.model, &of.equations, &of.parameters));
        let of_population = self.population(object).map(|of| (&of.model, &of.equations, &of.parameters));
        let Some((model, equations, own)) = of_population.or(of_projection) else { return IndexSet::new() };
        let model = model.as_deref().and_then(|name| library(name).ok());
        let of_model = model.iter().flat_map(|model| model.parameters.keys()).cloned();
        let declared = parse_equations("equations", equations.as_deref().unwrap_or_default()).unwrap_or_default();
        let declared = declared.into_iter().filter(|equation| equation.kind == EquationKind::Parameter);
        of_model.chain(declared.map(|equation| equation.name)).chain(own.keys().cloned()).collect()
    }

    /// Names of populations, sources and projections.
    pub fn objects(&self) -> impl Iterator<Item = &str> {
        let populations = self.populations.iter().map(|p| p.name.as_str());
        let sources = self.sources.iter().map(|s| s.name.as_str());
        populations.chain(sources).chain(self.projections.iter().map(|p| p.name.as_str()))
    }
}

/// A number, a list or an object as in JSON; anything else is a text such as `20 ms`.
pub(super) fn quantity(path: &str, value: &str) -> Result<Quantity, Error> {
    match value.parse::<f64>() {
        Ok(number) => Ok(Quantity::Number(number)),
        Err(_) if value.starts_with(['{', '[', '"']) => json::parse(value, path),
        Err(_) => Ok(Quantity::Text(value.to_owned())),
    }
}

/// The same, or an object of pathways.
fn delays(path: &str, value: &str) -> Result<Delays, Error> {
    if value.starts_with('{') { json::parse(value, path) } else { quantity(path, value).map(Delays::Same) }
}
