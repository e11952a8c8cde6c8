//! The compiled kernels of a plan.

use std::collections::HashMap;
use std::num::NonZeroU64;

use spikelet::Error;
use spikelet_train::TrainingPlan;

use super::job::Job;
use crate::Device;
use crate::kernels::TrainingKernel;

/// Bytes that a dispatch sees of jobs and of steps.
const STRIDE: Option<NonZeroU64> = NonZeroU64::new(4 * Job::STRIDE_WORDS as u64);

/// The kernels of a plan.
pub(super) struct Program {
    layout: wgpu::BindGroupLayout,
    pipelines: HashMap<TrainingKernel, wgpu::ComputePipeline>,
}

impl Program {
    /// # Errors
    /// The device rejects a kernel.
    pub(super) async fn new(device: &Device, plan: &TrainingPlan) -> Result<Program, Error> {
        let scope = device.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let entry = |binding, ty, has_dynamic_offset, min_binding_size| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size },
            count: None,
        };
        let uniforms = (0..2).map(|binding| entry(binding, wgpu::BufferBindingType::Uniform, true, STRIDE));
        let storage =
            (2..10).map(|binding| entry(binding, wgpu::BufferBindingType::Storage { read_only: binding == 2 }, false, None));
        let entries: Vec<_> = uniforms.chain(storage).collect();
        let label = Some("training");
        let layout = device.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
        let bind_group_layouts = &[Some(&layout)];
        let place = wgpu::PipelineLayoutDescriptor { label, bind_group_layouts, immediate_size: 0 };
        let place = device.device.create_pipeline_layout(&place);
        // Populations with the same codes share a pipeline.
        let mut compiled = HashMap::new();
        let mut pipelines = HashMap::new();
        for kernel in TrainingKernel::all(plan) {
            let text = kernel.text(plan);
            let pipeline = compiled.entry(text).or_insert_with_key(|text| {
                let source = wgpu::ShaderSource::Wgsl(text.wgsl.as_str().into());
                let module =
                    device.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(text.entry_point), source });
                device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: Some(text.entry_point),
                    layout: Some(&place),
                    module: &module,
                    entry_point: Some(text.entry_point),
                    compilation_options: Default::default(),
                    cache: None,
                })
            });
            pipelines.insert(kernel, pipeline.clone());
        }
        match scope.pop().await {
            Some(error) => Err(Error::Backend(format!("{} rejected a kernel of training: {error}", device.report().name))),
            None => Ok(Program { layout, pipelines }),
        }
    }

    pub(super) fn pipeline(&self, kernel: TrainingKernel) -> Option<&wgpu::ComputePipeline> {
        self.pipelines.get(&kernel)
    }

    /// Binds buffers: jobs and steps, then the eight of `shaders/training.wgsl`.
    pub(super) fn bind(&self, device: &Device, uniforms: [&wgpu::Buffer; 2], storage: [&wgpu::Buffer; 8]) -> wgpu::BindGroup {
        let uniforms =
            uniforms.map(|buffer| wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size: STRIDE }));
        let storage = storage.map(wgpu::Buffer::as_entire_binding);
        let resources = uniforms.into_iter().chain(storage);
        let entries: Vec<_> =
            (0..).zip(resources).map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource }).collect();
        let descriptor = wgpu::BindGroupDescriptor { label: Some("training"), layout: &self.layout, entries: &entries };
        device.device.create_bind_group(&descriptor)
    }
}
