//! The language of Spikelet: neurons and synapses as equations, in the syntax of Brian 2.
//!
//! ```
//! use spikelet_lang::{PopulationLayout, NeuronText, Quantities, check_neuron};
//!
//! let text = NeuronText {
//!     equations: "dv/dt = (E_L - v)/tau : volt".into(),
//!     threshold: Some("v > -50*mV".into()),
//!     reset: Some("v = -60*mV".into()),
//!     ..NeuronText::default()
//! };
//! let given = Quantities::from_texts([("tau", "20*ms"), ("E_L", "-49*mV")]).unwrap();
//! let model = check_neuron(&text, &given.dimensions()).unwrap();
//! let program = model.compile(&PopulationLayout::uniform()).unwrap();
//! println!("{}", spikelet_lang::wgsl::print(&program, Default::default()).update);
//! ```
//!
//! A text is processed by [`syntax`] (tokens, trees), [`model`] (names and dimensions, in the coherent inner units of [`mod@unit`]),
//! `compile` and [`integrate`] (differential equations become assignments) and [`lower`], which generates the straight-line code of [`ir`].
//! [`wgsl`] prints that code for GPUs; the crate `spikelet-kernel` runs it on CPUs, in f64, or as WebAssembly in a browser. [`gradient`] makes
//! the code of its derivative. [`latex`] and [`ir_text`] print for people.
//!
//! The crate does not depend on networks and devices. What runs in the loops of a step is in `spikelet-kernel`.

pub mod check;
mod code_builder;
mod compile;
pub mod diagnostic;
pub mod functions;
pub mod gradient;
pub mod half;
pub mod host;
pub mod integrate;
pub mod ir;
pub mod ir_text;
pub mod latex;
pub mod library;
pub mod lower;
pub mod model;
pub mod own;
pub mod program;
pub mod quantity;
pub mod slow;
pub mod syntax;
pub mod term;
pub mod unit;
pub mod wgsl;

pub use check::{PLASTICITY, check_link, check_neuron, check_synapse};
pub use compile::{REFRACTORY, SCORE, SINCE_SPIKE, STAMP, low_word, of_low_word};
pub use diagnostic::{Diagnostic, Kind};
pub use library::{LibraryModel, ModelKind, Preset, library};
pub use model::{End, Method, NeuronModel, NeuronText, SynapseModel, SynapseNeurons, SynapseText};
pub use program::{PopulationLayout, Program, SynapseLayout, SynapseProgram};
pub use quantity::Quantities;
pub use unit::Dimension;
