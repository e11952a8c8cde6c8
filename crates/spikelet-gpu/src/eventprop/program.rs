//! The compiled kernels.

use spikelet::Error;

use crate::Device;
use crate::kernels::EventPropKernel;

/// Workgroups along the first dimension of a dispatch, below the portable maximum.
const MAX_COLUMNS: u32 = 32_768;

/// The kernels.
pub(super) struct Program {
    layout: wgpu::BindGroupLayout,
    pipelines: Vec<wgpu::ComputePipeline>,
}

impl Program {
    /// # Errors
    /// The device rejects a kernel.
    pub(super) async fn new(device: &Device) -> Result<Program, Error> {
        let scope = device.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let label = Some("EventProp");
        let types = [
            wgpu::BufferBindingType::Uniform,
            wgpu::BufferBindingType::Storage { read_only: true },
            wgpu::BufferBindingType::Storage { read_only: false },
            wgpu::BufferBindingType::Storage { read_only: false },
        ];
        let entries: Vec<_> = (0..)
            .zip(types)
            .map(|(binding, ty)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
                count: None,
            })
            .collect();
        let layout = device.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
        let bind_group_layouts = &[Some(&layout)];
        let place = wgpu::PipelineLayoutDescriptor { label, bind_group_layouts, immediate_size: 0 };
        let place = device.device.create_pipeline_layout(&place);
        let pipeline = |kernel: EventPropKernel| {
            let text = kernel.text();
            let label = Some(text.entry_point);
            let source = wgpu::ShaderSource::Wgsl(text.wgsl.as_str().into());
            let module = device.device.create_shader_module(wgpu::ShaderModuleDescriptor { label, source });
            device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label,
                layout: Some(&place),
                module: &module,
                entry_point: label,
                compilation_options: Default::default(),
                cache: None,
            })
        };
        let pipelines = EventPropKernel::ALL.map(pipeline).to_vec();
        match scope.pop().await {
            Some(error) => Err(Error::Backend(format!("{} rejected a kernel of EventProp: {error}", device.report().name))),
            None => Ok(Program { layout, pipelines }),
        }
    }

    /// Binds the four buffers of `shaders/eventprop.wgsl`.
    pub(super) fn bind(&self, device: &Device, buffers: [&wgpu::Buffer; 4]) -> wgpu::BindGroup {
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let descriptor = wgpu::BindGroupDescriptor { label: Some("EventProp"), layout: &self.layout, entries: &entries };
        device.device.create_bind_group(&descriptor)
    }

    /// Records a kernel, this many times.
    pub(super) fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        bindings: &wgpu::BindGroup,
        kernel: EventPropKernel,
        groups: u32,
        times: u32,
    ) {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipelines[kernel as usize]);
        pass.set_bind_group(0, bindings, &[]);
        // Workgroups beyond the last one do nothing.
        let columns = groups.clamp(1, MAX_COLUMNS);
        for _ in 0..times {
            pass.dispatch_workgroups(columns, groups.div_ceil(columns), 1);
        }
    }
}
