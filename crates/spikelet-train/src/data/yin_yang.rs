//! The Yin-Yang data set.

use super::{Encoded, RandomState};
use crate::Event;

/// Radius of the two circles.
const SMALL: f64 = 0.1;
/// Radius of the whole figure.
const BIG: f64 = 0.5;

/// A point of the figure and its class: 0 is yang, 1 yin, 2 a circle.
///
/// The generator of Kriener, Göltz & Petrovici 2022 (arXiv:2102.08211), number by number: a class is drawn, then points until one has it.
fn point(random: &mut RandomState) -> ([f64; 2], u32) {
    let goal = random.randint(3);
    loop {
        let [x, y] = [random.rand(), random.rand()].map(|part| part * 2.0 * BIG);
        let distance = |centre: f64| ((x - centre) * (x - centre) + (y - BIG) * (y - BIG)).sqrt();
        if distance(BIG) > BIG {
            continue;
        }
        let (left, right) = (distance(0.5 * BIG), distance(1.5 * BIG));
        let yin = right <= SMALL || left > SMALL && left <= 0.5 * BIG || y > BIG && right > 0.5 * BIG;
        let class = if right < SMALL || left < SMALL { 2 } else { u32::from(yin) };
        if class == goal {
            return ([x, y], class);
        }
    }
}

/// A point as spike times: x, y, 1 − x, 1 − y of channels 0 to 3 in parts of `late_ms`, and channel 4 at 0 if there is a bias.
pub(super) fn encoded([x, y]: [f64; 2], late_ms: f64, bias: bool) -> Vec<Event> {
    let values = [x, y, 1.0 - x, 1.0 - y];
    let events = values.iter().zip(0..).map(|(value, channel)| Event { time_ms: value * late_ms, channel });
    events.chain(bias.then_some(Event { time_ms: 0.0, channel: 4 })).collect()
}

/// Points as samples.
pub(super) fn samples(seed: u32, count: usize, late_ms: f64, bias: bool) -> Vec<Encoded> {
    let mut random = RandomState::new(seed);
    let mut sample = || {
        let (point, class) = point(&mut random);
        Encoded { events: encoded(point, late_ms, bias), class }
    };
    (0..count).map(|_| sample()).collect()
}
