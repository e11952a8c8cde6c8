//! Rounds of assemblies on a GPU: the engine of a brain, with the winners of [`spikelet_assemblies::Cpu`].
//!
//! Rows are always drawn where they are used, so that memory does not grow with the number of synapses; what synapses have learned is in a
//! hash table for each fibre. Many rounds are one submission, and nothing is read back between them.

mod arena;
mod fibre;
mod job;
mod program;
mod submission;

use std::collections::HashMap;

use spikelet::Error as DeviceError;
use spikelet_assemblies::{AreaId, AreaOptions, BrainOptions, Engine, Error, MemoryItem, Mode, Refraction, Round, Source};

use crate::Device;
use crate::readback::BufferRange;
use arena::{Arena, Arenas};
use fibre::Fibre;
use program::Program;

/// Words of `lists` before the lists: the first fault.
const FAULT_WORDS: u32 = 4;

/// Assemblies on a GPU.
pub struct GpuAssemblies {
    device: Device,
    options: BrainOptions,
    program: Program,
    arenas: Arenas,
    stimuli: Vec<u32>,
    areas: Vec<Area>,
    fibres: Vec<Fibre>,
    numbers: HashMap<(Source, AreaId), usize>,
    betas: HashMap<(Source, AreaId), f64>,
    round: u32,
    /// Winners after a fault are not valid: every later call returns it.
    fault: Option<Error>,
}

/// An area: where its data are.
struct Area {
    name: String,
    options: AreaOptions,
    first_sum: u32,
    /// Two lists of winners with their bits, used in turns: first words in `lists`.
    lists: [u32; 2],
    marks: [u32; 2],
    /// Which of them has the last winners.
    current: usize,
    /// The winners, after the last submission.
    winners: Vec<u32>,
    /// Whether it has winners, and how many, after the rounds that are recorded.
    has_winners: bool,
    winner_count: u32,
}

impl Area {
    fn mark_words(&self) -> u32 {
        self.options.n.div_ceil(32)
    }
}

impl GpuAssemblies {
    /// An engine without areas on a device.
    ///
    /// # Errors
    /// The mode is [`Mode::Lazy`], which runs on the CPU; or the device rejects a kernel.
    pub fn new(device: &Device, options: &BrainOptions) -> Result<GpuAssemblies, Error> {
        if options.mode == Mode::Lazy {
            let message =
                "the mode `lazy` computes few neurons one after the other, and runs on the CPU only; use the mode `procedural`";
            return Err(Error::Device(DeviceError::Backend(message.into())));
        }
        let program = pollster::block_on(Program::new(device))?;
        let mut arenas = Arenas::new(device);
        arenas.lists.take(device, FAULT_WORDS)?;
        Ok(GpuAssemblies {
            device: device.clone(),
            options: *options,
            program,
            arenas,
            stimuli: Vec::new(),
            areas: Vec::new(),
            fibres: Vec::new(),
            numbers: HashMap::new(),
            betas: HashMap::new(),
            round: 0,
            fault: None,
        })
    }

    /// The fibre between a source and an area, which is made if it is new.
    fn fibre(&mut self, source: Source, area: AreaId) -> Result<usize, Error> {
        if let Some(number) = self.numbers.get(&(source, area)) {
            return Ok(*number);
        }
        let number = self.fibres.len();
        let to = &self.areas[area.index()];
        let beta = self.betas.get(&(source, area)).copied().unwrap_or(to.options.beta);
        let pres = match source {
            Source::Stimulus(stimulus) => self.stimuli[stimulus.index()],
            Source::Area(from) => self.areas[from.index()].options.k,
        };
        let fibre = Fibre::new(&self.device, &mut self.arenas, &self.options, source, [pres, to.options.n], beta)?;
        self.fibres.push(fibre);
        self.numbers.insert((source, area), number);
        if matches!(source, Source::Stimulus(_)) {
            self.count_lines(number)?;
        }
        Ok(number)
    }

    fn source_name(&self, source: Source) -> String {
        match source {
            Source::Stimulus(stimulus) => format!("stimulus {}", stimulus.index()),
            Source::Area(area) => self.areas[area.index()].name.clone(),
        }
    }

    /// Words of a buffer on the device.
    fn read(&self, arena: &Arena, at: u32, words: u32) -> Result<Vec<u32>, Error> {
        let encoder = self.device.device.create_command_encoder(&Default::default());
        let range = BufferRange { buffer: &arena.buffer, at: at as usize, words: words as usize };
        Ok(pollster::block_on(self.device.read_after(encoder, &[range]))?)
    }
}

impl Engine for GpuAssemblies {
    fn add_stimulus(&mut self, size: u32) -> Result<(), Error> {
        // The number of synapses onto a neuron is stored in 16 bits.
        if size > u32::from(u16::MAX) {
            let message = format!("a stimulus of {size} neurons is too large for the GPU; at most {} are possible", u16::MAX);
            return Err(Error::Device(DeviceError::Backend(message)));
        }
        self.stimuli.push(size);
        Ok(())
    }

    fn add_area(&mut self, name: &str, options: &AreaOptions) -> Result<(), Error> {
        if options.refraction != Refraction::None {
            let message = format!("area “{name}” has a refraction, which runs on the CPU only; use the CPU, or leave it out");
            return Err(Error::Device(DeviceError::Backend(message)));
        }
        let Arenas { sums, lists, scratch, .. } = &mut self.arenas;
        let first_sum = sums.take(&self.device, options.n)?;
        let words = options.n.div_ceil(32);
        let mut list = |words: u32| lists.take(&self.device, words);
        let (winners, marks) = ([list(options.k)?, list(options.k)?], [list(words)?, list(words)?]);
        scratch.reserve(&self.device, program::scratch_words(options.n))?;
        self.areas.push(Area {
            name: name.into(),
            options: options.clone(),
            first_sum,
            lists: winners,
            marks,
            current: 0,
            winners: Vec::new(),
            has_winners: false,
            winner_count: 0,
        });
        Ok(())
    }

    fn set_beta(&mut self, source: Source, area: AreaId, beta: f64) -> Result<(), Error> {
        self.betas.insert((source, area), beta);
        let Some(number) = self.numbers.get(&(source, area)).copied() else { return Ok(()) };
        let (name, options) = (format!("from {} to {}", self.source_name(source), self.areas[area.index()].name), self.options);
        self.fibres[number].set_beta(&self.device, &mut self.arenas, &options, beta, name)
    }

    fn run(&mut self, round: &Round, count: u32, after: &mut dyn FnMut(&[&[u32]])) -> Result<(), Error> {
        let mut left = count;
        while left > 0 {
            if let Some(fault) = &self.fault {
                return Err(fault.clone());
            }
            let done = self.submit(round, left, after)?;
            left -= done;
        }
        Ok(())
    }

    fn winners(&self, area: AreaId) -> &[u32] {
        &self.areas[area.index()].winners
    }

    fn set_winners(&mut self, area: AreaId, winners: &[u32]) -> Result<(), Error> {
        let words = self.areas[area.index()].mark_words();
        let mut bits = vec![0_u32; words as usize];
        winners.iter().for_each(|winner| bits[*winner as usize / 32] |= 1 << (winner % 32));
        let area = &mut self.areas[area.index()];
        self.arenas.lists.write(&self.device, area.lists[area.current], winners);
        self.arenas.lists.write(&self.device, area.marks[area.current], &bits);
        area.winners = winners.to_vec();
        (area.has_winners, area.winner_count) = (!winners.is_empty(), winners.len() as u32);
        Ok(())
    }

    fn known(&self, area: AreaId) -> u32 {
        self.areas[area.index()].options.n
    }

    fn forget(&mut self, area: AreaId) -> Result<(), Error> {
        if let Some(number) = self.numbers.get(&(Source::Area(area), area)) {
            self.fibres[*number].forget(&self.device, &mut self.arenas);
        }
        Ok(())
    }

    fn memory(&self) -> Vec<MemoryItem> {
        self.arenas.items()
    }

    fn synapses(&self, from: AreaId, to: AreaId, pres: &[u32], posts: &[u32]) -> Vec<(u32, u32, f32)> {
        let Some(number) = self.numbers.get(&(Source::Area(from), to)) else { return Vec::new() };
        let fibre = &self.fibres[*number];
        let slots = self.read(&self.arenas.learned, fibre.first_slot(), fibre.slot_words()).unwrap_or_default();
        fibre.synapses(&self.options, *number as u32, self.areas[from.index()].options.n, &slots, pres, posts)
    }
}
