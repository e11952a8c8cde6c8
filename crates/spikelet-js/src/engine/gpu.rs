//! The Worker's GPU: opened in the background when it is first needed, then reused.

use std::mem;

use futures_channel::oneshot;
use spikelet::Error;
use spikelet::cost::ExpectedMemory;
use spikelet_gpu::{Device, gpu_estimate};

use crate::estimate::buffers;
use crate::protocol::GpuEstimate;

/// The device of a Worker.
pub(super) enum WorkerGpu {
    /// It is being opened in the background.
    Opening(oneshot::Receiver<Result<Device, Error>>),
    /// It is open.
    Open(Box<Device>),
    /// It was not opened, or has failed.
    Shut,
}

impl WorkerGpu {
    /// Begins to open it, unless this was done before.
    pub(super) fn begin(&mut self) {
        if let WorkerGpu::Shut = self {
            let (sender, receiver) = oneshot::channel();
            // The receiver is dropped only with the engine.
            wasm_bindgen_futures::spawn_local(async move { drop(sender.send(Device::open().await)) });
            *self = WorkerGpu::Opening(receiver);
        }
    }

    /// Returns the device after it was opened.
    ///
    /// # Errors
    /// Why there is none; the next call tries again.
    pub(super) async fn device(&mut self) -> Result<Device, Error> {
        let device = match mem::replace(self, WorkerGpu::Shut) {
            WorkerGpu::Open(device) => Ok(*device),
            WorkerGpu::Opening(opening) => {
                opening.await.unwrap_or_else(|_| Err(Error::Backend("the GPU cannot be opened".into())))
            }
            WorkerGpu::Shut => Device::open().await,
        }?;
        *self = WorkerGpu::Open(Box::new(device.clone()));
        Ok(device)
    }

    /// The memory that a network would need on it, if it is open.
    pub(super) fn estimate(&self, expected: &ExpectedMemory, trials: u32) -> Option<GpuEstimate> {
        let WorkerGpu::Open(device) = self else { return None };
        let (name, binding_bytes) = (device.report().name.clone(), device.report().max_binding_bytes());
        Some(match gpu_estimate(expected, binding_bytes, trials) {
            Ok(found) => {
                let bytes = found.iter().map(|(_, bytes)| bytes).sum();
                GpuEstimate { name, bytes: Some(bytes), buffers: buffers(found), refusal: None }
            }
            Err(error) => GpuEstimate { name, bytes: None, buffers: Vec::new(), refusal: Some(error.to_string()) },
        })
    }

    /// Discards the device: the next call opens a new one.
    pub(super) fn shut(&mut self) {
        *self = WorkerGpu::Shut;
    }

    /// Destroys it, if it is open.
    pub(super) fn destroy(&self) {
        if let WorkerGpu::Open(device) = self {
            device.destroy();
        }
    }

    /// Discards the device if the error is an error of the device, not of the network.
    pub(super) fn forget_if_failed(&mut self, error: &Error) {
        if matches!(error, Error::Backend(_) | Error::DeviceLost { .. }) {
            *self = WorkerGpu::Shut;
        }
    }
}
