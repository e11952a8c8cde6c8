//! Lists with a line for each entry, such as statements at regular times.

use leptos::prelude::*;

use super::super::studio;
use super::entry::Entry;
use crate::{
    equations::Equations,
    network::{
        Object,
        lines::{self, Line},
    },
};

/// The note of the field for statements at regular times.
pub(super) const NOTE_OF_TIMES: &str = "every step, or: every 1 ms from 100 ms, order 1: x = 0; u += 1";

/// The recordings of an object.
#[component]
pub(super) fn Recordings(object: Object) -> impl IntoView {
    view! {
        <Lines
            object
            key="recordings"
            title="Recordings"
            label="Recorded"
            note="v[0,5], v[0:100], or v[:] for all; mean(v[:]) or sum(v[:]); every 1 ms; in mV"
            get=move |equations: &Equations| equations.recordings_of(object)
            set=move |equations: &mut Equations, list| equations.record_as(object, list)
        />
    }
}

/// A field for a list, in a group that is folded while it is empty.
#[component]
pub(super) fn Lines<T, Get, Set>(
    object: Object,
    /// Key in the object's JSON.
    key: &'static str,
    /// The heading of the group.
    title: &'static str,
    label: &'static str,
    note: &'static str,
    /// The list.
    get: Get,
    /// Sets it.
    set: Set,
) -> impl IntoView
where
    T: Line + 'static,
    Get: Fn(&Equations) -> Vec<T> + Copy + Send + Sync + 'static,
    Set: Fn(&mut Equations, Vec<T>) + Copy + Send + Sync + 'static,
{
    let studio = studio();
    let text = Memo::new(move |_| studio.equations.with(|equations| lines::print(&get(equations))));
    let wrong =
        Memo::new(move |_| studio.checked.with(|checked| checked.field_errors.iter().any(|of| of.is_of(Some(object), key))));
    // Once open it stays open, so that it does not fold while the user edits it.
    let open = Memo::new(move |before: Option<&bool>| {
        before.is_some_and(|open| *open) || wrong.get() || text.with(|text| !text.is_empty())
    });
    view! {
        <details class="group" data-group=key open=move || open.get()>
            <summary>
                <b>{title}</b>
            </summary>
            <Entry
                object=Some(object)
                key
                label
                note
                lines=true
                placeholder=T::EXAMPLE
                text
                take=move |equations, text| {
                    let list = lines::read(text, &get(equations))?;
                    set(equations, list);
                    Ok(())
                }
            />
        </details>
    }
}
