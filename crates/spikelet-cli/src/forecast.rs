//! `spikelet run --dry-run --ranks N`: the expected time and memory of a network on many ranks, without building it.

use std::fmt;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use spikelet::cost::{ASSUMPTIONS, Load, MachineCosts, Prediction};
use spikelet::{Network, catalogue, human};

use crate::args::RunArguments;
use crate::failure::Failure;
use crate::text::{metric, short, wrapped};
use crate::{machine, source};

/// Assumed mean rate of neurons in Hz, if unknown.
pub(crate) const NOMINAL_HZ: f64 = 5.0;

/// The rate of a population that the catalogue expects.
pub(crate) fn expected_rate(network: &str, population: &str) -> Option<f64> {
    let entry = catalogue::entries().iter().find(|entry| entry.name == network)?;
    Some(entry.expected.iter().find(|figures| figures.population == population)?.rate_hz)
}

/// The prediction for a network on a machine.
pub(crate) struct Forecast {
    network: String,
    load: Load,
    machine: MachineCosts,
    prediction: Prediction,
    /// Where the rates come from.
    rates: String,
}

impl Forecast {
    /// The prediction for some ranks.
    pub(crate) fn new(args: &RunArguments, network: &Network, ranks: usize) -> Result<Forecast, Failure> {
        let mut machine = chosen(args.cost.machine.as_deref())?;
        if let Some(threads) = args.threads {
            machine.threads_per_rank = threads.get() as u32;
        }
        if let Some(memory) = args.memory {
            machine.memory_per_rank = memory;
        }
        let known = network.populations.iter().any(|of| expected_rate(&network.name, &of.name).is_some());
        let rates = match args.cost.rate {
            Some(rate) => format!("{rate} Hz, as given by --rate"),
            None if known => "those that the catalogue expects".to_owned(),
            None => format!("{NOMINAL_HZ} Hz, as nothing is known; set --rate"),
        };
        let rate = |name: &str| args.cost.rate.or_else(|| expected_rate(&network.name, name)).unwrap_or(NOMINAL_HZ);
        let load =
            Load::new(network, args.storage.map(Into::into), rate).map_err(|error| source::refused(&args.network, &error))?;
        let prediction = Prediction::new(&load, &machine, ranks)?;
        Ok(Forecast { network: network.name.clone(), load, machine, prediction, rates })
    }

    /// Its JSON. Its keys are part of the command line interface.
    pub(crate) fn to_json(&self) -> Value {
        let Prediction { ranks, exchanges, messages, sent_bytes, imbalance, start_bytes, .. } = self.prediction;
        let seconds: serde_json::Map<String, Value> =
            self.seconds().into_iter().map(|(name, seconds)| (name.to_owned(), seconds.into())).collect();
        let memory = self.prediction.memory.iter().map(|(name, bytes)| json!({"name": name, "bytes": bytes.round()}));
        json!({
            "kind": "prediction",
            "network": self.network,
            "ranks": ranks,
            "neurons": self.load.neurons(),
            "synapses": self.load.synapses(),
            "stored_synapses": self.load.projections.iter().filter(|of| of.stored).map(|of| of.synapses).sum::<f64>(),
            "spikes_per_second": self.load.spikes(),
            "synaptic_events_per_second": self.load.events(),
            "rates": self.rates,
            "seconds_per_second": self.prediction.seconds(),
            "parts": seconds,
            "exchanges_per_second": exchanges,
            "messages_per_exchange": messages,
            "bytes_sent_per_second": sent_bytes,
            "imbalance": imbalance,
            "memory_bytes_per_rank": self.prediction.bytes().round(),
            "memory": memory.collect::<Vec<_>>(),
            "memory_bytes_at_start": start_bytes.round(),
            "fits": self.prediction.fits(),
            "machine": self.machine,
            "assumptions": ASSUMPTIONS,
        })
    }

    /// Seconds of each part of the work.
    fn seconds(&self) -> [(&'static str, f64); 6] {
        let of = &self.prediction;
        [
            ("updates", of.update_seconds),
            ("events", of.event_seconds),
            ("rows", of.row_seconds),
            ("exchange", of.exchange_seconds),
            ("wait", of.wait_seconds),
            ("results", of.result_seconds),
        ]
    }
}

/// The machine of a file, or of a class.
fn chosen(name: Option<&str>) -> Result<MachineCosts, Failure> {
    let classes = machine::classes();
    let name = name.unwrap_or(&classes[0].name);
    if let Some(class) = classes.iter().find(|class| class.name == name) {
        return Ok(class.clone());
    }
    let text = fs::read_to_string(name).map_err(|error| {
        let known: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
        let known = known.join(", ");
        Failure::Input(format!(
            "--machine {name} is neither a class ({known}) nor a file that can be read: {error}; write one with \
             `spikelet machine --out FILE`"
        ))
    })?;
    MachineCosts::from_json(&text).map_err(|error| Failure::of_file(Path::new(name), &error))
}

impl fmt::Display for Forecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Forecast { network, load, machine, prediction, rates } = self;
        let Prediction { ranks, exchanges, messages, sent_bytes, imbalance, start_bytes, available_bytes, .. } = *prediction;
        let neurons = metric(load.neurons());
        writeln!(f, "{network} on {ranks} ranks of {}: a prediction, nothing was built or run\n", machine.name)?;
        writeln!(f, "neurons      {neurons}, synapses {:.3e}, rates: {rates}", load.synapses())?;
        writeln!(f, "events       {:.3e} per second of biological time", load.events())?;
        let (threads, on_node) = (machine.threads_per_rank, machine.ranks_per_node);
        writeln!(f, "machine      {threads} threads per rank, {on_node} ranks per node; assumed: {}", assumed(machine))?;
        for line in wrapped(&format!("from {}", machine.source)) {
            writeln!(f, "             {line}")?;
        }
        writeln!(f, "\nwall time per second of biological time: {} s", short(prediction.seconds()))?;
        for (name, seconds) in self.seconds() {
            writeln!(f, "  {name:<20} {:>10} s", short(seconds))?;
        }
        let (bytes, imbalance) = (human(sent_bytes as u64), short(imbalance));
        writeln!(
            f,
            "  {} exchanges, {} messages of a rank in each, {bytes} sent, imbalance {imbalance}",
            metric(exchanges),
            short(messages)
        )?;
        let fits = if prediction.fits() { "fits" } else { "does not fit" };
        writeln!(f, "\nmemory of a rank: {} of {}: {fits}", human(prediction.bytes() as u64), human(available_bytes as u64))?;
        for (name, bytes) in prediction.memory.iter().filter(|(_, bytes)| *bytes >= 1.0) {
            writeln!(f, "  {name:<20} {:>10}", human(*bytes as u64))?;
        }
        if start_bytes >= 1.0 {
            writeln!(f, "  {:<20} {:>10}", "at the start", human(start_bytes as u64))?;
        }
        write!(f, "\nassumptions")?;
        for line in ASSUMPTIONS.iter().flat_map(|assumption| wrapped(assumption)) {
            write!(f, "\n  {line}")?;
        }
        Ok(())
    }
}

/// The assumed numbers of a machine.
fn assumed(machine: &MachineCosts) -> String {
    if machine.assumed.is_empty() { "nothing".to_owned() } else { machine.assumed.join(", ") }
}
