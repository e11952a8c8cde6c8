//! Samples of N-MNIST.

use std::fmt::Display;
use std::io::{Cursor, Read};

use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive};
use spikelet_network::Error;

use super::Content;
use crate::{Event, Target};

/// Width and height of the images.
const SIDE: u32 = 34;
/// Bytes of a spike.
const SPIKE: usize = 5;
/// The largest size of a sample: as many spikes as times of 23 bits.
const LARGEST: u64 = (SPIKE as u64) << 23;

/// A sample: its name has the class. Squares of `bin` pixels become one.
pub(super) fn read(name: &str, bytes: &[u8], bin: u32) -> Result<Content, Error> {
    let side = SIDE.div_ceil(bin);
    let class = name.rsplit(['/', '\\']).nth(1).and_then(|folder| folder.parse().ok());
    let Some(class) = class else {
        let expected = "the folder of a sample is its class, as in Train/5/00002.bin";
        return Err(Error::invalid(name, "without such a folder", expected, "move it, or read a .zip of all samples"));
    };
    if !bytes.len().is_multiple_of(SPIKE) {
        let found = format!("{} bytes long", bytes.len());
        return Err(Error::invalid(name, found, "a spike has five bytes", "the file is cut off; download it again"));
    }
    let event = |(index, spike): (usize, &[u8])| {
        let [x, y] = [spike[0], spike[1]].map(u32::from);
        if x >= SIDE || y >= SIDE {
            let expected = format!("images have {SIDE} × {SIDE} pixels");
            return Err(Error::invalid(format!("{name}: spike {index}"), format!("at {x}, {y}"), expected, "use N-MNIST"));
        }
        let polarity = u32::from(spike[2] >> 7);
        let microseconds = u32::from(spike[2] & 0x7f) << 16 | u32::from(spike[3]) << 8 | u32::from(spike[4]);
        let channel = (polarity * side + y / bin) * side + x / bin;
        Ok(Event { time_ms: f64::from(microseconds) / 1000.0, channel })
    };
    let events = bytes.chunks_exact(SPIKE).enumerate().map(event).collect::<Result<_, Error>>()?;
    Ok(Content { samples: vec![(events, Target::Class(class))], channels: Some(2 * side * side) })
}

/// All samples of an archive, by their names.
pub(super) fn read_archive(name: &str, bytes: &[u8], bin: u32) -> Result<Content, Error> {
    fn invalid(name: &str, error: impl Display) -> Error {
        let expected = format!("a zip archive of samples is expected ({error})");
        Error::invalid(name, "not readable", expected, "download it again")
    }
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_seekable(Cursor::new(bytes), &mut buffer).map_err(|error| invalid(name, error))?;
    let (mut entries, mut files) = (archive.entries(&mut buffer), Vec::new());
    while let Some(entry) = entries.next_entry().map_err(|error| invalid(name, error))? {
        let path = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        if path.ends_with(".bin") {
            files.push((path, entry.wayfinder(), entry.compression_method()));
        }
    }
    files.sort_by(|a, b| a.0.cmp(&b.0));
    let mut content = Content { channels: Some(2 * SIDE.div_ceil(bin).pow(2)), ..Content::default() };
    for (path, entry, method) in files {
        let path = format!("{name}/{path}");
        let packed = archive.get_entry(entry).map_err(|error| invalid(&path, error))?.reader();
        let mut unpacked: Box<dyn Read> = match method {
            CompressionMethod::STORE => Box::new(packed),
            CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(packed)),
            other => return Err(invalid(&path, format!("method {other} of compression is not known"))),
        };
        let mut sample = Vec::new();
        unpacked.by_ref().take(LARGEST).read_to_end(&mut sample).map_err(|error| invalid(&path, error))?;
        content.samples.extend(read(&path, &sample, bin)?.samples);
    }
    Ok(content)
}
