//! The plots of the npm package: all plots of its table for which the network has data. The page adds tools to some of them.

use js_sys::{Array, Function, JsString, Object, Promise, Reflect};
use spikelet_js::protocol::from_js;
use wasm_bindgen::{JsCast, JsValue, closure::Closure, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::HtmlElement;

use crate::{
    package::{Error, Simulation},
    timeline::KeptData,
};

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
    #[wasm_bindgen(method, catch, js_name = setView)]
    fn set_view(this: &Drawn, view: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(method)]
    fn on(this: &Drawn, event: &str, listener: &Function);
    #[wasm_bindgen(method, getter)]
    fn kept(this: &Drawn) -> JsValue;
    #[wasm_bindgen(method, catch, js_name = setLayout)]
    fn set_layout(this: &Drawn, layout: &JsValue) -> Result<Promise, JsValue>;
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
    #[wasm_bindgen(method, setter)]
    fn set_editable(this: &Options, editable: bool);
    #[wasm_bindgen(method, setter)]
    fn set_store(this: &Options, name: &str);
    #[wasm_bindgen(method, setter)]
    fn set_live(this: &Options, live: bool);
    #[wasm_bindgen(method, setter = copyLink)]
    fn set_copy_link(this: &Options, act: &JsValue);

    type TimeSpan;
    #[wasm_bindgen(method, getter = fromMs)]
    fn from_ms(this: &TimeSpan) -> f64;
    #[wasm_bindgen(method, setter = fromMs)]
    fn set_from_ms(this: &TimeSpan, ms: f64);
    #[wasm_bindgen(method, getter = toMs)]
    fn to_ms(this: &TimeSpan) -> f64;
    #[wasm_bindgen(method, setter = toMs)]
    fn set_to_ms(this: &TimeSpan, ms: f64);
}

/// A listener of the event `view`.
type OnView = Closure<dyn FnMut(Option<TimeSpan>)>;

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
pub(crate) struct Board {
    drawn: Drawn,
    /// Kept as long as the plots.
    on_view: Option<OnView>,
    /// Kept as long as the plots.
    _copy_link: Closure<dyn FnMut()>,
}

impl Board {
    /// All plots for which a simulation has data, from now on.
    ///
    /// # Errors
    /// The package does not have the plot.
    pub(crate) fn new(
        simulation: &Simulation,
        window_ms: f64,
        extras: &[CaptionExtra],
        copy_link: impl FnMut() + 'static,
    ) -> Result<Board, Error> {
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
        options.set_editable(true);
        // The strip has the button.
        options.set_live(false);
        let network = Reflect::get(&Reflect::get(&info, &"network".into())?, &"name".into())?.as_string().unwrap_or_default();
        options.set_store(&format!("spikelet:plots:{network}"));
        let copy_link = Closure::<dyn FnMut()>::new(copy_link);
        options.set_copy_link(copy_link.as_ref());
        let choice = choose(&words.join(" "), &info)?;
        Ok(Board { drawn: Drawn::new(simulation, &choice.plots(), &options), on_view: None, _copy_link: copy_link })
    }

    /// The element of the plots.
    pub(crate) fn element(&self) -> HtmlElement {
        self.drawn.element()
    }

    /// Changes the time span.
    pub(crate) fn set_window(&self, window_ms: f64) {
        self.drawn.set_window(window_ms);
    }

    /// Shows a time span of the past in ms, or the latest data.
    ///
    /// # Errors
    /// It is not a time span.
    pub(crate) fn set_view(&self, span_ms: Option<(f64, f64)>) -> Result<(), Error> {
        let view = match span_ms {
            None => JsValue::NULL,
            Some((from_ms, to_ms)) => {
                let view: TimeSpan = Object::new().unchecked_into();
                view.set_from_ms(from_ms);
                view.set_to_ms(to_ms);
                view.into()
            }
        };
        Ok(self.drawn.set_view(&view)?)
    }

    /// Calls a function with each new view in ms; `None` for the latest data. There is one such function.
    pub(crate) fn on_view(&mut self, mut act: impl FnMut(Option<(f64, f64)>) + 'static) {
        let listener: OnView = Closure::new(move |view: Option<TimeSpan>| act(view.map(|view| (view.from_ms(), view.to_ms()))));
        self.drawn.on("view", listener.as_ref().unchecked_ref());
        self.on_view = Some(listener);
    }

    /// Shows the plots of a layout, which is JSON. `None` if it is not.
    pub(crate) fn set_layout(&self, layout: &str) -> Option<impl Future<Output = Result<(), Error>> + use<>> {
        let layout = js_sys::JSON::parse(layout).ok()?;
        let shown = self.drawn.set_layout(&layout);
        Some(async move {
            JsFuture::from(shown?).await?;
            Ok(())
        })
    }

    /// The object of the package.
    pub(crate) fn handle(&self) -> &JsValue {
        &self.drawn
    }

    /// What is kept of the run.
    pub(crate) fn kept(&self) -> KeptData {
        from_js(self.drawn.kept()).unwrap_or_default()
    }

    /// Marks a change at this time: `weights = learned.npz`.
    pub(crate) fn mark(&self, text: &str) {
        self.drawn.mark(text);
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.drawn.dispose();
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
