//! Exclusive or of two spike times.

use super::{Encoded, RandomState};
use crate::Event;

/// A spike of each of channels 0 and 1, early or late, and one of channel 2 at 0; the class is whether exactly one is late.
pub(super) fn sample(random: &mut RandomState, late_ms: f64, jitter_ms: f64) -> Encoded {
    let late = [random.randint(2), random.randint(2)];
    let mut event = |channel: usize| {
        let jitter = if jitter_ms > 0.0 { random.randn() * jitter_ms } else { 0.0 };
        Event { time_ms: (f64::from(late[channel]) * late_ms + jitter).max(0.0), channel: channel as u32 }
    };
    let events = vec![event(0), event(1), Event { time_ms: 0.0, channel: 2 }];
    Encoded { events, class: late[0] ^ late[1] }
}
