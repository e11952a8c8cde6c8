//! The device of a network.

use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::thread::available_parallelism;
use std::time::Instant;

use pollster::block_on;
use spikelet::{Backend, CpuProfile, Double, Error, Sleep, human};
use spikelet_gpu::{BackendRequest, DeviceKind, Fusion, GpuOptions, Request, SelectedBackend};
use spikelet_lang::wgsl::Arithmetic;
use spikelet_native::memory;
use sysinfo::{CpuRefreshKind, RefreshKind, System};

use crate::args::{self, Precision, WorkgroupSize};
use crate::failure::Failure;
use crate::{pipelines, terminal};

/// Maximum number of threads: no machine has more, and no network needs more.
const MAX_THREADS: usize = 1024;
/// Address space of a thread in bytes: its stack, and the reservation of the system's allocator.
const OF_THREAD: u64 = 68 << 20;

/// The requested number of threads, or as many as the machine has and the limits of the process allow.
pub(crate) fn threads(asked: Option<NonZeroUsize>) -> usize {
    asked
        .map_or_else(|| available_parallelism().map_or(1, NonZeroUsize::get).min(room().unwrap_or(usize::MAX)), NonZeroUsize::get)
}

/// The same for building a network, which takes at least one.
pub(crate) fn build_threads(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    NonZeroUsize::new(threads(asked)).unwrap_or(NonZeroUsize::MIN)
}

/// Number of threads of each of some ranks on a machine: its cores are divided, unless the process is bound to fewer.
pub(crate) fn threads_of_rank(ranks: usize) -> NonZeroUsize {
    let cpus = RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing());
    let cores = System::new_with_specifics(cpus).map_or(1, |system| system.cpus().len());
    NonZeroUsize::new(threads(None).min(cores / ranks)).unwrap_or(NonZeroUsize::MIN)
}

/// Number of threads for which there is address space, at least one, if it is limited. Half of it is reserved for the network.
fn room() -> Option<usize> {
    memory::addresses().map(|left| usize::try_from(left / 2 / OF_THREAD).unwrap_or(usize::MAX).max(1))
}

/// Rejects more threads than are useful or possible.
pub(crate) fn check_threads(asked: Option<NonZeroUsize>) -> Result<(), Failure> {
    let Some(asked) = asked.map(NonZeroUsize::get) else { return Ok(()) };
    if asked > MAX_THREADS {
        return Err(Failure::Input(format!(
            "--threads is {asked}, but the maximum is {MAX_THREADS}; remove it to use all cores"
        )));
    }
    match room() {
        Some(room) if asked > room.max(1) => Err(Failure::Input(format!(
            "--threads is {asked}, but the limit of the address space (ulimit -v) allows {room}, of {} each; use fewer, or \
             raise the limit",
            human(OF_THREAD)
        ))),
        _ => Ok(()),
    }
}

/// Rejects f64 on a GPU.
pub(crate) fn check_precision(args: &args::RunArguments) -> Result<(), Failure> {
    if args.precision == Precision::F32 {
        return Ok(());
    }
    let option = match (args.backend, &args.adapter) {
        (args::Backend::Gpu, _) => "--backend gpu",
        (_, Some(_)) => "--adapter",
        _ => return Ok(()),
    };
    Err(Failure::Input(format!(
        "--precision f64 runs on the CPU, and {option} requests a GPU, which computes in f32; remove one of the two options"
    )))
}

/// The requested device, or the best one; the operations of a CPU are measured with a profile.
pub(crate) fn choose(args: &args::RunArguments, profile: Option<&CpuProfile>) -> Result<SelectedBackend, Error> {
    if args.precision == Precision::F64 {
        let (backend, reason) = (Double::new(), "requested with --precision f64".to_owned());
        let name = backend.name();
        return Ok(SelectedBackend { backend: Box::new(backend), kind: DeviceKind::Cpu, name, threads: 1, reason, gpu: None });
    }
    let adapter = args.adapter.clone().unwrap_or_default();
    let mut options = options(args);
    if let Some(WorkgroupSize::Of(size)) = args.workgroup_size {
        options.workgroup_size = size;
    }
    let threads = threads(args.threads);
    let (cpu_profile, sleep) = (profile.cloned(), args.sleep.into());
    let request = Request { backend: args.backend.into(), threads, adapter, options, cpu_profile, sleep };
    let open = async || pipelines::open(&request.adapter, args.quiet).await;
    let chosen = block_on(spikelet_gpu::auto_on(&request, open))?;
    if chosen.kind == DeviceKind::Cpu && args.fast_math {
        terminal::notice(&"--fast-math has no effect on the CPU; add --backend gpu");
    }
    if chosen.kind == DeviceKind::Cpu && chosen.threads < threads {
        terminal::notice(&format_args!("the system started {} threads of {threads}; the run uses these", chosen.threads));
    }
    Ok(chosen)
}

/// The device of the run in f32 of a comparison.
pub(crate) fn of_comparison(args: &args::CompareArguments) -> Result<SelectedBackend, Failure> {
    if args.fast_math && args.backend == args::Backend::Cpu {
        return Err(Failure::Input("--fast-math has no effect on the CPU; add --backend gpu".into()));
    }
    let adapter = args.adapter.clone().unwrap_or_default();
    let options = GpuOptions { arithmetic: arithmetic(args.fast_math), ..GpuOptions::default() };
    Ok(block_on(spikelet_gpu::auto(&Request {
        backend: args.backend.into(),
        threads: 1,
        adapter,
        options,
        ..Request::default()
    }))?)
}

/// The options of a GPU, without the size of workgroups. Kernels that are measured are dispatched one by one.
pub(crate) fn options(args: &args::RunArguments) -> GpuOptions {
    let fusion = args.profile.then_some(Fusion::None);
    GpuOptions { profile: args.profile, fusion, arithmetic: arithmetic(args.fast_math), ..GpuOptions::default() }
}

/// A clock for profiles of the CPU, in seconds.
pub(crate) fn clock() -> f64 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// What `--fast-math` means.
pub(crate) fn arithmetic(is_fast: bool) -> Arithmetic {
    if is_fast { Arithmetic::Fast } else { Arithmetic::Exact }
}

impl From<args::Sleep> for Sleep {
    fn from(sleep: args::Sleep) -> Sleep {
        match sleep {
            args::Sleep::Exact => Sleep::Usual,
            args::Sleep::Never => Sleep::Never,
        }
    }
}

impl From<args::Backend> for BackendRequest {
    fn from(backend: args::Backend) -> BackendRequest {
        match backend {
            args::Backend::Auto => BackendRequest::Auto,
            args::Backend::Gpu => BackendRequest::Gpu,
            args::Backend::Cpu => BackendRequest::Cpu,
        }
    }
}
