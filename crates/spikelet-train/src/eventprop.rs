//! EventProp: exact gradients of spike times (Wunderlich & Pehle 2021, Scientific Reports 11:12829).
//!
//! It is defined for leaky integrate-and-fire cells with one exponential current, and for leaky integrators without threshold as readouts.
//! They are found by their equations, whatever their names; other cells are rejected. Time is continuous: a spike is where the potential
//! crosses the threshold, not on the grid of steps, and it arrives after its delay. The tape is the list of events, so that its size does
//! not depend on the duration or on the size of a step.
//!
//! **Order of sums.** Trials are grouped in chunks of 8. The gradients of a chunk start at 0; its trials add to them in their order, each its
//! events from last to first, an event the synapses of its row. The chunks are added in a tree: a′\[i\] = a\[2i\] + a\[2i+1\], an odd last one is
//! carried. The derivative with respect to the time of a spike sums over a row in 64 partial sums, place k in k mod 64, and these in a tree:
//! p\[k\] = p\[k\] + p\[k + h\] for h = 32, 16 … 1. So results do not depend on the number of threads, and a GPU has the same bits.

mod backward;
mod cell;
mod dynamics;
mod forward;
mod network;
mod real;
mod tape;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use spikelet_kernel::simd::Level;
use spikelet_network::{Error, Notice};
use spikelet_plan::{Pool, Spike, Task};

use crate::{Batch, DeviceValues, Differentiable, RawGradient, Reading, Readings, TrainingPlan};
pub use backward::Adjoints;
use backward::Backward;
pub use dynamics::Constants;
use forward::Forward;
pub use network::{Cells, Delays, Kind, Network, Population, Projection, Reads};
pub use real::Real;
use tape::Tape;

/// Trials that share a sum of gradients.
pub const CHUNK: usize = 8;

/// The smallest slope of a crossing that is not [limited](EventProp::limited), in units of the threshold above the reset by τm.
pub const CLIP: f64 = 0.01;

/// EventProp on CPU threads, in f32 or, as a reference, in f64.
#[derive(Debug)]
pub struct EventProp<R: Real> {
    pool: Pool,
    clip: f64,
    with_delays: bool,
    loaded: Option<Loaded<R>>,
    limited: u64,
    delay_gradient: Vec<Vec<f64>>,
}

/// EventProp on the CPU.
pub type EventPropCpu = EventProp<f32>;

#[derive(Debug)]
struct Loaded<R> {
    plan: Arc<TrainingPlan>,
    network: Network<R>,
    tapes: Vec<Tape<R>>,
    /// Trials of the last batch.
    trials: usize,
}

impl<R: Real> EventProp<R> {
    /// A device of this many threads.
    pub fn new(threads: usize) -> EventProp<R> {
        EventProp {
            pool: Pool::new(threads),
            clip: CLIP,
            with_delays: false,
            loaded: None,
            limited: 0,
            delay_gradient: Vec::new(),
        }
    }

    /// With another smallest slope of a crossing: the derivative of the time of a spike is inversely proportional to the slope of the
    /// potential, which is limited from below to this part of (threshold − reset)/τm. 0 limits nothing.
    #[must_use]
    pub fn with_clip(self, clip: f64) -> EventProp<R> {
        EventProp { clip, ..self }
    }

    /// With gradients of delays. Each synapse then has a delay of its own, of any length.
    #[must_use]
    pub fn with_delays(self) -> EventProp<R> {
        EventProp { with_delays: true, ..self }
    }

    /// The gradient of the last backward pass with respect to the delays of each projection: per ms, one per synapse in the order of its
    /// rows. Empty unless it was made [with delays](EventProp::with_delays).
    pub fn delay_gradient(&self) -> &[Vec<f64>] {
        &self.delay_gradient
    }

    /// Sets the delays of a projection in ms, one per synapse in the order of its rows; after `load`, for a device
    /// [with delays](EventProp::with_delays).
    ///
    /// # Errors
    /// Their number is wrong, or one is negative or not a number.
    pub fn set_delays(&mut self, projection: usize, delays: &[f64]) -> Result<(), Error> {
        let with_delays = self.with_delays;
        let (loaded, _) = self.loaded()?;
        let Some(of) = loaded.network.projections.get_mut(projection).filter(|_| with_delays) else {
            let way_out = "make the device with `with_delays`, and name a projection of the plan";
            return Err(Error::Backend(format!("the delays of projection {projection} are not trained; {way_out}")));
        };
        let path = format!("projections[{projection}].delay_ms");
        if delays.len() != of.targets.len() {
            let expected = format!("there are {} synapses", of.targets.len());
            return Err(Error::invalid(path, format!("{} delays", delays.len()), expected, "give each a delay"));
        }
        if let Some(wrong) = delays.iter().find(|delay| !delay.is_finite() || **delay < 0.0) {
            return Err(Error::invalid(path, wrong, "a delay is a number of ms, and not negative", "keep it at 0 or above"));
        }
        of.delays = network::Delays::Each(delays.iter().map(|delay| R::of(*delay)).collect());
        Ok(())
    }

    /// How many spikes grazed the threshold, so that their derivative was limited, since the network was loaded.
    pub fn limited(&self) -> u64 {
        self.limited
    }

    /// What a user should know of the training up to now.
    pub fn notices(&self) -> Vec<Notice> {
        limited_notice(self.limited, self.clip)
    }

    fn loaded(&mut self) -> Result<(&mut Loaded<R>, &Pool), Error> {
        let loaded = self.loaded.as_mut().ok_or_else(|| Error::Backend("EventProp has no network; call `load` first".into()))?;
        Ok((loaded, &self.pool))
    }

    fn load_now(&mut self, plan: Arc<TrainingPlan>, trials: usize) -> Result<(), Error> {
        let network = Network::new(&plan, self.clip, self.with_delays)?;
        self.limited = 0;
        self.loaded = Some(Loaded { plan, network, tapes: vec![Tape::default(); trials], trials: 0 });
        Ok(())
    }

    fn set_now(&mut self, values: &DeviceValues) -> Result<(), Error> {
        self.loaded()?.0.network.set(values);
        Ok(())
    }

    /// Simulates a batch. Returns the readings in the precision of the computation: for each readout of the plan `[trial][unit]`.
    fn read(&mut self, batch: &Batch) -> Result<Vec<Vec<R>>, Error> {
        let (loaded, pool) = self.loaded()?;
        let Loaded { plan, network, tapes, trials } = loaded;
        *trials = batch.inputs.len();
        if tapes.len() < *trials {
            tapes.resize_with(*trials, Tape::default);
        }
        let chunks = tapes[..*trials].chunks_mut(CHUNK).zip(batch.inputs.chunks(CHUNK));
        let network = &*network;
        pool.by_turns(chunks, |(tapes, inputs)| {
            let mut forward = Forward::default();
            for (tape, input) in tapes.iter_mut().zip(inputs) {
                Level::best().run(
                    #[inline(always)]
                    || forward.run(network, input, tape),
                );
            }
        });
        if let Some(trial) = tapes[..*trials].iter().position(|tape| tape.ran_away) {
            return Err(network.ran_away(trial));
        }
        let mut readings = Vec::new();
        for readout in &plan.readouts {
            let (population, size) = (readout.population, network.populations[readout.population].size);
            let rest = R::of(network.cells(population).map_or(0.0, |cells| cells.cell.rest));
            let mut values = Vec::with_capacity(*trials * size);
            for tape in &tapes[..*trials] {
                match readout.reading {
                    Reading::Max => values.extend(tape.maxima[population].iter().map(|of| of.value + rest)),
                    Reading::Mean => values.extend(tape.integrals[population].iter().map(|of| *of / network.duration + rest)),
                    Reading::Last => values.extend(tape.last[population].iter().map(|u| *u + rest)),
                    _ => values.extend(tape.first_spikes(population, size)),
                }
            }
            readings.push(values);
        }
        Ok(readings)
    }

    /// The gradients of the last batch, from adjoints of its readings.
    fn gradients(&mut self, adjoints: &[Vec<R>]) -> Result<RawGradient, Error> {
        let (loaded, pool) = self.loaded()?;
        let Loaded { plan, network, tapes, trials } = loaded;
        let network = &*network;
        let chunks = tapes[..*trials].chunks(CHUNK).enumerate().collect::<Vec<_>>();
        let done = pool.by_turns(chunks.into_iter(), |(chunk, tapes)| {
            let mut backward = Backward::default();
            let mut gradients = vec![R::default(); network.gradients];
            for (index, tape) in tapes.iter().enumerate() {
                let of_trial = of_trial(plan, network, adjoints, chunk * CHUNK + index);
                Level::best().run(
                    #[inline(always)]
                    || backward.run(network, tape, &of_trial, &mut gradients),
                );
            }
            (gradients, backward.clipped)
        });
        let clipped: u64 = done.iter().map(|(_, clipped)| clipped).sum();
        let total = tree(done.into_iter().map(|(gradients, _)| gradients).collect());
        let mut raw = RawGradient::default();
        for (index, projection) in network.projections.iter().enumerate() {
            let gain = network.gain(index);
            let range = projection.gradient.map_or(0..0, |first| first..first + projection.targets.len());
            raw.weights.push(total.get(range).map_or(Vec::new(), |of| of.iter().map(|number| number.to_f64() * gain).collect()));
        }
        raw.constants.resize_with(network.populations.len(), Vec::new);
        raw.initial.resize_with(network.populations.len(), Vec::new);
        let delays = network.projections.iter().map(|projection| {
            let range = projection.delay_gradient.map_or(0..0, |first| first..first + projection.targets.len());
            total.get(range).map_or(Vec::new(), |of| of.iter().map(|number| number.to_f64()).collect())
        });
        self.delay_gradient = delays.collect();
        self.limited += clipped;
        Ok(raw)
    }
}

/// The notice of this many spikes whose derivative was limited, if there are any.
pub fn limited_notice(limited: u64, clip: f64) -> Vec<Notice> {
    if limited == 0 {
        return Vec::new();
    }
    let sentence = format!(
        "{limited} spikes grazed the threshold (the potential rose by less than {clip} of the threshold per time constant); their gradients \
         were limited"
    );
    vec![Notice::new("method".to_owned(), sentence)]
}

/// The adjoints of a trial by population, from those of all readings of a batch.
pub fn of_trial<R: Real>(plan: &TrainingPlan, network: &Network<R>, adjoints: &[Vec<R>], trial: usize) -> Vec<Adjoints<R>> {
    let mut of_trial = vec![Adjoints::default(); network.populations.len()];
    for (readout, adjoints) in plan.readouts.iter().zip(adjoints) {
        let size = network.populations[readout.population].size;
        let of = &mut of_trial[readout.population];
        let (to, scale) = match readout.reading {
            Reading::Max => (&mut of.max, None),
            Reading::Mean => (&mut of.mean, Some(network.duration)),
            Reading::Last => (&mut of.last, None),
            _ => (&mut of.first_spike, None),
        };
        to.resize(size, R::default());
        for (to, adjoint) in to.iter_mut().zip(&adjoints[trial * size..]) {
            *to += scale.map_or(*adjoint, |duration| *adjoint / duration);
        }
    }
    of_trial
}

/// The sum of lists of numbers, in pairs.
fn tree<R: Real>(mut lists: Vec<Vec<R>>) -> Vec<R> {
    while lists.len() > 1 {
        lists = lists
            .chunks(2)
            .map(|pair| match pair {
                [one, other] => one.iter().zip(other).map(|(one, other)| *one + *other).collect(),
                odd => odd[0].clone(),
            })
            .collect();
    }
    lists.pop().unwrap_or_default()
}

impl<R: Real> Differentiable for EventProp<R> {
    fn name(&self) -> String {
        let threads = self.pool.threads();
        format!("EventProp on the CPU ({}, {threads} thread{})", R::NAME, if threads == 1 { "" } else { "s" })
    }

    fn load(&mut self, plan: Arc<TrainingPlan>, trials: usize) -> Task<'_, ()> {
        Box::pin(async move { self.load_now(plan, trials) })
    }

    fn set(&mut self, values: Arc<DeviceValues>) -> Task<'_, ()> {
        Box::pin(async move { self.set_now(&values) })
    }

    fn forward<'a>(&'a mut self, batch: &'a Batch, _tape: bool) -> Task<'a, Readings> {
        Box::pin(async move {
            let readings = self.read(batch)?;
            Ok(Readings(readings.into_iter().map(|of| of.into_iter().map(|number| number.to_f64() as f32).collect()).collect()))
        })
    }

    fn backward<'a>(&'a mut self, adjoints: &'a Readings) -> Task<'a, RawGradient> {
        Box::pin(async move {
            let adjoints: Vec<Vec<R>> =
                adjoints.0.iter().map(|of| of.iter().map(|number| R::of(f64::from(*number))).collect()).collect();
            self.gradients(&adjoints)
        })
    }

    fn spikes(&mut self, trial: usize) -> Task<'_, Vec<Spike>> {
        Box::pin(async move {
            let (loaded, _) = self.loaded()?;
            let plan = &loaded.plan;
            let tape = loaded
                .tapes
                .get(trial)
                .filter(|_| trial < loaded.trials)
                .ok_or_else(|| Error::Backend(format!("there is no trial {trial}: the last batch has {}", loaded.trials)))?;
            let mut spikes: Vec<Spike> = tape
                .spikes
                .iter()
                .map(|of| Spike {
                    step: (of.time.to_f64() / plan.network.dt_ms) as u32,
                    neuron: plan.plan.populations[of.population as usize].first + of.neuron,
                })
                .collect();
            spikes.sort_by_key(|spike| (spike.step, spike.neuron));
            Ok(spikes)
        })
    }

    fn notices(&self) -> Vec<Notice> {
        EventProp::notices(self)
    }

    fn tape_bytes(&self) -> u64 {
        let tapes = self.loaded.iter().flat_map(|loaded| &loaded.tapes[..loaded.trials]);
        tapes.map(Tape::bytes).sum()
    }
}
