#![allow(missing_docs, clippy::all)]
use spikelet_lang::math as m;
use std::time::Instant;
macro_rules! t { ($($f:ident),*) => { $( { #[inline(never)] fn run(x:&[f32;256], out:&mut [f32;256]) { for (o,x) in out.iter_mut().zip(x) { *o = m::$f(*x); } }
 let x: [f32;256]=std::array::from_fn(|k| (k as f32-100.0)*0.03); let mut o=[0.0;256]; let mut best=f64::MAX; for _ in 0..200 { let s=Instant::now(); for _ in 0..20 { run(std::hint::black_box(&x),&mut o); std::hint::black_box(&o);} best=best.min(s.elapsed().as_secs_f64()); }
 println!("{:10} {:.2} ns", stringify!($f), best*1e9/5120.0); } )* } }
fn main() {
    t!(
        exp, expm1, exprel, sigmoid, log, log10, log1p, sqrt, sin_near, cos_near, tan_near, arcsin, arccos, arctan, sinh, cosh,
        tanh, sign, flush
    );
    #[inline(never)]
    fn run(x: &[f32; 256], out: &mut [f32; 256]) {
        for (o, x) in out.iter_mut().zip(x) {
            *o = m::power(*x, 2.5);
        }
    }
    let x: [f32; 256] = std::array::from_fn(|k| (k as f32 - 100.0) * 0.03);
    let mut o = [0.0; 256];
    let mut best = f64::MAX;
    for _ in 0..200 {
        let s = Instant::now();
        for _ in 0..20 {
            run(std::hint::black_box(&x), &mut o);
            std::hint::black_box(&o);
        }
        best = best.min(s.elapsed().as_secs_f64());
    }
    println!("power {:.2} ns", best * 1e9 / 5120.0);
    #[inline(never)]
    fn run2(x: &[u32; 256], out: &mut [f32; 256]) {
        for (o, x) in out.iter_mut().zip(x) {
            *o = m::normal(*x);
        }
    }
    let x: [u32; 256] = std::array::from_fn(|k| (k as u32) * 1234567);
    let mut best = f64::MAX;
    for _ in 0..200 {
        let s = Instant::now();
        for _ in 0..20 {
            run2(std::hint::black_box(&x), &mut o);
            std::hint::black_box(&o);
        }
        best = best.min(s.elapsed().as_secs_f64());
    }
    println!("normal {:.2} ns", best * 1e9 / 5120.0);
}
