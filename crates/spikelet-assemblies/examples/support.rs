//! Support.
use spikelet_assemblies::*;
fn main() {
    for (n, k, p) in [(1_000_000, 1000, 0.001), (100_000, 317, 0.01), (20_000, 141, 0.01)] {
        for mode in [Mode::Lazy, Mode::Procedural] {
            let mut b = Brain::new(BrainOptions { p, mode, memory: 8 << 30, ..Default::default() }).unwrap();
            let st: Source = b.add_stimulus("S", k).unwrap().into();
            let x = b.add_area("A", AreaOptions::new(n, k, 0.05)).unwrap();
            b.set_saving(true);
            b.project(&[(st, x)], 1).unwrap();
            b.project(&[(st, x), (x.into(), x)], 24).unwrap();
            println!("{n} {mode:?} {:?}", b.saved_supports(x));
        }
    }
}
