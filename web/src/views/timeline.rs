//! The strip of the whole run, its tools, and the list of changes.

use leptos::{ev, html, prelude::*};

use super::{continue_run::SavedLine, of_current, studio};
use crate::{
    number,
    timeline::{Flag, FlagKind, SPEEDS, speed_of, speed_word},
};

/// The time axis of the run, above the plots.
#[component]
pub(crate) fn Timeline() -> impl IntoView {
    let studio = studio();
    let mount = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        if let Some(mount) = mount.get() {
            studio.lay_strip(mount.into());
        }
    });
    let kept = Memo::new(move |_| studio.timeline.with(|timeline| timeline.kept.clone()));
    view! {
        <section class="timeline" aria-label="Timeline">
            <div class="timeline-mount" node_ref=mount></div>
            <div class="timeline-tools">
                <Step />
                <RunFor />
                <Speed />
                <FullReset />
                <span class="timeline-space"></span>
                <Fork />
            </div>
            <Changes />
            <p class="timeline-kept" id="kept">
                {kept}
            </p>
            <SavedLine />
        </section>
    }
}

/// Whether a run can be started: a network is open and paused.
fn is_ready() -> Memo<bool> {
    let studio = studio();
    Memo::new(move |_| {
        let is_paused = studio.session.with(|session| {
            !session.is_opening() && session.current.as_ref().is_some_and(|current| !current.playing && current.stopped.is_none())
        });
        is_paused && studio.timeline.with(|timeline| timeline.replay.is_none())
    })
}

#[component]
fn Step() -> impl IntoView {
    let studio = studio();
    let ready = is_ready();
    let dt_ms = of_current(|current| current.opened.dt_ms);
    let title = move || format!("One time step, {} (key .)", number::quantity(dt_ms.get().unwrap_or_default(), "ms"));
    view! {
        <button
            id="step"
            data-testid="step"
            aria-keyshortcuts="."
            title=title
            disabled=move || !ready.get()
            on:click=move |_| studio.step()
        >
            "Step"
        </button>
    }
}

#[component]
fn RunFor() -> impl IntoView {
    let studio = studio();
    let ready = is_ready();
    let field = NodeRef::<html::Input>::new();
    let run = move || {
        if let Some(field) = field.get_untracked().filter(|_| ready.get_untracked()) {
            studio.run_for_text(&field.value());
        }
    };
    view! {
        <span class="timeline-run-for">
            <button id="run-for" data-testid="run-for" disabled=move || !ready.get() on:click=move |_| run()>
                "Run for"
            </button>
            <input
                type="text"
                id="run-for-time"
                aria-label="Duration of the run"
                value="1 s"
                size="6"
                autocomplete="off"
                node_ref=field
                on:keydown=move |key: ev::KeyboardEvent| {
                    if key.key() == "Enter" {
                        run();
                    }
                }
            />
        </span>
    }
}

#[component]
fn Speed() -> impl IntoView {
    let studio = studio();
    let speed = studio.speed;
    let option = move |of: f64| {
        view! {
            <option value=of.to_string() selected=move || speed.get() == of>
                {speed_word(of)}
            </option>
        }
    };
    view! {
        <label class="field small">
            <span>"Speed"</span>
            <select
                id="speed"
                title="Biological time per wall time, at most"
                on:change:target=move |change| {
                    if let Some(speed) = speed_of(&change.target().value()) {
                        studio.set_speed(speed);
                    }
                }
            >
                {SPEEDS.map(option).collect_view()}
                // A speed that was set by a lesson.
                <Show when=move || !SPEEDS.contains(&speed.get())>
                    <option value=move || speed.get().to_string() selected=true>
                        {move || speed_word(speed.get())}
                    </option>
                </Show>
            </select>
        </label>
    }
}

#[component]
fn FullReset() -> impl IntoView {
    let studio = studio();
    let ready = Memo::new(move |_| studio.session.with(|session| session.current.is_some() && !session.is_opening()));
    view! {
        <button
            id="full-reset"
            data-testid="full-reset"
            title="Back to t = 0 with the values of the network; removes all changes"
            disabled=move || !ready.get()
            on:click=move |_| studio.full_reset()
        >
            "Full reset"
        </button>
    }
}

/// Goes back to the end of the visible time span; during a repetition, its progress.
#[component]
fn Fork() -> impl IntoView {
    let studio = studio();
    let replay = Memo::new(move |_| studio.timeline.with(|timeline| timeline.replay));
    let at = Memo::new(move |_| studio.timeline.with(|timeline| timeline.view.map(|(_, to_ms)| to_ms)));
    let at = move || at.get().map(|to_ms| to_ms.min(studio.readings.get().time_ms));
    let seconds = |ms: f64| format!("{:.3} s", ms / 1000.0);
    view! {
        <Show
            when=move || replay.get().is_none()
            fallback=move || {
                view! {
                    <span class="timeline-replay" role="status">
                        {move || {
                            let to = replay.get().map(|replay| seconds(replay.to_ms)).unwrap_or_default();
                            format!("Repeating the run to {to} …")
                        }}
                    </span>
                }
            }
        >
            <Show when=move || at().is_some()>
                <button
                    id="fork"
                    data-testid="fork"
                    title="Goes back to the end of the visible time; what was later is dropped"
                    on:click=move |_| {
                        if let Some(time_ms) = at() {
                            studio.fork(time_ms);
                        }
                    }
                >
                    {move || format!("Fork at {}", at().map(seconds).unwrap_or_default())}
                </button>
            </Show>
        </Show>
    }
}

/// The list of all changes: their values are edited, and the run forks from them.
#[component]
fn Changes() -> impl IntoView {
    let studio = studio();
    let dt_ms = of_current(|current| current.opened.dt_ms);
    let dt_ms = move || dt_ms.get().unwrap_or(1.0);
    // The values at the start are those of the sliders.
    let flags = Memo::new(move |_| {
        studio.timeline.with(|timeline| timeline.flags.iter().filter(|flag| flag.step > 0).cloned().collect::<Vec<_>>())
    });
    let busy = Memo::new(move |_| studio.timeline.with(|timeline| timeline.replay.is_some()));
    view! {
        <Show when=move || !flags.read().is_empty()>
            <details class="timeline-changes" id="changes">
                <summary>{move || format!("Changes ({})", flags.read().len())}</summary>
                <ul>
                    <For each=move || flags.get() key=|flag| (flag.id, flag.value.clone()) let:flag>
                        <Change flag dt_ms=dt_ms() busy />
                    </For>
                </ul>
            </details>
        </Show>
    }
}

#[component]
fn Change(flag: Flag, dt_ms: f64, busy: Memo<bool>) -> impl IntoView {
    let studio = studio();
    let Flag { id, kind, path, value, .. } = flag.clone();
    let words = flag.words(dt_ms);
    let time_ms = flag.time_ms(dt_ms);
    let text = value.clone();
    let wrong = RwSignal::new(None::<String>);
    let shown = match kind {
        FlagKind::Set => view! {
            <input
                aria-invalid=move || wrong.get().is_some().to_string()
                type="text"
                id=format!("flag-{id}")
                value=value.clone()
                aria-label=format!("Value of {words}")
                disabled=move || busy.get()
                autocomplete="off"
                on:change:target=move |change| {
                    let typed = change.target().value();
                    if typed.trim() != text {
                        studio.edit_flag(id, typed.trim(), wrong);
                    }
                }
            />
        }
        .into_any(),
        FlagKind::Scheduled => view! { <span>{format!("{value}, by the network")}</span> }.into_any(),
        FlagKind::Written => view! { <span>{value}</span> }.into_any(),
    };
    let removable = kind != FlagKind::Scheduled;
    view! {
        <li data-flag=id.to_string()>
            <time>{number::quantity(time_ms, "ms")}</time>
            <code>{path}</code>
            {shown}
            <button
                class="plain"
                aria-label=format!("Fork before {words}")
                title="Goes back to just before this change"
                disabled=move || busy.get()
                on:click=move |_| studio.fork(time_ms)
            >
                "Fork here"
            </button>
            <Show when=move || wrong.get().is_some()>
                <p class="wrong" role="alert">
                    {move || wrong.get()}
                </p>
            </Show>
            <Show when=move || removable>
                <button
                    class="plain"
                    aria-label=format!("Remove {words}")
                    title="Repeats the run from here without this change"
                    disabled=move || busy.get()
                    on:click=move |_| studio.remove_flag(id)
                >
                    "Remove"
                </button>
            </Show>
        </li>
    }
}
