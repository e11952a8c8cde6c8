//! The neurons of a population that fire if only some of those above threshold do.

use std::ops::Range;

use spikelet_plan::PopulationPlan;

use super::neuron_block::NeuronBlock;
use crate::select::{Select, sum_of_winners};

/// A neuron above threshold, by its number in the network, with the value by which it is compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) neuron: u32,
    pub(super) value: f32,
}

/// Finds the winners of a population; memory that is used again.
#[derive(Default)]
pub(super) struct WinnerSearch {
    select: Select,
    /// Candidates: their values, and their indices in the population, ascending.
    values: Vec<f32>,
    neurons: Vec<u32>,
    /// Whether a value was not a number since this was last asked.
    not_a_number: bool,
}

impl WinnerSearch {
    /// Takes the neurons above threshold of these blocks, in ascending order, as the candidates.
    pub(super) fn take(&mut self, of: &PopulationPlan, blocks: &[NeuronBlock]) {
        self.values.clear();
        self.neurons.clear();
        if let Some(score) = of.program.score {
            blocks.iter().for_each(|block| block.candidates(score, &mut self.values, &mut self.neurons));
        }
    }

    /// Offers those candidates that could win among the neurons of all threads: the winners among these. A value that is not a number is
    /// offered alone, so that all threads know of it.
    pub(super) fn offer(&mut self, of: &PopulationPlan, offers: &mut Vec<Candidate>) {
        let WinnerSearch { select, values, neurons, .. } = self;
        let Some(rule) = of.winners else { return };
        let candidate = |at: usize| Candidate { neuron: of.first + neurons[at], value: values[at] };
        match select.winners(rule, values) {
            Ok(winners) => offers.extend(winners.iter().map(|at| candidate(*at as usize))),
            Err(wrong) => offers.push(candidate(wrong.index)),
        }
    }

    /// Takes what all threads have offered as the candidates. `offers` have the neurons of several populations, in ascending order.
    pub(super) fn take_offers(&mut self, of: &PopulationPlan, offers: &[Candidate]) {
        let neurons = of.first..of.first + of.size;
        let at = |neuron: u32| offers.partition_point(|offer| offer.neuron < neuron);
        let own: Range<usize> = at(neurons.start)..at(neurons.end);
        self.values.clear();
        self.neurons.clear();
        self.values.extend(offers[own.clone()].iter().map(|offer| offer.value));
        self.neurons.extend(offers[own].iter().map(|offer| offer.neuron - of.first));
    }

    /// Lets only the winners among the candidates be above threshold in these blocks; none if a value is not a number.
    /// Returns the sum of their values, if there are any and the population has a group.
    pub(super) fn choose(&mut self, of: &PopulationPlan, blocks: &mut [NeuronBlock]) -> Option<f32> {
        let WinnerSearch { select, values, neurons, not_a_number } = self;
        let winners = of.winners.map(|rule| select.winners(rule, values)).unwrap_or(Ok(&[]));
        *not_a_number |= winners.is_err();
        let places = winners.unwrap_or_default();
        let is_compared = of.group.is_some() && !places.is_empty();
        let mut winners = places.iter().map(|at| neurons[*at as usize]).peekable();
        for block in blocks {
            let (first, last) = block.span().into_inner();
            while winners.next_if(|winner| *winner < first).is_some() {}
            block.keep(std::iter::from_fn(|| winners.next_if(|winner| *winner <= last)));
        }
        is_compared.then(|| sum_of_winners(places.iter().map(|at| values[*at as usize])))
    }

    /// Whether a value was not a number since the last call.
    pub(super) fn take_not_a_number(&mut self) -> bool {
        std::mem::take(&mut self.not_a_number)
    }
}

/// In ascending order of neurons.
pub(super) fn sort(offers: &mut [Candidate]) {
    // They are a few ascending runs, which this sort merges.
    offers.sort_by_key(|offer| offer.neuron);
}
