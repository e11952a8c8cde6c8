//! Selections of neurons by what a table says of them: `type == 'KC' and side != 'left'`.

use std::iter::Peekable;
use std::str::CharIndices;

use crate::Error;
use crate::neuron_table::NeuronTable;

/// A condition on the rows of a table. `==` and `!=` compare texts, or numbers with a number; `<`, `<=`, `>` and `>=` numbers; `in` is one of
/// several; `~` compares with a pattern, in which `*` is any text and `?` one character; `and`, `or`, `not` and parentheses combine them.
#[derive(Debug, Clone, PartialEq)]
pub enum Selection {
    /// Of the texts of a column.
    Column(String, Test),
    /// Not selected.
    Not(Box<Selection>),
    /// Both.
    And(Box<Selection>, Box<Selection>),
    /// At least one.
    Or(Box<Selection>, Box<Selection>),
}

/// What is asked of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// Equal to one of these.
    In(Vec<Literal>),
    /// `*` is any text, `?` any character.
    Like(String),
    /// Compared with a number.
    Than(&'static str, f64),
}

/// A text in quotes, or a number.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// A text.
    Text(String),
    /// A number, as it is written and its value.
    Number(String, f64),
}

const EXAMPLE: &str = "write a condition such as type == 'KC' and side in ('left', 'right')";

impl Selection {
    /// Reads a condition; `path` is its place in the network.
    ///
    /// # Errors
    /// What is wrong, where.
    pub fn parse(path: &str, text: &str) -> Result<Selection, Error> {
        let mut parser = Parser { tokens: tokens(text).map_err(|why| wrong(path, text, &why))?.into_iter().peekable() };
        let selection = parser.or().and_then(|selection| match parser.tokens.next() {
            None => Ok(selection),
            Some(token) => Err(format!("nothing is expected before {}", token.written())),
        });
        selection.map_err(|why| wrong(path, text, &why))
    }

    /// The neurons of a table that it selects, in ascending order.
    ///
    /// # Errors
    /// An unknown column, a text that no row has, and a number that is compared with texts.
    pub fn neurons(&self, path: &str, table: &NeuronTable) -> Result<Vec<u32>, Error> {
        let rows = self.rows(path, table)?;
        Ok((0..).zip(rows).filter(|(_, is_selected)| *is_selected).map(|(neuron, _)| neuron).collect())
    }

    /// The columns that it asks about.
    pub(crate) fn columns(&self) -> Vec<&str> {
        match self {
            Selection::Column(column, _) => vec![column],
            Selection::Not(of) => of.columns(),
            Selection::And(a, b) | Selection::Or(a, b) => [a.columns(), b.columns()].concat(),
        }
    }

    /// For each row of a table whether it is selected.
    pub(crate) fn rows(&self, path: &str, table: &NeuronTable) -> Result<Vec<bool>, Error> {
        let both = |a: &Selection, b: &Selection, of: fn(bool, bool) -> bool| {
            let (a, b) = (a.rows(path, table)?, b.rows(path, table)?);
            Ok(a.into_iter().zip(b).map(|(a, b)| of(a, b)).collect())
        };
        match self {
            Selection::Not(of) => Ok(of.rows(path, table)?.into_iter().map(|row| !row).collect()),
            Selection::And(a, b) => both(a, b, |a, b| a && b),
            Selection::Or(a, b) => both(a, b, |a, b| a || b),
            Selection::Column(column, test) => {
                if let Test::In(of) = test {
                    // A misspelt name would select nothing, without a word.
                    for literal in of {
                        let is_there = table.different(column)?.any(|text| literal.is(text));
                        if !is_there {
                            let expected = format!("no neuron of {} has it as {column:?}; {}", table.file(), table.some(column));
                            return Err(Error::invalid(path, literal.written(), expected, "correct it"));
                        }
                    }
                }
                table.test(column, |text| test.holds(path, column, text))
            }
        }
    }
}

impl Test {
    fn holds(&self, path: &str, column: &str, text: &str) -> Result<bool, Error> {
        match self {
            Test::In(of) => Ok(of.iter().any(|literal| literal.is(text))),
            Test::Like(pattern) => Ok(is_like(text, pattern)),
            Test::Than(operator, number) => {
                // A neuron without a value is none of either.
                if text.is_empty() {
                    return Ok(false);
                }
                let Ok(value) = text.parse::<f64>() else {
                    let expected = format!("column {column:?} has texts such as {text:?}, which are not compared by size");
                    return Err(Error::invalid(path, format!("`{operator}`"), expected, "use ==, !=, in or ~"));
                };
                Ok(match *operator {
                    "<" => value < *number,
                    "<=" => value <= *number,
                    ">" => value > *number,
                    _ => value >= *number,
                })
            }
        }
    }
}

impl Literal {
    /// Whether a cell has this value. Whole numbers are compared by their digits: identifiers have more than a number with 53 bits.
    fn is(&self, cell: &str) -> bool {
        match self {
            Literal::Text(text) => text == cell,
            Literal::Number(written, number) => {
                written == cell || (number.abs() < 1e15 && cell.parse::<f64>().is_ok_and(|cell| cell == *number))
            }
        }
    }

    fn written(&self) -> String {
        match self {
            Literal::Text(text) => format!("{text:?}"),
            Literal::Number(written, _) => written.clone(),
        }
    }
}

/// Whether a text has the form of a pattern with `*` and `?`.
fn is_like(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) = (text.chars().collect(), pattern.chars().collect());
    let (mut at, mut of) = (0, 0);
    // The last `*`, and where the text after what it stands for begins.
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        if pattern.get(of) == Some(&'*') {
            star = Some((of, at));
            of += 1;
        } else if pattern.get(of).is_some_and(|wanted| *wanted == '?' || *wanted == text[at]) {
            (at, of) = (at + 1, of + 1);
        } else if let Some((place, end)) = star {
            (at, of) = (end + 1, place + 1);
            star = Some((place, end + 1));
        } else {
            return false;
        }
    }
    pattern[of..].iter().all(|wanted| *wanted == '*')
}

fn wrong(path: &str, text: &str, why: &str) -> Error {
    Error::invalid(path, format!("{text:?}"), why, EXAMPLE)
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Name(String),
    Literal(Literal),
    Operator(&'static str),
}

impl Token {
    fn written(&self) -> String {
        match self {
            Token::Name(name) => format!("`{name}`"),
            Token::Literal(literal) => literal.written(),
            Token::Operator(operator) => format!("`{operator}`"),
        }
    }
}

/// The longer ones first.
const OPERATORS: [&str; 11] = ["==", "!=", "<=", ">=", "<", ">", "~", "(", ")", ",", "="];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, first)) = chars.next() {
        if first.is_whitespace() {
            continue;
        }
        let rest = &text[at..];
        if let Some(operator) = OPERATORS.iter().find(|operator| rest.starts_with(**operator)) {
            while chars.next_if(|(place, _)| *place < at + operator.len()).is_some() {}
            tokens.push(Token::Operator(operator));
        } else if matches!(first, '\'' | '"' | '`') {
            let end = text[at + 1..]
                .find(first)
                .ok_or_else(|| format!("the text that begins with {first} at character {at} does not end"))?;
            let inner = text[at + 1..at + 1 + end].to_owned();
            while chars.next_if(|(place, _)| *place <= at + 1 + end).is_some() {}
            tokens.push(if first == '`' { Token::Name(inner) } else { Token::Literal(Literal::Text(inner)) });
        } else {
            let word = &text[at..end_of_word(&mut chars, text.len())];
            tokens.push(match word.parse::<f64>() {
                Ok(number) if number.is_finite() => Token::Literal(Literal::Number(word.to_owned(), number)),
                _ => Token::Name(word.to_owned()),
            });
        }
    }
    Ok(tokens)
}

/// Skips a name or number; returns where it ends.
fn end_of_word(chars: &mut Peekable<CharIndices<'_>>, end: usize) -> usize {
    while chars.next_if(|(_, c)| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+')).is_some() {}
    chars.peek().map_or(end, |(place, _)| *place)
}

struct Parser {
    tokens: Peekable<std::vec::IntoIter<Token>>,
}

impl Parser {
    fn or(&mut self) -> Result<Selection, String> {
        let mut selection = self.and()?;
        while self.word("or") {
            selection = Selection::Or(Box::new(selection), Box::new(self.and()?));
        }
        Ok(selection)
    }

    fn and(&mut self) -> Result<Selection, String> {
        let mut selection = self.not()?;
        while self.word("and") {
            selection = Selection::And(Box::new(selection), Box::new(self.not()?));
        }
        Ok(selection)
    }

    fn not(&mut self) -> Result<Selection, String> {
        if self.word("not") {
            return Ok(Selection::Not(Box::new(self.not()?)));
        }
        if self.operator(&["("]).is_none() {
            return self.comparison();
        }
        let selection = self.or()?;
        self.operator(&[")"]).map(|_| selection).ok_or_else(|| "a `)` is missing".to_owned())
    }

    fn comparison(&mut self) -> Result<Selection, String> {
        let column = match self.tokens.next() {
            Some(Token::Name(name)) => name,
            Some(other) => return Err(format!("the name of a column is expected instead of {}", other.written())),
            None => return Err("the name of a column is missing".to_owned()),
        };
        if self.word("in") {
            self.operator(&["("]).ok_or_else(|| format!("a list in parentheses is expected after `{column} in`"))?;
            let mut of = vec![self.literal()?];
            while self.operator(&[","]).is_some() {
                of.push(self.literal()?);
            }
            self.operator(&[")"]).ok_or_else(|| "a `)` is missing after the list".to_owned())?;
            return Ok(Selection::Column(column, Test::In(of)));
        }
        let Some(operator) = self.operator(&["==", "!=", "<=", ">=", "<", ">", "~", "="]) else {
            return Err(format!("`{column}` is to be compared, by ==, !=, <, <=, >, >=, ~ or in"));
        };
        let literal = self.literal()?;
        match (operator, literal) {
            ("=", _) => Err("texts and numbers are compared by ==".to_owned()),
            ("==", literal) => Ok(Selection::Column(column, Test::In(vec![literal]))),
            ("!=", literal) => Ok(Selection::Not(Box::new(Selection::Column(column, Test::In(vec![literal]))))),
            ("~", Literal::Text(pattern)) => Ok(Selection::Column(column, Test::Like(pattern))),
            ("~", Literal::Number(..)) => Err("`~` compares with a pattern in quotes".to_owned()),
            (operator, Literal::Number(_, number)) => Ok(Selection::Column(column, Test::Than(operator, number))),
            (operator, Literal::Text(_)) => Err(format!("`{operator}` compares with a number")),
        }
    }

    fn literal(&mut self) -> Result<Literal, String> {
        match self.tokens.next() {
            Some(Token::Literal(literal)) => Ok(literal),
            Some(Token::Name(name)) => Err(format!("a text is written in quotes: '{name}'")),
            Some(Token::Operator(operator)) => Err(format!("a text in quotes or a number is expected instead of `{operator}`")),
            None => Err("a text in quotes or a number is missing at the end".to_owned()),
        }
    }

    fn word(&mut self, word: &str) -> bool {
        self.tokens.next_if(|token| matches!(token, Token::Name(name) if name == word)).is_some()
    }

    fn operator(&mut self, of: &[&str]) -> Option<&'static str> {
        match self.tokens.next_if(|token| matches!(token, Token::Operator(operator) if of.contains(operator))) {
            Some(Token::Operator(operator)) => Some(operator),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
