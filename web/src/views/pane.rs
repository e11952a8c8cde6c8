//! Common parts of the panes: the switch in the header, the frame, the button that runs the network.

use leptos::{ev, prelude::*};

use super::studio;
use crate::studio::{Pane, turn_to};

/// The buttons of the header that show and hide the panes.
#[component]
pub(crate) fn PaneSwitch() -> impl IntoView {
    let studio = studio();
    let switch = move |pane: Pane| {
        let open = move || studio.pane.get() == pane;
        let text = move || studio.say(&pane.title());
        view! {
            <button
                id=pane.button_id()
                data-testid=pane.button_id()
                class="pane-switch"
                aria-expanded=move || open().to_string()
                aria-controls=pane.id()
                on:click=move |press: ev::MouseEvent| {
                    if studio.pane.get_untracked() == pane {
                        studio.show_pane(Pane::Shut);
                    } else {
                        studio.show_pane(pane);
                        bring_into_sight(pane);
                        // By keyboard the way to the pane would be long.
                        if press.detail() == 0 {
                            turn_to(pane.id());
                        }
                    }
                }
            >
                {text}
            </button>
        }
    };
    view! {
        <div class="panes" role="group" aria-label="Panes">
            {Pane::ALL.map(switch)}
        </div>
    }
}

/// Scrolls to a pane that lies below the screen, as it does on a phone.
fn bring_into_sight(pane: Pane) {
    request_animation_frame(move || {
        let Some(element) = document().get_element_by_id(pane.id()) else { return };
        let height = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
        if element.get_bounding_client_rect().top() > height / 2.0 {
            element.scroll_into_view();
        }
    });
}

/// A pane with its heading. Ctrl + Enter in it runs the network.
#[component]
pub(super) fn PaneFrame<Heading>(
    pane: Pane,
    id: &'static str,
    /// Its content, in lower case.
    name: &'static str,
    /// Whether there is content.
    #[prop(into)]
    there: Signal<bool>,
    /// Between title and close button.
    heading: impl Fn() -> Heading,
    children: ChildrenFn,
) -> impl IntoView
where
    Heading: IntoView,
{
    let studio = studio();
    let open = Memo::new(move |_| studio.pane.get() == pane);
    let on_key = move |key: ev::KeyboardEvent| {
        if (key.ctrl_key() || key.meta_key()) && key.key() == "Enter" {
            studio.run();
            key.prevent_default();
        }
    };
    let title_id = format!("{name}-title");
    let title = move || studio.say(&pane.title());
    let hide = format!("Hide the {name}");
    view! {
        <section
            class="equations"
            class:network=pane == Pane::Network
            id=id
            data-testid=id
            aria-labelledby=title_id.clone()
            tabindex="-1"
            class:shut=move || !open.get()
            on:keydown=on_key
        >
            <div class="heading">
                <h3 id=title_id.clone()>{title}</h3>
                {heading()}
                <button class="plain close" aria-label=hide.clone() title=hide on:click=move |_| studio.show_pane(Pane::Shut)>
                    "×"
                </button>
            </div>
            <Show when=move || there.get()>{children()}</Show>
        </section>
    }
}

/// Its state as text, with a link to the first error if there is one.
#[component]
pub(super) fn StateWords(words: Signal<String>, wrong: Signal<bool>) -> impl IntoView {
    let studio = studio();
    move || {
        if wrong.get() {
            let lead = move |_| studio.turn_to_first_mistake();
            let button = view! {
                <button class="plain" data-testid="to-mistake" title="Go to the first of them" on:click=lead>
                    {move || words.get()}
                </button>
            };
            button.into_any()
        } else {
            view! { {move || words.get()} }.into_any()
        }
    }
}

/// Runs the network with its edits. The button keeps the focus while there is nothing to run.
#[component]
pub(super) fn RunButton(
    id: &'static str,
    /// Whether it runs, or is being built.
    idle: Signal<bool>,
    /// Whether an error prevents a run; the button shows it.
    wrong: Signal<bool>,
) -> impl IntoView {
    let studio = studio();
    view! {
        <button
            id=id
            data-testid=id
            class="primary"
            aria-disabled=move || (idle.get() || wrong.get()).to_string()
            aria-keyshortcuts="Control+Enter"
            title="Ctrl + Enter"
            on:click=move |_| {
                if !idle.get_untracked() {
                    studio.run();
                }
            }
        >
            <svg viewBox="0 0 16 16" aria-hidden="true">
                <path d="M4 2.2v11.6L13.5 8z" />
            </svg>
            "Run"
        </button>
    }
}
