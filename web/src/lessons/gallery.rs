//! The cards of the gallery: networks of the catalogue and chapters of the first lesson, found by words and tags.

use spikelet_js::protocol::CatalogueEntry;

use super::{Lesson, Library};

/// A network to choose.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Card {
    /// Its name.
    pub(crate) name: String,
    /// Its title.
    pub(crate) title: String,
    /// What it shows, in one line; its publication until the lessons are loaded.
    pub(crate) line: String,
    /// Its publication.
    pub(crate) citation: String,
    /// Its description.
    pub(crate) about: String,
    /// Its size as text.
    pub(crate) size: String,
    /// Words to find it by.
    pub(crate) tags: Vec<String>,
    /// Whether it is a chapter of the first lesson.
    pub(crate) is_chapter: bool,
}

/// All cards: chapters first, then the catalogue in its order. `size` returns the size of a network as text.
pub(crate) fn cards(
    catalogue: &[CatalogueEntry],
    library: Option<&Library>,
    size: impl Fn(&CatalogueEntry) -> String,
) -> Vec<Card> {
    let chapter = |(place, lesson): (usize, &Lesson)| Card {
        name: lesson.name.clone(),
        title: format!("{} {}", place + 1, lesson.name),
        line: lesson.line.clone(),
        citation: String::new(),
        about: String::new(),
        size: String::new(),
        tags: lesson.tags.clone(),
        is_chapter: true,
    };
    let entry = |entry: &CatalogueEntry| {
        let lesson = library.and_then(|library| library.of(&entry.name));
        Card {
            name: entry.name.clone(),
            title: entry.title.clone(),
            line: lesson.map_or_else(|| entry.citation.clone(), |lesson| lesson.line.clone()),
            citation: entry.citation.clone(),
            about: entry.about.clone(),
            size: size(entry),
            tags: lesson.map(|lesson| lesson.tags.clone()).unwrap_or_default(),
            is_chapter: false,
        }
    };
    let chapters = library.into_iter().flat_map(|library| library.chapters().enumerate().map(chapter));
    chapters.chain(catalogue.iter().map(entry)).collect()
}

/// All tags, in the order in which they first occur.
pub(crate) fn tags(cards: &[Card]) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in cards.iter().flat_map(|card| &card.tags) {
        if !tags.contains(tag) {
            tags.push(tag.clone());
        }
    }
    tags
}

/// The cards with all words, and with the tag if one is given; the best matches first.
pub(crate) fn found(cards: &[Card], words: &str, tag: Option<&str>) -> Vec<Card> {
    let words = words.to_lowercase();
    let tagged = cards.iter().filter(|card| tag.is_none_or(|tag| card.tags.iter().any(|of| of == tag)));
    let mut found: Vec<(usize, &Card)> = tagged.filter_map(|card| Some((distance(card, &words)?, card))).collect();
    // Equally good matches stay in their order.
    found.sort_by_key(|(distance, _)| *distance);
    found.into_iter().map(|(_, card)| card.clone()).collect()
}

/// Rank of a card for these words in lower case: first a prefix of its name or title, or of a word of them, then a part of them, then
/// its tags, then its authors, then what is said about it. `None` if a word does not occur.
fn distance(card: &Card, words: &str) -> Option<usize> {
    let title = format!("{} {}", card.name, card.title).to_lowercase();
    let (tags, citation) = (card.tags.join(" ").to_lowercase(), card.citation.to_lowercase());
    let about = format!("{} {}", card.about, card.line).to_lowercase();
    let begins = |word: &str| title.split(|c: char| !c.is_alphanumeric()).any(|of_title| of_title.starts_with(word));
    let of_word =
        |word: &str| [begins(word), title.contains(word), tags.contains(word), citation.contains(word), about.contains(word)];
    words.split_whitespace().map(|word| of_word(word).into_iter().position(|found| found)).sum()
}

/// The card that a key leads to from card `at` of `count`, in rows of `columns`.
pub(crate) fn next(key: &str, at: usize, count: usize, columns: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    let columns = columns.max(1);
    match key {
        "ArrowRight" => Some((at + 1).min(last)),
        "ArrowLeft" => Some(at.saturating_sub(1)),
        // Into the last row even where it is shorter.
        "ArrowDown" if at / columns == last / columns => Some(at),
        "ArrowDown" => Some((at + columns).min(last)),
        "ArrowUp" => Some(at.checked_sub(columns).unwrap_or(at)),
        "Home" => Some(0),
        "End" => Some(last),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(title: &str, tags: &[&str], citation: &str, about: &str) -> Card {
        Card {
            name: "x".into(),
            title: title.into(),
            line: String::new(),
            citation: citation.into(),
            about: about.into(),
            size: String::new(),
            tags: tags.iter().map(|tag| (*tag).into()).collect(),
            is_chapter: false,
        }
    }

    #[test]
    fn a_network_is_found_by_any_of_its_words() {
        let cuba = Card {
            name: "cuba".into(),
            ..card("Current-based balanced network", &["balanced"], "Vogels & Abbott 2005", "Irregular firing.")
        };
        for words in ["", "cub", "balanced current", "abbott", "2005 irregular"] {
            assert!(distance(&cuba, words).is_some(), "{words}");
        }
        assert_eq!(distance(&cuba, "cuba 2006"), None);
    }

    #[test]
    fn what_is_in_a_title_is_nearer_than_what_is_said() {
        let near = [
            card("Waves over a sheet", &[], "", ""),
            card("Brainwaves", &[], "", ""),
            card("Ring", &["waves"], "", ""),
            card("Ring", &[], "J Waves 3:1", ""),
            card("Ring", &[], "", "No waves here."),
        ];
        assert_eq!(near.clone().map(|card| distance(&card, "waves")), [0, 1, 2, 3, 4].map(Some));
        let reversed: Vec<Card> = near.iter().rev().cloned().collect();
        assert_eq!(found(&reversed, "Waves", None), near);
        assert_eq!(found(&reversed, "", Some("waves")), [near[2].clone()]);
        assert_eq!(tags(&near), ["waves"]);
    }

    #[test]
    fn arrows_move_in_rows() {
        // Three columns: 0 1 2 / 3 4 5 / 6
        let steps = [("ArrowRight", 2, 3), ("ArrowDown", 1, 4), ("ArrowDown", 4, 6), ("ArrowDown", 6, 6), ("ArrowUp", 1, 1)];
        for (key, at, to) in steps {
            assert_eq!(next(key, at, 7, 3), Some(to), "{key} from {at}");
        }
        assert_eq!(next("ArrowUp", 6, 7, 3), Some(3));
        assert_eq!((next("End", 0, 7, 3), next("x", 0, 7, 3), next("Home", 0, 0, 3)), (Some(6), None, None));
    }
}
