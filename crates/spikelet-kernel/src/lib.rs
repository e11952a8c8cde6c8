//! What runs the code of the language on a CPU: loops over blocks of neurons, and what they are made of.
//!
//! ```
//! use spikelet_kernel::block::{Block, InputSums, LANES, NeuronIndices, Prepared, ProgramInputs, Registers};
//! use spikelet_lang::{NeuronText, PopulationLayout, check_neuron};
//!
//! let text = NeuronText { equations: "x : 1".into(), update: Some("x = 0.5*x + 1".into()), ..NeuronText::default() };
//! let program = check_neuron(&text, &Default::default()).unwrap().compile(&PopulationLayout::uniform()).unwrap();
//! let inputs = ProgramInputs {
//!     arrivals: InputSums::NONE,
//!     last_spike: &[0; LANES],
//!     constants: &[],
//!     clocks: &[],
//!     tables: &[],
//!     step: 1,
//!     neurons: NeuronIndices::From(0),
//!     bits: &|_, _| {},
//!     more_bits: &|_, _| 0,
//! };
//! let mut x = [[4.0; LANES]];
//! Prepared::new(&program.update).run(&mut Block { variables: &mut x, inputs: &inputs }, &mut Registers::default());
//! assert_eq!(x, [[3.0; LANES]]);
//! ```
//!
//! [`spikelet_lang`] makes straight-line [`Code`](spikelet_lang::ir::Code) of equations. Here [`block`] runs it for 256 neurons at a time,
//! with the widest vectors that the processor has ([`simd`]); on wasm, `wasm` prints it as a module that the browser compiles. Both use the
//! elementary functions of [`math`], which only add, multiply and select, so that their results are bit-identical where these operations are.
//! [`double`] runs the code in f64. [`value_code`] runs values of synapses.
//!
//! The crate does not depend on networks and devices. It is a crate of its own so that these loops are always optimised, and what reads
//! and checks equations, which runs once, is small in a browser.

pub mod block;
pub mod double;
pub mod math;
pub mod simd;
pub mod value_code;
#[cfg(any(target_family = "wasm", test))]
pub mod wasm;

pub use value_code::{ValueCode, ValueScratch};
