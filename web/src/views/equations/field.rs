//! A text field. The highlighted text is painted behind a transparent text area.

use std::collections::HashSet;

use leptos::prelude::*;

use super::super::studio;
use super::mistakes::Mistakes;
use crate::equations::{
    Equations, Field, Texts,
    check::PopulationPath,
    paint::{Highlight, Piece, paint},
};

/// A text with its label and errors. An `update` is shown if there is one.
#[component]
pub(super) fn TextField(field: Field) -> impl IntoView {
    let studio = studio();
    let text = Memo::new(move |_| studio.equations.with(|equations| text_of(equations, field)));
    let shown = Memo::new(move |_| field != Field::Update || text.with(Option::is_some));
    let text = move || text.get().unwrap_or_default();
    let library =
        Memo::new(move |_| studio.equations.with(|equations| equations.shown().is_some_and(|shown| shown.model.is_some())));
    let variables =
        Memo::new(move |_| studio.checked.with(|checked| checked.variables.iter().map(|(name, _)| name.clone()).collect()));
    let wrong = Memo::new(move |_| studio.checked.with(|checked| !checked.at(&PopulationPath::Field(field)).is_empty()));
    let painted = move || {
        let text = text();
        // Marks in a line are valid until the line changes.
        let lines: Vec<&str> = text.lines().collect();
        let mut spots = studio.checked.with(|checked| checked.spots(field));
        spots.retain(|spot| lines.get(spot.line - 1).is_some_and(|line| line.trim_end() == spot.excerpt));
        variables.with(|variables: &HashSet<String>| paint(field, &text, variables, &spots))
    };
    let name = field.name();
    let (id, described) = (format!("text-{name}"), format!("mistakes-{name}"));
    view! {
        <div class="text" class:library=move || library.get() class:absent=move || !shown.get() data-field=name>
            <label for=id.clone()>{label(field)}</label>
            <div class="typed" class:numbered=field == Field::Equations>
                <div class="painted" aria-hidden="true">
                    {move || painted().into_iter().map(line).collect_view()}
                </div>
                <textarea
                    id=id
                    data-testid=name
                    spellcheck="false"
                    autocapitalize="off"
                    autocomplete="off"
                    rows="1"
                    placeholder=placeholder(field)
                    aria-describedby=described.clone()
                    aria-invalid=move || wrong.get().to_string()
                    prop:value=text
                    on:input:target=move |typed| studio.edit(|equations| equations.write(field, &typed.target().value()))
                ></textarea>
            </div>
            <Mistakes place=PopulationPath::Field(field) id=described />
        </div>
    }
}

fn text_of(equations: &Equations, field: Field) -> Option<String> {
    let texts = Texts::of(equations.shown()?);
    let text = field.of(&texts).to_owned();
    let has_update = || equations.shown().is_some_and(|shown| shown.update.is_some());
    (field != Field::Update || !text.is_empty() || has_update()).then_some(text)
}

fn label(field: Field) -> &'static str {
    match field {
        Field::Equations => "Equations",
        Field::Update => "Update",
        Field::Threshold => "Threshold",
        Field::Reset => "Reset",
        Field::Refractory => "Refractory",
    }
}

fn placeholder(field: Field) -> &'static str {
    match field {
        Field::Equations => "dv/dt = (El - v)/tau : volt",
        Field::Update => "v += …, executed once per step",
        Field::Threshold => "never spikes",
        Field::Reset => "nothing",
        Field::Refractory => "none",
    }
}

fn line(pieces: Vec<Piece>) -> impl IntoView {
    let mark = pieces.iter().map(|piece| piece.mark).max_by_key(|mark| *mark as u8).unwrap_or_default();
    // A line without a character has no height.
    let blank = pieces.is_empty().then_some("\u{200b}");
    let pieces = pieces.into_iter().map(|piece| {
        let class = match piece.mark {
            Highlight::None => piece.ink.class().to_owned(),
            Highlight::Missing => format!("{} missing", piece.ink.class()),
            Highlight::Wrong => format!("{} wrong", piece.ink.class()),
        };
        view! { <span class=class>{piece.text}</span> }
    });
    view! {
        <div class="line" class:wrong=mark == Highlight::Wrong>
            {pieces.collect_view()}
            {blank}
        </div>
    }
}
