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
    let mut place = 16;
    while place + 16 <= end {
        let header = collection.get(place..place + 16)?;
        let (index, size) = (little(&header[0..2]), usize::try_from(little(&header[8..16])).ok()?);
        let content = place + 16;
        if index == wanted {
            let bytes = length.checked_mul(element).filter(|bytes| *bytes <= size)?;
            return collection.get(content..content.checked_add(bytes)?);
        }
        if index == 0 {
            return None;
        }
        place = content.checked_add(size.checked_next_multiple_of(8)?)?;
    }
    None
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}
