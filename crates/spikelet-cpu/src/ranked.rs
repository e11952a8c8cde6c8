//! A device that simulates a part of a network, with other ranks that simulate the rest, as a backend of the whole network.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use spikelet_lang::End;
use spikelet_network::Error;
use spikelet_plan::{
    Activity, ArrayId, Backend, Epoch, Exchange, NOT_SAMPLED, Owner, Plan, Precision, Purpose, SampleSource, Spike, SynapseList,
    Tag, Task, Trial, pairs_of,
};
use spikelet_rows::distribution::PartialHistogram;

use crate::exchange::{OwnPlaces, SynapsePlaces};

/// One of several ranks. Each of them executes the same calls in the same order, with the plan of its own part; results and arrays are those
/// of the whole network on every rank.
pub struct Ranked {
    local: Box<dyn Backend>,
    exchange: Rc<dyn Exchange>,
    /// Of each trial.
    plans: Vec<Arc<Plan>>,
    /// Where the own neurons and synapses of each rank are in arrays of the whole network, once an array was read or written.
    neurons: Option<OwnPlaces>,
    synapses: HashMap<usize, SynapsePlaces>,
}

impl Ranked {
    /// A device as one of the ranks that exchange messages.
    ///
    /// # Errors
    /// The device cannot simulate a part of a network.
    pub fn new(mut local: Box<dyn Backend>, exchange: Rc<dyn Exchange>) -> Result<Ranked, Error> {
        local.join(exchange.clone())?;
        Ok(Ranked { local, exchange, plans: Vec::new(), neurons: None, synapses: HashMap::new() })
    }

    /// Ends the other ranks if this one has failed: they would wait for it.
    fn checked<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        result.inspect_err(|error| self.exchange.abandon(error))
    }

    fn plan(&self, trial: usize) -> Result<Arc<Plan>, Error> {
        let plan = self.plans.get(trial).cloned();
        plan.ok_or_else(|| Error::Backend("the ranks have not loaded this trial; load it first".into()))
    }

    /// The results of all ranks.
    async fn combined(&self, epoch: Epoch, mut own: Vec<Activity>) -> Result<Vec<Activity>, Error> {
        own.iter_mut().zip(&self.plans).for_each(|(activity, plan)| clear_samples_of_others(plan, &mut activity.samples));
        let mut words = Vec::new();
        own.iter().for_each(|activity| encode(activity, epoch, &mut words));
        let all = self.exchange.gather(Tag::new(Purpose::Results).at(epoch.end()), words).await?;
        let mut combined = own;
        for (rank, words) in all.iter().enumerate().filter(|(rank, _)| *rank != self.exchange.rank()) {
            let mut words = words.iter().copied();
            for activity in &mut combined {
                decode(&mut words, epoch, activity).ok_or_else(|| {
                    let sentence = format!("rank {rank} executes other epochs; all ranks must make the same calls");
                    Error::Backend(sentence)
                })?;
            }
        }
        combined.iter_mut().for_each(|activity| activity.spikes.sort_unstable());
        Ok(combined)
    }

    /// Finds where the neurons, and the synapses of a projection, of all ranks are.
    async fn locate(&mut self, plan: &Plan, owner: Owner) -> Result<(), Error> {
        if self.neurons.is_none() {
            self.neurons = Some(OwnPlaces::find(plan, &*self.exchange).await?);
        }
        if let (Owner::Synapses { projection } | Owner::Events { projection }, Some(neurons)) = (owner, &self.neurons)
            && !self.synapses.contains_key(&projection)
        {
            let places = SynapsePlaces::find(plan, projection, neurons, &*self.exchange).await?;
            self.synapses.insert(projection, places);
        }
        Ok(())
    }

    /// An array of the whole network from the words of each rank.
    fn joined(&self, plan: &Plan, array: ArrayId, all: Vec<Vec<u32>>) -> Vec<u32> {
        let entry = &plan.arrays()[array];
        let mut words = vec![0; entry.length];
        let neurons = |population: usize| self.neurons.iter().flat_map(move |of| of.of(population));
        match entry.owner {
            Owner::Neurons { population } => spread(neurons(population), 1, &all, &mut words),
            Owner::Traces { projection, end: End::Post } => {
                spread(neurons(plan.projections[projection].post), 1, &all, &mut words);
            }
            Owner::RingColumns { population } => {
                let rows = plan.ring.slots * plan.populations[population].ports[entry.index].width();
                spread(neurons(population), rows as usize, &all, &mut words);
            }
            Owner::Synapses { projection } | Owner::Events { projection } => {
                for (places, own) in self.synapses.get(&projection).into_iter().flat_map(SynapsePlaces::of_ranks).zip(all) {
                    places.iter().zip(own).for_each(|(place, word)| words[*place as usize] = word);
                }
            }
            // Each rank knows the spikes that it needs.
            Owner::Memory { .. } => {
                for own in all {
                    words.iter_mut().zip(own).for_each(|(word, own)| *word |= own);
                }
            }
            Owner::Statistic => {
                let mut parts = all.iter().map(|words| PartialHistogram::from_words(words));
                let mut sum = parts.next().flatten().unwrap_or_else(|| PartialHistogram::new(0));
                parts.flatten().for_each(|part| sum.merge(&part));
                words = sum.to_words();
            }
            // The same on all ranks.
            Owner::Traces { .. } | Owner::Population { .. } | Owner::Projection { .. } => {
                words = all.into_iter().next().unwrap_or_default();
            }
        }
        words
    }

    /// The own part of an array of the whole network.
    fn own_part(&self, plan: &Plan, array: ArrayId, words: &[u32]) -> Vec<u32> {
        let entry = &plan.arrays()[array];
        let of_neurons = |population: usize| -> Vec<u32> {
            let own = plan.own(population);
            let rows = words.chunks_exact((own.size() as usize).max(1));
            rows.flat_map(|row| own.iter().map(|neuron| row[neuron as usize])).collect()
        };
        match entry.owner {
            Owner::Neurons { population } | Owner::RingColumns { population } => of_neurons(population),
            Owner::Traces { projection, end: End::Post } => of_neurons(plan.projections[projection].post),
            Owner::Synapses { projection } | Owner::Events { projection } => {
                let places = self.synapses.get(&projection).and_then(|of| of.of_ranks().nth(self.exchange.rank()));
                places.into_iter().flatten().map(|place| words[*place as usize]).collect()
            }
            _ => words.to_vec(),
        }
    }

    /// Whether every rank has the same words of an array.
    fn is_common(&self, plan: &Plan, array: ArrayId) -> bool {
        match plan.arrays()[array].owner {
            Owner::Population { .. } | Owner::Projection { .. } | Owner::Traces { end: End::Pre, .. } => true,
            Owner::Events { projection } => {
                let write = plan.projections[projection].writes().nth(plan.arrays()[array].index);
                write.is_none_or(|(_, write)| {
                    write.weights.is_shared() || write.weights.len() == 0 && plan.arrays()[array].length == 0
                })
            }
            _ => false,
        }
    }
}

/// Copies the words of own neurons to their places in `rows` rows of the whole population.
fn spread<'a>(own: impl Iterator<Item = &'a spikelet_rows::OwnNeurons>, rows: usize, all: &[Vec<u32>], words: &mut [u32]) {
    let size = words.len() / rows.max(1);
    for (own, part) in own.zip(all) {
        for (row, part) in part.chunks_exact((own.len() as usize).max(1)).enumerate() {
            own.iter().zip(part).for_each(|(neuron, word)| words[row * size + neuron as usize] = *word);
        }
    }
}

/// Removes samples that other ranks take, of which a device may have any value.
fn clear_samples_of_others(plan: &Plan, samples: &mut [f32]) {
    let columns = &plan.sampling.columns;
    let of_others = |sampled: &SampleSource| match *sampled {
        SampleSource::Neuron { population, neuron, .. } => plan.own(population).place(neuron).is_none(),
        SampleSource::Synapse { synapse, .. } => synapse.is_none(),
        SampleSource::Sum { .. } => false,
    };
    let others = (0..columns.len()).filter(|column| of_others(&columns[*column]));
    for column in others {
        samples.iter_mut().skip(column).step_by(columns.len()).for_each(|sample| *sample = NOT_SAMPLED);
    }
}

/// The results of a rank as words: samples, then for each step its spikes.
fn encode(activity: &Activity, epoch: Epoch, words: &mut Vec<u32>) {
    words.push(u32::from(activity.diverged));
    words.push(activity.samples.len() as u32);
    words.extend(activity.samples.iter().map(|sample| sample.to_bits()));
    let mut spikes = activity.spikes.as_slice();
    for step in epoch.first..epoch.end() {
        let (now, later) = spikes.split_at(spikes.partition_point(|spike| spike.step <= step));
        words.push(now.len() as u32);
        words.extend(now.iter().map(|spike| spike.neuron));
        spikes = later;
    }
}

/// Adds the results of another rank; `None` if there are too few words.
fn decode(words: &mut impl Iterator<Item = u32>, epoch: Epoch, activity: &mut Activity) -> Option<()> {
    activity.diverged |= words.next()? != 0;
    let samples = words.next()? as usize;
    for sample in activity.samples.iter_mut().take(samples) {
        // Only one rank samples it, or each has a part of a sum.
        *sample += f32::from_bits(words.next()?);
    }
    for step in epoch.first..epoch.end() {
        for _ in 0..words.next()? {
            activity.spikes.push(Spike { step, neuron: words.next()? });
        }
    }
    Some(())
}

impl Backend for Ranked {
    fn name(&self) -> String {
        format!("{} on each of {} ranks", self.local.name(), self.exchange.size())
    }

    fn precision(&self) -> Precision {
        self.local.precision()
    }

    fn load(&mut self, trials: Vec<Trial>) -> Task<'_, ()> {
        Box::pin(async move {
            self.plans = trials.iter().map(|trial| trial.plan.clone()).collect();
            (self.neurons, self.synapses) = (None, HashMap::new());
            let loaded = self.local.load(trials).await;
            self.checked(loaded)
        })
    }

    fn advance(&mut self, epoch: Epoch) -> Task<'_, Vec<Activity>> {
        Box::pin(async move {
            let own = self.local.advance(epoch).await;
            let own = self.checked(own)?;
            self.combined(epoch, own).await
        })
    }

    fn revise(&mut self, plans: Vec<Arc<Plan>>) -> Task<'_, ()> {
        self.plans.clone_from(&plans);
        self.local.revise(plans)
    }

    fn ask_all(&mut self, own: Vec<u32>) -> Task<'_, Vec<Vec<u32>>> {
        self.exchange.gather(Tag::new(Purpose::Change), own)
    }

    fn read(&mut self, trial: usize, array: ArrayId) -> Task<'_, Vec<u32>> {
        Box::pin(async move {
            let plan = self.plan(trial)?;
            let own = self.local.read(trial, array).await;
            let own = self.checked(own)?;
            if self.is_common(&plan, array) {
                return Ok(own);
            }
            self.locate(&plan, plan.arrays()[array].owner).await?;
            let all = self.exchange.gather(Tag::new(Purpose::Array).of(array.number()), own).await?;
            Ok(self.joined(&plan, array, all))
        })
    }

    fn synapses<'a>(&'a mut self, plan: &'a Plan, projection: usize) -> Task<'a, SynapseList> {
        Box::pin(async move {
            self.locate(plan, Owner::Synapses { projection }).await?;
            let of = &plan.projections[projection];
            let (own, rows) = (plan.own(of.post), of.rows());
            let mut words: Vec<u32> = pairs_of(of).flat_map(|[pre, place]| [pre, own.neuron(place)]).collect();
            words.extend(&rows.pairs);
            let all = self.exchange.gather(Tag::new(Purpose::Synapses).of(projection), words).await?;
            let mut ends = vec![[0; 2]; of.synapses() as usize];
            let mut listed: Vec<(u32, u32)> = Vec::new();
            for (numbers, words) in self.synapses.get(&projection).into_iter().flat_map(SynapsePlaces::of_ranks).zip(all) {
                let (of_rank, pairs) = words.split_at(2 * numbers.len());
                for (number, of_synapse) in numbers.iter().zip(of_rank.as_chunks().0) {
                    ends[*number as usize] = *of_synapse;
                }
                listed.extend(pairs.iter().copied().zip(numbers.iter().copied()));
            }
            listed.sort_unstable();
            Ok(SynapseList { ends, places: listed.into_iter().map(|(_, number)| number).collect() })
        })
    }

    fn write<'a>(&'a mut self, trial: usize, array: ArrayId, words: &'a [u32]) -> Task<'a, ()> {
        Box::pin(async move {
            let plan = self.plan(trial)?;
            let entry = plan.arrays().get(array)?;
            entry.check_write(words.len(), entry.length)?;
            if self.is_common(&plan, array) {
                return self.local.write(trial, array, words).await;
            }
            self.locate(&plan, entry.owner).await?;
            let own = self.own_part(&plan, array, words);
            let written = self.local.write(trial, array, &own).await;
            self.checked(written)
        })
    }

    fn complete_step(&mut self, step: u32) -> Task<'_, ()> {
        Box::pin(async move {
            let completed = self.local.complete_step(step).await;
            self.checked(completed)
        })
    }

    fn refill<'a>(&'a mut self, trial: usize, spikes: &'a [Spike], step: u32) -> Task<'a, ()> {
        Box::pin(async move {
            let refilled = self.local.refill(trial, spikes, step).await;
            self.checked(refilled)
        })
    }

    fn follow<'a>(&'a mut self, trial: usize, array: ArrayId, plan: &'a Plan) -> Task<'a, ()> {
        self.local.follow(trial, array, plan)
    }
}
