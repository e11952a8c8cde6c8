//! Reasons for a missing GPU, with suggestions. All of these sentences are defined here.

use std::fmt;

use crate::AdapterReport;
use crate::environment::GpuEnvironment;

/// Why a GPU could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoGpuReason {
    /// No adapter was found.
    NoAdapter {
        /// The message of the system, if any.
        why: String,
        /// The environment.
        place: GpuEnvironment,
    },
    /// There is only a software adapter.
    OnlySoftware {
        /// Its name.
        name: String,
        /// The environment.
        place: GpuEnvironment,
    },
    /// There is one, but it cannot be opened.
    Refused {
        /// Its name.
        name: String,
        /// Its message.
        why: String,
        /// The environment.
        place: GpuEnvironment,
    },
}

impl NoGpuReason {
    /// Why there is no real GPU among these adapters; `None` if there is one.
    pub fn among(adapters: &[AdapterReport]) -> Option<NoGpuReason> {
        let place = GpuEnvironment::here();
        match adapters {
            [] => Some(NoGpuReason::NoAdapter { why: String::new(), place }),
            [first, ..] if adapters.iter().all(|adapter| adapter.software) => {
                Some(NoGpuReason::OnlySoftware { name: first.name.clone(), place })
            }
            _ => None,
        }
    }
}

impl fmt::Display for NoGpuReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let emitted = |why: &str| if why.is_empty() { String::new() } else { format!(" ({why})") };
        match self {
            NoGpuReason::NoAdapter { place: GpuEnvironment::Browser { secure: false, webgpu: false, .. }, .. } => f.write_str(
                "browsers provide WebGPU to secure pages only; open this page over https, or as http://localhost on the machine \
                 that serves it",
            ),
            NoGpuReason::NoAdapter { place: GpuEnvironment::Browser { user_agent, worker, webgpu: false, .. }, .. } => {
                let browser = Browser::of(user_agent);
                let to = if *worker { " in Workers, where networks run" } else { "" };
                write!(f, "{browser} does not provide WebGPU{to}; {}", browser.way_to_webgpu(user_agent))
            }
            NoGpuReason::NoAdapter { place: GpuEnvironment::Browser { user_agent, .. }, .. } => {
                let browser = Browser::of(user_agent);
                write!(
                    f,
                    "{browser} has WebGPU, but no GPU for it: there is none, or it is blocked; {}",
                    browser.way_to_adapter()
                )
            }
            NoGpuReason::NoAdapter { place: GpuEnvironment::Script, .. } => {
                f.write_str("there is no WebGPU outside of browsers; use the CPU, or the program `spikelet`, which supports GPUs")
            }
            NoGpuReason::NoAdapter { why, place: GpuEnvironment::Native { system } } => {
                write!(f, "there is no GPU adapter{}; {}", emitted(why), driver(system))
            }
            NoGpuReason::OnlySoftware { name, place } => {
                write!(f, "the only GPU adapter is {name}, a software adapter, which is slower than the CPU; ")?;
                match place {
                    GpuEnvironment::Native { system } => f.write_str(driver(system)),
                    GpuEnvironment::Script => f.write_str("use the CPU"),
                    GpuEnvironment::Browser { user_agent, .. } => f.write_str(Browser::of(user_agent).way_to_adapter()),
                }
            }
            NoGpuReason::Refused { name, why, place } => {
                write!(f, "{name} cannot be opened{}; ", emitted(why))?;
                f.write_str(match place {
                    GpuEnvironment::Native { .. } => {
                        "update its driver, close other programs that use it, choose another adapter \
                                             (--adapter), or use the CPU"
                    }
                    GpuEnvironment::Script => "use the CPU",
                    GpuEnvironment::Browser { .. } => {
                        "reload the page, close other programs that use the GPU, update its driver, or use \
                                              the CPU"
                    }
                })
            }
        }
    }
}

/// How to get an adapter on a system.
fn driver(system: &str) -> &'static str {
    match system {
        "linux" => {
            "for a real GPU install its Vulkan driver (mesa-vulkan-drivers, or NVIDIA's driver) and check that vulkaninfo lists \
             it"
        }
        "windows" => "for a real GPU install the driver of its manufacturer, for DX12 or Vulkan",
        "macos" => "for a real GPU run on a Mac with Metal, outside of a virtual machine",
        _ => "for a real GPU install a driver for Vulkan, Metal or DX12",
    }
}

/// Browsers with different ways to enable WebGPU.
enum Browser {
    /// Chrome, Edge and other Chromium browsers: the version.
    Chromium(u32),
    /// The version.
    Firefox(u32),
    /// The version.
    Safari(u32),
    Unknown,
}

impl fmt::Display for Browser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Browser::Chromium(version) => write!(f, "this browser (Chromium {version})"),
            Browser::Firefox(version) => write!(f, "Firefox {version}"),
            Browser::Safari(version) => write!(f, "Safari {version}"),
            Browser::Unknown => f.write_str("this browser"),
        }
    }
}

/// First versions with WebGPU, as docs/guarantees.md lists them.
const CHROMIUM: u32 = 113;
const CHROMIUM_LINUX: u32 = 144;
const FIREFOX: u32 = 141;
const SAFARI: u32 = 26;

impl Browser {
    fn of(user_agent: &str) -> Browser {
        let version = |name: &str| {
            let (_, rest) = user_agent.split_once(name)?;
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
        };
        // Chromium also names Safari, and Safari has its version elsewhere.
        if let Some(version) = version("Chrome/").or_else(|| version("Chromium/")) {
            Browser::Chromium(version)
        } else if let Some(version) = version("Firefox/") {
            Browser::Firefox(version)
        } else if let (true, Some(version)) =
            (user_agent.contains("Mac OS X") && user_agent.contains("Safari/"), version("Version/"))
        {
            // Not WebKit on other systems, which has the same user agent with another version.
            Browser::Safari(version)
        } else {
            Browser::Unknown
        }
    }

    /// How to get `navigator.gpu`.
    fn way_to_webgpu(&self, user_agent: &str) -> String {
        let linux = user_agent.contains("Linux") && !user_agent.contains("Android");
        match self {
            Browser::Chromium(version) if linux && *version < CHROMIUM_LINUX => format!(
                "update it to {CHROMIUM_LINUX} or newer, or enable chrome://flags/#enable-unsafe-webgpu and chrome://flags/#enable-vulkan"
            ),
            Browser::Chromium(version) if *version < CHROMIUM => format!("update it to {CHROMIUM} or newer"),
            Browser::Chromium(_) => {
                "enable chrome://flags/#enable-unsafe-webgpu, and check chrome://gpu for the reason".to_owned()
            }
            Browser::Firefox(version) if *version < FIREFOX => {
                format!("update it to {FIREFOX} or newer (Windows, macOS), or use Firefox Nightly")
            }
            Browser::Firefox(_) => "set dom.webgpu.enabled to true in about:config, or use Chrome or Edge".to_owned(),
            Browser::Safari(version) if *version < SAFARI => {
                format!("update to Safari {SAFARI} or newer, or enable WebGPU under Settings, Advanced, Feature Flags")
            }
            Browser::Safari(_) => "enable WebGPU under Settings, Advanced, Feature Flags".to_owned(),
            Browser::Unknown => {
                format!("open the page in Chrome or Edge {CHROMIUM}, Safari {SAFARI}, Firefox {FIREFOX}, or newer")
            }
        }
    }

    /// How to get an adapter from `navigator.gpu`.
    fn way_to_adapter(&self) -> &'static str {
        match self {
            Browser::Chromium(_) => {
                "enable graphics acceleration in the settings under System, update the GPU driver, and check chrome://gpu for \
                 the reason (chrome://flags/#enable-unsafe-webgpu disables the block)"
            }
            Browser::Firefox(_) => {
                "enable hardware acceleration in the settings under Performance, update the GPU driver, and check about:support \
                 for the reason"
            }
            Browser::Safari(_) | Browser::Unknown => {
                "enable hardware acceleration in the browser's settings, and update the system"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHROME_LINUX: &str =
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36";
    const CHROME_WINDOWS: &str =
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
    const FIREFOX_LINUX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0";
    const SAFARI_18: &str =
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15";

    const WEBKIT_GTK: &str =
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/60.5 Safari/605.1.15";

    fn browser(user_agent: &str, secure: bool, worker: bool, webgpu: bool) -> GpuEnvironment {
        GpuEnvironment::Browser { user_agent: user_agent.into(), secure, worker, webgpu }
    }

    #[test]
    fn each_cause_has_a_sentence_and_a_way_out() {
        let none = |place| NoGpuReason::NoAdapter { why: String::new(), place }.to_string();
        let cases = [
            (none(browser(CHROME_WINDOWS, false, true, false)), "https"),
            (none(browser(CHROME_LINUX, true, false, false)), "update it to 144"),
            (none(browser(&CHROME_LINUX.replace("143", "144"), true, false, false)), "check chrome://gpu"),
            (none(browser(&CHROME_WINDOWS.replace("156", "112"), true, true, false)), "update it to 113"),
            (none(browser(CHROME_WINDOWS, true, true, false)), "in Workers"),
            (none(browser(CHROME_WINDOWS, true, true, true)), "graphics acceleration"),
            (none(browser(FIREFOX_LINUX, true, true, false)), "dom.webgpu.enabled"),
            (none(browser(FIREFOX_LINUX, true, true, true)), "about:support"),
            (none(browser(&FIREFOX_LINUX.replace("150", "140"), true, true, false)), "update it to 141"),
            (none(browser(SAFARI_18, true, true, false)), "update to Safari 26"),
            (none(browser(WEBKIT_GTK, true, true, false)), "open the page in Chrome"),
            (none(browser("Lynx/2.9", true, false, false)), "open the page in Chrome"),
            (none(GpuEnvironment::Script), "outside of browsers"),
            (none(GpuEnvironment::Native { system: "linux".into() }), "Vulkan driver"),
            (none(GpuEnvironment::Native { system: "windows".into() }), "DX12"),
            (none(GpuEnvironment::Native { system: "haiku".into() }), "Vulkan, Metal or DX12"),
        ];
        for (sentence, part) in &cases {
            assert!(sentence.contains(part) && sentence.contains("; "), "{sentence}\nlacks {part}");
        }
    }

    #[test]
    fn names_and_words_of_the_system_are_told() {
        let place = || GpuEnvironment::Native { system: "linux".into() };
        let only = NoGpuReason::OnlySoftware { name: "llvmpipe".into(), place: place() }.to_string();
        assert!(
            only.starts_with("the only GPU adapter is llvmpipe, a software adapter") && only.contains("mesa-vulkan-drivers"),
            "{only}"
        );
        let refused = NoGpuReason::Refused { name: "H200".into(), why: "device lost".into(), place: place() }.to_string();
        assert!(refused.starts_with("H200 cannot be opened (device lost); ") && refused.contains("--adapter"), "{refused}");
        let none = NoGpuReason::NoAdapter { why: "no Vulkan".into(), place: place() }.to_string();
        assert!(none.starts_with("there is no GPU adapter (no Vulkan); "), "{none}");
    }
}
