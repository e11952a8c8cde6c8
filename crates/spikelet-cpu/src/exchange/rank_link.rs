//! The exchange of a trial with other ranks.

use std::rc::Rc;

use spikelet_lang::ir::Op;
use spikelet_network::Error;
use spikelet_plan::{Epoch, Exchange, Message, Plan, Purpose, Spike, Tag, Task};

use super::deferred::Deferred;
use super::{OwnPlaces, Routes, SynapsePlaces};

/// The fewest steps of a part for which computation and exchange overlap: with fewer, more messages would cost more than is gained.
const MIN_OVERLAPPED_STEPS: u32 = 4;

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
        let part_steps = part_steps(schedule.epoch_steps, stops);
        RankTiming {
            part_steps,
            overlaps: part_steps < schedule.epoch_steps,
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

/// Number of steps after which ranks exchange spikes. Spikes of one half of an epoch are needed after the other half, so other ranks receive
/// them during it; neurons that stop need them earlier.
pub fn part_steps(epoch_steps: u32, stops: bool) -> u32 {
    if !stops && epoch_steps / 2 >= MIN_OVERLAPPED_STEPS { epoch_steps / 2 } else { epoch_steps }
}

/// What a trial needs to exchange with other ranks. All of them make the same calls in the same order.
pub struct RankLink {
    exchange: Rc<dyn Exchange>,
    routes: Routes,
    /// The own neurons of each rank.
    places: OwnPlaces,
    deferred: Deferred,
    /// Messages of the previous part, if the next one runs meanwhile.
    on_their_way: Option<Task<'static, Vec<Message>>>,
    timing: RankTiming,
    /// The end of the last epoch that has begun.
    end: u32,
}

impl RankLink {
    /// The link for a plan.
    ///
    /// # Errors
    /// This rank cannot simulate the plan, or another rank has ended.
    pub async fn new(plan: &Plan, exchange: Rc<dyn Exchange>) -> Result<RankLink, Error> {
        check(plan, exchange.as_ref())?;
        let routes = Routes::find(plan, exchange.as_ref()).await?;
        let places = OwnPlaces::find(plan, exchange.as_ref()).await?;
        let (deferred, timing) = (Deferred::new(&routes), RankTiming::of(plan));
        Ok(RankLink { deferred, exchange, routes, places, on_their_way: None, timing, end: 0 })
    }

    /// When spikes are exchanged.
    pub fn timing(&self) -> RankTiming {
        self.timing
    }

    /// An epoch begins.
    pub fn begin(&mut self, epoch: Epoch) {
        self.deferred.begin(epoch);
        self.end = epoch.end();
    }

    /// Sends the spikes of the steps before `end` to all ranks that need them; returns those of others.
    ///
    /// # Errors
    /// Another rank has ended.
    pub async fn exchange_now(&mut self, plan: &Plan, spikes: &[Spike], end: u32) -> Result<Vec<Spike>, Error> {
        let sent = self.routes.sort(plan, spikes);
        Ok(decoded(&self.exchange.exchange(Tag::new(Purpose::Spikes).at(end), sent, self.routes.from()).await?))
    }

    /// Takes the spikes of a part that ends here, and sends what other ranks need soon. Returns the spikes of others that are needed next.
    ///
    /// # Errors
    /// Another rank has ended.
    pub async fn exchange_by_delay(&mut self, plan: &Plan, spikes: &[Spike], end: u32) -> Result<Vec<Spike>, Error> {
        let RankTiming { part_steps, overlaps, .. } = self.timing;
        let lag = if overlaps { part_steps } else { 0 };
        let (sent, from) = self.deferred.turn(self.routes.sort(plan, spikes), end, part_steps, lag);
        let next = self.exchange.exchange(Tag::new(Purpose::Spikes).at(end), sent, &from);
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

    /// Sends neurons that could win in a step, each with its value; returns those of others.
    ///
    /// # Errors
    /// Another rank has ended.
    pub async fn offer(&self, step: u32, offers: impl Iterator<Item = (u32, f32)>) -> Result<Vec<(u32, f32)>, Error> {
        let words = offers.flat_map(|(neuron, value)| [neuron, value.to_bits()]).collect();
        let all = self.exchange.gather(Tag::new(Purpose::Candidates).at(step), words).await?;
        let others = all.iter().enumerate().filter(|(rank, _)| *rank != self.exchange.rank());
        let offers = others.flat_map(|(_, words)| words.chunks_exact(2));
        Ok(offers.map(|pair| (pair[0], f32::from_bits(pair[1]))).collect())
    }

    /// Sends the values of own neurons at a step in arrays of these populations: `word` gives that of a neuron in one of them. `set` receives the values of
    /// all neurons.
    ///
    /// # Errors
    /// Another rank has ended.
    pub async fn publish(
        &self,
        step: u32,
        plan: &Plan,
        populations: &[usize],
        word: impl Fn(usize, u32) -> u32,
        mut set: impl FnMut(usize, u32, u32),
    ) -> Result<(), Error> {
        if populations.is_empty() {
            return Ok(());
        }
        let mut words = Vec::new();
        for (array, population) in populations.iter().enumerate() {
            words.extend(plan.own(*population).iter().map(|neuron| word(array, neuron)));
        }
        let tag = Tag::new(Purpose::Values).at(step).of(populations[0]);
        let all = self.exchange.gather(tag, words).await?;
        let mut words: Vec<_> = all.iter().map(|words| words.iter()).collect();
        for (array, population) in populations.iter().enumerate() {
            for (neurons, words) in self.places.of(*population).zip(&mut words) {
                // Only as many words as there are neurons are taken.
                neurons.iter().zip(words).for_each(|(neuron, word)| set(array, neuron, *word));
            }
        }
        Ok(())
    }

    /// Exchanges the spikes that have been deferred, before arrays are read or written that depend on them.
    ///
    /// # Errors
    /// Another rank has ended.
    pub async fn receive_deferred(&mut self) -> Result<Vec<Spike>, Error> {
        if self.timing.stops {
            return Ok(Vec::new());
        }
        let (sent, from) = self.deferred.take_all();
        Ok(decoded(&self.exchange.exchange(Tag::new(Purpose::Spikes).at(self.end), sent, &from).await?))
    }
}

async fn arrived(messages: Option<Task<'static, Vec<Message>>>) -> Result<Vec<Spike>, Error> {
    Ok(match messages {
        Some(messages) => decoded(&messages.await?),
        None => Vec::new(),
    })
}

fn decoded(messages: &[Message]) -> Vec<Spike> {
    let mut spikes = Vec::new();
    Routes::decode(messages, &mut spikes);
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
    Ok(())
}

/// For each projection whose synapses draw random numbers the numbers of those onto own neurons in the whole network, from which they
/// draw; all ranks call this together.
pub(crate) async fn drawing_synapses(plan: &Plan, exchange: &dyn Exchange) -> Result<Vec<(usize, Vec<u32>)>, Error> {
    let draw = |projection: &usize| draws(plan, *projection);
    let projections: Vec<usize> = (0..plan.projections.len()).filter(draw).collect();
    let mut numbers = Vec::new();
    if !projections.is_empty() {
        let places = OwnPlaces::find(plan, exchange).await?;
        for projection in projections {
            let of_ranks = SynapsePlaces::find(plan, projection, &places, exchange).await?;
            numbers.extend(of_ranks.of_ranks().nth(exchange.rank()).map(|own| (projection, own.clone())));
        }
    }
    Ok(numbers)
}

/// Whether the synapses of a projection draw random numbers.
pub fn draws(plan: &Plan, projection: usize) -> bool {
    let state = plan.projections[projection].state.as_ref();
    let mut ops = state.into_iter().flat_map(|state| state.program.codes()).flat_map(|code| &code.ops);
    ops.any(|op| matches!(op, Op::Random(..) | Op::NormalBetween { .. }))
}
