//! The devices of networks, and the channel to the page.

use std::rc::Rc;
use std::sync::Arc;

use spikelet::{Cpu, Error, Plan, Pool};
use spikelet_gpu::{BackendRequest, DeviceKind, Request, SelectedBackend, auto_on};

use super::built::{Build, CodeOptions};
use super::compiler::WasmCompiler;
use super::gpu::WorkerGpu;
use super::run_profile::RunMeasurement;
use super::summary::of_adapter;
use super::threads::Threads;
use super::time::EventLoopTurn;
use crate::protocol::{AdapterFeature, AdapterLimit, BackendChoice, Device, Devices, Event, Message};

/// The threads and the GPU of a Worker, and the channel to the page.
pub(super) struct EngineDevices {
    pub(super) turn: EventLoopTurn,
    pub(super) threads: Threads,
    pub(super) gpu: WorkerGpu,
    /// The compiler of neuron models, or why there is none.
    compiler: Result<Arc<WasmCompiler>, String>,
    post: Rc<dyn Fn(Message)>,
}

impl EngineDevices {
    pub(super) fn new(turn: EventLoopTurn, threads: Threads, post: Rc<dyn Fn(Message)>) -> EngineDevices {
        EngineDevices { turn, threads, gpu: WorkerGpu::Shut, compiler: WasmCompiler::start(), post }
    }

    /// Sends a message to the page.
    pub(super) fn post(&self, message: Message) {
        (self.post)(message);
    }

    /// Sends an event.
    pub(super) fn emit(&self, event: Event) {
        self.post(Message::Event(event));
    }

    /// The available devices.
    pub(super) async fn devices(&mut self) -> Devices {
        let (gpu, no_gpu_because) = match self.gpu.device().await {
            Ok(device) => {
                let report = device.report();
                let limits = report.limits.iter().map(|of| AdapterLimit {
                    name: of.name.to_owned(),
                    unit: of.unit.to_owned(),
                    available: of.available,
                    requested: of.requested,
                });
                let features = report.features.iter().map(|of| AdapterFeature {
                    name: of.name.to_owned(),
                    available: of.available,
                    requested: of.requested,
                });
                let gpu = Device {
                    name: report.name.clone(),
                    software: report.software,
                    facts: of_adapter(report),
                    limits: limits.collect(),
                    features: features.collect(),
                };
                (Some(gpu), None)
            }
            Err(error) => (None, Some(error.to_string())),
        };
        let (threads, one_thread_because) = (self.threads.most as u32, self.threads.one_because.clone());
        Devices { gpu, no_gpu_because, threads, one_thread_because }
    }

    /// Chooses a device for a plan; the threads of `pool` already exist. Runs on it are measured if requested.
    pub(super) async fn choose(
        &mut self,
        choice: BackendChoice,
        plan: &Plan,
        pool: Pool,
        (threads, code): (&Threads, CodeOptions),
    ) -> Result<(SelectedBackend, Option<RunMeasurement>), Error> {
        let backend = match choice {
            BackendChoice::Auto => BackendRequest::Auto,
            BackendChoice::Gpu => BackendRequest::Gpu,
            BackendChoice::Cpu => BackendRequest::Cpu,
        };
        let measurement = code.profile.then(|| RunMeasurement::new(plan));
        let request = Request { backend, options: code.of_gpu(), ..Request::default() };
        let chosen = auto_on(&request, async || self.gpu.device().await).await?;
        if chosen.kind == DeviceKind::Gpu {
            return Ok((chosen, measurement));
        }
        let threads = Cpu::threads_worth(plan, threads.most);
        let pool = if pool.threads() == threads { pool } else { self.start_pool(threads).await };
        let mut cpu = Cpu::on(pool).sparing();
        if let Some(compiler) = self.compiler.as_ref().ok().filter(|_| code.compile) {
            cpu = cpu.with_compiler(compiler.clone());
        }
        if let Some(measurement) = &measurement {
            cpu = cpu.with_profile(measurement.cpu.clone());
        }
        Ok((SelectedBackend::of_cpu(cpu, chosen.reason), measurement))
    }

    /// The device on which a network continues; records it.
    pub(super) async fn choose_replacement(
        &mut self,
        build: &mut Build,
        choice: BackendChoice,
        plan: &Plan,
    ) -> Result<SelectedBackend, Error> {
        let (chosen, measurement) = self.choose(choice, plan, Pool::new(1), (&build.threads, build.code)).await?;
        build.settle_on((&chosen, measurement), self.neuron_code(build.code.compile));
        Ok(chosen)
    }

    /// How neuron models run on the CPU, in words.
    pub(super) fn neuron_code(&self, compile: bool) -> String {
        match &self.compiler {
            Ok(_) if compile => "compiled to WebAssembly".into(),
            Ok(_) => "interpreted, as requested".into(),
            Err(because) => format!("interpreted: {because}"),
        }
    }

    /// A pool of threads; if the browser does not start them, one thread, also for later requests.
    pub(super) async fn start_pool(&mut self, threads: usize) -> Pool {
        match self.threads.pool(threads).await {
            Ok(pool) => pool,
            Err(error) => {
                self.threads = Threads::one(error.to_string());
                Pool::new(1)
            }
        }
    }
}
