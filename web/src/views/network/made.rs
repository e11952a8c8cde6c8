//! Fields of a rule, of positions, of a source, derived from its JSON object.

use leptos::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

use super::super::studio;
use super::entry::{Entry, Tick};
use crate::{
    equations::Equations,
    network::{
        Object,
        fields::{self, Content, Field},
    },
};

/// A field for each key of a JSON object, including optional keys.
#[component]
pub(super) fn MadeFields<T, Get, Set>(
    object: Object,
    /// The key of the JSON object, such as `connect`; `None` for the form's object.
    #[prop(optional)]
    under: &'static str,
    /// Its fields.
    fields: fn(&T) -> Vec<Field>,
    /// Its value.
    get: Get,
    /// Sets its value.
    set: Set,
) -> impl IntoView
where
    T: Serialize + DeserializeOwned + Clone + PartialEq + Send + Sync + 'static,
    Get: Fn(&Equations) -> Option<T> + Copy + Send + Sync + 'static,
    Set: Fn(&mut Equations, T) + Copy + Send + Sync + 'static,
{
    let studio = studio();
    let made = Memo::new(move |_| studio.equations.with(get).as_ref().map(fields).unwrap_or_default());
    let keys = Memo::new(move |_| {
        let flag = |field: &Field| matches!(field.content, Content::Flag(_));
        made.with(|made| made.iter().map(|field| (field.key.clone(), flag(field))).collect::<Vec<_>>())
    });
    let field = move |(key, flag): (String, bool)| {
        let path = if under.is_empty() { key.clone() } else { format!("{under}.{key}") };
        let (label, note, lines) = (fields::label(&key).to_owned(), fields::note(&key), key == "spike_times_ms");
        let key = StoredValue::new(key);
        let content = Memo::new(move |_| {
            made.with(|made| made.iter().find(|field| key.with_value(|key| field.key == *key)).map(|field| field.content.clone()))
        });
        if flag {
            let tick = move |on: bool| {
                studio.draw("", |equations| {
                    if let Some(before) = get(equations) {
                        set(equations, fields::ticked(&before, &key.get_value(), on));
                    }
                });
            };
            let ticked = Signal::derive(move || content.get() == Some(Content::Flag(true)));
            return view! { <Tick key=path label ticked tick /> }.into_any();
        }
        let text = Signal::derive(move || match content.get() {
            Some(Content::Text(text)) => text,
            _ => String::new(),
        });
        view! {
            <Entry
                object=Some(object)
                key=path
                label
                note
                lines
                text
                take=move |equations, text| {
                    let Some(before) = get(equations) else { return Ok(()) };
                    let changed = fields::typed(&before, &key.get_value(), text)?;
                    set(equations, changed);
                    Ok(())
                }
            />
        }
        .into_any()
    };
    view! { <For each=move || keys.get() key=Clone::clone children=field /> }
}
