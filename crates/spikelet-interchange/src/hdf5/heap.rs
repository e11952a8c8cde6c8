//! Lists of variable length, which a file stores in global heaps (HDF5 file format specification, III.E "Global Heap").

/// Bytes of a reference to a list: its length in elements, the address of a collection, the index of an object in it.
pub(super) const REFERENCE: usize = 16;

/// The bytes of the list that a reference names, in a file with addresses of 8 bytes; `None` if the reference or the heap is damaged.
pub(super) fn list<'a>(file: &'a [u8], base: u64, reference: &[u8], element: usize) -> Option<&'a [u8]> {
    let length = usize::try_from(little(reference.get(0..4)?)).ok()?;
    if length == 0 {
        return Some(&[]);
    }
    let address = usize::try_from(little(reference.get(4..12)?).checked_add(base)?).ok()?;
    let wanted = little(reference.get(12..16)?);
    let collection = file.get(address..)?;
    if collection.get(0..4)? != b"GCOL" {
        return None;
    }
    let end = usize::try_from(little(collection.get(8..16)?)).ok()?.min(collection.len());
    let mut place = 16usize;
    loop {
        let content = place.checked_add(16).filter(|content| *content <= end)?;
        let header = collection.get(place..content)?;
        let (index, size) = (little(&header[0..2]), usize::try_from(little(&header[8..16])).ok()?);
        if index == wanted {
            let bytes = length.checked_mul(element).filter(|bytes| *bytes <= size)?;
            return collection.get(content..content.checked_add(bytes)?);
        }
        if index == 0 {
            return None;
        }
        place = content.checked_add(size.checked_next_multiple_of(8)?)?;
    }
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A heap with the object 1, which has a size of `size`, in a file that begins with it.
    fn heap(size: u64) -> Vec<u8> {
        let header = [&1u64.to_le_bytes()[..], &size.to_le_bytes()].concat();
        [&b"GCOL\x01\0\0\0"[..], &64u64.to_le_bytes(), &header, &[7; 32]].concat()
    }

    fn reference(index: u32) -> Vec<u8> {
        [&4u32.to_le_bytes()[..], &0u64.to_le_bytes(), &index.to_le_bytes()].concat()
    }

    #[test]
    fn a_list_is_found_and_impossible_sizes_are_not() {
        assert_eq!(list(&heap(32), 0, &reference(1), 8), Some(&[7; 32][..]));
        assert_eq!(list(&heap(31), 0, &reference(1), 8), None);
        for size in [u64::MAX, u64::MAX - 7, u64::MAX - 32, u64::MAX - 39, u64::MAX - 47] {
            assert_eq!(list(&heap(size), 0, &reference(2), 8), None, "{size:#x}");
        }
    }
}
