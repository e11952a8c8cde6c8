//! Errors below their field: the sentence, the line with a marker, the way out.

use leptos::prelude::*;

use super::super::studio;
use crate::equations::{Field, check::PopulationPath, excerpt::excerpt};

/// Characters of a line that fit the pane, also on a phone.
const COLUMNS: usize = 44;

/// The errors of a place. `id` is used in the description of the field.
#[component]
pub(super) fn Mistakes(place: PopulationPath, id: String) -> impl IntoView {
    let studio = studio();
    // The other texts are a line.
    let has_lines = matches!(place, PopulationPath::Field(Field::Equations | Field::Update | Field::Reset));
    let found = Memo::new(move |_| studio.checked.with(|checked| checked.at(&place)));
    view! {
        <ul class="mistakes" id=id data-testid="mistakes">
            {move || {
                found
                    .get()
                    .into_iter()
                    .map(|mistake| {
                        let (line, column) = mistake.spot.as_ref().map_or((0, 0), |spot| (spot.line, spot.column));
                        view! {
                            <li data-line=line data-column=column>
                                <p>
                                    {words(&mistake.sentence)}
                                    {(has_lines && line > 0)
                                        .then(|| view! { <span class="where">{format!("line {line}")}</span> })}
                                </p>
                                {mistake
                                    .spot
                                    .map(|spot| {
                                        let cut = excerpt(&spot, COLUMNS);
                                        view! {
                                            <pre>
                                                {cut.line} "\n"
                                                <span class="carets" aria-hidden="true">
                                                    {cut.carets}
                                                </span>
                                            </pre>
                                        }
                                    })}
                                {mistake.help.map(|help| view! { <p class="help">{words(&help)}</p> })}
                            </li>
                        }
                    })
                    .collect_view()
            }}
        </ul>
    }
}

/// A sentence with the text between backticks as code.
pub(in crate::views) fn words(sentence: &str) -> impl IntoView + use<> {
    let parts = sentence.split('`').map(str::to_owned).enumerate();
    parts.map(|(at, part)| if at % 2 == 1 { view! { <code>{part}</code> }.into_any() } else { part.into_any() }).collect_view()
}
