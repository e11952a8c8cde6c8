//! The buffers of a loaded plan: one per variable of shaders/header.wgsl, with the same names.

use spikelet::{Error, Plan};

use crate::Device;
use crate::allocate::Allocator;
use crate::layout::{Arena, BufferLayout};
use crate::passes::tables_of;

/// Number of words passed to the queue at a time, and number of words after which it is flushed.
const WRITE_WORDS: usize = 1 << 22;
const SUBMIT_WORDS: usize = 1 << 24;

/// The buffers, in the order of their bindings.
pub(crate) struct Buffers {
    pub(crate) header: wgpu::Buffer,
    pub(crate) tables: wgpu::Buffer,
    pub(crate) clocks: wgpu::Buffer,
    pub(crate) state: wgpu::Buffer,
    pub(crate) ring: wgpu::Buffer,
    /// The pages of `rows`.
    pub(crate) pages: Vec<wgpu::Buffer>,
    pub(crate) spikes: wgpu::Buffer,
    pub(crate) samples: wgpu::Buffer,
    /// The jobs of all dispatches, [`Buffers::job_stride`] bytes apart.
    pub(crate) jobs: wgpu::Buffer,
    pub(crate) job_stride: u32,
}

impl Buffers {
    /// Allocates all buffers, and fills those that are not written at the start of a run.
    ///
    /// # Errors
    /// The device has no memory for one of them: its name, and suggestions.
    pub(crate) async fn new(device: &Device, plans: &[&Plan], layout: &BufferLayout, max_jobs: usize) -> Result<Buffers, Error> {
        let Some(plan) = plans.first() else { return Err(Error::Backend("there is no trial to load".into())) };
        let sizes = layout.buffers(plan);
        let allocator = Allocator::new(device, plan, plans.len(), &sizes);
        let mut made = Vec::with_capacity(sizes.len());
        for (label, words) in &sizes {
            made.push((*label, allocator.make(label, *words).await?));
        }
        let pages = made.extract_if(.., |(label, _)| *label == "rows").map(|(_, page)| page).collect();
        let [header, tables, clocks, state, ring, spikes, samples] = match <[_; 7]>::try_from(made) {
            Ok(made) => made.map(|(_, buffer)| buffer),
            Err(made) => return Err(Error::Backend(format!("{} kinds of buffers instead of 7; report this error", made.len()))),
        };
        let job_stride = device.device.limits().min_uniform_buffer_offset_alignment;
        let bytes = max_jobs as u64 * u64::from(job_stride);
        let jobs = allocator.make_for("jobs", bytes, wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST).await?;
        let buffers = Buffers { header, tables, clocks, state, ring, pages, spikes, samples, jobs, job_stride };
        let mut filler = BufferWriter { device, handed: 0 };
        let mut failed = None;
        for (page, buffer) in buffers.pages.iter().enumerate() {
            layout.fill_page(plan, page, &mut |at, words| failed = filler.put(buffer, at, words).err().or(failed.take()));
        }
        let words = layout.words_of_trial(plan);
        let first = *plan;
        for (trial, plan) in plans.iter().enumerate() {
            let from = |words: u64| trial * words as usize;
            if std::ptr::eq(*plan, first) {
                filler.put(&buffers.tables, from(words.tables), &layout.tables)?;
            } else {
                filler.put(&buffers.tables, from(words.tables), &tables_of(layout, trial, plan)?)?;
            }
            let state = from(words.state);
            layout.fill_state(plan, &mut |at, words| {
                failed = filler.put(&buffers.state, state + at, words).err().or(failed.take());
            });
            let ring = from(words.ring);
            layout.fill_ring(plan, &mut |at, words| {
                failed = filler.put(&buffers.ring, ring + at, words).err().or(failed.take());
            });
        }
        failed.map_or(Ok(buffers), Err)
    }

    /// Writes the jobs of dispatches, from the one with this number on.
    pub(crate) fn put_jobs(&self, device: &Device, first: usize, jobs: &[[u32; 6]]) {
        let mut words = vec![0_u32; jobs.len() * self.job_stride as usize / 4];
        for (job, words) in jobs.iter().zip(words.chunks_exact_mut(self.job_stride as usize / 4)) {
            words[..job.len()].copy_from_slice(job);
        }
        device.queue.write_buffer(&self.jobs, first as u64 * u64::from(self.job_stride), bytemuck::cast_slice(&words));
    }

    /// The buffers for a page.
    pub(crate) fn in_binding_order(&self, page: usize) -> [&wgpu::Buffer; 8] {
        let rows = &self.pages[page];
        [&self.header, &self.tables, &self.clocks, &self.state, &self.ring, rows, &self.spikes, &self.samples]
    }

    pub(crate) fn arena(&self, arena: Arena) -> &wgpu::Buffer {
        match arena {
            Arena::Tables => &self.tables,
            Arena::State => &self.state,
            Arena::Ring => &self.ring,
            Arena::Rows(page) => &self.pages[page],
        }
    }
}

/// Writes to buffers in parts, so that little is in memory twice.
struct BufferWriter<'a> {
    device: &'a Device,
    /// Words since the last flush.
    handed: usize,
}

impl BufferWriter<'_> {
    fn put(&mut self, buffer: &wgpu::Buffer, mut at: usize, words: &[u32]) -> Result<(), Error> {
        for part in words.chunks(WRITE_WORDS) {
            self.device.queue.write_buffer(buffer, at as u64 * 4, bytemuck::cast_slice(part));
            at += part.len();
            self.handed += part.len();
            if self.handed >= SUBMIT_WORDS {
                self.handed = 0;
                self.device.queue.submit([]);
                self.device.wait(None)?;
            }
        }
        Ok(())
    }
}
