//! The report of a dry run as text.

use std::fmt;

use spikelet::human;

use super::device_view::DeviceView;
use super::{DegreeRange, Report};
use crate::forecast::NOMINAL_HZ;
use crate::text::short;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { network, neurons, synapses, exact, seconds, trials, .. } = self;
        if *exact {
            writeln!(f, "{network}: {neurons} neurons, {synapses} synapses, built in {seconds:.1} s\n")?;
        } else {
            let seconds = short(*seconds);
            writeln!(
                f,
                "{network}: {neurons} neurons, about {:.3e} synapses, estimated in {seconds} s; --exact draws them\n",
                *synapses as f64
            )?;
        }
        writeln!(f, "{:<16} {:>12}  {:<10} {:>10}  in-degree    out-degree", "projection", "synapses", "kept", "dropped")?;
        for of in &self.projections {
            let dropped = of.dropped.map_or("?".to_owned(), |dropped| dropped.to_string());
            let (name, count, kept, incoming, outgoing) = (&of.name, of.synapses, of.kept, of.incoming.to_string(), &of.outgoing);
            writeln!(f, "{name:<16} {count:>12}  {kept:<10} {dropped:>10}  {incoming:<12} {outgoing}")?;
        }
        let total = self.bytes();
        writeln!(f, "\nCPU: {total} bytes ({})", human(total))?;
        for (name, bytes) in self.memory.iter().filter(|(_, bytes)| *bytes > 0) {
            writeln!(f, "  {name:<20} {bytes:>14}  {}", human(*bytes))?;
        }
        if *trials > 1 {
            let bytes = self.bytes_of_trials;
            writeln!(f, "{trials} trials in parallel: {bytes} bytes ({})", human(bytes))?;
        }
        if let Some(available) = self.available {
            let fits = if self.bytes_of_trials <= available { "it fits" } else { "fewer trials run in parallel" };
            writeln!(f, "available: {}, {fits}", human(available))?;
        }
        let [samples, spikes] = [self.samples_per_second, self.spikes_per_second].map(|bytes| human(bytes as u64));
        writeln!(
            f,
            "results: {} recorded values, {samples} of samples and {spikes} of spikes per biological second, {} at the end with --out",
            self.channels,
            human(self.recorded() as u64)
        )?;
        self.gpus.iter().try_for_each(|gpu| gpu.print(f))?;
        let rates = if self.known {
            "at the rates that the catalogue expects".to_owned()
        } else {
            format!("if neurons fire at {NOMINAL_HZ} Hz")
        };
        write!(f, "\n{:.3e} synaptic events per biological second, {rates}", self.events)
    }
}

impl DeviceView {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.as_ref().map_or("GPU that".to_owned(), |name| format!("{name},"));
        writeln!(f, "\n{name} binds {} at once:", human(self.binding))?;
        let gpu = match &self.found {
            Ok(gpu) => gpu,
            Err(error) => return writeln!(f, "  does not fit: {error}"),
        };
        let dispatches = match gpu.dispatches {
            None => String::new(),
            Some((_, true)) => ", one dispatch for all steps of a submission".to_owned(),
            Some((dispatches, false)) => {
                let per_step = dispatches as f64 / f64::from(gpu.epoch_steps);
                format!(", {dispatches} dispatches per {} steps ({per_step:.2} a step)", gpu.epoch_steps)
            }
        };
        writeln!(f, "  {} in {} pages of rows{dispatches}", human(gpu.bytes()), gpu.pages)?;
        for (name, bytes) in &gpu.buffers {
            writeln!(f, "  {name:<20} {bytes:>14}  {}", human(*bytes))?;
        }
        match (self.name.is_some(), self.memory) {
            (false, _) => Ok(()),
            (true, None) => writeln!(f, "  its driver does not tell how much memory is free"),
            (true, Some(memory)) => {
                let fits = if self.fits() == Some(true) { "it fits" } else { "it does not fit" };
                writeln!(f, "  free: {} of {}, {fits}", human(memory.free), human(memory.bytes))
            }
        }
    }
}

impl fmt::Display for DegreeRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DegreeRange::Counted { least, most, .. } if least == most => write!(f, "{least}"),
            DegreeRange::Counted { least, mean, most } => write!(f, "{least}–{mean:.1}–{most}"),
            DegreeRange::AtMost(most) => write!(f, "≤ {most}"),
            DegreeRange::Mean(mean) => write!(f, "~{mean:.1}"),
            DegreeRange::Nothing => write!(f, "0"),
        }
    }
}
