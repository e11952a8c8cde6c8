//! Selection of the largest values of an array on a device: `shaders/select.wgsl`.

use spikelet::Error;

use crate::Device;
use crate::kernels::{self, KernelText};
use crate::readback::BufferRange;

/// Counts of keys: three digits, `BINS` each.
pub(crate) const BIN_WORDS: u32 = 3 * 2048;
/// Words of decisions before the counts of chunks.
const COUNTS_WORD: u32 = 6;
/// Items that a workgroup looks at together; chunks consist of them.
const TILE: u32 = 1024;
/// Maximum number of chunks: each workgroup adds up the counts of those before its own.
const MAX_CHUNKS: u32 = 1024;
/// Words of `winners` before the winners.
const HEAD: usize = 2;
/// The dispatches of a selection: the part, and its digit.
const DISPATCHES: [(usize, u32); 5] = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)];
/// Bytes between the requests of dispatches: the portable alignment of uniform buffers.
const STRIDE: u64 = 256;

/// How items are divided among workgroups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunks {
    /// Items of a chunk.
    pub(crate) size: u32,
    /// Number of chunks.
    pub(crate) count: u32,
}

impl Chunks {
    pub(crate) fn of(items: u32) -> Chunks {
        let size = items.div_ceil(TILE).div_ceil(MAX_CHUNKS).max(1) * TILE;
        Chunks { size, count: items.div_ceil(size).max(1) }
    }

    /// Words of the decisions of a selection.
    pub(crate) fn decision_words(self) -> u32 {
        COUNTS_WORD + 2 * self.count
    }
}

/// Which values win.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SelectRule {
    /// So many of the largest; all if there are fewer.
    Largest(u32),
    /// Those that are not smaller than this fraction of the largest one, if it is positive.
    Reach(f32),
}

/// Selects the largest values of an array on a GPU: the twin of [`spikelet::Select`]. The number of dispatches is the same for any
/// number of values, and nothing is read back between them.
///
/// ```
/// use spikelet_gpu::{Device, GpuSelect, SelectRule};
///
/// # fn main() -> Result<(), spikelet::Error> { pollster::block_on(async {
/// # let Ok(device) = Device::open().await else { return Ok(()) };
/// let select = GpuSelect::new(&device, 5).await?;
/// select.write(&[1.0, 7.0, -2.0, 7.0, 3.0]);
/// select.begin(SelectRule::Largest(2), 1);
/// assert_eq!(select.winners().await?, [1, 3]);
/// # Ok(()) }) }
/// ```
pub struct GpuSelect {
    device: Device,
    count: u32,
    parts: Vec<wgpu::ComputePipeline>,
    bindings: wgpu::BindGroup,
    requests: wgpu::Buffer,
    values: wgpu::Buffer,
    winners: wgpu::Buffer,
}

impl GpuSelect {
    /// For arrays of `count` values.
    ///
    /// # Errors
    /// The device rejects a kernel or a buffer: there are too many values for it.
    pub async fn new(device: &Device, count: u32) -> Result<GpuSelect, Error> {
        let chunks = Chunks::of(count);
        let most = device.limits().binding_words();
        if u64::from(count) + HEAD as u64 > most {
            return Err(Error::Backend(format!(
                "{count} values are too many to select from on {}, whose kernels use at most {} at a time; use the CPU",
                device.report().name,
                most - HEAD as u64
            )));
        }
        let scope = device.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let memory = device.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = |label, words: u32| {
            device.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: u64::from(words.max(4)) * 4,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            })
        };
        let requests = device.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("requests"),
            size: STRIDE * DISPATCHES.len() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let (values, winners) = (buffer("values", count), buffer("winners", count + HEAD as u32));
        let (counts, decisions) = (buffer("counts", BIN_WORDS), buffer("decisions", chunks.decision_words()));
        let layout = bind_group_layout(device);
        let request = wgpu::BufferBinding { buffer: &requests, offset: 0, size: std::num::NonZeroU64::new(REQUEST_BYTES) };
        let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(request) }];
        entries.extend(
            (1..)
                .zip([&values, &counts, &decisions, &winners])
                .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }),
        );
        let bindings = device.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("select"),
            layout: &layout,
            entries: &entries,
        });
        let parts = kernels::select().iter().map(|text| pipeline(device, &layout, text)).collect();
        let errors = [memory.pop(), scope.pop()];
        for error in errors {
            if let Some(error) = error.await {
                return Err(Error::Backend(format!("{} cannot select from {count} values: {error}", device.report().name)));
            }
        }
        Ok(GpuSelect { device: device.clone(), count, parts, bindings, requests, values, winners })
    }

    /// Replaces the first values.
    pub fn write(&self, values: &[f32]) {
        let values = &values[..values.len().min(self.count as usize)];
        self.device.queue.write_buffer(&self.values, 0, bytemuck::cast_slice(values));
    }

    /// Begins to select, this many times one after the other.
    pub fn begin(&self, rule: SelectRule, times: usize) {
        let Chunks { size, count } = Chunks::of(self.count);
        let (k, fraction) = match rule {
            SelectRule::Largest(k) => (k.clamp(1, self.count.max(1)), 0.0),
            SelectRule::Reach(fraction) => (0, fraction),
        };
        let mut words = vec![0_u32; DISPATCHES.len() * STRIDE as usize / 4];
        for ((_, digit), request) in DISPATCHES.iter().zip(words.chunks_exact_mut(STRIDE as usize / 4)) {
            request[..7].copy_from_slice(&[0, self.count, k, fraction.to_bits(), *digit, size, count]);
        }
        self.device.queue.write_buffer(&self.requests, 0, bytemuck::cast_slice(&words));
        self.device.queue.write_buffer(&self.winners, 0, bytemuck::bytes_of(&[0_u32; HEAD]));
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for _ in 0..times {
            for ((part, _), at) in DISPATCHES.iter().zip((0..).step_by(STRIDE as usize)) {
                pass.set_pipeline(&self.parts[*part]);
                pass.set_bind_group(0, &self.bindings, &[at]);
                pass.dispatch_workgroups(count, 1, 1);
            }
        }
        drop(pass);
        self.device.queue.submit([encoder.finish()]);
    }

    /// Waits for the last selection: the indices of the winners, ascending.
    ///
    /// # Errors
    /// A value is not a number; or the device was lost.
    pub async fn winners(&self) -> Result<Vec<u32>, Error> {
        let read = async |at: usize, words: usize| {
            let encoder = self.device.device.create_command_encoder(&Default::default());
            self.device.read_after(encoder, &[BufferRange { buffer: &self.winners, at, words }]).await
        };
        let head = read(0, HEAD).await?;
        if head[1] > 0 {
            let index = self.count - head[1];
            return Err(Error::Backend(format!("value {index} is not a number (NaN), and cannot be compared")));
        }
        read(HEAD, head[0] as usize).await
    }
}

/// Bytes of a `Request`, as a uniform buffer has them.
const REQUEST_BYTES: u64 = 32;

fn bind_group_layout(device: &Device) -> wgpu::BindGroupLayout {
    let entry = |binding, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
        count: None,
    };
    let mut entries = vec![entry(0, wgpu::BufferBindingType::Uniform, true)];
    entries.extend((1..=4).map(|binding| entry(binding, wgpu::BufferBindingType::Storage { read_only: binding == 1 }, false)));
    device.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("select"), entries: &entries })
}

fn pipeline(device: &Device, layout: &wgpu::BindGroupLayout, text: &KernelText) -> wgpu::ComputePipeline {
    let source = wgpu::ShaderSource::Wgsl(text.wgsl.as_str().into());
    let module = device.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("select"), source });
    let layout = device.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("select"),
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("select"),
        layout: Some(&layout),
        module: &module,
        entry_point: Some(text.entry_point),
        compilation_options: Default::default(),
        cache: None,
    })
}
