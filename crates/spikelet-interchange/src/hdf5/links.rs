//! The links of a group, which the crate passes over unless they are hard (HDF5 file format specification, III.A "B-trees", III.C "Symbol table entry", III.G "Fractal heap", IV.A
//! "Object headers").

/// Where a link leads.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Link {
    /// To an object header at this address.
    Hard(u64),
    /// To a path in the same file.
    Soft(String),
    /// To a path in another file.
    External { file: String, path: String },
}

/// The links of a group, by their names.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Links {
    pub(super) found: Vec<(String, Link)>,
    /// The number of all links of the group, if some could not be read.
    pub(super) unread_of: Option<u64>,
}

/// Most blocks of headers, nodes of trees and levels: more are taken for a circle.
const MAX_BLOCKS: usize = 100_000;
const MAX_LEVELS: usize = 32;
/// An address that is none.
const UNDEFINED: u64 = u64::MAX;

/// A file with addresses and lengths of 8 bytes.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a> {
    pub(super) file: &'a [u8],
    /// What addresses are relative to.
    pub(super) base: u64,
}

impl<'a> Bytes<'a> {
    fn at(self, address: u64, length: usize) -> Option<&'a [u8]> {
        let start = usize::try_from(address.checked_add(self.base)?).ok()?;
        self.file.get(start..start.checked_add(length)?)
    }

    fn number(self, address: u64, length: usize) -> Option<u64> {
        self.at(address, length).map(little)
    }

    /// The links of the group with this object header; `None` if it is damaged, or no group.
    pub(super) fn links(self, header: u64) -> Option<Links> {
        let (mut links, mut is_group) = (Links::default(), false);
        for (kind, data) in self.messages(header)? {
            match kind {
                LINK => {
                    is_group = true;
                    links.found.push(link(data)?);
                }
                LINK_INFO => {
                    is_group = true;
                    let creation = if data.get(1)? & 1 == 0 { 0 } else { 8 };
                    let (heap, tree) =
                        (little(data.get(2 + creation..)?.get(..8)?), little(data.get(10 + creation..)?.get(..8)?));
                    if heap != UNDEFINED {
                        self.dense(heap, tree, &mut links)?;
                    }
                }
                SYMBOLS => {
                    is_group = true;
                    let (tree, heap) = (little(data.get(..8)?), little(data.get(8..16)?));
                    let names = self.number(heap.checked_add(24)?, 8)?;
                    let mut left = MAX_BLOCKS;
                    self.symbols(tree, names, 0, &mut left, &mut links.found)?;
                }
                _ => {}
            }
        }
        is_group.then_some(links)
    }

    /// The messages of an object header: their types and data.
    fn messages(self, header: u64) -> Option<Vec<(u64, &'a [u8])>> {
        let is_new = self.at(header, 4)? == b"OHDR";
        let (mut blocks, mut flags) = (Vec::new(), 0);
        if is_new {
            flags = self.number(header.checked_add(5)?, 1)?;
            let times = if flags & 0x20 == 0 { 0 } else { 16 } + if flags & 0x10 == 0 { 0 } else { 4 };
            let width = 1 << (flags & 3);
            let size = self.number(header.checked_add(6 + times)?, width)?;
            blocks.push((header.checked_add(6 + times + width as u64)?, size));
        } else {
            blocks.push((header.checked_add(16)?, self.number(header.checked_add(8)?, 4)?));
        }
        let (type_width, start) = if is_new { (1, if flags & 4 == 0 { 4 } else { 6 }) } else { (2, 8) };
        let (mut messages, mut next) = (Vec::new(), 0);
        while let Some((address, size)) = blocks.get(next).copied() {
            next += 1;
            if next > MAX_BLOCKS {
                return None;
            }
            let block = self.at(address, usize::try_from(size).ok()?)?;
            let mut place = 0;
            while place + start <= block.len() {
                let kind = little(&block[place..place + type_width]);
                let length = little(&block[place + type_width..place + type_width + 2]) as usize;
                let data = block.get(place + start..place + start + length)?;
                place += start + length;
                if kind == CONTINUATION {
                    let (address, size) = (little(data.get(..8)?), little(data.get(8..16)?));
                    // The newer form begins with `OCHK` and ends with a checksum.
                    blocks.push(if is_new { (address.checked_add(4)?, size.checked_sub(8)?) } else { (address, size) });
                } else {
                    messages.push((kind, data));
                }
            }
        }
        Some(messages)
    }

    /// The links of a group of the older form: a tree of tables of symbols.
    fn symbols(self, node: u64, names: u64, level: usize, left: &mut usize, found: &mut Vec<(String, Link)>) -> Option<()> {
        *left = left.checked_sub(1)?;
        if level > MAX_LEVELS {
            return None;
        }
        if self.at(node, 4)? == b"TREE" {
            let entries = self.number(node.checked_add(6)?, 2)?;
            for entry in 0..entries {
                let child = self.number(node.checked_add(24 + 16 * entry + 8)?, 8)?;
                self.symbols(child, names, level + 1, left, found)?;
            }
            return Some(());
        }
        let count = self.number(node.checked_add(6)?, 2)?;
        for entry in 0..count {
            let at = node.checked_add(8 + 40 * entry)?;
            let name = self.text(names.checked_add(self.number(at, 8)?)?)?;
            // A soft link has the place of its path among the names.
            let link = match self.number(at.checked_add(16)?, 4)? {
                2 => Link::Soft(self.text(names.checked_add(self.number(at.checked_add(24)?, 4)?)?)?),
                _ => Link::Hard(self.number(at.checked_add(8)?, 8)?),
            };
            found.push((name, link));
        }
        Some(())
    }

    /// The text that ends with a zero.
    fn text(self, address: u64) -> Option<String> {
        let start = usize::try_from(address.checked_add(self.base)?).ok()?;
        let rest = self.file.get(start..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        Some(String::from_utf8_lossy(&rest[..end]).into_owned())
    }

    /// The links of a group with many: in a heap, which a tree indexes.
    fn dense(self, heap: u64, tree: u64, links: &mut Links) -> Option<()> {
        let (depth, root, count) = (
            self.number(tree.checked_add(12)?, 2)?,
            self.number(tree.checked_add(16)?, 8)?,
            self.number(tree.checked_add(26)?, 8)?,
        );
        let record = self.number(tree.checked_add(10)?, 2)?;
        if depth > 0 {
            links.unread_of = Some(count);
            return Some(());
        }
        for number in 0..self.number(tree.checked_add(24)?, 2)? {
            let at = root.checked_add(6 + number * record + 4)?;
            let id = self.at(at, usize::try_from(record.checked_sub(4)?).ok()?)?;
            match self.in_heap(heap, id) {
                Some(data) => links.found.push(link(data)?),
                None => links.unread_of = Some(count),
            }
        }
        Some(())
    }

    /// The object with this identifier in a fractal heap, if it is in a direct block.
    fn in_heap(self, heap: u64, id: &[u8]) -> Option<&'a [u8]> {
        let field = |offset: u64, length: usize| self.number(heap.checked_add(offset)?, length);
        let offset_bytes = (usize::try_from(field(128, 2)?).ok()?).div_ceil(8);
        if id.first()? & 0x30 != 0 || field(7, 2)? != 0 {
            return None;
        }
        let offset = little(id.get(1..1 + offset_bytes)?);
        let length = usize::try_from(little(id.get(1 + offset_bytes..)?)).ok()?;
        let (width, first, most) = (field(110, 2)?, field(112, 8)?, field(120, 8)?);
        let (root, rows) = (field(132, 8)?, field(140, 2)?);
        if rows == 0 {
            return self.at(root.checked_add(offset)?, length);
        }
        let (mut begin, mut child) = (0_u64, root.checked_add(13 + offset_bytes as u64)?);
        for row in 0..rows {
            let size = first.checked_shl(u32::try_from(row.saturating_sub(1)).ok()?)?;
            if size > most {
                return None;
            }
            for _ in 0..width {
                let end = begin.checked_add(size)?;
                if (begin..end).contains(&offset) {
                    return self.at(self.number(child, 8)?.checked_add(offset - begin)?, length);
                }
                (begin, child) = (end, child.checked_add(8)?);
            }
        }
        None
    }
}

const LINK_INFO: u64 = 0x02;
const LINK: u64 = 0x06;
const CONTINUATION: u64 = 0x10;
const SYMBOLS: u64 = 0x11;

/// A link and its name.
fn link(data: &[u8]) -> Option<(String, Link)> {
    let flags = *data.get(1)?;
    let mut place = 2;
    let mut take = |length: usize| {
        let taken = data.get(place..place + length);
        place += length;
        taken
    };
    let kind = if flags & 8 == 0 { 0 } else { take(1)?[0] };
    take(if flags & 4 == 0 { 0 } else { 8 } + usize::from(flags & 0x10 != 0))?;
    let length = little(take(1 << (flags & 3))?) as usize;
    let name = String::from_utf8_lossy(take(length)?).into_owned();
    if kind == 0 {
        return Some((name, Link::Hard(little(take(8)?))));
    }
    let length = little(take(2)?) as usize;
    let value = take(length)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
    if kind == 1 {
        return Some((name, Link::Soft(text(value))));
    }
    let mut parts = value.get(1..)?.split(|byte| *byte == 0);
    Some((name, Link::External { file: text(parts.next()?), path: text(parts.next().unwrap_or_default()) }))
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}
