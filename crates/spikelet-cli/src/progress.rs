//! A progress bar with the real-time factor, on terminals only.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::text::short;

pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar over `total_ms` of biological time; none in a pipe, or with `--quiet`.
    pub(crate) fn new(total_ms: f64, quiet: bool) -> Progress {
        let shown = !quiet && stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(total_ms.ceil() as u64), target);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} ms  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Progress { bar }
    }

    /// A bar over the synapses during the build.
    pub(crate) fn of_building(quiet: bool) -> Progress {
        let progress = Progress::new(1.0, quiet);
        let style = ProgressStyle::with_template("{bar:30} {msg}");
        progress.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        progress
    }

    /// Shows the progress of the build.
    pub(crate) fn show_building(&self, progress: &spikelet::Progress) {
        self.bar.set_length(progress.expected as u64);
        self.bar.set_position(progress.synapses);
        let count = format!("{:.1} M of about {:.1} M synapses", progress.synapses as f64 / 1e6, progress.expected / 1e6);
        self.bar.set_message(format!("{count}  {}", progress.projection));
    }

    /// Shows biological time and wall time.
    pub(crate) fn show(&self, done_ms: f64, wall: Duration) {
        self.bar.set_position(done_ms as u64);
        if done_ms > 0.0 {
            self.bar.set_message(format!("real-time factor {}", short(wall.as_secs_f64() * 1000.0 / done_ms)));
        }
    }

    /// A bar over the samples of an epoch.
    pub(crate) fn of_epoch(samples: usize, quiet: bool) -> Progress {
        let progress = Progress::new(samples as f64, quiet);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} samples  {msg}");
        progress.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        progress
    }

    /// Shows the samples of an epoch that were seen.
    pub(crate) fn show_epoch(&self, epoch: u32, samples: usize) {
        self.bar.set_position(samples as u64);
        self.bar.set_message(format!("epoch {epoch}"));
    }

    /// Removes the bar.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// The bar is removed in all cases.
impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
