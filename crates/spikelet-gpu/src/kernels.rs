//! The kernels: which pieces of WGSL each is made of.
//!
//! The order of declarations means nothing in WGSL, so a kernel is its pieces, one after the other. None of them names a place in
//! an arena: what it is about stands in its job. So a kernel is its text, and can be kept from one plan to the next.

mod library;
mod neurons;
mod procedural;
mod single;
mod synapses;

use spikelet::{Error, Plan};
pub(crate) use synapses::trace_codes;

use crate::header::{Header, Progress};
use crate::layout::Layout;
use crate::passes::Kernel;
use crate::shape::Shape;
use crate::sizes::{START_SIZE, WORKGROUP_SIZE};

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

/// The fields of `Header`, in their order; each is a word, but for the last, which is the list of what [`PROGRESS_FIELDS`] are.
pub const HEADER_FIELDS: &[&str] = Header::FIELDS;

/// The fields of `Progress`, in their order; each is a word.
pub const PROGRESS_FIELDS: &[&str] = Progress::FIELDS;

/// What a pass does: the text of a function `work`, and what it needs of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    /// What it is called.
    pub(crate) name: &'static str,
    own: String,
}

impl Source {
    fn new(name: &'static str, pieces: &[&str]) -> Source {
        Source { name, own: pieces.join("\n") }
    }

    /// What a kernel of a plan does.
    pub(crate) fn of(plan: &Plan, kernel: Kernel) -> Source {
        match kernel {
            Kernel::Neurons(population) => neurons::epoch(plan, population),
            Kernel::Settle(population) => neurons::settle(plan, population),
            Kernel::Update(population) => neurons::update(plan, population),
            Kernel::Sample => Source::new("sample", &[shader!("sample")]),
            Kernel::Copy => Source::new("copy", &[shader!("copy")]),
            Kernel::Propagate => Source::new("propagate", &[shader!("propagate")]),
            Kernel::Procedural(projection) => {
                let of = &plan.projections[projection];
                procedural::draw(of, &plan.populations[of.post].ports)
            }
            Kernel::Hold(projection) => synapses::each(plan, projection, |state| &state.program.hold),
            Kernel::Drive(projection) => synapses::each(plan, projection, |state| &state.program.update),
            Kernel::Couple(projection, summed) => synapses::couple(plan, projection, summed),
            Kernel::Arrive(projection, pathway, way) => synapses::arrive(plan, projection, pathway, way),
            Kernel::Traces(end) => synapses::traces(plan, end),
        }
    }
}

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
    fn new(entry_point: &'static str, own: &str, workgroup_size: u32) -> Text {
        let own = own.replace("WORKGROUP_SIZE", &format!("{workgroup_size}u"));
        let shared = library::needed_by(&own);
        Text { entry_point, wgsl: [HEADER, &shared, &own].join("\n") }
    }

    /// A dispatch of its own for a pass.
    pub(crate) fn of_pass(plan: &Plan, kernel: Kernel, workgroup_size: u32) -> Text {
        let Source { name, own } = Source::of(plan, kernel);
        let take = if kernel.begins_epoch() { "take_next_epoch(group.x == 0u && lane == 0u);" } else { "take_epoch();" };
        let entry = shader!("entry").replace("ENTRY_POINT", name).replace("//# take", take).replace("DOES", kernel.does());
        Text::new(name, &[own, entry].join("\n"), workgroup_size)
    }

    /// The kernel that begins a submission.
    pub(crate) fn start() -> Text {
        Text::new("start", shader!("start"), START_SIZE)
    }

    /// One dispatch for all passes of all epochs.
    pub(crate) fn single(plan: &Plan, kernels: impl Iterator<Item = Kernel>) -> Text {
        single::text(plan, kernels)
    }
}

/// The one that sums up an array for a statistic, beside all epochs: it binds buffers of its own.
pub fn tally() -> Text {
    Text { entry_point: "tally_values", wgsl: shader!("tally").to_owned() }
}

/// The kernels of the passes of an epoch of a plan, in their order.
///
/// # Errors
/// The plan is too large for a GPU.
pub fn of_epoch(plan: &Plan) -> Result<Vec<Text>, Error> {
    let layout = Layout::new(plan, Shape::unlimited())?;
    Ok(layout.passes.iter().map(|pass| Text::of_pass(plan, pass.kernel, WORKGROUP_SIZE)).collect())
}

/// Those that belong to a whole submission: the one that begins it; and the one that does everything in one dispatch, by which small
/// networks are run.
///
/// # Errors
/// The plan is too large for a GPU.
pub fn of_submission(plan: &Plan) -> Result<[Text; 2], Error> {
    let layout = Layout::new(plan, Shape::unlimited())?;
    Ok([Text::start(), Text::single(plan, layout.passes.iter().map(|pass| pass.kernel))])
}
