//! The plots, and the additions of the page.

use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::{of_current, studio, weights::WeightTools};
use crate::plot::{CaptionExtra, LONGEST_WINDOW_MS};

/// Available time spans, in ms.
const WINDOWS_MS: [f64; 5] = [100.0, 250.0, 1000.0, 2000.0, LONGEST_WINDOW_MS];

/// The plots. Additions are hidden until there are plots.
#[component]
pub(crate) fn Plots() -> impl IntoView {
    let studio = studio();
    let board = NodeRef::<html::Div>::new();
    let store = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        if let (Some(board), Some(store)) = (board.get(), store.get()) {
            studio.lay_plots(board.into(), extras(&store));
        }
    });
    view! {
        <div class="board" node_ref=board></div>
        <div hidden node_ref=store>
            <span data-plot="raster" data-place="tools">
                <Window />
            </span>
            <div data-plot="raster" data-place="over">
                <Hint />
            </div>
            <span class="tools" data-plot="weights" data-place="tools">
                <WeightTools />
            </span>
        </div>
    }
}

/// Additions, identified by their elements.
fn extras(store: &HtmlElement) -> Vec<CaptionExtra> {
    let children = store.children();
    let elements = (0..children.length()).filter_map(|at| children.item(at)?.dyn_into::<HtmlElement>().ok());
    let extra = |element: HtmlElement| {
        let [plot, place] = ["data-plot", "data-place"].map(|name| element.get_attribute(name).unwrap_or_default());
        CaptionExtra { plot, place, element }
    };
    elements.map(extra).collect()
}

/// The time span of the plots.
#[component]
fn Window() -> impl IntoView {
    let studio = studio();
    let window_ms = studio.window_ms;
    let option = move |of: f64| {
        view! {
            <option value=of.to_string() selected=move || window_ms.get() == of>
                {window_word(of)}
            </option>
        }
    };
    view! {
        <label class="field small">
            <span>"Window"</span>
            <select
                id="window"
                on:change:target=move |change| {
                    if let Ok(window_ms) = change.target().value().parse() {
                        studio.show_window(window_ms);
                    }
                }
            >
                {WINDOWS_MS.map(option).collect_view()}
                // A time span that was set by a lesson.
                <Show when=move || !WINDOWS_MS.contains(&window_ms.get())>
                    <option value=move || window_ms.get().to_string() selected=true>
                        {move || window_word(window_ms.get())}
                    </option>
                </Show>
            </select>
        </label>
    }
}

fn window_word(window_ms: f64) -> String {
    if window_ms < 1000.0 { format!("{window_ms} ms") } else { format!("{} s", window_ms / 1000.0) }
}

/// A hint before the first run.
#[component]
fn Hint() -> impl IntoView {
    let studio = studio();
    let begun = of_current(|current| current.begun);
    view! {
        <Show when=move || begun.get() == Some(false)>
            <p class="hint">
                "Press " <button class="plain" on:click=move |_| studio.toggle()>"play"</button>
                <span class="keys">" or the " <kbd>"space bar"</kbd></span>
            </p>
        </Show>
    }
}
