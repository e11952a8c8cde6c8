//! Values of synapses as code: weights and delays of hundreds of millions of synapses, computed in blocks on the CPU, or at every
//! spike on a GPU, from the two neurons of a synapse and its random bits.

use std::hash::{Hash, Hasher};

use spikelet_lang::ir::Code;
use spikelet_lang::lower::value::{self, POST, PRE, RESULT};
use spikelet_lang::term::Term;
use spikelet_lang::wgsl::{Arithmetic, statements_drawing};

use crate::block::{Aligned, Block, InputSums, LANES, NeuronIndices, Prepared, ProgramInputs, Registers};
use crate::double;

/// A value of synapses that depends on their ends and on draws, as code: the same f32 bits in blocks and in WGSL.
///
/// ```
/// use spikelet_kernel::{ValueCode, ValueScratch};
/// use spikelet_lang::term::{Random, Symbol, add, multiply, number, symbol};
///
/// // 0.5 + 0.01*(i - j) + 0.1*randn()
/// let distance = spikelet_lang::term::subtract(&symbol(Symbol::Index), &symbol(Symbol::PostIndex));
/// let noise = std::sync::Arc::new(spikelet_lang::term::Node::Random(Random::Normal, 0));
/// let value = add(&add(&number(0.5), &multiply(&number(0.01), &distance)), &multiply(&number(0.1), &noise));
/// let code = ValueCode::new(&value).unwrap();
/// let mut weights = [0.0; 2];
/// code.run(&[3, 4], &[7, 8], (&|_, lanes| lanes.fill(1 << 31), &|_, _| 0), &mut ValueScratch::default(), &mut weights);
/// assert!((weights[0] - 0.46).abs() < 1e-6 && weights[0] == weights[1]);
/// ```
#[derive(Debug, Clone)]
pub struct ValueCode {
    code: Code,
    prepared: Prepared,
}

/// Equal codes give equal values.
impl PartialEq for ValueCode {
    fn eq(&self, other: &ValueCode) -> bool {
        self.code == other.code
    }
}

impl Eq for ValueCode {}

impl Hash for ValueCode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.code.hash(state);
    }
}

/// The random bits of synapses for a site: 32 for each of them, and 32 more for one of them.
pub type RandomBits<'a> = (&'a dyn Fn(u32, &mut [u32]), &'a dyn Fn(u32, usize) -> u32);

/// Scratch memory of [`ValueCode::run`], kept between blocks.
#[derive(Debug, Default)]
pub struct ValueScratch {
    arrays: Aligned<f32>,
    registers: Registers,
}

impl ValueCode {
    /// The code of a term of both neurons and of draws. `None` where devices lack what it needs: see [`value::code`].
    pub fn new(term: &Term) -> Option<ValueCode> {
        let code = value::code(term)?;
        Some(ValueCode { prepared: Prepared::new(&code), code })
    }

    /// Computes the values of up to [`LANES`] synapses: from the indices of their neurons in their populations (exact below 2²⁴) and
    /// from two functions: `bits(site, lanes)` fills in 32 random bits for each of the first ones, and `more(site, lane)` returns 32 more.
    /// A value does not depend on the lane that it is computed in.
    ///
    /// # Panics
    /// `pre`, `post` and `out` have different lengths, or more than [`LANES`].
    pub fn run(&self, pre: &[u32], post: &[u32], (bits, more): RandomBits<'_>, scratch: &mut ValueScratch, out: &mut [f32]) {
        let count = out.len();
        assert!(
            pre.len() == count && post.len() == count && count <= LANES,
            "{count} synapses of {} and {}",
            pre.len(),
            post.len()
        );
        let ValueScratch { arrays, registers } = scratch;
        if arrays.is_empty() {
            *arrays = Aligned::new(RESULT + 1);
        }
        for (array, indices) in [(PRE, pre), (POST, post)] {
            if self.prepared.loads().contains(&array) {
                arrays[array].iter_mut().zip(indices).for_each(|(lane, index)| *lane = *index as f32);
            }
        }
        let drawn = |site: u32, lanes: &mut [u32; LANES]| bits(site, &mut lanes[..count]);
        let inputs = ProgramInputs {
            arrivals: InputSums::NONE,
            last_spike: &[0; LANES],
            constants: &[],
            clocks: &[],
            tables: &[],
            step: 0,
            neurons: NeuronIndices::From(0),
            bits: &drawn,
            more_bits: &|site, lane| if lane < count { more(site, lane) } else { 0 },
        };
        self.prepared.run(&mut Block { variables: arrays, inputs: &inputs }, registers);
        out.copy_from_slice(&arrays[RESULT][..count]);
    }

    /// The value of one synapse in f64, from the same draws: `bits(site)` returns 32 random bits, and 32 more.
    pub fn in_f64(&self, pre: u32, post: u32, bits: &dyn Fn(u32) -> [u32; 2], values: &mut Vec<f64>) -> f64 {
        let load = |array: usize| f64::from(if array == PRE { pre } else { post });
        double::run(&self.code, &double::DoubleInputs { load: &load, bits, ..double::DoubleInputs::default() }, values);
        let result = self.code.stores.iter().find(|(array, _)| *array == RESULT);
        // A value that is the index of a neuron needs a store, too: no array starts with it.
        result.map_or(f64::NAN, |(_, value)| values[*value])
    }

    /// The WGSL text of `fn NAME(pre: u32, post: u32) -> f32`. It draws with `value_bits(site: u32) -> u32` and `value_uniform(site: u32) -> f32`, which are
    /// written elsewhere, and uses the functions of `shaders/math.wgsl`, `shaders/math` and `shaders/rng.wgsl`.
    pub fn wgsl(&self, name: &str) -> String {
        let array = |array: usize| ["pre_index", "post_index", "value"][array].to_owned();
        let mut text = format!("fn {name}(pre: u32, post: u32) -> f32 {{\n");
        for (index, of) in [(PRE, "pre"), (POST, "post")] {
            if self.code.touches(index) {
                text += &format!("let {of}_index = f32({of});\n");
            }
        }
        text += "var value: f32;\n";
        text += &statements_drawing(&self.code, &array, "x", (Arithmetic::Exact, "value"));
        text + "return value;\n}\n"
    }
}

#[cfg(test)]
mod tests;
