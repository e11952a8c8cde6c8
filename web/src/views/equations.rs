//! The equations of a population: a library model or custom equations, checked while the user types.

mod field;
mod mistakes;
mod model;
mod values;

use leptos::prelude::*;

use self::{field::TextField, model::MethodChooser};
use crate::equations::Field;
pub(super) use mistakes::words;
pub(super) use model::ModelChooser;
pub(super) use values::{Initials, Values};

/// The texts of the selected population, and its integration method.
#[component]
pub(super) fn EquationTexts() -> impl IntoView {
    view! {
        <section class="texts" id="equations" aria-labelledby="equations-title">
            <h5 id="equations-title">"Equations"</h5>
            {Field::ALL.map(|field| view! { <TextField field /> })}
            <MethodChooser />
        </section>
    }
}
