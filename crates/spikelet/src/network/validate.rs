//! What a network must hold to before anything is built from it.

use std::collections::HashMap;
use std::fmt::Display;
use std::ops::Range;

use super::{Endpoint, FORMAT, Network, Population, Projection, Quantity, Recording};
use crate::{Connector, Error};

impl Network {
    /// Checks all that can be checked without reading equations.
    ///
    /// # Errors
    /// The first thing wrong, with its JSON path, the value found, what is expected and the way out.
    pub fn validate(&self) -> Result<(), Error> {
        if self.format != FORMAT {
            let expected = format!("this version reads format {FORMAT}");
            return Err(Error::invalid("format", self.format, expected, "update the simulator, or rewrite the file"));
        }
        if !(self.dt_ms.is_finite() && self.dt_ms > 0.0) {
            let expected = "a time step is a finite number of milliseconds above 0";
            return Err(Error::invalid("dt_ms", self.dt_ms, expected, "write 0.1, say"));
        }
        if !(self.duration_ms.is_finite() && self.duration_ms >= 0.0) {
            let expected = "a duration is a finite number of milliseconds, 0 or more";
            return Err(Error::invalid("duration_ms", self.duration_ms, expected, "write 1000, say"));
        }
        if self.populations.is_empty() {
            let expected = "a network has at least one population";
            return Err(Error::invalid("populations", "empty", expected, "add one"));
        }
        self.check_names()?;
        for (index, population) in self.populations.iter().enumerate() {
            population.check(&format!("populations[{index}]"))?;
        }
        if self.neurons() > u64::from(u32::MAX) {
            let expected = "all populations together hold at most 4294967295 neurons";
            return Err(Error::invalid("populations", self.neurons(), expected, "make them smaller"));
        }
        for (index, projection) in self.projections.iter().enumerate() {
            self.check_projection(&format!("projections[{index}]"), projection)?;
        }
        for (index, recording) in self.recordings.iter().enumerate() {
            self.check_recording(&format!("recordings[{index}]"), recording)?;
        }
        Ok(())
    }

    fn check_names(&self) -> Result<(), Error> {
        let populations = self.populations.iter().enumerate().map(|(k, p)| (format!("populations[{k}].name"), &p.name));
        let projections = self.projections.iter().enumerate().map(|(k, p)| (format!("projections[{k}].name"), &p.name));
        let mut seen = HashMap::new();
        for (path, name) in populations.chain(projections) {
            // What a path ("E.taum") or an endpoint ("E[0:800]") could not be told from.
            let unfit = |c: char| matches!(c, '.' | '[' | ']' | ':' | '=') || c.is_whitespace() || c.is_control();
            if name.is_empty() || name.contains(unfit) {
                let expected = "a name is a word without spaces and without . : = [ ]";
                return Err(Error::invalid(path, format!("{name:?}"), expected, "write E, say"));
            }
            if let Some(first) = seen.insert(name, path.clone()) {
                let expected = format!("{first} has that name already and names are unique");
                return Err(Error::invalid(path, format!("{name:?}"), expected, "rename one of them"));
            }
        }
        Ok(())
    }

    /// The slice of a population that an endpoint stands for.
    fn check_endpoint(&self, path: &str, endpoint: &Endpoint) -> Result<Range<u32>, Error> {
        let Some(population) = self.population(&endpoint.population) else {
            let known = self.populations.iter().map(|p| p.name.as_str());
            return Err(Error::unknown_name(path, "population", &endpoint.population, known));
        };
        let range = endpoint.range(population.size);
        if range.is_empty() || range.end > population.size {
            let expected = format!("{} has neurons 0 to {}", population.name, population.size - 1);
            let way_out = format!("take a part that lies inside, such as {}[0:{}]", population.name, population.size);
            return Err(Error::invalid(path, format!("\"{endpoint}\""), expected, way_out));
        }
        Ok(range)
    }

    fn check_projection(&self, path: &str, projection: &Projection) -> Result<(), Error> {
        let pre = self.check_endpoint(&format!("{path}.pre"), &projection.pre)?;
        let post = self.check_endpoint(&format!("{path}.post"), &projection.post)?;
        match (&projection.connect, &projection.pairs) {
            (Some(connector), None) => {
                let recurrent = projection.pre.population == projection.post.population;
                check_connector(&format!("{path}.connect"), connector, &pre, &post, recurrent)?;
            }
            (None, Some(pairs)) => check_pairs(&format!("{path}.pairs"), pairs, [(&pre, "pre"), (&post, "post")])?,
            (both, _) => {
                let found = if both.is_some() { "joined twice" } else { "not joined" };
                let expected = "a projection has either `connect` or `pairs`";
                let way_out = if both.is_some() { "remove one of the two" } else { "add one of the two" };
                return Err(Error::invalid(path, found, expected, way_out));
            }
        }
        if projection.on_pre.is_none() && projection.equations.is_none() {
            let key = "on_pre".to_owned();
            return Err(Error::MissingKey { path: path.to_owned(), key, example: "\"on_pre\": \"v_post += w\"".into() });
        }
        let synapses = projection.pairs.as_ref().map(|pairs| (pairs.len(), "pairs"));
        let delay = &projection.delay_ms;
        let delay_path = format!("{path}.delay_ms");
        check_quantity(&delay_path, delay, synapses)?;
        if let Some((index, value)) = delay.numbers().iter().enumerate().find(|(_, delay)| **delay < 0.0) {
            let place = if delay.numbers().len() > 1 { format!("{delay_path}[{index}]") } else { delay_path };
            return Err(Error::invalid(place, value, "a delay is 0 or more", "a spike cannot act before it happens"));
        }
        check_quantities(path, "parameters", &projection.parameters, synapses)?;
        check_quantities(path, "initial", &projection.initial, synapses)
    }

    fn check_recording(&self, path: &str, recording: &Recording) -> Result<(), Error> {
        let population = self.population(&recording.object);
        if population.is_none() && !self.projections.iter().any(|p| p.name == recording.object) {
            let projections = self.projections.iter().map(|p| p.name.as_str());
            let known = self.populations.iter().map(|p| p.name.as_str()).chain(projections);
            let path = format!("{path}.object");
            return Err(Error::unknown_name(&path, "population or projection", &recording.object, known));
        }
        let Some(Population { size, name, .. }) = population else { return Ok(()) };
        match recording.indices.iter().position(|index| index >= size) {
            None => Ok(()),
            Some(at) => {
                let expected = format!("{name} has neurons 0 to {}", size - 1);
                let place = format!("{path}.indices[{at}]");
                Err(Error::invalid(place, recording.indices[at], expected, "record one of those"))
            }
        }
    }
}

impl Population {
    fn check(&self, path: &str) -> Result<(), Error> {
        if self.size == 0 {
            let expected = "a population has at least one neuron";
            return Err(Error::invalid(format!("{path}.size"), 0, expected, "write 1 or more, or remove the population"));
        }
        match (&self.model, &self.equations) {
            (Some(_), None) => {
                let own = [
                    ("update", &self.update),
                    ("threshold", &self.threshold),
                    ("reset", &self.reset),
                    ("refractory", &self.refractory),
                    ("method", &self.method),
                ];
                if let Some((key, text)) = own.iter().find_map(|(key, text)| Some((key, text.as_ref()?))) {
                    let expected = "a library model brings its own";
                    let way_out = "remove it, or write the model's equations instead of its name";
                    return Err(Error::invalid(format!("{path}.{key}"), format!("{text:?}"), expected, way_out));
                }
            }
            (None, Some(_)) => {}
            (both, _) => {
                let found = if both.is_some() { "a model and equations" } else { "without neurons' equations" };
                let expected = "a population has either `model` or `equations`";
                let way_out = if both.is_some() { "remove one of the two" } else { "add one, such as \"model\": \"lif_exp\"" };
                return Err(Error::invalid(path, found, expected, way_out));
            }
        }
        let size = Some((self.size as usize, "neurons"));
        check_quantities(path, "parameters", &self.parameters, size)?;
        check_quantities(path, "initial", &self.initial, size)
    }
}

fn check_connector(path: &str, connector: &Connector, pre: &Range<u32>, post: &Range<u32>, recurrent: bool) -> Result<(), Error> {
    match *connector {
        Connector::Bernoulli { p, .. } if !(0.0..=1.0).contains(&p) => {
            let expected = "a probability lies between 0 and 1";
            Err(Error::invalid(format!("{path}.p"), p, expected, "write 0.02 for 2 %, say"))
        }
        Connector::OneToOne if pre.len() != post.len() => {
            let found = format!("one_to_one from {} to {} neurons", pre.len(), post.len());
            let expected = "both sides need the same number";
            Err(Error::invalid(path, found, expected, "take slices of equal length, such as \"E[0:100]\""))
        }
        Connector::FixedIndegree { pre_range, autapses, .. } => {
            let sources = pre_range.map_or(pre.clone(), |[first, end]| first..end);
            if sources.is_empty() || sources.start < pre.start || sources.end > pre.end {
                let expected = format!("the pre neurons are {} to {}", pre.start, pre.end - 1);
                let value = format!("[{}, {}]", sources.start, sources.end);
                let way_out = format!("write a part of [{}, {}]", pre.start, pre.end);
                return Err(Error::invalid(format!("{path}.pre_range"), value, expected, way_out));
            }
            let only = (sources.len() == 1).then_some(sources.start);
            if !autapses && recurrent && only.is_some_and(|neuron| post.contains(&neuron)) {
                let expected = format!("neuron {} has no other neuron to draw from", sources.start);
                return Err(Error::invalid(format!("{path}.autapses"), false, expected, "allow autapses, or draw from more"));
            }
            Ok(())
        }
        Connector::Bernoulli { .. } | Connector::OneToOne | Connector::All { .. } => Ok(()),
    }
}

fn check_pairs(path: &str, pairs: &[[u32; 2]], sides: [(&Range<u32>, &str); 2]) -> Result<(), Error> {
    for (index, pair) in pairs.iter().enumerate() {
        for (neuron, (range, side)) in pair.iter().zip(sides) {
            if !range.contains(neuron) {
                let expected = format!("the {side} neurons are {} to {}", range.start, range.end - 1);
                let value = format!("[{}, {}]", pair[0], pair[1]);
                let way_out = format!("its {side} index {neuron} must be one of those");
                return Err(Error::invalid(format!("{path}[{index}]"), value, expected, way_out));
            }
        }
    }
    if pairs.len() > u32::MAX as usize {
        return Err(Error::invalid(path, pairs.len(), "a list holds at most 4294967295 pairs", "split the projection"));
    }
    Ok(())
}

fn check_quantities<'a>(
    path: &str,
    key: &str,
    quantities: impl IntoIterator<Item = (&'a String, &'a Quantity)>,
    elements: Option<(usize, &str)>,
) -> Result<(), Error> {
    quantities.into_iter().try_for_each(|(name, value)| check_quantity(format!("{path}.{key}.{name}"), value, elements))
}

/// Finite numbers, and one per element (neuron or pair) where there is a list.
fn check_quantity(path: impl Display, quantity: &Quantity, elements: Option<(usize, &str)>) -> Result<(), Error> {
    if let Some(value) = quantity.numbers().iter().find(|number| !number.is_finite()) {
        return Err(Error::invalid(path, value, "a finite number is expected", "write one"));
    }
    let Quantity::Values { values, .. } = quantity else { return Ok(()) };
    match elements {
        Some((count, _)) if count == values.len() => Ok(()),
        Some((count, what)) => {
            let expected = format!("there are {count} {what}");
            Err(Error::invalid(path, quantity, expected, "give one value for each, or a single one for all"))
        }
        None => {
            let expected = "a list of values goes with `pairs`, since a rule decides for itself which synapses there are";
            Err(Error::invalid(path, quantity, expected, "give a single value or an expression, or list the pairs"))
        }
    }
}
