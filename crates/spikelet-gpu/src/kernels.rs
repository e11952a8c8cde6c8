//! The kernels: which pieces of WGSL each is made of.
//!
//! The order of declarations means nothing in WGSL, so a kernel is its pieces, one after the other. None of them names a place in
//! an arena: what it is about stands in its job. So a kernel is its text, and can be kept from one plan to the next.

mod library;
mod neurons;
mod procedural;
mod synapses;

use spikelet::{Error, Plan};

use crate::layout::{Layout, Limits};
use crate::passes::Kernel;

/// A piece of `shaders/`.
macro_rules! shader {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders/", $name, ".wgsl"))
    };
}
use shader;

const HEADER: &str = shader!("header");

/// Which of the eight storage bindings a kernel may write, in their order.
pub const WRITABLE: [bool; 8] = [true, false, false, true, true, false, true, true];

/// The fields of `Header`, in their order; each is a word.
pub const HEADER_FIELDS: &[&str] = crate::buffers::Header::FIELDS;

/// A kernel's text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Text {
    /// Its entry point.
    pub entry_point: &'static str,
    /// All of its WGSL.
    pub wgsl: String,
}

impl Text {
    /// The kernel of these pieces, with what they need of the shared ones.
    fn new(entry_point: &'static str, pieces: &[&str]) -> Text {
        let own = pieces.join("\n");
        let shared = library::needed_by(&own);
        Text { entry_point, wgsl: [HEADER, &shared, &own].join("\n") }
    }

    /// The text of a kernel of a plan.
    pub(crate) fn of(plan: &Plan, kernel: Kernel) -> Text {
        match kernel {
            Kernel::Neurons(population) => neurons::epoch(&plan.populations[population].program),
            Kernel::Settle(population) => neurons::settle(&plan.populations[population].program),
            Kernel::Update(population) => neurons::update(&plan.populations[population].program),
            Kernel::Sample => Text::new("sample", &[shader!("sample")]),
            Kernel::Copy => Text::new("copy", &[shader!("copy")]),
            Kernel::Propagate => Text::new("propagate", &[shader!("propagate")]),
            Kernel::Procedural(projection) => procedural::draw(&plan.projections[projection]),
            Kernel::Hold(projection) => synapses::each(plan, projection, |state| &state.program.hold),
            Kernel::Drive(projection) => synapses::each(plan, projection, |state| &state.program.update),
            Kernel::Couple(projection, summed) => synapses::couple(plan, projection, summed),
            Kernel::Arrive(projection, pathway, way) => synapses::arrive(plan, projection, pathway, way),
        }
    }
}

/// The kernels of an epoch of a plan, in their order.
///
/// # Errors
/// The plan is too large for a GPU.
pub fn of_epoch(plan: &Plan) -> Result<Vec<Text>, Error> {
    Ok(Layout::new(plan, Limits::of_binding(u64::MAX))?.passes.iter().map(|pass| Text::of(plan, pass.kernel)).collect())
}
