//! The k largest of n values, on the GPU and on the CPU.

use std::hint::black_box;
use std::time::Instant;

use pollster::block_on;
use serde_json::json;
use spikelet::{Error, Select, WinnerRule};
use spikelet_gpu::GpuSelect;

use crate::Problem;
use crate::item::{begin, emit, open};
use crate::options::Options;

/// Numbers of values, and those of a rehearsal. A thousandth of them win.
const VALUES: [u32; 3] = [100_000, 1_000_000, 10_000_000];
const VALUES_OF_REHEARSAL: [u32; 1] = [10_000];
/// Selections of a submission: so that reading the winners, once each, hardly counts.
const TIMES: u32 = 20;
/// Measurements, of which the fastest counts.
const ROUNDS: usize = 5;

/// Measures all numbers of values.
///
/// # Errors
/// There is no GPU, or it fails; or it finds other winners than the CPU.
pub(crate) fn run(options: &Options) -> Result<(), Problem> {
    let device = open(options)?;
    let numbers = if options.rehearse { VALUES_OF_REHEARSAL.as_slice() } else { &VALUES };
    for (item, n) in numbers.iter().enumerate() {
        let case = format!("select/{n}");
        begin(item, &case);
        // As sums of many inputs are: of about a bell's shape, with ties.
        let word = |index: u32| (index ^ 0x9e37_79b9).wrapping_mul(0x85eb_ca6b).rotate_left(13).wrapping_mul(0xc2b2_ae35) >> 16;
        let value = |k: u32| (0..8).map(|part| word(k.wrapping_mul(8) + part) as f32).sum::<f32>() / 16.0;
        let values: Vec<f32> = (0..*n).map(value).collect();
        let wanted = n / 1000;
        let gpu = block_on(GpuSelect::new(&device, *n))?;
        gpu.write(&values);
        let on_gpu = || -> Result<Vec<u32>, Problem> {
            gpu.begin(WinnerRule::Largest(wanted), TIMES as usize);
            Ok(block_on(gpu.winners())?)
        };
        let winners = on_gpu()?;
        let mut cpu = Select::default();
        let on_cpu = |cpu: &mut Select| cpu.largest(black_box(&values), wanted as usize).map(<[u32]>::to_vec);
        if on_cpu(&mut cpu).ok().as_ref() != Some(&winners) {
            let what = format!("{} finds other winners among {n} values than the CPU; update its driver", device.report().name);
            return Err(Error::Backend(what).into());
        }
        let mut least = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            on_gpu()?;
            least[0] = least[0].min(begun.elapsed().as_secs_f64() / f64::from(TIMES));
            let begun = Instant::now();
            black_box(on_cpu(&mut cpu).ok());
            least[1] = least[1].min(begun.elapsed().as_secs_f64());
        }
        for (device, seconds) in ["gpu", "cpu"].into_iter().zip(least) {
            emit(&json!({"kind": "figure", "case": case, "device": device, "value": 1000.0 * seconds, "unit": "ms"}));
        }
    }
    Ok(())
}
