//! What networks are built with and run on, and whom that is told.

use std::rc::Rc;

use spikelet::{Cpu, Error, Plan, Pool};
use spikelet_gpu::{BackendRequest, DeviceKind, GpuOptions, Pace, Request, SelectedBackend, auto_on};

use super::built::Build;
use super::gpu::WorkerGpu;
use super::summary::of_adapter;
use super::threads::Threads;
use super::time::EventLoopTurn;
use crate::protocol::{BackendChoice, Device, Devices, Event, Message};

/// The threads and the GPU of a Worker, and the way to the page.
pub(super) struct EngineDevices {
    pub(super) turn: EventLoopTurn,
    pub(super) threads: Threads,
    pub(super) gpu: WorkerGpu,
    post: Rc<dyn Fn(Message)>,
}

impl EngineDevices {
    pub(super) fn new(turn: EventLoopTurn, threads: Threads, post: Rc<dyn Fn(Message)>) -> EngineDevices {
        EngineDevices { turn, threads, gpu: WorkerGpu::Shut, post }
    }

    /// Says something to the page.
    pub(super) fn post(&self, message: Message) {
        (self.post)(message);
    }

    /// Tells that something happened.
    pub(super) fn emit(&self, event: Event) {
        self.post(Message::Event(event));
    }

    /// What a network could run on.
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

    /// Chooses a device for a plan; the threads of `pool` are there already.
    pub(super) async fn choose(
        &mut self,
        choice: BackendChoice,
        plan: &Plan,
        pool: Pool,
        threads: &Threads,
    ) -> Result<SelectedBackend, Error> {
        let backend = match choice {
            BackendChoice::Auto => BackendRequest::Auto,
            BackendChoice::Gpu => BackendRequest::Gpu,
            BackendChoice::Cpu => BackendRequest::Cpu,
        };
        let options = GpuOptions { pace: Pace::Shared, ..GpuOptions::default() };
        let request = Request { backend, options, ..Request::default() };
        let chosen = auto_on(&request, async || self.gpu.device().await).await?;
        if chosen.kind == DeviceKind::Gpu {
            return Ok(chosen);
        }
        let threads = Cpu::threads_worth(plan, threads.most);
        let pool = if pool.threads() == threads { pool } else { self.start_pool(threads).await };
        Ok(SelectedBackend::of_cpu(pool, chosen.reason))
    }

    /// The device that a network goes on on, which is noted in how it came to run.
    pub(super) async fn choose_replacement(
        &mut self,
        build: &mut Build,
        choice: BackendChoice,
        plan: &Plan,
    ) -> Result<SelectedBackend, Error> {
        let chosen = self.choose(choice, plan, Pool::new(1), &build.threads).await?;
        build.settle_on(&chosen);
        Ok(chosen)
    }

    /// So many threads; where the browser does not start them, the one that there is, and from then on.
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
