//! Completion of a projection from its parts.

use std::sync::Arc;

use spikelet_network::{Error, Weights};
use spikelet_rows::OwnNeurons;
use spikelet_rows::connect::{RowGenerator, Rows};

use super::Drawing;
use crate::check::quantities::{WriteValues, delays, named, steps, writes};
use crate::draw::realized::{EventAmount, RealizedProjection, StatelessWrite};
use crate::pairs::edges::KnownEdges;
use crate::pairs::learned;
use crate::values::Values;
use crate::{DrawnValue, EdgePlan, MinWeight, MinWeightOf, PerSynapse, ThirdNeurons, WeightSizes};

impl Drawing<'_> {
    /// The projection, after all parts are drawn.
    pub(crate) fn finish(mut self) -> Result<RealizedProjection, Error> {
        let own = &self.connectivity.own;
        let (path, dt) = (self.path("delay_ms"), self.network.dt_ms);
        let (mut of_host, mut third): (Option<(Vec<Values>, WriteValues)>, Option<ThirdNeurons>) = (None, None);
        if let RowGenerator::Whole { dropped, .. } = &self.ready {
            self.degrees.dropped += dropped;
        }
        let waits = |values: &Values| matches!(values, Values::Formula(_) | Values::Each(_));
        let is_static = self.checked.model.is_static();
        let needs_rows = !is_static || self.delays.iter().any(waits) || self.writes.iter().flatten().any(|(_, v)| waits(v));
        if needs_rows && self.codes.iter().all(Vec::is_empty) {
            // Values that need all synapses are computed now.
            let (network, projection) = (self.network.network(), &self.network.projections[self.index]);
            let listed = projection.pairs.as_ref().map(|pairs| pairs.len());
            let edges = KnownEdges::new(network, (self.index, listed), &self.rows, self.pre.start, own, self.ends.clone());
            self.named = named(self.index, &self.checked, &edges)?;
            let delays = delays(&self.network, self.index, &self.checked, &self.named, &edges)?;
            of_host = Some((delays, writes(&self.checked, &self.named, &edges)));
            if !is_static {
                third = ThirdNeurons::new(&self.network, self.index, &self.checked, &self.named, &edges)?;
            }
        }
        if !is_static {
            let projection = &self.network.projections[self.index];
            learned::load_values(projection, &self.checked.model, self.pre.start, (&self.rows, own), &mut self.named)?;
        }
        let (delay_values, write_values) = of_host.unwrap_or_else(|| (self.delays.clone(), self.writes.clone()));
        let mut delays = Vec::new();
        for (pathway, values) in delay_values.iter().enumerate() {
            delays.push(match values {
                Values::Uniform(delay) => PerSynapse::Shared(steps(&path, *delay, dt)?),
                Values::Each(delays) => {
                    let steps: Vec<u32> = delays.iter().map(|delay| steps(&path, *delay, dt)).collect::<Result<_, _>>()?;
                    PerSynapse::Each(Arc::new(steps))
                }
                Values::Formula(_) if self.procedural.is_some() => {
                    let at = code_index(&delay_values, pathway);
                    PerSynapse::Drawn(DrawnValue { code: self.codes[0][at].clone(), range: self.longest[at].clone() })
                }
                Values::Formula(_) => {
                    let own = self.kept_delays.get_mut(code_index(&delay_values, pathway)).map(std::mem::take);
                    PerSynapse::Each(Arc::new(own.unwrap_or_default()))
                }
            });
        }
        // Delays are stored in the words of the synapses, if there are enough bits.
        let posts = own.len();
        let target_bits = (u32::BITS - posts.saturating_sub(1).leading_zeros()).max(1);
        if is_static
            && let [PerSynapse::Each(each)] = delays.as_slice()
            && let range = delays[0].bounds()
            && target_bits < u32::BITS
            && range.end < 1 << (u32::BITS - target_bits)
        {
            self.rows.words.pack(each, target_bits, range.end);
            self.rows.target_bits = target_bits;
            delays[0] = PerSynapse::Packed(range);
        }
        let kept = if self.weights == Some(Weights::F16) { EventAmount::Half } else { EventAmount::Each };
        let (mut code, keeps_exact) = (0, self.exact_amounts.is_some());
        let (places, pairs) = (self.places.clone(), self.network.projections[self.index].pairs.is_some());
        let incoming = &self.degrees.incoming[places.start as usize..places.end as usize];
        let mut take = |variable: usize, values: &Values| {
            let (amount, exact, sizes) = match values {
                Values::Uniform(value) => (
                    EventAmount::Shared(*value),
                    Some(PerSynapse::Shared(*value)),
                    WeightSizes { largest: value.abs(), least: MinWeight { size: value.abs(), of: MinWeightOf::All } },
                ),
                Values::Each(each) => {
                    let largest = each.iter().fold(0.0, |most: f64, value| most.max(f64::from((*value as f32).abs())));
                    let least = if pairs {
                        min_listed(&self.rows, self.pre.start, own, each)
                    } else {
                        min_mean(&self.rows, incoming, places.start, own, each)
                    };
                    let exact = keeps_exact.then(|| PerSynapse::Each(Arc::new(each.clone())));
                    (kept(values.to_f32()), exact, WeightSizes { largest, least })
                }
                Values::Formula(_) => {
                    code += 1;
                    let of = &self.codes[1][code - 1];
                    let amount = if self.procedural.is_some() {
                        EventAmount::Code(of.clone())
                    } else {
                        kept(std::mem::take(&mut self.amounts[code - 1]))
                    };
                    let least = MinWeight::mean(&self.sums[code - 1], incoming, places.start, own);
                    let drawn = self.exact_amounts.as_mut().filter(|_| self.procedural.is_none());
                    let exact = drawn.map(|drawn| PerSynapse::Each(Arc::new(std::mem::take(&mut drawn[code - 1]))));
                    (amount, exact, WeightSizes { largest: self.largest[code - 1], least })
                }
            };
            StatelessWrite { variable, amount, exact, sizes }
        };
        let writes: Vec<Vec<StatelessWrite>> =
            write_values.iter().map(|writes| writes.iter().map(|(variable, values)| take(*variable, values)).collect()).collect();
        let has_any = |degree: &u32| *degree > 0;
        let incoming = &self.degrees.incoming;
        let ends = incoming.iter().position(has_any).zip(incoming.iter().rposition(has_any));
        let neuron = |place: usize| self.connectivity.own.neuron(place as u32);
        self.degrees.posts = ends.map_or(0..0, |(first, last)| neuron(first)..neuron(last) + 1);
        self.degrees.synapses = self.synapses;
        if self.procedural.is_some() {
            self.degrees.incoming = Vec::new();
        }
        self.rows.words.shrink_to_fit();
        let edges = match self.procedural {
            Some(procedural) => EdgePlan::Procedural(Arc::new(procedural)),
            None => EdgePlan::Stored(Arc::new(self.rows)),
        };
        Ok(RealizedProjection {
            checked: self.checked,
            pre_slice: self.pre,
            edges,
            degrees: Arc::new(self.degrees),
            delays,
            third,
            values: self.named,
            writes,
        })
    }
}

/// The smallest of the listed weights: each of them counts.
fn min_listed(rows: &Rows, first_pre: u32, own: &OwnNeurons, weights: &[f64]) -> MinWeight {
    let mut least = MinWeight::default();
    for (pre, row) in (first_pre..).zip(rows.offsets.windows(2)) {
        let row = row[0] as usize..row[1] as usize;
        for (synapse, weight) in row.clone().zip(&weights[row]) {
            least =
                least.and(MinWeight { size: weight.abs(), of: MinWeightOf::Synapse([pre, own.neuron(rows.target(synapse))]) });
        }
    }
    least
}

/// The smallest mean weight of a neuron, for computed or drawn weights.
fn min_mean(rows: &Rows, incoming: &[u32], first_place: u32, own: &OwnNeurons, weights: &[f64]) -> MinWeight {
    let mut sums = vec![0.0; incoming.len()];
    rows.targets().zip(weights).for_each(|(place, weight)| sums[(place - first_place) as usize] += weight.abs());
    MinWeight::mean(&sums, incoming, first_place, own)
}

/// Index of a pathway's code among those of the pathways with computed delays.
fn code_index(values: &[Values], pathway: usize) -> usize {
    values[..pathway].iter().filter(|values| matches!(values, Values::Formula(_))).count()
}
