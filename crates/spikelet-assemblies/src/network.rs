//! A brain and everything it did, as a network with a protocol.
//!
//! A round is a step of 1 ms, after a first one in which only stimuli fire. The parameter `mode` of an area says which neurons fire in a step: none
//! ([`CLOSED`]), the winners ([`COMPETE`]), those that fired last ([`HOLD`]), or given neurons ([`FORCE`]). A fibre transmits the spikes of
//! a step if it is used in the next round, and learns with those of a step if it was used in its round.

use std::collections::HashMap;

use serde_json::{Map, Value, json};
use spikelet::Network;

use crate::brain::Action;
use crate::{AreaId, Brain, Error, Mode, Refraction, Round, Source, UNIT, Weights};

const CLOSED: u32 = 0;
const COMPETE: u32 = 1;
const HOLD: u32 = 2;
const FORCE: u32 = 3;

/// A step of the network.
struct Step<'a> {
    round: Option<&'a Round>,
    forced: Vec<(AreaId, &'a [u32])>,
}

/// The fibres of a brain in the order of their first use, and which are used in each round.
#[derive(Default)]
struct Fibres {
    order: Vec<(Source, AreaId)>,
    numbers: HashMap<(Source, AreaId), usize>,
    /// In how many rounds each has learned.
    learned: Vec<u32>,
}

impl Brain {
    /// The brain as a network whose spikes in step r are the winners of round r: a population for each stimulus and area, a projection for
    /// each fibre, and changes of their parameters at the times of the rounds. It runs on any backend, as any network does.
    ///
    /// If winners were set, there is a step for that between two rounds. An area that receives no input in a round fires its last winners
    /// again.
    ///
    /// # Errors
    /// The brain is lazy, so that it has no connectivity; or it uses a refraction, or weights were set back.
    pub fn to_network(&self, name: &str) -> Result<Network, Error> {
        self.check_network()?;
        let steps = steps(&self.history);
        let names = PopulationNames::of(self);
        let (fibres, changes) = self.changes(&steps, &names);
        let stimulus = |(stimulus, size): (crate::StimulusId, u32)| {
            json!({
                "name": names.of_source(stimulus), "size": size, "equations": "fires : 1", "threshold": "fires > 0.5", "initial": {"fires": 1}
            })
        };
        let area = |area: AreaId| {
            let options = self.area_options(area);
            // A change cannot make a list of one value.
            let is_forced = steps.iter().any(|step| step.forced.iter().any(|(forced, _)| *forced == area));
            let forced = if is_forced { Value::from(vec![0; options.n as usize]) } else { 0.into() };
            json!({
                "name": names.of_source(area), "size": options.n, "equations": "input : 1\nexcitation : 1",
                "update": "excitation = input\ninput = 0",
                "threshold": format!(
                    "abs(mode - {COMPETE}) < 0.5 or abs(mode - {HOLD}) < 0.5 and t - lastspike < 1.5*dt or abs(mode - {FORCE}) < 0.5 and forced > 0.5"
                ),
                "parameters": {"mode": CLOSED, "forced": forced},
                "winners": {"k": options.k, "of": "excitation"}, "units": {"input": UNIT}
            })
        };
        let populations: Vec<Value> = self.areas().map(area).chain(self.stimuli().map(stimulus)).collect();
        let projections: Vec<Value> =
            fibres.order.iter().zip(&fibres.learned).map(|(fibre, learned)| self.projection(*fibre, *learned, &names)).collect();
        let network = json!({
            "name": name, "dt_ms": 1, "duration_ms": steps.len(), "seed": self.options().seed,
            "populations": populations, "projections": projections, "changes": changes
        });
        Ok(Network::from_json(&network.to_string())?)
    }

    /// Whether it can be [written as a network](Brain::to_network).
    ///
    /// # Errors
    /// The same.
    pub fn check_network(&self) -> Result<(), Error> {
        if self.options().mode == Mode::Lazy {
            let why = "the mode `lazy` draws no connectivity".into();
            return Err(Error::NoNetwork { why, way_out: "use the mode `procedural` or `explicit`" });
        }
        if let Some(area) = self.areas().find(|area| self.area_options(*area).refraction != Refraction::None) {
            let why = format!("area “{}” has a refraction", self.name(area));
            return Err(Error::NoNetwork { why, way_out: "write the network with the model `assembly_area`, which has a bias" });
        }
        let forgotten = |action: &Action| if let Action::Forget(area) = action { Some(*area) } else { None };
        if let Some(area) = self.history.iter().find_map(forgotten) {
            let why = format!("the weights within area “{}” were set back to 1", self.name(area));
            return Err(Error::NoNetwork { why, way_out: "use another area instead" });
        }
        Ok(())
    }

    fn projection(&self, (source, area): (Source, AreaId), learned: u32, names: &PopulationNames) -> Value {
        let beta = self.betas.get(&(source, area)).copied().unwrap_or(self.area_options(area).beta);
        // The largest weight that the rounds can have led to bounds the input.
        let weights = Weights::new(beta, self.options().w_max);
        let most = weights.max_updates().min(u16::try_from(learned).unwrap_or(u16::MAX));
        let w_max = weights.weight(most);
        json!({
            "name": names.of_fibre(source, area), "pre": names.of_source(source), "post": names.of_source(area),
            "connect": {"rule": "bernoulli", "p": self.options().p},
            "equations": "w : 1 (plastic)\ndfired/dt = -fired/dt : 1 (event-driven)",
            "on_pre": "input_post += clip(open*w, 0, w_max)\nfired = 1",
            // One step after a spike, fired is 1/e; after two it is 1/e².
            "on_post": "w = min(w*(1 + learns*beta*int(fired > 0.2)), w_max)", "order": {"post": -1},
            "parameters": {"beta": beta, "w_max": w_max, "open": 0, "learns": 0}, "initial": {"w": 1}
        })
    }

    /// The fibres, and the changes of parameters at the start of each step.
    fn changes(&self, steps: &[Step<'_>], names: &PopulationNames) -> (Fibres, Vec<Value>) {
        let mut fibres = Fibres::default();
        let mut has_winners = vec![false; self.areas().count()];
        // Which fibres are used in the round of each step.
        let mut used: Vec<Vec<usize>> = Vec::new();
        let mut modes: Vec<Vec<u32>> = Vec::new();
        for step in steps {
            let mut mode: Vec<u32> = has_winners.iter().map(|has| if *has { HOLD } else { CLOSED }).collect();
            let mut now = Vec::new();
            for target in step.round.iter().flat_map(|round| &round.targets) {
                let is_active = |source: &Source| match source {
                    Source::Stimulus(_) => true,
                    Source::Area(area) => has_winners[area.index()],
                };
                let active: Vec<Source> = target.sources.iter().copied().filter(is_active).collect();
                now.extend(active.iter().map(|source| fibres.number(*source, target.area)));
                if !active.is_empty() && !target.is_fixed {
                    mode[target.area.index()] = COMPETE;
                }
            }
            if step.round.is_some_and(|round| round.learn) {
                now.iter().for_each(|number| fibres.learned[*number] += 1);
            }
            step.forced.iter().for_each(|(area, _)| mode[area.index()] = FORCE);
            mode.iter().zip(&mut has_winners).for_each(|(mode, has)| *has |= *mode != CLOSED);
            used.push(now);
            modes.push(mode);
        }
        let mut values: HashMap<String, Value> = HashMap::new();
        let mut changes = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let mut set = Map::new();
            let mut put = |path: String, value: Value, before: Value| {
                if *values.get(&path).unwrap_or(&before) != value {
                    values.insert(path.clone(), value.clone());
                    set.insert(path, value);
                }
            };
            for area in self.areas() {
                put(format!("{}.mode", names.of_source(area)), modes[at][area.index()].into(), CLOSED.into());
            }
            for (area, winners) in &step.forced {
                let mut forced = vec![0; self.area_options(*area).n as usize];
                winners.iter().for_each(|winner| forced[*winner as usize] = 1);
                put(format!("{}.forced", names.of_source(*area)), forced.into(), Value::Null);
            }
            for (number, (source, area)) in fibres.order.iter().enumerate() {
                let name = names.of_fibre(*source, *area);
                let is_open = used.get(at + 1).is_some_and(|used| used.contains(&number));
                let learns = used[at].contains(&number) && step.round.is_some_and(|round| round.learn);
                put(format!("{name}.open"), u32::from(is_open).into(), 0.into());
                put(format!("{name}.learns"), u32::from(learns).into(), 0.into());
            }
            if !set.is_empty() {
                changes.push(json!({"at_ms": at, "set": set}));
            }
        }
        (fibres, changes)
    }
}

/// The steps of a history. Winners that are set one after the other are set in one step.
fn steps(history: &[Action]) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = vec![Step { round: None, forced: Vec::new() }];
    for action in history {
        match action {
            Action::Rounds(round, count) => {
                steps.extend((0..*count).map(|_| Step { round: Some(round), forced: Vec::new() }));
            }
            Action::Winners(area, winners) => match steps.last_mut().filter(|step| step.round.is_none()) {
                Some(step) => {
                    step.forced.retain(|(other, _)| other != area);
                    step.forced.push((*area, winners));
                }
                None => steps.push(Step { round: None, forced: vec![(*area, winners)] }),
            },
            Action::Forget(_) => {}
        }
    }
    steps
}

impl Fibres {
    fn number(&mut self, source: Source, area: AreaId) -> usize {
        *self.numbers.entry((source, area)).or_insert_with(|| {
            self.order.push((source, area));
            self.learned.push(0);
            self.order.len() - 1
        })
    }
}

/// PopulationNames of populations, which are identifiers.
struct PopulationNames(HashMap<Source, String>);

impl PopulationNames {
    fn of(brain: &Brain) -> PopulationNames {
        let sources = brain.areas().map(Source::Area).chain(brain.stimuli().map(|(stimulus, _)| Source::Stimulus(stimulus)));
        let mut names: HashMap<Source, String> = HashMap::new();
        for (index, source) in sources.enumerate() {
            let is_valid = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
            let mut name: String = brain.name(source).chars().map(|sign| if is_valid(sign) { sign } else { '_' }).collect();
            if !name.starts_with(|sign: char| sign.is_ascii_alphabetic()) || names.values().any(|other| *other == name) {
                name = format!("area_{index}_{name}");
            }
            names.insert(source, name);
        }
        PopulationNames(names)
    }

    fn of_source(&self, source: impl Into<Source>) -> &str {
        &self.0[&source.into()]
    }

    fn of_fibre(&self, source: Source, area: AreaId) -> String {
        format!("{}__{}", self.of_source(source), self.of_source(area))
    }
}
