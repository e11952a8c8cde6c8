//! From a configuration to a world.

use serde_json::Value;

use super::section::{NumberRange, Section, shown};
use super::{Area, Homeostasis, LearningRule, Lifecycle, NeuronModel, Plasticity, Sense, SynapseRule, World, WorldSynapses};
use crate::Error;
use crate::network::{Notice, parse_json};

/// The axes, in the order of `lattice_shape`.
const AXES: [&str; 4] = ["x", "y", "z", "w"];

/// A world, and what to report about it.
pub(super) fn read(text: &str) -> Result<(World, Vec<Notice>), Error> {
    let value: Value = parse_json(text, "")?;
    let mut reader = Reader { notices: Vec::new() };
    let world = reader.world(&value)?;
    Ok((world, reader.notices))
}

/// A name without characters that have a meaning in paths and endpoints.
fn identifier(text: &str) -> String {
    text.replace(|c: char| matches!(c, '.' | '[' | ']' | ':' | '=') || c.is_whitespace() || c.is_control(), "_")
}

struct Reader {
    notices: Vec<Notice>,
}

impl Reader {
    fn note(&mut self, path: String, sentence: impl Into<String>) {
        self.notices.push(Notice::new(path, sentence.into()));
    }

    /// All keys of a section were read: the others have no effect.
    fn close(&mut self, section: &Section<'_>) {
        self.notices.extend(section.unused());
    }

    fn world(&mut self, value: &Value) -> Result<World, Error> {
        let top = Section::new(String::new(), value)?;
        let shape = top.whole::<4>("lattice_shape", 1, "[20, 20, 20, 20]")?;
        // The version has had one value only.
        let _ = top.get("model_version");
        let dimensions = top.number("dimensions", 4.0, NumberRange::Any)?;
        if dimensions != 4.0 {
            return Err(Error::invalid(
                "dimensions",
                dimensions,
                "a lattice has four dimensions",
                "write 4, and 1 for axes without extent",
            ));
        }
        let of = |key, example| Section::new(top.at(key), top.required(key, example)?);
        let neurons = of("neuron_model", "{\"type\": \"LIF\"}")?;
        let (model, inhibitory) = self.neurons(&neurons, NeuronModel::LIF, 0.0)?;
        self.close(&neurons);
        let plasticity = self.plasticity(&of("plasticity", "{\"rule\": \"hebb_like\"}")?)?;
        let areas =
            self.areas(top.required("areas", "[{\"name\": \"V1\", \"coord_ranges\": {…}}]")?, shape, model, inhibitory)?;
        let senses = self.senses(&of("senses", "{}")?, &areas)?;
        let lifecycle = self.lifecycle(&of("cell_lifecycle", "{\"enable_death\": false}")?)?;
        let synapses = self.synapses(&top, &plasticity)?;
        if let Some(path) = top.get("neuromodulation").map(|_| top.at("neuromodulation")) {
            self.note(path, "neuromodulators are not simulated: they have no effect in the original's simulation, either");
        }
        self.close(&top);
        let world = World { shape, areas, senses, synapses, plasticity, lifecycle };
        self.compare(&world);
        Ok(world)
    }

    /// The model and the fraction of inhibitory neurons of all areas, or of one area that overrides them.
    fn neurons(&mut self, section: &Section<'_>, model: NeuronModel, inhibitory: f64) -> Result<(NeuronModel, f64), Error> {
        let kind = section.text("type")?.or(section.text("model_type")?);
        let fallback = match kind.map(str::to_lowercase).as_deref() {
            None => model,
            Some("lif") => NeuronModel::LIF,
            Some("izhikevich") => {
                let sentence = "these neurons are Izhikevich neurons; the original simulates LIF neurons for every type";
                self.note(section.at("type"), sentence);
                NeuronModel::IZHIKEVICH
            }
            Some(_) => {
                let expected = "the types of neurons are \"LIF\" and \"Izhikevich\"";
                let found = format!("{:?}", kind.unwrap_or_default());
                return Err(Error::invalid(
                    section.at("type"),
                    found,
                    expected,
                    "use one of them, and edit the equations of the network",
                ));
            }
        };
        let inhibitory = section.number("inhibitory_fraction", inhibitory, NumberRange::Fraction)?;
        let Some(values) = section.section("params_default")? else { return Ok((fallback, inhibitory)) };
        let model = match fallback {
            NeuronModel::Lif { tau_m, v_rest, v_reset, v_threshold, refractory_period } => NeuronModel::Lif {
                tau_m: values.number("tau_m", tau_m, NumberRange::Positive)?,
                v_rest: values.number("v_rest", v_rest, NumberRange::Any)?,
                v_reset: values.number("v_reset", v_reset, NumberRange::Any)?,
                v_threshold: values.number("v_threshold", v_threshold, NumberRange::Any)?,
                refractory_period: values.number("refractory_period", refractory_period, NumberRange::NotNegative)?,
            },
            NeuronModel::Izhikevich { a, b, c, d } => NeuronModel::Izhikevich {
                a: values.number("a", a, NumberRange::Any)?,
                b: values.number("b", b, NumberRange::Any)?,
                c: values.number("c", c, NumberRange::Any)?,
                d: values.number("d", d, NumberRange::Any)?,
            },
        };
        if let NeuronModel::Lif { v_reset, v_threshold, .. } = model
            && v_reset >= v_threshold
        {
            let expected = format!("it must be below v_threshold, {v_threshold}");
            return Err(Error::invalid(values.at("v_reset"), v_reset, expected, "use a smaller one"));
        }
        self.close(&values);
        Ok((model, inhibitory))
    }

    fn areas(&mut self, value: &Value, shape: [u32; 4], model: NeuronModel, inhibitory: f64) -> Result<Vec<Area>, Error> {
        let list = value.as_array().filter(|list| !list.is_empty());
        let expected = "a list of at least one area is expected";
        let list =
            list.ok_or_else(|| Error::invalid("areas", shown(value), expected, "add one, with a name and coord_ranges"))?;
        let mut areas: Vec<Area> = Vec::new();
        for (index, value) in list.iter().enumerate() {
            let section = Section::new(format!("areas[{index}]"), value)?;
            section.required("name", "\"V1\"")?;
            let name = self.name(section.at("name"), section.text("name")?.unwrap_or_default(), &areas)?;
            let ranges = section.required("coord_ranges", "{\"x\": [0, 19], \"y\": [0, 19], \"z\": [0, 19], \"w\": [0, 0]}")?;
            let ranges = Section::new(section.at("coord_ranges"), ranges)?;
            let (mut start, mut edges) = ([0; 4], [0; 4]);
            for (axis, key) in AXES.into_iter().enumerate() {
                let [first, last] = ranges.whole::<2>(key, 0, "[0, 9]")?;
                if last < first || last >= shape[axis] {
                    let expected = format!("the first and the last point are expected, from 0 to {}", shape[axis] - 1);
                    let way_out = "correct it, or enlarge lattice_shape";
                    return Err(Error::invalid(ranges.at(key), format!("[{first}, {last}]"), expected, way_out));
                }
                (start[axis], edges[axis]) = (first, last - first + 1);
            }
            self.close(&ranges);
            let own = section.section("neuron_model")?;
            let (model, mut inhibitory) = match &own {
                Some(own) => self.neurons(own, model, inhibitory)?,
                None => (model, inhibitory),
            };
            own.iter().for_each(|own| self.close(own));
            match section.text("neuron_type")? {
                None => {}
                Some("excitatory") => inhibitory = 0.0,
                Some("inhibitory") => inhibitory = 1.0,
                Some(other) => {
                    let expected = "an area is \"excitatory\" or \"inhibitory\"";
                    let way_out = "for a mixture set inhibitory_fraction in its neuron_model";
                    return Err(Error::invalid(section.at("neuron_type"), format!("{other:?}"), expected, way_out));
                }
            }
            // The list of senses decides; this key only repeats it.
            section.text("sense")?;
            self.close(&section);
            areas.push(Area { name, start, shape: edges, model, inhibitory_fraction: inhibitory });
        }
        let neurons = areas.iter().map(Area::size).fold(0, u64::saturating_add);
        if neurons > u64::from(u32::MAX / 4) {
            let expected = format!("a network can have at most {} neurons in areas", u32::MAX / 4);
            return Err(Error::invalid("areas", format!("of {neurons} neurons"), expected, "make them smaller"));
        }
        Ok(areas)
    }

    /// A name as an identifier of a population.
    fn name(&mut self, path: String, text: &str, areas: &[Area]) -> Result<String, Error> {
        let name = identifier(text);
        if name.is_empty() {
            return Err(Error::invalid(path, "empty", "a name is expected", "for example \"V1\""));
        }
        if areas.iter().any(|area| area.name == name) {
            let expected = "an area already has this name, and names must be unique";
            return Err(Error::invalid(path, format!("{text:?}"), expected, "rename one of them"));
        }
        if name != text {
            self.note(path, format!("{text:?} is named `{name}`, because names have no spaces and none of . : = [ ]"));
        }
        Ok(name)
    }

    fn senses(&mut self, section: &Section<'_>, areas: &[Area]) -> Result<Vec<Sense>, Error> {
        let mut senses = Vec::new();
        for (key, value) in section.entries() {
            let sense = Section::new(section.at(key), value)?;
            let name = self.name(section.at(key), key, areas)?;
            sense.required("areal", "\"V1\"")?;
            let area = sense.text("areal")?.unwrap_or_default();
            let found = areas.iter().find(|found| found.name == identifier(area));
            let names = areas.iter().map(|area| area.name.as_str());
            let found = found.ok_or_else(|| Error::unknown_name(&sense.at("areal"), "area", area, names))?;
            let of_area = [found.shape[0], found.shape[1]];
            let size = match sense.get("input_size") {
                None => of_area,
                Some(_) => sense.whole::<2>("input_size", 1, "[20, 20]")?,
            };
            let size = [size[0].min(of_area[0]), size[1].min(of_area[1])];
            if let Some(given) = sense.get("input_size").filter(|given| **given != Value::from(size.to_vec())) {
                let sentence = format!(
                    "an array of {given} does not fit the area; the sense has the {} x {} numbers that do",
                    size[0], size[1]
                );
                self.note(sense.at("input_size"), sentence);
            }
            if let Some(w) = sense.get("w_index").filter(|w| w.as_u64() != Some(found.start[3].into())) {
                let sentence =
                    format!("w_index {w} has no effect: the sense enters the first layer of its area, w = {}", found.start[3]);
                self.note(sense.at("w_index"), sentence);
            }
            let _ = sense.get("input_description");
            self.close(&sense);
            senses.push(Sense { name, area: found.name.clone(), size });
        }
        Ok(senses)
    }

    fn lifecycle(&mut self, section: &Section<'_>) -> Result<Option<Lifecycle>, Error> {
        let death = section.flag("enable_death", true)?;
        let lifecycle = Lifecycle {
            reproduction: section.flag("enable_reproduction", true)?,
            max_age: section.number("max_age", 100_000.0, NumberRange::Positive)?,
            health_decay_per_step: section.number("health_decay_per_step", 1e-4, NumberRange::NotNegative)?,
            mutation_std_params: section.number("mutation_std_params", 0.05, NumberRange::NotNegative)?,
            mutation_std_weights: section.number("mutation_std_weights", 0.02, NumberRange::NotNegative)?,
        };
        self.close(section);
        Ok(death.then_some(lifecycle))
    }

    fn plasticity(&mut self, section: &Section<'_>) -> Result<Plasticity, Error> {
        let kind = section.text("rule")?.unwrap_or("hebb_like");
        let learning_rate = section.number("learning_rate", 0.001, NumberRange::NotNegative)?;
        let rule = match kind {
            "hebb_like" | "hebb" => LearningRule::Hebb { learning_rate },
            "stdp" => LearningRule::Stdp {
                a_plus: section.number("a_plus", 0.01, NumberRange::NotNegative)?,
                a_minus: section.number("a_minus", 0.012, NumberRange::NotNegative)?,
                tau_plus: section.number("tau_plus", 20.0, NumberRange::Positive)?,
                tau_minus: section.number("tau_minus", 20.0, NumberRange::Positive)?,
            },
            "none" => LearningRule::None,
            other => {
                let expected = "the rules are \"hebb_like\", \"stdp\" and \"none\"";
                return Err(Error::invalid(section.at("rule"), format!("{other:?}"), expected, "use one of them"));
            }
        };
        let weight_min = section.number("weight_min", -1.0, NumberRange::Any)?;
        let weight_max = section.number("weight_max", 1.0, NumberRange::Any)?;
        if weight_min > weight_max {
            let expected = format!("it must not exceed weight_max, {weight_max}");
            return Err(Error::invalid(section.at("weight_min"), weight_min, expected, "exchange them"));
        }
        let homeostasis = match section.section("homeostatic")? {
            None => None,
            Some(of) => {
                let homeostasis = Homeostasis {
                    target_rate: of.number("target_rate", 5.0, NumberRange::Positive)?,
                    time_window: of.number("time_window", 1000.0, NumberRange::Positive)?,
                    scaling_rate: of.number("scaling_rate", 0.01, NumberRange::NotNegative)?,
                };
                let enabled = of.flag("enabled", true)?;
                self.close(&of);
                enabled.then_some(homeostasis)
            }
        };
        for key in ["metaplasticity", "short_term"] {
            let Some(value) = section.get(key) else { continue };
            if value.get("enabled") != Some(&Value::Bool(false)) {
                let sentence = format!("{key} is not simulated: it has no effect in the original's simulation, either");
                self.note(section.at(key), sentence);
            }
        }
        let weight_decay = section.number("weight_decay", 1e-5, NumberRange::NotNegative)?;
        self.close(section);
        Ok(Plasticity { rule, weight_min, weight_max, weight_decay, homeostasis })
    }

    fn synapses(&mut self, top: &Section<'_>, plasticity: &Plasticity) -> Result<WorldSynapses, Error> {
        let default = WorldSynapses::default();
        let Some(section) = top.section("synapses")? else {
            let sentence = "a configuration does not contain the connectivity; it is as the original's defaults: all pairs with \
                            probability 0.01, weights N(0.1, 0.05); add `synapses` to change it";
            self.note("synapses".to_owned(), sentence);
            return Ok(default);
        };
        let rule = match section.text("rule")?.unwrap_or("random") {
            "random" => SynapseRule::Random { p: section.number("p", 0.01, NumberRange::Fraction)? },
            "distance" => {
                let lambda = section.number("lambda", 1.0, NumberRange::Positive)?;
                let cutoff = section.number("cutoff", SynapseRule::CUTOFF * lambda, NumberRange::Positive)?;
                SynapseRule::Distance { p: section.number("p", 1.0, NumberRange::Fraction)?, lambda, cutoff }
            }
            other => {
                let expected = "the rules are \"random\" and \"distance\"";
                return Err(Error::invalid(section.at("rule"), format!("{other:?}"), expected, "use one of them"));
            }
        };
        let weight_mean = section.number("weight_mean", default.weight_mean, NumberRange::Any)?;
        if !(plasticity.weight_min..=plasticity.weight_max).contains(&weight_mean) {
            let expected = "it must be between weight_min and weight_max of `plasticity`";
            return Err(Error::invalid(section.at("weight_mean"), weight_mean, expected, "change one of them"));
        }
        let delay = section.number("delay", 1.0, NumberRange::Positive)?;
        if delay.fract() != 0.0 || delay > 1e6 {
            let expected = "a whole number of steps from 1 to 1000000 is expected";
            return Err(Error::invalid(section.at("delay"), delay, expected, "for example 1"));
        }
        let weight_std = section.number("weight_std", default.weight_std, NumberRange::NotNegative)?;
        self.close(&section);
        Ok(WorldSynapses { rule, weight_mean, weight_std, delay: delay as u32 })
    }

    /// Reports what differs from the original in this world.
    fn compare(&mut self, world: &World) {
        if let Some(lifecycle) = &world.lifecycle {
            let sentence = "neurons begin with different health, so that they do not all die in the same step as in the original; a \
                            reborn neuron keeps its type and its number";
            self.note("cell_lifecycle.enable_death".to_owned(), sentence);
            if !lifecycle.reproduction {
                let sentence = "neurons that die stay in the network, and are silent";
                self.note("cell_lifecycle.enable_reproduction".to_owned(), sentence);
            }
        }
        if world.plasticity.homeostasis.is_some() {
            let sentence = "weights follow the mean rate of spikes; the original estimates it from the potential";
            self.note("plasticity.homeostatic".to_owned(), sentence);
        }
        if world.areas.iter().any(|area| area.inhibitory_fraction > 0.0) {
            let sentence = "the weights of inhibitory neurons are subtracted; the original adds them";
            self.note("neuron_model.inhibitory_fraction".to_owned(), sentence);
        }
        if !world.senses.is_empty() {
            let sentence = "an array stays until the next one is set; in the original it lasts one step";
            self.note("senses".to_owned(), sentence);
        }
        if let Some(NeuronModel::Lif { tau_m, v_rest, v_threshold, .. }) = world.areas.first().map(|area| area.model) {
            let (effect, needed) = (world.plasticity.weight_max / tau_m, v_threshold - v_rest);
            if effect < needed / 100.0 {
                let sentence = format!(
                    "a spike changes a potential by weight/tau_m, at most {effect} mV of the {needed} mV to the threshold: only \
                     senses make neurons fire; raise weight_max and the mean weight"
                );
                self.note("plasticity.weight_max".to_owned(), sentence);
            }
        }
    }
}
