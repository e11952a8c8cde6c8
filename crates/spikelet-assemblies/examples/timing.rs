//! Times of the reference's tests.
use spikelet_assemblies::*;
use std::time::Instant;
fn best(name: &str, f: impl Fn() -> String) {
    let mut best = f64::MAX;
    let mut note = String::new();
    for _ in 0..5 {
        let t = Instant::now();
        note = f();
        best = best.min(t.elapsed().as_secs_f64());
    }
    println!("{name} {best:.4} s {note}");
}
fn brain(mode: Mode, p: f64) -> Brain {
    Brain::new(BrainOptions {
        p,
        mode,
        seed: 7777,
        memory: 16 << 30,
        threads: std::env::var("T").map_or(1, |t| t.parse().unwrap()),
        ..Default::default()
    })
    .unwrap()
}
fn area(b: &mut Brain, name: &str, n: u32, k: u32, beta: f64) -> AreaId {
    b.add_area(name, AreaOptions::new(n, k, beta)).unwrap()
}
fn main() {
    let which = std::env::args().nth(1).unwrap_or_default();
    let s = |x: StimulusId| Source::from(x);
    let a = |x: AreaId| Source::from(x);
    if which == "merge" { best("merge", merge); }
    if which.is_empty() || which == "lazy" {
        best("projection", || {
            let mut b = brain(Mode::Lazy, 0.001);
            let st = b.add_stimulus("S", 1000).unwrap();
            let x = area(&mut b, "A", 1_000_000, 1000, 0.05);
            b.project(&[(s(st), x), (a(x), x)], 24).unwrap();
            let before = b.winners(x).to_vec();
            b.project(&[(s(st), x), (a(x), x)], 1).unwrap();
            format!("support {} kept {}", b.support(x), before.iter().filter(|w| b.winners(x).binary_search(w).is_ok()).count())
        });
        best("completion", || {
            let mut b = brain(Mode::Lazy, 0.05);
            let st = b.add_stimulus("S", 317).unwrap();
            let x = area(&mut b, "A", 100_000, 317, 0.05);
            b.project(&[(s(st), x), (a(x), x)], 25).unwrap();
            b.project(&[(a(x), x)], 5).unwrap();
            format!("support {}", b.support(x))
        });
        best("association", || {
            let mut b = brain(Mode::Lazy, 0.05);
            let sa = b.add_stimulus("SA", 317).unwrap();
            let sb = b.add_stimulus("SB", 317).unwrap();
            let x = area(&mut b, "A", 100_000, 317, 0.1);
            let y = area(&mut b, "B", 100_000, 317, 0.1);
            let c = area(&mut b, "C", 100_000, 317, 0.1);
            b.project(&[(s(sa), x), (s(sb), y), (a(x), x), (a(y), y)], 10).unwrap();
            b.project(&[(s(sa), x), (a(x), x), (a(x), c), (a(c), c)], 10).unwrap();
            b.project(&[(s(sb), y), (a(y), y), (a(y), c)], 1).unwrap();
            b.project(&[(s(sb), y), (a(y), y), (a(y), c), (a(c), c)], 9).unwrap();
            let ab = [(s(sa), x), (s(sb), y), (a(x), x), (a(x), c), (a(y), y), (a(y), c)];
            let mut abc = ab.to_vec();
            abc.push((a(c), c));
            b.project(&ab, 1).unwrap();
            b.project(&abc, 9).unwrap();
            b.project(&[(s(sb), y), (a(y), y), (a(y), c)], 1).unwrap();
            b.project(&[(s(sb), y), (a(y), y), (a(y), c), (a(c), c)], 9).unwrap();
            b.project(&[(s(sa), x), (a(x), x), (a(x), c)], 1).unwrap();
            b.project(&[(s(sa), x), (a(x), x), (a(x), c), (a(c), c)], 9).unwrap();
            format!("support {}", b.support(c))
        });
        best("merge", merge);
    }
    if which.is_empty() || which == "explicit" {
        let mut b = brain(Mode::Explicit, 0.01);
        let st = b.add_stimulus("S", 100).unwrap();
        let x = area(&mut b, "A", 10_000, 100, 0.1);
        b.project(&[(s(st), x)], 1).unwrap();
        let t = Instant::now();
        b.project(&[(s(st), x), (a(x), x)], 1).unwrap();
        println!("build {:.4}", t.elapsed().as_secs_f64());
        let t = Instant::now();
        b.project(&[(s(st), x), (a(x), x)], 18).unwrap();
        println!("explicit round {:.4} ms", t.elapsed().as_secs_f64() / 18.0 * 1e3);
        let t = Instant::now();
        b.project(&[(s(st), x), (a(x), x)], 2000).unwrap();
        println!("explicit later {:.4} ms", t.elapsed().as_secs_f64() / 2000.0 * 1e3);
    }
    if which.is_empty() || which == "procedural" {
        let mut b = brain(Mode::Procedural, 0.001);
        let st = b.add_stimulus("S", 1000).unwrap();
        let x = area(&mut b, "A", 1_000_000, 1000, 0.05);
        let t = Instant::now();
        b.project(&[(s(st), x)], 1).unwrap();
        println!("first {:.4}", t.elapsed().as_secs_f64());
        for _ in 0..25 {
            let t = Instant::now();
            b.project(&[(s(st), x), (a(x), x)], 1).unwrap();
            print!("{:.1} ", t.elapsed().as_secs_f64() * 1e3);
        }
        println!("ms, support {} memory {:?}", b.support(x), b.memory());
    }
}
fn merge() -> String { let s = |x: StimulusId| Source::from(x); let a = |x: AreaId| Source::from(x);
            let mut b = brain(Mode::Lazy, 0.01);
            let sa = b.add_stimulus("SA", 317).unwrap();
            let sb = b.add_stimulus("SB", 317).unwrap();
            let x = area(&mut b, "A", 100_000, 317, 0.05);
            let y = area(&mut b, "B", 100_000, 317, 0.05);
            let c = area(&mut b, "C", 100_000, 317, 0.05);
            b.project(&[(s(sa), x), (s(sb), y), (a(x), x), (a(x), c), (a(y), y), (a(y), c)], 1).unwrap();
            b.project(&[(s(sa), x), (s(sb), y), (a(x), x), (a(x), c), (a(y), y), (a(y), c), (a(c), c), (a(c), x), (a(c), y)], 50)
                .unwrap();
            format!("support {} {} {}", b.support(x), b.support(y), b.support(c))
        }
