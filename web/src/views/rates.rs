//! Population rates and their caption.

use leptos::{html, prelude::*};

use super::{of_current, plot};
use crate::{
    history::RATE_BIN_MS,
    plot::{rates::Rates, theme},
};

/// The rates.
#[component]
pub(crate) fn RatesView() -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    plot::mount(canvas, Rates::new);
    let names = of_current(|current| {
        let populations = current.opened.network.populations.iter();
        populations.map(|population| population.name.clone()).collect::<Vec<_>>()
    });
    let legend = move || {
        let names = names.get().unwrap_or_default().into_iter().enumerate();
        names
            .map(|(at, name)| {
                let style = format!("--accent: var({})", theme::variable(at, &name));
                view! { <li style=style>{name}</li> }
            })
            .collect_view()
    };
    view! {
        <figure class="plot rates">
            <figcaption>
                <b>"Population rate"</b>
                <span>{format!("Hz, mean of {RATE_BIN_MS} ms")}</span>
                <ul class="legend">{legend}</ul>
            </figcaption>
            <canvas
                id="rates"
                data-testid="rates"
                role="img"
                aria-label="Mean firing rate of each population over time"
                node_ref=canvas
            ></canvas>
        </figure>
    }
}
