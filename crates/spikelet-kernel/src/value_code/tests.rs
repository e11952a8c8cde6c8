use std::cell::Cell;

use spikelet_lang::Dimension;
use spikelet_lang::check::{Value, ValueScope, resolve_value};
use spikelet_lang::host::{self, Leaf};
use spikelet_lang::syntax::parse_quantity;
use spikelet_lang::term::{self, Node, Random, Symbol};

use super::*;
use crate::math;

fn term(text: &str) -> Term {
    let names = |name: &str| match name {
        "i" => Some((Symbol::Index, Dimension::NONE)),
        "j" => Some((Symbol::PostIndex, Dimension::NONE)),
        "N" => Some((Symbol::Size, Dimension::NONE)),
        _ => None,
    };
    let scope = ValueScope { sites: Ok(Cell::new(7)), ..ValueScope::of_names(&names) };
    let parsed = parse_quantity("w", text).and_then(|expression| resolve_value("w", text, &expression, &scope));
    let Value { term, .. } = parsed.unwrap_or_else(|found| panic!("{found}"));
    term
}

fn code(text: &str) -> ValueCode {
    ValueCode::new(&term(text)).unwrap_or_else(|| panic!("{text} is no code"))
}

/// Random bits of a synapse at a site.
fn bits(synapse: usize, site: u32) -> u32 {
    let mut x = (synapse as u64) << 32 | u64::from(site) << 8 | 5;
    for _ in 0..3 {
        x = (x ^ x >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    (x >> 32) as u32
}

const TEXTS: [&str; 12] = [
    "normal(87.8 pA, 8.78 pA)",
    "lognormal(2 nS, 0.5)",
    "uniform(0.5 ms, 2 ms)",
    "exponential(3 pA)",
    "clip(normal(1 nS, 1 nS), 0 nS, 2 nS)",
    "normal(1 nS, 1 nS, 0 nS, 10 nS)",
    "1.5*normal(1.5 ms, 0.75 ms, 0.1 ms, 1e3 ms)",
    "(0.5 + rand())*exp(-((i - j)/40)**2)*nS",
    "2*(i % 7) + j // 3 + int(i < j and not (i == 3))",
    "randn() + rand()*randn() - randn()/(1 + rand()) + 10",
    "sqrt(abs(i - j)) + sin(0.01*i) + max(i, j)",
    "3 nS",
];

/// The value by the host, from the same bits.
fn expected(term: &Term, pre: u32, post: u32, synapse: usize) -> f64 {
    host::evaluate(term, &mut |leaf| match leaf {
        Leaf::Symbol(Symbol::Index) => f64::from(pre),
        Leaf::Symbol(Symbol::PostIndex) => f64::from(post),
        Leaf::Random(random, site) => {
            let bits = bits(synapse, site);
            match random {
                Random::Uniform => host::unit_f64(bits, !bits),
                Random::Normal => host::normal_f64((f64::from(bits >> 8) + 0.5) / 16_777_216.0),
            }
        }
        _ => f64::NAN,
    })
}

fn ends(count: usize) -> (Vec<u32>, Vec<u32>) {
    (0..count as u32).map(|k| (k / 10, k * 7 % 200)).unzip()
}

/// Those of the synapses from `first` on.
fn from(first: usize) -> impl Fn(u32, &mut [u32]) {
    move |site, lanes| (first..).zip(lanes).for_each(|(synapse, lane)| *lane = bits(synapse, site))
}

/// 32 more of them.
fn more(first: usize) -> impl Fn(u32, usize) -> u32 {
    move |site, lane| !bits(first + lane, site)
}

/// Where those are not needed.
const NONE: fn(u32, usize) -> u32 = |_, _| 0;

#[test]
fn blocks_give_the_values_of_the_host() {
    let (pre, post) = ends(LANES);
    for text in TEXTS {
        let term = term(text);
        let mut values = vec![0.0; LANES];
        code(text).run(&pre, &post, (&from(0), &NONE), &mut ValueScratch::default(), &mut values);
        // Where the bits of a truncated number are spread over its interval, they are rounded down: up to 2⁻²⁴ in probability.
        let tolerance = if text.matches(',').count() == 3 && text.contains("normal(1") { 1e-4 } else { 1e-5 };
        for synapse in 0..LANES {
            let expected = expected(&term, pre[synapse], post[synapse], synapse);
            let error = (f64::from(values[synapse]) - expected).abs();
            assert!(error <= tolerance * expected.abs().max(1e-3), "{text}, {synapse}: {} not {expected}", values[synapse]);
        }
    }
}

#[test]
fn a_value_does_not_depend_on_its_lane_or_block() {
    let (pre, post) = ends(LANES);
    for text in TEXTS {
        let (code, mut scratch) = (code(text), ValueScratch::default());
        let mut whole = vec![0.0; LANES];
        code.run(&pre, &post, (&from(0), &NONE), &mut scratch, &mut whole);
        let mut parts = vec![0.0; LANES];
        for (start, end) in [(0, 1), (1, 60), (60, 255), (255, 256)] {
            code.run(&pre[start..end], &post[start..end], (&from(start), &more(start)), &mut scratch, &mut parts[start..end]);
        }
        assert_eq!(whole, parts, "{text}");
    }
}

#[test]
fn a_truncated_number_keeps_its_bounds_and_its_distribution() {
    let count = 64 * LANES;
    let (code, mut scratch) = (code("normal(1 nS, 2 nS, 0 nS, 2.5 nS)"), ValueScratch::default());
    let mut values = vec![0.0; count];
    let (pre, post) = ends(LANES);
    for (block, out) in values.chunks_mut(LANES).enumerate() {
        code.run(&pre, &post, (&from(block * LANES), &more(block * LANES)), &mut scratch, out);
    }
    assert!(values.iter().all(|value| (0.0..=2.5).contains(value)));
    values.sort_by(f32::total_cmp);
    let probability = |x: f64| host::probability([1.0, 2.0], [0.0, x]) / host::probability([1.0, 2.0], [0.0, 2.5]);
    let distance = values
        .iter()
        .enumerate()
        .fold(0.0, |far: f64, (k, value)| far.max((probability(f64::from(*value)) - (k as f64 + 0.5) / count as f64).abs()));
    assert!(distance < 1.95 / (count as f64).sqrt(), "{distance}");
    // The ends of the bits are the ends of the interval.
    let ends = [0, u32::MAX].map(|bits| {
        let mut value = [0.0];
        code.run(&[0], &[0], (&|_, lanes| lanes.fill(bits), &NONE), &mut scratch, &mut value);
        value[0]
    });
    assert!(ends[0].abs() < 1e-5 && (ends[1] - 2.5).abs() < 1e-5, "{ends:?}");
}

#[test]
fn draws_are_asked_for_at_the_sites_of_the_term() {
    let draw: Term = std::sync::Arc::new(Node::Random(Random::Uniform, 1000));
    let twice = ValueCode::new(&term::subtract(&draw, &draw)).unwrap();
    let mut value = [1.0];
    let asked = std::cell::RefCell::new(Vec::new());
    let bits = |site: u32| {
        asked.borrow_mut().push(site);
        7 << 20
    };
    twice.run(&[0], &[0], (&|site, lanes| lanes.fill(bits(site)), &NONE), &mut ValueScratch::default(), &mut value);
    assert_eq!(value, [0.0]);
    assert!(asked.borrow().iter().all(|site| *site == 1000) && !asked.borrow().is_empty());
}

#[test]
fn what_devices_have_not_is_left_to_the_host() {
    for text in [
        "gamma(2, 1 ms)",
        "1 + gamma(0.5, 1)",
        "N*2",
        "normal(0, 1, 4, 8)",
        "normal(0, 1 + i, -1, 1)",
        "normal(0, 1 + rand(), -1, 1)",
    ] {
        assert!(ValueCode::new(&term(text)).is_none(), "{text}");
    }
    let table = std::sync::Arc::new(Node::Lookup(0, term::number(0.0)));
    assert!(ValueCode::new(&(table as Term)).is_none());
}

#[test]
fn numbers_are_folded_in_f64() {
    // 16777217 is no f32; the difference is.
    let mut value = [0.0];
    code("(16777217 - 16777216)*2").run(&[0], &[0], (&from(0), &NONE), &mut ValueScratch::default(), &mut value);
    assert_eq!(value, [2.0]);
    let mut value = [0.0];
    code("exp(log(16777217)) - 16777216 + 0*i").run(&[0], &[0], (&from(0), &NONE), &mut ValueScratch::default(), &mut value);
    assert!((value[0] - 1.0).abs() < 1e-6, "{value:?}");
}

#[test]
fn the_text_of_a_kernel() {
    let text = code("clip(normal(1 nS, 0.5 nS), 0 nS, 2 nS)*exp(-abs(i - j)/4)").wgsl("weight_of");
    for part in [
        "fn weight_of(pre: u32, post: u32) -> f32 {",
        "f32(pre)",
        "f32(post)",
        "normal32(value_bits(7u))",
        "exact(",
        "return value;",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let truncated = code("normal(0, 1, 0, 1)").wgsl("delay_of");
    assert!(truncated.contains("normal32(2147483648u + wide_product(value_bits(7u), 1466064521u).x)"), "{truncated}");
    assert!(!truncated.contains("f32(pre)") && !truncated.contains("constant("), "{truncated}");
    assert_eq!(math::normal_between(u32::MAX, 1 << 31, 1_466_064_521), math::normal((1 << 31) + 1_466_064_520));
}

/// Every text of them is valid WGSL of the portable core, with the functions that it uses.
#[test]
fn the_texts_are_valid() {
    let shaders = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders/");
    let read =
        |name: &str| std::fs::read_to_string(format!("{shaders}{name}.wgsl")).unwrap_or_else(|error| panic!("{name}: {error}"));
    let rng = read("rng");
    let names = ["math", "math/exponential", "math/logarithm", "math/circular", "math/random"];
    // The rest of it needs a header.
    let product = &rng[..rng.find("fn philox").unwrap_or(0)];
    let library = names.map(read).concat() + product;
    for (k, text) in TEXTS.into_iter().enumerate() {
        let code = code(text).wgsl("value_of");
        let whole = format!(
            "{library}fn value_bits(site: u32) -> u32 {{ return site; }}\n\
             fn value_uniform(site: u32) -> f32 {{ return uniform32(site); }}\n{code}\
             @compute @workgroup_size(1) fn main() {{ _ = value_of({k}u, 2u); }}"
        );
        let module =
            naga::front::wgsl::parse_str(&whole).unwrap_or_else(|error| panic!("{}\n{code}", error.emit_to_string(&whole)));
        let flags = naga::valid::ValidationFlags::all();
        let checked = naga::valid::Validator::new(flags, naga::valid::Capabilities::empty()).validate(&module);
        checked.unwrap_or_else(|error| panic!("{}\n{code}", error.emit_to_string(&whole)));
    }
}
