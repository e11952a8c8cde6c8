//! Statistics computed on the device: `shaders/histogram.wgsl`.

use std::ops::Range;

use spikelet::{Error, Moments, PartialHistogram, Plan};

use crate::Device;
use crate::allocate::Allocator;
use crate::kernels;
use crate::readback::BufferRange;

/// Workgroups of the kernel: the results are a few kilobytes, for any length of the array.
const GROUPS: usize = 256;
/// Maximum number of bins, as in the shader.
const MAX_PARTS: usize = 1000;
/// Counts before those of the bins: not finite, below, above.
const HEAD: usize = 3;
/// Words written by a workgroup.
const OF_GROUP: usize = 5;
/// Words of a request before its bin limits.
const REQUEST: usize = 4;

/// The compiled kernel with its buffers.
pub(crate) struct HistogramReducer {
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroupLayout,
    request: wgpu::Buffer,
    histogram: wgpu::Buffer,
}

impl HistogramReducer {
    /// For a device that has a plan with statistics.
    pub(crate) async fn new(device: &Device, plan: &Plan) -> Result<HistogramReducer, Error> {
        let words = [("request", REQUEST + MAX_PARTS + 1), ("histogram", HEAD + MAX_PARTS + OF_GROUP * GROUPS)];
        let [request, histogram] = words.map(|(name, words)| (name, words as u64));
        let allocator = Allocator::new(device, plan, 1, &[request, histogram]);
        let (request, histogram) = (allocator.make(request.0, request.1).await?, allocator.make(histogram.0, histogram.1).await?);
        let text = kernels::histogram();
        let scope = device.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let entry = |binding: u32| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only: binding < 2 },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let of_layout = wgpu::BindGroupLayoutDescriptor { label: Some("histogram"), entries: &[entry(0), entry(1), entry(2)] };
        let bindings = device.device.create_bind_group_layout(&of_layout);
        let layout = device.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("histogram"),
            bind_group_layouts: &[Some(&bindings)],
            immediate_size: 0,
        });
        let source = wgpu::ShaderSource::Wgsl(text.wgsl.as_str().into());
        let module = device.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("histogram"), source });
        let pipeline = device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("histogram"),
            layout: Some(&layout),
            module: &module,
            entry_point: Some(text.entry_point),
            compilation_options: Default::default(),
            cache: None,
        });
        match scope.pop().await {
            Some(error) => Err(Error::Backend(format!("{} rejected a kernel: {error}", device.report().name))),
            None => Ok(HistogramReducer { pipeline, bindings, request, histogram }),
        }
    }

    /// Summarises a range of words of `values`, which are numbers.
    pub(crate) async fn reduce(
        &self,
        device: &Device,
        values: &wgpu::Buffer,
        range: Range<usize>,
        edges: &[f32],
    ) -> Result<PartialHistogram, Error> {
        let (count, bins) = (range.len(), edges.len().saturating_sub(1));
        let head = [range.start, count, count.div_ceil(GROUPS), bins].map(|word| word as u32);
        let request: Vec<u32> = head.into_iter().chain(edges.iter().map(|edge| edge.to_bits())).collect();
        device.queue.write_buffer(&self.request, 0, bytemuck::cast_slice(&request));
        let buffers = [&self.request, values, &self.histogram];
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let of_group = wgpu::BindGroupDescriptor { label: Some("histogram"), layout: &self.bindings, entries: &entries };
        let group = device.device.create_bind_group(&of_group);
        let mut encoder = device.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&self.histogram, 0, None);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(GROUPS as u32, 1, 1);
        drop(pass);
        let words = HEAD + bins + OF_GROUP * GROUPS;
        let words = device.read_after(encoder, &[BufferRange { buffer: &self.histogram, at: 0, words }]).await?;
        let (counts, groups) = words.split_at(HEAD + bins);
        let mut histogram = PartialHistogram::new(bins);
        (histogram.not_finite, histogram.below, histogram.above) = (counts[0], counts[1], counts[2]);
        histogram.counts.copy_from_slice(&counts[HEAD..]);
        for group in groups.as_chunks::<OF_GROUP>().0 {
            let [mean, squares, min, max] = [1, 2, 3, 4].map(|word| f32::from_bits(group[word]));
            histogram.add(Moments { count: group[0], mean: mean.into(), squares: squares.into(), min, max });
        }
        Ok(histogram)
    }
}
