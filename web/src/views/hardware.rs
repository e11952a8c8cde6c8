//! Facts about the device, and the memory of the network.

use leptos::prelude::*;
use spikelet_js::protocol::{BackendKind, Buffer, DeviceProperty};

use super::{of_current, profile::Profiling, studio};
use crate::{number, session::OpenedNetwork, studio::WORKGROUP_SIZES};

/// A panel, closed at first.
#[component]
pub(crate) fn Hardware() -> impl IntoView {
    let opened = of_current(|current| {
        let OpenedNetwork { backend, buffers, build, .. } = &current.opened;
        (backend.clone(), buffers.clone(), *build)
    });
    let is_gpu = Memo::new(move |_| opened.with(|of| of.as_ref().is_some_and(|(backend, ..)| backend.kind == BackendKind::Gpu)));
    let summary = move || {
        opened.get().map(|(_, buffers, _)| {
            let count = if buffers.len() == 1 { "1 buffer".to_owned() } else { format!("{} buffers", buffers.len()) };
            format!("{} in {count}", number::bytes(total(&buffers)))
        })
    };
    let facts = move || {
        let (backend, _, build) = opened.get()?;
        let ms = |seconds: f64| number::quantity((seconds * 1000.0).round(), "ms");
        let times = [("Network drawn in", build.plan), ("Wait for the GPU", build.device), ("Loaded in", build.load)];
        let is_gpu = backend.kind == BackendKind::Gpu;
        let times = times.into_iter().filter(|(what, _)| is_gpu || *what != "Wait for the GPU");
        let times = times.map(|(what, seconds)| (what.to_owned(), ms(seconds)));
        let known = backend.facts.into_iter().map(|DeviceProperty { what, much }| (what, much));
        Some(known.chain(times).map(|(what, much)| view! { <div><dt>{what}</dt><dd>{much}</dd></div> }).collect_view())
    };
    let ledger = move || {
        let (_, buffers, _) = opened.get()?;
        let all = total(&buffers).max(1);
        let row = |Buffer { name, bytes }: Buffer| {
            view! {
                <tr data-buffer=name.clone()>
                    <th scope="row">{name.clone()}</th>
                    <td class="share" aria-hidden="true">
                        <i style=format!("width: {}%", number::short(100.0 * bytes as f64 / all as f64, 3))></i>
                    </td>
                    <td data-value=bytes.to_string()>{number::bytes(bytes)}</td>
                </tr>
            }
        };
        Some(buffers.into_iter().map(row).collect_view())
    };
    view! {
        <details class="hardware" id="hardware" data-testid="hardware">
            <summary>
                <b>"Device and memory"</b>
                <span>{summary}</span>
            </summary>
            <dl class="facts" data-testid="device-facts">
                {facts}
            </dl>
            <table data-testid="ledger">
                <caption class="unseen">"Memory of the network by buffer"</caption>
                <tbody>{ledger}</tbody>
            </table>
            <Show when=move || is_gpu.get()>
                <WorkgroupSize />
            </Show>
            <Profiling />
        </details>
    }
}

/// Opens the network with another size of workgroups.
#[component]
fn WorkgroupSize() -> impl IntoView {
    let studio = studio();
    let option = move |size: u32| {
        view! {
            <option value=size.to_string() prop:selected=move || studio.workgroup_size.get() == size>
                {size.to_string()}
            </option>
        }
    };
    view! {
        <label class="field workgroups">
            <span>"Invocations per workgroup"</span>
            <select
                id="workgroup-size"
                data-testid="workgroup-size"
                title="The speed of the GPU depends on it; the spikes do not. Opens the network again"
                on:change:target=move |change| {
                    if let Ok(size) = change.target().value().parse() {
                        studio.choose_workgroup_size(size);
                    }
                }
            >
                {WORKGROUP_SIZES.map(option).collect_view()}
            </select>
        </label>
    }
}

fn total(buffers: &[Buffer]) -> u64 {
    buffers.iter().map(|buffer| buffer.bytes).sum()
}
