//! Learning of words (Mitropolsky & Papadimitriou 2023, "The architecture of a biologically plausible language organ", arXiv 2306.15364).
//!
//! Sentences of a noun and a verb are received together with what they mean: the area PHON has an assembly for the sound of each word, VISUAL one
//! for what each noun means, MOTOR one for what each verb means. Sounds project to both areas of words, NOUN and VERB; meanings of nouns to
//! NOUN only, those of verbs to VERB only. While the words of a sentence are received one after the other, both meanings fire, so that no
//! sentence alone says which word means what. With more sentences, a word gets an assembly that connects its sound with its meaning.

use spikelet::rng::philox;

use crate::operations::{drive, read_out_from, without_plasticity};
use crate::{AreaId, AreaOptions, Assembly, Brain, BrainOptions, Error, Source};

/// Parameters of word learning.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnerOptions {
    /// The brain: seed, p, mode, threads and so on.
    pub brain: BrainOptions,
    /// Number of nouns.
    pub nouns: u32,
    /// Number of verbs.
    pub verbs: u32,
    /// Neurons of the areas of words.
    pub n: u32,
    /// How many of them fire.
    pub k: u32,
    /// Neurons of a sound, and of a meaning.
    pub input_k: u32,
    /// β of all fibres.
    pub beta: f64,
    /// Rounds of each word after its first one.
    pub rounds: u32,
}

impl Default for LearnerOptions {
    /// Two nouns and two verbs, p = 0.05, n = 100,000, k = 50, 100 neurons a sound or meaning, β = 0.06, 2 rounds.
    fn default() -> LearnerOptions {
        let brain = BrainOptions { p: 0.05, ..BrainOptions::default() };
        LearnerOptions { brain, nouns: 2, verbs: 2, n: 100_000, k: 50, input_k: 100, beta: 0.06, rounds: 2 }
    }
}

/// The smallest overlap with a sound that counts as that sound.
const SOUND: f64 = 0.75;
/// The purpose of drawing sentences, in the third word of the counter.
const SENTENCE: u32 = 0x25;

/// A brain that learns words. Words are counted from 0, first nouns, then verbs.
pub struct Learner {
    options: LearnerOptions,
    brain: Brain,
    sounds: AreaId,
    /// Meanings and words of nouns, then of verbs.
    meanings: [AreaId; 2],
    words: [AreaId; 2],
    sentences: u32,
}

/// The kind of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordKind {
    /// Its meaning is in VISUAL.
    Noun,
    /// Its meaning is in MOTOR.
    Verb,
}

impl Learner {
    /// A brain that knows no words.
    ///
    /// # Errors
    /// A parameter is not valid.
    pub fn new(options: &LearnerOptions) -> Result<Learner, Error> {
        let LearnerOptions { nouns, verbs, n, k, input_k, beta, .. } = *options;
        let mut brain = Brain::new(options.brain)?;
        let inputs = |count: u32| AreaOptions::new(count.saturating_mul(input_k), input_k, beta).explicit();
        let sounds = brain.add_area("PHON", inputs(nouns.saturating_add(verbs)))?;
        let meanings = [brain.add_area("VISUAL", inputs(nouns))?, brain.add_area("MOTOR", inputs(verbs))?];
        let words =
            [brain.add_area("NOUN", AreaOptions::new(n, k, beta))?, brain.add_area("VERB", AreaOptions::new(n, k, beta))?];
        Ok(Learner { options: options.clone(), brain, sounds, meanings, words, sentences: 0 })
    }

    /// The brain.
    pub fn brain(&self) -> &Brain {
        &self.brain
    }

    /// The number of words.
    pub fn words(&self) -> u32 {
        self.options.nouns + self.options.verbs
    }

    /// The kind of a word.
    pub fn kind(&self, word: u32) -> WordKind {
        if word < self.options.nouns { WordKind::Noun } else { WordKind::Verb }
    }

    /// Fires the meaning of a word.
    fn mean(&mut self, word: u32) -> Result<(), Error> {
        let first = if self.kind(word) == WordKind::Noun { 0 } else { self.options.nouns };
        self.brain.activate(self.meanings[self.kind(word) as usize], word - first)
    }

    /// Lets no meaning fire.
    fn clear_winners(&mut self) -> Result<(), Error> {
        self.meanings.iter().try_for_each(|area| self.brain.set_winners(*area, &[]))
    }

    /// Receives a sentence of a noun and a verb, with what both mean.
    ///
    /// # Errors
    /// There is no such word, or a round failed.
    pub fn receive(&mut self, noun: u32, verb: u32) -> Result<(), Error> {
        self.mean(noun)?;
        self.mean(verb)?;
        let Learner { sounds, meanings, words, .. } = *self;
        let forth = [0, 1].map(|kind| [(sounds.into(), words[kind]), (meanings[kind].into(), words[kind])]);
        let back = [0, 1].map(|kind| [sounds, words[kind], meanings[kind]].map(|to| (words[kind].into(), to)));
        let first: Vec<(Source, AreaId)> = forth.concat();
        let all: Vec<(Source, AreaId)> = first.iter().copied().chain(back.concat()).collect();
        for word in [noun, verb] {
            self.brain.activate(sounds, word)?;
            self.brain.project(&first, 1)?;
            self.brain.project(&all, self.options.rounds)?;
        }
        self.sentences += 1;
        self.clear_winners()
    }

    /// Receives a random sentence: a function of the seed and of the number of sentences so far.
    ///
    /// # Errors
    /// A round failed.
    pub fn receive_random(&mut self) -> Result<(), Error> {
        let [noun, verb, ..] = philox(self.options.brain.seed, [self.sentences, 0, SENTENCE, 0]);
        let below = |word: u32, count: u32| ((u64::from(word) * u64::from(count)) >> 32) as u32;
        self.receive(below(noun, self.options.nouns), self.options.nouns + below(verb, self.options.verbs))
    }

    /// The word that the brain says for the meaning of a word: the meaning fires, then the area of words, then its sound is read out. None if
    /// that is no sound.
    ///
    /// # Errors
    /// There is no such word, or a round failed.
    pub fn say(&mut self, word: u32) -> Result<Option<u32>, Error> {
        self.mean(word)?;
        let kind = self.kind(word) as usize;
        let (sounds, meaning, words) = (self.sounds, self.meanings[kind], self.words[kind]);
        self.brain.unfix(sounds);
        without_plasticity(&mut self.brain, |brain| {
            brain.project(&[(meaning.into(), words)], 1)?;
            brain.project(&[(words.into(), sounds)], 1)
        })?;
        self.clear_winners()?;
        let lexicon: Vec<Assembly> = (0..self.words()).map(|word| Assembly::block(sounds, self.options.input_k, word)).collect();
        Ok(read_out_from(&self.brain, &lexicon, SOUND).map(|(word, _)| word as u32))
    }

    /// The kind of a word as its sound alone tells: that of the area of words into which its input is larger.
    ///
    /// # Errors
    /// There is no such word, or a round failed.
    pub fn kind_of_sound(&mut self, word: u32) -> Result<WordKind, Error> {
        let (sounds, words) = (self.sounds, self.words);
        self.brain.activate(sounds, word)?;
        without_plasticity(&mut self.brain, |brain| {
            brain.project(&words.map(|area| (sounds.into(), area)), 1)?;
            let [noun, verb] = words.map(|area| drive(brain, sounds, area));
            Ok(if noun > verb { WordKind::Noun } else { WordKind::Verb })
        })
    }

    /// Whether the brain [says](Learner::say) each word for its meaning.
    ///
    /// # Errors
    /// A round failed.
    pub fn knows_all(&mut self) -> Result<bool, Error> {
        for word in 0..self.words() {
            if self.say(word)? != Some(word) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Receives random sentences until the brain knows all words. Returns their number; none if it does not after `max_sentences`.
    ///
    /// # Errors
    /// A round failed.
    pub fn learn(&mut self, max_sentences: u32) -> Result<Option<u32>, Error> {
        for sentences in 1..=max_sentences {
            self.receive_random()?;
            if self.knows_all()? {
                return Ok(Some(sentences));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
