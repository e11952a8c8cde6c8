//! The raster and its caption.

use leptos::{html, prelude::*};

use super::{of_current, plot, studio};
use crate::{
    history::{LONGEST_WINDOW_MS, MOST_SPIKES},
    number,
    plot::raster::Raster,
};

/// Windows on offer, in ms.
const WINDOWS_MS: [f64; 5] = [100.0, 250.0, 1000.0, 2000.0, LONGEST_WINDOW_MS];

/// The raster.
#[component]
pub(crate) fn RasterView() -> impl IntoView {
    let studio = studio();
    let canvas = NodeRef::<html::Canvas>::new();
    plot::mount(canvas, Raster::new);
    let begun = of_current(|current| current.begun);
    let under = RwSignal::new(None::<String>);
    let label = of_current(|current| {
        let names = current.opened.network.populations.iter().map(|population| population.name.as_str());
        format!("Raster of spikes over time, populations {}", names.collect::<Vec<_>>().join(", "))
    });
    let look = move |event: web_sys::PointerEvent| {
        let Some(canvas) = canvas.get_untracked() else { return };
        let size = (f64::from(canvas.client_width()), f64::from(canvas.client_height()));
        under.set(studio.under((event.offset_x().into(), event.offset_y().into()), size));
    };
    let choose_window = move |text: String| {
        if let Ok(window_ms) = text.parse() {
            studio.window_ms.set(window_ms);
            studio.request_frame();
        }
    };
    view! {
        <figure class="plot raster">
            <figcaption>
                <b>"Spikes"</b>
                <span class="under">{move || under.get()}</span>
                <label class="field small">
                    <span>"Window"</span>
                    <select
                        id="window"
                        title=format!("At most the last {} spikes are kept", number::grouped(MOST_SPIKES as u64))
                        on:change:target=move |change| choose_window(change.target().value())
                    >
                        {WINDOWS_MS
                            .map(|window_ms| {
                                let text = if window_ms < 1000.0 {
                                    format!("{window_ms} ms")
                                } else {
                                    format!("{} s", window_ms / 1000.0)
                                };
                                view! {
                                    <option
                                        value=window_ms.to_string()
                                        selected=window_ms == studio.window_ms.get_untracked()
                                    >
                                        {text}
                                    </option>
                                }
                            })
                            .collect_view()}
                    </select>
                </label>
            </figcaption>
            <div class="canvas">
                <canvas
                    id="raster"
                    data-testid="raster"
                    role="img"
                    aria-label=move || label.get()
                    node_ref=canvas
                    on:pointermove=look
                    on:pointerleave=move |_| under.set(None)
                ></canvas>
                <Show when=move || begun.get() == Some(false)>
                    <p class="hint">
                        "Press " <button class="plain" on:click=move |_| studio.toggle()>"play"</button>
                        <span class="keys">" or the " <kbd>"space bar"</kbd></span>
                    </p>
                </Show>
            </div>
        </figure>
    }
}
