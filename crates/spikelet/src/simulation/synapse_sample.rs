//! Some synapses of a projection, with their current weights and delays.

use std::ops::Range;

use spikelet_cpu::drawn_values;
use spikelet_kernel::ValueScratch;
use spikelet_lang::End;
use spikelet_rows::connect::{Edge, ProceduralRows, Rows};
use spikelet_rows::half;
use spikelet_rows::rng::SynapseCoordinates;

use super::Simulation;
use crate::{ArrayId, ArrayKind, Error, Owner, PathwayPlan, PerSynapse, Plan, ProjectionPlan};

/// Maximum number of procedural synapses that are drawn to count those onto some neurons: about a second.
const MAX_DRAWN: u64 = 1 << 26;
/// Of a procedural projection with more synapses than requested, rows with this many times as many are drawn.
const DRAWN_PER_SAMPLE: u64 = 4;
/// And at least this many rows, however long they are.
const MIN_ROWS: usize = 16;

/// Which synapses of a projection to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SynapseQuery {
    /// Maximum number of synapses; if there are more, they are sampled evenly, the same ones at each call.
    pub limit: usize,
    /// Only those from these neurons of the presynaptic population.
    pub pre: Option<Range<u32>>,
    /// Only those onto these neurons of the postsynaptic population.
    pub post: Option<Range<u32>>,
}

/// Synapses of a projection.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SynapseSample {
    /// Number of all synapses that match.
    pub total: u64,
    /// Presynaptic neuron of each, in its population.
    pub pre: Vec<u32>,
    /// Postsynaptic neuron of each, in its population.
    pub post: Vec<u32>,
    /// Weight of each, in [`SynapseSample::unit`]; empty if there are none.
    pub weights: Vec<f32>,
    /// Delay of each, in ms: that of the first pathway, from presynaptic spikes if there is one.
    pub delays_ms: Vec<f32>,
    /// The variable of the synapses that is the weight, `w` if there is one of that name; without state, the postsynaptic variable that an
    /// event adds to. Empty if there is neither.
    pub variable: String,
    /// The inner unit of the weights.
    pub unit: String,
}

impl Simulation {
    /// Synapses of a projection at [`Simulation::device_step`] in a trial, by its index in [`Simulation::runs`]. Rows of procedural
    /// projections are drawn for it. Only for a network that is not divided among ranks.
    ///
    /// # Errors
    /// An unknown projection, neurons out of range, or procedural synapses onto some neurons that are too many to be counted; as
    /// [`Simulation::read_trial`].
    pub async fn synapse_sample(&mut self, trial: usize, projection: &str, query: &SynapseQuery) -> Result<SynapseSample, Error> {
        self.collect().await?;
        self.check_in_step(trial)?;
        let plan = self.runs[trial].plan.clone();
        let names = || plan.projections.iter().map(|of| of.name.as_str());
        let Some(index) = names().position(|name| name == projection) else {
            return Err(Error::unknown_name("projection", "projection", projection, names()));
        };
        let of = &plan.projections[index];
        let slice = |path: &str, given: &Option<Range<u32>>, population: usize| {
            let size = plan.populations[population].size;
            match given {
                None => Ok(0..size),
                Some(range) if range.start < range.end && range.end <= size => Ok(range.clone()),
                Some(range) => {
                    let (found, name) = (format!("{}:{}", range.start, range.end), &plan.populations[population].name);
                    let expected = format!("`{name}` has {size} neurons, counted from 0");
                    Err(Error::invalid(path, found, expected, format!("use a range within 0:{size}")))
                }
            }
        };
        let (pres, posts) = (slice("pre", &query.pre, of.pre)?, slice("post", &query.post, of.post)?);
        let first = pres.start.max(of.pre_slice.start);
        let pres = first..pres.end.min(of.pre_slice.end).max(first);
        let weight = Weight::of(&plan, index);
        let words = match &weight {
            Weight::State(array) => self.read_trial(trial, *array).await?,
            Weight::Event | Weight::None => Vec::new(),
        };
        let (variable, unit) = weight.described(&plan, index);
        let mut sample = SynapseSample { variable, unit, ..SynapseSample::default() };
        match of.procedural() {
            Some(rows) => drawn(&plan, of, rows, [pres, posts], query.limit, &mut sample)?,
            None => stored(&plan, of, [pres, posts], query.limit, &words, &mut sample),
        }
        Ok(sample)
    }
}

/// The source of the weights of a projection.
enum Weight {
    /// A variable of the synapses.
    State(ArrayId),
    /// What an event adds to a variable.
    Event,
    None,
}

impl Weight {
    fn of(plan: &Plan, projection: usize) -> Weight {
        let owner = Owner::Synapses { projection };
        let named = || plan.arrays().named().filter(|(_, entry)| entry.owner == owner);
        let called = named().find(|(_, entry)| entry.name() == "w");
        let first = || named().min_by_key(|(_, entry)| entry.kind != ArrayKind::Variable);
        match called.or_else(first) {
            Some((array, _)) => Weight::State(array),
            None if pathway(&plan.projections[projection]).is_some_and(|pathway| !pathway.writes.is_empty()) => Weight::Event,
            None => Weight::None,
        }
    }

    /// The name of the variable, and its unit.
    fn described(&self, plan: &Plan, projection: usize) -> (String, String) {
        let entry = match self {
            Weight::State(array) => plan.arrays().get(*array).ok(),
            Weight::Event => {
                let of = &plan.projections[projection];
                let write = pathway(of).and_then(|pathway| pathway.writes.first());
                let variable = write.map(|write| plan.populations[of.post].program.ports[write.port]);
                let owner = Owner::Neurons { population: of.post };
                variable.and_then(|variable| plan.arrays().of(owner, variable)).and_then(|array| plan.arrays().get(array).ok())
            }
            Weight::None => None,
        };
        entry.map(|entry| (entry.name().to_owned(), entry.unit.clone())).unwrap_or_default()
    }
}

/// The pathway whose delay and weight are those of the projection.
fn pathway(of: &ProjectionPlan) -> Option<&PathwayPlan> {
    of.pathways.iter().find(|pathway| pathway.end == End::Pre).or_else(|| of.pathways.first())
}

/// Indices of at most `limit` of `total` elements, in increasing order: one of each of `limit` equal parts, at a place that a
/// low-discrepancy sequence gives, so that regular rows do not show as patterns.
fn evenly(total: u64, limit: usize) -> impl Iterator<Item = u64> {
    let parts = total.min(limit as u64);
    (0..parts).map(move |part| {
        let bound = |part: u64| (u128::from(part) * u128::from(total) / u128::from(parts)) as u64;
        let (first, end) = (bound(part), bound(part + 1));
        let place = (part as u32).wrapping_mul(0x9e37_79b9);
        first + ((u128::from(end - first) * u128::from(place)) >> 32) as u64
    })
}

/// Synapses that are stored.
fn stored(plan: &Plan, of: &ProjectionPlan, ends: [Range<u32>; 2], limit: usize, words: &[u32], sample: &mut SynapseSample) {
    let ([pres, posts], rows) = (ends, of.rows());
    let every_post = posts == (0..plan.populations[of.post].size);
    let edges = |row: usize| {
        let row = rows.row(row);
        // Targets are in increasing order.
        if every_post { row } else { rows.first_from(row.clone(), posts.start)..rows.first_from(row, posts.end) }
    };
    let row_of = |pre: u32| (pre - of.pre_slice.start) as usize;
    let mut ends_of_rows = Vec::with_capacity(pres.len());
    for pre in pres.clone() {
        sample.total += edges(row_of(pre)).len() as u64;
        ends_of_rows.push(sample.total);
    }
    let mut row = 0;
    for at in evenly(sample.total, limit) {
        while ends_of_rows[row] <= at {
            row += 1;
        }
        let pre = pres.start + row as u32;
        let before = if row == 0 { 0 } else { ends_of_rows[row - 1] };
        let edge = edges(row_of(pre)).start + (at - before) as usize;
        sample.pre.push(pre);
        sample.post.push(rows.target(edge));
        sample.weights.extend(match words {
            [] => weight_of_event(plan, of, edge),
            words => words.get(edge).map(|word| f32::from_bits(*word)),
        });
        sample.delays_ms.push(stored_delay(of, rows, edge) * plan.dt_ms as f32);
    }
}

/// The delay of a stored synapse, in steps.
fn stored_delay(of: &ProjectionPlan, rows: &Rows, edge: usize) -> f32 {
    match pathway(of).map(|pathway| &pathway.delay) {
        Some(PerSynapse::Shared(delay)) => *delay as f32,
        Some(PerSynapse::Each(delays)) => delays[edge] as f32,
        Some(PerSynapse::Packed(_)) => (rows.words.get(edge) >> rows.target_bits) as f32,
        Some(PerSynapse::Half(_) | PerSynapse::Drawn(_)) | None => 0.0,
    }
}

/// What an event of a stored synapse adds; `None` if nothing, or if it is computed.
fn weight_of_event(plan: &Plan, of: &ProjectionPlan, edge: usize) -> Option<f32> {
    let pathway = pathway(of)?;
    let (ports, first) = (&plan.populations[of.post].ports, pathway.writes.first()?);
    // A remainder in finer units follows its whole units.
    let rest = pathway.writes.get(1).filter(|write| write.port == first.port + 1 && ports[write.port].rest);
    let mut sum = 0.0;
    for write in std::iter::once(first).chain(rest) {
        let units = match &write.weights {
            PerSynapse::Shared(units) => *units,
            PerSynapse::Each(units) => units[edge],
            PerSynapse::Half(halves) => half::decode(halves[edge]),
            PerSynapse::Packed(_) | PerSynapse::Drawn(_) => return None,
        };
        sum += libm::ldexp(f64::from(units), -ports[write.port].shift);
    }
    Some(sum as f32)
}

/// Synapses that are drawn at every spike.
fn drawn(
    plan: &Plan,
    of: &ProjectionPlan,
    rows: &ProceduralRows,
    ends: [Range<u32>; 2],
    limit: usize,
    sample: &mut SynapseSample,
) -> Result<(), Error> {
    let [pres, posts] = ends;
    let length = |pre: u32| u64::from(of.degrees.outgoing[(pre - of.pre_slice.start) as usize]);
    let every_post = posts == (0..plan.populations[of.post].size);
    if !every_post {
        let to_draw: u64 = pres.clone().map(length).sum();
        if to_draw > MAX_DRAWN {
            let found = format!("{to_draw} procedural synapses to be drawn");
            let expected = format!("to count those onto some neurons, at most {MAX_DRAWN} can be drawn");
            return Err(Error::invalid("post", found, expected, "give fewer presynaptic neurons in `pre`, or leave `post` out"));
        }
    }
    let lengths: Vec<u64> = match every_post {
        true => pres.clone().map(length).collect(),
        false => pres.clone().map(|pre| u64::from(rows.length_onto(pre, &posts))).collect(),
    };
    sample.total = lengths.iter().sum();
    let mean = sample.total / (lengths.len().max(1) as u64);
    let wanted = ((limit as u64).saturating_mul(DRAWN_PER_SAMPLE) / mean.max(1)) as usize;
    let chosen: Vec<u32> = match sample.total > limit as u64 {
        true => evenly(lengths.len() as u64, wanted.max(MIN_ROWS)).map(|row| pres.start + row as u32).collect(),
        false => pres.clone().collect(),
    };
    let of_chosen: u64 = chosen.iter().map(|pre| lengths[(pre - pres.start) as usize]).sum();
    let mut wanted = evenly(of_chosen, limit).peekable();
    let (mut row, mut ids, mut before) = (Vec::<Edge>::new(), Vec::new(), 0);
    for pre in chosen {
        row.clear();
        rows.draw(pre, &posts, &mut row);
        let end = before + row.len() as u64;
        while let Some(at) = wanted.next_if(|at| *at < end) {
            let Edge { post, id } = row[(at - before) as usize];
            sample.pre.push(pre);
            sample.post.push(post);
            ids.push(id);
        }
        before = end;
    }
    let count = ids.len();
    let copies = vec![0; count];
    let coordinates = SynapseCoordinates { pre: &sample.pre, id: &ids, copy: &copies };
    let (mut scratch, mut values) = (ValueScratch::default(), Vec::new());
    let Some(pathway) = pathway(of) else { return Ok(()) };
    sample.delays_ms = match &pathway.delay {
        PerSynapse::Drawn(value) => {
            drawn_values(rows, &value.code, coordinates, &sample.post, &mut scratch, &mut values);
            values.iter().map(|steps| steps.round_ties_even() * plan.dt_ms as f32).collect()
        }
        PerSynapse::Shared(delay) => vec![*delay as f32 * plan.dt_ms as f32; count],
        PerSynapse::Each(_) | PerSynapse::Half(_) | PerSynapse::Packed(_) => vec![0.0; count],
    };
    if let Some(write) = pathway.writes.first() {
        sample.weights = match &write.weights {
            PerSynapse::Drawn(value) => {
                drawn_values(rows, &value.code, coordinates, &sample.post, &mut scratch, &mut values);
                values
            }
            _ => weight_of_event(plan, of, 0).map(|weight| vec![weight; count]).unwrap_or_default(),
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests;
