//! Samples as lines of text.

use spikelet::Error;

use super::{Content, whole};
use crate::{Event, Target};

/// The names of the columns.
const HEADER: [&str; 4] = ["sample", "label", "time_ms", "channel"];

pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Content, Error> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let header: Vec<&str> = lines.next().map_or(Vec::new(), |(_, line)| line.split(',').map(str::trim).collect());
    if header != HEADER {
        let expected = format!("the line {} is expected", HEADER.join(","));
        return Err(Error::invalid(format!("{name}: line 1"), format!("{:?}", header.join(",")), expected, "begin with it"));
    }
    let mut content = Content::default();
    let mut last = None;
    for (index, line) in lines {
        let place = |column: usize| format!("{name}: line {}, {}", index + 1, HEADER[column]);
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.len() != HEADER.len() {
            let (found, expected) = (format!("{} values", cells.len()), format!("{} are expected", HEADER.join(",")));
            return Err(Error::invalid(format!("{name}: line {}", index + 1), found, expected, "correct it"));
        }
        let number = |column: usize| {
            let invalid = |_| Error::invalid(place(column), format!("{:?}", cells[column]), "a number is expected", "correct it");
            cells[column].parse::<f64>().map_err(invalid)
        };
        let (sample, label) = (number(0)?, whole(|| place(1), number(1)?)?);
        match last {
            Some((same, class)) if same == sample && class != label => {
                let expected = format!("the lines of one sample have one label, and an earlier one has {class}");
                return Err(Error::invalid(place(1), label, expected, "correct it"));
            }
            Some((same, _)) if same == sample => {}
            Some((before, _)) if sample < before => {
                let expected = format!("samples come one after the other, and sample {before} is before this line");
                return Err(Error::invalid(place(0), sample, expected, "sort the lines"));
            }
            _ => content.samples.push((Vec::new(), Target::Class(label))),
        }
        last = Some((sample, label));
        if cells[2].is_empty() && cells[3].is_empty() {
            continue;
        }
        let event = Event { time_ms: number(2)?, channel: whole(|| place(3), number(3)?)? };
        content.samples.last_mut().into_iter().for_each(|(events, _)| events.push(event));
    }
    Ok(content)
}
