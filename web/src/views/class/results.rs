//! The results of a class in the teacher's page: collected from links, as one picture.

use leptos::{html, prelude::*};

use super::{super::studio, picture::Picture};
use crate::{
    class::{Collected, Collection},
    keep::call,
    number,
};

/// The dialog.
#[component]
pub(crate) fn ClassResults() -> impl IntoView {
    let studio = studio();
    let dialog = NodeRef::<html::Dialog>::new();
    let task = studio.class.collecting;
    Effect::new(move |_| {
        if let Some(dialog) = dialog.get()
            && task.with(Option::is_some)
            && !dialog.open()
        {
            call(&dialog, "showModal").ok();
        }
    });
    let close = move || {
        if let Some(dialog) = dialog.get_untracked() {
            call(&dialog, "close").ok();
        }
    };
    view! {
        <dialog class="share class-results" id="class-results" aria-labelledby="class-title" node_ref=dialog on:close=move |_| task.set(None)>
            <div class="share-body">
                <div class="heading">
                    <h2 id="class-title">"Results of the class"</h2>
                    <button class="plain close" aria-label="Close" title="Close" on:click=move |_| close()>
                        "×"
                    </button>
                </div>
                <Show when=move || task.with(Option::is_some)>
                    <Collector />
                </Show>
            </div>
        </dialog>
    }
}

/// The picture, and the field for links.
#[component]
fn Collector() -> impl IntoView {
    let studio = studio();
    let collection = studio.class.collection;
    let said = RwSignal::new(Collected::default());
    let field = NodeRef::<html::Textarea>::new();
    let add = move || {
        if let Some(field) = field.get_untracked() {
            let collected = studio.add_results(&field.value());
            // What is wrong stays, to be corrected.
            if collected.wrong.is_empty() {
                field.set_value("");
            }
            said.set(collected);
        }
    };
    let words = move || {
        let (count, contested) = collection.with(|all| (all.len(), all.contested()));
        let points = studio.class.collecting.with(|task| task.as_ref().map_or(0, |task| task.points));
        let mut words = format!("{count} of {points} points have a result.");
        if !contested.is_empty() {
            let names: Vec<_> = contested.iter().map(|point| (point + 1).to_string()).collect();
            words += &format!(
                " Results of the point {} differ, although its run is the same in every browser: one of them was changed.",
                names.join(", ")
            );
        }
        words
    };
    let outcome = move || {
        said.with(|Collected { new, known, wrong }| {
            let mut lines = Vec::new();
            if new + known > 0 {
                let before =
                    if *known > 0 { format!(", {} known before", number::count(*known as u64, "result")) } else { String::new() };
                lines.push(format!("{} added{before}.", number::count(*new as u64, "result")));
            }
            lines.extend(wrong.iter().map(|(line, why)| format!("Line {line}: {why}")));
            lines.into_iter().map(|line| view! { <li>{line}</li> }).collect_view()
        })
    };
    let save = move |_| studio.save_results(&collection.with_untracked(Collection::to_text));
    view! {
        {move || studio.class.collecting.get().map(|task| view! { <Picture task /> })}
        <p role="status" data-testid="class-count">{words}</p>
        <label class="class-links">
            <span>"Links of results, one in each line; what stands around them does not matter"</span>
            <textarea id="class-links" rows="4" node_ref=field spellcheck="false" autocomplete="off"></textarea>
        </label>
        <div class="actions">
            <button class="primary" id="class-add" on:click=move |_| add()>
                "Add"
            </button>
            <button id="class-save" on:click=save>
                "Save all as a file"
            </button>
        </div>
        <ul class="fine" role="status" data-testid="class-said">{outcome}</ul>
        <p class="fine">"A result that is opened in this browser is added here. The results are stored in this browser only."</p>
    }
}
