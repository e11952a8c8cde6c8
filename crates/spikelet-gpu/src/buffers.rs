//! The buffers of a loaded plan: one for each variable of shaders/header.wgsl, of the same name.

use spikelet::{Error, Plan};

use crate::Device;
use crate::layout::{Arena, Layout};
use crate::passes::Pass;

/// Spikes that the log holds at least; more where one epoch could make more.
const LOG_SPIKES: u64 = 1 << 16;
/// Samples of one batch, in words; and its clocks.
const SAMPLE_WORDS: u64 = 1 << 18;

/// Writes the fields once, for the struct, its words and their names.
macro_rules! header {
    ($($field:ident),* $(,)?) => {
        /// `Header` of shaders/header.wgsl, where the fields are explained; a test compares the two.
        #[derive(Debug, Clone, Copy, Default)]
        pub(crate) struct Header {
            $(pub(crate) $field: u32),*
        }

        impl Header {
            pub(crate) const FIELDS: &[&str] = &[$(stringify!($field)),*];
            pub(crate) const WORDS: usize = Header::FIELDS.len();

            pub(crate) fn words(&self) -> [u32; Header::WORDS] {
                [$(self.$field),*]
            }

            /// The header that begins these words.
            pub(crate) fn of_words(words: &[u32]) -> Header {
                let mut words = words.iter().copied();
                Header { $($field: words.next().unwrap_or_default()),* }
            }
        }
    };
}

header!(
    count,
    step_next,
    begin_next,
    run_next,
    step_now,
    begin_now,
    run_now,
    until,
    origin,
    epoch_steps,
    capacity,
    epoch_spikes,
    seed_low,
    seed_high,
    trial,
    slots,
    lanes,
    channels,
    clock_lanes,
    populations,
    populations_at,
    walks_at,
    channels_at,
    memory_steps,
    memory_at,
    memory_words,
    fault,
    fault_port,
    fault_value,
    zero
);

/// The buffers, in the order of their bindings.
pub(crate) struct Buffers {
    pub(crate) header: wgpu::Buffer,
    pub(crate) tables: wgpu::Buffer,
    pub(crate) clocks: wgpu::Buffer,
    pub(crate) state: wgpu::Buffer,
    pub(crate) ring: wgpu::Buffer,
    pub(crate) rows: wgpu::Buffer,
    pub(crate) spikes: wgpu::Buffer,
    pub(crate) samples: wgpu::Buffer,
    /// The jobs of all dispatches, [`Buffers::job_stride`] bytes apart.
    pub(crate) jobs: wgpu::Buffer,
    pub(crate) job_stride: u32,
    /// Spikes that fit the log.
    pub(crate) capacity: u32,
    /// Steps whose rows fit `samples` and `clocks`.
    pub(crate) batch_steps: u32,
}

impl Buffers {
    /// Allocates and fills everything.
    ///
    /// # Errors
    /// A buffer is larger than the device can bind: its name and both sizes; or the device is out of memory.
    pub(crate) async fn new(device: &Device, plan: &Plan, layout: &Layout) -> Result<Buffers, Error> {
        let epoch_spikes = u64::from(plan.neurons()) * u64::from(layout.epoch_steps);
        let capacity = LOG_SPIKES.max(2 * epoch_spikes);
        let channels = plan.channels.len() as u64;
        let longest_row = channels.max(u64::from(plan.clock_lanes)).max(1);
        let batch_steps = (SAMPLE_WORDS / longest_row).max(u64::from(layout.epoch_steps));
        let limits = device.device.limits();
        let limit = limits.max_storage_buffer_binding_size;
        let scope = device.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let make = |label: &'static str, words: u64, usage: wgpu::BufferUsages| {
            // A binding cannot be empty.
            let size = (words * 4).max(16);
            if size > limit {
                let name = &device.report().name;
                return Err(Error::Backend(format!(
                    "the buffer `{label}` needs {size} bytes, {name} binds at most {limit}; make the network smaller, or take the CPU"
                )));
            }
            let usage = usage | wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
            Ok(device.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation: false,
            }))
        };
        let filled = |label: &'static str, words: &[u32]| {
            let buffer = make(label, words.len() as u64, wgpu::BufferUsages::empty())?;
            device.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(words));
            Ok(buffer)
        };
        let empty = |label: &'static str, words: u64| make(label, words, wgpu::BufferUsages::empty());
        let buffers = Buffers {
            header: empty("header", Header::WORDS as u64)?,
            tables: filled("tables", &layout.tables)?,
            clocks: empty("clocks", batch_steps * u64::from(plan.clock_lanes))?,
            state: filled("state", &layout.state)?,
            ring: empty("ring", layout.ring_words as u64)?,
            rows: filled("rows", &layout.rows)?,
            spikes: empty("spikes", 2 * capacity)?,
            samples: empty("samples", batch_steps * channels)?,
            jobs: jobs(device, &layout.passes, limits.min_uniform_buffer_offset_alignment),
            job_stride: limits.min_uniform_buffer_offset_alignment,
            capacity: capacity as u32,
            batch_steps: batch_steps as u32,
        };
        if let Some(error) = scope.pop().await {
            let bytes: u64 = plan.memory().iter().map(|(_, bytes)| bytes).sum();
            let message = format!("{} is out of memory ({error}); the network needs {bytes} bytes", device.report().name);
            return Err(Error::Backend(message + ": make it smaller, or take the CPU"));
        }
        Ok(buffers)
    }

    pub(crate) fn in_binding_order(&self) -> [&wgpu::Buffer; 8] {
        [&self.header, &self.tables, &self.clocks, &self.state, &self.ring, &self.rows, &self.spikes, &self.samples]
    }

    pub(crate) fn arena(&self, arena: Arena) -> &wgpu::Buffer {
        match arena {
            Arena::Tables => &self.tables,
            Arena::State => &self.state,
            Arena::Ring => &self.ring,
            Arena::Rows => &self.rows,
        }
    }
}

/// A uniform buffer with the job of each dispatch.
fn jobs(device: &Device, passes: &[Pass], stride: u32) -> wgpu::Buffer {
    let mut words = vec![0_u32; passes.len() * stride as usize / 4];
    for (pass, words) in passes.iter().zip(words.chunks_exact_mut(stride as usize / 4)) {
        words[..pass.job.len()].copy_from_slice(&pass.job);
    }
    let buffer = device.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("jobs"),
        size: words.len() as u64 * 4,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    device.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&words));
    buffer
}
