//! Several rows of one pair of neurons as one synapse.

use super::{Column, EdgeList};
use crate::Error;

impl EdgeList {
    /// Makes one synapse of all rows of a pair, in the place of the first of them: the values of the columns `sum` are added up in their order,
    /// those of all others must be the same. `name` is that of the file, for errors.
    ///
    /// # Errors
    /// A column of `sum` that is not there, or rows of one pair that differ in another column, with the first pair.
    pub fn summed(self, name: &str, sum: &[String]) -> Result<EdgeList, Error> {
        let known = || self.columns.iter().map(|column| column.name.as_str());
        if let Some(unknown) = sum.iter().find(|wanted| !known().any(|column| column == wanted.as_str())) {
            return Err(Error::unknown_name(&format!("{name}: sum"), "column of values", unknown, known()));
        }
        let mut rows: Vec<u32> = (0..self.pairs.len() as u32).collect();
        rows.sort_unstable_by_key(|row| (self.pairs[*row as usize], *row));
        let mut of_pairs: Vec<&[u32]> =
            rows.chunk_by(|one, other| self.pairs[*one as usize] == self.pairs[*other as usize]).collect();
        of_pairs.sort_unstable_by_key(|rows| rows[0]);
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            let is_summed = sum.contains(&column.name);
            let value = |rows: &&[u32]| {
                let mut values = rows.iter().map(|row| column.values[*row as usize]);
                if is_summed {
                    return Ok(values.sum());
                }
                let first = values.next().unwrap_or_default();
                values.find(|value| *value != first).map_or(Ok(first), |other| {
                    let [pre, post] = self.pairs[rows[0] as usize];
                    let found = format!("{first} and {other} from neuron {pre} to {post}");
                    let expected = format!("rows of one pair become one synapse, and `sum` does not name `{}`", column.name);
                    let way_out = "name it if its values add up, or leave the column out by `columns`";
                    Err(Error::invalid(format!("{name}: column {:?}", column.name), found, expected, way_out))
                })
            };
            let values = of_pairs.iter().map(value).collect::<Result<Vec<f64>, Error>>()?;
            columns.push(Column { name: column.name.clone(), unit: column.unit.clone(), values });
        }
        Ok(EdgeList { pairs: of_pairs.iter().map(|rows| self.pairs[rows[0] as usize]).collect(), columns })
    }
}
