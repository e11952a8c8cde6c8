//! Where the time goes: the profile of the open network, and what to change.

use leptos::prelude::*;

use super::{equations::words, of_current, studio};
use crate::{
    number,
    profile::{Advice, Profile, ProfileRow},
    studio::ProfileState,
};

/// A button that measures, and the results.
#[component]
pub(super) fn Profiling() -> impl IntoView {
    let studio = studio();
    let state = RwSignal::new(ProfileState::default());
    let opened = of_current(|current| current.opened.id);
    // The profile of another network is not the one of this.
    Effect::new(move |_| {
        opened.get();
        state.set(ProfileState::Nothing);
    });
    let measuring = move || state.with(|state| *state == ProfileState::Measuring);
    view! {
        <section class="profile" aria-labelledby="profile-title">
            <h4 id="profile-title">"Where the time goes"</h4>
            <button
                id="measure"
                data-testid="measure"
                title="Runs the network from its start for 1.5 s with a clock around each operation"
                disabled=move || measuring() || opened.get().is_none()
                on:click=move |_| studio.measure(state)
            >
                {move || if measuring() { "Measuring …" } else { "Measure" }}
            </button>
            <div role="status" data-testid="profile">
                {move || match state.get() {
                    ProfileState::Nothing | ProfileState::Measuring => None,
                    ProfileState::Measured(profile) => Some(table(profile).into_any()),
                    ProfileState::Failed(sentence) => Some(view! { <p class="wrong">{sentence}</p> }.into_any()),
                }}
            </div>
        </section>
    }
}

fn table(profile: Profile) -> impl IntoView {
    let Profile { operations, kernels, neuron_updates_per_second, synaptic_events_per_second, bottleneck, advice } = profile;
    let row = |ProfileRow { name, seconds, share }: ProfileRow| {
        view! {
            <tr data-operation=name.clone()>
                <th scope="row">{name.clone()}</th>
                <td class="share" aria-hidden="true">
                    <i style=format!("width: {}%", number::short(100.0 * share, 3))></i>
                </td>
                <td>{format!("{:.1} %", 100.0 * share)}</td>
                <td>{number::quantity(1000.0 * seconds, "ms")}</td>
            </tr>
        }
    };
    let rate = |rate: Option<f64>, what: &str| rate.map(|rate| format!("{} {what} per second", number::large(rate)));
    let rates = [rate(neuron_updates_per_second, "neuron updates"), rate(synaptic_events_per_second, "synaptic events")];
    let rates = rates.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let item = |Advice { change, reason }: Advice| {
        view! {
            <li>
                <b>{format!("Try {change}")}</b>
                {words(&format!(": {reason}"))}
            </li>
        }
    };
    view! {
        <table>
            <caption class="unseen">"Time by operation or kernel"</caption>
            <tbody>{operations.into_iter().chain(kernels).map(row).collect_view()}</tbody>
        </table>
        <p class="hint-line">{rates}</p>
        <p class="hint-line">{bottleneck.map(|sentence| words(&sentence))}</p>
        <ul class="advice">{advice.into_iter().map(item).collect_view()}</ul>
    }
}
