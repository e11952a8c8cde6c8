//! NumPy's `.npz`: a zip archive of `.npy` arrays, each a header in Python syntax and the raw numbers.
//!
//! The format is that of `numpy.lib.format`, version 1.0.

use std::io::{Result, Seek, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{Moment, Recording};

pub(super) fn spikes<W: Write + Seek>(file: W, recording: &Recording) -> Result<W> {
    let mut archive = ZipWriter::new(file);
    let count = [recording.spikes().count()];
    let moments = || recording.spikes().map(|(moment, _)| moment);
    let places = || recording.spikes().map(|(_, neuron)| recording.place(neuron));
    trials(&mut archive, recording, &count, &moments)?;
    add(&mut archive, "population", U32, &count, places().map(|(index, _)| (index as u32).to_le_bytes()))?;
    add(&mut archive, "neuron", U32, &count, places().map(|(_, neuron)| neuron.to_le_bytes()))?;
    add(&mut archive, "step", U32, &count, moments().map(|moment| moment.step.to_le_bytes()))?;
    add(&mut archive, "time_ms", F64, &count, moments().map(|moment| recording.time_ms(moment.step).to_le_bytes()))?;
    let names: Vec<&str> = recording.populations.iter().map(|(name, _)| name.as_str()).collect();
    add_texts(&mut archive, "population_names", &names)?;
    Ok(archive.finish()?)
}

pub(super) fn traces<W: Write + Seek>(file: W, recording: &Recording) -> Result<W> {
    let mut archive = ZipWriter::new(file);
    let count = recording.samples().count();
    let moments = || recording.samples().map(|(moment, _)| moment);
    trials(&mut archive, recording, &[count], &moments)?;
    add(&mut archive, "time_ms", F64, &[count], moments().map(|moment| recording.time_ms(moment.step).to_le_bytes()))?;
    let values = recording.samples().flat_map(|(_, values)| values).map(|value| value.to_le_bytes());
    add(&mut archive, "values", F32, &[count, recording.channels.len()], values)?;
    add_texts(&mut archive, "channels", &recording.channels)?;
    Ok(archive.finish()?)
}

/// The trial of each entry, and where there is a sweep its variant.
fn trials<W: Write + Seek, I: Iterator<Item = Moment>>(
    archive: &mut ZipWriter<W>,
    recording: &Recording,
    count: &[usize],
    moments: &dyn Fn() -> I,
) -> Result<()> {
    if !recording.variants.is_empty() {
        add(archive, "variant", U32, count, moments().map(|moment| moment.variant.to_le_bytes()))?;
    }
    add(archive, "trial", U32, count, moments().map(|moment| moment.trial.to_le_bytes()))
}

const U32: &str = "<u4";
const F32: &str = "<f4";
const F64: &str = "<f8";

/// One array, row after row.
fn add<W: Write + Seek, const N: usize>(
    archive: &mut ZipWriter<W>,
    name: &str,
    kind: &str,
    shape: &[usize],
    elements: impl Iterator<Item = [u8; N]>,
) -> Result<()> {
    // Arrays beyond 4 GiB need the larger entry headers.
    let large = shape.iter().product::<usize>() * N >= u32::MAX as usize;
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(large);
    archive.start_file(format!("{name}.npy"), options)?;
    archive.write_all(&header(kind, shape))?;
    // The archive passes every write on to the file: hand it pages.
    let mut page = Vec::with_capacity(1 << 16);
    for element in elements {
        page.extend(element);
        if page.len() >= 1 << 16 {
            archive.write_all(&page)?;
            page.clear();
        }
    }
    archive.write_all(&page)
}

/// An array of texts, each padded to the longest.
fn add_texts<W: Write + Seek>(archive: &mut ZipWriter<W>, name: &str, texts: &[impl AsRef<str>]) -> Result<()> {
    let longest = texts.iter().map(|text| text.as_ref().chars().count()).max().unwrap_or(0).max(1);
    let letters = texts.iter().flat_map(|text| {
        let letters = text.as_ref().chars().map(u32::from).chain(std::iter::repeat(0));
        letters.take(longest).map(u32::to_le_bytes)
    });
    add(archive, name, &format!("<U{longest}"), &[texts.len()], letters)
}

/// Magic, version, and a dictionary padded so that the numbers start at a multiple of 64 bytes.
fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
    let shape = if shape.len() == 1 { sizes.trim_end() } else { sizes.trim_end_matches(", ") };
    let dictionary = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    let length = (10 + dictionary.len() + 1).next_multiple_of(64) - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{dictionary:<width$}\n", width = length - 1).bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use spikelet::{Activity, Spike};

    use super::super::Recorded;
    use super::*;

    /// What `numpy.save` writes.
    #[test]
    fn headers_are_those_of_numpy() {
        let expected = b"\x93NUMPY\x01\x00v\x00{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }";
        let found = header(U32, &[3]);
        assert_eq!((&found[..expected.len()], found.len(), found[127]), (&expected[..], 128, b'\n'));
        let matrix = header(F32, &[2, 3]);
        assert!(String::from_utf8_lossy(&matrix).contains("'shape': (2, 3), }"));
    }

    #[test]
    fn arrays_hold_what_was_recorded() {
        let recording = Recording {
            dt_ms: 0.5,
            populations: vec![("E".into(), 0), ("Inh".into(), 10)],
            channels: vec!["E.v[0] (mV)".into(), "µ".into()],
            variants: Vec::new(),
            trials: vec![
                Recorded {
                    variant: 0,
                    trial: 0,
                    activity: Activity { spikes: vec![Spike { step: 4, neuron: 9 }], samples: vec![-60.5, 1.0] },
                },
                Recorded {
                    variant: 0,
                    trial: 1,
                    activity: Activity { spikes: vec![Spike { step: 6, neuron: 12 }], samples: Vec::new() },
                },
            ],
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
