//! The signals that interrupt a run.

use std::fmt;

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
use signal_hook::consts::{SIGINT, SIGTERM};

/// The handled signals.
pub(crate) const SIGNALS: &[Signal] = &[
    Signal { number: SIGINT, name: "SIGINT" },
    Signal { number: SIGTERM, name: "SIGTERM" },
    #[cfg(unix)]
    Signal { number: SIGHUP, name: "SIGHUP" },
];

/// The signals at which a run saves its state and continues.
pub(crate) const SAVING_SIGNALS: &[Signal] = &[
    #[cfg(unix)]
    Signal { number: SIGUSR1, name: "SIGUSR1" },
    #[cfg(unix)]
    Signal { number: SIGUSR2, name: "SIGUSR2" },
    #[cfg(unix)]
    Signal { number: SIGXCPU, name: "SIGXCPU" },
];

/// A signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signal {
    pub(crate) number: i32,
    pub(crate) name: &'static str,
}

impl Signal {
    /// The handled signal with a number.
    pub(crate) fn of_number(number: i32) -> Option<Signal> {
        SIGNALS.iter().find(|signal| signal.number == number).copied()
    }

    /// The exit code of a program that was ended by a signal.
    pub(crate) fn exit_code(self) -> u8 {
        128 + self.number as u8
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
