//! The backend: a plan's buffers and kernels, and the commands of an epoch.

use std::sync::Arc;

use spikelet::{Activity, Backend, Epoch, Error, Plan, Probe, Spike, Task};

use crate::buffers::{Buffers, Header};
use crate::layout::Layout;
use crate::readback::Piece;
use crate::{Device, kernels};

/// Epochs in one submission: a batch must not hold the device for long.
const EPOCHS_PER_SUBMIT: u32 = 256;
/// Spikes read back along with the header; more of them take a second copy.
const QUICK_SPIKES: usize = 4096;
/// Most workgroups in a dispatch; kernels stride over the rest.
const MAX_GROUPS: u32 = 32_768;
/// Workgroups that share the spikes of an epoch.
const PROPAGATE_GROUPS: u32 = 256;
/// The same for a software adapter, where an idle workgroup costs as much as a busy one.
const PROPAGATE_GROUPS_SOFTWARE: u32 = 8;

/// A GPU as a backend.
pub struct Gpu {
    device: Device,
    loaded: Option<Loaded>,
}

struct Loaded {
    plan: Arc<Plan>,
    layout: Layout,
    buffers: Buffers,
    bindings: wgpu::BindGroup,
    /// A pipeline for each model, with its number of workgroups.
    neurons: Vec<(wgpu::ComputePipeline, u32)>,
    propagate: wgpu::ComputePipeline,
    header: Header,
}

impl Gpu {
    /// A backend on an open device.
    pub fn new(device: Device) -> Gpu {
        Gpu { device, loaded: None }
    }

    /// Dispatches of each epoch of the loaded plan.
    pub fn dispatches_per_epoch(&self) -> usize {
        self.loaded.as_ref().map_or(0, |loaded| loaded.neurons.len() + 1)
    }

    fn loaded(&mut self) -> Result<(&Device, &mut Loaded), Error> {
        let loaded = self.loaded.as_mut().ok_or_else(|| Error::Backend("the GPU has no plan; load one first".into()))?;
        Ok((&self.device, loaded))
    }
}

impl Loaded {
    async fn new(device: &Device, plan: Arc<Plan>, trial: u32) -> Result<Loaded, Error> {
        let layout = Layout::new(&plan)?;
        let buffers = Buffers::new(device, &plan, &layout).await?;
        let scope = device.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let entries: Vec<_> = (0..)
            .zip(kernels::WRITABLE)
            .map(|(binding, writable)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only: !writable },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        let bindings_layout = device
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("spikelet"), entries: &entries });
        let entries: Vec<_> = (0..)
            .zip(buffers.in_binding_order())
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let bindings = device.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("spikelet"),
            layout: &bindings_layout,
            entries: &entries,
        });
        let pipeline_layout = device.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("spikelet"),
            bind_group_layouts: &[Some(&bindings_layout)],
            immediate_size: 0,
        });
        let pipeline = |entry_point: &str, text: String, constants: &[(&str, f64)]| {
            let source = wgpu::ShaderSource::Wgsl(text.into());
            let module = device.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(entry_point), source });
            device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry_point),
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: wgpu::PipelineCompilationOptions { constants, ..Default::default() },
                cache: None,
            })
        };
        let neurons = layout
            .groups
            .iter()
            .map(|group| {
                let text = kernels::neurons(&plan.populations[group.population].program);
                let constants = [("blocks_at", f64::from(group.blocks_at)), ("blocks", f64::from(group.blocks))];
                (pipeline("neurons", text, &constants), group.blocks.min(MAX_GROUPS))
            })
            .collect();
        let propagate = pipeline("propagate", kernels::propagate(), &[]);
        if let Some(error) = scope.pop().await {
            return Err(Error::Backend(format!("{} refuses a kernel: {error}", device.report().name)));
        }
        let header = Header {
            epoch_steps: layout.epoch_steps,
            capacity: buffers.capacity,
            epoch_spikes: plan.neurons() * layout.epoch_steps,
            seed_low: plan.seed as u32,
            seed_high: (plan.seed >> 32) as u32,
            trial,
            slots: plan.ring.slots,
            lanes: plan.ring.lanes,
            channels: plan.channels.len() as u32,
            populations: plan.populations.len() as u32,
            populations_at: layout.populations_at,
            walks_at: layout.walks_at,
            channels_at: layout.channels_at,
            ..Header::default()
        };
        Ok(Loaded { plan, layout, buffers, bindings, neurons, propagate, header })
    }

    /// Runs up to `steps` steps in one submission; returns the step it came to, which is earlier when the log is full.
    async fn submit(&mut self, device: &Device, first: u32, steps: u32, activity: &mut Activity) -> Result<u32, Error> {
        let epochs = steps.div_ceil(self.layout.epoch_steps);
        let header = Header { step_next: first, run_next: 1, until: first + steps, origin: first, ..self.header };
        device.queue.write_buffer(&self.buffers.header, 0, bytemuck::cast_slice(&header.words()));
        let mut encoder = device.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_bind_group(0, &self.bindings, &[]);
            let software = device.report().software;
            let groups = if software { PROPAGATE_GROUPS_SOFTWARE } else { PROPAGATE_GROUPS };
            for _ in 0..epochs {
                for (pipeline, groups) in &self.neurons {
                    pass.set_pipeline(pipeline);
                    pass.dispatch_workgroups(*groups, 1, 1);
                }
                pass.set_pipeline(&self.propagate);
                pass.dispatch_workgroups(groups, 1, 1);
            }
        }
        let channels = self.plan.channels.len();
        let quick = QUICK_SPIKES.min(self.buffers.capacity as usize);
        let pieces = [
            Piece { buffer: &self.buffers.header, at: 0, words: Header::WORDS },
            Piece { buffer: &self.buffers.spikes, at: 0, words: 2 * quick },
            Piece { buffer: &self.buffers.samples, at: 0, words: steps as usize * channels },
        ];
        let words = device.read_after(encoder, &pieces).await?;
        let (count, reached) = (words[0] as usize, words[1]);
        let log =
            |words: &[u32]| words.chunks_exact(2).map(|spike| Spike { step: spike[0], neuron: spike[1] }).collect::<Vec<_>>();
        let samples_at = Header::WORDS + 2 * quick;
        activity.spikes.extend(log(&words[Header::WORDS..Header::WORDS + 2 * count.min(quick)]));
        if count > quick {
            let rest = Piece { buffer: &self.buffers.spikes, at: 2 * quick, words: 2 * (count - quick) };
            let encoder = device.device.create_command_encoder(&Default::default());
            activity.spikes.extend(log(&device.read_after(encoder, &[rest]).await?));
        }
        let rows = (reached - first) as usize;
        activity.samples.extend(words[samples_at..samples_at + rows * channels].iter().map(|word| f32::from_bits(*word)));
        Ok(reached)
    }
}

impl Backend for Gpu {
    fn name(&self) -> String {
        self.device.report().name.clone()
    }

    fn load(&mut self, plan: Arc<Plan>, trial: u32) -> Task<'_, ()> {
        Box::pin(async move {
            // The old plan's memory is free for the new one.
            self.loaded = None;
            self.loaded = Some(Loaded::new(&self.device, plan, trial).await?);
            self.device.check()
        })
    }

    fn advance<'a>(&'a mut self, epoch: Epoch, inbound: &'a [Spike]) -> Task<'a, Activity> {
        Box::pin(async move {
            if !inbound.is_empty() {
                return Err(Error::Backend("a GPU does not take spikes of other ranks; run them on the CPU".into()));
            }
            let (device, loaded) = self.loaded()?;
            let mut activity = Activity::default();
            let mut step = epoch.first;
            let longest = EPOCHS_PER_SUBMIT.saturating_mul(loaded.layout.epoch_steps).min(loaded.buffers.sample_rows);
            while step < epoch.end() {
                let reached = loaded.submit(device, step, longest.min(epoch.end() - step), &mut activity).await?;
                if reached == step {
                    return Err(Error::Backend(format!(
                        "{} made no step; reset the simulation, or take the CPU",
                        device.report().name
                    )));
                }
                step = reached;
            }
            activity.spikes.sort_unstable();
            Ok(activity)
        })
    }

    fn read(&mut self, probe: Probe) -> Task<'_, Vec<u32>> {
        Box::pin(async move {
            let (device, loaded) = self.loaded()?;
            let (arena, ranges) = loaded.layout.find(&loaded.plan, probe);
            let buffer = loaded.buffers.arena(arena);
            let pieces: Vec<_> = ranges.into_iter().map(|range| Piece { buffer, at: range.start, words: range.len() }).collect();
            let encoder = device.device.create_command_encoder(&Default::default());
            device.read_after(encoder, &pieces).await
        })
    }

    fn write<'a>(&'a mut self, probe: Probe, words: &'a [u32]) -> Task<'a, ()> {
        Box::pin(async move {
            let (device, loaded) = self.loaded()?;
            probe.check_length(&loaded.plan, words.len())?;
            let (arena, ranges) = loaded.layout.find(&loaded.plan, probe);
            let mut rest = words;
            for range in ranges {
                let (piece, left) = rest.split_at(range.len());
                device.queue.write_buffer(loaded.buffers.arena(arena), range.start as u64 * 4, bytemuck::cast_slice(piece));
                rest = left;
            }
            Ok(())
        })
    }
}
