//! The devices of networks, and the channel to the page.

use std::rc::Rc;
use std::sync::Arc;

use spikelet::{Cpu, Error, Plan, Pool};
use spikelet_gpu::{BackendRequest, DeviceKind, GpuOptions, Pace, Request, SelectedBackend, auto_on};

use super::built::{Build, CodeOptions};
use super::compiler::WasmCompiler;
use super::gpu::WorkerGpu;
use super::summary::of_adapter;
use super::threads::Threads;
use super::time::EventLoopTurn;
use crate::protocol::{BackendChoice, Device, Devices, Event, Message};

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
                let facts = of_adapter(report);
                (Some(Device { name: report.name.clone(), software: report.software, facts }), None)
            }
            Err(error) => (None, Some(error.to_string())),
        };
        let (threads, one_thread_because) = (self.threads.most as u32, self.threads.one_because.clone());
        Devices { gpu, no_gpu_because, threads, one_thread_because }
    }

    /// Chooses a device for a plan; the threads of `pool` already exist.
    pub(super) async fn choose(
        &mut self,
        choice: BackendChoice,
        plan: &Plan,
        pool: Pool,
        (threads, code): (&Threads, CodeOptions),
    ) -> Result<SelectedBackend, Error> {
        let backend = match choice {
            BackendChoice::Auto => BackendRequest::Auto,
            BackendChoice::Gpu => BackendRequest::Gpu,
            BackendChoice::Cpu => BackendRequest::Cpu,
        };
        let CodeOptions { arithmetic, workgroup_size, .. } = code;
        let options = GpuOptions { pace: Pace::Shared, arithmetic, workgroup_size, ..GpuOptions::default() };
        let request = Request { backend, options, ..Request::default() };
        let chosen = auto_on(&request, async || self.gpu.device().await).await?;
        if chosen.kind == DeviceKind::Gpu {
            return Ok(chosen);
        }
        let threads = Cpu::threads_worth(plan, threads.most);
        let pool = if pool.threads() == threads { pool } else { self.start_pool(threads).await };
        let compiler = self.compiler.as_ref().ok().filter(|_| code.compile).cloned();
        Ok(SelectedBackend::of_cpu(pool, compiler.map(|compiler| compiler as _), chosen.reason))
    }

    /// The device on which a network continues; records it.
    pub(super) async fn choose_replacement(
        &mut self,
        build: &mut Build,
        choice: BackendChoice,
        plan: &Plan,
    ) -> Result<SelectedBackend, Error> {
        let chosen = self.choose(choice, plan, Pool::new(1), (&build.threads, build.code)).await?;
        build.settle_on(&chosen, self.neuron_code(build.code.compile));
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
