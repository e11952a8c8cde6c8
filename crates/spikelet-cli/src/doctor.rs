//! `spikelet doctor`: a computation with a known result on each device of this machine.

use std::fmt;
use std::time::Instant;

use pollster::block_on;
use serde::Serialize;
use spikelet::{Backend, Cpu, Error, Recorder, Simulation, catalogue, human};
use spikelet_gpu::{AdapterReport, Gpu, NoGpuReason, Selector, adapters};
use spikelet_kernel::simd::Level;

use crate::args::DoctorArguments;
use crate::failure::Failure;
use crate::text::short;
use crate::{device, pipelines, terminal};

/// Networks of the catalogue at a scale, without and with plastic synapses, their biological time in ms, and the hash of their spikes.
const KNOWN: [(&str, f64, f64, &str); 2] =
    [("cuba", 0.25, 100.0, "fe64444242ec872c"), ("plastic_cuba", 0.25, 50.0, "38a644c6a8d94fdc")];

/// A device, and whether it computes what it should. The keys of its JSON are part of the command line interface.
#[derive(Debug, Serialize)]
struct Examined {
    kind: &'static str,
    name: String,
    /// The value for `--adapter`, of a GPU.
    number: Option<usize>,
    /// Whether it is a software GPU, which is for tests.
    software: bool,
    ok: bool,
    /// Wall time of all computations, with the compilation of kernels.
    seconds: f64,
    /// Bytes that can be allocated, and all of them, if the driver of a GPU tells.
    free_bytes: Option<u64>,
    memory_bytes: Option<u64>,
    /// What is wrong.
    problem: Option<String>,
    /// What to do about it.
    help: Option<&'static str>,
}

/// What a device can be bad at.
enum Trouble {
    /// It computes something else.
    Differs(String),
    /// It cannot compute.
    Fails(Error),
}

pub(crate) fn run(args: &DoctorArguments) -> Result<(), Failure> {
    device::check_threads(args.threads)?;
    let mut all = cpus(device::threads(args.threads));
    let found = block_on(adapters());
    let no_gpu = NoGpuReason::among(&found).map(|reason| reason.to_string());
    all.extend(found.into_iter().enumerate().map(gpu));
    let healthy = all.iter().all(|of| of.ok);
    if args.json {
        let report = serde_json::json!({"version": env!("CARGO_PKG_VERSION"), "ok": healthy, "devices": all, "no_gpu": no_gpu});
        terminal::print(&format_args!("{report:#}"))?;
    } else {
        all.iter().try_for_each(terminal::print)?;
        no_gpu.iter().try_for_each(|reason| terminal::print(&format_args!("note   {reason}")))?;
    }
    match all.iter().filter(|of| !of.ok).count() {
        0 => Ok(()),
        1 => Err(Failure::Run("a device is not usable; the others are".into())),
        some => Err(Failure::Run(format!("{some} devices are not usable"))),
    }
}

/// The CPU with each kind of vectors that it has, on one thread and on all.
fn cpus(threads: usize) -> Vec<Examined> {
    let best = Level::best().name();
    let mut all = Vec::new();
    for level in Level::names() {
        // A level that this processor does not have is no trouble.
        if Level::limit(level).is_err() {
            continue;
        }
        let mut counts = vec![1, threads];
        counts.dedup();
        for threads in counts {
            let begun = Instant::now();
            let found = examine(|| Ok(Box::new(Cpu::new(threads))));
            let name = format!("CPU, {level} vectors, {threads} thread{}", if threads == 1 { "" } else { "s" });
            all.push(Examined::new("cpu", name, begun, found));
        }
    }
    // It was a level of this processor before.
    _ = Level::limit(best);
    all
}

fn gpu((number, report): (usize, AdapterReport)) -> Examined {
    let begun = Instant::now();
    let mut open = None;
    let found = examine(|| {
        let device = match &open {
            Some(device) => device,
            None => open.insert(block_on(pipelines::open(&Selector::Number(number), true))?),
        };
        Ok(Box::new(Gpu::new(device.clone())))
    });
    let (memory, software) = (report.memory, report.software);
    Examined {
        number: Some(number),
        software,
        free_bytes: memory.map(|memory| memory.free),
        memory_bytes: memory.map(|memory| memory.bytes),
        ..Examined::new("gpu", format!("{} ({})", report.name, report.api), begun, found)
    }
}

/// Runs the known networks.
fn examine(mut backend: impl FnMut() -> Result<Box<dyn Backend>, Error>) -> Result<(), Trouble> {
    for (name, scale, time_ms, expected) in KNOWN {
        let found = backend().and_then(|backend| spikes(name, scale, time_ms, backend)).map_err(Trouble::Fails)?;
        if found != expected {
            return Err(Trouble::Differs(format!("the spikes of {name} are {found} instead of {expected}")));
        }
    }
    Ok(())
}

/// The hash of the spikes of a network of the catalogue.
fn spikes(name: &str, scale: f64, time_ms: f64, backend: Box<dyn Backend>) -> Result<String, Error> {
    let network = catalogue::network(name, scale)?;
    block_on(async {
        let mut simulation = Simulation::new(&network, backend).await?;
        let mut recorder = Recorder::new(simulation.plan());
        recorder.add(&simulation.advance((time_ms / network.dt_ms).round() as u32).await?.spikes);
        Ok(recorder.spikes_hash())
    })
}

impl Examined {
    fn new(kind: &'static str, name: String, begun: Instant, found: Result<(), Trouble>) -> Examined {
        let (problem, help) = match found {
            Ok(()) => (None, None),
            Err(Trouble::Differs(what)) if kind == "gpu" => {
                let help = "this GPU does not round sums and products as IEEE 754 says: its results are valid, but not bit by bit those of \
                            other devices; update its driver, or use --backend cpu where they must be";
                (Some(what), Some(help))
            }
            Err(Trouble::Differs(what)) => (Some(what), Some("report this error, with the kind of processor")),
            Err(Trouble::Fails(error)) => {
                (Some(error.to_string()), Some("update the driver, or use another device: --backend cpu, --adapter"))
            }
        };
        let (ok, seconds) = (problem.is_none(), begun.elapsed().as_secs_f64());
        Examined { kind, name, number: None, software: false, ok, seconds, free_bytes: None, memory_bytes: None, problem, help }
    }
}

impl fmt::Display for Examined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Examined { kind, name, number, software, seconds, problem, help, .. } = self;
        let place = number.map_or(String::new(), |number| format!(" {number}"));
        let memory = self.free_bytes.zip(self.memory_bytes);
        let memory = memory.map_or(String::new(), |(free, all)| format!(", {} of {} free", human(free), human(all)));
        let software = if *software { ", software: for tests, slower than the CPU" } else { "" };
        match (problem, help) {
            (Some(problem), Some(help)) => write!(f, "wrong  {kind}{place}: {name}{software}: {problem}; {help}"),
            _ => write!(f, "ok     {kind}{place}: {name}{software}, {} s{memory}", short(*seconds)),
        }
    }
}
