//! A line of a text with a marker below a position, within a number of columns.

use super::check::TextPosition;

/// The part of a line around a position, and its marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) line: String,
    pub(crate) carets: String,
}

/// Truncates the line to `columns` characters around the position, with ellipses.
pub(crate) fn excerpt(spot: &TextPosition, columns: usize) -> Excerpt {
    let line: Vec<char> = spot.excerpt.chars().map(|c| if c == '\t' { ' ' } else { c }).collect();
    let indent = line.iter().take_while(|c| **c == ' ').count().min(spot.column - 1);
    let (start, width) = (spot.column - 1 - indent, spot.width);
    let line = &line[indent..];
    if line.len() <= columns {
        return Excerpt { line: line.iter().collect(), carets: carets(start, width) };
    }
    // A few characters remain before the position.
    let shown = columns.saturating_sub(2).max(8);
    let first = start.saturating_sub(shown / 3).min(line.len().saturating_sub(shown));
    let first = if first <= 1 { 0 } else { first };
    let end = (first + shown).min(line.len());
    let (before, after) = (if first > 0 { "…" } else { "" }, if end < line.len() { "…" } else { "" });
    let part: String = line[first..end].iter().collect();
    let width = width.min(end.saturating_sub(start)).max(1);
    Excerpt { line: format!("{before}{part}{after}"), carets: carets(start - first + before.chars().count(), width) }
}

fn carets(start: usize, width: usize) -> String {
    " ".repeat(start) + &"^".repeat(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, word: &str, columns: usize) -> (String, String) {
        let at = text.find(word).expect("the word is there");
        let column = text[..at].chars().count() + 1;
        let spot = TextPosition { line: 1, column, width: word.chars().count(), excerpt: text.into(), missing: false };
        let Excerpt { line, carets } = excerpt(&spot, columns);
        (line, carets)
    }

    #[test]
    fn a_short_line_stays_whole_without_its_indent() {
        let (line, carets) = cut("\t v = µ + x", "x", 30);
        assert_eq!(line, "v = µ + x");
        assert_eq!(carets, "        ^");
    }

    #[test]
    fn the_caret_stands_under_its_word_wherever_the_line_is_cut() {
        let text = "dv/dt = (gL*(EL - v) + gL*DeltaT*exp((v - VT)/DeltaT) - w + Iext)/C : volt (unless refractory)";
        for word in ["dv", "EL", "DeltaT", "VT", "Iext", "C ", "refractory"] {
            for columns in [10, 20, 40, 60, 200] {
                let (line, carets) = cut(text, word, columns);
                let start = carets.find('^').expect("carets");
                let under: String = line.chars().skip(start).take(carets.len() - start).collect();
                assert!(word.starts_with(under.trim_end_matches('…')) && !under.is_empty(), "{columns}: {line}\n{carets}");
                assert!(line.chars().count() <= columns.max(10), "{columns}: {line}");
            }
        }
    }
}
