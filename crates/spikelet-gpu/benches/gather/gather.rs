//! A GPU simulator that visits all synapses in every step. It supports the networks of [`Graph`] without random numbers in their neurons,
//! and gives the same results as Spikelet.

use std::fmt::Write;

use futures_channel::oneshot;
use spikelet::lang::wgsl;
use spikelet::{Plan, Spike};

use super::graph::Graph;

/// The distribution of synapses to invocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Way {
    /// `by_thread`, `by_group` or `each`, of gather.wgsl.
    pub(crate) entry_point: &'static str,
    /// Invocations per workgroup.
    pub(crate) size: u32,
    /// Maximum number of workgroups of a dispatch, which loop over the rest. `by_thread` has one invocation per neuron.
    pub(crate) max_groups: u32,
}

/// All variants that are measured.
pub(crate) fn ways() -> Vec<Way> {
    let mut ways = Vec::new();
    for size in [32, 64, 128, 256] {
        ways.push(Way { entry_point: "by_thread", size, max_groups: 65_535 });
        for max_groups in [512, 4096, 65_535] {
            ways.push(Way { entry_point: "by_group", size, max_groups });
            ways.push(Way { entry_point: "each", size, max_groups });
        }
    }
    ways
}

/// Capacity of the spike log.
const LOG: usize = 1 << 21;
/// Bytes between the headers of steps.
const STRIDE: usize = 256;

/// A network loaded onto a GPU.
pub(crate) struct Gather {
    device: wgpu::Device,
    queue: wgpu::Queue,
    graph: Graph,
    neurons: u32,
    first: u32,
    gather_layout: wgpu::BindGroupLayout,
    offsets: wgpu::Buffer,
    posts: wgpu::Buffer,
    sources: wgpu::Buffer,
    weights: wgpu::Buffer,
    fired: wgpu::Buffer,
    sums: wgpu::Buffer,
    state: wgpu::Buffer,
    log: wgpu::Buffer,
    at: wgpu::Buffer,
    initial: Vec<u32>,
    update: wgpu::ComputePipeline,
    update_group: wgpu::BindGroup,
    way: Option<(Way, wgpu::ComputePipeline, wgpu::BindGroup)>,
    step: u32,
    /// Steps of a submission.
    pub(crate) batch: u32,
}

fn layout(device: &wgpu::Device, writable: &[bool]) -> wgpu::BindGroupLayout {
    let entry = |binding, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
        count: None,
    };
    let mut entries = vec![entry(0, wgpu::BufferBindingType::Uniform, true)];
    entries.extend(
        (1..)
            .zip(writable)
            .map(|(binding, writable)| entry(binding, wgpu::BufferBindingType::Storage { read_only: !writable }, false)),
    );
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}

fn bind(device: &wgpu::Device, layout: &wgpu::BindGroupLayout, at: &wgpu::Buffer, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
    let at = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: at, offset: 0, size: std::num::NonZeroU64::new(32) });
    let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource: at }];
    entries.extend(
        (1..).zip(buffers).map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }),
    );
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

fn pipeline(device: &wgpu::Device, layout: &wgpu::BindGroupLayout, text: &str, entry_point: &str) -> wgpu::ComputePipeline {
    let source = wgpu::ShaderSource::Wgsl(text.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(entry_point), source });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry_point),
        layout: Some(&layout),
        module: &module,
        entry_point: Some(entry_point),
        compilation_options: Default::default(),
        cache: None,
    })
}

/// The kernel of the neurons, with the generated code of their model.
fn update_text(plan: &Plan) -> String {
    let program = &plan.populations[0].program;
    let printed = wgsl::print(program, wgsl::Arithmetic::Exact);
    let (mut load, mut store) = (String::new(), String::new());
    let last = program.variables.len();
    for (array, name) in program.variables.iter().enumerate() {
        // Writing to a String cannot fail.
        _ = writeln!(load, "var v_{name} = bitcast<f32>(state[neuron + {array}u * size]);");
        if program.codes().any(|code| code.stores_to(array)) {
            _ = writeln!(store, "state[neuron + {array}u * size] = bitcast<u32>(v_{name});");
        }
    }
    _ = writeln!(load, "var last_spike = bitcast<i32>(state[neuron + {last}u * size]);");
    _ = writeln!(store, "state[neuron + {last}u * size] = bitcast<u32>(last_spike);");
    let ports = plan.populations[0].ports.len();
    let constants = plan.populations[0].constants.len() + ports;
    include_str!("update.wgsl")
        .replace("CONSTANTS", &constants.to_string())
        .replace("PORTS", &ports.to_string())
        .replace("//# load", &load)
        .replace("//# take", &printed.deliver_input)
        .replace("//# reset", &printed.reset)
        .replace("//# hold", &printed.sample_and_hold)
        .replace("//# update", &printed.update)
        .replace("//# store", &store)
        + include_str!("../../../../shaders/math.wgsl")
}

impl Gather {
    /// Loads a plan onto the fastest adapter; `None` if there is no adapter.
    pub(crate) async fn load(plan: &Plan) -> Option<Gather> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let options =
            wgpu::RequestAdapterOptions { power_preference: wgpu::PowerPreference::HighPerformance, ..Default::default() };
        let adapter = instance.request_adapter(&options).await.ok()?;
        let there = adapter.limits();
        let required_limits = wgpu::Limits {
            max_storage_buffer_binding_size: there.max_storage_buffer_binding_size,
            max_buffer_size: there.max_buffer_size,
            ..wgpu::Limits::default()
        };
        let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
        let (device, queue) = adapter.request_device(&descriptor).await.expect("an adapter opens");

        let graph = Graph::new(plan);
        let neurons = plan.neurons();
        let [first, second] = &plan.populations[..] else { panic!("there are {} populations", plan.populations.len()) };
        assert_eq!(first.program, second.program, "both populations have one model");
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
        let empty = |words: usize, more| {
            let size = words.max(4) as u64 * 4;
            device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage: usage | more, mapped_at_creation: false })
        };
        let filled = |words: &[u32]| {
            let buffer = empty(words.len(), wgpu::BufferUsages::empty());
            queue.write_buffer(&buffer, 0, bytemuck::cast_slice(words));
            buffer
        };
        let mut initial = Vec::new();
        for array in 0..first.program.variables.len() {
            for population in &plan.populations {
                initial.extend((0..population.size as usize).map(|neuron| population.initial(array, neuron).to_bits()));
            }
        }
        // No spike yet: earlier than any time that is read.
        initial.extend(std::iter::repeat_n(NEVER as u32, neurons as usize));
        let mut constants = Vec::new();
        for population in &plan.populations {
            assert_eq!(population.ports.len(), graph.ports, "{}: both populations have one model", population.name);
            for port in &population.ports {
                assert!(!port.split_precision, "{} adds what is computed", population.name);
                constants.push(port.units()[0].to_bits());
            }
            constants.extend(population.constants.iter().map(|value| value.to_bits()));
        }
        let (offsets, posts, sources) = (filled(&graph.offsets), filled(&graph.posts), filled(&graph.sources));
        let weights = filled(bytemuck::cast_slice(&graph.weights));
        let fired = empty(words_of_step(neurons) as usize * slots(&graph) as usize, wgpu::BufferUsages::empty());
        let (sums, state) = (empty(neurons as usize * graph.ports, wgpu::BufferUsages::empty()), filled(&initial));
        let log = empty(1 + 2 * LOG, wgpu::BufferUsages::empty());
        let at = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: (MAX_STEPS * STRIDE) as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let update_layout = layout(&device, &[false, true, true, true, true]);
        let update = pipeline(&device, &update_layout, &update_text(plan), "update");
        let update_group = bind(&device, &update_layout, &at, &[&filled(&constants), &fired, &sums, &state, &log]);
        let gather_layout = layout(&device, &[false, false, false, false, true]);
        Some(Gather {
            device,
            queue,
            graph,
            neurons,
            first: first.size,
            gather_layout,
            offsets,
            posts,
            sources,
            weights,
            fired,
            sums,
            state,
            log,
            at,
            initial,
            update,
            update_group,
            way: None,
            step: 0,
            batch: 4,
        })
    }

    /// Measurements from now on, and from the start.
    pub(crate) fn start(&mut self, way: Way) {
        let index = if way.entry_point == "each" { &self.posts } else { &self.offsets };
        let buffers = [index, &self.sources, &self.weights, &self.fired, &self.sums];
        let group = bind(&self.device, &self.gather_layout, &self.at, &buffers);
        let text = include_str!("gather.wgsl").replace("SIZE", &way.size.to_string());
        let text = text.replace("PORTS", &self.graph.ports.to_string());
        self.way = Some((way, pipeline(&self.device, &self.gather_layout, &text, way.entry_point), group));
        self.queue.write_buffer(&self.state, 0, bytemuck::cast_slice(&self.initial));
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&self.fired, 0, None);
        encoder.clear_buffer(&self.sums, 0, None);
        encoder.clear_buffer(&self.log, 0, Some(4));
        self.queue.submit([encoder.finish()]);
        self.step = 0;
    }

    /// Runs steps, and waits for them.
    pub(crate) async fn advance(&mut self, steps: u32) {
        let end = self.step + steps;
        while self.step < end {
            let batch = self.batch.min(end - self.step).min(MAX_STEPS as u32);
            self.submit(batch);
        }
        self.read(&self.log, 1).await;
    }

    /// All spikes since the start, by step, then neuron.
    pub(crate) async fn spikes(&self) -> Vec<Spike> {
        let count = self.read(&self.log, 1).await[0] as usize;
        assert!(count <= LOG, "{count} spikes, where {LOG} fit");
        let words = self.read(&self.log, 1 + 2 * count).await;
        let mut spikes: Vec<Spike> = words[1..].chunks_exact(2).map(|words| Spike { step: words[0], neuron: words[1] }).collect();
        spikes.sort_unstable();
        spikes
    }

    fn submit(&mut self, steps: u32) {
        let Some((way, gather, gather_group)) = &self.way else { panic!("no way was chosen") };
        let (slots, words, synapses) = (slots(&self.graph), words_of_step(self.neurons), self.graph.sources.len() as u32);
        let mut headers = vec![0_u32; steps as usize * STRIDE / 4];
        for (step, header) in (self.step..).zip(headers.chunks_exact_mut(STRIDE / 4)) {
            // An earlier step is in the slot that many slots before; before the first spikes can arrive, that slot is empty.
            let received = (step + slots - 1 - self.graph.delay) % slots;
            let at = [step, received * words, step % slots * words, self.neurons, synapses, self.first, 0];
            header[..at.len()].copy_from_slice(&at);
        }
        self.queue.write_buffer(&self.at, 0, bytemuck::cast_slice(&headers));
        let pieces = match way.entry_point {
            "by_thread" => self.neurons.div_ceil(way.size),
            "by_group" => self.neurons.min(way.max_groups),
            _ => synapses.div_ceil(way.size).min(way.max_groups),
        };
        let mut encoder = self.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for offset in (0..steps).map(|step| step * STRIDE as u32) {
                pass.set_pipeline(gather);
                pass.set_bind_group(0, gather_group, &[offset]);
                pass.dispatch_workgroups(pieces, 1, 1);
                pass.set_pipeline(&self.update);
                pass.set_bind_group(0, &self.update_group, &[offset]);
                pass.dispatch_workgroups(self.neurons.div_ceil(64), 1, 1);
            }
        }
        self.queue.submit([encoder.finish()]);
        self.step += steps;
    }

    async fn read(&self, buffer: &wgpu::Buffer, words: usize) -> Vec<u32> {
        let size = words as u64 * 4;
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, size);
        self.queue.submit([encoder.finish()]);
        let (sender, receiver) = oneshot::channel();
        staging.map_async(wgpu::MapMode::Read, .., |result| {
            // The receiver waits below.
            _ = sender.send(result);
        });
        #[cfg(not(target_family = "wasm"))]
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device answers");
        receiver.await.expect("the device answers").expect("the log can be read");
        let range = staging.get_mapped_range(..).expect("the log can be read");
        bytemuck::pod_collect_to_vec(&range)
    }
}

/// The step of the last spike of a neuron that has not fired.
const NEVER: i32 = i32::MIN / 2;
/// Maximum number of steps per submission.
const MAX_STEPS: usize = 64;

/// Number of steps in the spike history.
fn slots(graph: &Graph) -> u32 {
    graph.delay + 2
}

/// Whole workgroups write whole words.
fn words_of_step(neurons: u32) -> u32 {
    neurons.div_ceil(64) * 2
}
