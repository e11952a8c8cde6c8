//! The plan of a part of a network.

use spikelet_network::{Error, Network};
use spikelet_rows::Partition;

use super::{Builder, PartSummary, Plan};
use crate::{BuildOptions, Exchange, Purpose, Tag};

impl Plan {
    /// The plan of this rank's part: its own neurons, and the synapses onto them. All ranks call this with the same network and partition;
    /// they exchange numbers and extremes, such as the shortest delay, but no synapses. The neurons, their draws and their spikes are those
    /// of the whole network.
    ///
    /// # Errors
    /// As [`Plan::new`], on each rank for its own synapses; another rank has ended, or it builds another network.
    pub async fn for_part(
        network: &Network,
        options: BuildOptions,
        partition: &Partition,
        exchange: &dyn Exchange,
    ) -> Result<Plan, Error> {
        if partition.ranks() != exchange.size() {
            let (found, expected) = (partition.ranks(), exchange.size());
            return Err(Error::Backend(format!(
                "the partition has {found} ranks, but {expected} take part; use one for {expected}"
            )));
        }
        let mut builder = Builder::of_part(network, options, partition.part(exchange.rank()))?;
        // The others wait for this rank, and its synapses may be the only ones with this error.
        let own = builder.summary().inspect_err(|error| exchange.abandon(error))?;
        let all = exchange.gather(Tag::new(Purpose::Summary), own.to_words()).await?;
        let all = all.iter().map(|words| PartSummary::from_words(words)).collect::<Option<Vec<_>>>();
        let all = all.filter(|all| all.iter().all(|of| of.is_of_the_same_network(&own)));
        let all =
            all.ok_or_else(|| Error::Backend("the ranks build different networks; start all of them with the same one".into()))?;
        let mut whole = PartSummary::merge(all);
        if let Some(rows) = builder.recorded_rows(&whole) {
            let all = exchange.gather(Tag::new(Purpose::RecordedRows), rows).await?;
            whole.add_rows(&all);
        }
        builder.finish_with(&whole).inspect_err(|error| exchange.abandon(error))
    }
}

#[cfg(test)]
pub(crate) mod tests;
