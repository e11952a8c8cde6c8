//! The compiled kernels, and lists of dispatches.

use spikelet::Error;

use super::arena::Arenas;
use super::job::Job;
use crate::Device;
use crate::kernels::AssemblyKernel;
use crate::select::{BIN_WORDS, Chunks};
use crate::sizes::SELECT_SIZE;
use crate::spec::SelectPart;

/// The kernels of a device.
pub(super) struct Program {
    layout: wgpu::BindGroupLayout,
    pipelines: Vec<wgpu::ComputePipeline>,
}

/// Dispatches, in their order.
#[derive(Default)]
pub(super) struct Dispatches {
    list: Vec<(AssemblyKernel, Job, u32)>,
}

/// Words for counts and decisions of a selection from `n` neurons.
pub(super) fn scratch_words(n: u32) -> u32 {
    BIN_WORDS + Chunks::of(n).decision_words()
}

impl Dispatches {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// An invocation for each of `items`.
    pub(super) fn each(&mut self, kernel: AssemblyKernel, job: Job, items: u32) {
        self.list.push((kernel, job, items.div_ceil(SELECT_SIZE)));
    }

    /// A workgroup for each of `parts`.
    pub(super) fn groups(&mut self, kernel: AssemblyKernel, job: Job, parts: u32) {
        self.list.push((kernel, job, parts));
    }

    /// The five dispatches of a selection.
    pub(super) fn select(&mut self, job: Job) {
        let Chunks { size, count } = Chunks::of(job.neurons);
        let digits = (0..3).map(|digit| (SelectPart::Digit, digit));
        for (part, digit) in digits.chain([(SelectPart::Count, 0), (SelectPart::Emit, 0)]) {
            self.list.push((AssemblyKernel::Select(part), Job { digit, chunk: size, chunks: count, ..job }, count));
        }
    }
}

impl Program {
    /// # Errors
    /// The device rejects a kernel.
    pub(super) async fn new(device: &Device) -> Result<Program, Error> {
        let scope = device.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let entry = |binding, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
            count: None,
        };
        let mut entries = vec![entry(0, wgpu::BufferBindingType::Uniform, true)];
        entries
            .extend((1..=7).map(|binding| entry(binding, wgpu::BufferBindingType::Storage { read_only: binding == 4 }, false)));
        let label = Some("assemblies");
        let layout = device.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
        let bind_group_layouts = &[Some(&layout)];
        let place = wgpu::PipelineLayoutDescriptor { label, bind_group_layouts, immediate_size: 0 };
        let place = device.device.create_pipeline_layout(&place);
        let pipeline = |kernel: AssemblyKernel| {
            let text = kernel.text();
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
        };
        let pipelines = AssemblyKernel::ALL.into_iter().map(pipeline).collect();
        match scope.pop().await {
            Some(error) => Err(Error::Backend(format!("{} rejected a kernel of assemblies: {error}", device.report().name))),
            None => Ok(Program { layout, pipelines }),
        }
    }

    /// Encodes dispatches.
    pub(super) fn encode(&self, device: &Device, arenas: &Arenas, dispatches: &Dispatches) -> wgpu::CommandEncoder {
        let mut words = vec![0_u32; dispatches.len().max(1) * Job::STRIDE_WORDS];
        for (words, (_, job, _)) in words.chunks_mut(Job::STRIDE_WORDS).zip(&dispatches.list) {
            let job: &[u32] = bytemuck::cast_slice(std::slice::from_ref(job));
            words[..job.len()].copy_from_slice(job);
        }
        let jobs = device.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("jobs"),
            size: words.len() as u64 * 4,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        device.queue.write_buffer(&jobs, 0, bytemuck::cast_slice(&words));
        let job = wgpu::BufferBinding { buffer: &jobs, offset: 0, size: std::num::NonZeroU64::new(4 * Job::STRIDE_WORDS as u64) };
        let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(job) }];
        let arenas = (1..).zip(arenas.all());
        entries
            .extend(arenas.map(|(binding, arena)| wgpu::BindGroupEntry { binding, resource: arena.buffer.as_entire_binding() }));
        let descriptor = wgpu::BindGroupDescriptor { label: Some("assemblies"), layout: &self.layout, entries: &entries };
        let bindings = device.device.create_bind_group(&descriptor);
        let mut encoder = device.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for ((kernel, _, groups), at) in dispatches.list.iter().zip((0..).step_by(4 * Job::STRIDE_WORDS)) {
            let pipeline = AssemblyKernel::ALL.iter().position(|other| other == kernel).map(|place| &self.pipelines[place]);
            if let Some(pipeline) = pipeline.filter(|_| *groups > 0) {
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, &bindings, &[at]);
                // Workgroups beyond the last one do nothing.
                let columns = groups.min(&MAX_COLUMNS);
                pass.dispatch_workgroups(*columns, groups.div_ceil(*columns), 1);
            }
        }
        drop(pass);
        encoder
    }
}

/// Workgroups along the first dimension of a dispatch, below the portable maximum.
const MAX_COLUMNS: u32 = 32_768;
