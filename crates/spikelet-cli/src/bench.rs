//! `spikelet bench`.
//!
//! A case is a network of a size on a device, `cuba/published/cpu`, or that of a file, `mine/file/cpu`. Networks are built once; the devices
//! take turns, so that other load of the machine affects all of them.

mod conditions;
mod measurement;
mod scaling;
mod subject;
mod target;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pollster::block_on;
use spikelet::catalogue::{self, Case};
use spikelet::{BuildOptions, Builder, Cpu, CpuProfile, Plan};
use spikelet_gpu::{Device, Gpu, GpuOptions};
use spikelet_native::memory;

use crate::args::{BenchArguments, BenchDevice, Processor};
use crate::failure::Failure;
use crate::{device, interrupt, terminal};
pub(crate) use conditions::Conditions;
use measurement::{Measurement, compare};
use subject::{Subject, SubjectDevice};
use target::Target;

/// Minimum number of repetitions.
const REPETITIONS: usize = 3;

/// A network on some devices.
struct Group {
    target: Target,
    /// Devices, and the number of trials on each.
    on: Vec<(Processor, u32)>,
}

pub(crate) fn run(args: &BenchArguments) -> Result<(), Failure> {
    device::check_threads(args.threads)?;
    if let (Some(name), true) = (&args.baseline, args.scaling) {
        return Err(Failure::Input(format!("--scaling compares GPUs with the CPU; remove --baseline {name}")));
    }
    let groups = groups(args)?;
    if args.list {
        return list(&groups, args.json);
    }
    if let Some(baseline) = args.baseline.as_ref().filter(|baseline| !groups.iter().any(|group| group.has(baseline))) {
        return Err(Failure::Input(format!("the baseline {baseline} is not among the cases of this run; see --list")));
    }
    let gpu = open(args, &groups)?;
    let conditions = Conditions::now(args.date.clone(), gpu.as_ref().map(Device::report));
    interrupt::listen()?;
    let (mut measured, mut failed) = (Vec::new(), Vec::new());
    for group in &groups {
        if interrupt::asked().is_some() {
            break;
        }
        match group.measure(args, gpu.as_ref(), &conditions) {
            Ok(measurements) => measured.extend(measurements),
            Err(failure) => {
                terminal::say(&format_args!("{}: {failure}", group.target.name()));
                failed.push(group.target.name());
            }
        }
    }
    compare(&mut measured, args.baseline.as_deref());
    if args.json {
        // Names and finite numbers only: cannot fail.
        terminal::print(&serde_json::to_string_pretty(&measured).unwrap_or_default())?;
    } else {
        terminal::print(&measurement::table(&measured, &conditions))?;
    }
    if args.scaling {
        scaling::sentences(&measured).iter().for_each(terminal::say);
    }
    if let Some(signal) = interrupt::asked() {
        return Err(Failure::Interrupted(signal, "; the results up to this error are reported".into()));
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure::Run(format!("not measured: {}", failed.join(", ")))) }
}

/// The cases selected by the arguments.
fn groups(args: &BenchArguments) -> Result<Vec<Group>, Failure> {
    let all: Vec<Case> = if args.scaling { catalogue::families().into_iter().flatten().collect() } else { catalogue::cases() };
    let devices: &[Processor] = match args.backend {
        BenchDevice::Cpu => &[Processor::Cpu],
        BenchDevice::Gpu => &[Processor::Gpu],
        BenchDevice::Both | BenchDevice::Auto => &[Processor::Cpu, Processor::Gpu],
    };
    let trials = || [1, args.trials.get()].into_iter().take(if args.trials.get() == 1 { 1 } else { 2 });
    let (files, filters): (Vec<&String>, Vec<&String>) = args.filters.iter().partition(|of| is_network_file(of));
    let on_all = || devices.iter().flat_map(|device| trials().map(move |trials| (*device, trials)));
    let files = files.into_iter().map(|path| Ok(Group { target: Target::file(path, args)?, on: on_all().collect() }));
    let mut groups = files.collect::<Result<Vec<_>, Failure>>()?;
    let mut left_out = Vec::new();
    let of_case = |case: Case| {
        let matches = |on: &(Processor, u32)| {
            let name = name(&case.name(), *on);
            filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()))
        };
        let on: Vec<_> = on_all().filter(matches).collect();
        let is_named = args.scaling || filters.iter().any(|filter| filter.contains(&case.name()));
        if on.is_empty() {
            return None;
        }
        let is_measured = case.is_usual() || is_named || args.list || (!case.large && !filters.is_empty());
        if !is_measured {
            left_out.extend(case.large.then(|| case.name()));
            return None;
        }
        Some(Group { target: Target::case(case, args), on })
    };
    // With files, other cases are measured only by their names.
    if groups.is_empty() || !filters.is_empty() {
        groups.extend(all.into_iter().filter_map(of_case));
    }
    if !left_out.is_empty() {
        terminal::notice(&format_args!("skipped because they are large: {}; name them to measure them", left_out.join(", ")));
    }
    if groups.is_empty() {
        let filters = args.filters.join(", ");
        return Err(Failure::Input(format!("there is no case with {filters} in its name; see `spikelet bench --list`")));
    }
    Ok(groups)
}

/// The GPU, if one is to be measured. A software GPU is used only on request.
fn open(args: &BenchArguments, groups: &[Group]) -> Result<Option<Device>, Failure> {
    if groups.iter().all(|group| group.on.iter().all(|(device, _)| *device == Processor::Cpu)) {
        return Ok(None);
    }
    let is_asked_for =
        args.backend != BenchDevice::Auto || args.adapter.is_some() || args.filters.iter().any(|filter| filter.contains("/gpu"));
    match block_on(Device::open_with(&args.adapter.clone().unwrap_or_default())) {
        Ok(device) if is_asked_for || !device.report().software => Ok(Some(device)),
        Ok(device) => {
            let name = &device.report().name;
            terminal::notice(&format_args!("{name} is a software GPU and is skipped; measure it with --backend both"));
            Ok(None)
        }
        Err(error) if is_asked_for => Err(error.into()),
        Err(error) => {
            terminal::notice(&format_args!("{error}; only the CPU is measured"));
            Ok(None)
        }
    }
}

fn options(args: &BenchArguments) -> Result<GpuOptions, Failure> {
    let default = GpuOptions::default();
    let arithmetic = crate::device::arithmetic(args.fast_math);
    let size = args.workgroup_size.unwrap_or(default.workgroup_size);
    let mut options = GpuOptions { workgroup_size: size, arithmetic, ..default };
    args.constants.iter().try_for_each(|(name, value)| options.set_constant(name, *value))?;
    Ok(options)
}

/// Whether an argument is a network of one's own: the names of cases have no extension.
fn is_network_file(argument: &str) -> bool {
    Path::new(argument).extension().is_some_and(|extension| extension == "json")
}

fn name(of: &str, (device, trials): (Processor, u32)) -> String {
    let device = match device {
        Processor::Cpu => "cpu",
        Processor::Gpu => "gpu",
    };
    let trials = if trials == 1 { String::new() } else { format!("/x{trials}") };
    format!("{of}/{device}{trials}")
}

fn list(groups: &[Group], json: bool) -> Result<(), Failure> {
    let names: Vec<String> = groups.iter().flat_map(|group| group.on.iter().map(|on| name(&group.target.name(), *on))).collect();
    // Names only: cannot fail.
    terminal::print(&if json { serde_json::to_string_pretty(&names).unwrap_or_default() } else { names.join("\n") })
}

impl Group {
    fn has(&self, wanted: &str) -> bool {
        self.on.iter().any(|on| name(&self.target.name(), *on) == wanted)
    }

    /// Builds the network, loads it on all devices, warms up, and measures in turns.
    fn measure(&self, args: &BenchArguments, gpu: Option<&Device>, conditions: &Conditions) -> Result<Vec<Measurement>, Failure> {
        let threads = device::threads(args.threads);
        terminal::say(&format_args!("{} …", self.target.name()));
        let (plan, build) = self.build(threads)?;
        let share = if args.quick { 0.1 } else { 1.0 };
        let mut subjects = Vec::new();
        for on in &self.on {
            let machine = match (on.0, gpu) {
                (Processor::Cpu, _) => {
                    let profile = CpuProfile::new(device::clock);
                    SubjectDevice::Cpu(Cpu::new(threads).sparing().with_profile(profile.clone()), threads, profile)
                }
                (Processor::Gpu, Some(device)) => {
                    SubjectDevice::Gpu(Box::new(Gpu::with_options(device.clone(), options(args)?)?))
                }
                (Processor::Gpu, None) => continue,
            };
            let mut subject = Subject::load(name(&self.target.name(), *on), machine, plan.clone(), on.1, build)?;
            subject.warm_up(share * self.target.compared_ms)?;
            subjects.push(subject);
        }
        let seconds = share * args.seconds;
        while interrupt::asked().is_none() && subjects.iter().any(|subject| !subject.is_done(REPETITIONS, seconds)) {
            for subject in &mut subjects {
                subject.repeat(seconds / 5.0)?;
            }
        }
        for subject in &mut subjects {
            subject.profile(seconds / 5.0)?;
        }
        Ok(subjects.into_iter().filter_map(|subject| subject.measurement(&self.target, conditions)).collect())
    }

    fn build(&self, threads: usize) -> Result<(Arc<Plan>, Duration), Failure> {
        let network = self.target.network()?;
        let started = Instant::now();
        let threads = std::num::NonZeroUsize::new(threads).unwrap_or(std::num::NonZeroUsize::MIN);
        let options = BuildOptions { threads, memory: memory::free(), storage: None, weights: None, exact: false };
        let plan = Builder::new(&network, options)?.finish()?;
        Ok((Arc::new(plan), started.elapsed()))
    }
}
