//! The neurons that a rule connects, and checks shared by several rules.

use std::ops::Range;

use crate::{Endpoint, Error, Positions};

/// One side of a projection.
pub(crate) struct ProjectionSide<'a> {
    /// The endpoint in the projection.
    pub(crate) endpoint: &'a Endpoint,
    /// Its neurons.
    pub(crate) neurons: &'a Range<u32>,
    /// Their positions, if there are any.
    pub(crate) positions: Option<&'a Positions>,
}

/// The neurons that a rule connects, and the place of the rule.
pub(crate) struct ProjectionSlices<'a> {
    /// JSON path of the rule.
    pub(crate) path: &'a str,
    /// Its name in JSON.
    pub(crate) rule: &'static str,
    /// Whether autapses are allowed.
    pub(crate) autapses: bool,
    /// Whether both sides are of one population.
    pub(crate) recurrent: bool,
    /// The presynaptic side.
    pub(crate) pre: ProjectionSide<'a>,
    /// The postsynaptic side.
    pub(crate) post: ProjectionSide<'a>,
}

impl<'a> ProjectionSlices<'a> {
    /// The path of one of its keys.
    pub(super) fn at(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }

    /// Rejects an invalid probability.
    pub(super) fn check_probability(&self, key: &str, p: f64) -> Result<(), Error> {
        if (0.0..=1.0).contains(&p) {
            return Ok(());
        }
        let expected = "a probability is between 0 and 1";
        Err(Error::invalid(self.at(key), p, expected, "for example 0.02 for 2 %"))
    }

    /// Least number of `of` neurons available to a neuron of the other side.
    pub(super) fn others(&self, of: &Range<u32>, from: &Range<u32>) -> u64 {
        let own = self.recurrent && !self.autapses && from.start < of.end && of.start < from.end;
        of.len() as u64 - u64::from(own)
    }

    /// A neuron has no other neuron to draw from.
    pub(super) fn nobody(&self, side: &str, only: u32) -> Error {
        let expected = format!("neuron {only} has no other {side} neuron to draw from");
        Error::invalid(self.at("autapses"), false, expected, "allow autapses, or use more neurons")
    }

    /// Rejects a degree `n` that is impossible between the neurons `from` of the other side and those `of` this side.
    pub(super) fn check_degree(
        &self,
        n: u32,
        multapses: bool,
        side: &str,
        of: &Range<u32>,
        from: &Range<u32>,
    ) -> Result<(), Error> {
        match self.others(of, from) {
            0 if n > 0 => Err(self.nobody(side, of.start)),
            most if !multapses && u64::from(n) > most => {
                let expected = format!("there are only {most} {side} neurons to draw from without repetition");
                Err(Error::invalid(self.at("n"), n, expected, format!("write at most {most}, or allow multapses")))
            }
            _ => Ok(()),
        }
    }

    /// Rejects two different slices.
    pub(super) fn check_same_neurons(&self) -> Result<(), Error> {
        let (pre, post) = (self.pre.endpoint, self.post.endpoint);
        if self.recurrent && (pre.start, pre.end) == (post.start, post.end) {
            return Ok(());
        }
        let expected = format!("the rule \"{}\" connects the neurons of a population with each other", self.rule);
        let found = format!("from `{pre}` to `{post}`");
        Err(Error::invalid(self.path, found, expected, "use the same value for `pre` and `post`"))
    }

    /// Rejects neurons without a common space; returns its dimensions.
    pub(super) fn check_space(&self) -> Result<usize, Error> {
        let positions = |side: &ProjectionSide<'a>| {
            side.positions.ok_or_else(|| {
                let name = &side.endpoint.population;
                let expected = format!("the rule \"{}\" needs distances, and `{name}` has no positions", self.rule);
                let example = "{\"layout\": \"random\", \"box\": [\"1 mm\", \"1 mm\"]}";
                Error::invalid(self.path, "given", expected, format!("set \"positions\", for example {example}"))
            })
        };
        let (pre, post) = (positions(&self.pre)?, positions(&self.post)?);
        if pre.dimensions() != post.dimensions() || pre.is_periodic() != post.is_periodic() {
            let space = |of: &Positions| {
                let closed = if of.is_periodic() { "closed" } else { "open" };
                format!("{} {closed} dimensions", of.dimensions())
            };
            let (from, to, expected) = (self.pre.endpoint, self.post.endpoint, "both must use the same space");
            let found = format!("between `{from}` in {} and `{to}` in {}", space(pre), space(post));
            return Err(Error::invalid(self.path, found, expected, "use the same kind of positions for both"));
        }
        Ok(pre.dimensions())
    }
}
