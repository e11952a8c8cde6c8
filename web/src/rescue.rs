//! A panic of the page: it is said, and the last state that was in order can be gone back to.
//!
//! No Rust runs after a panic. What is shown is plain HTML, and what its buttons do are functions of the browser.

use std::{cell::RefCell, panic::PanicHookInfo};

use js_sys::{Function, Reflect};
use leptos::prelude::{document, window};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

use crate::kept;

/// The id of what is shown.
const ID: &str = "panic";

/// What the browser kept of edits when all was in order.
struct LastGoodEdits {
    /// The name that they are kept under.
    name: String,
    /// None where there were none.
    edits: Option<String>,
}

thread_local! {
    static GOOD: RefCell<Option<LastGoodEdits>> = const { RefCell::new(None) };
}

/// Notes the edits that a panic from here on goes back to.
pub(crate) fn note(name: String, edits: Option<String>) {
    GOOD.replace(Some(LastGoodEdits { name, edits }));
}

/// Has panics told to whoever sits before the page, and not to the console alone.
pub(crate) fn install() {
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        let typed = put_back();
        // Where there is no page to show it on, the console has it.
        show(panic, typed.as_deref()).ok();
    }));
}

/// Puts the edits that were in order in the place of those that are kept. Returns the latter, where they are others.
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
    // Another query is another page, which is loaded anew even where only the rest of the address differs.
    let (path, now) = (location.pathname()?, js_sys::Date::now());
    child(&actions, "a", "", "Open the first network")?.set_attribute("href", &format!("{path}?anew={now}#network=cuba"))?;
    button.focus()
}

fn child(parent: &Element, tag: &str, class: &str, text: &str) -> Result<Element, JsValue> {
    let child = document().create_element(tag)?;
    child.set_class_name(class);
    child.set_text_content(Some(text));
    parent.append_child(&child)?;
    Ok(child)
}
