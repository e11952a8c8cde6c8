//! Comma-separated values with a header line.

use std::io::{Result, Write};

use super::Recording;

pub(super) fn spikes(file: &mut impl Write, recording: &Recording) -> Result<()> {
    writeln!(file, "trial,population,neuron,step,time_ms")?;
    for spike in &recording.spikes {
        let (population, neuron) = recording.place(spike.neuron);
        let name = quoted(&recording.populations[population].0);
        writeln!(file, "{},{name},{neuron},{},{}", spike.trial, spike.step, recording.time_ms(spike.step))?;
    }
    file.flush()
}

pub(super) fn traces(file: &mut impl Write, recording: &Recording) -> Result<()> {
    let names: Vec<String> = recording.channels.iter().map(|name| quoted(name)).collect();
    writeln!(file, "trial,time_ms,{}", names.join(","))?;
    for (sample, values) in recording.samples.iter().zip(recording.values.chunks_exact(names.len())) {
        write!(file, "{},{}", sample.trial, recording.time_ms(sample.step))?;
        for value in values {
            write!(file, ",{value}")?;
        }
        writeln!(file)?;
    }
    file.flush()
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
