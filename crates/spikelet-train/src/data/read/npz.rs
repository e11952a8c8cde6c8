//! Samples as NumPy arrays.

use spikelet::Error;
use spikelet_network::edges::read_arrays;

use super::{Content, whole};
use crate::{Event, Target};

pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Content, Error> {
    let mut arrays = read_arrays(name, bytes)?;
    let known: Vec<String> = arrays.keys().cloned().collect();
    let mut take = |key: &str| {
        let missing = || Error::unknown_name(name, "array", key, known.iter().map(String::as_str));
        arrays.shift_remove(key).ok_or_else(missing)
    };
    let (times, channels, offsets) = (take("times")?, take("channels")?, take("offsets")?);
    let place = |array: &str| format!("{name}: {array}");
    if channels.len() != times.len() {
        let (found, expected) = (format!("{} long", channels.len()), format!("`times` has {} elements", times.len()));
        return Err(Error::invalid(place("channels"), found, expected, "save one of each for every spike"));
    }
    let ends: Vec<usize> =
        offsets.iter().map(|end| Ok(whole(|| place("offsets"), *end)? as usize)).collect::<Result<_, Error>>()?;
    if ends.first() != Some(&0) || ends.last() != Some(&times.len()) || !ends.is_sorted() {
        let expected = format!("increasing numbers from 0 to {}, the number of spikes, are expected", times.len());
        return Err(Error::invalid(place("offsets"), format!("{} numbers", ends.len()), expected, "save them again"));
    }
    let count = ends.len() - 1;
    let targets = targets(name, count, &mut take)?;
    let mut content = Content::default();
    for (range, target) in ends.windows(2).map(|ends| ends[0]..ends[1]).zip(targets) {
        let event = |index: usize| {
            let channel = whole(|| place(&format!("channels[{index}]")), channels[index])?;
            Ok(Event { time_ms: times[index], channel })
        };
        content.samples.push((range.map(event).collect::<Result<_, Error>>()?, target));
    }
    Ok(content)
}

/// Classes, or values.
fn targets(name: &str, count: usize, take: &mut impl FnMut(&str) -> Result<Vec<f64>, Error>) -> Result<Vec<Target>, Error> {
    if let Ok(values) = take("targets") {
        let each = values.len() / count.max(1);
        if each == 0 || each * count != values.len() {
            let (found, expected) =
                (format!("{} numbers", values.len()), format!("equally many for {count} samples are expected"));
            return Err(Error::invalid(format!("{name}: targets"), found, expected, "save them again"));
        }
        let target = |values: &[f64]| Target::Values(values.iter().map(|value| *value as f32).collect());
        return Ok(values.chunks_exact(each).map(target).collect());
    }
    let labels = take("labels")?;
    if labels.len() != count {
        let (found, expected) = (format!("{} long", labels.len()), format!("`offsets` has {count} samples"));
        return Err(Error::invalid(format!("{name}: labels"), found, expected, "save one for every sample"));
    }
    let class = |(index, label): (usize, &f64)| Ok(Target::Class(whole(|| format!("{name}: labels[{index}]"), *label)?));
    labels.iter().enumerate().map(class).collect()
}
