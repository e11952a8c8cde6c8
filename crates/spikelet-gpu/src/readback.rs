//! Transfer of buffers to the host.

use futures_channel::oneshot;
use spikelet::Error;

use crate::Device;

/// A range of a buffer, in words.
pub(crate) struct BufferRange<'a> {
    pub(crate) buffer: &'a wgpu::Buffer,
    pub(crate) at: usize,
    pub(crate) words: usize,
}

/// Words in transfer to the host.
pub(crate) struct Readback {
    staging: wgpu::Buffer,
    words: usize,
    submission: wgpu::SubmissionIndex,
    mapped: oneshot::Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl Device {
    /// Waits for this submission, or for all. A browser runs its own event loop; native devices must be polled.
    #[cfg_attr(
        target_family = "wasm",
        allow(unused_variables, clippy::needless_pass_by_value, reason = "a browser waits by itself")
    )]
    pub(crate) fn wait(&self, submission: Option<wgpu::SubmissionIndex>) -> Result<(), Error> {
        #[cfg(not(target_family = "wasm"))]
        self.device.poll(wgpu::PollType::Wait { submission_index: submission, timeout: None }).map_err(|error| {
            self.device_lost_or(Error::Backend(format!("waiting for {} failed: {error}", self.report().name)))
        })?;
        Ok(())
    }

    /// The loss of the device, if it was lost: it explains any other error.
    pub(crate) fn device_lost_or(&self, error: Error) -> Error {
        match self.check() {
            Err(lost @ Error::DeviceLost { .. }) => lost,
            _ => error,
        }
    }

    /// A buffer that the host can read.
    fn staging(&self, words: usize) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("staging"),
            size: (words * 4).max(4) as u64,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// Finishes `encoder` with a copy of these ranges and submits it. `spare` are reusable staging buffers.
    pub(crate) fn submit(
        &self,
        mut encoder: wgpu::CommandEncoder,
        pieces: &[BufferRange<'_>],
        spare: &mut Vec<wgpu::Buffer>,
    ) -> Readback {
        let words: usize = pieces.iter().map(|piece| piece.words).sum();
        let fits = spare.iter().position(|buffer| buffer.size() >= words as u64 * 4);
        let staging = fits.map_or_else(|| self.staging(words), |place| spare.swap_remove(place));
        let mut to = 0;
        for piece in pieces.iter().filter(|piece| piece.words > 0) {
            let size = piece.words as u64 * 4;
            encoder.copy_buffer_to_buffer(piece.buffer, piece.at as u64 * 4, &staging, to, size);
            to += size;
        }
        let submission = self.queue.submit([encoder.finish()]);
        let (sender, mapped) = oneshot::channel();
        staging.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver is dropped only if the caller stopped waiting.
            let _ = sender.send(result);
        });
        Readback { staging, words, submission, mapped }
    }

    /// Waits for words; their staging buffer becomes a spare one.
    pub(crate) async fn finish(&self, reading: Readback, spare: &mut Vec<wgpu::Buffer>) -> Result<Vec<u32>, Error> {
        let Readback { staging, words, submission, mapped } = reading;
        self.wait(Some(submission))?;
        // A buffer of a lost device may never be mapped.
        self.check()?;
        let mapped = mapped.await;
        self.check()?;
        // Nothing here unmaps a buffer that is being mapped: a browser reports this for a lost device before it reports the loss.
        let nothing = |error: &dyn std::fmt::Display| {
            let (device, why) = (self.report().name.clone(), error.to_string());
            let why = format!("it returns no data: {}", why.lines().next().unwrap_or_default());
            if cfg!(target_family = "wasm") {
                Error::DeviceLost { device, why }
            } else {
                Error::Backend(format!("{device}: {why}"))
            }
        };
        match mapped {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(nothing(&error)),
            Err(_) => return Err(Error::Backend(format!("{} stopped responding", self.report().name))),
        }
        let mut read: Vec<u32> = {
            let range = staging.get_mapped_range(..).map_err(|error| nothing(&error))?;
            bytemuck::pod_collect_to_vec(&range)
        };
        staging.unmap();
        spare.push(staging);
        read.truncate(words);
        Ok(read)
    }

    /// Finishes `encoder` with a copy of these ranges, submits it, and waits for their words.
    pub(crate) async fn read_after(&self, encoder: wgpu::CommandEncoder, pieces: &[BufferRange<'_>]) -> Result<Vec<u32>, Error> {
        let reading = self.submit(encoder, pieces, &mut Vec::new());
        self.finish(reading, &mut Vec::new()).await
    }
}
