//! The speed of a run.

use crate::number;

/// The speeds of the menu: biological time per wall time; the last one has no limit.
pub(crate) const SPEEDS: [f64; 8] = [0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 10.0, f64::INFINITY];

/// The name of a speed.
pub(crate) fn speed_word(speed: f64) -> String {
    match speed {
        f64::INFINITY => "Unlimited".into(),
        1.0 => "1× (real time)".into(),
        speed => format!("{}×", number::short(speed, 4)),
    }
}

/// The speed of the value of an option.
pub(crate) fn speed_of(value: &str) -> Option<f64> {
    value.parse().ok().filter(|speed: &f64| *speed > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_have_names_and_come_back() {
        assert_eq!([0.01, 1.0, 10.0, f64::INFINITY].map(speed_word), ["0.01×", "1× (real time)", "10×", "Unlimited"]);
        for speed in SPEEDS {
            assert_eq!(speed_of(&speed.to_string()), Some(speed));
        }
        for wrong in ["", "-1", "0", "NaN", "fast"] {
            assert_eq!(speed_of(wrong), None, "{wrong}");
        }
    }
}
