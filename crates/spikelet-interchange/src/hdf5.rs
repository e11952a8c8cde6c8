//! HDF5 files in memory, by the crate `hdf5-pure`.
//!
//! [`File`] reads what h5py and the C library write: superblocks 0 to 3, symbol tables and newer groups, contiguous and chunked data with
//! the filters deflate, shuffle, LZF and Fletcher-32, strings of fixed and of variable length, lists of variable length. Soft links are followed; external links and virtual datasets are errors that name them. [`Group`] is a tree
//! to write; every HDF5 library from 1.10 on reads the result.
//!
//! ```
//! use spikelet_interchange::hdf5::{Array, File, Group};
//!
//! # fn main() -> Result<(), spikelet_network::Error> {
//! let mut root = Group::default();
//! root.group("units").insert("times", Array::numbers(vec![2, 3], vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]).deflated());
//!
//! let file = File::open(root.to_bytes()?)?;
//! let times = file.dataset("/units/times")?;
//! assert_eq!(times.shape(), [2, 3]);
//! assert_eq!(times.f64()?[4], 4.0);
//! assert_eq!(file.groups("/")?, ["units"]);
//! # Ok(()) }
//! ```

mod follow;
mod heap;
mod links;
mod number;
mod read;
mod reference;
mod write;

pub use read::{Attribute, Dataset, File};
pub use write::{Array, Group, Values};
