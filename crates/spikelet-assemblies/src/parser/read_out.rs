//! Reads dependencies out of the synapses.

use super::{Dependency, ParseError, Parser, WORDS};
use crate::operations::{self, without_plasticity};
use crate::{AreaId, Assembly};

impl Parser {
    /// The root of the sentence and the dependencies, from the synapses.
    pub(super) fn read_out(&mut self) -> Result<(String, Vec<Dependency>), ParseError> {
        self.brain.areas().for_each(|area| self.brain.unfix(area));
        let root = self.brain.area(self.grammar.root.0)?;
        let mut dependencies = Vec::new();
        let word = self.word_of(root)?;
        self.follow(root, &word, &mut dependencies)?;
        Ok((word, dependencies))
    }

    /// The dependents of the word whose assembly fires in an area, and theirs in turn.
    fn follow(&mut self, area: AreaId, head: &str, found: &mut Vec<Dependency>) -> Result<(), ParseError> {
        let assembly = Assembly::of(&self.brain, area)?;
        let mut dependents = Vec::new();
        for name in self.grammar.dependents(self.name(area)) {
            for to in self.copies_of(name)?.to_vec() {
                if !self.activated.contains(&(area, to)) || !self.is_dependent(area, to) {
                    continue;
                }
                self.brain.set_winners(area, &assembly.neurons)?;
                without_plasticity(&mut self.brain, |brain| brain.project(&[(area.into(), to)], 1))?;
                let reached = Assembly::of(&self.brain, to)?;
                let word = self.word_of(to)?;
                found.push(Dependency { head: head.into(), dependent: word.clone(), area: name });
                dependents.push((reached, word));
            }
        }
        for (assembly, word) in dependents {
            self.brain.set_winners(assembly.area, &assembly.neurons)?;
            self.follow(assembly.area, &word, found)?;
        }
        Ok(())
    }

    /// The word to which the assembly of an area projects. In a language with cases, the area distinguishes forms that share a block.
    ///
    /// It must be the one whose assembly formed in the area. With few neurons or rounds it can be another one, or none.
    fn word_of(&mut self, area: AreaId) -> Result<String, ParseError> {
        without_plasticity(&mut self.brain, |brain| brain.project(&[(area.into(), WORDS)], 1))?;
        let word_k = self.options.word_k;
        let blocks: Vec<Assembly> = (0..self.grammar.blocks()).map(|block| Assembly::block(WORDS, word_k, block)).collect();
        let block = operations::read_out(&self.brain, &blocks).map(|(block, _)| block as u32);
        let word = block.and_then(|block| self.grammar.form(block, self.name(area)));
        match self.holders.get(&area) {
            Some(holder) if word != Some(&holder.word) => {
                let (word, position) = (holder.word.clone(), holder.position);
                Err(ParseError::Lost { word, position, area: self.name(area) })
            }
            _ => Ok(word.unwrap_or_default().to_owned()),
        }
    }
}
