//! The environment of a GPU.

/// The environment, as far as it explains a missing GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GpuEnvironment {
    /// A native program.
    Native {
        /// `linux`, `macos`, `windows` …
        system: String,
    },
    /// JavaScript outside of a browser, such as Node.
    Script,
    /// A browser page.
    Browser {
        /// The user agent of the browser.
        user_agent: String,
        /// Whether the page was loaded over https or from this machine.
        secure: bool,
        /// Whether this is a Worker.
        worker: bool,
        /// Whether there is a `navigator.gpu`.
        webgpu: bool,
    },
}

impl GpuEnvironment {
    /// The current environment.
    pub(crate) fn here() -> GpuEnvironment {
        #[cfg(not(target_family = "wasm"))]
        let place = GpuEnvironment::Native { system: std::env::consts::OS.into() };
        #[cfg(target_family = "wasm")]
        let place = {
            let global: wasm_bindgen::JsValue = js_sys::global().into();
            let get = |of: &wasm_bindgen::JsValue, key: &str| js_sys::Reflect::get(of, &key.into()).ok();
            let navigator = get(&global, "navigator").unwrap_or_default();
            let is_there =
                |of: &wasm_bindgen::JsValue, key| get(of, key).is_some_and(|value| !value.is_undefined() && !value.is_null());
            let in_browser = ["Window", "WorkerGlobalScope"].into_iter().any(|scope| is_there(&global, scope));
            if !in_browser {
                return GpuEnvironment::Script;
            }
            GpuEnvironment::Browser {
                user_agent: get(&navigator, "userAgent").and_then(|agent| agent.as_string()).unwrap_or_default(),
                secure: get(&global, "isSecureContext").and_then(|secure| secure.as_bool()).unwrap_or_default(),
                worker: is_there(&global, "WorkerGlobalScope"),
                webgpu: is_there(&navigator, "gpu"),
            }
        };
        place
    }
}
