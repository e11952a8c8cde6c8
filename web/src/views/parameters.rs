//! Sliders for parameters that can be changed during the run.

use leptos::{ev, html, prelude::*};
use spikelet_js::protocol::Parameter;

use super::{network::listed, of_current, studio};
use crate::{
    number,
    role::{self, Role, role},
    session::{OpenedNetwork, same},
    studio::Elsewhere,
};

/// The sliders of one population or projection.
#[derive(Clone, PartialEq)]
struct Group {
    name: String,
    about: String,
    /// Custom property of its colour; `None` for projections.
    colour: Option<&'static str>,
    parameters: Vec<Parameter>,
}

/// All sliders of the open network.
#[component]
pub(crate) fn Parameters() -> impl IntoView {
    let studio = studio();
    // New sliders only for a new network: moving one must not rebuild them all.
    let id = of_current(|current| current.opened.id);
    let changed = of_current(|current| !current.changes().is_empty());
    let groups = move || {
        id.get();
        studio
            .session
            .with_untracked(|session| session.current.as_ref().map(|current| groups(&current.opened)).unwrap_or_default())
    };
    let restore = move |_| {
        let defaults = studio.session.with_untracked(|session| {
            let current = session.current.as_ref()?;
            let changes = current.changes().into_iter();
            Some(changes.filter_map(|(path, _)| Some((current.default_of(&path)?, path))).collect::<Vec<_>>())
        });
        for (value, path) in defaults.into_iter().flatten() {
            studio.set(&path, value);
        }
    };
    view! {
        <section class="parameters" aria-labelledby="parameters-title">
            <div class="heading">
                <h3 id="parameters-title">"Parameters"</h3>
                <button
                    id="defaults"
                    class="plain"
                    disabled=move || !changed.get().unwrap_or(false)
                    on:click=restore
                >
                    "Restore all"
                </button>
            </div>
            <ValuesOfNow />
            <ElsewhereSliders />
            {move || {
                let groups = groups();
                // Thousands of sliders that are out of sight would hold the page up.
                let is_large = groups.len() > MAX_FILLED;
                groups.into_iter().enumerate().map(|(at, group)| view! { <Sliders at group is_large /> }).collect_view()
            }}
        </section>
    }
}

/// Groups of a network up to this number have their sliders before they are opened.
const MAX_FILLED: usize = 100;

/// The sliders of one group; not while its object is inspected, or is missing in the network that is drawn.
#[component]
fn Sliders(at: usize, group: Group, is_large: bool) -> impl IntoView {
    let studio = studio();
    let style = group.colour.map(|colour| format!("--accent: var({colour})"));
    let is_open = RwSignal::new(at == 0);
    let name = group.name.clone();
    let is_elsewhere = Memo::new(move |_| studio.elsewhere(&name).is_some());
    let parameters = StoredValue::new(group.parameters);
    view! {
        <details
            open=at == 0
            style=style
            class:absent=move || is_elsewhere.get()
            on:toggle:target=move |toggle| is_open.set(toggle.target().open())
        >
            <summary>
                <b>{group.name}</b>
                <span>{group.about}</span>
            </summary>
            <Show when=move || !is_large || is_open.get()>
                {parameters.get_value().into_iter().map(|parameter| view! { <Slider parameter /> }).collect_view()}
            </Show>
        </details>
    }
}

/// Where the sliders are that are not here.
#[component]
fn ElsewhereSliders() -> impl IntoView {
    let studio = studio();
    let said = Memo::new(move |_| {
        let all = studio.session.with(|session| session.current.as_ref().map(|current| groups(&current.opened)))?;
        let of = |place: Elsewhere| {
            let names = all.iter().filter(|group| studio.elsewhere(&group.name) == Some(place));
            names.map(|group| group.name.clone()).collect::<Vec<_>>()
        };
        let (inspected, removed) = (of(Elsewhere::Inspector), of(Elsewhere::Nowhere));
        let inspected = (!inspected.is_empty()).then(|| format!("The values of {} are in its inspector. ", listed(&inspected)));
        let removed = match removed.as_slice() {
            [] => None,
            [one] => Some(format!("{one} runs, but is not in the network that is drawn: Run replaces it.")),
            several if several.len() > 4 => {
                Some(format!("{} objects run, but are not in the network that is drawn: Run replaces them.", several.len()))
            }
            several => Some(format!("{} run, but are not in the network that is drawn: Run replaces them.", listed(several))),
        };
        let all = [inspected, removed].into_iter().flatten().collect::<String>();
        (!all.is_empty()).then_some(all)
    });
    view! {
        <Show when=move || said.read().is_some()>
            <p class="muted" data-testid="sliders-elsewhere">{move || said.get()}</p>
        </Show>
    }
}

/// While the plots show the past: that values are those of the present.
#[component]
pub(super) fn ValuesOfNow() -> impl IntoView {
    let studio = studio();
    let view = Memo::new(move |_| studio.timeline.with(|timeline| timeline.view));
    let sentence = move || {
        let (from, to) = view.get()?;
        let time = |ms: f64| number::short(ms, 6);
        let now = time(studio.readings.with(|readings| readings.time_ms));
        Some(format!("The plots show {} to {} ms; these are the values now, at {now} ms.", time(from), time(to)))
    };
    view! {
        <Show when=move || view.get().is_some()>
            <p class="muted" data-testid="values-of-now">
                {sentence}
            </p>
        </Show>
    }
}

fn groups(opened: &OpenedNetwork) -> Vec<Group> {
    let network = &opened.network;
    let populations = network.populations.iter().enumerate().map(|(at, population)| Group {
        name: population.name.clone(),
        about: match role(&population.name) {
            _ if population.source => number::count(population.size.into(), "input"),
            Role::Excitatory => number::count(population.size.into(), "excitatory neuron"),
            Role::Inhibitory => number::count(population.size.into(), "inhibitory neuron"),
            Role::Other => number::count(population.size.into(), "neuron"),
        },
        colour: Some(role::variable(at, &population.name)),
        parameters: population.parameters.clone(),
    });
    let projections = network.projections.iter().map(|projection| Group {
        name: projection.name.clone(),
        about: format!("synapses {} → {}", projection.pre, projection.post),
        colour: None,
        // Plasticity is a switch beside the weights.
        parameters: projection
            .parameters
            .iter()
            .filter(|of| !(projection.learns && of.symbol == "plasticity"))
            .cloned()
            .collect(),
    });
    populations.chain(projections).filter(|group| !group.parameters.is_empty()).collect()
}

#[component]
pub(super) fn Slider(
    parameter: Parameter,
    /// Whether it is a second one for the parameter, in a lesson.
    #[prop(optional)]
    is_second: bool,
) -> impl IntoView {
    let studio = studio();
    let Parameter { path, symbol, about, unit, value, .. } = parameter.clone();
    let (id, symbol) = if is_second { (format!("step-{path}"), path.clone()) } else { (path.clone(), symbol) };
    let shown = {
        let path = path.clone();
        of_current(move |current| current.shown(&path))
    };
    let shown = move || shown.get().flatten().unwrap_or(value);
    let default = {
        let path = path.clone();
        of_current(move |current| current.default_of(&path))
    };
    let default = move || default.get().flatten().unwrap_or(value);
    let restored = path.clone();
    view! {
        <div class="slider" class:changed=move || !same(shown(), default())>
            <label for=id.clone()>
                <code>{symbol}</code>
                <span>{about}</span>
            </label>
            <button
                class="plain restore"
                title=move || format!("Restore {}", number::quantity(default(), &unit))
                aria-label=format!("Restore {path}")
                disabled=move || same(shown(), default())
                on:click=move |_| studio.set(&restored, default())
            >
                "↺"
            </button>
            <Value parameter=parameter.clone() />
            <Range parameter id=id />
        </div>
    }
}

/// The value of a parameter as text, which can be typed, also while it runs: a number in the unit that it has, or with a unit of its own.
#[component]
fn Value(parameter: Parameter) -> impl IntoView {
    let studio = studio();
    let Parameter { path, unit, value, .. } = parameter;
    let shown = {
        let path = path.clone();
        of_current(move |current| current.shown(&path))
    };
    let shown = move || shown.get().flatten().unwrap_or(value);
    let text = {
        let unit = unit.clone();
        move || number::quantity(shown(), &unit)
    };
    let field = NodeRef::<html::Input>::new();
    let wrong = RwSignal::new(None::<String>);
    let written = text.clone();
    // Set directly: what was typed and is wrong must not stay when the slider moves.
    Effect::new(move |_| {
        let text = written();
        if let Some(field) = field.get() {
            field.set_value(&text);
            wrong.set(None);
        }
    });
    let typed = {
        let path = path.clone();
        let text = text.clone();
        move |typed: String| match number::typed(&typed, &unit, shown()) {
            _ if typed.trim() == text().trim() => wrong.set(None),
            Ok(number::Typed::Number(value)) => {
                wrong.set(None);
                studio.set(&path, value);
            }
            Ok(number::Typed::Quantity(quantity)) => {
                wrong.set(None);
                studio.set_quantity(&path, quantity);
            }
            Err(sentence) => wrong.set(Some(sentence)),
        }
    };
    let restored = text.clone();
    view! {
        <input
            type="text"
            class="value"
            data-value-of=path.clone()
            aria-label=format!("Value of {path}")
            aria-invalid=move || wrong.get().is_some().to_string()
            size=move || text().chars().count().max(3).to_string()
            autocomplete="off"
            spellcheck="false"
            node_ref=field
            on:focus=move |_| {
                if let Some(field) = field.get_untracked() {
                    field.select();
                }
            }
            on:change:target=move |change| typed(change.target().value())
            on:keydown=move |key: ev::KeyboardEvent| {
                if key.key() == "Escape" && let Some(field) = field.get_untracked() {
                    field.set_value(&restored());
                    wrong.set(None);
                }
            }
        />
        <Show when=move || wrong.get().is_some()>
            <p class="wrong" role="alert">{move || wrong.get()}</p>
        </Show>
    }
}

/// The slider of a parameter alone. It sets the running network.
#[component]
pub(super) fn Range(
    parameter: Parameter,
    /// For the label; without one the slider has its own, and is that of the inspector.
    #[prop(optional, into)]
    id: String,
) -> impl IntoView {
    let studio = studio();
    let Parameter { path, symbol, unit, value, min, max, .. } = parameter;
    // Finer than a pixel of most sliders.
    let step = number::nice_above((max - min).max(1e-9) / 1000.0);
    let shown = {
        let path = path.clone();
        of_current(move |current| current.shown(&path))
    };
    let shown = move || shown.get().flatten().unwrap_or(value);
    let input = NodeRef::<html::Input>::new();
    // Set directly rather than by an attribute: restoring the previous value would not be a change of the attribute.
    let drags = RwSignal::new(0u32);
    Effect::new(move |_| {
        drags.track();
        let value = shown();
        if let Some(input) = input.get() {
            input.set_value_as_number(value);
        }
    });
    let fill = move || {
        let part = ((shown() - min) / (max - min)).clamp(0.0, 1.0) * 100.0;
        format!("--fill: {part}%")
    };
    let moved = path.clone();
    // Positions are on a grid, values need not be: an unmoved slider keeps its exact value.
    let place = move |value: f64| ((value / step).round() * step).clamp(min, max);
    let by_keys = {
        let path = path.clone();
        move |key: ev::KeyboardEvent| {
            let steps = match key.key().as_str() {
                "ArrowRight" | "ArrowUp" => 1.0,
                "ArrowLeft" | "ArrowDown" => -1.0,
                "PageUp" => 10.0,
                "PageDown" => -10.0,
                _ => return,
            };
            key.prevent_default();
            studio.set(&path, place(shown() + steps * step));
        }
    };
    let is_labelled = !id.is_empty();
    view! {
        <input
            type="range"
            id=is_labelled.then_some(id)
            data-path=is_labelled.then(|| path.clone())
            data-live=(!is_labelled).then_some(path)
            aria-label=(!is_labelled).then(|| format!("{symbol}, while it runs"))
            min=min
            max=max
            step="any"
            style=fill
            aria-valuetext=move || number::quantity(shown(), &unit)
            node_ref=input
            on:keydown=by_keys
            on:input:target=move |change| {
                studio.set(&moved, place(change.target().value_as_number()));
                drags.update(|drags| *drags += 1);
            }
        />
    }
}
