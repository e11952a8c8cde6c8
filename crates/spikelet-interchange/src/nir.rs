//! Graphs of NIR, the Neuromorphic Intermediate Representation (Pedersen et al. 2024, Nature Communications 15:8122).
//!
//! A [`Graph`] is read from a file and written to one, and becomes a network and is made of one; `docs/nir.md` describes how.
//!
//! ```
//! use spikelet_interchange::nir::{Cell, CellKind, Graph, Import, Node, Tensor};
//!
//! # fn main() -> Result<(), spikelet_network::Error> {
//! let lif = Cell { kind: CellKind::Lif, values: [0.02, 1.0, 0.0, 0.1, 0.0].map(Tensor::scalar).to_vec() };
//! let graph = Graph::chain([
//!     ("input", Node::Input { shape: vec![2] }),
//!     ("weights", Node::Linear { weight: Tensor::new([3, 2], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]) }),
//!     ("lif", Node::Cell(lif)),
//!     ("output", Node::Output { shape: vec![3] }),
//! ]);
//! let read = Graph::from_bytes(graph.to_bytes(true)?)?;
//! let (network, _) = read.network(&Import::default())?;
//! assert_eq!(network.population("lif").map(|lif| lif.size), Some(3));
//! let (again, _) = Graph::of(&network)?;
//! assert_eq!(again.node("input_lif"), graph.node("weights"));
//! # Ok(()) }
//! ```

mod cell;
mod check;
mod equations;
mod export;
mod given;
mod graph;
mod import;
mod kernel;
mod layers;
mod linear;
mod lower;
mod place;
mod read;
mod recognise;
mod recognised;
mod shapes;
mod synapses;
mod tensor;
mod texts;
mod values;
mod write;

pub use cell::{Cell, CellKind};
pub use graph::{Convolution, Graph, Node, Padding, Pool};
pub use import::Import;
pub use tensor::Tensor;
pub use texts::Reset;
