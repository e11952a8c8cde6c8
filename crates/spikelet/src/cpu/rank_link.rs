//! The exchange of a trial with other ranks.

use std::rc::Rc;

use spikelet_lang::ir::{Code, Op};

use super::deferred::Deferred;
use super::program::ThreadProgram;
use super::published::PublishedArrays;
use super::rank_team::{Request, RequestDesk};
use super::thread_team::Urgency;
use super::winners::Candidate;
use crate::backend::{Epoch, Spike, Task};
use crate::exchange::{Exchange, Message, Routes};
use crate::plan::Plan;
use crate::{Error, OwnNeurons};

/// What a trial needs to exchange with other ranks.
pub(super) struct RankLink {
    exchange: Rc<dyn Exchange>,
    routes: Routes,
    /// For each other rank its own neurons of each published array.
    owners: Vec<(usize, Vec<OwnNeurons>)>,
    deferred: Deferred,
    /// Messages of the previous part, if the next one runs meanwhile.
    on_their_way: Option<Task<'static, Vec<Message>>>,
    part_steps: u32,
    overlaps: bool,
    defers: bool,
}

impl RankLink {
    /// The link for a program; all ranks call this together.
    pub(super) async fn new(plan: &Plan, program: &ThreadProgram, exchange: Rc<dyn Exchange>) -> Result<RankLink, Error> {
        check(plan, exchange.as_ref())?;
        let routes = Routes::find(plan, exchange.as_ref()).await?;
        let populations = (0..program.published.len()).map(|place| program.published.variable(place).0);
        let mut words = Vec::new();
        populations.clone().for_each(|population| encode(plan.own(population), &mut words));
        let mut owners = Vec::new();
        for (rank, words) in exchange.gather(words).await?.iter().enumerate().filter(|(rank, _)| *rank != exchange.rank()) {
            let mut words = words.as_slice();
            owners.push((rank, populations.clone().map(|of| decode(&mut words, plan.populations[of].size)).collect()));
        }
        Ok(RankLink {
            deferred: Deferred::new(&routes),
            exchange,
            routes,
            owners,
            on_their_way: None,
            part_steps: program.epoch_steps,
            overlaps: program.overlaps,
            defers: !program.stops,
        })
    }

    /// An epoch begins.
    pub(super) fn begin(&mut self, epoch: Epoch) {
        self.deferred.begin(epoch);
    }

    /// Obtains what the threads have requested.
    pub(super) async fn answer(
        &mut self,
        request: Request,
        plan: &Plan,
        published: &PublishedArrays,
        desk: &RequestDesk,
    ) -> Result<(), Error> {
        match request {
            Request::Spikes(spikes, Urgency::Now) => {
                let sent = self.routes.sort(plan, &spikes);
                desk.give_spikes(decoded(self.exchange.exchange(sent, self.routes.from()).await?));
            }
            Request::Spikes(spikes, Urgency::ByDelay(end)) => {
                let lag = if self.overlaps { self.part_steps } else { 0 };
                let (sent, from) = self.deferred.turn(self.routes.sort(plan, &spikes), end, self.part_steps, lag);
                let next = self.exchange.exchange(sent, &from);
                let arriving = if self.overlaps { self.on_their_way.replace(next) } else { Some(next) };
                desk.give_spikes(arrived(arriving).await?);
            }
            Request::Finish => desk.give_spikes(arrived(self.on_their_way.take()).await?),
            Request::Offers(offers) => {
                let words = offers.iter().flat_map(|offer| [offer.neuron, offer.value.to_bits()]).collect();
                let all = self.exchange.gather(words).await?;
                let others = all.iter().enumerate().filter(|(rank, _)| *rank != self.exchange.rank());
                let offers = others.flat_map(|(_, words)| words.chunks_exact(2));
                let offers = offers.map(|pair| Candidate { neuron: pair[0], value: f32::from_bits(pair[1]) });
                desk.give_offers(offers.collect());
            }
            Request::Arrays(copies) => self.share(plan, published, &copies).await?,
        }
        Ok(())
    }

    /// Sends the values of own neurons in copies of published arrays, and stores those of others.
    pub(super) async fn share(&self, plan: &Plan, published: &PublishedArrays, copies: &[(usize, usize)]) -> Result<(), Error> {
        let mut words = Vec::new();
        for (place, copy) in copies {
            let own = plan.own(published.variable(*place).0);
            words.extend(own.iter().map(|neuron| published.word(*place, *copy, neuron)));
        }
        let all = self.exchange.gather(words).await?;
        for (rank, owned) in &self.owners {
            let mut words = all[*rank].iter();
            for (place, copy) in copies {
                let neurons = owned[*place].iter();
                neurons.zip(&mut words).for_each(|(neuron, word)| published.set_word(*place, *copy, neuron, *word));
            }
        }
        Ok(())
    }

    /// Exchanges the spikes that have been deferred, before arrays are read or written that depend on them; all ranks call this together.
    pub(super) async fn settle(&mut self) -> Result<Vec<Spike>, Error> {
        if !self.defers {
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
