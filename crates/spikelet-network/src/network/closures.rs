//! Connection rules that are closures of a program. They are called once, and become a list of pairs.

use super::{Network, Pairs};
use crate::Error;
use crate::edges::Bounds;

impl Network {
    /// Connects those pairs of a projection for which `connects(i, j)` is true: `i` is the index of the presynaptic neuron in its population,
    /// `j` that of the postsynaptic neuron. It is called once for each pair within the slices of the projection, in the order of `i` and then `j`; the pairs
    /// replace its rule or [`pairs`](crate::Projection::pairs). So a list of weights or delays follows this order.
    ///
    /// # Errors
    /// There is no projection of this name.
    pub fn connect_where(&mut self, projection: &str, mut connects: impl FnMut(u32, u32) -> bool) -> Result<(), Error> {
        let (index, Bounds { pre, post }) = self.slices_of(projection)?;
        let row = |i: u32| post.clone().map(move |j| [i, j]);
        let pairs = pre.flat_map(row).filter(|&[i, j]| connects(i, j)).collect();
        self.connect_pairs(index, pairs);
        Ok(())
    }

    /// Connects each presynaptic neuron `i` of a projection to the neurons `targets(i)`, of which some may occur several times. They replace its
    /// rule or [`pairs`](crate::Projection::pairs), in this order.
    ///
    /// # Errors
    /// There is no projection of this name, or a target is not in its slice.
    pub fn connect_to<T: IntoIterator<Item = u32>>(
        &mut self,
        projection: &str,
        mut targets: impl FnMut(u32) -> T,
    ) -> Result<(), Error> {
        let (index, Bounds { pre, post }) = self.slices_of(projection)?;
        let mut pairs = Vec::new();
        for i in pre {
            for j in targets(i) {
                if !post.contains(&j) {
                    let expected = format!(
                        "it is a target of neuron {i}, and the postsynaptic neurons are {} to {}",
                        post.start,
                        post.end - 1
                    );
                    return Err(Error::invalid(format!("projections[{index}].pairs"), j, expected, "return only these"));
                }
                pairs.push([i, j]);
            }
        }
        self.connect_pairs(index, pairs);
        Ok(())
    }

    /// The index of a projection, and the neurons that it can connect.
    fn slices_of(&mut self, projection: &str) -> Result<(usize, Bounds), Error> {
        self.name_projections();
        let Some(index) = self.projections.iter().position(|of| of.name == projection) else {
            let known = self.projections.iter().map(|of| of.name.as_str());
            return Err(Error::unknown_name("", "projection", projection, known));
        };
        Ok((index, self.bounds(&self.projections[index])))
    }

    fn connect_pairs(&mut self, index: usize, pairs: Vec<[u32; 2]>) {
        let projection = &mut self.projections[index];
        (projection.connect, projection.pairs) = (None, Some(Pairs::Listed(pairs)));
    }
}
