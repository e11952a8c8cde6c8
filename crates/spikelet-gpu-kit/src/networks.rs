//! Networks on the CPU and on the GPU: every kernel compiles, and spikes and arrays are the same.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::available_parallelism;

use pollster::block_on;
use serde_json::{Value, json};
use spikelet::catalogue::{self, CatalogueEntry};
use spikelet::{Backend, BuildOptions, Builder, Cpu, Error, Network, Plan, Trial};
use spikelet_gpu::{Device, Fusion, Gpu, GpuOptions};
use spikelet_verify::{library_cells, library_synapses};

use crate::difference::{self, DeviceRun};
use crate::item::{begin, emit, open};
use crate::options::Options;
use crate::{Problem, conduct};

/// Steps that are compared, and those of a rehearsal.
const STEPS: u32 = 200;
const STEPS_OF_REHEARSAL: u32 = 40;
/// Maximum number of CPU threads, for networks that are small.
const MAX_THREADS: usize = 4;
/// Networks of a rehearsal: synapses without state, with state, winners.
const OF_REHEARSAL: [&str; 3] = ["cuba", "plastic_cuba", "winners"];

/// Where a network is.
enum Source {
    Catalogue(&'static CatalogueEntry),
    File(PathBuf),
    /// Every cell of the library, and every synapse.
    Cells,
    Synapses,
}

impl Source {
    fn network(&self) -> Result<Network, Problem> {
        match self {
            Source::Catalogue(entry) => Ok(entry.network(entry.small)?),
            Source::File(path) => {
                let text = fs::read_to_string(path).map_err(|error| Problem::Kit { path: path.clone(), error })?;
                Ok(Network::from_json(&text)?)
            }
            Source::Cells => Ok(library_cells()?),
            Source::Synapses => Ok(library_synapses()?),
        }
    }
}

/// All networks by name: the catalogue, the files of the kit, the library.
fn all() -> Result<Vec<(String, Source)>, Problem> {
    let folder = conduct::kit().join("networks");
    let failed = |error| Problem::Kit { path: folder.clone(), error };
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        files.push(entry.map_err(failed)?.path());
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let name = |file: &PathBuf| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let catalogue = catalogue::entries().iter().map(|entry| (entry.name.to_owned(), Source::Catalogue(entry)));
    let files = files.into_iter().map(|file| (name(&file), Source::File(file)));
    let library = [("synapses".to_owned(), Source::Synapses), ("cells".to_owned(), Source::Cells)];
    Ok(catalogue.chain(files).chain(library).collect())
}

/// Compares all networks, from the first on that was not compared yet.
///
/// # Errors
/// There is no GPU, or a file of the kit is missing.
pub(crate) fn run(options: &Options) -> Result<(), Problem> {
    let mut networks = all()?;
    if options.rehearse {
        networks.retain(|(name, _)| OF_REHEARSAL.contains(&name.as_str()));
    }
    let mut device = None;
    for (item, (name, source)) in networks.iter().enumerate().skip(options.from) {
        begin(item, name);
        let open = match device.take() {
            Some(device) => device,
            None => open(options)?,
        };
        match source.network().and_then(|network| compare(name, &network, &open, options)) {
            Ok(()) => device = Some(open),
            // The next network gets a new device: this one may be lost.
            Err(problem) => emit(&json!({"kind": "kernels", "network": name, "error": problem.to_string()})),
        }
    }
    Ok(())
}

fn compare(name: &str, network: &Network, device: &Device, options: &Options) -> Result<(), Problem> {
    // Neither changes nor conditions: all steps are run.
    let network = Network { changes: Vec::new(), stop: Vec::new(), ..network.clone() };
    let threads = available_parallelism().unwrap_or(std::num::NonZeroUsize::MIN);
    let plan = Arc::new(Builder::new(&network, BuildOptions { threads, ..BuildOptions::default() })?.finish()?);
    let steps = if options.rehearse { STEPS_OF_REHEARSAL } else { STEPS };
    let mut gpu = Gpu::new(device.clone());
    let compiled = compile(&mut gpu, device, &plan)?;
    emit(&json!({"kind": "kernels", "network": name, "compiled": compiled}));
    let threads = threads.get().min(MAX_THREADS);
    let run = |backend: Box<dyn Backend>| DeviceRun::new(&network, &plan, backend);
    let (mut cpu, mut gpu) = (run(Box::new(Cpu::new(threads)))?, run(Box::new(gpu))?);
    cpu.advance(steps)?;
    gpu.advance(steps)?;
    let equal = cpu.spikes() == gpu.spikes() && difference::of_arrays(&mut cpu, &mut gpu)?.is_none();
    let mut line = json!({"kind": "network", "network": name, "steps": steps, "cpu": cpu.hash(), "gpu": gpu.hash()});
    line["equal"] = equal.into();
    line["spikes"] = cpu.spikes().len().into();
    if !equal {
        let (cpu, gpu) = (run(Box::new(Cpu::new(threads)))?, run(Box::new(Gpu::new(device.clone())))?);
        line["first"] = difference::first(cpu, gpu, steps)?.unwrap_or(Value::Null);
        if line["first"].is_null() {
            line.as_object_mut().and_then(|line| line.remove("first"));
            line["note"] = "no step differs when each is an epoch of its own".into();
        }
    }
    emit(&line);
    Ok(())
}

/// Compiles the kernels of a plan: those that run alone, and those that are one dispatch, if there are any. Returns their number.
fn compile(gpu: &mut Gpu, device: &Device, plan: &Arc<Plan>) -> Result<usize, Error> {
    let trials = || vec![Trial { number: 0, plan: plan.clone() }];
    block_on(gpu.load(trials()))?;
    let compiled = gpu.compiled();
    if gpu.fusion() == Fusion::None {
        return Ok(compiled);
    }
    let mut alone = Gpu::with_options(device.clone(), GpuOptions { fusion: Some(Fusion::None), ..GpuOptions::default() })?;
    block_on(alone.load(trials()))?;
    Ok(compiled + alone.compiled())
}
