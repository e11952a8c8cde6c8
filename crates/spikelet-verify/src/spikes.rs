//! Spikes, one by one.

use crate::case::CaseRun;
use crate::record::Record;
use crate::verdict::Findings;

/// Spikes that are so few steps from the end may be missing, or there may be more of them.
const NEAR_END: u32 = 5;

/// Compares all spikes of a run, and tells of each object's neurons whether theirs match to the step.
pub(crate) fn judge(run: &CaseRun, record: &Record, steps: u32, dt_ms: f64, findings: &mut Findings) -> Vec<(String, Vec<bool>)> {
    let mut matches = Vec::new();
    for (object, expected) in &run.spikes {
        let found = record.spikes(object);
        let mut largest = 0;
        for (neuron, (expected, found)) in expected.iter().zip(found).enumerate() {
            match shift(expected, found, steps) {
                Ok(shift) => {
                    largest = largest.max(shift);
                    if shift > run.spike_steps {
                        let worst = expected.iter().zip(found).position(|(a, b)| a.abs_diff(*b) > run.spike_steps);
                        let worst = worst.unwrap_or_default();
                        let time = |steps: &[u32]| ms(steps.get(worst).copied().unwrap_or_default(), dt_ms);
                        findings.reasons.push(format!(
                            "spike {worst} of neuron {neuron} of {object} is at {} ms, expected at {} ms, up to {} steps apart",
                            time(found),
                            time(expected),
                            run.spike_steps
                        ));
                    }
                }
                Err(first) => findings.reasons.push(format!(
                    "neuron {neuron} of {object} has {} spikes, expected {}; the first unmatched one is at {} ms",
                    found.len(),
                    expected.len(),
                    ms(first, dt_ms)
                )),
            }
        }
        findings.measures.push(crate::Measure {
            what: format!("spikes of {object}"),
            difference: f64::from(largest),
            within: f64::from(run.spike_steps),
        });
        matches.push((object.clone(), expected.iter().zip(found).map(|(expected, found)| expected == found).collect()));
    }
    matches
}

/// The largest shift between the k-th spikes of two lists, in steps.
///
/// # Errors
/// One of them has more, and not only near the end: the step of the first that the other lacks.
fn shift(expected: &[u32], found: &[u32], steps: u32) -> Result<u32, u32> {
    let both = expected.len().min(found.len());
    let surplus = if expected.len() > both { &expected[both..] } else { &found[both..] };
    if surplus.iter().any(|step| step + NEAR_END < steps) {
        // The one that is too much need not be the last: it is where the lists part for good.
        let (long, short) = if expected.len() > both { (expected, found) } else { (found, expected) };
        let parts = (0..both).find(|k| long[*k].abs_diff(short[*k]) > NEAR_END).unwrap_or(both);
        return Err(long[parts]);
    }
    Ok(expected.iter().zip(found).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0))
}

/// The time of a step, without the rounding error of a product.
pub(crate) fn ms(step: u32, dt_ms: f64) -> f64 {
    let time = f64::from(step) * dt_ms;
    (time * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kth_spike_goes_with_the_kth() {
        assert_eq!(shift(&[10, 20, 30], &[10, 20, 30], 100), Ok(0));
        assert_eq!(shift(&[10, 20, 30], &[11, 18, 30], 100), Ok(2));
        assert_eq!(shift(&[], &[], 100), Ok(0));
    }

    #[test]
    fn only_spikes_near_the_end_may_be_missing() {
        assert_eq!(shift(&[10, 95], &[10], 100), Ok(0));
        assert_eq!(shift(&[10], &[10, 96, 99], 100), Ok(0));
        assert_eq!(shift(&[10, 94], &[10], 100), Err(94));
        assert_eq!(shift(&[10], &[10, 94, 99], 100), Err(94));
        assert_eq!(shift(&[10, 30, 50], &[10, 20, 30, 50], 100), Err(20));
        assert_eq!(shift(&[10, 99], &[], 100), Err(10));
    }
}
