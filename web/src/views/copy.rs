//! Copying a text.

use leptos::prelude::window;
use web_sys::HtmlElement;

use crate::keep::copy;

/// Copies a text, or selects the element that shows it if copying is not possible; returns the message.
pub(crate) async fn copied(text: &str, element: &HtmlElement) -> &'static str {
    if copy(text).await {
        return "Copied";
    }
    if let Ok(Some(selection)) = window().get_selection() {
        selection.select_all_children(element).ok();
    }
    "Press Ctrl + C"
}
