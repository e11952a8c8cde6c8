//! The exchange of a trial with other ranks.

use std::rc::Rc;

use spikelet_lang::ir::{Code, Op};

use super::deferred::Deferred;
use super::{Exchange, Message, Routes};
use crate::backend::{Epoch, Spike, Task};
use crate::plan::Plan;
use crate::{Error, OwnNeurons};

/// The fewest steps of a part for which computation and exchange overlap: with fewer, more messages would cost more than is gained.
const LEAST_OVERLAPPED_STEPS: u32 = 4;

/// When the ranks of a plan exchange spikes. All of them have the same answers, whatever neurons and devices they have, because all must
/// exchange the same in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankTiming {
    /// Steps that neurons run ahead; then the ranks exchange spikes.
    pub part_steps: u32,
    /// Whether they run for this number of steps once more before they need these spikes.
    pub overlaps: bool,
    /// Steps after which neurons that stop exchange spikes.
    pub exchange_steps: u32,
    /// Whether any neurons stop.
    pub stops: bool,
    /// Whether any run ahead.
    pub runs_ahead: bool,
}

impl RankTiming {
    /// The timing of a plan.
    pub fn of(plan: &Plan) -> RankTiming {
        let schedule = plan.schedule();
        let stops = schedule.stepwise.iter().any(|neurons| !neurons.is_empty());
        let sizes = plan.populations.iter().map(|population| population.size as usize);
        let runs_ahead = schedule.stepwise.iter().zip(sizes).any(|(neurons, size)| neurons.len() < size);
        // Spikes of one half of an epoch are needed after the other half, so other ranks receive them during it. Neurons that stop need
        // them earlier.
        let overlaps = !stops && schedule.epoch_steps / 2 >= LEAST_OVERLAPPED_STEPS;
        RankTiming {
            part_steps: if overlaps { schedule.epoch_steps / 2 } else { schedule.epoch_steps },
            overlaps,
            exchange_steps: schedule.exchange_steps,
            stops,
            runs_ahead,
        }
    }

    /// The parts of an epoch.
    pub fn parts(&self, epoch: Epoch) -> impl Iterator<Item = Epoch> + use<> {
        epoch.in_parts(self.part_steps)
    }
}

/// What a trial needs to exchange with other ranks. All of them make the same calls in the same order.
pub struct RankLink {
    exchange: Rc<dyn Exchange>,
    routes: Routes,
    /// For each other rank its own neurons of each published array.
    owners: Vec<(usize, Vec<OwnNeurons>)>,
    deferred: Deferred,
    /// Messages of the previous part, if the next one runs meanwhile.
    on_their_way: Option<Task<'static, Vec<Message>>>,
    timing: RankTiming,
}

impl RankLink {
    /// The link for a plan, and for the populations of the arrays that synapses of other ranks read.
    ///
    /// # Errors
    /// This rank cannot simulate the plan, or another rank has ended.
    pub async fn new(plan: &Plan, published: &[usize], exchange: Rc<dyn Exchange>) -> Result<RankLink, Error> {
        check(plan, exchange.as_ref())?;
        let routes = Routes::find(plan, exchange.as_ref()).await?;
        let mut words = Vec::new();
        published.iter().for_each(|population| encode(plan.own(*population), &mut words));
        let mut owners = Vec::new();
        for (rank, words) in exchange.gather(words).await?.iter().enumerate().filter(|(rank, _)| *rank != exchange.rank()) {
            let mut words = words.as_slice();
            owners.push((rank, published.iter().map(|of| decode(&mut words, plan.populations[*of].size)).collect()));
        }
        let (deferred, timing) = (Deferred::new(&routes), RankTiming::of(plan));
        Ok(RankLink { deferred, exchange, routes, owners, on_their_way: None, timing })
    }

    /// When spikes are exchanged.
    pub fn timing(&self) -> RankTiming {
        self.timing
    }

    /// An epoch begins.
    pub fn begin(&mut self, epoch: Epoch) {
        self.deferred.begin(epoch);
    }

    /// Sends spikes to all ranks that need them; returns those of others.
    ///
    /// # Errors
    /// Another rank has ended.
    pub async fn exchange_now(&mut self, plan: &Plan, spikes: &[Spike]) -> Result<Vec<Spike>, Error> {
        let sent = self.routes.sort(plan, spikes);
        Ok(decoded(self.exchange.exchange(sent, self.routes.from()).await?))
    }

    /// Takes the spikes of a part that ends here, and sends what other ranks need soon. Returns the spikes of others that are needed next.
    ///
    /// # Errors
    /// Another rank has ended.
    pub async fn exchange_by_delay(&mut self, plan: &Plan, spikes: &[Spike], end: u32) -> Result<Vec<Spike>, Error> {
        let RankTiming { part_steps, overlaps, .. } = self.timing;
        let lag = if overlaps { part_steps } else { 0 };
        let (sent, from) = self.deferred.turn(self.routes.sort(plan, spikes), end, part_steps, lag);
        let next = self.exchange.exchange(sent, &from);
        let arriving = if overlaps { self.on_their_way.replace(next) } else { Some(next) };
        arrived(arriving).await
    }

    /// Receives the spikes that are on their way, at the end of a run.
    ///
    /// # Errors
    /// Another rank has ended.
    pub async fn finish(&mut self) -> Result<Vec<Spike>, Error> {
        arrived(self.on_their_way.take()).await
    }

    /// Sends neurons that could win, each with its value; returns those of others.
    ///
    /// # Errors
    /// Another rank has ended.
    pub async fn offer(&self, offers: impl Iterator<Item = (u32, f32)>) -> Result<Vec<(u32, f32)>, Error> {
        let words = offers.flat_map(|(neuron, value)| [neuron, value.to_bits()]).collect();
        let all = self.exchange.gather(words).await?;
        let others = all.iter().enumerate().filter(|(rank, _)| *rank != self.exchange.rank());
        let offers = others.flat_map(|(_, words)| words.chunks_exact(2));
        Ok(offers.map(|pair| (pair[0], f32::from_bits(pair[1]))).collect())
    }

    /// Sends the values of own neurons in some of the published arrays: `word` gives that of a neuron in one of them. `set` receives those of
    /// other ranks.
    ///
    /// # Errors
    /// Another rank has ended.
    pub async fn publish(
        &self,
        arrays: &[(usize, &OwnNeurons)],
        word: impl Fn(usize, u32) -> u32,
        mut set: impl FnMut(usize, u32, u32),
    ) -> Result<(), Error> {
        if arrays.is_empty() {
            return Ok(());
        }
        let mut words = Vec::new();
        for (array, (_, own)) in arrays.iter().enumerate() {
            words.extend(own.iter().map(|neuron| word(array, neuron)));
        }
        let all = self.exchange.gather(words).await?;
        for (rank, owned) in &self.owners {
            let mut words = all[*rank].iter();
            for (array, (published, _)) in arrays.iter().enumerate() {
                owned[*published].iter().zip(&mut words).for_each(|(neuron, word)| set(array, neuron, *word));
            }
        }
        Ok(())
    }

    /// Exchanges the spikes that have been deferred, before arrays are read or written that depend on them.
    ///
    /// # Errors
    /// Another rank has ended.
    pub async fn settle(&mut self) -> Result<Vec<Spike>, Error> {
        if self.timing.stops {
            return Ok(Vec::new());
        }
        let (sent, from) = self.deferred.take_all();
        Ok(decoded(self.exchange.exchange(sent, &from).await?))
    }
}

async fn arrived(messages: Option<Task<'static, Vec<Message>>>) -> Result<Vec<Spike>, Error> {
    Ok(match messages {
        Some(messages) => decoded(messages.await?),
        None => Vec::new(),
    })
}

fn decoded(messages: Vec<Message>) -> Vec<Spike> {
    let mut spikes = Vec::new();
    Routes::decode(&messages, &mut spikes);
    spikes
}

/// Rejects plans that this rank cannot simulate.
fn check(plan: &Plan, exchange: &dyn Exchange) -> Result<(), Error> {
    let part = plan.part();
    let ([rank, ranks], [this, size]) = ([part.rank(), part.ranks()], [exchange.rank(), exchange.size()]);
    if (rank, ranks) != (this, size) {
        let expected = format!("rank {this} of {size} needs the plan of its own part");
        return Err(Error::Backend(format!("a plan of part {rank} of {ranks} was loaded; {expected}")));
    }
    if plan.schedule().inseparable {
        let why = "its synapses write variables of neurons that other synapses read in the same step";
        return Err(Error::Backend(format!("the network cannot be divided among {size} ranks, because {why}; use one rank")));
    }
    for projection in &plan.projections {
        let Some(state) = &projection.state else { continue };
        let program = &state.program;
        let codes = program.summed.iter().map(|(_, code)| code).chain([&program.observe, &program.update]).chain(&program.traces);
        if codes.chain(program.pathways.iter().map(|pathway| &pathway.code)).any(draws) {
            let name = &projection.name;
            let why = format!("the synapses of `{name}` draw random numbers by their number in the whole network");
            return Err(Error::Backend(format!("the network cannot be divided among {size} ranks, because {why}; use one rank")));
        }
    }
    Ok(())
}

fn draws(code: &Code) -> bool {
    code.ops.iter().any(|op| matches!(op, Op::Random(..) | Op::NormalBetween { .. }))
}

/// Own neurons as words: their number, and the first one if they are consecutive, otherwise all of them.
fn encode(own: &OwnNeurons, words: &mut Vec<u32>) {
    words.push(own.len());
    match own.as_range() {
        Some(range) => words.extend([1, range.start]),
        None => {
            words.push(0);
            words.extend(own.iter());
        }
    }
}

fn decode(words: &mut &[u32], size: u32) -> OwnNeurons {
    match words {
        [count, 1, first, rest @ ..] => {
            let own = OwnNeurons::range(*first..first + count, size);
            *words = rest;
            own
        }
        [count, 0, rest @ ..] => {
            let (neurons, rest) = rest.split_at((*count as usize).min(rest.len()));
            *words = rest;
            OwnNeurons::of(neurons.iter().copied(), size)
        }
        _ => OwnNeurons::range(0..0, size),
    }
}
