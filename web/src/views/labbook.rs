//! The lab book: a page to print.

use leptos::prelude::*;

use super::{canvas::printed_diagram, studio};
use crate::{
    canvas::graph::Graph,
    labbook::{self, ChangeRow, POPULATIONS, PROJECTIONS, SOURCES, TableRow, changes, mean_rate_hz},
    number,
    session::{Current, parameters, plain_quantity, same},
    share::Shared,
};

/// Over the page, while it is shown.
#[component]
pub(crate) fn LabBook() -> impl IntoView {
    let studio = studio();
    view! {
        <Show when=move || studio.keep.lab_book.get()>
            <Page />
        </Show>
    }
}

#[component]
fn Page() -> impl IntoView {
    let studio = studio();
    let network = studio.running_network();
    let shared = studio.shared();
    let link = shared.as_ref().map(|shared| studio.link_to(shared));
    let title = move || {
        let name = studio.session.with(|session| session.current.as_ref().map(|current| current.opened.network.name.clone()));
        studio.keep.card().map(|card| card.name).or(name).unwrap_or_default()
    };
    let readings = studio.readings.get_untracked();
    let pictures = studio.keep.pictures.get_untracked();
    let current = studio.session.with_untracked(|session| session.current.clone());
    let description = network.as_ref().map(|network| network.description.clone()).filter(|text| !text.is_empty());
    let arrangement = studio.equations.with_untracked(|equations| equations.arrangement.clone());
    let seed = network.as_ref().map(|network| network.seed);
    let date = js_sys::Date::new_0();
    let date = String::from(date.to_locale_date_string("default", &js_sys::Object::new().into()));
    view! {
        <article class="labbook" role="main" id="labbook" data-testid="labbook" aria-labelledby="labbook-title">
            <div class="labbook-bar">
                <button id="labbook-back" data-testid="labbook-back" on:click=move |_| studio.close_lab_book()>
                    "← Back"
                </button>
                <button
                    class="primary"
                    data-testid="print"
                    on:click=move |_| {
                        // Not available in sandboxed frames; the browser's menu prints, too.
                        window().print().ok();
                    }
                >
                    "Print or save as PDF"
                </button>
            </div>
            <header>
                <h2 id="labbook-title">{title}</h2>
                <p class="fine">{format!("{date} · Spikelet {}", env!("CARGO_PKG_VERSION"))}</p>
                {description.map(|text| view! { <p>{text}</p> })}
            </header>
            <section>
                <h3>"Notes"</h3>
                <textarea
                    class="labbook-notes"
                    data-testid="labbook-notes"
                    aria-label="Notes"
                    rows="4"
                    placeholder="What was done, and what was found"
                    prop:value=move || studio.keep.notes.get()
                    on:input:target=move |input| studio.set_notes(input.target().value())
                ></textarea>
                // A text field is printed only as far as it is visible.
                <p class="labbook-printed">{move || studio.keep.notes.get()}</p>
            </section>
            {current.as_ref().map(|current| view! { <Measures current=current.clone() readings seed /> })}
            <Values shared=shared.clone() current=current.clone() />
            <section class="labbook-plots">
                <h3>"Plots"</h3>
                {pictures
                    .into_iter()
                    .map(|picture| {
                        view! {
                            <figure>
                                <img
                                    src=picture.address
                                    alt=picture.text.clone()
                                    width=picture.width.to_string()
                                    height=picture.height.to_string()
                                />
                                <figcaption>
                                    <b>{picture.title}</b>
                                    " "
                                    {picture.text}
                                </figcaption>
                            </figure>
                        }
                    })
                    .collect_view()}
            </section>
            {network
                .as_ref()
                .map(|network| {
                    view! {
                        <section>
                            <h3>"Network"</h3>
                            {printed_diagram(&Graph::of(network), &arrangement)}
                            <Table columns=&POPULATIONS rows=labbook::populations(network) />
                            <Table columns=&SOURCES rows=labbook::sources(network) />
                            <Table columns=&PROJECTIONS rows=labbook::projections(network) />
                        </section>
                    }
                })}
            {current.map(|current| view! { <Parameters current /> })}
            <section class="labbook-link">
                <h3>"Repeat this run"</h3>
                {match link {
                    Some(Ok(address)) => {
                        view! { <p><a data-testid="labbook-link" href=address.clone()>{address.clone()}</a></p> }.into_any()
                    }
                    Some(Err(length)) => {
                        view! {
                            <p>
                                {format!(
                                    "A link would have {} characters, which is too long. Save the file from “Share” with this page.",
                                    number::grouped(length as u64),
                                )}
                            </p>
                        }
                            .into_any()
                    }
                    None => ().into_any(),
                }}
            </section>
        </article>
    }
}

/// What was measured, and on what.
#[component]
fn Measures(current: Current, readings: crate::studio::Readings, seed: Option<u64>) -> impl IntoView {
    let opened = &current.opened;
    let neurons = opened.count(false);
    let rate = mean_rate_hz(readings.spikes, neurons, readings.time_ms);
    let mut rows = vec![
        ("Biological time", format!("{} ms", number::short(readings.time_ms, 9))),
        ("Spikes", number::grouped(readings.spikes)),
        ("Neurons", number::grouped(neurons)),
        ("Synapses", number::grouped(opened.synapses)),
        ("Time step", format!("{} ms", number::short(opened.dt_ms, 6))),
        ("Device", opened.backend.name.clone()),
    ];
    if let Some(rate) = rate {
        rows.insert(2, ("Mean rate", format!("{} Hz per neuron", number::short(rate, 4))));
    }
    if let Some(seed) = current.open_request.seed.or(seed) {
        rows.push(("Seed", seed.to_string()));
    }
    view! {
        <section>
            <h3>"Measures"</h3>
            <dl class="labbook-facts">
                {rows
                    .into_iter()
                    .map(|(name, value)| {
                        view! {
                            <div>
                                <dt>{name}</dt>
                                <dd>{value}</dd>
                            </div>
                        }
                    })
                    .collect_view()}
            </dl>
        </section>
    }
}

/// Values that were changed, before and during the run.
#[component]
fn Values(shared: Option<Shared>, current: Option<Current>) -> impl IntoView {
    let (shared, current) = (shared?, current?);
    let dt_ms = current.opened.dt_ms;
    let default = |path: &str| {
        let parameter = parameters(&current.opened).find(|parameter| parameter.path == path);
        parameter.zip(current.default_of(path)).map(|(parameter, value)| plain_quantity(value, &parameter.unit))
    };
    let start = shared.values.iter().map(|(path, value)| ChangeRow { steps: [0, 0], path: path.clone(), value: value.clone() });
    let time = |step: u32| number::short(f64::from(step) * dt_ms, 9);
    let rows: Vec<_> = start
        .chain(changes(&shared.changes, dt_ms))
        .map(|ChangeRow { steps: [first, last], path, value }| {
            let before = default(&path).unwrap_or_default();
            let from =
                if first == last { format!("{} ms", time(first)) } else { format!("{} to {} ms", time(first), time(last)) };
            view! {
                <tr>
                    <td>{from}</td>
                    <th scope="row">{path}</th>
                    <td>{value}</td>
                    <td>{before}</td>
                </tr>
            }
        })
        .collect();
    let view = (!rows.is_empty()).then(|| {
        view! {
            <section data-testid="labbook-values">
                <h3>"Changed values"</h3>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">"From"</th>
                            <th scope="col">"Parameter"</th>
                            <th scope="col">"Value"</th>
                            <th scope="col">"In the network"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </section>
        }
    });
    Some(view)
}

/// Objects of the network: a row each, and below it what is too long for a column.
#[component]
fn Table(columns: &'static [&'static str], rows: Vec<TableRow>) -> impl IntoView {
    let row = move |TableRow { name, cells, texts }: TableRow| {
        let texts = (!texts.is_empty()).then(|| {
            let texts = texts.into_iter().map(|(label, text)| {
                view! {
                    <div>
                        <dt>{label}</dt>
                        <dd><pre>{text}</pre></dd>
                    </div>
                }
            });
            view! {
                <tr class="labbook-texts">
                    <td colspan=columns.len().to_string()>
                        <dl>{texts.collect_view()}</dl>
                    </td>
                </tr>
            }
        });
        view! {
            <tr>
                <th scope="row">{name}</th>
                {cells.into_iter().map(|cell| view! { <td>{cell}</td> }).collect_view()}
            </tr>
            {texts}
        }
    };
    (!rows.is_empty()).then(|| {
        view! {
            <table>
                <thead>
                    <tr>{columns.iter().map(|column| view! { <th scope="col">{*column}</th> }).collect_view()}</tr>
                </thead>
                <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
            </table>
        }
    })
}

/// All parameters with their values at the end.
#[component]
fn Parameters(current: Current) -> impl IntoView {
    let rows = parameters(&current.opened).map(|parameter| {
        let changed = current.default_of(&parameter.path).is_some_and(|default| !same(default, parameter.value));
        view! {
            <tr class:changed=changed>
                <th scope="row">{parameter.path.clone()}</th>
                <td>{plain_quantity(parameter.value, &parameter.unit)}</td>
                <td>{parameter.about.clone()}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    (!rows.is_empty()).then(|| {
        view! {
            <section>
                <h3>"Parameters"</h3>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">"Parameter"</th>
                            <th scope="col">"Value"</th>
                            <th scope="col">"Meaning"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </section>
        }
    })
}
