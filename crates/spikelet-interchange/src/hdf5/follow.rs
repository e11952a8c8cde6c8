//! Soft links of a file, which are followed, and links to other files, which are errors.

use spikelet_network::Error;

use super::links::{Bytes, Link};
use super::read::{File, unreadable};

/// How many soft links are followed on one path.
const MAX_LINKS: usize = 64;

impl File {
    /// The names of the groups and of the datasets in a group, sorted.
    pub(super) fn children(&self, path: &str) -> Result<[Vec<String>; 2], Error> {
        let of_crate = || -> Result<[Vec<String>; 2], Error> {
            let group = self.group(path)?;
            let refused = |error| unreadable(path, &error);
            let mut names = [group.groups().map_err(refused)?, group.datasets().map_err(refused)?];
            names.iter_mut().for_each(|names| names.sort());
            Ok(names)
        };
        // The crate passes over soft links, or cannot read a group that has them.
        let links = self.header(&self.resolved(path)?).and_then(|header| self.bytes()?.links(header));
        let Some(links) = links.filter(|links| links.unread_of.is_some() || links.found.iter().any(|(_, link)| !is_hard(link)))
        else {
            return of_crate();
        };
        if let Some(all) = links.unread_of {
            let names = of_crate()?;
            let hard = (names[0].len() + names[1].len()) as u64;
            if all <= hard {
                return Ok(names);
            }
            let expected = "soft and external links of a group with as many are not read";
            let value = format!("a group with {} such links among {all}", all - hard);
            return Err(Error::invalid(path, value, expected, "copy the objects into the group, such as with h5py"));
        }
        let mut names = [Vec::new(), Vec::new()];
        for (name, link) in links.found {
            let path = format!("{}/{name}", path.trim_end_matches('/'));
            let target = self.resolved(&path)?;
            if target.trim_matches('/').is_empty() || self.file.group(target.trim_matches('/')).is_ok() {
                names[0].push(name);
            } else if self.file.dataset(&target).is_ok() {
                names[1].push(name);
            } else if !is_hard(&link) {
                let expected = format!("there is nothing at {target}");
                return Err(Error::invalid(path, "a soft link", expected, "correct the link, or remove it"));
            }
        }
        names.iter_mut().for_each(|names| names.sort());
        Ok(names)
    }

    /// The bytes, if addresses and lengths have the usual 8 bytes.
    pub(super) fn bytes(&self) -> Option<Bytes<'_>> {
        let superblock = self.file.superblock();
        let is_usual = superblock.offset_size == 8 && superblock.length_size == 8;
        is_usual.then(|| Bytes { file: self.file.as_bytes(), base: superblock.base_address.get() })
    }

    /// The object header at a path without soft links.
    pub(super) fn header(&self, path: &str) -> Option<u64> {
        let bytes = self.bytes()?;
        path.split('/').filter(|part| !part.is_empty()).try_fold(self.file.superblock().root_group_address, |header, part| {
            match bytes.links(header)?.found.into_iter().find(|(name, _)| name == part)?.1 {
                Link::Hard(address) => Some(address),
                Link::Soft(_) | Link::External { .. } => None,
            }
        })
    }

    /// A path in which soft links are replaced by what they lead to.
    pub(super) fn resolved(&self, path: &str) -> Result<String, Error> {
        let Some(bytes) = self.bytes() else { return Ok(path.to_owned()) };
        let mut open: Vec<String> = path.split('/').filter(|part| !part.is_empty()).rev().map(str::to_owned).collect();
        let (mut done, mut header, mut followed) = (Vec::new(), self.file.superblock().root_group_address, 0);
        while let Some(part) = open.pop() {
            let link = bytes.links(header).and_then(|links| links.found.into_iter().find(|(name, _)| *name == part));
            match link {
                Some((_, Link::Hard(address))) => {
                    header = address;
                    done.push(part);
                }
                Some((_, Link::Soft(target))) => {
                    followed += 1;
                    if followed > MAX_LINKS {
                        let expected = "soft links must not lead to each other in a circle";
                        return Err(Error::invalid(path, format!("a link to {target}"), expected, "correct the links"));
                    }
                    open.extend(target.split('/').filter(|part| !part.is_empty() && *part != ".").rev().map(str::to_owned));
                    if target.starts_with('/') {
                        done.clear();
                    }
                    let back = format!("/{}", done.join("/"));
                    header = self.header(&back).unwrap_or(self.file.superblock().root_group_address);
                }
                Some((_, Link::External { file, path: inside })) => {
                    let expected = "links to other files are not followed";
                    let place = format!("/{}", [&done[..], &[part]].concat().join("/"));
                    let value = format!("an external link to {inside} of the file {file}");
                    return Err(Error::invalid(
                        place,
                        value,
                        expected,
                        "copy the data into the file, such as with `h5repack` or h5py",
                    ));
                }
                // What reads it says what there is.
                None => {
                    done.push(part);
                    done.extend(open.drain(..).rev());
                }
            }
        }
        Ok(format!("/{}", done.join("/")))
    }
}

/// Whether a link is a hard one.
fn is_hard(link: &Link) -> bool {
    matches!(link, Link::Hard(_))
}
