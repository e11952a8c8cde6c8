//! Allocation of buffers: if a device has no memory for a buffer, the error names it with suggestions.

use spikelet::{Error, Plan};

use crate::Device;

/// Allocates the buffers of a plan.
pub(crate) struct Allocator<'a> {
    device: &'a Device,
    /// Bytes of all buffers.
    total: u64,
    way_out: String,
}

impl<'a> Allocator<'a> {
    /// For a plan with `trials` parallel trials, whose buffers have these words.
    pub(crate) fn new(device: &'a Device, plan: &Plan, trials: usize, buffers: &[(&str, u64)]) -> Allocator<'a> {
        let words = |name: Option<&str>| -> u64 {
            buffers.iter().filter(|(of, _)| name.is_none_or(|name| *of == name)).map(|(_, words)| words).sum()
        };
        let total = 4 * words(None);
        // They are mentioned if they are at least a tenth of all.
        let samples = 40 * words(Some("samples")) > total;
        Allocator { device, total, way_out: any_of(&plan.ways_to_fit(trials, samples)) }
    }

    /// For data that belong to no plan: buffers with this many words together, and what makes them smaller.
    pub(crate) fn beside(device: &'a Device, words: u64, way_out: &str) -> Allocator<'a> {
        Allocator { device, total: 4 * words, way_out: way_out.to_owned() }
    }

    /// A buffer for kernels, of this many words.
    ///
    /// # Errors
    /// There is not enough memory: [`Error::OutOfMemory`].
    pub(crate) async fn make(&self, label: &str, words: u64) -> Result<wgpu::Buffer, Error> {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
        // A binding cannot be empty.
        self.make_for(label, (words * 4).max(16), usage).await
    }

    /// A buffer for other purposes, of this many bytes.
    ///
    /// # Errors
    /// There is not enough memory: [`Error::OutOfMemory`].
    pub(crate) async fn make_for(&self, label: &str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, Error> {
        let device = &self.device.device;
        // A buffer that is too large for the device is a validation error; a failure of a driver is an internal error.
        let scopes = [wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::OutOfMemory]
            .map(|filter| device.push_error_scope(filter));
        let descriptor = wgpu::BufferDescriptor { label: Some(label), size: bytes, usage, mapped_at_creation: false };
        let buffer = device.create_buffer(&descriptor);
        // Scopes are popped in reverse order, all before any is awaited.
        let [validation, internal, memory] = scopes;
        let answers = [memory.pop(), internal.pop(), validation.pop()];
        for answer in answers {
            if let Some(error) = answer.await {
                return Err(Error::OutOfMemory {
                    device: self.device.report().name.clone(),
                    buffer: label.to_owned(),
                    bytes,
                    total: self.total,
                    why: last_line(&error.to_string()),
                    way_out: self.way_out.clone(),
                });
            }
        }
        Ok(buffer)
    }
}

/// The suggestions as one clause.
fn any_of(ways: &[String]) -> String {
    match ways {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{}, or {last}", first.join(", ")),
    }
}

/// An error of wgpu ends with its cause, after the name of the call.
fn last_line(error: &str) -> String {
    error.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("the reason is unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_and_causes_are_one_clause() {
        let ways = |ways: &[&str]| any_of(&ways.iter().map(|way| (*way).to_owned()).collect::<Vec<_>>());
        assert_eq!(ways(&["a"]), "a");
        assert_eq!(ways(&["a", "b", "c"]), "a, b, or c");
        let error =
            "Validation Error\n\nCaused by:\n  In Device::create_buffer, label = 'big'\n    Buffer size 8 is greater than 4\n";
        assert_eq!(last_line(error), "Buffer size 8 is greater than 4");
        assert_eq!(last_line("Out of Memory"), "Out of Memory");
    }
}
