//! The fields of forms with their errors.

use std::sync::Arc;

use leptos::prelude::*;

use super::super::studio;
use crate::{
    equations::Equations,
    network::{Object, field_errors::FieldError},
};

/// A text field. An invalid text stays in it, marked, and the network keeps the previous value.
#[component]
pub(super) fn Entry<Give>(
    /// The object; `None` for the network itself.
    object: Option<Object>,
    /// Key in the object's JSON.
    #[prop(into)]
    key: String,
    #[prop(into)] label: String,
    /// A unit or hint after the field.
    #[prop(optional, into)]
    note: String,
    #[prop(optional, into)] placeholder: Signal<String>,
    /// Whether it may have several lines.
    #[prop(optional)]
    lines: bool,
    /// Whether it has the full width, with the note below.
    #[prop(optional)]
    wide: bool,
    /// The value in the network.
    #[prop(into)]
    text: Signal<String>,
    /// Sets the value.
    take: Give,
    /// An element after the field, such as a button that removes it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView
where
    Give: Fn(&mut Equations, &str) -> Result<(), String> + Send + Sync + 'static,
{
    let behind = children.map(|children| children());
    entry(FieldDescription { object, key, label, note, placeholder, lines, wide }, text, Arc::new(take), behind)
}

/// A field without its text.
struct FieldDescription {
    object: Option<Object>,
    key: String,
    label: String,
    note: String,
    placeholder: Signal<String>,
    lines: bool,
    wide: bool,
}

/// Sets the value.
type Accept = Arc<dyn Fn(&mut Equations, &str) -> Result<(), String> + Send + Sync>;

/// The field itself, not generic, so that it is compiled once.
fn entry(of: FieldDescription, text: Signal<String>, take: Accept, behind: Option<AnyView>) -> AnyView {
    let FieldDescription { object, key, label, note, placeholder, lines, wide } = of;
    let studio = studio();
    let id = id_of(object, &key);
    let (flaws_id, note_id) = (format!("flaws-{id}"), format!("note-{id}"));
    // The text stays as typed (`0.10`) while the network has this value (0.1).
    let typed = RwSignal::new(None::<(String, String)>);
    let unread = {
        let key = key.clone();
        Memo::new(move |_| studio.equations.with(|equations| equations.unread(object, &key).map(|unread| unread.text.clone())))
    };
    let shown = Memo::new(move |_| {
        let text = text.get();
        let typed = typed.get().filter(|(_, model)| *model == text).map(|(typed, _)| typed);
        unread.get().or(typed).unwrap_or(text)
    });
    let wrong = wrong(object, key.clone());
    let write = {
        let key = key.clone();
        move |value: String| {
            let field = format!("{object:?} {key}");
            studio.draw(&field, |equations| {
                let taken = take(equations, &value);
                equations.note(object, &key, &value, taken);
            });
            typed.set(Some((value, text.get_untracked())));
        }
    };
    let described = format!("{flaws_id} {note_id}");
    let input = if lines {
        view! {
            <textarea
                id=id.clone()
                data-field=key.clone()
                rows=move || shown.with(|text| text.lines().count().clamp(1, 8)).to_string()
                spellcheck="false"
                autocapitalize="off"
                autocomplete="off"
                placeholder=move || placeholder.get()
                aria-describedby=described
                aria-invalid=move || wrong.get().to_string()
                prop:value=move || shown.get()
                on:input:target=move |change| write(change.target().value())
                on:blur=move |_| typed.set(None)
            ></textarea>
        }
        .into_any()
    } else {
        view! {
            <input
                id=id.clone()
                data-field=key.clone()
                type="text"
                spellcheck="false"
                autocapitalize="off"
                autocomplete="off"
                placeholder=move || placeholder.get()
                aria-describedby=described
                aria-invalid=move || wrong.get().to_string()
                prop:value=move || shown.get()
                on:input:target=move |change| write(change.target().value())
                on:blur=move |_| typed.set(None)
            />
        }
        .into_any()
    };
    view! {
        <div class="entry" class:lines=lines class:wide=wide>
            <label for=id>{label}</label>
            {input}
            <span class="note" id=note_id>
                {note}
                {behind}
            </span>
            <FieldErrors object keys=vec![key] id=flaws_id />
        </div>
    }
    .into_any()
}

/// The element of a field: only one form is open at a time, besides that of the network.
fn id_of(object: Option<Object>, key: &str) -> String {
    if object.is_some() { format!("field-{key}") } else { format!("network-{key}") }
}

/// Whether a field has errors.
fn wrong(object: Option<Object>, key: String) -> Memo<bool> {
    let studio = studio();
    Memo::new(move |_| {
        studio.checked.with(|checked| checked.field_errors.iter().any(|field_error| field_error.is_of(object, &key)))
    })
}

/// A checkbox.
#[component]
pub(super) fn Tick(
    #[prop(into)] key: String,
    #[prop(into)] label: String,
    #[prop(into)] ticked: Signal<bool>,
    tick: impl Fn(bool) + 'static,
) -> impl IntoView {
    let tick: Box<dyn Fn(bool)> = Box::new(tick);
    view! {
        <label class="tick">
            <input
                type="checkbox"
                data-field=key
                prop:checked=move || ticked.get()
                on:change:target=move |change| tick(change.target().checked())
            />
            {label}
        </label>
    }
}

/// A menu with its errors.
#[component]
pub(super) fn Choice(
    object: Option<Object>,
    #[prop(into)] key: String,
    #[prop(into)] label: String,
    #[prop(optional, into)] note: String,
    /// The chosen value.
    #[prop(into)]
    chosen: Signal<String>,
    /// Values and labels; a label alone is the heading of those after it.
    #[prop(into)]
    options: Signal<Vec<(String, String)>>,
    choose: impl Fn(String) + 'static,
) -> impl IntoView {
    choice(
        FieldDescription { object, key, label, note, placeholder: Signal::default(), lines: false, wide: true },
        chosen,
        options,
        Box::new(choose),
    )
}

fn choice(
    of: FieldDescription,
    chosen: Signal<String>,
    options: Signal<Vec<(String, String)>>,
    choose: Box<dyn Fn(String)>,
) -> AnyView {
    let FieldDescription { object, key, label, note, .. } = of;
    let id = id_of(object, &key);
    let (flaws_id, note_id) = (format!("flaws-{id}"), format!("note-{id}"));
    let wrong = wrong(object, key.clone());
    let shown = move || {
        let (chosen, mut options) = (chosen.get(), options.get());
        // An unavailable value is shown with its error.
        if !options.iter().any(|(value, _)| *value == chosen) {
            options.push((chosen.clone(), chosen.clone()));
        }
        let option = |(value, text): (String, String)| {
            let selected = value == chosen;
            view! {
                <option value=value prop:selected=selected>
                    {text}
                </option>
            }
        };
        options.into_iter().map(option).collect_view()
    };
    view! {
        <div class="entry">
            <label for=id.clone()>{label}</label>
            <span class="field">
                <select
                    id=id
                    data-field=key.clone()
                    aria-describedby=format!("{flaws_id} {note_id}")
                    aria-invalid=move || wrong.get().to_string()
                    on:change:target=move |change| choose(change.target().value())
                >
                    {shown}
                </select>
            </span>
            <span class="note" id=note_id>
                {note}
            </span>
            <FieldErrors object keys=vec![key] id=flaws_id />
        </div>
    }
    .into_any()
}

/// Errors of fields. An empty key means errors without a field.
#[component]
pub(super) fn FieldErrors(object: Option<Object>, keys: Vec<String>, id: String) -> impl IntoView {
    let studio = studio();
    let found = Memo::new(move |_| {
        let is_here = |field_error: &&FieldError| {
            field_error.object == object
                && keys.iter().any(|key| if key.is_empty() { !has_field(field_error) } else { field_error.is_of(object, key) })
        };
        studio.checked.with(|checked| checked.field_errors.iter().filter(is_here).cloned().collect::<Vec<_>>())
    });
    let item = |field_error: FieldError| {
        view! {
            <li>
                <p>
                    {super::super::equations::words(&field_error.sentence)}
                    {field_error.entry().map(|entry| view! { <span class="where">{format!("entry {entry}")}</span> })}
                </p>
                {field_error.help.map(|help| view! { <p class="help">{super::super::equations::words(&help)}</p> })}
            </li>
        }
    };
    view! {
        <ul class="mistakes" id=id data-testid="flaws">
            {move || found.get().into_iter().map(item).collect_view()}
        </ul>
    }
}

/// Whether a form has a field for an error.
fn has_field(field_error: &FieldError) -> bool {
    use crate::network::Kind;
    let fields: &[&str] = match field_error.object.map(|object| object.kind) {
        None => &["name", "dt_ms", "seed", "description", "functions"],
        Some(Kind::Population) => {
            &["name", "size", "model", "preset", "parameters", "initial", "recordings", "run_regularly", "linked", "positions"]
        }
        Some(Kind::Source) => &["name", "size", "rate", "spike_times_ms", "targets", "var", "N", "weight"],
        Some(Kind::Projection) => &[
            "name",
            "pre",
            "post",
            "connect",
            "synapses_per_pair",
            "max_outdegree",
            "max_indegree",
            "storage",
            "model",
            "preset",
            "on_pre",
            "parameters",
            "delay_ms",
            "run_regularly",
            "order",
            "recordings",
        ],
    };
    fields.iter().any(|field| field_error.is_of(field_error.object, field))
}
