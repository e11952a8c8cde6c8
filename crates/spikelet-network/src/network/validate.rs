//! The validation of a network before anything is built.

mod wiring;

use std::collections::HashMap;
use std::fmt::Display;
use std::iter::{once, once_with};
use std::ops::Range;

use spikelet_lang::End;

use super::{Delays, Endpoint, FORMAT, Network, Pathways, Population, Projection, Quantity, RunRegularly, Source, SourceKind};
use crate::Error;

impl Network {
    /// Checks everything that does not need the equations.
    ///
    /// # Errors
    /// The first error, with its JSON path, the value, what is expected and how to fix it.
    pub fn validate(&self) -> Result<(), Error> {
        self.errors().next().map_or(Ok(()), Err)
    }

    /// The errors of [`Network::validate`] in each population, source, projection and so on; the first one of each.
    pub fn errors(&self) -> impl Iterator<Item = Error> + '_ {
        let parts = (0..self.populations.len())
            .map(|index| self.check_population(index))
            .chain((0..self.sources.len()).map(|index| self.check_source(&format!("sources[{index}]"), &self.sources[index])))
            .chain((0..self.projections.len()).map(|index| self.check_joined(index)))
            .chain(self.recordings.iter().zip(0..).map(|(of, index)| self.check_recording(&format!("recordings[{index}]"), of)))
            .chain(self.statistics.iter().zip(0..).map(|(of, index)| self.check_statistic(&format!("statistics[{index}]"), of)))
            .chain(once_with(|| self.check_protocol()));
        // All others depend on the time step and on names.
        let whole = self.check_settings().and_then(|()| self.check_names());
        let parts = whole.is_ok().then_some(parts).into_iter().flatten();
        once(whole).chain(parts).filter_map(Result::err)
    }

    /// [`Network::validate`] after a value at `path` has changed, in time that does not depend on the number of objects: a value of an
    /// object, other than its size, makes no other object invalid.
    pub(super) fn validate_value(&self, path: &str) -> Result<(), Error> {
        let (object, key) = path.split_once('.').unwrap_or((path, "size"));
        if key == "size" {
            return self.validate();
        }
        if let Some(index) = self.populations.iter().position(|population| population.name == object) {
            return self.check_population(index);
        }
        if let Some(index) = self.sources.iter().position(|source| source.name == object) {
            return self.check_source(&format!("sources[{index}]"), &self.sources[index]);
        }
        let index = self.projections.iter().position(|projection| projection.name == object);
        index.map_or(Ok(()), |index| self.check_joined(index))
    }

    fn check_population(&self, index: usize) -> Result<(), Error> {
        let (path, population) = (format!("populations[{index}]"), &self.populations[index]);
        population.check(&path, self.dt_ms)?;
        self.check_links(&path, population)
    }

    /// A projection, unless one of its ends has no neurons, which is reported for the population.
    fn check_joined(&self, index: usize) -> Result<(), Error> {
        let projection = &self.projections[index];
        let is_empty = |end: &Endpoint| self.population(&end.population).is_some_and(|population| population.size == 0);
        if is_empty(&projection.pre) || is_empty(&projection.post) {
            return Ok(());
        }
        self.check_projection(&format!("projections[{index}]"), projection)
    }

    fn check_settings(&self) -> Result<(), Error> {
        if self.format != FORMAT {
            let expected = format!("this version reads format {FORMAT}");
            return Err(Error::invalid("format", self.format, expected, "update the simulator, or rewrite the file"));
        }
        let controls = |text: &str| text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t'));
        for (key, text) in [("name", &self.name), ("description", &self.description)] {
            if controls(text) {
                let expected = "it contains control characters";
                return Err(Error::invalid(key, format!("\"{text}\""), expected, "remove them"));
            }
        }
        if !(self.dt_ms.is_finite() && self.dt_ms > 0.0) {
            let expected = "a time step must be a finite number of milliseconds above 0";
            return Err(Error::invalid("dt_ms", self.dt_ms, expected, "for example 0.1"));
        }
        if !(self.duration_ms.is_finite() && self.duration_ms >= 0.0) {
            let expected = "a duration must be a finite number of milliseconds, 0 or more";
            return Err(Error::invalid("duration_ms", self.duration_ms, expected, "for example 1000"));
        }
        if self.populations.is_empty() && self.sources.is_empty() {
            let expected = "a network needs at least one population or source";
            return Err(Error::invalid("populations", "empty", expected, "add one"));
        }
        if self.neurons() > u64::from(u32::MAX) {
            let expected = "all populations and sources together can have at most 4294967295 neurons";
            return Err(Error::invalid("populations", self.neurons(), expected, "make them smaller"));
        }
        Ok(())
    }

    fn check_names(&self) -> Result<(), Error> {
        let populations = self.populations.iter().enumerate().map(|(k, p)| (format!("populations[{k}].name"), &p.name));
        let sources = self.sources.iter().enumerate().map(|(k, s)| (format!("sources[{k}].name"), &s.name));
        let projections = self.projections.iter().enumerate().map(|(k, p)| (format!("projections[{k}].name"), &p.name));
        let mut seen = HashMap::new();
        for (path, name) in populations.chain(sources).chain(projections) {
            // Characters with a meaning in paths ("E.taum") or endpoints ("E[0:800]").
            let unfit = |c: char| matches!(c, '.' | '[' | ']' | ':' | '=') || c.is_whitespace() || c.is_control();
            if name.is_empty() || name.contains(unfit) {
                let expected = "a name is an identifier without spaces and without . : = [ ]";
                return Err(Error::invalid(path, format!("{name:?}"), expected, "for example E"));
            }
            if let Some(first) = seen.insert(name, path.clone()) {
                let expected = format!("{first} already has this name, and names must be unique");
                return Err(Error::invalid(path, format!("{name:?}"), expected, "rename one of them"));
            }
        }
        Ok(())
    }

    fn check_source(&self, path: &str, source: &Source) -> Result<(), Error> {
        let at = |key: &str| format!("{path}.{key}");
        if source.size() == 0 && !matches!(source.kind, SourceKind::PoissonInput { .. }) {
            let expected = "a source needs at least one neuron";
            return Err(Error::invalid(at("size"), 0, expected, "write 1 or more, or remove the source"));
        }
        match &source.kind {
            SourceKind::Spikes { size, spike_times_ms } => {
                check_spikes(&at("spike_times_ms"), &source.name, *size, spike_times_ms, self.dt_ms)
            }
            SourceKind::Poisson { size, rate } => check_rate(&at("rate"), rate, Some((*size as usize, "neurons"))),
            SourceKind::PoissonInput { targets, rate, weight, .. } => {
                if targets.is_empty() {
                    let expected = "a poisson_input needs at least one target population";
                    return Err(Error::invalid(at("targets"), "empty", expected, "name one, or remove the source"));
                }
                for (index, target) in targets.iter().enumerate() {
                    let place = format!("{path}.targets[{index}]");
                    let Some(population) = self.population(&target.population) else {
                        let known = self.populations.iter().map(|p| p.name.as_str());
                        return Err(Error::unknown_name(&place, "population", &target.population, known));
                    };
                    if target.condition.is_some() {
                        let expected = "the targets of a poisson_input are populations and slices";
                        let way_out = format!(
                            "use a `poisson` source with a neuron for each, and a projection with the rule one_to_one to \"{target}\""
                        );
                        return Err(Error::invalid(place, format!("\"{target}\""), expected, way_out));
                    }
                    // Errors of a population without neurons are reported for the population.
                    if population.size > 0 {
                        self.check_endpoint(&place, target, false)?;
                    }
                    let range = target.range(population.size);
                    let overlaps = |other: &&Endpoint| {
                        let of_other = other.range(population.size);
                        other.population == target.population && of_other.start < range.end && range.start < of_other.end
                    };
                    if let Some(other) = targets[..index].iter().find(overlaps) {
                        let expected = if other == target {
                            "each target may be named only once".to_owned()
                        } else {
                            format!("\"{other}\" has some of the same neurons, and each neuron may be named only once")
                        };
                        return Err(Error::invalid(place, format!("\"{target}\""), expected, "remove it, or double N"));
                    }
                }
                check_rate(&at("rate"), rate, Some((1, "rates, because all neurons share one")))?;
                check_quantity(at("weight"), weight, Some((1, "weights, because all neurons share one")))
            }
        }
    }

    /// The slice of a population, or of a source if its spikes are used (`heard`), for an endpoint.
    fn check_endpoint(&self, path: &str, endpoint: &Endpoint, heard: bool) -> Result<Range<u32>, Error> {
        let population = self.population(&endpoint.population).map(|population| (&population.name, population.size));
        let event = self.event(&endpoint.population).map(|(population, _)| (&endpoint.population, population.size));
        if event.is_some() && !path.ends_with(".pre") {
            let expected = "an event can only be `pre`";
            return Err(Error::invalid(path, format!("\"{endpoint}\""), expected, "name its population"));
        }
        let source = self.source(&endpoint.population);
        let (name, size) = match (population.or(event), source) {
            (Some(found), _) => found,
            (None, Some(source)) if heard && source.size() > 0 => (&source.name, source.size()),
            (None, Some(_)) if heard => {
                let expected = "a poisson_input has no neurons: it acts on its `targets` without a projection";
                return Err(Error::invalid(path, format!("\"{endpoint}\""), expected, "remove the projection"));
            }
            (None, Some(_)) => {
                let expected = "a source has no input; it can only be `post` of synapses that use its spikes in `on_post`";
                return Err(Error::invalid(path, format!("\"{endpoint}\""), expected, "name a population"));
            }
            (None, None) if self.projections.iter().any(|of| of.name == endpoint.population) => {
                let expected = "it is a projection, and synapses have no synapses of their own";
                let way_out = format!(
                    "name the population that acts on its synapses as the key `third` of `{name}`: they read its neurons as `x_third`, receive \
                     its spikes in `on_third`, and contribute to it by a line `y_third = … : unit (summed)`",
                    name = endpoint.population
                );
                return Err(Error::invalid(path, format!("\"{endpoint}\""), expected, way_out));
            }
            (None, None) => {
                let populations = self.populations.iter().map(|p| p.name.as_str());
                let sources = self.sources.iter().filter(|s| heard && s.size() > 0).map(|s| s.name.as_str());
                let what = if heard && !self.sources.is_empty() { "population or source" } else { "population" };
                let of = |population: &Population| {
                    population.events.keys().map(|event| format!("{}.{event}", population.name)).collect::<Vec<_>>()
                };
                let events: Vec<String> = self.populations.iter().filter(|_| path.ends_with(".pre")).flat_map(of).collect();
                let known = populations.chain(sources).chain(events.iter().map(String::as_str));
                return Err(Error::unknown_name(path, what, &endpoint.population, known));
            }
        };
        if let Some(condition) = &endpoint.condition {
            self.with_table(path, &endpoint.population, condition)?;
        }
        let range = endpoint.range(size);
        if range.is_empty() || range.end > size {
            let expected = format!("{name} has neurons 0 to {}", size - 1);
            let way_out = format!("use a slice within this range, such as {name}[0:{size}]");
            return Err(Error::invalid(path, format!("\"{endpoint}\""), expected, way_out));
        }
        Ok(range)
    }

    fn check_projection(&self, path: &str, projection: &Projection) -> Result<(), Error> {
        check_model(path, projection.model.as_deref())?;
        let pre = self.check_endpoint(&format!("{path}.pre"), &projection.pre, true)?;
        // A library model may have an `on_post`.
        let hears_post = projection.on_post.is_some() || projection.model.is_some();
        let post = self.check_endpoint(&format!("{path}.post"), &projection.post, hears_post)?;
        self.check_selected(path, projection)?;
        match (&projection.connect, &projection.pairs) {
            // The rule is between neurons that are not known yet.
            (Some(_), None) if projection.is_selected() => {}
            (Some(connector), None) => {
                self.check_connector(&format!("{path}.connect"), connector, projection, [&pre, &post])?;
            }
            (None, Some(pairs)) => {
                wiring::check_pairs(&format!("{path}.pairs"), pairs, [(&pre, "presynaptic"), (&post, "postsynaptic")])?;
            }
            (both, _) => {
                let found = if both.is_some() { "joined twice" } else { "not joined" };
                let expected = "a projection needs either `connect` or `pairs`";
                let way_out = if both.is_some() { "remove one of the two" } else { "add one of the two" };
                return Err(Error::invalid(path, found, expected, way_out));
            }
        }
        if let Some(number) = &projection.synapses_per_pair {
            let path = format!("{path}.synapses_per_pair");
            if projection.pairs.is_some() {
                let expected = "a list of `pairs` has one synapse for each of its pairs";
                return Err(Error::invalid(path, number, expected, "list a pair several times"));
            }
            wiring::check_synapses_per_pair(&path, number)?;
        }
        let acts = projection.on_pre.is_some() || projection.on_third.is_some();
        if !acts && projection.equations.is_none() && projection.model.is_none() {
            let key = "on_pre".to_owned();
            return Err(Error::MissingKey {
                path: path.to_owned(),
                line: None,
                key,
                example: "\"on_pre\": \"v_post += w\"".into(),
            });
        }
        let pathways = [("on_pre", &projection.on_pre), ("on_post", &projection.on_post), ("on_third", &projection.on_third)];
        for (key, pathways) in pathways {
            if pathways.as_ref().is_some_and(Pathways::is_empty) {
                let expected = "at least one pathway must be named";
                return Err(Error::invalid(format!("{path}.{key}"), "empty", expected, "add one, or remove the key"));
            }
        }
        let read = projection.pairs.as_ref().filter(|pairs| pairs.unread().is_none());
        let synapses = read.map(|pairs| (pairs.len(), "pairs"));
        let is_unread = projection.pairs.is_some() && read.is_none();
        let projection = if is_unread { &projection.without_lists() } else { projection };
        self.check_third(path, projection, synapses)?;
        check_delays(path, projection, synapses)?;
        check_order(path, projection)?;
        check_regular(path, &projection.run_regularly, self.dt_ms)?;
        check_quantities(path, "parameters", &projection.parameters, synapses)?;
        check_quantities(path, "initial", &projection.initial, synapses)
    }
}

impl Population {
    fn check(&self, path: &str, dt_ms: f64) -> Result<(), Error> {
        if self.size == 0 {
            let expected = "a population needs at least one neuron";
            return Err(Error::invalid(format!("{path}.size"), 0, expected, "write 1 or more, or remove the population"));
        }
        check_model(path, self.model.as_deref())?;
        match (&self.model, &self.equations) {
            (Some(_), _) => {
                let own = [
                    ("update", &self.update),
                    ("threshold", &self.threshold),
                    ("reset", &self.reset),
                    ("refractory", &self.refractory),
                    ("method", &self.method),
                ];
                if let Some((key, text)) = own.iter().find_map(|(key, text)| Some((key, text.as_ref()?))) {
                    let expected = "a library model defines this itself";
                    let way_out = "remove it, or write the model's equations instead of its name";
                    return Err(Error::invalid(format!("{path}.{key}"), format!("{text:?}"), expected, way_out));
                }
            }
            (None, Some(_)) => {}
            (None, None) => {
                let expected = "a population needs a `model`, `equations`, or both";
                let way_out = "add one, such as \"model\": \"lif_exp\"";
                return Err(Error::invalid(path, "without neurons' equations", expected, way_out));
            }
        }
        if let Some(positions) = &self.positions {
            wiring::check_positions(&format!("{path}.positions"), positions, self.size)?;
        }
        for (name, unit) in &self.units {
            // 2^-120 to 2^120, whose mantissa has no bits.
            let is_power = *unit > 0.0 && unit.to_bits() << 12 == 0 && (-120..=120).contains(&libm::ilogb(*unit));
            if !is_power {
                let expected = "a unit is a power of two, from 2^-120 to 2^120";
                let way_out = "for example 0.000244140625, which is 2^-12";
                return Err(Error::invalid(format!("{path}.units.{name}"), unit, expected, way_out));
            }
        }
        if let Some(winners) = &self.winners {
            winners.rule(&format!("{path}.winners"), self.size)?;
        }
        check_regular(path, &self.run_regularly, dt_ms)?;
        self.check_events(path)?;
        if let Some(surrogate) = &self.surrogate {
            surrogate.check(&format!("{path}.surrogate"))?;
        }
        let size = Some((self.size as usize, "neurons"));
        check_quantities(path, "parameters", &self.parameters, size)?;
        check_quantities(path, "initial", &self.initial, size)
    }
}

/// Rejects equations where the name of a library model is expected.
fn check_model(path: &str, model: Option<&str>) -> Result<(), Error> {
    let Some(model) = model.filter(|model| model.contains(['=', ':', '\n'])) else { return Ok(()) };
    let expected = "`model` is the name of a model of the library";
    Err(Error::invalid(format!("{path}.model"), format!("{model:?}"), expected, "write equations in `equations`"))
}

fn check_regular(path: &str, list: &[RunRegularly], dt_ms: f64) -> Result<(), Error> {
    let mut places = list.iter().enumerate();
    places.try_for_each(|(index, regular)| regular.check(&format!("{path}.run_regularly[{index}]"), dt_ms))
}

/// Checks that neurons exist, times are not negative, and no neuron has two spikes in a step.
fn check_spikes(path: &str, source: &str, size: u32, spikes: &[(u32, f64)], dt_ms: f64) -> Result<(), Error> {
    let mut seen = HashMap::new();
    for (index, &(neuron, time)) in spikes.iter().enumerate() {
        if neuron >= size {
            let expected = format!("{source} has neurons 0 to {}", size - 1);
            return Err(Error::invalid(format!("{path}[{index}][0]"), neuron, expected, "use one of these, or increase `size`"));
        }
        if !(time.is_finite() && time >= 0.0) {
            let expected = "a spike time must be a finite number of milliseconds, 0 or more";
            return Err(Error::invalid(format!("{path}[{index}][1]"), time, expected, "correct it, or remove the spike"));
        }
        let step = Source::step(time, dt_ms);
        // As bits, because floating-point numbers cannot be keys; a step is never -0 or NaN here.
        if let Some(first) = seen.insert((neuron, step.to_bits()), index) {
            let found = format!("[{neuron}, {time}]");
            let expected = format!("spike {first} of the list, at {} ms, is in the same step of {dt_ms} ms", spikes[first].1);
            return Err(Error::invalid(format!("{path}[{index}]"), found, expected, "remove one of the two, or shorten dt_ms"));
        }
    }
    Ok(())
}

fn check_rate(path: &str, rate: &Quantity, elements: Option<(usize, &str)>) -> Result<(), Error> {
    rate.check_shape(path, elements)?;
    let Some((index, below)) = rate.numbers().enumerate().find(|(_, rate)| *rate < 0.0) else { return Ok(()) };
    let path = if matches!(rate, Quantity::Number(_)) { path.to_owned() } else { format!("{path}[{index}]") };
    Err(Error::invalid(path, below, "a rate must be 0 or more", "for example \"20 Hz\""))
}

fn check_delays(path: &str, projection: &Projection, synapses: Option<(usize, &str)>) -> Result<(), Error> {
    let delay_post = projection.delay_post_ms.as_ref();
    if let Some(delays) = delay_post.filter(|_| projection.on_post.is_none() && projection.model.is_none()) {
        let delay = match delays {
            Delays::Same(delay) => delay.to_string(),
            Delays::Each(_) => "given".into(),
        };
        let expected = "it is a delay of `on_post`, which is not set";
        return Err(Error::invalid(format!("{path}.delay_post_ms"), delay, expected, "add `on_post`, or remove it"));
    }
    for end in End::ALL {
        let (key, delays) = projection.delays(end);
        match delays {
            None => {}
            Some(Delays::Same(delay)) => check_delay(&format!("{path}.{key}"), delay, synapses)?,
            Some(Delays::Each(delays)) => {
                let known = || projection.pathways(end).map(|(name, _)| name);
                for (pathway, delay) in delays {
                    let place = format!("{path}.{key}.{pathway}");
                    // A library model has pathways that are not known here.
                    if projection.model.is_none() && !known().any(|name| name == pathway) {
                        return Err(Error::unknown_name(&place, "pathway", pathway, known()));
                    }
                    check_delay(&place, delay, synapses)?;
                }
            }
        }
    }
    Ok(())
}

fn check_order(path: &str, projection: &Projection) -> Result<(), Error> {
    let known = || End::ALL.into_iter().flat_map(|end| projection.pathways(end)).map(|(name, _)| name);
    // A library model has pathways that are not known here.
    let unknown = |pathway: &&String| projection.model.is_none() && !known().any(|name| name == pathway.as_str());
    match projection.order.keys().find(unknown) {
        Some(pathway) => Err(Error::unknown_name(&format!("{path}.order"), "pathway", pathway, known())),
        None => Ok(()),
    }
}

fn check_delay(path: &str, delay: &Quantity, synapses: Option<(usize, &str)>) -> Result<(), Error> {
    check_quantity(path, delay, synapses)?;
    match delay.numbers().enumerate().find(|(_, delay)| *delay < 0.0) {
        Some((index, value)) => {
            let place = if matches!(delay, Quantity::Number(_)) { path.to_owned() } else { format!("{path}[{index}]") };
            let way_out = "use a delay of 0 or more";
            Err(Error::invalid(place, value, "a delay cannot be negative", way_out).of_kind("negative_delay"))
        }
        None => Ok(()),
    }
}

fn check_quantities<'a>(
    path: &str,
    key: &str,
    quantities: impl IntoIterator<Item = (&'a String, &'a Quantity)>,
    elements: Option<(usize, &str)>,
) -> Result<(), Error> {
    quantities.into_iter().try_for_each(|(name, value)| {
        let place = format!("{path}.{key}.{name}");
        if key == "parameters" { value.check_shape(place, elements) } else { check_quantity(place, value, elements) }
    })
}

/// As [`Quantity::check_shape`], without functions of time.
pub(super) fn check_quantity(path: impl Display, quantity: &Quantity, elements: Option<(usize, &str)>) -> Result<(), Error> {
    if let Quantity::Timed { .. } = quantity {
        let expected = "only a parameter or a rate can change with time";
        return Err(Error::invalid(path, quantity, expected, "use a value that is constant during the run"));
    }
    quantity.check_shape(path, elements)
}
