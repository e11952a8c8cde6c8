//! The kernels as lists of WGSL pieces. No kernel contains a buffer address; the job of a dispatch does. A kernel is therefore the same for
//! all plans that use it, and is reused between plans.

mod assemblies;
#[cfg(not(target_family = "wasm"))]
mod eventprop;
mod neurons;
mod procedural;
mod select;
mod single;
mod synapses;
#[cfg(not(target_family = "wasm"))]
mod training;

use std::sync::Arc;

use spikelet::lang::wgsl::Arithmetic;
use spikelet::{Error, Plan};
#[cfg(not(target_family = "wasm"))]
use spikelet_train::TrainingPlan;

use crate::header::{Header, Progress};
use crate::link::{Module, link, shader};
use crate::options::Fusion;
use crate::passes::lay_out;
use crate::shape::Shape;
use crate::sizes::{SELECT_SIZE, SINGLE_SIZE, START_SIZE, WORKGROUP_SIZE};
use crate::spec::{EntryPoint, Kernel, SelectPart};

pub(crate) use assemblies::AssemblyKernel;
#[cfg(not(target_family = "wasm"))]
pub(crate) use eventprop::EventPropKernel;
#[cfg(not(target_family = "wasm"))]
pub(crate) use training::{Taped, TrainingKernel};

const HEADER: &str = shader!("header");

/// The library that all kernels may use.
const LIBRARY: [(&str, &str); 16] = [
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
    ("halves", shader!("halves")),
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
fn work(kernel: &Kernel, arithmetic: Arithmetic) -> Module {
    match kernel {
        Kernel::Neurons(model) => neurons::epoch(model, arithmetic),
        Kernel::BeginStep(model) => neurons::begin_step(model, arithmetic),
        Kernel::CompleteStep(model) => neurons::complete_step(model, arithmetic),
        Kernel::Update(model) => neurons::update(model, arithmetic),
        Kernel::SynapseStep(code) => synapses::each(code, arithmetic),
        Kernel::IntegrateTraces(code) => synapses::integrate_traces(code, arithmetic),
        Kernel::Couple(code) => synapses::couple(code, arithmetic),
        Kernel::Fixed(plain) => Module::new(plain.name, &[plain.source]),
        Kernel::Propagate => Module::new("propagate", &[shader!("propagate")]),
        Kernel::Procedural(rows) => procedural::draw(rows),
        Kernel::OnSpike(code, way) => synapses::on_spike(code, *way, arithmetic),
        Kernel::UpdateTraces(codes) => synapses::traces(codes, arithmetic),
        Kernel::Select(part) => select::of_populations(*part),
    }
}

/// The entry point of a single kernel.
fn alone(kernel: &Kernel) -> Module {
    let take = match kernel {
        // Between two epochs.
        Kernel::CompleteStep(_) => "load_next_epoch(false);",
        kernel if kernel.begins_epoch() => "load_next_epoch(group.x == 0u && local_id == 0u);",
        _ => "load_epoch();",
    };
    let entry = Module::new("entry", &[shader!("entry")]).filled(|slot| (slot == "load_epoch").then_some(take));
    entry.with("ENTRY_POINT", kernel.name()).with("DOES", kernel.condition())
}

/// What kernels of a plan have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Dialect {
    /// How generated code is rounded.
    arithmetic: Arithmetic,
    /// Functions of the network's own.
    functions: Arc<str>,
}

impl Dialect {
    pub(crate) fn new(plan: &Plan, arithmetic: Arithmetic) -> Dialect {
        let functions: String = plan.functions.wgsl().map(|(_, text)| text).collect();
        Dialect { arithmetic, functions: functions.into() }
    }
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
    pub(crate) fn of(entry: &EntryPoint, dialect: &Dialect) -> KernelText {
        let arithmetic = dialect.arithmetic;
        let (modules, workgroup_size) = match entry {
            EntryPoint::Start => (vec![Module::new("start", &[shader!("start")])], START_SIZE),
            EntryPoint::Alone(kernel, size) => (vec![work(kernel, arithmetic), alone(kernel)], kernel.workgroup_size(*size)),
            EntryPoint::Loop { kernels, .. } => (single::modules(entry.name(), kernels, arithmetic), SINGLE_SIZE),
        };
        let size = format!("{workgroup_size}u");
        let own: Vec<Module> = modules.iter().map(|module| module.with("WORKGROUP_SIZE", &size)).collect();
        let library = LIBRARY.iter().map(|(name, source)| Module::new(name, &[source]));
        let library: Vec<Module> = library.chain([Module::new("functions", &[&dialect.functions])]).collect();
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
#[cfg(not(target_family = "wasm"))]
pub fn eventprop() -> impl Iterator<Item = KernelText> {
    EventPropKernel::ALL.into_iter().map(EventPropKernel::text)
}

/// The kernels of a training. They have their own bindings.
#[cfg(not(target_family = "wasm"))]
pub fn training(plan: &TrainingPlan) -> impl Iterator<Item = KernelText> {
    TrainingKernel::all(plan).into_iter().map(|kernel| kernel.text(plan))
}

/// The kernels of the passes of an epoch of a plan, in their order.
///
/// # Errors
/// The plan is too large for a GPU.
pub fn of_epoch(plan: &Plan, arithmetic: Arithmetic) -> Result<Vec<KernelText>, Error> {
    let (_, passes) = lay_out(plan, Shape::unlimited())?;
    let dialect = Dialect::new(plan, arithmetic);
    let entry = |kernel: &Kernel| EntryPoint::Alone(kernel.clone(), WORKGROUP_SIZE);
    Ok(passes.all().map(|pass| KernelText::of(&entry(&pass.kernel), &dialect)).collect())
}

/// The programs that are dispatched for a given extent of dispatches, in their order, each once; after the one that begins a submission.
///
/// # Errors
/// The plan is too large for a GPU.
pub fn of_submission(plan: &Plan, fusion: Option<Fusion>, arithmetic: Arithmetic) -> Result<Vec<KernelText>, Error> {
    let (_, passes) = lay_out(plan, Shape { fusion, ..Shape::unlimited() })?;
    let mut entries = vec![EntryPoint::Start];
    for entry in passes.launches().iter().map(|launch| launch.entry(WORKGROUP_SIZE)) {
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    let dialect = Dialect::new(plan, arithmetic);
    Ok(entries.iter().map(|entry| KernelText::of(entry, &dialect)).collect())
}
