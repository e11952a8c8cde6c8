//! What computes gradients.

use pollster::block_on;
use spikelet::Pool;
use spikelet_gpu::{Device, GpuBptt, GpuEventProp};
use spikelet_native::memory;
use spikelet_train::{Differentiable, EventPropCpu, Method, Training, bptt};

use crate::args::{Backend, TrainingDevice};
use crate::device;
use crate::failure::Failure;

/// The device of a method: the one place that makes one.
pub(crate) fn differentiable(training: &Training, args: &TrainingDevice) -> Result<Box<dyn Differentiable>, Failure> {
    let on_gpu = args.backend == Backend::Gpu || args.adapter.is_some();
    if args.backend == Backend::Cpu && args.adapter.is_some() {
        return Err(Failure::Input("--adapter names a GPU, and --backend cpu is the CPU; remove one of the two".into()));
    }
    let threads = device::threads(args.threads);
    let open = || block_on(Device::open_with(&args.adapter.clone().unwrap_or_default()));
    let free = memory::free().unwrap_or(u64::MAX);
    match (training.method, on_gpu) {
        (Method::Bptt | Method::Eprop, false) => Ok(Box::new(bptt::Cpu::on(Pool::new(threads)).with_free_memory(free))),
        (Method::Bptt | Method::Eprop, true) => Ok(Box::new(GpuBptt::new(open()?))),
        (Method::EventProp, false) => Ok(Box::new(EventPropCpu::new(threads))),
        (Method::EventProp, true) => Ok(Box::new(GpuEventProp::new(open()?))),
    }
}
