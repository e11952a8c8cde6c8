//! Population rates and their caption.

use leptos::{html, prelude::*};

use super::{of_current, plot};
use crate::{
    history::rate_bin_ms,
    plot::{rates::Rates, theme},
};

/// The rates.
#[component]
pub(crate) fn RatesView() -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    plot::mount(canvas, Rates::new);
    let names = of_current(|current| {
        let populations = current.opened.network.populations.iter();
        populations.map(|population| (population.name.clone(), rate_bin_ms(population.size))).collect::<Vec<_>>()
    });
    let legend = move || {
        let names = names.get().unwrap_or_default();
        let usual = usual(&names);
        names
            .into_iter()
            .enumerate()
            .map(|(at, (name, bin_ms))| {
                let style = format!("--accent: var({})", theme::variable(at, &name));
                let bin = (bin_ms != usual).then(|| format!(" ({bin_ms} ms)"));
                view! { <li style=style title=name.clone()>{format!("{name}{}", bin.unwrap_or_default())}</li> }
            })
            .collect_view()
    };
    let unit = move || format!("Hz, mean of {} ms", usual(&names.get().unwrap_or_default()));
    view! {
        <figure class="plot rates">
            <figcaption>
                <b>"Population rate"</b>
                <span>{unit}</span>
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

/// The narrowest of their bins, in ms: the others are named beside their populations.
fn usual(names: &[(String, f64)]) -> f64 {
    names.iter().map(|(_, bin_ms)| *bin_ms).reduce(f64::min).unwrap_or_else(|| rate_bin_ms(u32::MAX))
}
