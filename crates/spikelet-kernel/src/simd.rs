//! The widest vectors that the processor has, found when the program runs.
//!
//! Loops are written once, for the compiler to vectorise; [`Level::run`] calls them compiled for the processor at hand. Wider vectors
//! change no bit of any result: the compiler neither fuses a multiplication with an addition nor reorders either.

// Calling code that is compiled for a processor's extensions is sound only where the processor has them, which the compiler cannot
// know: `Level::best` makes sure of it.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU8, Ordering};

/// What the processor can do. wasm has one level, whose vectors are chosen when it is compiled; so has every processor but x86-64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
enum Kind {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// All levels of this kind of processor, with their names.
const KINDS: &[(Kind, &str)] = &[
    (Kind::Plain, "plain"),
    #[cfg(target_arch = "x86_64")]
    (Kind::Avx2, "avx2"),
    #[cfg(target_arch = "x86_64")]
    (Kind::Avx512, "avx512"),
];

/// The widest level that [`Level::best`] may return, as a [`Kind`].
static WIDEST: AtomicU8 = AtomicU8::new(u8::MAX);

/// A level that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LevelError {
    /// There is no such level for this kind of processor.
    #[error("found `{name}`, expected one of {}", Level::names().join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// The processor does not have these vectors.
    #[error("this processor has no {name}; the best that it has is {}", Level::detected().name())]
    Missing {
        /// The name.
        name: &'static str,
    },
}

impl Default for Level {
    fn default() -> Level {
        Level::best()
    }
}

impl Level {
    /// The best that this processor has, up to the one given to [`limit`](Level::limit).
    pub fn best() -> Level {
        let widest = WIDEST.load(Ordering::Relaxed);
        let detected = Level::detected();
        KINDS.iter().find(|(kind, _)| *kind as u8 == widest).map_or(detected, |(kind, _)| detected.min(Level(*kind)))
    }

    /// From now on, [`best`](Level::best) returns at most the level of this name: `plain`, `avx2` or `avx512`. Results do not depend on
    /// it; it is for comparisons of speed.
    ///
    /// # Errors
    ///
    /// If there is no such level, or this processor does not have it.
    pub fn limit(name: &str) -> Result<(), LevelError> {
        let (kind, name) =
            KINDS.iter().find(|(_, known)| *known == name).ok_or_else(|| LevelError::Unknown { name: name.to_owned() })?;
        if Level(*kind) > Level::detected() {
            return Err(LevelError::Missing { name });
        }
        WIDEST.store(*kind as u8, Ordering::Relaxed);
        Ok(())
    }

    /// The names of all levels of this kind of processor, the best one last.
    pub fn names() -> Vec<&'static str> {
        KINDS.iter().map(|(_, name)| *name).collect()
    }

    /// The name of this level.
    pub fn name(self) -> &'static str {
        KINDS[self.0 as usize].1
    }

    fn detected() -> Level {
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
        KINDS.iter().map(|(kind, _)| Level(*kind)).filter(|level| *level <= best).collect()
    }

    /// Calls `f` compiled for this level: whatever is inlined into it.
    #[inline(always)]
    pub fn run<R>(self, f: impl FnOnce() -> R) -> R {
        match self.0 {
            Kind::Plain => f(),
            // SAFETY: only `best` and `all` make a level, and only if the processor has what it is called after.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_level_is_an_error_that_lists_all() {
        let error = Level::limit("sse9").unwrap_err();
        assert!(error.to_string().starts_with("found `sse9`, expected one of plain"), "{error}");
    }

    #[test]
    fn levels_have_their_names() {
        let names: Vec<&str> = Level::all().into_iter().map(Level::name).collect();
        assert_eq!(names, Level::names()[..names.len()]);
    }
}
