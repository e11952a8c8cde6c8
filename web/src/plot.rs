//! The plots of the npm package: all plots of its table for which the network has data. The page adds tools to some of them.

use js_sys::{Array, JsString, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use web_sys::HtmlElement;

use crate::package::{Error, Simulation};

/// The maximum time span in ms.
pub(crate) const LONGEST_WINDOW_MS: f64 = 5000.0;

/// Settings of plots that differ from the defaults of the table.
const SETTINGS: [(&str, &str); 1] = [("trace", "lanes=4")];

#[wasm_bindgen(raw_module = "./engine/js/plots.js")]
extern "C" {
    #[wasm_bindgen(js_name = plotsOf)]
    fn plots_of(info: &JsValue) -> Array;
    type Choice;
    #[wasm_bindgen(catch)]
    fn choose(words: &str, info: &JsValue) -> Result<Choice, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn plots(this: &Choice) -> JsValue;

    #[wasm_bindgen(js_name = Board)]
    type Drawn;
    #[wasm_bindgen(constructor, js_class = "Board")]
    fn new(simulation: &JsValue, plots: &JsValue, options: &Options) -> Drawn;
    #[wasm_bindgen(method, getter)]
    fn element(this: &Drawn) -> HtmlElement;
    #[wasm_bindgen(method, js_name = setWindow)]
    fn set_window(this: &Drawn, window_ms: f64);
    #[wasm_bindgen(method)]
    fn mark(this: &Drawn, text: &str);
    #[wasm_bindgen(method)]
    fn dispose(this: &Drawn);
}

#[wasm_bindgen]
extern "C" {
    type Options;
    #[wasm_bindgen(method, setter = windowMs)]
    fn set_window_ms(this: &Options, window_ms: f64);
    #[wasm_bindgen(method, setter = longestMs)]
    fn set_longest_ms(this: &Options, longest_ms: f64);
    #[wasm_bindgen(method, setter)]
    fn set_extras(this: &Options, extras: &Object);
}

/// Additions of the page to a plot, which are moved to the plots of the next network.
#[derive(Debug, Clone)]
pub(crate) struct CaptionExtra {
    /// The plot's name.
    pub(crate) plot: String,
    /// `tools` in its caption, or `over` for its canvas.
    pub(crate) place: String,
    /// The added element.
    pub(crate) element: HtmlElement,
}

/// The plots of a simulation. They end when they are dropped.
pub(crate) struct Board(Drawn);

impl Board {
    /// All plots for which a simulation has data, from now on.
    ///
    /// # Errors
    /// The package does not have the plot.
    pub(crate) fn new(simulation: &Simulation, window_ms: f64, extras: &[CaptionExtra]) -> Result<Board, Error> {
        let simulation = simulation.handle();
        let info = Reflect::get(simulation, &"info".into())?;
        let word = |name: JsValue| {
            let name = String::from(JsString::from(name));
            match SETTINGS.iter().find(|(plot, _)| *plot == name) {
                Some((_, settings)) => format!("{name}({settings})"),
                None => name,
            }
        };
        let words: Vec<String> = plots_of(&info).iter().map(word).collect();
        let options: Options = Object::new().unchecked_into();
        options.set_window_ms(window_ms);
        options.set_longest_ms(LONGEST_WINDOW_MS);
        options.set_extras(&by_plot(extras)?);
        let choice = choose(&words.join(" "), &info)?;
        Ok(Board(Drawn::new(simulation, &choice.plots(), &options)))
    }

    /// The element of the plots.
    pub(crate) fn element(&self) -> HtmlElement {
        self.0.element()
    }

    /// Changes the time span.
    pub(crate) fn set_window(&self, window_ms: f64) {
        self.0.set_window(window_ms);
    }

    /// Marks a change at this time: `weights = learned.npz`.
    pub(crate) fn mark(&self, text: &str) {
        self.0.mark(text);
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.0.dispose();
    }
}

/// `{raster: {tools: …, over: …}, …}`
fn by_plot(extras: &[CaptionExtra]) -> Result<Object, JsValue> {
    let all = Object::new();
    for CaptionExtra { plot, place, element } in extras {
        let of_plot = Reflect::get(&all, &plot.into())?.dyn_into().unwrap_or_else(|_| Object::new());
        Reflect::set(&of_plot, &place.into(), element)?;
        Reflect::set(&all, &plot.into(), &of_plot)?;
    }
    Ok(all)
}
