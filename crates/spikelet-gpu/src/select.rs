//! Selection of the largest values of an array on a device: `shaders/select.wgsl`.

use spikelet::{Error, NotANumber, WinnerRule};

use crate::Device;
use crate::allocate::Allocator;
use crate::kernels::{self, KernelText};
use crate::readback::BufferRange;
use crate::sizes::SELECT_SIZE;
use crate::spec::SelectPart;

/// Counts of keys: three digits, `BINS` each.
pub(crate) const BIN_WORDS: u32 = 3 * 2048;
/// The decision that is the number of winners, and the number of decisions before the counts of chunks.
const WINNERS_WORD: usize = 6;
const COUNTS_WORD: u32 = 7;
/// Items that a workgroup looks at together; chunks consist of them.
const TILE: u32 = 1024;
/// Maximum number of chunks: each workgroup adds up the counts of those before its own.
const MAX_CHUNKS: u32 = 1024;
/// The places of buffers among those of the kernels.
const VALUES: usize = 0;
const DECISIONS: usize = 2;
const WINNERS: usize = 3;
/// Words of `winners` before the winners.
const HEAD: usize = 1;
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

    /// Loop iterations of an invocation over the items of a chunk.
    pub(crate) fn iterations(self) -> u64 {
        u64::from(self.size / SELECT_SIZE)
    }

    /// Words of the decisions of a selection.
    pub(crate) fn decision_words(self) -> u32 {
        COUNTS_WORD + 2 * self.count
    }
}

/// Selects the largest values of an array on a GPU: the twin of [`spikelet::Select`]. The number of dispatches is the same for any
/// number of values, and nothing is read back between them.
///
/// ```
/// use spikelet::WinnerRule;
/// use spikelet_gpu::{Device, GpuSelect};
///
/// # fn main() -> Result<(), spikelet::Error> { pollster::block_on(async {
/// # let Ok(device) = Device::open().await else { return Ok(()) };
/// let select = GpuSelect::new(&device, 5).await?;
/// select.write(&[1.0, 7.0, -2.0, 7.0, 3.0]);
/// select.begin(WinnerRule::Largest(2), 1);
/// assert_eq!(select.winners().await?, [1, 3]);
/// # Ok(()) }) }
/// ```
pub struct GpuSelect {
    device: Device,
    count: u32,
    parts: Vec<wgpu::ComputePipeline>,
    bindings: wgpu::BindGroup,
    requests: wgpu::Buffer,
    /// Values, counts, decisions and winners, in the order of their bindings.
    buffers: [wgpu::Buffer; 4],
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
        let words =
            [("values", count), ("counts", BIN_WORDS), ("decisions", chunks.decision_words()), ("winners", count + HEAD as u32)];
        let words = words.map(|(label, words)| (label, u64::from(words)));
        let total = words.iter().map(|(_, words)| words).sum();
        let allocator = Allocator::beside(device, total, "use fewer values, or the CPU");
        let [values, counts, decisions, winners] = words.map(|(label, words)| allocator.make(label, words));
        let buffers = [values.await?, counts.await?, decisions.await?, winners.await?];
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let requests = allocator.make_for("requests", STRIDE * SelectPart::DISPATCHES.len() as u64, usage).await?;
        let scope = device.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let layout = bind_group_layout(device);
        let request = wgpu::BufferBinding { buffer: &requests, offset: 0, size: std::num::NonZeroU64::new(REQUEST_BYTES) };
        let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(request) }];
        entries.extend(
            (1..).zip(&buffers).map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }),
        );
        let bindings = device.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("select"),
            layout: &layout,
            entries: &entries,
        });
        let parts = kernels::select().iter().map(|text| pipeline(device, &layout, text)).collect();
        if let Some(error) = scope.pop().await {
            return Err(Error::Backend(format!("{} rejected a kernel: {error}", device.report().name)));
        }
        Ok(GpuSelect { device: device.clone(), count, parts, bindings, requests, buffers })
    }

    /// Replaces the first values.
    pub fn write(&self, values: &[f32]) {
        let values = &values[..values.len().min(self.count as usize)];
        self.device.queue.write_buffer(&self.buffers[VALUES], 0, bytemuck::cast_slice(values));
    }

    /// Begins to select, this many times one after the other. At least one value wins, as in a network.
    pub fn begin(&self, rule: WinnerRule, times: usize) {
        let Chunks { size, count } = Chunks::of(self.count);
        let (k, fraction) = match rule {
            WinnerRule::Largest(k) => (k.clamp(1, self.count.max(1)), 0.0),
            WinnerRule::Within(fraction) => (0, fraction),
        };
        let mut words = vec![0_u32; SelectPart::DISPATCHES.len() * STRIDE as usize / 4];
        for ((_, digit), request) in SelectPart::DISPATCHES.iter().zip(words.chunks_exact_mut(STRIDE as usize / 4)) {
            request[..7].copy_from_slice(&[0, self.count, k, fraction.to_bits(), *digit, size, count]);
        }
        self.device.queue.write_buffer(&self.requests, 0, bytemuck::cast_slice(&words));
        self.device.queue.write_buffer(&self.buffers[WINNERS], 0, bytemuck::bytes_of(&[0_u32; HEAD]));
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for _ in 0..times {
            for ((part, _), at) in SelectPart::DISPATCHES.iter().zip((0..).step_by(STRIDE as usize)) {
                pass.set_pipeline(&self.parts[*part as usize]);
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
        let read = async |pieces: &[BufferRange<'_>]| {
            let encoder = self.device.device.create_command_encoder(&Default::default());
            self.device.read_after(encoder, pieces).await
        };
        let head = [
            BufferRange { buffer: &self.buffers[WINNERS], at: 0, words: HEAD },
            BufferRange { buffer: &self.buffers[DECISIONS], at: WINNERS_WORD, words: 1 },
        ];
        let head = read(&head).await?;
        if head[0] > 0 {
            let index = (self.count - head[0]) as usize;
            return Err(Error::Backend(NotANumber { index }.to_string()));
        }
        read(&[BufferRange { buffer: &self.buffers[WINNERS], at: HEAD, words: head[1] as usize }]).await
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
