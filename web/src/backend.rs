//! The words of backends in addresses, menus and options of the package.

use spikelet_js::protocol::BackendChoice;

/// The word in the address and the menu.
pub(crate) fn word(choice: BackendChoice) -> &'static str {
    match choice {
        BackendChoice::Auto => "auto",
        BackendChoice::Gpu => "gpu",
        BackendChoice::Cpu => "cpu",
    }
}

/// The inverse of [`word`].
pub(crate) fn of_word(of: &str) -> Option<BackendChoice> {
    [BackendChoice::Auto, BackendChoice::Gpu, BackendChoice::Cpu].into_iter().find(|&choice| word(choice) == of)
}
