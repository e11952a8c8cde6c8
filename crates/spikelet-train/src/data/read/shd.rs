//! The layout of the Spiking Heidelberg Digits.

use spikelet_interchange::hdf5::File;
use spikelet_network::Error;

use super::{Content, whole};
use crate::{Event, Target};

/// Number of channels of the published data.
const CHANNELS: u32 = 700;

pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Content, Error> {
    let within = |error: Error| error.within(name, "the file");
    let file = File::open(bytes.to_vec()).map_err(within)?;
    let lists = |path: &str| file.dataset(path).and_then(|of| of.lists()).map_err(within);
    let (times, units) = (lists("/spikes/times")?, lists("/spikes/units")?);
    let labels = file.dataset("/labels").and_then(|of| of.f64()).map_err(within)?;
    if times.len() != labels.len() || units.len() != labels.len() {
        let found = format!("{} lists of times and {} of units", times.len(), units.len());
        let expected = format!("one for each of {} labels is expected", labels.len());
        return Err(Error::invalid(format!("{name}: spikes"), found, expected, "write the file again"));
    }
    let mut content = Content { channels: Some(CHANNELS), samples: Vec::with_capacity(labels.len()) };
    for (index, ((times, units), label)) in times.into_iter().zip(units).zip(labels).enumerate() {
        if times.len() != units.len() {
            let (found, expected) = (format!("{} long", units.len()), format!("its times have {}", times.len()));
            return Err(Error::invalid(format!("{name}: spikes/units[{index}]"), found, expected, "write the file again"));
        }
        let event = |(time, unit): (f64, f64)| {
            let channel = whole(|| format!("{name}: spikes/units[{index}]"), unit)?;
            // Seconds to ms.
            Ok(Event { time_ms: 1000.0 * time, channel })
        };
        let events = times.into_iter().zip(units).map(event).collect::<Result<_, Error>>()?;
        content.samples.push((events, Target::Class(whole(|| format!("{name}: labels[{index}]"), label)?)));
    }
    // Other data of this layout may have more.
    let most = content.samples.iter().flat_map(|(events, _)| events).map(|event| event.channel).max();
    content.channels = most.map_or(content.channels, |most| Some(CHANNELS.max(most.saturating_add(1))));
    Ok(content)
}
