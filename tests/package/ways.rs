//! The ways to a page with spikes that the readme describes: what is built, and what then serves it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::host::{Headers, Host};
use crate::install;
use crate::program::Program;
use crate::readme::{Steps, shell};

/// A project of its own folder.
pub(crate) struct Project {
    pub(crate) folder: &'static str,
    /// Sections of the readme. The last one has the commands.
    sections: &'static [&'static str],
    pub(crate) ways: &'static [Way],
}

/// A row of the table.
pub(crate) struct Way {
    pub(crate) name: &'static str,
    /// The package whose version the row has.
    package: &'static str,
    /// A command beside those of the readme.
    build: &'static str,
    pub(crate) served: Served,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Served {
    /// A folder of the project, by a host with headers or without.
    Folder(&'static str),
    /// The same, while the package is on another host.
    Elsewhere,
    /// By a host without headers, with `isolate.js` in the page.
    ByWorker,
    /// By the program of the bundler, while one develops; words for Node, and the file of its settings.
    Program(&'static [&'static str], &'static str),
}

const fn built(name: &'static str, package: &'static str, folder: &'static str) -> Way {
    Way { name, package, build: "", served: Served::Folder(folder) }
}

const VITE: Served = Served::Program(&["node_modules/vite/bin/vite.js", "--host", "127.0.0.1", "--strictPort"], "vite.config.js");
const NEXT: &str = "node_modules/next/dist/bin/next";
const TURBOPACK: Served = Served::Program(&[NEXT, "dev", "--turbopack", "--hostname", "127.0.0.1"], "next.config.mjs");
const NEXT_WEBPACK: Served = Served::Program(&[NEXT, "dev", "--webpack", "--hostname", "127.0.0.1"], "next.config.mjs");

pub(crate) const PROJECTS: [Project; 8] = [
    Project {
        folder: "plain",
        sections: &["First spikes", "Plain HTML", "Install"],
        ways: &[
            built("No bundler", "", "."),
            Way { name: "No bundler, package on another origin", package: "", build: "", served: Served::Elsewhere },
            Way { name: "No bundler, isolated by `isolate.js`", package: "", build: "", served: Served::ByWorker },
        ],
    },
    Project {
        folder: "vite",
        sections: &["First spikes", "Vite"],
        ways: &[built("Vite, built", "vite", "dist"), Way { name: "Vite, dev server", package: "vite", build: "", served: VITE }],
    },
    Project { folder: "vite7", sections: &["First spikes", "Vite", "Vite 7"], ways: &[built("Vite, built", "vite", "dist")] },
    Project { folder: "react", sections: &["First spikes", "React"], ways: &[built("React, built by Vite", "react", "dist")] },
    Project { folder: "webpack", sections: &["First spikes", "webpack"], ways: &[built("webpack", "webpack", ".")] },
    Project {
        folder: "next",
        sections: &["React", "Next"],
        ways: &[
            built("Next, Turbopack, exported", "next", "out"),
            Way {
                name: "Next, webpack, exported",
                package: "next",
                build: "mv out turbopack && npx next build --webpack && mv out webpack && mv turbopack out",
                served: Served::Folder("webpack"),
            },
            Way { name: "Next, Turbopack, dev server", package: "next", build: "", served: TURBOPACK },
            Way { name: "Next, webpack, dev server", package: "next", build: "", served: NEXT_WEBPACK },
        ],
    },
    Project { folder: "esbuild", sections: &["First spikes", "esbuild"], ways: &[built("esbuild", "esbuild", ".")] },
    Project { folder: "rollup", sections: &["First spikes", "esbuild", "Rollup"], ways: &[built("Rollup", "rollup", ".")] },
];

impl Project {
    pub(crate) fn steps(&self) -> Steps {
        Steps::of(self.sections)
    }
}

impl Way {
    /// Its row in the table: the name, with the version of the package up to the first number above 0, since others are compatible with it.
    pub(crate) fn row(&self, folder: &Path) -> String {
        if self.package.is_empty() {
            return self.name.to_owned();
        }
        let manifest = std::fs::read_to_string(folder.join("node_modules").join(self.package).join("package.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
        let numbers: Vec<&str> = manifest["version"].as_str().unwrap().split('.').collect();
        let counts = numbers.iter().position(|number| *number != "0").unwrap_or(0);
        let (name, rest) =
            self.name.split_once(',').map_or((self.name, String::new()), |(name, rest)| (name, format!(",{rest}")));
        format!("{name} {}{rest}", numbers[..=counts].join("."))
    }

    pub(crate) fn build(&self, folder: &Path) {
        if !self.build.is_empty() {
            shell(folder, self.build);
        }
    }

    /// Where its page is, and the program that serves it; nothing where there is no such page.
    pub(crate) fn serve(&self, folder: &Path, steps: &Steps, headers: Headers) -> Option<(String, Option<Program>)> {
        let host = |folder: PathBuf, replaced, headers| Some((Host::start(folder, replaced, headers).unwrap().url, None));
        let page = || steps.file("index.html");
        match self.served {
            Served::Folder(served) => host(folder.join(served), Vec::new(), headers),
            Served::Elsewhere => {
                let other = Host::start(folder.to_path_buf(), Vec::new(), Headers::Open).unwrap().url;
                let page = page().replace("./node_modules/", &format!("{other}node_modules/"));
                host(folder.to_path_buf(), vec![("index.html", page)], headers)
            }
            Served::ByWorker if headers == Headers::Plain => None,
            Served::ByWorker => {
                std::fs::copy(folder.join("node_modules/spikelet/isolate.js"), folder.join("isolate.js")).unwrap();
                let page = page()
                    .replace("<script type=\"importmap\"", "<script src=\"isolate.js\"></script>\n<script type=\"importmap\"");
                assert_ne!(page, steps.file("index.html"));
                host(folder.to_path_buf(), vec![("index.html", page)], Headers::Plain)
            }
            Served::Program(words, settings) => {
                let plain =
                    steps.files.iter().find(|(name, _)| name == settings).map_or("export default {};\n", |(_, code)| code);
                let isolating = Steps::of(&["Threads and isolation"]);
                let settings_text = if headers == Headers::Isolating { isolating.file(settings) } else { plain };
                std::fs::write(folder.join(settings), settings_text).unwrap();
                let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
                // Without npm and a shell between: ending it ends the server.
                let mut program = Command::new("node");
                program.args(words).args(["--port", &port.to_string()]).env("NEXT_TELEMETRY_DISABLED", "1").current_dir(folder);
                let server = install::serve(program, port);
                build_page(port);
                Some((format!("http://127.0.0.1:{port}/"), Some(server)))
            }
        }
    }
}

/// Has a server build its page, for which a browser would not wait.
fn build_page(port: u16) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let request = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let _ = stream.read_to_end(&mut Vec::new());
}

/// The folder of the example that writes a single file, built.
pub(crate) fn single_file() -> Option<PathBuf> {
    let folder = install::example("single-file")?;
    install::succeeds(install::program("npm").args(["run", "build"]).current_dir(&folder));
    Some(folder.join("dist"))
}
