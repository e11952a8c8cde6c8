//! The browsers that tests drive, each by its own program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use crate::browser::Test;
use crate::program::Program;

/// A browser engine. `SPIKELET_BROWSER` is its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// With a software WebGPU, as webdriver.json says.
    Chromium,
    Firefox,
    /// WebKitGTK, whose engine is Safari's; it needs a display.
    WebKit,
}

impl Engine {
    /// The one that tests are run in.
    pub(crate) fn chosen() -> Engine {
        match std::env::var("SPIKELET_BROWSER").as_deref() {
            Err(_) | Ok("chromium") => Engine::Chromium,
            Ok("firefox") => Engine::Firefox,
            Ok("webkit") => Engine::WebKit,
            Ok(other) => panic!("SPIKELET_BROWSER is {other:?}, not chromium, firefox or webkit"),
        }
    }

    /// Its driver: that of an environment variable, or one on the path.
    pub(crate) fn driver(self) -> PathBuf {
        let (variable, name) = match self {
            Engine::Chromium => ("CHROMEDRIVER", "chromedriver"),
            Engine::Firefox => ("GECKODRIVER", "geckodriver"),
            Engine::WebKit => ("WEBKITDRIVER", "WebKitWebDriver"),
        };
        std::env::var_os(variable).unwrap_or_else(|| name.into()).into()
    }

    /// Its driver, listening at a port.
    fn program(self, port: u16) -> Command {
        let driver = self.driver();
        match self {
            Engine::Chromium => {
                let mut program = Command::new(driver);
                program.arg(format!("--port={port}"));
                program
            }
            Engine::Firefox => {
                let mut program = Command::new(driver);
                program.args(["--port", &port.to_string(), "--websocket-port", "0"]);
                program
            }
            Engine::WebKit => {
                // With a display that nobody sees.
                let mut program = Command::new("xvfb-run");
                program.args(["--auto-servernum", "--"]).arg(driver).arg(format!("--port={port}"));
                // Shared memory, which Safari has without being asked, and no sandbox, which a container cannot have.
                program.env("JSC_useSharedArrayBuffer", "1").env("WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS", "1");
                program.env("WEBKIT_DISABLE_COMPOSITING_MODE", "1");
                program
            }
        }
    }

    fn capabilities(self) -> Test<Capabilities> {
        let wanted = match self {
            Engine::Chromium => {
                let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no root")?;
                let mut wanted: Value = serde_json::from_str(&std::fs::read_to_string(root.join("webdriver.json"))?)?;
                wanted["browserName"] = json!("chrome");
                wanted["goog:loggingPrefs"] = json!({"browser": "ALL"});
                wanted
            }
            Engine::Firefox => {
                let binary = std::env::var("FIREFOX").unwrap_or_else(|_| "/usr/bin/firefox-esr".into());
                // Where it has WebGPU by such preferences, it is on a software adapter.
                let prefs = json!({"dom.webgpu.enabled": true, "dom.webgpu.workers.enabled": true, "gfx.webgpu.ignore-blocklist": true,
                    "gfx.webrender.all": true});
                json!({"browserName": "firefox",
                    "moz:firefoxOptions": {"binary": binary, "args": ["-headless"], "prefs": prefs}})
            }
            Engine::WebKit => {
                json!({"webkitgtk:browserOptions": {"binary": mini_browser().ok_or("there is no MiniBrowser of WebKitGTK")?,
                    "args": ["--automation"]}})
            }
        };
        let mut capabilities = Capabilities::new();
        for (name, value) in wanted.as_object().into_iter().flatten() {
            capabilities.set(name.clone(), value)?;
        }
        Ok(capabilities)
    }

    /// Starts the browser. Both programs write tens of megabytes into `scratch`.
    ///
    /// # Errors
    /// It does not start in half a minute.
    pub(crate) async fn start(self) -> Test<(WebDriver, Program, PathBuf)> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let scratch = std::env::temp_dir().join(format!("spikelet-browser-{port}"));
        std::fs::create_dir_all(&scratch)?;
        let program = Program::start(self.program(port).env("TMPDIR", &scratch))?;
        let capabilities = self.capabilities()?;
        let url = format!("http://127.0.0.1:{port}");
        let started = Instant::now();
        loop {
            match WebDriver::new(&url, capabilities.clone()).await {
                Ok(driver) => return Ok((driver, program, scratch)),
                Err(error) if started.elapsed() > Duration::from_secs(30) => return Err(error.into()),
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }
}

/// The browser of WebKitGTK's package, which lies in a folder of the machine's kind.
fn mini_browser() -> Option<PathBuf> {
    let kinds = std::fs::read_dir("/usr/lib").ok()?.flatten().map(|entry| entry.path());
    kinds.map(|kind| kind.join("webkit2gtk-4.1/MiniBrowser")).find(|file| file.is_file())
}
