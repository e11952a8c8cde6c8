//! Rules that join neurons, lists of pairs, positions.

use std::ops::Range;

use super::check_shape;
use crate::network::{Network, Positions, Projection, Quantity};
use crate::{Connector, Error};

/// Synapses of a `fixed_total`, at most: as many as a projection keeps.
const MOST_COUNTED: u64 = u32::MAX as u64;

/// Coordinates that a neuron may have.
const DIMENSIONS: Range<usize> = 1..5;

impl Network {
    /// A rule that can be fulfilled between these slices.
    pub(super) fn check_connector(
        &self,
        path: &str,
        connector: &Connector,
        projection: &Projection,
        [pre, post]: [&Range<u32>; 2],
    ) -> Result<(), Error> {
        let recurrent = projection.pre.population == projection.post.population;
        // Neurons that a pre neuron may reach, and a post neuron hear, at least.
        let others = |of: &Range<u32>, from: &Range<u32>| {
            let own = recurrent && !connector.autapses() && from.start < of.end && of.start < from.end;
            of.len() as u64 - u64::from(own)
        };
        let few = |key: &str, n: u64, most: u64, side: &str| {
            let expected = format!("a neuron has {most} {side} neurons to draw from, and none may be drawn twice");
            Error::invalid(format!("{path}.{key}"), n, expected, format!("write at most {most}, or allow multapses"))
        };
        let nobody = |side: &str, only: u32| {
            let expected = format!("neuron {only} has no other {side} neuron to draw from");
            Error::invalid(format!("{path}.autapses"), false, expected, "allow autapses, or draw from more")
        };
        match connector {
            Connector::Bernoulli { p, .. } => {
                check_shape(format!("{path}.p"), p, None)?;
                p.numbers().try_for_each(|p| probability(path, "p", p))
            }
            Connector::OneToOne {} if pre.len() != post.len() => {
                let found = format!("one_to_one from {} to {} neurons", pre.len(), post.len());
                let expected = "both sides need the same number";
                Err(Error::invalid(path, found, expected, "take slices of equal length, such as \"E[0:100]\""))
            }
            &Connector::FixedIndegree { n, pre_range, multapses, .. } => {
                let sources = pre_range.map_or(pre.clone(), |[first, end]| first..end);
                if sources.is_empty() || sources.start < pre.start || sources.end > pre.end {
                    let expected = format!("the pre neurons are {} to {}", pre.start, pre.end - 1);
                    let value = format!("[{}, {}]", sources.start, sources.end);
                    let way_out = format!("write a part of [{}, {}]", pre.start, pre.end);
                    return Err(Error::invalid(format!("{path}.pre_range"), value, expected, way_out));
                }
                match others(&sources, post) {
                    0 if n > 0 => Err(nobody("pre", sources.start)),
                    most if !multapses && u64::from(n) > most => Err(few("n", n.into(), most, "pre")),
                    _ => Ok(()),
                }
            }
            &Connector::FixedOutdegree { n, multapses, .. } => match others(post, pre) {
                0 if n > 0 => Err(nobody("post", post.start)),
                most if !multapses && u64::from(n) > most => Err(few("n", n.into(), most, "post")),
                _ => Ok(()),
            },
            &Connector::FixedTotal { n, autapses, multapses } => {
                let shared = (pre.start.max(post.start)..pre.end.min(post.end)).len() as u64;
                let all = pre.len() as u64 * post.len() as u64 - if recurrent && !autapses { shared } else { 0 };
                match all {
                    0 if n > 0 => Err(nobody("post", post.start)),
                    most if !multapses && n > most => {
                        let expected = format!("there are {most} pairs, and none may be joined twice");
                        let way_out = format!("write at most {most}, or allow multapses");
                        Err(Error::invalid(format!("{path}.n"), n, expected, way_out))
                    }
                    _ if n > MOST_COUNTED => {
                        let expected =
                            format!("each synapse of a `fixed_total` is drawn to be counted, at most {MOST_COUNTED} of them");
                        let way_out = "take \"fixed_outdegree\", which draws none before a spike does, or split it";
                        Err(Error::invalid(format!("{path}.n"), n, expected, way_out).of_kind("out_of_memory"))
                    }
                    _ => Ok(()),
                }
            }
            Connector::Gaussian { p, .. } | Connector::Exponential { p, .. } | Connector::Disc { p, .. } => {
                probability(path, "p", *p)?;
                self.check_space(path, connector, projection).map(|_| ())
            }
            Connector::Box { p, half_widths, .. } => {
                probability(path, "p", *p)?;
                let dimensions = self.check_space(path, connector, projection)?;
                if half_widths.len() == dimensions {
                    return Ok(());
                }
                let expected = format!("the neurons have {dimensions} coordinates");
                let place = format!("{path}.half_widths");
                Err(Error::invalid(place, format!("a list of {}", half_widths.len()), expected, "give one for each"))
            }
            Connector::Blockwise { tile, p, .. } => {
                probability(path, "p", *p)?;
                self.check_space(path, connector, projection)?;
                if *tile == 0 {
                    let expected = "a tile has at least one neuron along each edge";
                    return Err(Error::invalid(format!("{path}.tile"), 0, expected, "write 10, say"));
                }
                for end in [&projection.pre, &projection.post] {
                    let positions = self.population(&end.population).and_then(|population| population.positions.as_ref());
                    if !matches!(positions, Some(Positions::Grid { .. })) {
                        let expected = format!("the rule \"blockwise\" is about grids, and `{}` is none", end.population);
                        return Err(Error::invalid(path, "given", expected, "give it positions with the layout \"grid\""));
                    }
                }
                Ok(())
            }
            Connector::SmallWorld { k, rewire } => {
                probability(path, "rewire", *rewire)?;
                same_neurons(path, connector, projection, recurrent)?;
                if k % 2 == 1 || u64::from(*k) >= pre.len() as u64 {
                    let expected = format!("half of the neighbours stand on either side, of {} others", pre.len() - 1);
                    return Err(Error::invalid(format!("{path}.k"), k, expected, "write a smaller, even number"));
                }
                Ok(())
            }
            Connector::ScaleFree { n } => {
                same_neurons(path, connector, projection, recurrent)?;
                if *n == 0 || u64::from(*n) >= pre.len() as u64 {
                    let others = pre.len() - 1;
                    let expected = format!("each neuron joins at least one of {others} others, and none twice");
                    let way_out = match others {
                        0 => "take more neurons".to_owned(),
                        others => format!("write {}, say", others.min(10)),
                    };
                    return Err(Error::invalid(format!("{path}.n"), n, expected, way_out));
                }
                Ok(())
            }
            Connector::PowerLaw { gamma_out, gamma_in, n, .. } => {
                for (key, gamma) in [("gamma_out", *gamma_out), ("gamma_in", *gamma_in)] {
                    if !(gamma > 2.0 && gamma.is_finite()) {
                        let expected = "the exponent of a power law of degrees is above 2 here";
                        return Err(Error::invalid(format!("{path}.{key}"), gamma, expected, "write 3, say"));
                    }
                }
                if others(post, pre) == 0 && *n > 0 { Err(nobody("post", post.start)) } else { Ok(()) }
            }
            Connector::OneToOne {} | Connector::All { .. } | Connector::Condition { .. } => Ok(()),
        }
    }

    /// Populations that lie in the same space; returns its dimensions.
    fn check_space(&self, path: &str, connector: &Connector, projection: &Projection) -> Result<usize, Error> {
        let positions = |name: &str| {
            let population = self.populations.iter().position(|population| population.name == name);
            let positions = population.and_then(|index| self.populations[index].positions.as_ref());
            positions.ok_or_else(|| {
                let expected = format!("the rule \"{}\" is about distances, and `{name}` has no positions", connector.name());
                let example = "{\"layout\": \"random\", \"box\": [\"1 mm\", \"1 mm\"]}";
                Error::invalid(path, "given", expected, format!("give it \"positions\": {example}, say"))
            })
        };
        let (pre, post) = (positions(&projection.pre.population)?, positions(&projection.post.population)?);
        if pre.dimensions() != post.dimensions() || pre.is_periodic() != post.is_periodic() {
            let space = |of: &Positions| {
                let closed = if of.is_periodic() { "closed" } else { "open" };
                format!("{} {closed} dimensions", of.dimensions())
            };
            let (Projection { pre: from, post: to, .. }, expected) = (projection, "both must lie in the same space");
            let found = format!("between `{from}` in {} and `{to}` in {}", space(pre), space(post));
            return Err(Error::invalid(path, found, expected, "give both positions of the same kind"));
        }
        Ok(pre.dimensions())
    }
}

fn probability(path: &str, key: &str, p: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&p) {
        return Ok(());
    }
    let expected = "a probability lies between 0 and 1";
    Err(Error::invalid(format!("{path}.{key}"), p, expected, "write 0.02 for 2 %, say"))
}

fn same_neurons(path: &str, connector: &Connector, projection: &Projection, recurrent: bool) -> Result<(), Error> {
    if recurrent && (projection.pre.start, projection.pre.end) == (projection.post.start, projection.post.end) {
        return Ok(());
    }
    let expected = format!("the rule \"{}\" joins the neurons of a population among each other", connector.name());
    let found = format!("from `{}` to `{}`", projection.pre, projection.post);
    Err(Error::invalid(path, found, expected, "write the same for `pre` and `post`"))
}

/// Places for all neurons, in one to four dimensions.
pub(super) fn check_positions(path: &str, positions: &Positions, size: u32) -> Result<(), Error> {
    let dimensions = positions.dimensions();
    let wrong = |key: &str, found: String, expected: String, way_out: &str| {
        Err(Error::invalid(format!("{path}.{key}"), found, expected, way_out))
    };
    if let Positions::List { points, r#box, .. } = positions {
        if points.len() != size as usize {
            let found = format!("a list of {}", points.len());
            return wrong("points", found, format!("there are {size} neurons"), "give a place for each");
        }
        if let Some(index) = points.iter().position(|point| point.len() != dimensions || point.iter().any(|x| !x.is_finite())) {
            let expected = format!("each place has {dimensions} finite coordinates");
            return wrong(&format!("points[{index}]"), format!("{:?}", points[index]), expected, "correct it");
        }
        if let Some(extents) = r#box.as_ref().filter(|extents| extents.len() != dimensions) {
            let expected = format!("each place has {dimensions} coordinates");
            return wrong("box", format!("a list of {}", extents.len()), expected, "give an extent for each");
        }
    }
    if !DIMENSIONS.contains(&dimensions) {
        let expected = "space has one to four dimensions".to_owned();
        return Err(Error::invalid(path, format!("of {dimensions} dimensions"), expected, "give one to four coordinates"));
    }
    let lengths: Vec<(&str, &Quantity)> = match positions {
        Positions::Grid { spacing, .. } => vec![("spacing", spacing)],
        Positions::Random { r#box, .. } => r#box.iter().map(|extent| ("box", extent)).collect(),
        Positions::List { r#box, .. } => r#box.iter().flatten().map(|extent| ("box", extent)).collect(),
    };
    for (key, length) in lengths {
        check_shape(format!("{path}.{key}"), length, None)?;
        if let Some(length) = length.numbers().find(|length| *length <= 0.0) {
            return wrong(key, length.to_string(), "a length is above 0".into(), "write \"1 mm\", say");
        }
    }
    let Positions::Grid { shape, tile, .. } = positions else { return Ok(()) };
    let neurons: u64 = shape.iter().map(|edge| u64::from(*edge)).fold(1, u64::saturating_mul);
    if neurons != u64::from(size) {
        let expected = format!("the population has {size} neurons, and this grid {neurons}");
        return wrong("shape", format!("{shape:?}"), expected, "make them equal");
    }
    match tile {
        Some(tile) if *tile == 0 || shape.iter().any(|edge| edge % tile != 0) => {
            wrong("tile", tile.to_string(), format!("it must divide each edge of the grid {shape:?}"), "choose another")
        }
        _ => Ok(()),
    }
}

/// Pairs of neurons that exist.
pub(super) fn check_pairs(path: &str, pairs: &[[u32; 2]], sides: [(&Range<u32>, &str); 2]) -> Result<(), Error> {
    for (index, pair) in pairs.iter().enumerate() {
        for (neuron, (range, side)) in pair.iter().zip(sides) {
            if !range.contains(neuron) {
                let expected = format!("the {side} neurons are {} to {}", range.start, range.end - 1);
                let value = format!("[{}, {}]", pair[0], pair[1]);
                let way_out = format!("its {side} index {neuron} must be one of those");
                return Err(Error::invalid(format!("{path}[{index}]"), value, expected, way_out));
            }
        }
    }
    if pairs.len() > u32::MAX as usize {
        return Err(Error::invalid(path, pairs.len(), "a list holds at most 4294967295 pairs", "split the projection"));
    }
    Ok(())
}
