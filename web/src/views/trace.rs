//! Traces of single neurons and their caption.

use leptos::{html, prelude::*};

use super::{of_current, plot};
use crate::{
    plot::trace::{self, Trace},
    session::Opened,
};

/// The traces; hidden for a network that records none.
#[component]
pub(crate) fn TraceView() -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    plot::mount(canvas, Trace::new);
    let caption = of_current(|current| caption(&current.opened));
    let is_empty = of_current(|current| current.opened.channels.is_empty());
    view! {
        <figure class="plot trace" class:absent=move || is_empty.get() == Some(true)>
            <figcaption>
                <b>"Traces"</b>
                <span>{move || caption.get()}</span>
            </figcaption>
            <canvas
                id="trace"
                data-testid="trace"
                role="img"
                aria-label="Recorded variables of single neurons over time"
                node_ref=canvas
            ></canvas>
        </figure>
    }
}

/// `v in mV, 4 of 20 neurons`
fn caption(opened: &Opened) -> String {
    let shown = trace::shown(opened);
    let mut variables: Vec<String> = Vec::new();
    for channel in shown {
        let text =
            if channel.unit.is_empty() { channel.variable.clone() } else { format!("{} in {}", channel.variable, channel.unit) };
        if !variables.contains(&text) {
            variables.push(text);
        }
    }
    let more = if shown.len() < opened.channels.len() {
        format!(", {} of {} recordings", shown.len(), opened.channels.len())
    } else {
        String::new()
    };
    variables.join(", ") + &more
}
