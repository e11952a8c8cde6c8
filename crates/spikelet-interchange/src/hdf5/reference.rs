//! Attributes that refer to objects, which `hdf5_pure` cannot write: it writes a text of eight bytes in their place, and here it becomes the address of an object.
//!
//! Layout of object headers: HDF5 File Format Specification 3.0, IV.A.1.b.

/// Bytes of the text, and of an address.
const LENGTH: usize = 8;
/// The type of a text of eight bytes: class 3 of version 1, ASCII padded with zeros, without further properties.
const TEXT: [u8; LENGTH] = [0x13, 1, 0, 0, 8, 0, 0, 0];
/// The type of a reference to an object: class 7 of version 1.
const REFERENCE: [u8; LENGTH] = [0x17, 0, 0, 0, 8, 0, 0, 0];
/// What an object header begins with.
const SIGNATURE: &[u8] = b"OHDR";

/// The text in place of the reference with this number.
pub(super) fn placeholder(number: usize) -> String {
    format!("\u{1}\u{2}{number:06}")
}

/// Lets the attribute with a placeholder refer to the object that has an attribute with the text `id`. `None` if the file has not the layout
/// that is expected.
pub(super) fn resolve(file: &mut [u8], number: usize, id: &str) -> Option<()> {
    let target = header_of(file, find(file, id.as_bytes())?)?.0 as u64;
    let data = find(file, placeholder(number).as_bytes())?;
    let (start, end) = header_of(file, data)?;
    let of_type = start + find(&file[start..data], &TEXT)?;
    // The last one before the data is that of this attribute.
    let of_type = file[of_type..data].windows(LENGTH).rposition(|bytes| bytes == TEXT).map(|at| of_type + at)?;
    file[of_type..of_type + LENGTH].copy_from_slice(&REFERENCE);
    file[data..data + LENGTH].copy_from_slice(&target.to_le_bytes());
    let sum = checksum(&file[start..end]);
    file.get_mut(end..end + 4)?.copy_from_slice(&sum.to_le_bytes());
    Some(())
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// Start and end, without its checksum, of the object header that contains a place.
fn header_of(file: &[u8], place: usize) -> Option<(usize, usize)> {
    let start = file[..place].windows(SIGNATURE.len()).rposition(|window| window == SIGNATURE)?;
    let flags = *file.get(start + 5)?;
    let times = if flags & 0x20 == 0 { 0 } else { 16 };
    let phases = if flags & 0x10 == 0 { 0 } else { 4 };
    let (at, width) = (start + 6 + times + phases, 1 << (flags & 3));
    let size = file.get(at..at + width)?.iter().rev().fold(0, |size, byte| (size << 8) | usize::from(*byte));
    let end = at + width + size;
    (place < end && end + 4 <= file.len()).then_some((start, end))
}

/// Bob Jenkins' lookup3 of bytes (`hashlittle` with the initial value 0), the checksum of HDF5.
fn checksum(bytes: &[u8]) -> u32 {
    let begin = 0xdead_beef_u32.wrapping_add(bytes.len() as u32);
    let [mut a, mut b, mut c] = [begin; 3];
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0_u32, |word, byte| (word << 8) | u32::from(*byte));
    let words = |part: &[u8]| [0, 4, 8].map(|at| part.get(at..part.len().min(at + 4)).map_or(0, word));
    // The last part, of 1 to 12 bytes, is mixed differently.
    let whole = bytes.len().saturating_sub(1) / 12 * 12;
    for part in bytes[..whole].chunks_exact(12) {
        let [x, y, z] = words(part);
        (a, b, c) = (a.wrapping_add(x), b.wrapping_add(y), c.wrapping_add(z));
        let steps = [4, 6, 8, 16, 19, 4];
        for rotation in steps {
            let mixed = a.wrapping_sub(c) ^ c.rotate_left(rotation);
            c = c.wrapping_add(b);
            (a, b, c) = (b, c, mixed);
        }
    }
    if bytes.is_empty() {
        return c;
    }
    let [x, y, z] = words(&bytes[whole..]);
    (a, b, c) = (a.wrapping_add(x), b.wrapping_add(y), c.wrapping_add(z));
    let rounds = [14, 11, 25, 16, 4, 14, 24];
    let last = |[a, b, c]: [u32; 3], rotation| [b, (c ^ b).wrapping_sub(b.rotate_left(rotation)), a];
    rounds.into_iter().fold([a, b, c], last)[1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_published_code() {
        // Values of the driver in lookup3.c.
        assert_eq!(checksum(b""), 0xdead_beef);
        assert_eq!(checksum(b"Four score and seven years ago"), 0x1777_0551);
    }
}
