//! `--workgroup-size auto`: the fastest size, measured once and stored.

use std::sync::Arc;
use std::time::Instant;

use pollster::block_on;
use spikelet::{Error, Network, Plan, Simulation};
use spikelet_gpu::{Device, Fusion, Gpu, GpuOptions, SelectedBackend, WORKGROUP_SIZES, tuning_key};

use crate::args::{RunArguments, WorkgroupSize};
use crate::device;
use crate::failure::Failure;
use crate::terminal;
use crate::tuned::Tuned;

/// Approximate duration of a measurement, in seconds.
const SECONDS: f64 = 0.1;

/// The chosen device with the requested workgroup size, if it is a GPU.
pub(crate) fn tuned(
    args: &RunArguments,
    network: &Network,
    plan: &Arc<Plan>,
    chosen: SelectedBackend,
) -> Result<SelectedBackend, Failure> {
    let notice = |text: &str| {
        if !args.quiet {
            terminal::notice(&text);
        }
    };
    let device = match (&chosen.gpu, args.workgroup_size) {
        (Some((device, _)), Some(WorkgroupSize::Auto)) => device.clone(),
        (None, Some(_)) => {
            notice("the run uses the CPU, which has no workgroups; --workgroup-size is for GPUs");
            return Ok(chosen);
        }
        _ => return Ok(chosen),
    };
    let key = tuning_key(device.report(), plan)?;
    let (mut known, unreadable) = Tuned::of_user();
    unreadable.iter().for_each(|text| notice(text));
    let size = match known.size(&key) {
        // The file may be from another version or edited: invalid entries are measured again.
        Some(size) if WORKGROUP_SIZES.contains(&size) => size,
        _ => {
            // The chosen device is open, but nothing is loaded yet.
            let Some(size) = block_on(fastest(&device, network, plan))? else {
                notice("one dispatch runs the whole network in one workgroup; --workgroup-size has no effect");
                return Ok(chosen);
            };
            known.remember(&key, size).iter().for_each(|text| notice(text));
            size
        }
    };
    let options = GpuOptions { workgroup_size: size, ..device::options(args) };
    let reason = format!("{}; workgroups of {size} are the fastest here", chosen.reason);
    Ok(SelectedBackend::of_gpu(device, options, reason)?)
}

/// The fastest size; `None` if the network runs in one workgroup.
async fn fastest(device: &Device, network: &Network, plan: &Arc<Plan>) -> Result<Option<u32>, Error> {
    // Without changes and stop conditions.
    let network = Network { changes: Vec::new(), stop: Vec::new(), ..network.clone() };
    let mut steps = None;
    let mut loaded: Option<(u32, Simulation)> = None;
    let mut is_single = false;
    let run = async |size: u32| {
        let mut simulation = match loaded.take() {
            Some((of, simulation)) if of == size => simulation,
            other => {
                // Frees its memory for the next one.
                drop(other);
                let gpu = Gpu::with_options(device.clone(), GpuOptions { workgroup_size: size, ..GpuOptions::default() })?;
                let dispatches = gpu.monitor();
                let mut simulation = Simulation::with_plan(&network, plan.clone(), Box::new(gpu)).await?;
                is_single |= dispatches.fusion() == Fusion::All;
                if steps.is_none() && !is_single {
                    steps = Some(calibrate(&mut simulation).await?);
                    simulation.reset(0).await?;
                }
                simulation
            }
        };
        let start = Instant::now();
        if let Some(steps) = steps {
            simulation.advance(steps).await?;
        }
        loaded = Some((size, simulation));
        Ok(start.elapsed().as_secs_f64())
    };
    let tuning = spikelet_gpu::tune(&WORKGROUP_SIZES, run).await?;
    Ok((!is_single).then_some(tuning.best))
}

/// Number of steps for a given duration.
async fn calibrate(simulation: &mut Simulation) -> Result<u32, Error> {
    let mut steps = 16;
    loop {
        let start = Instant::now();
        simulation.advance(steps).await?;
        if start.elapsed().as_secs_f64() > SECONDS || steps >= 1 << 16 {
            return Ok(steps);
        }
        steps *= 2;
    }
}
