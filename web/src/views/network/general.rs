//! Settings of the whole network.

use leptos::prelude::*;
use spikelet_network::{Change, CustomFunction};

use super::super::studio;
use super::entry::Entry;
use crate::{
    equations::EDITED,
    network::lines::{self, Line},
};

/// Name, time step, seed, description, functions, and protocol.
#[component]
pub(super) fn General() -> impl IntoView {
    let studio = studio();
    let look = move |what: fn(&spikelet_network::Network) -> String| {
        Memo::new(move |_| studio.equations.with(|equations| equations.network().map(what).unwrap_or_default()))
    };
    let name = look(|network| network.name.trim_end_matches(EDITED).to_owned());
    let with_wgsl = look(|network| {
        let names: Vec<&str> = network.functions.iter().filter(|of| of.wgsl.is_some()).map(|of| of.name.as_str()).collect();
        if names.is_empty() { String::new() } else { format!("With WGSL, in the JSON: {}", names.join(", ")) }
    });
    view! {
        <details class="general">
            <summary>
                <b>{move || name.get()}</b>
                <span>"name, step, seed, functions, protocol"</span>
            </summary>
            <Entry
                object=None
                key="name"
                label="Name"
                text=name
                take=|equations, text| {
                    equations.draw(|network| text.trim().clone_into(&mut network.name));
                    Ok(())
                }
            />
            <Entry
                object=None
                key="description"
                label="About"
                lines=true
                text=look(|network| network.description.clone())
                take=|equations, text| {
                    equations.draw(|network| text.clone_into(&mut network.description));
                    Ok(())
                }
            />
            <Entry
                object=None
                key="dt_ms"
                label="Step"
                note="ms"
                text=look(|network| network.dt_ms.to_string())
                take=|equations, text| {
                    let step: f64 = text.trim().parse().map_err(|_| format!("`{text}` is not a number of milliseconds."))?;
                    equations.draw(|network| network.dt_ms = step);
                    Ok(())
                }
            />
            <Entry
                object=None
                key="seed"
                label="Seed"
                note="of connectivity and noise"
                text=look(|network| network.seed.to_string())
                take=|equations, text| {
                    let seed: u64 = text.trim().parse().map_err(|_| format!("`{text}` is not a whole number."))?;
                    equations.draw(|network| network.seed = seed);
                    Ok(())
                }
            />
            <Entry
                object=None
                key="functions"
                label="Functions"
                note="that all equations can call: arguments and result with their units"
                lines=true
                placeholder=CustomFunction::EXAMPLE
                text=look(|network| lines::print(&network.functions))
                take=|equations, text| {
                    let before = equations.network().map_or(&[][..], |network| &network.functions);
                    let functions = lines::read(text, before)?;
                    equations.draw(|network| network.functions = functions);
                    Ok(())
                }
            />
            <p class="hint-line">{move || with_wgsl.get()}</p>
            <Entry
                object=None
                key="changes"
                label="Timed parameter changes"
                lines=true
                placeholder="500 ms: E.I = 200 pA"
                text=look(|network| network.changes.iter().flat_map(Change::lines).collect::<Vec<_>>().join("\n"))
                take=|equations, text| {
                    let lines = text.lines().filter(|line| !line.trim().is_empty());
                    let changes: Vec<Change> = lines.map(str::parse).collect::<Result<_, _>>().map_err(sentence)?;
                    equations.draw(|network| network.changes = changes);
                    Ok(())
                }
            />
            <Entry
                object=None
                key="stop"
                label="Stop when"
                lines=true
                placeholder="rate(E, 50 ms) > 100 Hz"
                text=look(|network| network.stop.join("\n"))
                take=|equations, text| {
                    let conditions = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
                    equations.draw(|network| network.stop = conditions);
                    Ok(())
                }
            />
        </details>
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives it")]
fn sentence(error: spikelet_network::Error) -> String {
    error.to_string()
}
