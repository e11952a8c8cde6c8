//! A full sort on a GPU, for comparison with a selection.

use std::num::NonZeroU64;

use futures_channel::oneshot;

/// Items of a tile; chunks consist of them.
const TILE: u32 = 256;
/// Maximum number of chunks.
const MAX_CHUNKS: u32 = 1024;
/// Digits of a key, of four bits.
const DIGITS: u32 = 8;
/// Bytes between the jobs of digits.
const STRIDE: u64 = 256;

/// Sorts arrays of a given length.
pub(crate) struct Sort {
    device: wgpu::Device,
    queue: wgpu::Queue,
    count: u32,
    chunks: u32,
    values: wgpu::Buffer,
    /// The result after an even number of digits.
    pairs: wgpu::Buffer,
    /// Counting, adding up, and moving.
    parts: [wgpu::ComputePipeline; 3],
    /// From the one buffer of pairs to the other, and back.
    bindings: [wgpu::BindGroup; 2],
}

impl Sort {
    /// For `count` values; `None` without an adapter.
    pub(crate) async fn new(count: u32) -> Option<Sort> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let power_preference = wgpu::PowerPreference::HighPerformance;
        let options = wgpu::RequestAdapterOptions { power_preference, ..Default::default() };
        let adapter = instance.request_adapter(&options).await.ok()?;
        let limits = adapter.limits();
        let required_limits = wgpu::Limits {
            max_buffer_size: limits.max_buffer_size,
            max_storage_buffer_binding_size: limits.max_storage_buffer_binding_size,
            ..Default::default()
        };
        let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
        let (device, queue) = adapter.request_device(&descriptor).await.ok()?;
        let chunk = count.div_ceil(TILE).div_ceil(MAX_CHUNKS) * TILE;
        let chunks = count.div_ceil(chunk);
        let buffer = |bytes: u64, usage| {
            let usage = usage | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
            device.create_buffer(&wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false })
        };
        let jobs = buffer(STRIDE * u64::from(DIGITS), wgpu::BufferUsages::UNIFORM);
        let values = buffer(4 * u64::from(count), wgpu::BufferUsages::STORAGE);
        let [pairs, other] = [(); 2].map(|()| buffer(8 * u64::from(count), wgpu::BufferUsages::STORAGE));
        let counts = buffer(4 * 16 * u64::from(chunks), wgpu::BufferUsages::STORAGE);
        for digit in 0..DIGITS {
            let words = [count, chunk, chunks, 4 * digit];
            queue.write_buffer(&jobs, STRIDE * u64::from(digit), bytemuck::cast_slice(&words));
        }
        let entry = |binding, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
            count: None,
        };
        let mut entries = vec![entry(0, wgpu::BufferBindingType::Uniform, true)];
        let storage = |binding| entry(binding, wgpu::BufferBindingType::Storage { read_only: binding < 3 }, false);
        entries.extend((1..5).map(storage));
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
        let bind = |from: &wgpu::Buffer, to: &wgpu::Buffer| {
            let job = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: &jobs, offset: 0, size: NonZeroU64::new(16) });
            let buffers = [&values, from, to, &counts].into_iter().map(wgpu::Buffer::as_entire_binding);
            let entries: Vec<_> = (0..)
                .zip(std::iter::once(job).chain(buffers))
                .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
                .collect();
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries })
        };
        let bindings = [bind(&pairs, &other), bind(&other, &pairs)];
        let source = wgpu::ShaderSource::Wgsl(include_str!("sort.wgsl").into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let parts = ["count", "scan", "scatter"].map(|entry_point| {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry_point),
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: Default::default(),
                cache: None,
            })
        });
        Some(Sort { device, queue, count, chunks, values, pairs, parts, bindings })
    }

    /// Replaces the values.
    pub(crate) fn write(&self, values: &[f32]) {
        self.queue.write_buffer(&self.values, 0, bytemuck::cast_slice(values));
    }

    /// Sorts this many times, one after the other, and returns the indices of the `k` largest, which are read last.
    pub(crate) async fn largest(&self, k: u32, times: usize) -> Vec<u32> {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for digit in (0..times).flat_map(|_| 0..DIGITS) {
            for (part, groups) in self.parts.iter().zip([self.chunks, 1, self.chunks]) {
                pass.set_pipeline(part);
                pass.set_bind_group(0, &self.bindings[digit as usize % 2], &[digit * STRIDE as u32]);
                pass.dispatch_workgroups(groups, 1, 1);
            }
        }
        drop(pass);
        let bytes = 8 * u64::from(k.min(self.count));
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        encoder.copy_buffer_to_buffer(&self.pairs, 0, &staging, 0, bytes);
        self.queue.submit([encoder.finish()]);
        let (sender, mapped) = oneshot::channel();
        staging.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver waits below.
            let _ = sender.send(result);
        });
        _ = self.device.poll(wgpu::PollType::wait_indefinitely());
        mapped.await.expect("the device answers").expect("the buffer can be mapped");
        let range = staging.get_mapped_range(..).expect("the buffer is mapped");
        bytemuck::pod_collect_to_vec::<u8, u32>(&range).chunks_exact(2).map(|pair| pair[1]).collect()
    }
}
