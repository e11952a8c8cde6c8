//! Carries out requests.

mod operate;
mod parse;

use std::rc::Rc;

use spikelet_assemblies::{AreaOptions, Brain, BrainOptions, Cpu, Mode, Refraction, Source};

use crate::monitor::{MonitoredEngine, RoundMonitor};
use crate::protocol::{
    self, Area, AreaDescription, Command, Create, Description, Event, MemoryItem, Reply, Round, SessionError, StimulusDescription,
};

/// At most one brain, and what it is asked.
pub struct Session {
    brain: Option<Brain>,
    monitor: Rc<RoundMonitor>,
}

impl Session {
    /// A session without a brain. `listener` receives the rounds of requests that watch them.
    pub fn new(listener: Box<dyn Fn(Round)>) -> Session {
        Session { brain: None, monitor: Rc::new(RoundMonitor { is_on: false.into(), names: Default::default(), listener }) }
    }

    /// Carries out a request that needs a brain.
    fn run_in_brain(&mut self, command: Command) -> Result<Reply, SessionError> {
        let monitor = self.monitor.clone();
        let brain =
            self.brain.as_mut().ok_or_else(|| SessionError::new("no_network", "there is no brain yet; create one", None))?;
        match command {
            Command::Create(_) | Command::Parse(_) | Command::Grammars | Command::Describe => {
                return Ok(Reply::Description(describe(brain)));
            }
            Command::AddArea(area) => {
                let id = brain.add_area(&area.name, options(&area))?;
                monitor.names.borrow_mut().insert(id.into(), area.name);
            }
            Command::AddStimulus { name, size } => {
                let id = brain.add_stimulus(&name, size)?;
                monitor.names.borrow_mut().insert(id.into(), name);
            }
            Command::SetBeta { from, to, beta } => {
                let (from, to) = (brain.source(&from)?, brain.area(&to)?);
                brain.set_beta(from, to, beta)?;
            }
            Command::SetPlasticity { learns } => brain.set_plasticity(learns),
            Command::Project { fibres, rounds, watch: is_watched } => {
                let fibre = |(from, to): &(String, String)| Ok((brain.source(from)?, brain.area(to)?));
                let fibres = fibres.iter().map(fibre).collect::<Result<Vec<_>, SessionError>>()?;
                monitor.is_on.set(is_watched);
                brain.project(&fibres, rounds)?;
            }
            Command::Operate { operation, watch: is_watched } => {
                monitor.is_on.set(is_watched);
                return Ok(Reply::Report(operate::operate(brain, operation)?.into()));
            }
            Command::Winners { area } => return Ok(Reply::Neurons(brain.winners(brain.area(&area)?).to_vec())),
            Command::SetWinners { area, winners } => brain.set_winners(brain.area(&area)?, &winners)?,
            Command::Activate { area, index } => brain.activate(brain.area(&area)?, index)?,
            Command::Fix { area } => brain.fix(brain.area(&area)?)?,
            Command::Unfix { area } => brain.unfix(brain.area(&area)?),
            Command::Forget { area } => brain.forget(brain.area(&area)?)?,
            Command::Memory => return Ok(Reply::Memory(memory(brain))),
        }
        Ok(Reply::Done)
    }

    fn create(&mut self, create: &Create) -> Result<(), SessionError> {
        let Create { p, seed, mode, w_max, memory } = *create;
        let mode = match mode {
            protocol::Mode::Explicit => Mode::Explicit,
            protocol::Mode::Procedural => Mode::Procedural,
            protocol::Mode::Lazy => Mode::Lazy,
        };
        let options = BrainOptions { p, seed, mode, w_max, threads: 1, memory: memory as u64 };
        self.monitor.names.borrow_mut().clear();
        self.brain = None;
        self.brain = Some(Brain::with_engine(options, Box::new(MonitoredEngine::new(Cpu::new(&options), self.monitor.clone())))?);
        Ok(())
    }
}

impl spikelet_module::Session for Session {
    type Command = Command;
    type Reply = Reply;
    type Event = Event;
    type Error = SessionError;

    fn run(&mut self, command: Command) -> Result<Reply, SessionError> {
        match command {
            Command::Create(create) => self.create(&create).map(|()| Reply::Done),
            Command::Parse(sentence) => parse::parse(&sentence).map(Reply::Parse),
            Command::Grammars => Ok(Reply::Grammars(parse::grammars())),
            command => self.run_in_brain(command),
        }
    }
}

fn options(area: &Area) -> AreaOptions {
    let refraction = match area.refraction {
        None => Refraction::None,
        Some(protocol::Refraction::Refractory { strength, period }) => Refraction::Refractory { strength, period },
        Some(protocol::Refraction::Refracted { strength }) => Refraction::Refracted { strength },
    };
    AreaOptions { n: area.n, k: area.k, beta: area.beta, explicit: area.explicit, refraction }
}

fn describe(brain: &Brain) -> Description {
    let areas = brain.areas().map(|area| {
        let AreaOptions { n, k, beta, .. } = *brain.area_options(area);
        let (name, fixed, support) = (brain.name(area).to_owned(), brain.is_fixed(area), brain.support(area));
        AreaDescription { name, n, k, beta, fixed, support }
    });
    let stimuli = brain
        .stimuli()
        .map(|(stimulus, size)| StimulusDescription { name: brain.name(Source::Stimulus(stimulus)).to_owned(), size });
    Description { rounds: brain.rounds() as f64, plastic: brain.is_plastic(), areas: areas.collect(), stimuli: stimuli.collect() }
}

fn memory(brain: &Brain) -> Vec<MemoryItem> {
    brain.memory().into_iter().map(|item| MemoryItem { what: item.what, bytes: item.bytes as f64 }).collect()
}

#[cfg(test)]
mod tests;
