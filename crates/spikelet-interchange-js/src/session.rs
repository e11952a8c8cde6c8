//! Carries out requests.

use std::cell::RefCell;
use std::io::{Cursor, Write};

use rawzip::ZipArchiveWriter;
use rawzip::path::EntryPath;
use spikelet::judge::judge;
use spikelet::{Error, Network, catalogue};
use spikelet_export::Tool;
use spikelet_interchange::import::{self, File, Imported};
use spikelet_interchange::nir::Import;

use crate::protocol::{Command, Export, Exported, Found, NamedFile, Notice, Open, OpenedFile, Reply, SessionError, WrittenFile};

/// It keeps nothing between requests.
pub struct Session;

impl spikelet_module::Session for Session {
    type Command = Command;
    type Reply = Reply;
    // It reports nothing by itself.
    type Event = ();
    type Error = SessionError;

    fn run(&mut self, command: Command) -> Result<Reply, SessionError> {
        match command {
            Command::Open(open) => Ok(Reply::Opened(opened(open)?)),
            Command::Export(export) => exported(&export),
        }
    }
}

/// Files that were given, by their paths.
struct Given(Vec<(String, Vec<u8>)>);

impl Given {
    fn new(files: &[NamedFile]) -> Given {
        let path = |name: &str| name.replace('\\', "/").trim_start_matches(['.', '/']).to_owned();
        Given(files.iter().map(|file| (path(&file.name), file.content.to_vec())).collect())
    }

    /// A file by its path, or by its name where files have no folders, and no other file has it.
    fn find(&self, path: &str) -> Option<&[u8]> {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let exact = self.0.iter().find(|(known, _)| known == path);
        let mut alike = self.0.iter().filter(|(known, _)| !known.contains('/') && *known == name(path));
        exact.or_else(|| alike.next()).map(|(_, content)| &content[..])
    }

    /// The file that no other one names, of those with a format.
    fn main(&self) -> Result<&str, Error> {
        let all: Vec<&(String, Vec<u8>)> =
            self.0.iter().filter(|(name, content)| is_own(content) || import::format_of(name, content).is_some()).collect();
        let is_named = |of: &str| {
            let name = of.rsplit('/').next().unwrap_or_default();
            let names = |content: &[u8]| content.windows(name.len().max(1)).any(|bytes| bytes == name.as_bytes());
            all.iter().any(|(other, content)| other != of && !content.starts_with(b"\x89HDF") && names(content))
        };
        let mut found = all.iter().map(|(name, _)| name.as_str()).filter(|name| !is_named(name));
        let listed = || self.0.iter().map(|(name, _)| name.as_str()).take(8).collect::<Vec<_>>().join(", ");
        match (found.next(), found.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => {
                let known = import::FORMATS.map(|format| format!("{} ({})", format.name(), format.mark())).join(", ");
                let expected = format!("none of them is of a format that can be opened: {known}");
                Err(Error::invalid("the files", listed(), expected, "add the file that names the others"))
            }
            (Some(one), Some(other)) => {
                let expected = format!("several of them can be opened, such as {one} and {other}");
                Err(Error::invalid("the files", listed(), expected, "name the one, or leave the others out"))
            }
        }
    }
}

fn opened(open: Open) -> Result<Found, Error> {
    let given = Given::new(&open.files);
    let name = match open.file {
        Some(name) => name,
        None => given.main()?.to_owned(),
    };
    let Some(bytes) = given.find(&name).map(<[u8]>::to_vec) else {
        let known = given.0.iter().map(|(name, _)| name.as_str());
        return Err(Error::unknown_name("file", "file", &name, known));
    };
    let format = import::format_of(&name, &bytes).map_or("", |format| format.name());
    let missing = RefCell::new(None);
    let mut find = |path: &str| {
        given.find(path).map(<[u8]>::to_vec).ok_or_else(|| {
            missing.borrow_mut().get_or_insert_with(|| path.to_owned());
            "it is not among the files that were opened together".to_owned()
        })
    };
    if is_own(&bytes) {
        let read = own(&bytes, &mut find);
        return found(
            read.map(|network| Imported { network, ..Imported::default() }),
            "a network of Spikelet",
            name,
            (missing.into_inner(), open.loads),
        );
    }
    let stem = name.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default();
    let default = Import::default();
    let graph = Import { name: stem.to_owned(), dt_ms: open.dt_ms.unwrap_or(default.dt_ms), ..default };
    let read =
        import::open(File { name: &name, bytes, graph, open: &mut find, check: &|network| judge(network, None, &[]).network });
    found(read, format, name, (missing.into_inner(), open.loads))
}

/// What is answered: a network, or the first file that was missing while it was read, if it can be loaded.
fn found(
    read: Result<Imported, Error>,
    format: &'static str,
    name: String,
    (missing, loads): (Option<String>, bool),
) -> Result<Found, Error> {
    match (read, missing) {
        (_, Some(path)) if loads => Ok(Found { missing: Some(path), ..Found::default() }),
        (Err(error), _) => Err(error.within(&name, "")),
        (Ok(Imported { network, notices, .. }), _) => {
            let notice = |of: &spikelet::Notice| Notice { path: of.path.clone(), message: of.to_string() };
            let network =
                OpenedFile { json: network.to_json(), format, notices: notices.iter().map(notice).collect(), file: name };
            Ok(Found { network: Some(network), missing: None })
        }
    }
}

/// Whether a file is a network of Spikelet, which needs no import but for the files that it names.
fn is_own(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| text.trim_start().starts_with('{') && text.contains("\"populations\""))
        && import::format_of("", bytes).is_none()
}

/// The network with the edges of its files in it.
fn own(bytes: &[u8], find: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>) -> Result<Network, Error> {
    let mut network = Network::from_json(&String::from_utf8_lossy(bytes))?;
    network.resolve(&mut |name| Ok(Box::new(Cursor::new(find(name)?))))?;
    for (index, projection) in network.projections.iter().enumerate() {
        if projection.learned.is_some() {
            let path = format!("projections[{index}].learned");
            return Err(Error::invalid(path, "a file", "learned weights are not part of a network", "load them once it is open"));
        }
    }
    Ok(network.with_contents())
}

fn exported(of: &Export) -> Result<Reply, SessionError> {
    let mut network = match (&of.json, &of.name) {
        (Some(json), _) => Network::from_json(json)?,
        (None, Some(name)) => catalogue::network(name, of.scale)?,
        (None, None) => Network::default(),
    };
    let given = Given::new(&of.files);
    network.resolve(&mut |name| {
        let content = given.find(name).ok_or_else(|| "it is not among the files that were given".to_owned())?;
        Ok(Box::new(Cursor::new(content)))
    })?;
    let Exported { files, notices } = written(of, &network)?;
    let files = if of.zip { vec![zipped(&format!("{}.zip", of.format), &files)?] } else { files };
    Ok(Reply::Exported(Exported { files, notices }))
}

/// One archive of files, which are not compressed: most are archives themselves.
fn zipped(name: &str, files: &[WrittenFile]) -> Result<WrittenFile, Error> {
    let lost = |error: &dyn std::fmt::Display| {
        Error::invalid("the archive", name, format!("it cannot be written: {error}"), "write the files without an archive")
    };
    let mut archive = ZipArchiveWriter::new(Vec::new());
    for WrittenFile { name, content } in files {
        let (mut entry, data) = archive.new_file(EntryPath::conformant(name)).start().map_err(|error| lost(&error))?;
        let mut data = data.wrap(&mut entry);
        data.write_all(content).map_err(|error| lost(&error))?;
        let (_, descriptor) = data.finish().map_err(|error| lost(&error))?;
        entry.finish(descriptor).map_err(|error| lost(&error))?;
    }
    Ok(WrittenFile { name: name.to_owned(), content: archive.finish().map_err(|error| lost(&error))? })
}

fn written(of: &Export, network: &Network) -> Result<Exported, SessionError> {
    let tool = Tool::ALL.into_iter().find(|tool| tool.word() == of.format);
    let tool = tool.ok_or_else(|| Error::unknown_name("format", "format", &of.format, Tool::ALL.map(Tool::word)))?;
    let export = tool.export(network)?;
    let files = export.files.into_iter().map(|file| WrittenFile { name: file.name, content: file.content }).collect();
    Ok(Exported { files, notices: export.notices })
}
