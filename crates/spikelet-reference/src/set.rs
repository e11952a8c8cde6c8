//! Values that are set during a run (rule 7).

use std::collections::HashSet;

use indexmap::IndexMap;
use spikelet_lang::syntax::parse_quantity;
use spikelet_network::{DueChange, Quantity, SourceKind};

use crate::start::{
    Given, given_neurons, names_of_neurons, names_of_synapses, quantities_of_population, quantities_of_projection,
};
use crate::text::names;
use crate::{Error, Reference};

/// A name with the parameters that are computed from it, however indirectly.
fn affected(key: &str, quantities: &IndexMap<String, Quantity>, parameters: &dyn Fn(&str) -> bool) -> HashSet<String> {
    let mut affected: HashSet<String> = [key.to_owned()].into();
    loop {
        let depends = |(name, quantity): &(&String, &Quantity)| {
            let mut found = false;
            quantity.expression().iter().for_each(|x| names(x, &mut |inner| found |= affected.contains(inner)));
            found && parameters(name) && !affected.contains(*name)
        };
        let more: Vec<String> = quantities.iter().filter(depends).map(|(name, _)| name.clone()).collect();
        if more.is_empty() {
            return affected;
        }
        affected.extend(more);
    }
}

impl Reference {
    /// Sets a value before the next step, by the path of a change of the network: `E.I`, `P.w`.
    ///
    /// # Errors
    /// As `Network::set`, values that are drawn, and delays.
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), Error> {
        self.network.set(path, value)?;
        self.follow(path)
    }

    /// Makes a change: its values are set together (7.9).
    pub(crate) fn make_change(&mut self, values: &[DueChange]) -> Result<(), Error> {
        self.network.make_change(values)?;
        values.iter().try_for_each(|due| self.follow(&due.path))
    }

    /// Gives the object of a path the value that the network has there.
    fn follow(&mut self, path: &str) -> Result<(), Error> {
        let (object, key) = path.split_once('.').unwrap_or((path, ""));
        if let Some(population) = self.network.populations.iter().position(|of| of.name == object) {
            return self.set_neurons(population, key);
        }
        if let Some(projection) = self.network.projections.iter().position(|of| of.name == object) {
            return self.set_synapses(projection, key);
        }
        self.set_source(object, key)
    }

    fn set_neurons(&mut self, population: usize, key: &str) -> Result<(), Error> {
        let network = &self.network.populations[population];
        let (quantities, size) = (quantities_of_population(network), network.size as usize);
        let of = &mut self.populations[population];
        let other = names_of_neurons(size);
        let quantity = &quantities[key];
        if matches!(quantity, Quantity::Timed { .. }) || quantity.function_of_time().is_some() {
            let only: IndexMap<String, Quantity> = [(key.to_owned(), quantity.clone())].into_iter().collect();
            of.values.shift_remove(key);
            return of.model.driven(&only);
        }
        // It may have been a function of time.
        of.model.tables.remove(key);
        of.model.definitions.shift_remove(key);
        let affected = affected(key, &quantities, &|name| !network.initial.contains_key(name));
        let given = given_neurons(&quantities, &of.model, size, &|_| None, &self.world, &other);
        let mut known = IndexMap::new();
        affected.iter().try_for_each(|name| given.value(name, &mut known))?;
        known.retain(|name, _| affected.contains(name));
        of.values.extend(known);
        Ok(())
    }

    fn set_synapses(&mut self, projection: usize, key: &str) -> Result<(), Error> {
        if key.starts_with("delay") {
            return Err(Error::Unsupported("delays that are set during a run".into()));
        }
        let network = &self.network.projections[projection];
        let quantities = quantities_of_projection(network)?;
        let affected = affected(key, &quantities, &|name| !network.initial.contains_key(name));
        let mut known = IndexMap::new();
        {
            let of = &self.projections[projection];
            let other = names_of_synapses(&of.neurons, of.ends, &self.populations);
            let place = |synapse: usize| of.listed.iter().position(|listed| *listed == synapse).unwrap_or(synapse);
            let (model, count, world) = (&of.model, of.neurons.len(), &self.world);
            let given = Given { quantities: &quantities, model, count, place: &place, other: &other, drawn: &|_| None, world };
            affected.iter().try_for_each(|name| given.value(name, &mut known))?;
        }
        known.retain(|name, _| affected.contains(name));
        self.projections[projection].values.extend(known);
        Ok(())
    }

    fn set_source(&mut self, object: &str, key: &str) -> Result<(), Error> {
        let Some(source) = self.network.sources.iter().find(|of| of.name == object) else { return Ok(()) };
        let expression = |of: &Quantity| parse_quantity(key, &of.text().unwrap_or_default()).map_err(Error::text);
        match &source.kind {
            SourceKind::Poisson { rate, size } => {
                let value = match rate {
                    Quantity::Number(rate) => *rate,
                    other => spikelet_lang::quantity::constant(key, &other.text().unwrap_or_default()).map_err(Error::text)?.0,
                };
                let of = self.populations.iter_mut().find(|of| of.name == object);
                of.into_iter().for_each(|of| drop(of.values.insert("rate".into(), vec![value; *size as usize])));
            }
            SourceKind::PoissonInput { targets, n, rate, weight, .. } => {
                let [n, rate, weight] = [expression(&Quantity::Number(f64::from(*n)))?, expression(rate)?, expression(weight)?];
                for of in self.populations.iter_mut().filter(|of| targets.iter().any(|target| target.population == of.name)) {
                    for input in of.model.inputs.iter_mut().filter(|input| input.source == object) {
                        (input.number, input.rate, input.weight) = (n.clone(), rate.clone(), weight.clone());
                    }
                }
            }
            SourceKind::Spikes { .. } => {}
        }
        Ok(())
    }
}
