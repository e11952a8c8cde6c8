//! The language of the page: chosen, loaded, and said.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};

use super::{Studio, lesson::text};
use crate::{
    language::{Language, Words},
    lessons::Lesson,
};

/// The language, and its texts once they are loaded.
#[derive(Clone, Copy)]
pub(crate) struct LanguageState {
    pub(crate) chosen: RwSignal<Language>,
    words: RwSignal<Arc<Words>>,
}

impl LanguageState {
    pub(super) fn start() -> LanguageState {
        LanguageState { chosen: RwSignal::new(Language::at_first()), words: RwSignal::new(Arc::default()) }
    }
}

impl Studio {
    /// A text of the page in its language.
    pub(crate) fn say(self, english: &str) -> String {
        self.language.words.read().say(english)
    }

    /// A lesson in the language of the page.
    pub(crate) fn say_lesson(self, lesson: &Lesson) -> Lesson {
        self.language.words.read().lesson(lesson)
    }

    /// The user chooses a language.
    pub(crate) fn choose_language(self, language: Language) {
        language.store();
        self.language.chosen.set(language);
        self.load_language();
    }

    /// Loads the texts of the chosen language.
    pub(crate) fn load_language(self) {
        let language = self.language.chosen.get_untracked();
        let Some(file) = language.file() else { return self.show_words(language, Words::default()) };
        spawn_local(async move {
            match text(file).await.and_then(|text| Words::read(&text)) {
                Ok(words) => self.show_words(language, words),
                Err(why) => {
                    let sentence = format!("{file} could not be loaded: {why}. The page stays English.");
                    self.session.update(|session| session.error = Some(sentence));
                }
            }
        });
    }

    fn show_words(self, language: Language, words: Words) {
        // Another one may have been chosen meanwhile.
        if self.language.chosen.get_untracked() == language {
            self.language.words.set(Arc::new(words));
            if let Some(root) = document().document_element() {
                root.set_attribute("lang", language.code()).ok();
            }
        }
    }
}
