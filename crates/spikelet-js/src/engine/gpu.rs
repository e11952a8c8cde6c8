//! The Worker's GPU: opened once it is asked for, while the Worker does something else, and kept.

use std::mem;

use futures_channel::oneshot;
use spikelet::Error;
use spikelet_gpu::Device;

/// The device of a Worker.
pub(super) enum WorkerGpu {
    /// It is being opened while the Worker does something else.
    Opening(oneshot::Receiver<Result<Device, Error>>),
    /// It is open.
    Open(Box<Device>),
    /// It is to be opened: there was none, or it failed.
    Shut,
}

impl WorkerGpu {
    /// Begins to open it, where that was not done before.
    pub(super) fn begin(&mut self) {
        if let WorkerGpu::Shut = self {
            let (sender, receiver) = oneshot::channel();
            // The receiver is gone only if the engine is.
            wasm_bindgen_futures::spawn_local(async move { drop(sender.send(Device::open().await)) });
            *self = WorkerGpu::Opening(receiver);
        }
    }

    /// The device, open.
    ///
    /// # Errors
    /// Why there is none; the next call asks once more.
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

    /// Forgets the device: the next one is a new one.
    pub(super) fn shut(&mut self) {
        *self = WorkerGpu::Shut;
    }

    /// Destroys it, if it is open.
    pub(super) fn destroy(&self) {
        if let WorkerGpu::Open(device) = self {
            device.destroy();
        }
    }

    /// Forgets the device where this error is its own, and not the network's: the next one gets a new device.
    pub(super) fn forget_if_failed(&mut self, error: &Error) {
        if matches!(error, Error::Backend(_) | Error::DeviceLost { .. }) {
            *self = WorkerGpu::Shut;
        }
    }
}
