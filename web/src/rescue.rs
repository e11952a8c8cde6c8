//! Panics of the page: they are shown, and the last valid state can be restored.
//!
//! No Rust code runs after a panic. The message is plain HTML, and its buttons call functions of the browser.

use std::{cell::RefCell, panic::PanicHookInfo};

use js_sys::{Function, Reflect};
use leptos::prelude::{document, window};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

use crate::kept;

/// The id of the message.
const ID: &str = "panic";

/// The edits that the browser stored in the last valid state.
struct LastGoodEdits {
    /// The name under which they are stored.
    name: String,
    /// `None` if there were none.
    edits: Option<String>,
}

thread_local! {
    static GOOD: RefCell<Option<LastGoodEdits>> = const { RefCell::new(None) };
}

/// Records the edits to restore after a panic.
pub(crate) fn note(name: String, edits: Option<String>) {
    GOOD.replace(Some(LastGoodEdits { name, edits }));
}

/// The edits are stored under another name.
pub(crate) fn rename(name: &str) {
    GOOD.with_borrow_mut(|good| good.iter_mut().for_each(|good| name.clone_into(&mut good.name)));
}

/// Shows panics on the page, not only in the console.
pub(crate) fn install() {
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        let typed = put_back();
        // If the page cannot show it, the console does.
        show(panic, typed.as_deref()).ok();
    }));
}

/// Restores the valid edits. Returns the last stored ones, if they differ.
fn put_back() -> Option<String> {
    let good = GOOD.try_with(|good| good.try_borrow_mut().ok()?.take()).ok()??;
    let typed = kept::read(&good.name);
    kept::write(&good.name, good.edits.as_deref()).ok()?;
    typed.filter(|typed| Some(typed) != good.edits.as_ref())
}

fn show(panic: &PanicHookInfo<'_>, typed: Option<&str>) -> Result<(), JsValue> {
    let Some(body) = document().body().filter(|_| document().get_element_by_id(ID).is_none()) else { return Ok(()) };
    let location = window().location();
    let reload = Reflect::get(&location, &"reload".into())?.dyn_into::<Function>()?.bind0(&location);
    let veil = child(&body, "div", "", "")?;
    veil.set_id(ID);
    let dialog = child(&veil, "section", "dialog", "")?;
    for (name, value) in [("role", "alertdialog"), ("aria-modal", "true"), ("aria-labelledby", "panic-title")] {
        dialog.set_attribute(name, value)?;
    }
    child(&dialog, "h2", "", "The page has failed")?.set_id("panic-title");
    let sentence = "This is an error of the page, not of your network. The run has ended; the network and its edits are saved in their last valid state.";
    child(&dialog, "p", "", sentence)?;
    child(&dialog, "pre", "", &panic.to_string())?;
    if let Some(typed) = typed {
        let details = child(&dialog, "details", "", "")?;
        child(&details, "summary", "", "Last input")?;
        child(&details, "textarea", "", typed)?.set_attribute("readonly", "")?;
    }
    let actions = child(&dialog, "div", "actions", "")?;
    let button: HtmlElement = child(&actions, "button", "primary", "Restore the last valid state")?.unchecked_into();
    button.set_id("go-on");
    button.set_onclick(Some(&reload));
    // Another query is another page, which is loaded again even if only the rest of the address differs.
    let (path, now) = (location.pathname()?, js_sys::Date::now());
    child(&actions, "a", "", "Open the first network")?.set_attribute("href", &format!("{path}?reload={now}#network=cuba"))?;
    button.focus()
}

fn child(parent: &Element, tag: &str, class: &str, text: &str) -> Result<Element, JsValue> {
    let child = document().create_element(tag)?;
    child.set_class_name(class);
    child.set_text_content(Some(text));
    parent.append_child(&child)?;
    Ok(child)
}
