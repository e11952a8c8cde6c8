//! Wall time, used to limit the duration of submissions.

/// Milliseconds since an arbitrary time.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn now_ms() -> f64 {
    static BEGAN: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    BEGAN.elapsed().as_secs_f64() * 1000.0
}

/// Milliseconds since an arbitrary time: `performance.now()`, in pages and Workers.
#[cfg(target_family = "wasm")]
pub(crate) fn now_ms() -> f64 {
    use wasm_bindgen::JsCast;
    let of = |object: &wasm_bindgen::JsValue, key: &str| js_sys::Reflect::get(object, &key.into()).ok();
    let performance = of(&js_sys::global(), "performance");
    let now = performance.as_ref().and_then(|performance| of(performance, "now")?.dyn_into::<js_sys::Function>().ok());
    let emitted = now.zip(performance).and_then(|(now, performance)| now.call0(&performance).ok()?.as_f64());
    emitted.unwrap_or_else(js_sys::Date::now)
}
