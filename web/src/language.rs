//! The language of the page: texts by their English form, loaded when another language is chosen.

use indexmap::IndexMap;
use leptos::prelude::*;

use crate::{
    kept,
    lessons::{Lesson, predict::How},
};

/// The name under which the choice is stored.
const LANGUAGE: &str = "language";

/// A language of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    German,
    Spanish,
}

impl Language {
    /// All of them, in the order of the menu.
    pub(crate) const ALL: [Language; 3] = [Language::English, Language::German, Language::Spanish];

    /// Its code.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::German => "de",
            Language::Spanish => "es",
        }
    }

    /// Its name in itself.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::German => "Deutsch",
            Language::Spanish => "Español",
        }
    }

    /// The file of its texts; English is in the page.
    pub(crate) fn file(self) -> Option<&'static str> {
        match self {
            Language::English => None,
            Language::German => Some("lessons/de.json"),
            Language::Spanish => Some("lessons/es.json"),
        }
    }

    /// That of a code, such as `de-AT`.
    pub(crate) fn of_code(code: &str) -> Option<Language> {
        let begins = |language: &Language| code.split('-').next() == Some(language.code());
        Language::ALL.into_iter().find(begins)
    }

    /// The one that was chosen in an earlier visit, else that of the browser, else English.
    pub(crate) fn at_first() -> Language {
        let stored = kept::read(LANGUAGE);
        let browser = window().navigator().language();
        [stored, browser].into_iter().flatten().find_map(|code| Language::of_code(&code)).unwrap_or(Language::English)
    }

    /// Stores the choice for later visits.
    pub(crate) fn store(self) {
        // Where nothing can be stored, the choice holds for this visit.
        kept::write(LANGUAGE, Some(self.code())).ok();
    }
}

/// The texts of a language, by their English form. What is missing stays English.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Words(IndexMap<String, String>);

impl Words {
    /// Reads a file of texts.
    ///
    /// # Errors
    /// It is not such a file.
    pub(crate) fn read(text: &str) -> Result<Words, String> {
        serde_json::from_str(text).map(Words).map_err(|error| error.to_string())
    }

    /// A text in this language.
    pub(crate) fn say(&self, english: &str) -> String {
        self.0.get(english).map_or(english, String::as_str).to_owned()
    }

    /// A lesson with its texts in this language; its name stays, because other lessons refer to it.
    pub(crate) fn lesson(&self, lesson: &Lesson) -> Lesson {
        let mut lesson = lesson.clone();
        for text in texts_of(&mut lesson) {
            *text = self.say(text);
        }
        lesson
    }
}

/// All texts of a lesson, but its name.
fn texts_of(lesson: &mut Lesson) -> Vec<&mut String> {
    let mut texts = vec![&mut lesson.line];
    for step in &mut lesson.steps {
        texts.push(&mut step.text);
        texts.extend(&mut step.freeze);
        if let Some(prediction) = &mut step.predict {
            texts.push(&mut prediction.question);
            match &mut prediction.how {
                How::Choices(choices) => texts.extend(choices.iter_mut().map(|choice| &mut choice.text)),
                How::Draw(axes) => texts.extend([&mut axes.x, &mut axes.y]),
            }
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::Library;

    const FILES: [(&str, &str); 2] = [("de", include_str!("../lessons/de.json")), ("es", include_str!("../lessons/es.json"))];

    /// The chapters that are translated.
    const CHAPTERS: usize = 2;

    /// The parts of the page that are translated.
    const SOURCES: [&str; 8] = [
        include_str!("app.rs"),
        include_str!("views/chooser.rs"),
        include_str!("views/lesson.rs"),
        include_str!("views/lesson/curve.rs"),
        include_str!("views/lesson/figures.rs"),
        include_str!("views/lesson/predict.rs"),
        include_str!("views/share.rs"),
        include_str!("views/transport.rs"),
    ];

    /// Each file has each text of the translated parts, and no other.
    #[test]
    fn all_languages_have_the_same_texts() {
        let mut library = Library::read(include_str!("../lessons/lessons.json")).unwrap();
        let mut wanted: Vec<String> = crate::studio::Pane::ALL.iter().map(|pane| pane.title()).collect();
        for source in SOURCES {
            let calls = source.split("say(\"").skip(1).filter_map(|rest| rest.split_once('"'));
            wanted.extend(calls.map(|(text, _)| text.to_owned()));
        }
        for lesson in library.lessons.iter_mut().take(CHAPTERS) {
            wanted.push(lesson.name.clone());
            wanted.extend(texts_of(lesson).into_iter().map(|text| text.clone()));
        }
        for (code, file) in FILES {
            let Words(words) = Words::read(file).unwrap();
            let missing: Vec<_> = wanted.iter().filter(|text| !words.contains_key(*text)).collect();
            let unused: Vec<_> = words.keys().filter(|text| !wanted.contains(text)).collect();
            assert!(missing.is_empty() && unused.is_empty(), "{code}.json lacks {missing:#?} and does not need {unused:#?}");
            assert!(words.values().all(|text| !text.trim().is_empty()), "{code}.json has an empty text");
        }
    }

    #[test]
    fn what_is_missing_stays_english() {
        let words = Words::read(r#"{"Play": "Start"}"#).unwrap();
        assert_eq!([words.say("Play"), words.say("Pause")], ["Start", "Pause"]);
        assert!(Words::read("[]").is_err());
        assert_eq!(
            [Language::of_code("de-AT"), Language::of_code("es"), Language::of_code("fr")],
            [Some(Language::German), Some(Language::Spanish), None]
        );
    }
}
