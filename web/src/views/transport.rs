//! Play, pause, reset, and the readings.

use leptos::prelude::*;

use super::{of_current, studio};
use crate::number;
use crate::session::{Current, Session};

/// The bar above the plots; on a phone it stays at the lower edge.
#[component]
pub(crate) fn Transport() -> impl IntoView {
    let studio = studio();
    let playing = of_current(|current| current.playing);
    // The first network plays softly before play was pressed.
    let playing = move || playing.get().unwrap_or(false) && !studio.lessons.plays_softly.get();
    let ready = Memo::new(move |_| {
        studio.session.with(|session| (session.lost.is_some() || session.current.is_some()) && !session.is_opening())
    });
    let label = move || if playing() { studio.say("Pause") } else { studio.say("Play") };
    let readings = studio.readings;
    let stopped = of_current(|current| current.stopped.clone());
    view! {
        <section class="transport" aria-label="Transport">
            <div class="buttons">
                <button
                    id="play"
                    data-testid="play"
                    class="primary"
                    disabled=move || !ready.get()
                    aria-keyshortcuts="Space"
                    title="Space bar"
                    on:click=move |_| studio.toggle()
                >
                    <svg viewBox="0 0 16 16" aria-hidden="true">
                        <path d=move || {
                            if playing() { "M4 2.5h3v11H4zM9 2.5h3v11H9z" } else { "M4 2.2v11.6L13.5 8z" }
                        } />
                    </svg>
                    {label}
                </button>
                <button
                    id="reset"
                    data-testid="reset"
                    disabled=move || !ready.get()
                    title="Back to t = 0; parameters keep their values"
                    on:click=move |_| studio.reset()
                >
                    <svg viewBox="0 0 16 16" aria-hidden="true" class="stroked">
                        <path d="M3 2.8v3.6h3.6M3.4 6.2A5.2 5.2 0 1 1 2.9 9.4" />
                    </svg>
                    {move || studio.say("Reset")}
                </button>
            </div>
            <dl class="readings">
                <div>
                    <dt>"Time"</dt>
                    <dd id="time" data-testid="time" data-value=move || readings.get().time_ms.to_string()>
                        {move || number::clock(readings.get().time_ms)}
                        <small>"\u{a0}ms"</small>
                    </dd>
                </div>
                <div>
                    <dt>"Spikes"</dt>
                    <dd id="spikes" data-testid="spikes" data-value=move || readings.get().spikes.to_string()>
                        {move || number::grouped(readings.get().spikes)}
                    </dd>
                </div>
                <div class="factor">
                    <dt><span class="long">"Real-time factor"</span><abbr class="brief" title="Real-time factor">"RTF"</abbr></dt>
                    <dd
                        id="rtf"
                        data-testid="rtf"
                        data-value=move || readings.get().real_time_factor.to_string()
                    >
                        {move || {
                            let factor = readings.get().real_time_factor;
                            if factor > 0.0 { number::short(factor, 2) } else { "–".into() }
                        }}
                        <small>" " {move || number::pace(readings.get().real_time_factor)}</small>
                    </dd>
                </div>
            </dl>
            {move || {
                stopped.get().flatten().map(|why| view! { <p class="stopped" data-testid="stopped">{why}</p> })
            }}
            <p class="unseen" role="status" aria-live="polite">
                {move || studio.session.with(spoken)}
            </p>
        </section>
    }
}

/// The text that a screen reader announces on changes.
fn spoken(session: &Session) -> String {
    match &session.current {
        _ if session.is_opening() => "Building the network".into(),
        Some(current) if current.playing => "Playing".into(),
        Some(Current { stopped: Some(why), .. }) => why.clone(),
        Some(current) if current.begun => "Paused".into(),
        Some(current) => format!("Ready: {}", current.opened.network.name),
        None => "Starting".into(),
    }
}
