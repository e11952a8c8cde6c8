//! The selection of the largest values on a device is exact: it gives what a sort gives.
//!
//! Without an adapter a test says so and passes, unless `SPIKELET_REQUIRE_ADAPTER` is set, as in CI.

#[path = "../benches/select/sort.rs"]
mod sort;

use std::cmp::Reverse;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use pollster::block_on;
use spikelet::WinnerRule;
use spikelet_gpu::{Device, GpuSelect, kernels};

fn device() -> Option<Device> {
    match block_on(Device::open()) {
        Ok(device) => Some(device),
        Err(error) => {
            assert!(std::env::var_os("SPIKELET_REQUIRE_ADAPTER").is_none(), "{error}");
            println!("skipped: no adapter ({error})");
            None
        }
    }
}

/// A number whose order is the order of the values; -0 and 0 have the same.
fn rank(value: f32) -> i64 {
    let bits = i64::from(value.abs().to_bits());
    if value.is_sign_negative() { -bits } else { bits }
}

/// The winners by a stable sort.
fn sorted(values: &[f32], k: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_by_key(|index| Reverse(rank(values[*index as usize])));
    order.truncate(k as usize);
    order.sort_unstable();
    order
}

fn selected(select: &GpuSelect, rule: WinnerRule) -> Vec<u32> {
    select.begin(rule, 1);
    block_on(select.winners()).unwrap()
}

/// Numbers without a pattern.
fn mixed(index: u32) -> u32 {
    let word = (index ^ 0x9e37_79b9).wrapping_mul(0x85eb_ca6b);
    let word = (word ^ (word >> 13)).wrapping_mul(0xc2b2_ae35);
    word ^ (word >> 16)
}

/// Arrays with many ties, none, one value alone, every exponent, and the ends of the range.
fn arrays(n: u32) -> Vec<(&'static str, Vec<f32>)> {
    let each = |value: &dyn Fn(u32) -> f32| (0..n).map(value).collect::<Vec<f32>>();
    let special = [f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, f32::MIN_POSITIVE / 4.0, f32::MAX, f32::MIN, -1e-42];
    vec![
        ("all equal", each(&|_| 3.0)),
        ("zeros of both signs", each(&|k| if k % 3 == 0 { 0.0 } else { -0.0 })),
        ("few values", each(&|k| (mixed(k) % 7) as f32 - 3.0)),
        ("counts", each(&|k| (mixed(k) % 1000).min(mixed(k + 1) % 1000) as f32)),
        ("ascending", each(&|k| k as f32)),
        ("descending", each(&|k| -(k as f32))),
        ("negative", each(&|k| -1.0 - (mixed(k) >> 8) as f32)),
        ("close together", each(&|k| 1.0 + (mixed(k) >> 9) as f32 * f32::EPSILON)),
        ("any bits", each(&|k| Some(f32::from_bits(mixed(k))).filter(|value| !value.is_nan()).unwrap_or(0.5))),
        ("ends of the range", each(&|k| special[mixed(k) as usize % special.len()])),
    ]
}

#[test]
fn kernels_of_selections_are_valid() {
    for text in kernels::select() {
        let module =
            naga::front::wgsl::parse_str(&text.wgsl).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&text.wgsl)));
        let valid = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
        valid.unwrap_or_else(|error| panic!("{}", error.emit_to_string(&text.wgsl)));
        assert_eq!((module.entry_points.len(), module.entry_points[0].name.as_str()), (1, text.entry_point));
    }
}

#[test]
fn winners_are_those_of_a_sort() {
    let Some(device) = device() else { return };
    for n in [1, 2, 63, 1000, 1024, 1025, 4097, 20_000] {
        let select = block_on(GpuSelect::new(&device, n)).unwrap();
        for (name, values) in arrays(n) {
            select.write(&values);
            for k in [1, 2, n / 10, n / 2, n.saturating_sub(1), n].map(|k| k.clamp(1, n)) {
                assert_eq!(selected(&select, WinnerRule::Largest(k)), sorted(&values, k), "{name}, {k} of {n}");
            }
        }
    }
}

/// More tiles than chunks: a chunk has several.
#[test]
fn many_values_are_selected_from_in_the_same_dispatches() {
    let Some(device) = device() else { return };
    for (n, k) in [(100_000, 1000), (1_000_000, 1000), (3_000_000, 40_000)] {
        let select = block_on(GpuSelect::new(&device, n)).unwrap();
        for (name, values) in arrays(n).into_iter().filter(|(name, _)| ["counts", "all equal", "any bits"].contains(name)) {
            select.write(&values);
            assert!(selected(&select, WinnerRule::Largest(k)) == sorted(&values, k), "{name}, {k} of {n}");
        }
    }
}

#[test]
fn a_selection_leaves_nothing_behind_for_the_next() {
    let Some(device) = device() else { return };
    let values = &arrays(5000)[8].1;
    let select = block_on(GpuSelect::new(&device, 5000)).unwrap();
    select.write(values);
    select.begin(WinnerRule::Largest(70), 3);
    assert_eq!(block_on(select.winners()).unwrap(), sorted(values, 70));
    selected(&select, WinnerRule::Within(0.5));
    assert_eq!(selected(&select, WinnerRule::Largest(7)), sorted(values, 7));
}

#[test]
fn all_that_reach_a_fraction_of_the_largest_value_win() {
    let Some(device) = device() else { return };
    for n in [1, 1000, 30_000] {
        let select = block_on(GpuSelect::new(&device, n)).unwrap();
        for (name, values) in arrays(n) {
            select.write(&values);
            let best = values.iter().copied().fold(0.0, f32::max);
            for fraction in [1.0, 0.9, 0.25, f32::MIN_POSITIVE] {
                let reach = |value: f32| best > 0.0 && value >= fraction * best;
                let expected: Vec<u32> = (0..n).filter(|k| reach(values[*k as usize])).collect();
                assert_eq!(selected(&select, WinnerRule::Within(fraction)), expected, "{name}, {fraction} of {best}, {n}");
            }
        }
    }
}

#[test]
fn the_first_value_that_is_not_a_number_is_named() {
    let Some(device) = device() else { return };
    let mut values = arrays(5000)[2].1.clone();
    let select = block_on(GpuSelect::new(&device, 5000)).unwrap();
    for (index, nan) in [(4999, f32::NAN), (2100, -f32::NAN), (2099, f32::from_bits(0x7f80_0001))] {
        values[index] = nan;
        select.write(&values);
        for rule in [WinnerRule::Largest(10), WinnerRule::Within(0.5)] {
            select.begin(rule, 1);
            let error = block_on(select.winners()).unwrap_err().to_string();
            assert!(error.contains(&format!("value {index} is not a number")), "{error}");
        }
    }
}

/// What benches compare with.
#[test]
fn a_full_sort_gives_the_same_winners() {
    if device().is_none() {
        return;
    }
    for n in [1, 1000, 300_000] {
        let sort = block_on(sort::Sort::new(n)).unwrap();
        for (name, values) in arrays(n) {
            sort.write(&values);
            let mut found = block_on(sort.largest(n.div_ceil(7), 2));
            found.sort_unstable();
            assert!(found == sorted(&values, n.div_ceil(7)), "{name}, {n}");
        }
    }
}
