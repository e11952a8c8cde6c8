//! Samples as lines of text.

use spikelet_network::Error;

use super::{Content, whole};
use crate::{Event, Target};

/// The names of the columns, with classes, and with spike times, as targets.
const CLASSES: [&str; 4] = ["sample", "label", "time_ms", "channel"];
const SPIKES: [&str; 4] = ["sample", "part", "time_ms", "channel"];

/// What the second column says of a line.
enum Kind {
    /// The class of its sample; the line has a spike of the input.
    Class(u32),
    Input,
    Target,
}

pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Content, Error> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let header: Vec<&str> = lines.next().map_or(Vec::new(), |(_, line)| line.split(',').map(str::trim).collect());
    let Some(columns) = [CLASSES, SPIKES].into_iter().find(|columns| header == columns) else {
        let expected = format!("the line {} or {} is expected", CLASSES.join(","), SPIKES.join(","));
        return Err(Error::invalid(format!("{name}: line 1"), format!("{:?}", header.join(",")), expected, "begin with it"));
    };
    let mut content = Content::default();
    let mut last = None;
    for (index, line) in lines {
        let place = |column: usize| format!("{name}: line {}, {}", index + 1, columns[column]);
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.len() != columns.len() {
            let (found, expected) = (format!("{} values", cells.len()), format!("{} are expected", columns.join(",")));
            return Err(Error::invalid(format!("{name}: line {}", index + 1), found, expected, "correct it"));
        }
        let number = |column: usize| {
            let invalid = |_| Error::invalid(place(column), format!("{:?}", cells[column]), "a number is expected", "correct it");
            cells[column].parse::<f64>().map_err(invalid)
        };
        let sample = number(0)?;
        let kind = match cells[1] {
            "input" if columns == SPIKES => Kind::Input,
            "target" if columns == SPIKES => Kind::Target,
            other if columns == SPIKES => {
                return Err(Error::invalid(place(1), format!("{other:?}"), "`input` or `target` is expected", "correct it"));
            }
            _ => Kind::Class(whole(|| place(1), number(1)?)?),
        };
        match last {
            Some(same) if same == sample => {}
            Some(before) if sample < before => {
                let expected = format!("samples come one after the other, and sample {before} is before this line");
                return Err(Error::invalid(place(0), sample, expected, "sort the lines"));
            }
            _ => {
                let target = if let Kind::Class(class) = kind { Target::Class(class) } else { Target::Spikes(Vec::new()) };
                content.samples.push((Vec::new(), target));
            }
        }
        last = Some(sample);
        let Some((events, target)) = content.samples.last_mut() else { continue };
        if let (Kind::Class(label), Target::Class(class)) = (&kind, &*target)
            && label != class
        {
            let expected = format!("the lines of one sample have one label, and an earlier one has {class}");
            return Err(Error::invalid(place(1), label, expected, "correct it"));
        }
        if cells[2].is_empty() && cells[3].is_empty() {
            continue;
        }
        let event = Event { time_ms: number(2)?, channel: whole(|| place(3), number(3)?)? };
        match (kind, target) {
            (Kind::Target, Target::Spikes(wanted)) => wanted.push(event),
            _ => events.push(event),
        }
    }
    Ok(content)
}
