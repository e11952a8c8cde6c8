//! The page as a whole.

use leptos::{ev, prelude::*};
use spikelet_js::protocol::Source;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

use crate::{
    brand::Brand,
    language::Language,
    route::{PagePart, Route},
    scheme::Scheme,
    studio::{Pane, Studio},
    views::{
        about::About,
        assemblies::Assemblies,
        building::Building,
        chooser::Chooser,
        class::{ClassResults, ClassVisit},
        continue_run::ContinueLine,
        editor::Editor,
        experiments::ExperimentsPane,
        gpu_report::GpuReport,
        hardware::Hardware,
        help::Help,
        keys::{HelpButton, HelpDialog},
        labbook::LabBook,
        lesson::LessonPane,
        network::NetworkPane,
        pane::PaneSwitch,
        parameters::Parameters,
        plots::Plots,
        projects::ProjectsPane,
        senses::SensesPane,
        share::{ReplayBar, Share},
        status::{Badge, Status},
        timeline::Timeline,
        tour::{SoftPlay, Tour},
        training::Training,
        transport::Transport,
        trouble::Trouble,
    },
};

/// The page: networks, assemblies, training, or the report on the GPU. What was opened stays while another one is shown.
#[component]
pub(crate) fn App() -> impl IntoView {
    Scheme::restore();
    let route = Route::start();
    provide_context(route);
    view! {
        <Show when=move || route.has_opened(PagePart::Networks)>
            <div class="place" class:away=move || route.place.get() != PagePart::Networks>
                <Networks />
            </div>
        </Show>
        <Show when=move || route.has_opened(PagePart::Assemblies)>
            <div class="place" class:away=move || route.place.get() != PagePart::Assemblies>
                <Assemblies />
            </div>
        </Show>
        <Show when=move || route.has_opened(PagePart::Training)>
            <div class="place" class:away=move || route.place.get() != PagePart::Training>
                <Training />
            </div>
        </Show>
        <Show when=move || route.has_opened(PagePart::GpuReport)>
            <div class="place" class:away=move || route.place.get() != PagePart::GpuReport>
                <GpuReport />
            </div>
        </Show>
    }
}

/// Networks: select one, run it, see its spikes.
#[component]
fn Networks() -> impl IntoView {
    let route = expect_context::<Route>();
    let studio = Studio::start();
    provide_context(studio);
    listen(studio, route);
    studio.load_language();
    let pane = studio.pane;
    Effect::new(move |_| {
        if route.place.get() != PagePart::Networks {
            studio.rest();
            route.open_network.set(studio.network_json());
        }
    });
    Effect::new(move |_| {
        if let Some(text) = route.trained.get() {
            route.trained.set(None);
            studio.open_source(Source::Json { text });
        }
    });
    view! {
        <header class="top">
            <Brand />
            <Chooser />
            // One row that scrolls on a phone.
            <div class="strip">
                <PaneSwitch />
                <a class="elsewhere" id="to-assemblies" data-testid="to-assemblies" href="#assemblies">
                    {move || studio.say("Assemblies")}
                </a>
                <a class="elsewhere" id="to-training" data-testid="to-training" href="#training">
                    {move || studio.say("Training")}
                </a>
            </div>
            <Share />
            <Badge />
            <LanguageMenu />
            <HelpButton />
        </header>
        <LabBook />
        <main
            class:pane=move || pane.get() != Pane::Shut
            class:away=move || studio.keep.lab_book.get()
            data-lesson-plot=move || studio.lesson_plot()
        >
            <div class="stage">
                <Trouble />
                <Building />
                <ClassVisit />
                <ContinueLine />
                <Transport />
                <ReplayBar />
                <Timeline />
                <Plots />
                <SoftPlay />
            </div>
            // Above the headings of the panes.
            <h2 class="unseen">"Panes"</h2>
            <LessonPane />
            <NetworkPane />
            <ExperimentsPane />
            <SensesPane />
            <ProjectsPane />
            <aside aria-label="About this network">
                <About />
                <Status />
                <Hardware />
                <Parameters />
                <Editor />
                <Help />
            </aside>
        </main>
        <Tour />
        <HelpDialog />
        <ClassResults />
    }
}

/// The menu of languages; it says what is translated.
#[component]
fn LanguageMenu() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let chosen = studio.language.chosen;
    let option = move |language: Language| {
        view! {
            <option value=language.code() lang=language.code() title=language.name() selected=move || chosen.get() == language>
                {language.code().to_uppercase()}
            </option>
        }
    };
    view! {
        <label class="field small language">
            <span class="unseen">{move || studio.say("Language")}</span>
            <select
                id="language"
                title=move || studio.say("The header and chapters 1 and 2 are translated; all else is English")
                on:change:target=move |change| {
                    if let Some(language) = Language::of_code(&change.target().value()) {
                        studio.choose_language(language);
                    }
                }
            >
                {Language::ALL.map(option).collect_view()}
            </select>
        </label>
    }
}

/// Global events: the space bar, the keys of undo and help, dropped files, the address.
fn listen(studio: Studio, route: Route) {
    let _ = window_event_listener(ev::keydown, move |key| {
        if route.place.get_untracked() != PagePart::Networks {
            return;
        }
        let modified = key.ctrl_key() || key.alt_key() || key.meta_key();
        if key.key() == " " && !modified && !key.repeat() && !takes_space(key.target()) {
            key.prevent_default();
            studio.toggle();
        }
        if key.key() == "." && !modified && !is_text(key.target()) {
            studio.step();
        }
        if key.key() == "?" && !modified && !is_text(key.target()) {
            key.prevent_default();
            studio.open_help();
        }
        if (key.ctrl_key() || key.meta_key()) && !key.alt_key() && !undoes_itself(key.target()) {
            let again = match key.key().as_str() {
                "z" if !key.shift_key() => false,
                "y" | "Z" | "z" => true,
                _ => return,
            };
            // On a slider it is about sliders, elsewhere about edits of the network.
            match (is_slider(key.target()), again) {
                (true, again) => studio.undo_set(again),
                (false, false) => studio.undo(),
                (false, true) => studio.redo(),
            }
            key.prevent_default();
        }
    });
    // Without the first of the two, the browser would open a dropped file instead of the page.
    let _ = window_event_listener(ev::dragover, move |drag| {
        if carries_files(&drag) {
            drag.prevent_default();
        }
    });
    let _ = window_event_listener(ev::drop, move |drag| {
        if carries_files(&drag) {
            drag.prevent_default();
            studio.open_dropped(drag.data_transfer().as_ref());
        }
    });
    let _ = window_event_listener(ev::hashchange, move |_| {
        if route.is_another_network() {
            studio.open_address();
        }
    });
}

/// Whether files are dragged, and not text between fields.
fn carries_files(drag: &web_sys::DragEvent) -> bool {
    let types = drag.data_transfer().map(|data| data.types());
    types.is_some_and(|types| types.iter().any(|of| of.as_string().as_deref() == Some("Files")))
}

/// Whether the focused element has its own undo: texts of equations and their values, letter by letter; not fields of forms, each of which
/// is an edit of the network.
fn undoes_itself(target: Option<web_sys::EventTarget>) -> bool {
    let Some(element) = target.and_then(|target| target.dyn_into::<Element>().ok()) else {
        return false;
    };
    let is_text = element.matches("textarea, input[type='text'], input[type='search']").unwrap_or(false);
    let is_in = |css: &str| element.closest(css).ok().flatten().is_some();
    is_text && (is_in(".typed, .value") || !is_in(".form, .general"))
}

fn is_slider(target: Option<web_sys::EventTarget>) -> bool {
    let element = target.and_then(|target| target.dyn_into::<Element>().ok());
    element.is_some_and(|element| element.matches("input[type='range']").unwrap_or(false))
}

/// Whether text is typed into the focused element.
fn is_text(target: Option<web_sys::EventTarget>) -> bool {
    let element = target.and_then(|target| target.dyn_into::<Element>().ok());
    const OTHERS: &str = "input[type='range'], input[type='checkbox'], input[type='radio']";
    element.is_some_and(|element| {
        element.matches("input, textarea, select, [contenteditable]").unwrap_or(false)
            && !element.matches(OTHERS).unwrap_or(false)
    })
}

/// Whether the focused element uses the space bar.
fn takes_space(target: Option<web_sys::EventTarget>) -> bool {
    let Some(element) = target.and_then(|target| target.dyn_into::<Element>().ok()) else {
        return false;
    };
    match element.tag_name().as_str() {
        "BUTTON" | "SELECT" | "SUMMARY" | "TEXTAREA" | "A" => true,
        "INPUT" => element.dyn_into::<HtmlInputElement>().is_ok_and(|input| input.type_() != "range"),
        _ => false,
    }
}
