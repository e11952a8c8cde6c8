use proptest::prelude::*;

use super::*;

fn values(text: &str) -> Vec<String> {
    text.parse::<Sweep>().unwrap_or_else(|error| panic!("{text}: {error}")).values
}

#[test]
fn ranges_and_lists() {
    let sweep: Sweep = "E.tau_m = 10ms..30ms:5".parse().unwrap();
    assert_eq!(sweep.path, "E.tau_m");
    assert_eq!(sweep.values, ["10 ms", "15 ms", "20 ms", "25 ms", "30 ms"]);
    assert_eq!(values("E.w=0.1..0.5:5"), ["0.1", "0.2", "0.3", "0.4", "0.5"]);
    assert_eq!(values("E.v=-70 mV..-50*mV:3"), ["-70 mV", "-60 mV", "-50 mV"]);
    assert_eq!(values("E.tau=500us..1 ms:2"), ["500 us", "1000 us"]);
    assert_eq!(values("E.I=0pA..0.3nA:4"), ["0 pA", "100 pA", "200 pA", "300 pA"]);
    assert_eq!(values("P.rate=1e1*Hz..2e1*Hz:2"), ["10*Hz", "20*Hz"]);
    assert_eq!(values("E.I=100pA,200pA,300 pA"), ["100pA", "200pA", "300 pA"]);
    assert_eq!(values("E.I = 3"), ["3"]);
    assert_eq!(
        values(r#"E.v={"expr": "clip(rand(), 0, 1)"}, normal(1 mV, 2 mV),[1, 2],"a,\"b""#),
        [r#"{"expr": "clip(rand(), 0, 1)"}"#, "normal(1 mV, 2 mV)", "[1, 2]", r#""a,\"b""#]
    );
}

#[test]
fn what_is_no_sweep() {
    for (text, expected) in [
        ("E.I", "it is a path, `=` and values; write E.tau_m=10ms..30ms:8"),
        ("=1..2:3", "a path stands before the `=`"),
        ("E.I=", "there are no values after the `=`"),
        ("E.I=1,,2", "value 2 of the list is empty"),
        ("E.I=1..2", "a range says after `:` how many values it has; write 10ms..30ms:8"),
        ("E.I=1..2:0", "0 values are none"),
        ("E.I=1..2:1", "a range has both its ends in it, which are two values; write 2 or more"),
        ("E.I=1..2:-3", "a whole number from 2 to 1000000 stands after the `:`"),
        ("E.I=1..2:99999999999999999999", "a whole number from 2 to 1000000"),
        ("E.I=1mV..2ms:3", "one end is volt, the other second"),
        ("E.I=1..2ms:3", "give both ends in units of the same kind"),
        ("E.I=2ms..2000us:3", "both ends are the same"),
        ("E.I=ms..2ms:3", "an end of a range is a number with its unit, and \"ms\" is not"),
        ("E.I=2+3..7:3", "an end of a range is a number with its unit, and \"2+3\" is not"),
        ("E.I=1 mss..2 mss:3", "mss"),
        ("E.I=1e999..2:3", "1e999"),
        ("E.I=100pA,2mV", "100pA is amp, and 2mV is volt; use units of the same dimension for all values"),
    ] {
        let error = text.parse::<Sweep>().expect_err(text).to_string();
        assert!(error.starts_with("the sweep") && error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn several_make_a_grid_whose_first_varies_slowest() {
    let sweeps: Vec<Sweep> = ["E.I=1,2", "E.w=3..5:3"].iter().map(|text| text.parse().unwrap()).collect();
    let grid = Sweep::grid(&sweeps).unwrap();
    let points: Vec<String> = grid.iter().map(|point| format!("{} {}", point[0].1, point[1].1)).collect();
    assert_eq!(points, ["1 3", "1 4", "1 5", "2 3", "2 4", "2 5"]);
    assert_eq!(Sweep::grid(&[]).unwrap(), [Vec::new()]);
    let error = Sweep::grid(&[sweeps[0].clone(), sweeps[0].clone()]).unwrap_err().to_string();
    assert!(error.contains("E.I twice"), "{error}");
    let many: Sweep = "E.I=1..2:2000".parse().unwrap();
    let other: Sweep = "E.w=1..2:2000".parse().unwrap();
    assert!(Sweep::grid(&[many, other]).unwrap_err().to_string().contains("a grid has at most 1000000"));
}

proptest! {
    /// Both ends as written, as many values as asked for, at equal distances.
    #[test]
    fn a_range_keeps_its_ends(first in -1e6..1e6_f64, step in 1e-6..1e6_f64, count in 2..50_usize, unit in "|mV| ms|\\*pA") {
        let last = first + step;
        let found = values(&format!("E.x={first}{unit}..{last}{unit}:{count}"));
        prop_assert_eq!(found.len(), count);
        let unit = unit.trim();
        let number = |text: &str| text.strip_suffix(unit).unwrap().trim().parse::<f64>().unwrap();
        prop_assert_eq!((number(&found[0]), number(&found[count - 1])), (first, last));
        for (index, value) in found.iter().enumerate() {
            let exact = first + step * index as f64 / (count - 1) as f64;
            prop_assert!((number(value) - exact).abs() <= 1e-11 * first.abs().max(last.abs()), "{value}, not {exact}");
            prop_assert!(constant("x", value).is_ok(), "{value} is a quantity");
        }
    }

    /// A list is read back as it was joined.
    #[test]
    fn a_list_keeps_its_values(values in prop::collection::vec("[0-9]{1,3} mV|rand\\(\\)|\\[[0-9], [0-9]\\]", 1..8)) {
        let read: Sweep = format!("E.x={}", values.join(",")).parse().unwrap();
        prop_assert_eq!(read.values, values);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}", tail in "[-+.0-9e:,\"{}()mVs]{0,30}") {
        _ = text.parse::<Sweep>();
        _ = format!("E.x={text}").parse::<Sweep>();
        if let Ok(sweep) = format!("E.x={tail}").parse::<Sweep>() {
            prop_assert!(!sweep.values.is_empty() && sweep.values.iter().all(|value| !value.is_empty()));
        }
    }
}
