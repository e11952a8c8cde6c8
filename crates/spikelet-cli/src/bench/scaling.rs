//! The size from which a GPU is faster than the CPU.

use spikelet::grouped;

use super::measurement::Measurement;
use crate::text::short;

/// A sentence for each family measured on both.
pub(super) fn sentences(measured: &[Measurement]) -> Vec<String> {
    let mut families: Vec<&str> = measured.iter().map(|of| of.network.as_str()).collect();
    families.dedup();
    let of_family = |family: &&str| {
        let of = measured.iter().filter(|of| of.network == *family && of.trials == 1);
        let ratios: Vec<(u32, f64)> = of.filter_map(|of| Some((of.neurons, of.ratio?))).collect();
        (!ratios.is_empty()).then(|| format!("{family}: {}", crossover(&ratios)))
    };
    families.iter().filter_map(of_family).collect()
}

/// The size at which the speed of the GPU relative to the CPU finally exceeds 1. Between two sizes, speeds are interpolated as powers of
/// the size.
fn crossover(ratios: &[(u32, f64)]) -> String {
    let (Some(smallest), Some(largest)) = (ratios.first(), ratios.last()) else { return "nothing was measured".to_owned() };
    let neurons = |size: u32| grouped(u64::from(size));
    let at = |of: &(u32, f64)| format!("{} times as fast at {} neurons", short(of.1), neurons(of.0));
    match ratios.iter().rposition(|(_, ratio)| *ratio < 1.0) {
        None => format!("the GPU is faster at every size: {}, {}", at(smallest), at(largest)),
        Some(last) if last + 1 == ratios.len() => match ratios.iter().max_by(|a, b| a.1.total_cmp(&b.1)) {
            Some(best) if best.1 >= 1.0 => {
                format!("the CPU is faster at the largest size; at best the GPU is {}, and {}", at(best), at(largest))
            }
            _ => format!("the CPU is faster at every size: the GPU is {}, {}", at(smallest), at(largest)),
        },
        Some(last) => {
            let [(below, slow), (above, fast)] = [ratios[last], ratios[last + 1]];
            let part = -slow.ln() / (fast.ln() - slow.ln());
            let size = f64::from(below) * (f64::from(above) / f64::from(below)).powf(part);
            // Two digits are sufficient.
            let digit = 10_f64.powf(size.log10().floor() - 1.0);
            let size = (size / digit).round() * digit;
            format!("the GPU is faster from about {} neurons on: {}", neurons(size as u32), at(largest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(ratios: &[(u32, f64)]) -> String {
        crossover(ratios).replace('\u{202f}', " ")
    }

    #[test]
    fn a_crossover_in_words() {
        let between = words(&[(100, 0.1), (10_000, 0.5), (100_000, 5.0), (1_000_000, 8.0)]);
        assert_eq!(between, "the GPU is faster from about 20 000 neurons on: 8.00 times as fast at 1 000 000 neurons");
        let always = words(&[(100, 1.0), (1000, 4.0)]);
        assert_eq!(
            always,
            "the GPU is faster at every size: 1.00 times as fast at 100 neurons, 4.00 times as fast at 1 000 neurons"
        );
        let never = words(&[(100, 0.1), (1000, 0.4)]);
        assert_eq!(
            never,
            "the CPU is faster at every size: the GPU is 0.100 times as fast at 100 neurons, 0.400 times as fast at 1 000 neurons"
        );
        let between = words(&[(100, 0.1), (1000, 2.0), (10_000, 0.5)]);
        assert!(
            between.starts_with("the CPU is faster at the largest size; at best the GPU is 2.00 times as fast at 1 000"),
            "{between}"
        );
        assert_eq!(words(&[]), "nothing was measured");
    }

    /// A size at which the GPU is faster because of noise does not count, if it is slower at a larger one.
    #[test]
    fn it_must_stay_faster() {
        assert!(words(&[(100, 1.1), (1000, 0.5), (10_000, 2.0)]).contains("from about 3 200 neurons on"));
    }
}
