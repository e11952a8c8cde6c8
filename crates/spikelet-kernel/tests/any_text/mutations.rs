//! Texts that were right before something happened to them: pieces lost, doubled, moved, mistyped.

use super::texts::NOISE;

/// A stream of numbers that depends on its seed alone (splitmix64).
pub(crate) struct Dice(u64);

impl Dice {
    /// The dice of one input of a series.
    pub(crate) fn new(series: u64, input: u64) -> Self {
        let mut dice = Dice(series ^ input.wrapping_mul(0xd1b5_4a32_d192_ed03));
        dice.next();
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `bound`; 0 if that is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % (bound.max(1) as u64)) as usize
    }

    /// One of several.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// The text after a few accidents; `others` are texts that pieces may come from.
pub(crate) fn mutated(text: &str, others: &[&str], dice: &mut Dice) -> String {
    let mut text = text.to_owned();
    for _ in 0..=dice.below(3) {
        text = match dice.below(3) {
            0 => bytes(&text, dice),
            1 => lines(&text, others, dice),
            _ => tokens(&text, others, dice),
        };
    }
    text
}

/// Words, numbers, blanks, and every other character by itself.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let kind = |c: char| if c.is_alphanumeric() || "_.".contains(c) { 0 } else { 1 + usize::from(c.is_whitespace()) };
    for c in text.chars() {
        match pieces.last_mut() {
            Some(last) if kind(c) != 1 && last.chars().all(|other| kind(other) == kind(c)) => last.push(c),
            _ => pieces.push(c.into()),
        }
    }
    pieces
}

fn tokens(text: &str, others: &[&str], dice: &mut Dice) -> String {
    let mut pieces = pieces(text);
    let at = dice.below(pieces.len() + 1);
    let here = at.min(pieces.len().saturating_sub(1));
    match dice.below(9) {
        0 => pieces.insert(at, dice.pick(NOISE).into()),
        1 if !pieces.is_empty() => pieces[here] = dice.pick(NOISE).into(),
        2 if !pieces.is_empty() => drop(pieces.remove(here)),
        3 if !pieces.is_empty() => pieces.insert(here, pieces[here].clone()),
        4 if !pieces.is_empty() => {
            let other = dice.below(pieces.len());
            pieces.swap(here, other);
        }
        // Another name or number from the same text, or from another.
        5 if !pieces.is_empty() => {
            let other = if dice.below(2) == 0 { text } else { dice.pick(others) };
            let donors = self::pieces(other);
            let words: Vec<&String> = donors.iter().filter(|piece| piece.starts_with(char::is_alphanumeric)).collect();
            let targets: Vec<usize> = (0..pieces.len()).filter(|k| pieces[*k].starts_with(char::is_alphanumeric)).collect();
            if !words.is_empty() && !targets.is_empty() {
                pieces[targets[dice.below(targets.len())]].clone_from(words[dice.below(words.len())]);
            }
        }
        // Brackets around some of it.
        6 => {
            let end = at + dice.below(pieces.len() + 1 - at);
            pieces.insert(end, ")".into());
            pieces.insert(at, "(".into());
        }
        // Deep, and long.
        7 if dice.below(20) == 0 => pieces.insert(at, dice.pick(&["(", "-", "not ", "exp(", "2**"]).repeat(1 + dice.below(200))),
        8 if dice.below(20) == 0 => {
            pieces.insert(at, dice.pick(&[" + v", "*v", " - 1", " and v > 1", "+ exp(v)"]).repeat(dice.below(300)));
        }
        _ => pieces.insert(at, dice.pick(&[" + ", "*", "-", "1", "v", "ms", " < "]).into()),
    }
    pieces.concat()
}

fn lines(text: &str, others: &[&str], dice: &mut Dice) -> String {
    let mut lines: Vec<&str> = text.split('\n').collect();
    let at = dice.below(lines.len());
    let donors: Vec<&str> = dice.pick(others).split('\n').collect();
    let donor = donors[dice.below(donors.len())];
    match dice.below(6) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at]),
        2 => {
            let other = dice.below(lines.len());
            lines.swap(at, other);
        }
        3 => lines[at] = donor,
        4 => lines.insert(at, donor),
        _ => return lines.join(dice.pick(&["", "\r\n", "\n\n", "; ", "\\\n", "\n#"])),
    }
    lines.join("\n")
}

fn bytes(text: &str, dice: &mut Dice) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let at = dice.below(bytes.len() + 1);
    let here = at.min(bytes.len().saturating_sub(1));
    match dice.below(6) {
        0 => bytes.insert(at, dice.below(256) as u8),
        1 => bytes.insert(at, b' ' + dice.below(95) as u8),
        2 if !bytes.is_empty() => bytes[here] ^= 1 << dice.below(8),
        3 if !bytes.is_empty() => drop(bytes.remove(here)),
        4 => bytes.truncate(at),
        _ => drop(bytes.drain(at..at + dice.below((bytes.len() - at).min(8) + 1))),
    }
    // What a file holds need not be UTF-8; what reaches the language is.
    String::from_utf8_lossy(&bytes).into_owned()
}
