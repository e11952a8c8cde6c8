//! Buffers back to the host.

use futures_channel::oneshot;
use spikelet::Error;

use crate::Device;

/// A piece of a buffer, in words.
pub(crate) struct Piece<'a> {
    pub(crate) buffer: &'a wgpu::Buffer,
    pub(crate) at: usize,
    pub(crate) words: usize,
}

impl Device {
    /// Waits until everything submitted is done. A browser runs its own event loop; elsewhere somebody must wait for the device.
    pub(crate) fn wait(&self) -> Result<(), Error> {
        #[cfg(not(target_family = "wasm"))]
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|error| Error::Backend(format!("waiting for {} failed: {error}", self.report().name)))?;
        Ok(())
    }

    /// Finishes `encoder` with a copy of these pieces, submits it, and waits for their words.
    pub(crate) async fn read_after(&self, mut encoder: wgpu::CommandEncoder, pieces: &[Piece<'_>]) -> Result<Vec<u32>, Error> {
        let words: usize = pieces.iter().map(|piece| piece.words).sum();
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("staging"),
            size: (words * 4).max(4) as u64,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut to = 0;
        for piece in pieces.iter().filter(|piece| piece.words > 0) {
            let size = piece.words as u64 * 4;
            encoder.copy_buffer_to_buffer(piece.buffer, piece.at as u64 * 4, &staging, to, size);
            to += size;
        }
        self.queue.submit([encoder.finish()]);
        let (sender, receiver) = oneshot::channel();
        staging.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver is gone only if the caller gave up waiting.
            let _ = sender.send(result);
        });
        self.wait()?;
        let mapped = receiver.await;
        self.check()?;
        match mapped {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(Error::Backend(format!("{} gives nothing back: {error}", self.report().name))),
            Err(_) => return Err(Error::Backend(format!("{} stopped answering", self.report().name))),
        }
        let range = staging
            .get_mapped_range(..)
            .map_err(|error| Error::Backend(format!("{} gives nothing back: {error}", self.report().name)))?;
        let mut read: Vec<u32> = bytemuck::pod_collect_to_vec(&range);
        read.truncate(words);
        Ok(read)
    }
}
