//! Snapshots as bytes, and back. The format is described in `docs/snapshot.md`.

use std::sync::Arc;

use spikelet_plan::{Port, Precision, Revision, ScaledWrite, Spike};

use super::bytes::{Reader, Writer, checksum};
use super::{ConditionProgress, NetworkLog, PlanPart, SavedArray, Snapshot, TrialState};
use crate::{Changed, Error, Network, Stopped};

/// The first bytes of a file.
const MAGIC: &[u8; 8] = b"spikelet";
/// The version of the format, by precision.
const FORMATS: [(Precision, u32); 2] = [(Precision::Single, 3), (Precision::Double, 4)];
/// Bytes before the first section: magic, format, length, sections, checksum.
const HEAD: usize = 8 + 4 + 8 + 4 + 8;

impl Snapshot {
    /// As bytes, for a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut sections = Writer::default();
        let mut about = Writer::default();
        about.text(&self.program);
        about.u32(self.trials.len() as u32);
        sections.section("about", &about);
        let mut parts = Writer::default();
        parts.u32(self.parts.len() as u32);
        for PlanPart { name, size, hash } in &*self.parts {
            parts.text(name);
            parts.text(size);
            parts.u64(*hash);
        }
        sections.section("network", &parts);
        let mut count = 2;
        for (index, trial) in self.trials.iter().enumerate() {
            let shared = index > 0 && Arc::ptr_eq(&trial.network, &self.trials[0].network);
            sections.section(&format!("trial {index}"), &trial.to_content(shared));
            for SavedArray { name, words } in &trial.arrays {
                let mut content = Writer::default();
                content.words(words.iter().copied());
                sections.section(&format!("trial {index}: {name}"), &content);
            }
            count += 1 + trial.arrays.len();
        }
        let mut file = Writer::default();
        file.0.extend(MAGIC);
        file.u32(FORMATS[usize::from(self.precision == Precision::Double)].1);
        file.u64((HEAD + sections.0.len()) as u64);
        file.u32(count as u32);
        file.u64(checksum(&file.0));
        file.0.append(&mut sections.0);
        file.0
    }

    /// From bytes that [`Snapshot::to_bytes`] wrote.
    ///
    /// # Errors
    /// The bytes are not a snapshot, of an unknown format, truncated, or damaged, with the position.
    pub fn from_bytes(bytes: &[u8]) -> Result<Snapshot, Error> {
        let mut file = Reader::new(bytes, "its head");
        if bytes.get(..MAGIC.len()) != Some(MAGIC) {
            let way_out = "use a file written by `Snapshot::to_bytes`";
            return Err(Error::invalid("the snapshot", "not a snapshot", "its first 8 bytes must be `spikelet`", way_out));
        }
        file.take(MAGIC.len())?;
        let format = file.u32()?;
        // Networks of earlier formats had other random numbers, and so other connectivity.
        let Some((precision, _)) = FORMATS.into_iter().find(|(_, known)| *known == format) else {
            let known = FORMATS.map(|(_, format)| format.to_string()).join(" and ");
            let (found, expected) = (format!("of format {format}"), format!("this version reads formats {known}"));
            return Err(Error::invalid("the snapshot", found, expected, "read it with the version of the program that wrote it"));
        };
        let (length, sections) = (file.u64()?, file.u32()?);
        let (found, written) = (checksum(&bytes[..file.offset()]), file.u64()?);
        if found != written {
            return Err(file.wrong(format!("damaged: its checksum is {found:016x}"), format!("{written:016x} was written")));
        }
        if length != bytes.len() as u64 {
            return Err(file.wrong(format!("{} bytes long", bytes.len()), format!("{length} bytes were written")));
        }
        let (mut about, mut count) = (section(&mut file, "about")?, 2);
        let (program, trials) = (about.text()?, about.u32()?);
        about.end()?;
        let mut network = section(&mut file, "network")?;
        let parts = network.list(|part| Ok(PlanPart { name: part.text()?, size: part.text()?, hash: part.u64()? }))?;
        network.end()?;
        if trials == 0 {
            return Err(file.wrong("without trials", "at least one is needed"));
        }
        let mut snapshot = Snapshot { program, precision, parts: parts.into(), trials: Vec::new() };
        for index in 0..trials {
            let mut content = section(&mut file, &format!("trial {index}"))?;
            let first = snapshot.trials.first().map(|trial| &trial.network);
            let (mut trial, arrays) = TrialState::of_content(&mut content, first)?;
            content.end()?;
            let prefix = format!("trial {index}: ");
            for _ in 0..arrays {
                let (name, mut content) = file.section()?;
                let Some(name) = name.strip_prefix(&prefix) else {
                    return Err(content.wrong("there", format!("an array of trial {index} is expected")));
                };
                trial.arrays.push(SavedArray { name: name.to_owned(), words: content.words()? });
            }
            count += 1 + arrays as usize;
            snapshot.trials.push(trial);
        }
        if count != sections as usize {
            return Err(file.wrong(format!("{count} sections long"), format!("{sections} were written")));
        }
        file.end()?;
        Ok(snapshot)
    }
}

/// The next section, which must have this name.
fn section<'a>(file: &mut Reader<'a>, expected: &str) -> Result<Reader<'a>, Error> {
    let (name, content) = file.section()?;
    if name == expected { Ok(content) } else { Err(content.wrong("there", format!("`{expected}` is expected"))) }
}

impl TrialState {
    fn to_content(&self, shares_network: bool) -> Writer {
        let mut content = Writer::default();
        content.u32(self.number);
        content.u32(self.step);
        content.text(&if shares_network { String::new() } else { self.network.to_json() });
        self.now.write(&mut content);
        content.u8(self.start.is_some().into());
        if let Some(start) = &self.start {
            start.write(&mut content);
        }
        content.u32(self.changed.len() as u32);
        for Changed { step, path, value } in &self.changed {
            content.u32(*step);
            content.text(path);
            content.text(value);
        }
        content.u32(self.conditions.len() as u32);
        for ConditionProgress { count, recent } in &self.conditions {
            content.u64(*count);
            content.u32(recent.len() as u32);
            for (step, spikes) in recent {
                content.u32(*step);
                content.u64(*spikes);
            }
        }
        content.u8(self.stopped.is_some().into());
        if let Some(Stopped { condition, step, time_ms }) = &self.stopped {
            content.text(condition);
            content.u32(*step);
            content.u64(time_ms.to_bits());
        }
        content.u8(self.is_complete.into());
        content.u32(self.recent.len() as u32);
        for Spike { step, neuron } in &self.recent {
            content.u32(*step);
            content.u32(*neuron);
        }
        content.u32(self.arrays.len() as u32);
        content
    }

    /// A trial without its arrays, and their number.
    fn of_content(content: &mut Reader<'_>, first: Option<&Arc<Network>>) -> Result<(TrialState, u32), Error> {
        let (number, step, json) = (content.u32()?, content.u32()?, content.text()?);
        let network = match first {
            Some(first) if json.is_empty() => first.clone(),
            _ => Arc::new(Network::from_json(&json)?),
        };
        let now = NetworkLog::read(content)?;
        let start = if flag(content)? { Some(NetworkLog::read(content)?) } else { None };
        let changed = content.list(|of| Ok(Changed { step: of.u32()?, path: of.text()?, value: of.text()? }))?;
        let received =
            content.list(|of| Ok(ConditionProgress { count: of.u64()?, recent: of.list(|of| Ok((of.u32()?, of.u64()?)))? }))?;
        if !received.iter().all(|of| of.is_of_steps_before(step)) {
            return Err(content.wrong("the counts of a stop condition", format!("they must be of spikes before step {step}")));
        }
        let stopped = match flag(content)? {
            true => Some(Stopped { condition: content.text()?, step: content.u32()?, time_ms: f64::from_bits(content.u64()?) }),
            false => None,
        };
        let is_complete = flag(content)?;
        let recent = content.list(|of| Ok(Spike { step: of.u32()?, neuron: of.u32()? }))?;
        if !recent.is_sorted() || recent.last().is_some_and(|last| last.step >= step) {
            return Err(content.wrong("the last spikes", format!("they must be in order, and before step {step}")));
        }
        let count = content.u32()?;
        let (conditions, arrays) = (received, Vec::new());
        let trial = TrialState { number, step, network, now, start, changed, conditions, stopped, is_complete, recent, arrays };
        Ok((trial, count))
    }
}

fn flag(content: &mut Reader<'_>) -> Result<bool, Error> {
    match content.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(content.wrong(other, "0 or 1 is expected")),
    }
}

impl NetworkLog {
    fn write(&self, content: &mut Writer) {
        content.u32(self.settings.len() as u32);
        for (path, value) in &self.settings {
            content.text(path);
            content.text(value);
        }
        content.u32(self.revision.ports.len() as u32);
        for ports in &self.revision.ports {
            content.u32(ports.len() as u32);
            for port in ports {
                content.u32(port.column);
                content.u8(u8::from(port.split_precision) | u8::from(port.rest) << 1);
                content.words([port.shift, port.fine_shift, port.limit].map(|number| number as u32));
            }
        }
        content.u32(self.revision.weights.len() as u32);
        for ScaledWrite { projection, write, units } in &self.revision.weights {
            content.u32(*projection as u32);
            content.u32(*write as u32);
            content.u32(units.len() as u32);
            content.words(units.iter().map(|unit| *unit as u32));
        }
    }

    fn read(content: &mut Reader<'_>) -> Result<NetworkLog, Error> {
        let settings = content.list(|of| Ok((of.text()?, of.text()?)))?.into_iter().collect();
        let port = |of: &mut Reader<'_>| {
            let (lane, kind) = (of.u32()?, of.u8()?);
            if kind > 2 {
                return Err(of.wrong(kind, "0, 1 or 2 is expected"));
            }
            let (shift, fine_shift, limit) = (of.u32()? as i32, of.u32()? as i32, of.u32()? as i32);
            Ok(Port { column: lane, split_precision: kind == 1, rest: kind == 2, shift, fine_shift, limit })
        };
        let ports = content.list(|of| of.list(port))?;
        let weights = content.list(|of| {
            let (projection, write) = (of.u32()? as usize, of.u32()? as usize);
            Ok(ScaledWrite { projection, write, units: Arc::new(of.list(|of| Ok(of.u32()? as i32))?) })
        })?;
        Ok(NetworkLog { settings, revision: Revision { ports, weights } })
    }
}
