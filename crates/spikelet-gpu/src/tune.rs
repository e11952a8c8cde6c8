//! Search for the fastest workgroup size.

use spikelet::{Error, Plan};

use crate::AdapterReport;
use crate::passes::lay_out;
use crate::shape::Shape;
use crate::sizes::WORKGROUP_SIZE as USUAL;

/// The sizes that are tried.
pub const WORKGROUP_SIZES: [u32; 3] = [64, 128, 256];

/// Minimum relative gain to prefer another size: smaller differences are noise.
const WORTH_IT: f64 = 0.97;
/// Number of measurements of each.
const ROUNDS: usize = 3;

/// The results.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningResult {
    /// The selected size.
    pub best: u32,
    /// The shortest time of each size, in seconds.
    pub seconds: Vec<(u32, f64)>,
}

/// The key of a size: the same kernels on the same adapter with the same driver.
///
/// # Errors
/// The plan does not fit a GPU.
pub fn tuning_key(adapter: &AdapterReport, plan: &Plan) -> Result<String, Error> {
    let (_, passes) = lay_out(plan, Shape::unlimited())?;
    let mut names: Vec<&str> = passes.all().map(|pass| pass.kernel.name()).collect();
    names.sort_unstable();
    names.dedup();
    let parts = [&adapter.name, &adapter.api, &adapter.driver];
    Ok(parts.into_iter().map(String::as_str).chain([names.join("+").as_str()]).collect::<Vec<_>>().join(" | "))
}

/// Finds the fastest of `sizes`. `run` runs some epochs with a size, the same for all sizes, and returns their duration in seconds. It is
/// called several times for one size before the next; the first call is not counted, because it compiles kernels.
///
/// # Errors
/// An error of `run`.
pub async fn tune(sizes: &[u32], mut run: impl AsyncFnMut(u32) -> Result<f64, Error>) -> Result<TuningResult, Error> {
    let mut seconds: Vec<(u32, f64)> = Vec::with_capacity(sizes.len());
    for size in sizes {
        run(*size).await?;
        let mut least = f64::INFINITY;
        for _ in 0..ROUNDS {
            least = least.min(run(*size).await?);
        }
        seconds.push((*size, least));
    }
    let of = |size: u32| seconds.iter().find(|(of, _)| *of == size).copied();
    let fastest = seconds.iter().copied().min_by(|(_, one), (_, other)| one.total_cmp(other));
    let best = match (of(USUAL), fastest) {
        (Some((usual, took)), Some((_, least))) if least > WORTH_IT * took => usual,
        (_, Some((fastest, _))) => fastest,
        (_, None) => USUAL,
    };
    Ok(TuningResult { best, seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuned(times: &[(u32, &[f64])]) -> TuningResult {
        let mut runs = vec![0; times.len()];
        let sizes: Vec<u32> = times.iter().map(|(size, _)| *size).collect();
        let run = async |size: u32| {
            let place = sizes.iter().position(|of| *of == size).unwrap_or_default();
            runs[place] += 1;
            Ok(times[place].1[runs[place] - 1])
        };
        pollster::block_on(tune(&sizes, run)).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn the_fastest_is_taken_and_compiling_does_not_count() {
        let times: [(u32, &[f64]); 3] = [(256, &[0.1, 2.0, 2.0, 2.0]), (64, &[9.0, 1.5, 1.4, 1.6]), (128, &[9.0, 1.2, 1.0, 5.0])];
        let tuning = tuned(&times);
        assert_eq!(tuning, TuningResult { best: 128, seconds: vec![(256, 2.0), (64, 1.4), (128, 1.0)] });
    }

    #[test]
    fn what_is_hardly_faster_is_not_taken() {
        let tuning = tuned(&[(64, &[1.0; 4]), (256, &[0.98; 4])]);
        assert_eq!(tuning.best, 64);
        assert_eq!(tuned(&[(128, &[1.0; 4]), (256, &[0.99; 4])]).best, 256, "the usual one was not tried");
    }

    #[test]
    fn a_failure_ends_it() {
        let mut runs = 0;
        let failed = pollster::block_on(tune(&WORKGROUP_SIZES, async |size| {
            runs += 1;
            if size == 128 { Err(Error::Backend("lost".into())) } else { Ok(1.0) }
        }));
        assert_eq!((failed.is_err(), runs), (true, 5));
    }
}
