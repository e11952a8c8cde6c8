//! What each rank contributed to a run, for the report.

use serde::Serialize;
use spikelet::{Error, Plan, Purpose};

use super::{Ranks, Spent};
use crate::text::short;

/// The shares of the ranks; the keys are those of the report.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Shares {
    pub(crate) ranks: usize,
    /// Wall time in which a rank sent messages, as the mean over ranks.
    exchange_seconds: f64,
    /// Wall time in which a rank waited for messages, as the mean over ranks.
    wait_seconds: f64,
    /// Bytes sent by all ranks during the simulation.
    bytes_exchanged: u64,
    /// The longest time that a rank computed, divided by the mean over ranks: 1 if the work is divided equally.
    imbalance: f64,
    /// Memory of the plan of each rank.
    memory_bytes_per_rank: Vec<u64>,
}

impl Shares {
    /// Those of a run in which this rank simulated for some seconds, and spent some of them on the exchange; `None` without other ranks.
    pub(crate) fn of(ranks: &Ranks, simulated: f64, spent: Spent, plan: &Plan) -> Result<Option<Shares>, Error> {
        if ranks.size() == 1 {
            return Ok(None);
        }
        let (sending, waiting) = (spent.sending.as_secs_f64(), spent.waiting.as_secs_f64());
        let memory: u64 = plan.memory().iter().map(|(_, bytes)| bytes).sum();
        let own = [simulated, sending, waiting].map(f64::to_bits).into_iter().chain([spent.bytes, memory]);
        let words = own.flat_map(|bits| [bits as u32, (bits >> 32) as u32]);
        let all = ranks.gather(Purpose::Ending, words.collect())?;
        let column = |index: usize| -> Vec<u64> {
            all.iter().map(|words| u64::from(words[2 * index]) | u64::from(words[2 * index + 1]) << 32).collect()
        };
        let times = |index| -> Vec<f64> { column(index).into_iter().map(f64::from_bits).collect() };
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let (simulated, sending, waiting) = (times(0), times(1), times(2));
        let computed: Vec<f64> =
            (0..ranks.size()).map(|rank| (simulated[rank] - sending[rank] - waiting[rank]).max(0.0)).collect();
        let busiest = computed.iter().copied().fold(0.0, f64::max);
        Ok(Some(Shares {
            ranks: ranks.size(),
            exchange_seconds: mean(&sending),
            wait_seconds: mean(&waiting),
            bytes_exchanged: column(3).iter().sum(),
            imbalance: if busiest > 0.0 { busiest / mean(&computed) } else { 1.0 },
            memory_bytes_per_rank: column(4),
        }))
    }

    /// A line for the table.
    pub(crate) fn line(&self) -> String {
        let Shares { ranks, exchange_seconds, wait_seconds, bytes_exchanged, imbalance, .. } = self;
        let [sending, waiting, imbalance] = [*exchange_seconds, *wait_seconds, *imbalance].map(short);
        let bytes = spikelet::human(*bytes_exchanged);
        format!("{ranks}; sent {bytes} in {sending} s, waited {waiting} s, imbalance {imbalance}")
    }
}
