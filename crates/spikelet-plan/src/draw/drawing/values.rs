//! Synapses with their values by name, drawn once more for a file.

use spikelet_network::Error;

use super::{ChunkResult, Drawing};
use crate::check::quantities::{delays, named, steps, values_of};
use crate::pairs::edges::KnownEdges;
use crate::values::Values;

/// Synapses in the order of rows.
pub(crate) struct DrawnPart {
    pub(crate) pre: Vec<u32>,
    pub(crate) post: Vec<u32>,
    /// The delays of some pathways, in steps.
    pub(crate) delays: Vec<Vec<u32>>,
    /// One list for each name.
    pub(crate) values: Vec<Vec<f64>>,
}

impl Drawing<'_> {
    /// The next synapses of a drawing [of values](super::Preparing::of_values), about a million, with the delays of these pathways, in their order; `None` after
    /// the last. They are not kept.
    pub(crate) fn next_part(&mut self, pathways: &[usize]) -> Result<Option<DrawnPart>, Error> {
        let Some(pres) = self.next(1).pop() else { return Ok(None) };
        let ChunkResult { lengths, targets, delays, amounts, .. } = self.draw(pres.clone())?;
        let mut pre = Vec::with_capacity(targets.len());
        pres.zip(&lengths).for_each(|(neuron, length)| pre.resize(pre.len() + *length as usize, neuron));
        let (path, dt, count) = (self.path("delay_ms"), self.network.dt_ms, targets.len());
        let mut of_code = delays.into_iter();
        let mut part_delays = Vec::new();
        for (index, values) in self.delays.iter().enumerate() {
            let drawn = if matches!(values, Values::Formula(_)) { of_code.next() } else { None };
            if pathways.contains(&index) {
                part_delays.push(match drawn {
                    Some(drawn) => drawn,
                    None => vec![steps(&path, values.at(0), dt)?; count],
                });
            }
        }
        let mut of_code = amounts.into_iter();
        let value = |(_, values): &(usize, Values)| match values {
            Values::Formula(_) => of_code.next().unwrap_or_default().into_iter().map(f64::from).collect(),
            uniform => vec![uniform.at(0); count],
        };
        let values = self.writes.iter().flatten().map(value).collect();
        Ok(Some(DrawnPart { pre, post: targets, delays: part_delays, values }))
    }

    /// All synapses at once, if their values need all of them: those of a list in its order.
    pub(crate) fn whole(self, pathways: &[usize], names: &[String]) -> Result<DrawnPart, Error> {
        let listed = self.network.projections[self.index].pairs.as_ref().map(|pairs| pairs.len());
        let (own, first) = (&self.connectivity.own, self.pre.start);
        let edges = KnownEdges::new(self.network.network(), (self.index, listed), &self.rows, first, own, self.ends.clone());
        let named = named(self.index, &self.checked, &edges)?;
        let (path, dt, count) = (self.path("delay_ms"), self.network.dt_ms, self.rows.len());
        let of_pathways = delays(&self.network, self.index, &self.checked, &named, &edges)?;
        let order = self.rows.in_order_of_pairs();
        let in_order = |synapse: &usize| edges.neurons(*synapse);
        let (pre, post) = order.iter().map(in_order).map(|[pre, post]| (pre, post)).unzip();
        let of_pathway = |pathway: &usize| match &of_pathways[*pathway] {
            Values::Uniform(delay) => Ok(vec![steps(&path, *delay, dt)?; count]),
            values => order.iter().map(|synapse| steps(&path, values.at(*synapse), dt)).collect::<Result<_, _>>(),
        };
        let delays = pathways.iter().map(of_pathway).collect::<Result<_, Error>>()?;
        let values = values_of(names, &named);
        let values = values.iter().map(|(_, values)| order.iter().map(|synapse| values.at(*synapse)).collect()).collect();
        Ok(DrawnPart { pre, post, delays, values })
    }
}
