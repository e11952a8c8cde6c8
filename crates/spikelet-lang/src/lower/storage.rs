//! Where the symbols of a model lie, and on what a term depends.

use std::collections::{HashMap, HashSet};

use crate::program::{ColumnChecks, ConstantRule, Rules};
use crate::term::{Function, Node, Symbol, Term};

/// Where a variable of a model lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VariableLocation {
    /// In an array.
    Array(usize),
    /// Nowhere: it lives inside one code.
    Local,
    /// It is a constant.
    Constant,
}

/// On what the value of a term depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dependency {
    /// On nothing: the same for all, at all times.
    Uniform,
    /// On the neuron, but not on time.
    Fixed,
    /// On time, but not on the neuron.
    Timed,
    /// On the state, or on both.
    Varying,
}

/// Where the symbols of a model lie, and what is hoisted out of its codes.
#[derive(Debug, Default)]
pub(crate) struct Storage {
    /// For each variable of the model.
    pub(crate) places: Vec<VariableLocation>,
    /// For each array before the derived ones: whether anything changes it.
    pub(crate) written: Vec<bool>,
    /// For each value a synapse reads from its neurons: its array, or `None` for a constant.
    pub(crate) reads: Vec<Option<usize>>,
    /// For each array that is kept in two words, the array of the lower one.
    pub(crate) lows: HashMap<usize, usize>,
    /// Those of them that hold times.
    pub(crate) times: HashSet<usize>,
    /// The variables that are whole numbers.
    pub(crate) integers: HashSet<usize>,
    /// First entry of each table.
    pub(crate) tables: Vec<usize>,
    /// Where columns of tables are noted that do not exist.
    pub(crate) columns: Option<ColumnChecks>,
    /// What is hoisted.
    pub(crate) rules: Rules,
}

impl Storage {
    pub(crate) fn extent(&self, term: &Term) -> Dependency {
        let (mut each, mut timed, mut state) = (false, false, false);
        term.any(|symbol| {
            match symbol {
                Some(Symbol::Variable(variable)) => match self.places[variable] {
                    VariableLocation::Array(array) if !self.written[array] => each = true,
                    VariableLocation::Array(_) | VariableLocation::Local => state = true,
                    VariableLocation::Constant => {}
                },
                Some(Symbol::Read(read)) => state |= self.reads[read].is_some(),
                Some(Symbol::Index | Symbol::PostIndex) => each = true,
                Some(Symbol::Time) => timed = true,
                Some(Symbol::NotRefractory | Symbol::SinceSpike | Symbol::SinceEvent) | None => state = true,
                Some(Symbol::Constant(_) | Symbol::Dt | Symbol::Size) => {}
            }
            false
        });
        // The host knows no neuron in which such a column does not exist.
        if !self.tables.is_empty() {
            term.walk(&mut |node| {
                if let Node::Call(Function::Column, arguments) = node {
                    state |= arguments[0].any(|symbol| symbol == Some(Symbol::Time));
                }
            });
        }
        match (state, timed, each) {
            (true, ..) | (_, true, true) => Dependency::Varying,
            (_, true, false) => Dependency::Timed,
            (_, false, true) => Dependency::Fixed,
            (_, false, false) => Dependency::Uniform,
        }
    }

    /// The index of a number that is the same for all and changes with time.
    pub(crate) fn clock(&mut self, term: Term) -> usize {
        place(&mut self.rules.clocks, term)
    }

    pub(super) fn constant(&mut self, rule: ConstantRule) -> usize {
        place(&mut self.rules.constants, rule)
    }

    pub(super) fn derived(&mut self, rule: ConstantRule) -> usize {
        self.written.len() + place(&mut self.rules.derived, rule)
    }
}

/// The index of `item`, which is added if it is new.
pub(super) fn place<T: PartialEq>(items: &mut Vec<T>, item: T) -> usize {
    items.iter().position(|known| *known == item).unwrap_or_else(|| {
        items.push(item);
        items.len() - 1
    })
}
