//! Identifiers of neurons, as data sets give them: whole numbers of up to 64 bits, or texts.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use crate::Error;

/// Whole numbers below this one are exact where a program wrote them as numbers with a decimal point.
const EXACT: u64 = 1 << 53;

/// The neuron of each identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ids {
    /// The list that they come from, for errors.
    of: String,
    known: Known,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Known {
    Numbers(HashMap<u64, u32, BuildHasherDefault<Multiply>>),
    Texts(HashMap<Box<str>, u32>),
}

/// Spreads a number by a multiplication with 2⁶⁴ divided by the golden ratio (Knuth 1998, The Art of Computer Programming 3, 6.4): a table of
/// edges asks millions of times.
#[derive(Default)]
struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(self.0 ^ u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        let product = u128::from(number) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

impl Ids {
    /// Identifiers in the order of the neurons; `of` says where they are listed, for errors.
    ///
    /// # Errors
    /// The number of those that are missing or not unique, and the first of them.
    pub fn new<'a>(of: &str, ids: impl Iterator<Item = &'a str> + Clone) -> Result<Ids, Error> {
        let count = ids.clone().count();
        let missing = ids.clone().filter(|id| id.is_empty()).count();
        if missing > 0 {
            let expected = format!("each neuron needs an identifier, and {missing} of {count} have none");
            return Err(Error::invalid(of, "empty", expected, "remove these rows, or name another column as `id`"));
        }
        let mut found = HashSet::new();
        let repeated: Vec<&str> = ids.clone().filter(|id| !found.insert(*id)).collect();
        if let Some(first) = repeated.first() {
            let expected = format!("each identifier belongs to one neuron, and {} of {count} are repeated", repeated.len());
            return Err(Error::invalid(of, format!("{first:?}"), expected, "remove the repeated rows"));
        }
        // Other spellings of a number, such as 007, are texts.
        let number = |id: &str| id.parse().ok().filter(|number: &u64| number.to_string() == id);
        let numbers: Option<HashMap<_, _, _>> =
            ids.clone().map(number).zip(0..).map(|(id, neuron)| Some((id?, neuron))).collect();
        let texts = || ids.map(Box::from).zip(0..).collect();
        let known = numbers.map_or_else(|| Known::Texts(texts()), Known::Numbers);
        Ok(Ids { of: of.to_owned(), known })
    }

    /// Where they are listed.
    pub fn source(&self) -> &str {
        &self.of
    }

    /// The neuron of a written identifier, `None` if there is none.
    ///
    /// # Errors
    /// Why a number cannot be an identifier: it was written with a decimal point or exponent, and lost digits so.
    pub fn find(&self, written: &str) -> Result<Option<u32>, &'static str> {
        let of = match &self.known {
            Known::Texts(of) => return Ok(of.get(written).copied()),
            Known::Numbers(of) => of,
        };
        if let Ok(number) = written.parse() {
            return Ok(of.get(&number).copied());
        }
        match written.parse::<f64>() {
            Ok(number) if number >= 0.0 && number < EXACT as f64 && number.trunc() == number => {
                Ok(of.get(&(number as u64)).copied())
            }
            Ok(number) if number >= EXACT as f64 => Err(
                "an identifier of more than 15 digits that was written as a number with a decimal point has lost its last digits",
            ),
            _ => Ok(None),
        }
    }

    /// The neuron of an identifier that is a number.
    pub(crate) fn find_number(&self, number: i64) -> Option<u32> {
        match &self.known {
            Known::Numbers(of) => of.get(&u64::try_from(number).ok()?).copied(),
            Known::Texts(of) => of.get(number.to_string().as_str()).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_18_digits_stay_exact() {
        let ids = Ids::new("ids", ["720575940600000001", "720575940600000002", "29"].into_iter()).unwrap();
        assert_eq!(ids.find("720575940600000002"), Ok(Some(1)));
        assert_eq!(ids.find("720575940600000003"), Ok(None));
        assert_eq!((ids.find("29.0"), ids.find("29"), ids.find_number(29)), (Ok(Some(2)), Ok(Some(2)), Some(2)));
        assert!(ids.find("7.20575940600000001e17").is_err() && ids.find("720575940600000001.0").is_err());
        assert_eq!(ids.find("AVAL"), Ok(None));
    }

    #[test]
    fn texts_are_compared_as_they_are() {
        let ids = Ids::new("ids", ["AVAL", "007", "7"].into_iter()).unwrap();
        assert_eq!((ids.find("007"), ids.find("7"), ids.find("aval")), (Ok(Some(1)), Ok(Some(2)), Ok(None)));
    }

    #[test]
    fn missing_and_repeated_ones_are_counted() {
        let wrong = |ids: &[&str]| Ids::new("column \"id\" of n.csv", ids.iter().copied()).unwrap_err().to_string();
        assert!(wrong(&["1", "", "2", ""]).contains("2 of 4 have none"));
        assert!(
            wrong(&["1", "2", "1", "2", "1"])
                .contains("is \"1\", but each identifier belongs to one neuron, and 3 of 5 are repeated")
        );
    }
}
