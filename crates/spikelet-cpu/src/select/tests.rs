use std::cmp::Reverse;

use proptest::prelude::*;

use super::{NotANumber, Select, key, value};

/// The same by sorting all values, with comparisons of f32 alone.
fn by_sorting(values: &[f32], k: usize) -> Vec<u32> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].partial_cmp(&values[a]).expect("no NaN").then(a.cmp(&b)));
    order.truncate(k);
    order.sort_unstable();
    order.into_iter().map(|index| index as u32).collect()
}

fn any_value() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -1.0f32..1.0,
        2 => any::<u32>().prop_map(f32::from_bits).prop_filter("a number", |value| !value.is_nan()),
        2 => (-3i8..3).prop_map(f32::from),
        1 => prop::sample::select(vec![0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE, 1e-45, f32::MAX, f32::MIN]),
        // Values that share the bits of the first histogram, and of the second.
        2 => (0u32..1 << 20).prop_map(|low| f32::from_bits(0x3f80_0000 | low)),
        2 => (0u32..1 << 9).prop_map(|low| f32::from_bits(0x3f80_0000 | low)),
    ]
}

proptest! {
    #[test]
    fn winners_are_those_of_a_sort(values in prop::collection::vec(any_value(), 0..600), share in 0.0..1.1) {
        let mut select = Select::default();
        let k = (share * values.len() as f64) as usize;
        prop_assert_eq!(select.largest(&values, k).expect("no NaN"), by_sorting(&values, k));
        // The memory of a call has no effect on the next one.
        prop_assert_eq!(select.largest(&values, 1).expect("no NaN"), by_sorting(&values, 1));
    }

    #[test]
    fn all_near_the_largest_win(values in prop::collection::vec(any_value(), 0..600), factor in 0.01f32..=1.0) {
        let best = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let near = |value: f32| best > 0.0 && value >= factor * best;
        let expected: Vec<u32> = (0..).zip(&values).filter(|(_, value)| near(**value)).map(|(index, _)| index).collect();
        let mut select = Select::default();
        prop_assert_eq!(select.within(&values, factor).expect("no NaN"), expected);
    }

    #[test]
    fn few_distinct_values_tie(values in prop::collection::vec((0i8..4).prop_map(|value| f32::from(value) - 1.5), 1..300), k in 0usize..300) {
        let mut select = Select::default();
        prop_assert_eq!(select.largest(&values, k).expect("no NaN"), by_sorting(&values, k));
    }

    #[test]
    fn the_first_value_that_is_not_a_number_is_named(mut values in prop::collection::vec(any_value(), 1..200), at in any::<prop::sample::Index>(), k in 0usize..201) {
        let index = at.index(values.len());
        values[index] = -f32::NAN;
        values.push(f32::NAN);
        let mut select = Select::default();
        prop_assert_eq!(select.largest(&values, k), Err(NotANumber { index }));
    }

    #[test]
    fn keys_have_the_order_of_values(a in any_value(), b in any_value()) {
        prop_assert_eq!(Some(key(a).cmp(&key(b))), a.partial_cmp(&b));
        prop_assert!(value(key(a)) == a);
    }
}

#[test]
fn equal_values_leave_the_choice_to_the_index() {
    let mut select = Select::default();
    for k in 0..=100 {
        assert_eq!(select.largest(&[0.25; 100], k), Ok(&(0..k as u32).collect::<Vec<_>>()[..]));
    }
    assert_eq!(select.largest(&[-0.0, 0.0, -1.0, -0.0], 2), Ok(&[0, 1][..]));
    assert_eq!(select.largest(&[f32::NEG_INFINITY; 3], 2), Ok(&[0, 1][..]));
    assert_eq!(select.largest(&[f32::INFINITY, 1.0, f32::INFINITY], 1), Ok(&[0][..]));
    assert_eq!(select.largest(&[], 3), Ok(&[][..]));
    assert_eq!(select.largest(&[2.0, 1.0], 3), Ok(&[0, 1][..]));
}

#[test]
fn many_values_that_differ_in_the_last_bits() {
    // Every value is in one bin of the first histogram; the order of the indices is not that of the values.
    let values: Vec<f32> =
        (0u32..40_000).map(|index| f32::from_bits(0x4480_0000 + index.wrapping_mul(25_169) % 40_009)).collect();
    let mut sorted: Vec<u32> = (0..values.len() as u32).collect();
    sorted.sort_by_key(|&index| Reverse(values[index as usize].to_bits()));
    let mut select = Select::default();
    for k in [1, 2, 100, 1000, 39_999] {
        let mut expected = sorted[..k].to_vec();
        expected.sort_unstable();
        assert_eq!(select.largest(&values, k), Ok(&expected[..]), "k = {k}");
    }
}
