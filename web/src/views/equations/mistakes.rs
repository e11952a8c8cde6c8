//! Mistakes below what they are about: the sentence, the line with a caret, the way out.

use leptos::prelude::*;

use super::super::studio;
use crate::equations::{check::Place, excerpt::excerpt};

/// Characters of a line that fit into the pane, and into a phone.
const COLUMNS: usize = 44;

/// The mistakes of a place. `id` is what the field is described by.
#[component]
pub(super) fn Mistakes(place: Place, id: String) -> impl IntoView {
    let studio = studio();
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
                                <p>{mistake.sentence}</p>
                                {mistake
                                    .spot
                                    .map(|spot| {
                                        let cut = excerpt(&spot, COLUMNS);
                                        view! {
                                            <pre>
                                                <span class="number" aria-label=format!("line {line}")>
                                                    {line}
                                                </span>
                                                {cut.line}
                                                "\n"
                                                <span class="carets" aria-hidden="true">
                                                    {cut.carets}
                                                </span>
                                            </pre>
                                        }
                                    })}
                                {mistake.help.map(|help| view! { <p class="help">{help}</p> })}
                            </li>
                        }
                    })
                    .collect_view()
            }}
        </ul>
    }
}
