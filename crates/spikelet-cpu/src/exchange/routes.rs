//! Routes of spikes: which neurons have targets on which other ranks.

use spikelet_network::Error;
use spikelet_plan::{EdgePlan, Plan, Spike};
use spikelet_plan::{Exchange, Message, Purpose, Tag};
use spikelet_rows::OwnNeurons;

/// The routes of the spikes of a rank. All ranks find them together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes {
    to: Vec<Route>,
    from: Vec<usize>,
    /// For each rank of `from` the shortest delay of its spikes here.
    delays: Vec<u32>,
}

/// The route to a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route {
    /// The rank.
    pub(crate) rank: usize,
    /// The shortest delay of the spikes, in steps.
    pub(crate) delay: u32,
    /// By population.
    neurons: Vec<Sent>,
}

/// The neurons of a population whose spikes a rank needs.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Sent {
    None,
    All,
    /// A bit for each neuron: of the whole population while they are being found, then of each own one.
    Some(Vec<u32>),
}

impl Sent {
    fn of(bits: Vec<u32>, count: u32) -> Sent {
        match bits.iter().map(|word| word.count_ones()).sum::<u32>() {
            0 => Sent::None,
            some if some == count => Sent::All,
            _ => Sent::Some(bits),
        }
    }

    fn contains(&self, index: u32) -> bool {
        match self {
            Sent::None => false,
            Sent::All => true,
            Sent::Some(bits) => bits[index as usize / 32] >> (index % 32) & 1 == 1,
        }
    }

    /// These neurons among the own ones, by place.
    fn among(&self, own: &OwnNeurons) -> Sent {
        if own.is_empty() || !matches!(self, Sent::Some(_)) {
            return if own.is_empty() { Sent::None } else { self.clone() };
        }
        let mut bits = vec![0; own.len().div_ceil(32) as usize];
        let wanted = (0..).zip(own.iter()).filter(|(_, neuron)| self.contains(*neuron));
        wanted.for_each(|(place, _): (u32, u32)| set(&mut bits, place));
        Sent::of(bits, own.len())
    }
}

fn set(bits: &mut [u32], index: u32) {
    bits[index as usize / 32] |= 1 << (index % 32);
}

/// What a rank needs of a population: neurons, and the shortest delay of their synapses onto the rank.
struct Need {
    neurons: Sent,
    delay: u32,
}

impl Need {
    /// The neurons of a population with targets among the own neurons. Synapses with state need all: every rank has the traces of all
    /// presynaptic neurons, and their spike history.
    fn of(plan: &Plan, population: usize) -> Need {
        let size = plan.populations[population].size;
        let mut bits = vec![0; size.div_ceil(32) as usize];
        let (mut all, mut delay) = (false, u32::MAX);
        for projection in plan.projections.iter().filter(|projection| projection.pre == population) {
            let shortest = || projection.pathways.iter().map(|pathway| pathway.delays.start).min().unwrap_or(0);
            if projection.state.is_some() {
                (all, delay) = (true, delay.min(shortest()));
                continue;
            }
            let slice = projection.pre_slice.clone();
            let mut any = false;
            match &projection.edges {
                EdgePlan::Procedural(rows) => {
                    any = !slice.is_empty() && !plan.own(projection.post).places_in(&rows.post).is_empty();
                    slice.filter(|_| any).for_each(|neuron| set(&mut bits, neuron));
                }
                EdgePlan::Stored(rows) => {
                    for (neuron, _) in slice.zip(rows.offsets.windows(2)).filter(|(_, ends)| ends[0] < ends[1]) {
                        set(&mut bits, neuron);
                        any = true;
                    }
                }
            }
            if any {
                delay = delay.min(shortest());
            }
        }
        Need { neurons: if all { Sent::All } else { Sent::of(bits, size) }, delay }
    }

    fn encode(&self, words: &mut Vec<u32>) {
        words.push(self.delay);
        match &self.neurons {
            Sent::None => words.push(0),
            Sent::All => words.push(1),
            Sent::Some(bits) => {
                words.push(2);
                words.extend_from_slice(bits);
            }
        }
    }

    /// Removes the first one from some words. `None` if they are not those of another rank with the same network.
    fn decode(words: &mut std::slice::Iter<'_, u32>, size: u32) -> Option<Need> {
        let delay = *words.next()?;
        let neurons = match words.next()? {
            0 => Sent::None,
            1 => Sent::All,
            _ => {
                let (bits, rest) = words.as_slice().split_at_checked(size.div_ceil(32) as usize)?;
                *words = rest.iter();
                Sent::Some(bits.to_vec())
            }
        };
        Some(Need { neurons, delay })
    }
}

impl Routes {
    /// Finds the routes between the parts of all ranks; all of them call this.
    ///
    /// # Errors
    /// Another rank has ended, or has another network.
    pub async fn find(plan: &Plan, exchange: &dyn Exchange) -> Result<Routes, Error> {
        let mut words = Vec::new();
        (0..plan.populations.len()).for_each(|population| Need::of(plan, population).encode(&mut words));
        let tag = Tag::new(Purpose::Routes);
        let needs = exchange.gather(tag, words).await?;
        let mut to = Vec::new();
        for (rank, words) in needs.iter().enumerate().filter(|(rank, _)| *rank != exchange.rank()) {
            let (mut words, mut neurons, mut delay) = (words.iter(), Vec::new(), u32::MAX);
            for (population, of) in plan.populations.iter().enumerate() {
                let need = Need::decode(&mut words, of.size).ok_or_else(|| other_network(rank))?;
                let sent = need.neurons.among(plan.own(population));
                if sent != Sent::None {
                    delay = delay.min(need.delay);
                }
                neurons.push(sent);
            }
            if neurons.iter().any(|sent| *sent != Sent::None) {
                to.push(Route { rank, delay, neurons });
            }
        }
        // Each rank receives from those that have a route to it.
        let sent = to.iter().flat_map(|route| [route.rank as u32, route.delay]).collect();
        let (mut from, mut delays) = (Vec::new(), Vec::new());
        for (rank, routes) in
            exchange.gather(tag.of(1), sent).await?.iter().enumerate().filter(|(rank, _)| *rank != exchange.rank())
        {
            if let Some(route) = routes.chunks_exact(2).find(|route| route[0] as usize == exchange.rank()) {
                from.push(rank);
                delays.push(route[1]);
            }
        }
        Ok(Routes { to, from, delays })
    }

    /// The ranks from which messages arrive. Ranks between which there are no synapses exchange none.
    pub fn from(&self) -> &[usize] {
        &self.from
    }

    /// The messages to other ranks with the spikes of own neurons that they need, one for each rank with a route, even if it is empty.
    pub fn sort(&self, plan: &Plan, spikes: &[Spike]) -> Vec<Message> {
        let mut sorted = spikes.to_vec();
        sorted.sort_unstable();
        let located: Vec<(Spike, usize, u32)> = sorted
            .into_iter()
            .filter_map(|spike| {
                let (population, neuron) = plan.locate(spike.neuron);
                Some((spike, population, plan.own(population).place(neuron)?))
            })
            .collect();
        let message = |route: &Route| {
            let mut words = Vec::new();
            for of_step in located.chunk_by(|one, next| one.0.step == next.0.step) {
                let start = words.len();
                words.extend([of_step[0].0.step, 0]);
                let needed = of_step.iter().filter(|(_, population, place)| route.neurons[*population].contains(*place));
                words.extend(needed.map(|(spike, ..)| spike.neuron));
                match (words.len() - start - 2) as u32 {
                    0 => words.truncate(start),
                    count => words[start + 1] = count,
                }
            }
            Message { rank: route.rank, words }
        };
        self.to.iter().map(message).collect()
    }

    /// Appends the spikes of messages, in the form of [`Routes::sort`]: for each step its number, the number of spikes, and their neurons.
    pub fn decode(messages: &[Message], spikes: &mut Vec<Spike>) {
        for Message { words, .. } in messages {
            let mut words = words.as_slice();
            while let [step, count, rest @ ..] = words {
                let (neurons, later) = rest.split_at((*count as usize).min(rest.len()));
                spikes.extend(neurons.iter().map(|neuron| Spike { step: *step, neuron: *neuron }));
                words = later;
            }
        }
    }

    /// The routes to other ranks, in the order of [`Routes::sort`].
    pub(crate) fn to(&self) -> &[Route] {
        &self.to
    }

    /// The shortest delay of the spikes of each rank of [`Routes::from`], in steps.
    pub(crate) fn delays(&self) -> &[u32] {
        &self.delays
    }
}

fn other_network(rank: usize) -> Error {
    Error::Backend(format!("rank {rank} has another network; give all ranks the same one"))
}
