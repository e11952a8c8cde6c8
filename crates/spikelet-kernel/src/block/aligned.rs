//! Memory of blocks, aligned to cache lines: a vector across two lines takes twice as long to load or store.
//! The crate aligned-vec would only replace `start`, with three more crates.

use std::ops::{Deref, DerefMut};

use super::LANES;

/// Bytes of a line.
const LINE: usize = 64;

/// Arrays of one value for each neuron of a block.
#[derive(Debug, Default)]
pub struct Aligned<T> {
    /// The arrays, from `start` on: somewhat more than they take.
    storage: Vec<T>,
    start: usize,
    count: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// This number of arrays with the default value.
    pub fn new(count: usize) -> Aligned<T> {
        let storage = vec![T::default(); count * LANES + LINE / size_of::<T>()];
        let start = storage.as_ptr().align_offset(LINE).min(LINE / size_of::<T>());
        Aligned { storage, start, count }
    }

    /// The value of an array in a lane: a single look-up, where a slice of arrays takes several.
    #[inline]
    pub fn at(&self, array: usize, lane: usize) -> T {
        self.storage[self.start + array * LANES + lane]
    }

    /// The same, to be changed.
    #[inline]
    pub fn at_mut(&mut self, array: usize, lane: usize) -> &mut T {
        &mut self.storage[self.start + array * LANES + lane]
    }
}

impl<T: Copy + Default> FromIterator<[T; LANES]> for Aligned<T> {
    fn from_iter<I: IntoIterator<Item = [T; LANES]>>(arrays: I) -> Aligned<T> {
        let arrays: Vec<[T; LANES]> = arrays.into_iter().collect();
        let mut aligned = Aligned::new(arrays.len());
        aligned.copy_from_slice(&arrays);
        aligned
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [[T; LANES]];

    #[inline]
    fn deref(&self) -> &[[T; LANES]] {
        self.storage[self.start..][..self.count * LANES].as_chunks().0
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [[T; LANES]] {
        self.storage[self.start..][..self.count * LANES].as_chunks_mut().0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_lie_on_lines() {
        for count in 0..5 {
            let arrays: Aligned<f32> = (0..count).map(|k| [k as f32; LANES]).collect();
            assert_eq!(arrays.len(), count);
            assert!(arrays.iter().enumerate().all(|(k, array)| *array == [k as f32; LANES]));
            assert!(arrays.iter().all(|array| (array.as_ptr() as usize).is_multiple_of(LINE)));
            assert_eq!(arrays.as_flattened().len(), count * LANES);
        }
    }
}
