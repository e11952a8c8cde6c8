//! The npm package, as used by any other page: the page imports the same files.
//!
//! [`Simulation`] is the Rust interface of its class `Spikelet`. Requests are sent at once, in the order of the calls; the futures only
//! wait.

use js_sys::{Float64Array, Function, JsString, Object, Promise, Reflect, Uint8Array, Uint32Array};
use serde::{Deserialize, de::DeserializeOwned};
use spikelet_js::protocol::{
    BackendChoice, Building, CatalogueEntry, Changed, Info, Judgement, Notice, Question, Source, State, from_js,
};
use spikelet_network::{Network, catalogue};
use wasm_bindgen::{JsCast, JsValue, closure::Closure, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, DataTransfer, File};

use crate::{backend, profile::Profile};

#[wasm_bindgen(raw_module = "./engine/js/index.js")]
extern "C" {
    type Spikelet;

    #[wasm_bindgen(static_method_of = Spikelet)]
    fn create(network: &str, options: &CreateOptions) -> Promise;
    #[wasm_bindgen(static_method_of = Spikelet, js_name = networks)]
    fn all_networks() -> Promise;

    #[wasm_bindgen(static_method_of = Spikelet, js_name = judge)]
    fn judge_alone(network: &str, options: &JudgeOptions) -> Promise;

    #[wasm_bindgen(method, getter)]
    fn info(this: &Spikelet) -> JsValue;
    #[wasm_bindgen(method)]
    fn on(this: &Spikelet, event: &str, listener: &Function);
    #[wasm_bindgen(method)]
    fn networks(this: &Spikelet) -> Promise;
    #[wasm_bindgen(method)]
    fn judge(this: &Spikelet, network: &str, options: &JudgeOptions) -> Promise;
    #[wasm_bindgen(method)]
    fn run(this: &Spikelet) -> Promise;
    #[wasm_bindgen(method, js_name = run)]
    fn run_for(this: &Spikelet, ms: f64) -> Promise;
    #[wasm_bindgen(method)]
    fn step(this: &Spikelet) -> Promise;
    #[wasm_bindgen(method, setter)]
    fn set_speed(this: &Spikelet, speed: f64);
    #[wasm_bindgen(method)]
    fn pause(this: &Spikelet) -> Promise;
    #[wasm_bindgen(method)]
    fn reset(this: &Spikelet) -> Promise;
    #[wasm_bindgen(method)]
    fn set(this: &Spikelet, path: &str, value: &str) -> Promise;
    #[wasm_bindgen(method)]
    fn weights(this: &Spikelet) -> Promise;
    #[wasm_bindgen(method, js_name = loadWeights)]
    fn load_weights(this: &Spikelet, content: &Uint8Array, options: &LoadOptions) -> Promise;
    #[wasm_bindgen(method)]
    fn edges(this: &Spikelet, projection: &str, options: &EdgeOptions) -> Promise;
    #[wasm_bindgen(method)]
    fn profile(this: &Spikelet) -> Promise;
    #[wasm_bindgen(method)]
    fn dispose(this: &Spikelet);
}

// Its scripts are small; the module behind them is loaded when a file of another tool is opened.
#[wasm_bindgen(raw_module = "./engine/js/interchange.js")]
extern "C" {
    #[wasm_bindgen(js_name = openFile)]
    fn open_foreign(files: &Object) -> Promise;
    #[wasm_bindgen(js_name = openFile)]
    fn open_address(address: &str) -> Promise;
    #[wasm_bindgen(js_name = exportNetwork)]
    fn export_foreign(network: &str, format: &str, options: &ExportOptions) -> Promise;
    #[wasm_bindgen(js_name = droppedFiles)]
    fn dropped(transfer: Option<&DataTransfer>) -> Promise;
}

#[wasm_bindgen]
extern "C" {
    type CreateOptions;
    #[wasm_bindgen(method, setter)]
    fn set_backend(this: &CreateOptions, word: &str);
    #[wasm_bindgen(method, setter)]
    fn set_scale(this: &CreateOptions, scale: f64);
    #[wasm_bindgen(method, setter)]
    fn set_seed(this: &CreateOptions, seed: u64);
    #[wasm_bindgen(method, setter)]
    fn set_signal(this: &CreateOptions, signal: &AbortSignal);
    #[wasm_bindgen(method, setter = workgroupSize)]
    fn set_workgroup_size(this: &CreateOptions, size: u32);
    #[wasm_bindgen(method, setter)]
    fn set_profile(this: &CreateOptions, measured: bool);
    #[wasm_bindgen(method, setter = onProgress)]
    fn set_on_progress(this: &CreateOptions, emitted: &Function);

    type JudgeOptions;
    #[wasm_bindgen(method, setter)]
    fn set_population(this: &JudgeOptions, place: u32);
    #[wasm_bindgen(method, setter)]
    fn set_typed(this: &JudgeOptions, names: Vec<String>);

    type EdgeOptions;
    #[wasm_bindgen(method, setter)]
    fn set_format(this: &EdgeOptions, format: &str);

    type ExportOptions;
    #[wasm_bindgen(method, setter)]
    fn set_zip(this: &ExportOptions, zipped: bool);

    type LoadOptions;
    #[wasm_bindgen(method, setter)]
    fn set_file(this: &LoadOptions, name: &str);

    /// The spikes of a batch of steps.
    pub(crate) type Spikes;
    /// The first step.
    #[wasm_bindgen(method, getter = firstStep)]
    pub(crate) fn first_step(this: &Spikes) -> u32;
    /// Number of steps.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn steps(this: &Spikes) -> u32;
    /// Number of the neuron of each spike.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn neurons(this: &Spikes) -> Uint32Array;
    /// Length of a step, in ms.
    #[wasm_bindgen(method, getter = dtMs)]
    pub(crate) fn dt_ms(this: &Spikes) -> f64;

    /// The step of each spike.
    #[wasm_bindgen(method, getter, js_name = spikeSteps)]
    pub(crate) fn spike_steps(this: &Spikes) -> Uint32Array;

    /// A statistic of synapses, taken at some steps.
    pub(crate) type StatisticValues;
    /// Its index among the statistics of the network.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn statistic(this: &StatisticValues) -> u32;
    /// The steps.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn steps(this: &StatisticValues) -> Uint32Array;
    /// Rows of mean, standard deviation, minimum and maximum.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn moments(this: &StatisticValues) -> Float64Array;

    /// The progress of a run.
    pub(crate) type Progress;
    /// Recent ratio of wall to biological time; `None` while the network is rebuilt.
    #[wasm_bindgen(method, getter = realTimeFactor)]
    pub(crate) fn real_time_factor(this: &Progress) -> Option<f64>;
}

/// An exception.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Error {
    /// The kind of error, such as `engine`; empty for other exceptions.
    pub(crate) code: String,
    /// What is wrong, the value, and how to fix it.
    pub(crate) message: String,
    /// The place.
    pub(crate) path: Option<String>,
}

impl Error {
    /// Whether the engine has ended, or did not start.
    pub(crate) fn is_of_engine(&self) -> bool {
        self.code == "engine"
    }

    /// Whether the result is not needed any more, because the simulation has ended.
    pub(crate) fn is_disposed(&self) -> bool {
        self.code == "disposed"
    }

    fn protocol(message: String) -> Error {
        Error { code: "protocol".into(), message, path: None }
    }
}

impl From<JsValue> for Error {
    fn from(thrown: JsValue) -> Error {
        let text = |key: &str| Reflect::get(&thrown, &key.into()).ok().and_then(|value| value.as_string());
        Error {
            code: text("code").unwrap_or_default(),
            message: text("message").unwrap_or_else(|| String::from(JsString::from(thrown.clone()))),
            path: text("path"),
        }
    }
}

/// The events of a simulation.
pub(crate) enum Event {
    /// Once per batch of steps.
    Spikes(Spikes),
    /// Statistics of synapses.
    Statistics(StatisticValues),
    /// At the end of a batch.
    Progress(Progress),
    /// It runs, pauses, or its time was set.
    State(State),
    /// A parameter has a new value.
    Changed(Changed),
    /// It was rebuilt, or continues on another device.
    Info(Box<Info>),
    /// A notice.
    Notice(Notice),
    /// A run failed, or the engine has ended.
    Error(Error),
}

/// Converts the argument of a listener to an event.
type Read = fn(JsValue) -> Result<Event, String>;

const EVENTS: [(&str, Read); 8] = [
    ("spikes", |event| Ok(Event::Spikes(event.unchecked_into()))),
    ("statistics", |event| Ok(Event::Statistics(event.unchecked_into()))),
    ("progress", |event| Ok(Event::Progress(event.unchecked_into()))),
    ("state", |event| from_js(event).map(Event::State)),
    ("changed", |event| from_js(event).map(Event::Changed)),
    ("info", |event| from_js(event).map(Event::Info)),
    ("notice", |event| from_js(event).map(Event::Notice)),
    ("error", |event| Ok(Event::Error(event.into()))),
];

/// A simulation, which ends when it is dropped.
pub(crate) struct Simulation {
    spikelet: Spikelet,
    listeners: Vec<Closure<dyn FnMut(JsValue)>>,
}

impl Simulation {
    /// Builds a network, paused at t = 0; aborting the signal cancels the build.
    ///
    /// # Errors
    /// An error of the network, or the engine did not start.
    pub(crate) async fn create(
        source: &Source,
        backend: BackendChoice,
        (seed, workgroup_size): (Option<u64>, u32),
        signal: &AbortSignal,
        emitted: impl Fn(Building) + 'static,
    ) -> Result<Simulation, Error> {
        let options = create_options(source, backend, (seed, workgroup_size), signal);
        let on_progress = Closure::<dyn FnMut(JsValue)>::new(move |progress| {
            if let Ok(building) = from_js(progress) {
                emitted(building);
            }
        });
        options.set_on_progress(on_progress.as_ref().unchecked_ref());
        let built = JsFuture::from(Spikelet::create(network(source)?, &options)).await?;
        Ok(Simulation { spikelet: built.unchecked_into(), listeners: Vec::new() })
    }

    /// The same, for [`Simulation::profile`].
    ///
    /// # Errors
    /// As [`Simulation::create`].
    pub(crate) async fn create_measured(
        source: &Source,
        backend: BackendChoice,
        (seed, workgroup_size): (Option<u64>, u32),
        signal: &AbortSignal,
    ) -> Result<Simulation, Error> {
        let options = create_options(source, backend, (seed, workgroup_size), signal);
        options.set_profile(true);
        let built = JsFuture::from(Spikelet::create(network(source)?, &options)).await?;
        Ok(Simulation { spikelet: built.unchecked_into(), listeners: Vec::new() })
    }

    /// Adds a listener for all events.
    pub(crate) fn listen(&mut self, emitted: impl Fn(Event) + Clone + 'static) {
        for (name, read) in EVENTS {
            let emitted = emitted.clone();
            let listener = Closure::<dyn FnMut(JsValue)>::new(move |event| {
                emitted(read(event).unwrap_or_else(|error| Event::Error(Error::protocol(error))));
            });
            self.spikelet.on(name, listener.as_ref().unchecked_ref());
            self.listeners.push(listener);
        }
    }

    /// The object of the package.
    pub(crate) fn handle(&self) -> &JsValue {
        &self.spikelet
    }

    /// The description of the network.
    ///
    /// # Errors
    /// It has another form than expected.
    pub(crate) fn info(&self) -> Result<Info, Error> {
        from_js(self.spikelet.info()).map_err(Error::protocol)
    }

    /// The built-in networks.
    pub(crate) fn networks(&self) -> impl Future<Output = Result<Vec<CatalogueEntry>, Error>> + use<> {
        read(self.spikelet.networks())
    }

    /// Checks an edited network.
    pub(crate) fn judge(&self, question: &Question) -> impl Future<Output = Result<Judgement, Error>> + use<> {
        read(self.spikelet.judge(&question.json, &judge_options(question)))
    }

    /// Runs until it is paused or ends.
    pub(crate) fn run(&self) -> impl Future<Output = Result<(), Error>> + use<> {
        done(self.spikelet.run())
    }

    /// Runs for a time in ms: a multiple of the time step.
    pub(crate) fn run_for(&self, ms: f64) -> impl Future<Output = Result<(), Error>> + use<> {
        done(self.spikelet.run_for(ms))
    }

    /// Runs one time step.
    pub(crate) fn step(&self) -> impl Future<Output = Result<(), Error>> + use<> {
        done(self.spikelet.step())
    }

    /// Limits the speed: biological ÷ wall time, above 0; infinite without a limit.
    pub(crate) fn set_speed(&self, speed: f64) {
        self.spikelet.set_speed(speed);
    }

    /// Ends the run.
    pub(crate) fn pause(&self) -> impl Future<Output = Result<(), Error>> + use<> {
        done(self.spikelet.pause())
    }

    /// Returns to t = 0. Ends the run.
    pub(crate) fn reset(&self) -> impl Future<Output = Result<(), Error>> + use<> {
        done(self.spikelet.reset())
    }

    /// Sets a parameter to a quantity.
    pub(crate) fn set(&self, path: &str, value: &str) -> impl Future<Output = Result<(), Error>> + use<> {
        done(self.spikelet.set(path, value))
    }

    /// The learned weights of its synapses, as a file.
    pub(crate) fn weights(&self) -> impl Future<Output = Result<Uint8Array, Error>> + use<> {
        let content = self.spikelet.weights();
        async { Ok(JsFuture::from(content).await?.unchecked_into()) }
    }

    /// All synapses of a projection, as a file in this format.
    pub(crate) fn edges(&self, projection: &str, format: &str) -> impl Future<Output = Result<Uint8Array, Error>> + use<> {
        let options: EdgeOptions = Object::new().unchecked_into();
        options.set_format(format);
        let content = self.spikelet.edges(projection, &options);
        async { Ok(JsFuture::from(content).await?.unchecked_into()) }
    }

    /// The profile of its runs.
    pub(crate) fn profile(&self) -> impl Future<Output = Result<Profile, Error>> + use<> {
        read(self.spikelet.profile())
    }

    /// Loads the synapse state of a file.
    pub(crate) fn load_weights(&self, content: &Uint8Array, file: &str) -> impl Future<Output = Result<(), Error>> + use<> {
        let options: LoadOptions = Object::new().unchecked_into();
        options.set_file(file);
        done(self.spikelet.load_weights(content, &options))
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        self.spikelet.dispose();
    }
}

/// The built-in networks, without an open network: starts an engine for the request.
pub(crate) fn networks() -> impl Future<Output = Result<Vec<CatalogueEntry>, Error>> {
    read(Spikelet::all_networks())
}

/// Checks an edited network without an open one: starts an engine for the request.
pub(crate) fn judge(question: &Question) -> impl Future<Output = Result<Judgement, Error>> + use<> {
    read(Spikelet::judge_alone(&question.json, &judge_options(question)))
}

/// Files by their paths: those of a folder have its name before theirs.
pub(crate) type Paths = Vec<(String, File)>;

/// The files that are dropped, with those of folders.
pub(crate) fn dropped_files(transfer: Option<&DataTransfer>) -> impl Future<Output = Result<Paths, Error>> + use<> {
    let found = dropped(transfer);
    async {
        let found: Object = JsFuture::from(found).await?.unchecked_into();
        let pair = |entry: JsValue| {
            let entry: js_sys::Array = entry.unchecked_into();
            (entry.get(0).as_string().unwrap_or_default(), entry.get(1).unchecked_into())
        };
        Ok(Object::entries(&found).iter().map(pair).collect())
    }
}

/// A network of a file of another tool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct ForeignNetwork {
    /// The network.
    pub(crate) json: String,
    /// The file.
    pub(crate) file: String,
    /// Its format.
    pub(crate) format: String,
    /// What is dropped or approximated.
    pub(crate) notices: Vec<ForeignNotice>,
}

/// What is dropped or approximated.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct ForeignNotice {
    /// The place.
    pub(crate) path: String,
    /// A sentence.
    pub(crate) message: String,
}

/// Opens files of another tool.
pub(crate) async fn open_file(files: &[(String, File)]) -> Result<ForeignNetwork, Error> {
    let all = Object::new();
    for (path, file) in files {
        Reflect::set(&all, &path.into(), file)?;
    }
    read(open_foreign(&all)).await
}

/// Opens the file of an address, with those that it names.
pub(crate) fn open_url(address: &str) -> impl Future<Output = Result<ForeignNetwork, Error>> + use<> {
    read(open_address(address))
}

/// The files of a network for another tool.
pub(crate) struct ForeignFiles {
    /// By name; in one archive only this.
    pub(crate) files: Vec<(String, Uint8Array)>,
    /// What they leave out.
    pub(crate) notices: Vec<String>,
}

/// Writes a network for another tool, into one archive or as single files.
pub(crate) async fn export(network: &str, format: &str, zip: bool) -> Result<ForeignFiles, Error> {
    let options: ExportOptions = Object::new().unchecked_into();
    options.set_zip(zip);
    let exported = JsFuture::from(export_foreign(network, format, &options)).await?;
    let files: Object = Reflect::get(&exported, &"files".into())?.unchecked_into();
    let entry = |pair: JsValue| {
        let pair: js_sys::Array = pair.unchecked_into();
        (pair.get(0).as_string().unwrap_or_default(), pair.get(1).unchecked_into())
    };
    let files = Object::entries(&files).iter().map(entry).collect();
    Ok(ForeignFiles { files, notices: from_js(Reflect::get(&exported, &"notices".into())?).map_err(Error::protocol)? })
}

fn create_options(
    source: &Source,
    backend: BackendChoice,
    (seed, workgroup_size): (Option<u64>, u32),
    signal: &AbortSignal,
) -> CreateOptions {
    let options: CreateOptions = Object::new().unchecked_into();
    options.set_backend(backend::word(backend));
    if let Source::Catalogue { scale, .. } = source {
        options.set_scale(*scale);
    }
    if let Some(seed) = seed {
        options.set_seed(seed);
    }
    options.set_workgroup_size(workgroup_size);
    options.set_signal(signal);
    options
}

fn judge_options(question: &Question) -> JudgeOptions {
    let options: JudgeOptions = Object::new().unchecked_into();
    if let Some(place) = question.population {
        options.set_population(place);
    }
    options.set_typed(question.typed.clone());
    options
}

async fn done(promise: Promise) -> Result<(), Error> {
    JsFuture::from(promise).await?;
    Ok(())
}

async fn read<T: DeserializeOwned>(promise: Promise) -> Result<T, Error> {
    from_js(JsFuture::from(promise).await?).map_err(Error::protocol)
}

/// A network for the package. Text that the package would interpret as a URL is rejected here with the engine's message.
fn network(source: &Source) -> Result<&str, Error> {
    let (text, refusal) = match source {
        Source::Catalogue { name, .. } => (name, catalogue::entry(name).err()),
        Source::Json { text } if text.trim_start().starts_with('{') => (text, None),
        Source::Json { text } => (text, Network::from_json(text).err()),
    };
    match refusal {
        Some(error) => Err(Error { code: String::new(), message: error.to_string(), path: None }),
        None => Ok(text),
    }
}
