//! A host that serves a folder, some of its files with another content, as the plainest of them do or as those that isolate their pages.

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use spikelet_host::Headers;
use spikelet_host::{Content, Request, kind, serve};

/// What is served, for as long as the process lives.
pub(crate) struct Host {
    pub(crate) url: String,
}

/// Files, by the end of their path, that are served with another content than they have, if they are there at all.
type Replaced = Vec<(&'static str, String)>;

impl Host {
    /// Serves a folder at a free port of the loopback.
    pub(crate) fn start(folder: PathBuf, replaced: Replaced, headers: Headers) -> std::io::Result<Host> {
        Host::start_that_ends(folder, replaced, headers).map(|(host, _)| host)
    }

    /// The same. Once the flag is set, all connections are closed without an answer.
    pub(crate) fn start_that_ends(
        folder: PathBuf,
        replaced: Replaced,
        headers: Headers,
    ) -> std::io::Result<(Host, Arc<AtomicBool>)> {
        let ended = Arc::new(AtomicBool::new(false));
        let end = ended.clone();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let url = format!("http://{}/", listener.local_addr()?);
        serve(listener, headers, move |request: &Request| {
            if ended.load(Ordering::SeqCst) {
                // The thread of the connection ends, without a message.
                std::panic::resume_unwind(Box::new(()));
            }
            let path = if request.path.is_empty() { "index.html" } else { &request.path };
            let own = replaced.iter().find(|(file, _)| path.ends_with(file));
            own.map(|(file, content)| Content::new(kind(file), content.as_bytes()))
                .or_else(|| Content::compressed_file(&folder, request))
        });
        Ok((Host { url }, end))
    }
}
