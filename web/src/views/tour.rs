//! The first visit: a tour of four steps, and the first network that plays softly.

use std::time::Duration;

use leptos::{ev, html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::studio;
use crate::lessons::visit::{STOPS, Stop};

/// Space between a mark and what it points at, and the size of the bubble, in pixels.
const GAP: f64 = 10.0;
const BUBBLE: [f64; 2] = [320.0, 190.0];
/// How often the bubble looks where its target is.
const FOLLOW: Duration = Duration::from_millis(300);

/// The tour: a bubble beside what it is about, and a ring around that. It does not keep the page from being used.
#[component]
pub(crate) fn Tour() -> impl IntoView {
    let studio = studio();
    let step = studio.lessons.tour;
    // What had the focus before gets it back.
    let before = StoredValue::new_local(None::<HtmlElement>);
    let resized = RwSignal::new(0);
    for event in ["resize", "scroll"] {
        let _ = window_event_listener_untyped(event, move |_| {
            if step.get_untracked().is_some() {
                resized.update(|count| *count += 1);
            }
        });
    }
    let _ = window_event_listener(ev::keydown, move |key| {
        if key.key() == "Escape" && step.get_untracked().is_some() && !studio.lessons.is_help_open.get_untracked() {
            studio.show_tour(None);
        }
    });
    Effect::new(move |was: Option<bool>| {
        let is_open = step.get().is_some();
        if is_open && was != Some(true) {
            before.set_value(document().active_element().and_then(|focused| focused.dyn_into().ok()));
        } else if !is_open
            && was == Some(true)
            && let Some(focused) = before.get_value()
        {
            focused.focus().ok();
        }
        is_open
    });
    view! {
        <Show when=move || step.read().is_some()>
            {move || step.get().and_then(|place| STOPS.get(place).map(|stop| view! { <Bubble place stop=*stop resized /> }))}
        </Show>
    }
}

/// A step of the tour.
#[component]
fn Bubble(place: usize, stop: Stop, resized: RwSignal<u32>) -> impl IntoView {
    let studio = studio();
    let bubble = NodeRef::<html::Div>::new();
    let target = move || document().query_selector(stop.at).ok().flatten();
    if let Some(target) = target() {
        let nearest = web_sys::ScrollIntoViewOptions::new();
        nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
        target.scroll_into_view_with_scroll_into_view_options(&nearest);
    }
    Effect::new(move |_| {
        if let Some(bubble) = bubble.get() {
            bubble.focus().ok();
        }
    });
    // Where its target is, is known after the next layout, and changes when a network has been built.
    if let Ok(interval) = set_interval_with_handle(move || resized.update(|count| *count += 1), FOLLOW) {
        on_cleanup(move || interval.clear());
    }
    request_animation_frame(move || resized.update(|count| *count += 1));
    let at = Memo::new(move |_| {
        resized.track();
        target().map(|target| rectangle(&target)).filter(|[_, _, width, height]| *width > 0.0 && *height > 0.0)
    });
    let ring = move || {
        let [left, top, width, height] = at.get()?;
        Some(format!("left: {}px; top: {}px; width: {}px; height: {}px", left - 4.0, top - 4.0, width + 8.0, height + 8.0))
    };
    let style = move || {
        let [left, top] = beside(at.get(), size());
        format!("left: {left}px; top: {top}px")
    };
    let is_last = place + 1 == STOPS.len();
    view! {
        {move || ring().map(|style| view! { <div class="tour-ring" style=style aria-hidden="true"></div> })}
        <div
            class="tour"
            node_ref=bubble
            role="dialog"
            aria-labelledby="tour-title"
            aria-describedby="tour-text"
            tabindex="-1"
            data-testid="tour"
            style=style
        >
            <h4 id="tour-title">{stop.title}</h4>
            <p id="tour-text">{stop.text}</p>
            <div class="actions">
                <span class="muted">{format!("{} of {}", place + 1, STOPS.len())}</span>
                <Show when=move || !is_last>
                    <button class="plain" id="tour-skip" on:click=move |_| studio.show_tour(None)>
                        "Skip"
                    </button>
                </Show>
                <Show when=move || place != 0>
                    <button id="tour-back" on:click=move |_| studio.show_tour(Some(place - 1))>
                        "Back"
                    </button>
                </Show>
                <button
                    class="primary"
                    id="tour-next"
                    on:click=move |_| studio.show_tour((!is_last).then_some(place + 1))
                >
                    {if is_last { "Done" } else { "Next" }}
                </button>
            </div>
        </div>
    }
}

/// Left, top, width and height in the window, in pixels.
fn rectangle(element: &Element) -> [f64; 4] {
    let of = element.get_bounding_client_rect();
    [of.left(), of.top(), of.width(), of.height()]
}

/// Width and height of the window, in pixels.
fn size() -> [f64; 2] {
    let window = window();
    [window.inner_width(), window.inner_height()].map(|size| size.ok().and_then(|size| size.as_f64()).unwrap_or(0.0))
}

/// The left upper corner of the bubble: under what it points at, else over it, else beside it; always in the window.
fn beside(target: Option<[f64; 4]>, [width, height]: [f64; 2]) -> [f64; 2] {
    let [own_width, own_height] = BUBBLE;
    let fit = |left: f64, top: f64| [left.min(width - own_width - GAP).max(GAP), top.min(height - own_height - GAP).max(GAP)];
    match target {
        None => fit((width - own_width) / 2.0, (height - own_height) / 2.0),
        Some([left, top, _, of_height]) if top + of_height + GAP + own_height <= height => fit(left, top + of_height + GAP),
        Some([left, top, ..]) if left - own_width - GAP >= 0.0 && top <= height => fit(left - own_width - GAP, top),
        Some([left, top, ..]) => fit(left, top - own_height - GAP),
    }
}

/// Ends the soft play with the first thing that the user does, and shows what it was.
#[component]
pub(crate) fn SoftPlay() -> impl IntoView {
    let studio = studio();
    let softly = studio.lessons.plays_softly;
    // Shown while it plays softly and after that, until it plays at full speed.
    let is_shown = RwSignal::new(false);
    let playing = super::of_current(|current| current.playing);
    Effect::new(move |before: Option<Option<bool>>| {
        let now = playing.get();
        if now == Some(true) && before != Some(now) {
            is_shown.set(softly.get_untracked());
        }
        now
    });
    let act = move |event: &web_sys::Event| {
        if !softly.get_untracked() {
            return;
        }
        if is_play(event) {
            is_shown.set(false);
        } else {
            studio.stop_soft_play();
        }
    };
    if softly.get_untracked() {
        let _ = window_event_listener(ev::pointerdown, move |press| act(&press));
        let _ = window_event_listener(ev::keydown, move |key| {
            if key.key() == " " {
                is_shown.set(false);
            } else {
                act(&key);
            }
        });
    }
    view! {
        <Show when=move || is_shown.get()>
            <p class="soft" data-testid="soft">
                "Press "
                <button class="plain" on:click=move |_| studio.toggle()>
                    "play"
                </button>
                {move || if studio.is_in_lesson() { " to begin the lesson" } else { " for full speed" }}
            </p>
        </Show>
    }
}

/// Whether an event is a press of a button that plays.
fn is_play(event: &web_sys::Event) -> bool {
    let element = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    element.is_some_and(|element| element.closest("#play, .soft, .hint").ok().flatten().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bubble_is_in_the_window_and_not_over_its_target() {
        let window = [1440.0, 900.0];
        assert_eq!(beside(Some([100.0, 10.0, 80.0, 34.0]), window), [100.0, 54.0]);
        assert_eq!(beside(Some([1300.0, 10.0, 80.0, 34.0]), window), [1110.0, 54.0]);
        // Something tall at the right: beside it.
        assert_eq!(beside(Some([1092.0, 300.0, 348.0, 900.0]), window), [762.0, 300.0]);
        // Something at the lower edge of a phone: over it.
        assert_eq!(beside(Some([16.0, 780.0, 358.0, 50.0]), [390.0, 844.0]), [16.0, 580.0]);
        assert_eq!(beside(None, window), [560.0, 355.0]);
    }
}
