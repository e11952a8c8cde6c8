//! What the learner expects of a step: the question before it runs, and afterwards the prediction beside the result.

use leptos::prelude::*;

use super::super::studio;
use super::curve::{CurvePad, CurveResult};
use crate::lessons::{
    course::Reading,
    predict::{Choice, Guess, How, Prediction},
};

/// The prediction of a step. `place` is the number of the step from 0, `is_done` whether it is done.
#[component]
pub(super) fn PredictionView(place: usize, prediction: Prediction, is_done: Memo<bool>) -> impl IntoView {
    let studio = studio();
    let guess = Memo::new(move |_| studio.lessons.course.with(|course| course.as_ref()?.guess_of(place).cloned()));
    let is_now =
        Memo::new(move |_| studio.lessons.course.with(|course| course.as_ref().is_some_and(|course| course.at == place)));
    let Prediction { question: ask, how } = prediction;
    move || {
        let (ask, how) = (ask.clone(), how.clone());
        match (guess.get(), how) {
            (Some(Guess::Skipped), _) => ().into_any(),
            (None, how) if is_now.get() => view! { <Question ask how /> }.into_any(),
            (None, _) => ().into_any(),
            (Some(Guess::Choice(chosen)), How::Choices(choices)) => {
                view! { <Chosen place ask choices chosen is_done /> }.into_any()
            }
            (Some(Guess::Curve(drawn)), How::Draw(axes)) => view! { <CurveResult place axes drawn /> }.into_any(),
            // A guess is always of the kind of its question.
            (Some(_), _) => ().into_any(),
        }
    }
}

/// The question, which is answered before the step runs.
#[component]
fn Question(ask: String, how: How) -> impl IntoView {
    let studio = studio();
    view! {
        <div class="prediction" id="prediction" role="group" aria-labelledby="prediction-ask" tabindex="-1">
            <p class="ask" id="prediction-ask">{ask}</p>
            {match how {
                How::Choices(choices) => {
                    let button = |(number, choice): (usize, Choice)| {
                        view! {
                            <button data-choice=(number + 1).to_string() on:click=move |_| studio.predict(Guess::Choice(number))>
                                {choice.text}
                            </button>
                        }
                    };
                    view! {
                        <div class="choices">{choices.into_iter().enumerate().map(button).collect_view()}</div>
                    }
                        .into_any()
                }
                How::Draw(axes) => view! { <CurvePad axes /> }.into_any(),
            }}
            <button class="plain" id="no-guess" on:click=move |_| studio.predict(Guess::Skipped)>
                {move || studio.say("Run it without a guess")}
            </button>
        </div>
    }
}

/// The choice, and after the run which of the choices was measured.
#[component]
fn Chosen(place: usize, ask: String, choices: Vec<Choice>, chosen: usize, is_done: Memo<bool>) -> impl IntoView {
    let studio = studio();
    let measured = Memo::new(move |_| {
        let reading = studio.lessons.course.with(|course| course.as_ref()?.readings.get(place).cloned())?;
        match reading {
            Reading::Values(values) if is_done.get() => values.first().copied().flatten(),
            _ => None,
        }
    });
    let all = StoredValue::new(choices);
    let row = move |(number, choice): (usize, Choice)| {
        let found = choice.clone();
        let is_found = Memo::new(move |_| measured.get().is_some_and(|value| found.holds(value)));
        view! {
            <li class:found=move || is_found.get() class:chosen=number == chosen>
                {choice.text}
                {(number == chosen).then(|| view! { <span class="mark">{studio.say("your guess")}</span> })}
                <Show when=move || is_found.get()>
                    <span class="mark">{studio.say("measured")}</span>
                </Show>
            </li>
        }
    };
    let verdict = move || {
        let value = measured.get()?;
        let was_right = all.with_value(|all| all.get(chosen).is_some_and(|choice| choice.holds(value)));
        Some(if was_right {
            studio.say("As you expected.")
        } else {
            studio.say("Other than you expected: what did you not think of?")
        })
    };
    view! {
        <div class="prediction told" data-prediction=move || measured.get().map(|_| "told")>
            <p class="ask">{ask}</p>
            <ul>{all.get_value().into_iter().enumerate().map(row).collect_view()}</ul>
            <p class="verdict" role="status">{verdict}</p>
        </div>
    }
}
