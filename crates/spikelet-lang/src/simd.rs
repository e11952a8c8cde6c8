//! The widest vectors that the processor has, found when the program runs.
//!
//! Loops are written once, for the compiler to vectorise; [`Level::run`] calls them compiled for the processor at hand. Wider vectors
//! change no bit of any result: the compiler neither fuses a multiplication with an addition nor reorders either.

// Calling code that is compiled for a processor's extensions is sound only where the processor has them, which the compiler cannot
// know: `Level::best` makes sure of it.
#![allow(unsafe_code)]

/// What the processor can do. wasm has one level, whose vectors are chosen when it is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Default for Level {
    fn default() -> Level {
        Level::best()
    }
}

impl Level {
    /// The best that this processor has.
    pub fn best() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx512f")
                && has!("avx512bw")
                && has!("avx512cd")
                && has!("avx512dq")
                && has!("avx512vl")
                && has!("bmi1")
                && has!("bmi2")
            {
                return Level(Kind::Avx512);
            }
            if has!("avx2") && has!("bmi1") && has!("bmi2") {
                return Level(Kind::Avx2);
            }
        }
        Level(Kind::Plain)
    }

    /// All that this processor has, the best one last.
    pub fn all() -> Vec<Level> {
        let best = Level::best();
        #[cfg(target_arch = "x86_64")]
        let kinds = [Kind::Plain, Kind::Avx2, Kind::Avx512];
        #[cfg(not(target_arch = "x86_64"))]
        let kinds = [Kind::Plain];
        let last = kinds.iter().position(|kind| *kind == best.0).unwrap_or(0);
        kinds[..=last].iter().map(|kind| Level(*kind)).collect()
    }

    /// Calls `f` compiled for this level: whatever is inlined into it.
    #[inline(always)]
    pub fn run<R>(self, f: impl FnOnce() -> R) -> R {
        match self.0 {
            Kind::Plain => f(),
            // SAFETY: a level is made by `best` and `all` alone, where the processor has what it is called after.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { on_avx2(f) },
            // SAFETY: the same.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { on_avx512(f) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn on_avx2<R>(f: impl FnOnce() -> R) -> R {
    f()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2")]
fn on_avx512<R>(f: impl FnOnce() -> R) -> R {
    f()
}

/// Prefetches the cache line of a value, if the processor supports it.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has this instruction, and it changes nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
