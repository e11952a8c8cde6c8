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
//! Three printers read that code: [`wgsl`] for GPUs, [`block`] for CPUs and, with the feature `wasm`, `wasm` for the CPU in a browser. All
//! use the elementary functions of [`math`], which only add, multiply and select, so that their results are bit-identical where these
//! operations are. [`double`] evaluates the code in f64. [`gradient`] makes the code of its derivative. [`latex`] and [`ir_text`] print for people.
//! [`value_code`] handles values of synapses.
//!
//! The crate does not depend on networks and devices.

pub mod block;
pub mod check;
mod code_builder;
mod compile;
pub mod diagnostic;
pub mod double;
pub mod gradient;
pub mod half;
pub mod host;
pub mod integrate;
pub mod ir;
pub mod ir_text;
pub mod latex;
pub mod library;
pub mod lower;
pub mod math;
pub mod model;
pub mod own;
pub mod program;
pub mod quantity;
pub mod simd;
pub mod slow;
pub mod syntax;
pub mod term;
pub mod unit;
pub mod value_code;
#[cfg(any(target_family = "wasm", test))]
pub mod wasm;
pub mod wgsl;

pub use check::{PLASTICITY, check_link, check_neuron, check_synapse};
pub use compile::{REFRACTORY, SCORE, SINCE_SPIKE, STAMP, low_word, of_low_word};
pub use diagnostic::{Diagnostic, Kind};
pub use library::{LibraryModel, ModelKind, Preset, library};
pub use model::{End, Method, NeuronModel, NeuronText, SynapseModel, SynapseNeurons, SynapseText};
pub use program::{PopulationLayout, Program, SynapseLayout, SynapseProgram};
pub use quantity::Quantities;
pub use unit::Dimension;
pub use value_code::{ValueCode, ValueScratch};
