//! The kernels as lists of WGSL pieces. No kernel contains a buffer address; the job of a dispatch does. A kernel is therefore the same for
//! all plans that use it, and is reused between plans.

mod assemblies;
mod eventprop;
mod neurons;
mod procedural;
mod select;
mod single;
mod synapses;
mod training;

use spikelet::{Error, Plan};
use spikelet_train::TrainingPlan;

use crate::header::{Header, Progress};
use crate::link::{Module, link, shader};
use crate::options::Fusion;
use crate::passes::lay_out;
use crate::shape::Shape;
use crate::sizes::{SELECT_SIZE, SINGLE_SIZE, START_SIZE, WORKGROUP_SIZE};
use crate::spec::{EntryPoint, Kernel, SelectPart};

pub(crate) use assemblies::AssemblyKernel;
pub(crate) use eventprop::EventPropKernel;
pub(crate) use training::{Taped, TrainingKernel};

const HEADER: &str = shader!("header");

/// The library that all kernels may use.
const LIBRARY: [(&str, &str); 15] = [
    ("math", shader!("math")),
    ("exponential", shader!("math/exponential")),
    ("logarithm", shader!("math/logarithm")),
    ("circular", shader!("math/circular")),
    ("random", shader!("math/random")),
    ("trial", shader!("trial")),
    ("epoch", shader!("epoch")),
    ("rng", shader!("rng")),
    ("ring", shader!("ring")),
    ("spikes", shader!("spikes")),
    ("own", shader!("own")),
    ("permutation", shader!("permutation")),
    ("memory", shader!("memory")),
    ("values", shader!("values")),
    ("order", shader!("order")),
];

/// Which of the eight storage bindings a kernel may write, in their order.
pub const WRITABLE: [bool; 8] = [true, false, false, true, true, false, true, true];

/// The fields of `Header`, in their order; each is one word, except the last, which is the list of [`PROGRESS_FIELDS`].
pub const HEADER_FIELDS: &[&str] = Header::FIELDS;

/// The fields of `Progress`, in their order; each is one word.
pub const PROGRESS_FIELDS: &[&str] = Progress::FIELDS;

/// The work of a kernel: a module with a function `work`.
fn work(kernel: &Kernel) -> Module {
    match kernel {
        Kernel::Neurons(model) => neurons::epoch(model),
        Kernel::BeginStep(model) => neurons::begin_step(model),
        Kernel::Update(model) => neurons::update(model),
        Kernel::SynapseStep(code) => synapses::each(code),
        Kernel::Couple(code) => synapses::couple(code),
        Kernel::Fixed(plain) => Module::new(plain.name, &[plain.source]),
        Kernel::Propagate => Module::new("propagate", &[shader!("propagate")]),
        Kernel::Procedural(rows) => procedural::draw(rows),
        Kernel::OnSpike(code, way) => synapses::on_spike(code, *way),
        Kernel::UpdateTraces(codes) => synapses::traces(codes),
        Kernel::Select(part) => select::of_populations(*part),
    }
}

/// The entry point of a single kernel.
fn alone(kernel: &Kernel) -> Module {
    let take = if kernel.begins_epoch() { "load_next_epoch(group.x == 0u && local_id == 0u);" } else { "load_epoch();" };
    let entry = Module::new("entry", &[shader!("entry")]).filled(|slot| (slot == "load_epoch").then_some(take));
    entry.with("ENTRY_POINT", kernel.name()).with("DOES", kernel.condition())
}

/// The text of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KernelText {
    /// Its entry point.
    pub entry_point: &'static str,
    /// All of its WGSL.
    pub wgsl: String,
}

impl KernelText {
    /// The text of a program.
    pub(crate) fn of(entry: &EntryPoint) -> KernelText {
        let (modules, workgroup_size) = match entry {
            EntryPoint::Start => (vec![Module::new("start", &[shader!("start")])], START_SIZE),
            EntryPoint::Alone(kernel, size) => (vec![work(kernel), alone(kernel)], kernel.workgroup_size(*size)),
            EntryPoint::Loop { kernels, .. } => (single::modules(entry.name(), kernels), SINGLE_SIZE),
        };
        let size = format!("{workgroup_size}u");
        let own: Vec<Module> = modules.iter().map(|module| module.with("WORKGROUP_SIZE", &size)).collect();
        let library = LIBRARY.map(|(name, source)| Module::new(name, &[source]));
        KernelText { entry_point: entry.name(), wgsl: link(HEADER, &library, &own) }
    }
}

/// The program of statistics, outside of epochs: it has its own bindings.
pub fn histogram() -> KernelText {
    KernelText { entry_point: "histogram_values", wgsl: shader!("histogram").to_owned() }
}

/// The programs of a selection from an array, outside of epochs, in their order: they have their own bindings.
pub fn select() -> [KernelText; 3] {
    let size = format!("{SELECT_SIZE}u");
    [SelectPart::Digit, SelectPart::Count, SelectPart::Emit].map(|part| {
        let module = select::of_array(part).with("WORKGROUP_SIZE", &size);
        let library = Module::new("order", &[shader!("order")]);
        KernelText { entry_point: "select_items", wgsl: link("", &[library], &[module]) }
    })
}

/// The kernels of rounds of assemblies: they have their own bindings.
pub fn assemblies() -> impl Iterator<Item = KernelText> {
    AssemblyKernel::ALL.into_iter().map(AssemblyKernel::text)
}

/// The kernels of EventProp: they have their own bindings.
pub fn eventprop() -> impl Iterator<Item = KernelText> {
    EventPropKernel::ALL.into_iter().map(EventPropKernel::text)
}

/// The kernels of a training. They have their own bindings.
pub fn training(plan: &TrainingPlan) -> impl Iterator<Item = KernelText> {
    TrainingKernel::all(plan).into_iter().map(|kernel| kernel.text(plan))
}

/// The kernels of the passes of an epoch of a plan, in their order.
///
/// # Errors
/// The plan is too large for a GPU.
pub fn of_epoch(plan: &Plan) -> Result<Vec<KernelText>, Error> {
    let (_, passes) = lay_out(plan, Shape::unlimited())?;
    Ok(passes.all().map(|pass| KernelText::of(&EntryPoint::Alone(pass.kernel.clone(), WORKGROUP_SIZE))).collect())
}

/// The programs that are dispatched for a given extent of dispatches, in their order, each once; after the one that begins a submission.
///
/// # Errors
/// The plan is too large for a GPU.
pub fn of_submission(plan: &Plan, fusion: Option<Fusion>) -> Result<Vec<KernelText>, Error> {
    let (_, passes) = lay_out(plan, Shape { fusion, ..Shape::unlimited() })?;
    let mut entries = vec![EntryPoint::Start];
    for entry in passes.launches().iter().map(|launch| launch.entry(WORKGROUP_SIZE)) {
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    Ok(entries.iter().map(KernelText::of).collect())
}
