//! Keys and help, in a dialog.

use leptos::{ev, html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::studio;
use crate::{canvas::keys::HELP, scheme::Scheme};

/// Stands in the text of the help for the rows of the diagram's keys.
const DIAGRAM: &str = "<!-- keys of the diagram -->";

/// The button of the header.
#[component]
pub(crate) fn HelpButton() -> impl IntoView {
    let studio = studio();
    view! {
        <button
            id="help"
            data-testid="help-button"
            class="help-button"
            aria-label="Help and keys"
            aria-haspopup="dialog"
            aria-keyshortcuts="?"
            title="Help and keys (?)"
            on:click=move |_| studio.open_help()
        >
            "?"
        </button>
    }
}

/// The dialog. Escape and its button close it; the focus returns to where it was.
#[component]
pub(crate) fn HelpDialog() -> impl IntoView {
    let studio = studio();
    let dialog = NodeRef::<html::Dialog>::new();
    let open = studio.lessons.is_help_open;
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if open.get() && !dialog.open() {
            dialog.show_modal().ok();
        } else if !open.get() && dialog.open() {
            dialog.close();
        }
    });
    // The contents lead to a section without a change of the address, which names the network.
    let follow = move |press: ev::MouseEvent| {
        let pressed = press.target().and_then(|target| target.dyn_into::<Element>().ok());
        let Some(pressed) = pressed else { return };
        if dialog.get_untracked().is_some_and(|dialog| pressed.is_same_node(Some(&dialog))) {
            // Beside the dialog.
            open.set(false);
        }
        let section = pressed.closest("[data-to]").ok().flatten().and_then(|to| to.get_attribute("data-to"));
        let section = section.and_then(|section| document().get_element_by_id(&section));
        if let Some(section) = section {
            section.scroll_into_view();
            if let Ok(section) = section.dyn_into::<web_sys::HtmlElement>() {
                section.focus().ok();
            }
        }
    };
    view! {
        <dialog
            class="help-dialog"
            id="help-dialog"
            node_ref=dialog
            aria-labelledby="help-dialog-title"
            on:close=move |_| open.set(false)
            on:click=follow
        >
            <div class="sheet">
                <div class="heading">
                    <h2 id="help-dialog-title">"Help"</h2>
                    <Colours />
                    <button
                        class="plain"
                        id="tour-again"
                        on:click=move |_| {
                            open.set(false);
                            studio.show_tour(Some(0));
                        }
                    >
                        "Show the tour"
                    </button>
                    <button
                        class="plain close"
                        id="help-close"
                        aria-label="Close the help"
                        title="Close the help"
                        on:click=move |_| open.set(false)
                    >
                        "×"
                    </button>
                </div>
                {move || match studio.lessons.help.get() {
                    None => view! { <p class="muted">"Loading …"</p> }.into_any(),
                    Some(Err(error)) => {
                        view! {
                            <p role="alert">{error}</p>
                            <button on:click=move |_| studio.open_help()>"Try again"</button>
                        }
                            .into_any()
                    }
                    Some(Ok(text)) => {
                        view! { <div class="text" inner_html=text.replace(DIAGRAM, &diagram_keys())></div> }.into_any()
                    }
                }}
            </div>
        </dialog>
    }
}

/// The menu of light and dark colours.
#[component]
fn Colours() -> impl IntoView {
    let chosen = Scheme::restore();
    view! {
        <label class="field small">
            <span>"Colours"</span>
            <select id="colours" on:change:target=move |change| Scheme::of_word(&change.target().value()).choose()>
                {Scheme::ALL
                    .map(|scheme| {
                        view! {
                            <option value=scheme.word() selected=scheme == chosen>
                                {scheme.word()}
                            </option>
                        }
                    })
                    .collect_view()}
            </select>
        </label>
    }
}

/// The keys of the diagram as rows of a table.
fn diagram_keys() -> String {
    let key = |key: &&str| key.split(' ').map(|part| format!("<kbd>{part}</kbd>")).collect::<Vec<_>>().join(" ");
    let row = |(keys, about): &(&[&str], &str)| {
        let keys: Vec<String> = keys.iter().map(key).collect();
        format!("<tr><td>{}</td><td>{about}</td></tr>", keys.join(", "))
    };
    HELP.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_lists_the_keys_of_the_diagram() {
        let text = include_str!("../../lessons/help.html");
        assert_eq!(text.matches(DIAGRAM).count(), 1);
        assert!(diagram_keys().contains("<td><kbd>E</kbd>, <kbd>Shift</kbd> <kbd>E</kbd></td>"), "{}", diagram_keys());
    }
}
