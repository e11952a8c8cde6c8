//! The profiles of cargo for wasm.

/// How wasm is compiled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Profile {
    /// A quick build of a minute or two: the loops of the simulator are fully optimised, everything else is not.
    Quick,
    /// What a browser downloads: as small and fast as it gets.
    Release,
}

impl Profile {
    /// The cargo profile of the page, which index.html names too.
    pub(crate) fn of_page(self) -> &'static str {
        match self {
            Profile::Quick => "quick",
            Profile::Release => "wasm",
        }
    }

    /// The cargo profile of the engine, and of its tests.
    pub(crate) fn of_engine(self) -> &'static str {
        match self {
            Profile::Quick => "quick",
            Profile::Release => "wasm-engine",
        }
    }

    /// The one that trunk builds with, as it tells its hooks.
    pub(crate) fn of_trunk() -> Profile {
        if std::env::var("TRUNK_PROFILE").is_ok_and(|profile| profile == "release") { Profile::Release } else { Profile::Quick }
    }
}
