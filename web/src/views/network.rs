//! The network: its diagram, the inspector of what is selected, and lists of all objects.

mod entry;
mod foot;
mod general;
mod inspector;
mod lines;
pub(super) mod live;
mod made;
mod population;
mod projection;
mod row;
mod source;
mod values;

use leptos::{html, prelude::*};

pub(super) use self::row::listed;
use self::{entry::FieldErrors, foot::Foot, general::General, inspector::Inspector, row::Row};
use super::{
    canvas::{Canvas, CanvasState},
    pane::PaneFrame,
    studio,
};
use crate::{
    network::{Kind, Object},
    number,
    studio::Pane,
};

/// Rows of a list that are shown at once: a page of thousands of rows answers slowly.
const ROWS: usize = 200;

/// The pane.
#[component]
pub(crate) fn NetworkPane() -> impl IntoView {
    let studio = studio();
    let open = Memo::new(move |_| studio.pane.get() == Pane::Network);
    let there = Memo::new(move |_| studio.equations.with(|equations| equations.network().is_some()));
    provide_context(CanvasState::new(studio));
    view! {
        <PaneFrame
            pane=Pane::Network
            id="network-pane"
            name="network"
            there=Signal::derive(move || there.get() && open.get())
            heading=|| {
                view! {
                    <Steps />
                    <Files />
                }
            }
        >
            <Canvas />
            <div class="body">
                <Inspector />
                <FieldErrors object=None keys=vec![String::new()] id="flaws-network".to_owned() />
                <General />
                {Kind::ALL.map(|kind| view! { <List kind /> })}
            </div>
            <Foot />
        </PaneFrame>
    }
}

/// Undo and redo.
#[component]
fn Steps() -> impl IntoView {
    let studio = studio();
    let depth = Memo::new(move |_| studio.past.with(crate::network::undo_history::UndoHistory::depth));
    view! {
        <div class="undo">
            <button
                class="icon"
                id="undo-network"
                data-testid="undo-network"
                aria-label="Undo"
                aria-keyshortcuts="Control+Z"
                title="Undo (Ctrl + Z)"
                disabled=move || !depth.get().0
                on:click=move |_| studio.undo()
            >
                <svg viewBox="0 0 16 16" aria-hidden="true" class="stroked">
                    <path d="M5.8 3 2.6 6.2l3.2 3.2M2.9 6.2h6.4a3.6 3.6 0 0 1 0 7.2H6.6" />
                </svg>
            </button>
            <button
                class="icon"
                id="redo-network"
                data-testid="redo-network"
                aria-label="Redo"
                aria-keyshortcuts="Control+Shift+Z"
                title="Redo (Ctrl + Shift + Z)"
                disabled=move || !depth.get().1
                on:click=move |_| studio.redo()
            >
                <svg viewBox="0 0 16 16" aria-hidden="true" class="stroked">
                    <path d="m10.2 3 3.2 3.2-3.2 3.2M13.1 6.2H6.7a3.6 3.6 0 0 0 0 7.2h2.7" />
                </svg>
            </button>
        </div>
    }
}

/// Open and save.
#[component]
fn Files() -> impl IntoView {
    let studio = studio();
    let chooser = NodeRef::<html::Input>::new();
    let choose = move |_| {
        if let Some(chooser) = chooser.get_untracked() {
            chooser.click();
        }
    };
    view! {
        <div class="files">
            <button class="plain" id="open-file" data-testid="open-file" title="Open a network from a file, or drop a file onto the page" on:click=choose>
                "Open …"
            </button>
            <input
                node_ref=chooser
                hidden
                id="file"
                data-testid="file"
                type="file"
                accept=".json,application/json,.csv,.tsv,.txt,.mtx,.gz,.npz,.xml,.nml,.nir,.h5,.hdf5"
                multiple
                aria-label="Network file"
                on:change:target=move |change| {
                    studio.open_files(change.target().files().as_ref());
                    // The same file can be chosen again.
                    change.target().set_value("");
                }
            />
            <button class="plain" id="save-file" data-testid="save-file" title="Save the network with its edits as a file" on:click=move |_| studio.save_file()>
                "Save"
            </button>
        </div>
    }
}

/// The objects of a kind.
#[component]
fn List(kind: Kind) -> impl IntoView {
    let studio = studio();
    let count =
        Memo::new(move |_| studio.equations.with(|equations| equations.network().map_or(0, |network| kind.count(network))));
    let can_add = Memo::new(move |_| {
        kind != Kind::Projection
            || studio.equations.with(|equations| equations.network().is_some_and(|network| !network.populations.is_empty()))
    });
    let shown = RwSignal::new(ROWS);
    let (title, nothing) = match kind {
        Kind::Population => ("Populations", "No neurons yet: add a population."),
        Kind::Source => ("Sources", "None: all spikes come from populations."),
        Kind::Projection => ("Projections", "None: no neurons are connected."),
    };
    let id = format!("list-{}", kind.list());
    view! {
        <section class="list" data-list=kind.list() aria-labelledby=id.clone()>
            <div class="list-heading">
                <h4 id=id.clone()>{title}</h4>
                <span class="count">{move || count.get()}</span>
                <button
                    data-add=kind.word()
                    aria-label=format!("Add a {}", kind.word())
                    disabled=move || !can_add.get()
                    on:click=move |_| studio.add(kind)
                >
                    "Add"
                </button>
            </div>
            <Show when=move || count.get() == 0>
                <p class="nothing">{nothing}</p>
            </Show>
            <ul>
                <For each=move || 0..count.get().min(shown.get()) key=|place| *place let(place)>
                    <Row object=Object::new(kind, place) />
                </For>
            </ul>
            <Show when=move || { count.get() > shown.get() }>
                <button class="plain more-rows" on:click=move |_| shown.update(|shown| *shown += ROWS)>
                    {move || format!("Show {} more of {}", ROWS.min(count.get() - shown.get()), number::grouped(count.get() as u64))}
                </button>
            </Show>
        </section>
    }
}
