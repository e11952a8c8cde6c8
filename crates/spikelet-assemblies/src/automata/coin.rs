//! A coin: two assemblies that compete.

use crate::operations::{self, read_out, without_plasticity};
use crate::{AreaId, AreaOptions, Assembly, Brain, BrainOptions, Error, StimulusId};

/// A coin: two assemblies of an area, formed by two stimuli. It is flipped by letting random neurons of both fire: by their recurrent synapses
/// one assembly drives the other one out within a few rounds. Learning shifts the odds: the side that was presented more often is stronger.
pub struct Coin {
    brain: Brain,
    area: AreaId,
    stimuli: [StimulusId; 2],
    sides: [Assembly; 2],
}

/// Rounds of a flip, in which one side wins.
const FLIP_ROUNDS: u32 = 10;
/// Rounds of a presentation.
const PRESENTATION: u32 = 5;

impl Coin {
    /// A coin whose sides were presented by turns, this number of times each. With n = 10,000, k = 200, p = 0.1, β = 0.1 and 5 presentations
    /// the sides are about equally strong.
    ///
    /// # Errors
    /// A parameter is not valid, or a round failed.
    pub fn new(options: BrainOptions, area: AreaOptions, presentations: u32) -> Result<Coin, Error> {
        let mut brain = Brain::new(options)?;
        let stimuli = [brain.add_stimulus("HEADS", area.k)?, brain.add_stimulus("TAILS", area.k)?];
        let area = brain.add_area("COIN", area)?;
        let mut coin = Coin { brain, area, stimuli, sides: [0, 1].map(|_| Assembly { area, neurons: Vec::new() }) };
        for side in (0..2).cycle().take(2 * presentations as usize) {
            coin.favour(side, PRESENTATION)?;
        }
        Ok(coin)
    }

    /// Presents a side, 0 or 1, for some rounds: its assembly gets stronger, and wins more often. Other sides are ignored.
    ///
    /// # Errors
    /// A round failed.
    pub fn favour(&mut self, side: usize, rounds: u32) -> Result<(), Error> {
        if let (Some(stimulus), Some(assembly), 1..) = (self.stimuli.get(side), self.sides.get_mut(side), rounds) {
            *assembly = operations::project(&mut self.brain, *stimulus, self.area, rounds)?.assembly;
        }
        Ok(())
    }

    /// Flips the coin: as many neurons as fire, drawn from both sides with equal probability, are the first winners; then the area projects to
    /// itself, without plasticity. Returns the side that fires afterwards, or none if no side does. What is drawn is a function of the seed and
    /// of `draw`.
    ///
    /// # Errors
    /// A round failed.
    pub fn flip(&mut self, draw: u32) -> Result<Option<usize>, Error> {
        let Coin { brain, area, sides, .. } = self;
        let mut neurons: Vec<u32> = sides.iter().flat_map(|side| side.neurons.iter().copied()).collect();
        neurons.sort_unstable();
        neurons.dedup();
        let (k, seed) = (brain.area_options(*area).k, brain.options().seed);
        let first = Assembly { area: *area, neurons }.subset(k, seed, draw);
        brain.set_winners(*area, &first.neurons)?;
        without_plasticity(brain, |brain| brain.project(&[((*area).into(), *area)], FLIP_ROUNDS))?;
        Ok(read_out(brain, sides).map(|(side, _)| side))
    }
}
