//! Compiled kernels of a device, reused between plans of all backends.

use std::collections::HashMap;

use spikelet::Error;
use spikelet::lang::own::OwnFunctions;

use crate::Device;
use crate::buffers::Buffers;
use crate::device::Kernels;
use crate::kernels::{Dialect, KernelText, WRITABLE};
use crate::spec::EntryPoint;

/// The bind group layouts, and the compiled kernels.
pub(crate) struct Pipelines {
    storage: wgpu::BindGroupLayout,
    job: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    kept: Kernels,
    /// Number of compiled kernels.
    pub(crate) compiled: usize,
}

/// The bind groups of a plan.
pub(crate) struct Bindings {
    /// By page.
    pub(crate) storage: Vec<wgpu::BindGroup>,
    pub(crate) job: wgpu::BindGroup,
}

/// Bytes of a `Job` of shaders/header.wgsl.
const JOB_BYTES: std::num::NonZeroU64 = std::num::NonZeroU64::new(24).expect("24 is not 0");

impl Pipelines {
    pub(crate) fn new(device: &Device) -> Pipelines {
        let (device, kept) = (&device.device, device.kernels.clone());
        let entry = |binding, ty, has_dynamic_offset, min_binding_size| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size },
            count: None,
        };
        let group = |label, entries: &[wgpu::BindGroupLayoutEntry]| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
        };
        let access = |writable: bool| wgpu::BufferBindingType::Storage { read_only: !writable };
        let storage: Vec<_> =
            (0..).zip(WRITABLE).map(|(binding, writable)| entry(binding, access(writable), false, None)).collect();
        let storage = group("storage", &storage);
        let job = group("job", &[entry(0, wgpu::BufferBindingType::Uniform, true, Some(JOB_BYTES))]);
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("spikelet"),
            bind_group_layouts: &[Some(&storage), Some(&job)],
            immediate_size: 0,
        });
        Pipelines { storage, job, layout, kept, compiled: 0 }
    }

    /// Binds buffers.
    pub(crate) fn bind(&self, device: &wgpu::Device, buffers: &Buffers) -> Bindings {
        let group = |label, layout, entries: &[wgpu::BindGroupEntry<'_>]| {
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(label), layout, entries })
        };
        let of_page = |page: usize| {
            let entries = buffers.in_binding_order(page);
            let entries: Vec<_> = (0..)
                .zip(entries)
                .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
                .collect();
            group("storage", &self.storage, &entries)
        };
        let job = wgpu::BufferBinding { buffer: &buffers.jobs, offset: 0, size: Some(JOB_BYTES) };
        let job = wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(job) };
        Bindings { storage: (0..buffers.pages.len()).map(of_page).collect(), job: group("job", &self.job, &[job]) }
    }

    /// The pipeline of each program. Those of the last plan are reused; those that this plan does not use are dropped.
    ///
    /// # Errors
    /// The device rejects one.
    pub(crate) async fn compile(
        &mut self,
        device: &Device,
        entries: Vec<EntryPoint>,
        dialect: &Dialect,
    ) -> Result<Vec<wgpu::ComputePipeline>, Error> {
        let scope = device.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let (mut before, mut kept) = (self.kept.take(), HashMap::new());
        let mut pipelines = Vec::with_capacity(entries.len());
        for key in entries.into_iter().map(|entry| (entry, dialect.clone())) {
            let known = kept.get(&key).cloned().or_else(|| before.remove(&key));
            let pipeline = known.unwrap_or_else(|| self.pipeline(device, &KernelText::of(&key.0, &key.1)));
            pipelines.push(pipeline.clone());
            kept.insert(key, pipeline);
        }
        if let Some(error) = scope.pop().await {
            return Err(Error::Backend(format!("{} rejected a kernel: {error}", device.report().name)));
        }
        self.kept.replace(kept);
        Ok(pipelines)
    }

    /// Checks the functions of a network's own, so that an error names the function.
    ///
    /// # Errors
    /// The first one that the device rejects.
    pub(crate) async fn check_functions(device: &Device, functions: &OwnFunctions) -> Result<(), Error> {
        for (number, wgsl) in functions.wgsl() {
            let scope = device.device.push_error_scope(wgpu::ErrorFilter::Validation);
            let source = wgpu::ShaderSource::Wgsl(wgsl.as_str().into());
            drop(device.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("functions"), source }));
            if let Some(error) = scope.pop().await {
                let expected = "expected the body of a function in WGSL";
                let way_out = format!("correct it: {error}");
                return Err(Error::invalid(format!("functions[{number}].wgsl"), format!("{wgsl:?}"), expected, &way_out));
            }
        }
        Ok(())
    }

    fn pipeline(&mut self, device: &Device, text: &KernelText) -> wgpu::ComputePipeline {
        self.compiled += 1;
        let (device, cache) = (&device.device, device.cache.as_ref().map(|(_, cache)| cache));
        let source = wgpu::ShaderSource::Wgsl(text.wgsl.as_str().into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(text.entry_point), source });
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(text.entry_point),
            layout: Some(&self.layout),
            module: &module,
            entry_point: Some(text.entry_point),
            compilation_options: Default::default(),
            cache,
        })
    }
}
