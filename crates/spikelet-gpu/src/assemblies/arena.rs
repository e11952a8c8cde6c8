//! Buffers that grow.

use spikelet::Error;
use spikelet_assemblies::MemoryItem;

use crate::Device;

/// A buffer from which parts are taken, and which grows with them.
pub(super) struct Arena {
    label: &'static str,
    pub(super) buffer: wgpu::Buffer,
    used: u32,
}

/// The buffers of `shaders/assemblies.wgsl`, in the order of their bindings.
pub(super) struct Arenas {
    pub(super) sums: Arena,
    pub(super) lists: Arena,
    pub(super) stimuli: Arena,
    pub(super) tables: Arena,
    pub(super) learned: Arena,
    pub(super) scratch: Arena,
    pub(super) log: Arena,
}

impl Arena {
    fn new(device: &Device, label: &'static str) -> Arena {
        Arena { label, buffer: buffer(device, label, 64), used: 0 }
    }

    /// Takes this many words, which are 0, and returns the first.
    pub(super) fn take(&mut self, device: &Device, words: u32) -> Result<u32, Error> {
        let first = self.used;
        let needed = u64::from(first) + u64::from(words);
        let most = device.limits().binding_words().min(u32::MAX.into());
        if needed > most {
            return Err(Error::Backend(format!(
                "assemblies need {needed} words of {} on {}, whose kernels use at most {most}; use fewer or smaller areas, or the CPU",
                self.label,
                device.report().name
            )));
        }
        if needed > self.words() {
            let larger = buffer(device, self.label, needed.next_power_of_two().min(most));
            let mut encoder = device.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&self.buffer, 0, &larger, 0, self.buffer.size());
            device.queue.submit([encoder.finish()]);
            self.buffer = larger;
            device.check()?;
        }
        self.used = needed as u32;
        Ok(first)
    }

    /// Makes room for this many words in total.
    pub(super) fn reserve(&mut self, device: &Device, words: u32) -> Result<(), Error> {
        let missing = words.saturating_sub(self.used);
        self.take(device, missing).map(|_| ())
    }

    pub(super) fn write(&self, device: &Device, at: u32, words: &[u32]) {
        device.queue.write_buffer(&self.buffer, u64::from(at) * 4, bytemuck::cast_slice(words));
    }

    pub(super) fn clear(&self, device: &Device, at: u32, words: u32) {
        let mut encoder = device.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&self.buffer, u64::from(at) * 4, Some(u64::from(words) * 4));
        device.queue.submit([encoder.finish()]);
    }

    fn words(&self) -> u64 {
        self.buffer.size() / 4
    }
}

impl Arenas {
    pub(super) fn new(device: &Device) -> Arenas {
        let [sums, lists, stimuli, tables, learned, scratch, log] =
            ["inputs", "winners", "stimuli", "tables", "learned changes", "selection", "log of winners"]
                .map(|label| Arena::new(device, label));
        Arenas { sums, lists, stimuli, tables, learned, scratch, log }
    }

    /// All of them, in the order of their bindings.
    pub(super) fn all(&self) -> [&Arena; 7] {
        [&self.sums, &self.lists, &self.stimuli, &self.tables, &self.learned, &self.scratch, &self.log]
    }

    pub(super) fn items(&self) -> Vec<MemoryItem> {
        self.all().map(|arena| MemoryItem { what: format!("{} on the GPU", arena.label), bytes: arena.buffer.size() }).into()
    }
}

fn buffer(device: &Device, label: &str, words: u64) -> wgpu::Buffer {
    device.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: words * 4,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })
}
