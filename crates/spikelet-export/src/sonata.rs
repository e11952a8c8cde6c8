//! Circuits of SONATA with their simulation.

use std::sync::Arc;

use spikelet::judge::texts::own;
use spikelet::{Cpu, EdgeTable, Error, Network, Plan, Simulation, Source, grouped};
use spikelet_interchange::sonata::{self, Built, BuiltEdges};

use crate::{Export, ExportError, ExportedFile};

/// The file that names the others.
const CONFIG: &str = "config.json";

/// The circuit of a network.
pub(crate) fn circuit(network: &Network) -> Result<Export, ExportError> {
    let mut network = network.clone();
    network.populations.iter_mut().for_each(|population| *population = own(population));
    let mut built = Values { network: Arc::new(network.clone()), plan: None, simulation: None };
    let (written, notices) =
        sonata::write(&network, &mut built).map_err(|error| ExportError::refused(&network, "a circuit of SONATA", error))?;
    let cells: u64 = network.populations.iter().map(|of| u64::from(of.size)).sum();
    let inputs: u64 = network.sources.iter().map(|of| u64::from(Source::size(of))).sum();
    let about = |name: &str| match name {
        CONFIG => format!("{} nodes, {} of them virtual", grouped(cells + inputs), grouped(inputs)),
        _ => String::new(),
    };
    let files = written.into_iter().map(|(name, content)| ExportedFile { about: about(&name), name, content }).collect();
    Ok(Export { files, notices: notices.iter().map(|notice| format!("{}: {notice}", notice.path)).collect() })
}

/// The network as it is built, where that is necessary: lists of edges and values need no build.
struct Values {
    network: Arc<Network>,
    plan: Option<Arc<Plan>>,
    simulation: Option<Simulation>,
}

impl Values {
    fn plan(&mut self) -> Result<Arc<Plan>, Error> {
        let plan = match self.plan.take() {
            Some(plan) => plan,
            None => Arc::new(Plan::new(&self.network)?),
        };
        Ok(self.plan.insert(plan).clone())
    }
}

impl Built for Values {
    fn neurons(&mut self, population: &str, name: &str) -> Result<Vec<f64>, Error> {
        let simulation = match self.simulation.take() {
            Some(simulation) => simulation,
            None => pollster::block_on(Simulation::with_plan(&self.network.clone(), self.plan()?, Box::new(Cpu::new(1))))?,
        };
        pollster::block_on(self.simulation.insert(simulation).values(0, &format!("{population}.{name}")))
    }

    fn synapses(&mut self, projection: &str) -> Result<BuiltEdges, Error> {
        let table = EdgeTable::new(self.network.clone(), self.plan()?, projection, None)?;
        let unreadable = |error: std::io::Error| Error::invalid(projection, "not readable", error, "make the network smaller");
        let all = table.all().map_err(unreadable)?;
        let pairs = all.pre.into_iter().zip(all.post).map(|(pre, post)| [pre, post]).collect();
        let mut synapses = BuiltEdges { pairs, ..BuiltEdges::default() };
        for (column, values) in table.columns().iter().zip(all.values) {
            if column.name == "delay_ms" {
                synapses.delays_ms = values;
            } else {
                synapses.values.push((column.name.clone(), values));
            }
        }
        Ok(synapses)
    }
}
