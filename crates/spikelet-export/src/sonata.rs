//! Circuits of SONATA with their simulation.

use spikelet::texts::own;
use spikelet::{Error, Network, Source, grouped};
use spikelet_interchange::sonata::{self, BuiltEdges};

use crate::built::Built;
use crate::{Export, ExportError, ExportedFile};

/// The file that names the others.
const CONFIG: &str = "config.json";

/// The circuit of a network.
pub(crate) fn circuit(network: &Network) -> Result<Export, ExportError> {
    let mut network = network.clone();
    network.populations.iter_mut().for_each(|population| *population = own(population));
    let mut built = Values { network: network.clone(), built: None };
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
    network: Network,
    built: Option<Built>,
}

impl Values {
    fn built(&mut self) -> Result<&Built, Error> {
        let built = match self.built.take() {
            Some(built) => built,
            None => Built::new(&self.network)?,
        };
        Ok(self.built.insert(built))
    }
}

impl sonata::Built for Values {
    fn neurons(&mut self, population: &str, name: &str) -> Result<Vec<f64>, Error> {
        self.built()?.values(&format!("{population}.{name}"))
    }

    fn synapses(&mut self, projection: &str) -> Result<BuiltEdges, Error> {
        let table = self.built()?.table(projection)?;
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
