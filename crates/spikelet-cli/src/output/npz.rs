//! NumPy's `.npz`.

use std::io::{Result, Seek, Write};

use spikelet::Distribution;
use spikelet::npz::NpzWriter;

use super::{EventTime, RunRecording};

pub(super) fn spikes<W: Write + Seek>(file: W, recording: &RunRecording<'_>) -> Result<W> {
    let mut archive = NpzWriter::new(file);
    let count = [recording.spikes().count()];
    let moments = || recording.spikes().map(|(moment, _)| moment);
    let places = || recording.spikes().map(|(_, neuron)| recording.place(neuron));
    trials(&mut archive, "", recording, &count, &moments)?;
    archive.add("population", &count, places().map(|(index, _)| index as u32))?;
    archive.add("neuron", &count, places().map(|(_, neuron)| neuron))?;
    archive.add("step", &count, moments().map(|moment| moment.step))?;
    archive.add("time_ms", &count, moments().map(|moment| recording.time_ms(moment.step)))?;
    let names: Vec<&str> = recording.populations.iter().map(|(name, _)| name.as_str()).collect();
    archive.add_texts("population_names", &names)?;
    archive.finish()
}

pub(super) fn traces<W: Write + Seek>(file: W, recording: &RunRecording<'_>) -> Result<W> {
    let mut archive = NpzWriter::new(file);
    let count = recording.samples().count();
    let moments = || recording.samples().map(|(moment, _)| moment);
    trials(&mut archive, "", recording, &[count], &moments)?;
    archive.add("time_ms", &[count], moments().map(|moment| recording.time_ms(moment.step)))?;
    let values = recording.samples().flat_map(|(_, values)| values).copied();
    archive.add("values", &[count, recording.channels.len()], values)?;
    archive.add_texts("channels", &recording.channels)?;
    archive.finish()
}

/// The name of an array, and the part of a distribution in it.
type Named<T> = (&'static str, fn(&Distribution) -> T);

/// The arrays of each statistic with its name: `EE.w.mean`, `EE.w.counts` with one row per time.
pub(super) fn statistics<W: Write + Seek>(file: W, recording: &RunRecording<'_>) -> Result<W> {
    let mut archive = NpzWriter::new(file);
    for (index, of) in recording.statistics.iter().enumerate() {
        let own = || recording.measurements().filter(move |(_, measurement)| measurement.statistic == index);
        let (moments, found) = (|| own().map(|(moment, _)| moment), || own().map(|(_, of)| of.distribution));
        let (count, name) = ([own().count()], |array: &str| format!("{}.{array}", of.label));
        trials(&mut archive, &name(""), recording, &count, &moments)?;
        archive.add(&name("time_ms"), &count, moments().map(|moment| recording.time_ms(moment.step)))?;
        let numbers: [Named<f64>; 4] = [("mean", |of| of.mean), ("sd", |of| of.sd), ("min", |of| of.min), ("max", |of| of.max)];
        for (array, number) in numbers {
            archive.add(&name(array), &count, found().map(|of| number(&of)))?;
        }
        let counts: [Named<u32>; 4] =
            [("finite", |of| of.finite), ("not_finite", |of| of.not_finite), ("below", |of| of.below), ("above", |of| of.above)];
        for (array, number) in counts {
            archive.add(&name(array), &count, found().map(|of| number(&of)))?;
        }
        if of.bins() > 0 {
            archive.add(&name("counts"), &[count[0], of.bins()], found().flat_map(|of| of.counts))?;
            archive.add(&name("ends"), &[of.bins() + 1], of.ends())?;
        }
        archive.add_texts(&name("unit"), &[&of.unit])?;
    }
    archive.finish()
}

/// The trial of each entry, and for a sweep its variant.
fn trials<W: Write + Seek, I: Iterator<Item = EventTime>>(
    archive: &mut NpzWriter<W>,
    prefix: &str,
    recording: &RunRecording<'_>,
    count: &[usize],
    moments: &dyn Fn() -> I,
) -> Result<()> {
    if !recording.variants.is_empty() {
        archive.add(&format!("{prefix}variant"), count, moments().map(|moment| moment.variant))?;
    }
    archive.add(&format!("{prefix}trial"), count, moments().map(|moment| moment.trial))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use super::super::TrialRecording;
    use super::*;
    use crate::jobs::Job;
    use crate::records::{Log, RecordsReader};

    #[test]
    fn arrays_hold_what_was_recorded() {
        let job = |trial| Job { point: 0, trial };
        let log = |records: &[&[u32]]| {
            let mut log = Log::in_memory(records[0].len());
            records.iter().try_for_each(|record| log.append_words(record)).unwrap();
            log.into_reader().unwrap()
        };
        let records = RecordsReader {
            spikes: log(&[&[0, 1, 6, 12], &[0, 0, 4, 9]]),
            samples: log(&[&[0, 0, 0, (-60.5_f32).to_bits(), 1.0_f32.to_bits()]]),
            statistics: log(&[&[0; 16]]),
        };
        let recording = RunRecording {
            dt_ms: 0.5,
            populations: vec![("E".into(), 0), ("Inh".into(), 10)],
            channels: vec!["E.v[0] (mV)".into(), "µ".into()],
            intervals: vec![1, 1],
            every: 1,
            statistics: Vec::new(),
            monitored: &[],
            variants: Vec::new(),
            trials: vec![TrialRecording { job: job(0), kept: 0..10 }, TrialRecording { job: job(1), kept: 0..10 }],
            records: &records,
        };
        let read = |archive: Cursor<Vec<u8>>, name: &str| {
            let mut archive = zip::ZipArchive::new(archive).unwrap();
            let mut bytes = Vec::new();
            archive.by_name(&format!("{name}.npy")).unwrap().read_to_end(&mut bytes).unwrap();
            let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
            assert_eq!(start % 64, 0);
            bytes[start..].to_vec()
        };
        let words = |bytes: &[u8]| -> Vec<u32> {
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
        };
        let file = spikes(Cursor::new(Vec::new()), &recording).unwrap();
        assert_eq!(words(&read(file.clone(), "trial")), [0, 1]);
        assert_eq!(words(&read(file.clone(), "population")), [0, 1]);
        assert_eq!(words(&read(file.clone(), "neuron")), [9, 2]);
        assert_eq!(words(&read(file.clone(), "step")), [4, 6]);
        assert_eq!(read(file.clone(), "time_ms"), [2.0_f64.to_le_bytes(), 3.0_f64.to_le_bytes()].concat());
        assert_eq!(words(&read(file, "population_names")), [69, 0, 0, 73, 110, 104]);
        let file = traces(Cursor::new(Vec::new()), &recording).unwrap();
        assert_eq!(read(file.clone(), "values"), [(-60.5_f32).to_le_bytes(), 1.0_f32.to_le_bytes()].concat());
        assert_eq!(read(file, "channels").len(), 2 * 11 * 4);
    }
}
