//! Neurodata Without Borders 2 (nwb-schema 2.8.0): spikes as `units`, traces as `acquisition`.

use std::hash::Hasher;

use fnv::FnvHasher;
use serde::Deserialize;
use spikelet_network::{Error, parse_json};

use super::Results;
use crate::hdf5::{Array, Attribute, Group, Values};

/// The version of the schema.
const VERSION: &str = "2.8.0";

/// What a file says of its run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Session {
    /// Unique for the run.
    pub identifier: String,
    /// What was done.
    pub description: String,
    /// When it began, in ISO 8601 with an offset.
    pub start_time: String,
    /// The program and its version.
    pub source: String,
    /// The time step in ms, the resolution of spike times.
    pub dt_ms: f64,
    /// What only its author knows.
    pub metadata: Metadata,
}

/// What NWB wants to know of a session and a simulation does not say. Archives and `nwbinspector` ask for it.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Metadata {
    /// Names, as `Family, Given`.
    pub experimenter: Vec<String>,
    /// Where it was done.
    pub institution: Option<String>,
    /// The lab.
    pub lab: Option<String>,
    /// What the session was for. Default: the description of the network.
    pub experiment_description: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// DOIs of publications.
    pub related_publications: Vec<String>,
    /// What the model is of.
    pub subject: Option<Subject>,
}

/// The animal that a model is of, in the words of NWB.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Subject {
    /// Unique for the subject.
    pub subject_id: String,
    /// In Latin: `Mus musculus`.
    pub species: Option<String>,
    /// `F`, `M`, `U` or `O`.
    pub sex: Option<String>,
    /// In ISO 8601: `P90D`.
    pub age: Option<String>,
    /// More about it.
    pub description: Option<String>,
    /// The strain.
    pub strain: Option<String>,
    /// The genotype.
    pub genotype: Option<String>,
}

impl Metadata {
    /// Reads a file of metadata.
    ///
    /// # Errors
    /// Malformed JSON (line, column), an unknown key, or a value of the wrong type.
    pub fn from_json(text: &str) -> Result<Metadata, Error> {
        parse_json(text, "metadata")
    }
}

/// Writes groups and datasets of the schema.
struct Writer<'a> {
    session: &'a Session,
}

fn text(text: impl Into<String>) -> Attribute {
    Attribute::Texts(vec![text.into()])
}

impl Writer<'_> {
    /// A number of the form of a UUID for the object at a path: the same for the same run.
    fn id(&self, path: &str) -> String {
        let hash = |mut hasher: FnvHasher| {
            [self.session.identifier.as_bytes(), &[0], path.as_bytes()].iter().for_each(|part| hasher.write(part));
            hasher.finish()
        };
        let (high, low) = (hash(FnvHasher::default()), hash(FnvHasher::with_key(0x84222325_cbf29ce4)));
        // Version 8 of RFC 9562: made by an own rule.
        let (high, low) = ((high & !0xf000) | 0x8000, (low & !(3 << 62)) | (1 << 63));
        let text = format!("{high:016x}{low:016x}");
        [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
    }

    fn describe(&self, group: &mut Group, path: &str, namespace: &str, kind: &str) {
        group.set_attribute("namespace", text(namespace));
        group.set_attribute("neurodata_type", text(kind));
        group.set_attribute("object_id", text(self.id(path)));
    }

    /// Where the values of each unit end in a column.
    fn index(&self, of: &str, ends: Array, description: &str) -> Array {
        let column = self.column(&format!("{of}_index"), "VectorIndex", ends, description);
        column.with_attribute("target", Attribute::Reference(self.id(&format!("units/{of}"))))
    }

    /// A column of the table of units.
    fn column(&self, name: &str, kind: &str, array: Array, description: &str) -> Array {
        let array = array
            .with_attribute("namespace", text("hdmf-common"))
            .with_attribute("neurodata_type", text(kind))
            .with_attribute("object_id", text(self.id(&format!("units/{name}"))));
        if description.is_empty() { array } else { array.with_attribute("description", text(description)) }
    }
}

/// A file of the run: a unit for each neuron with its spikes in s, its population and its index, and a time series for each recorded variable.
///
/// # Errors
/// A name that HDF5 cannot store.
pub fn nwb(results: &Results, session: &Session) -> Result<Vec<u8>, Error> {
    let writer = Writer { session };
    let mut root = Group::default();
    writer.describe(&mut root, "", "core", "NWBFile");
    root.set_attribute("nwb_version", text(VERSION));
    root.insert("identifier", Array::text(&session.identifier));
    root.insert("session_description", Array::text(&session.description));
    root.insert("session_start_time", Array::text(&session.start_time));
    root.insert("timestamps_reference_time", Array::text(&session.start_time));
    root.insert("file_create_date", Array::new(vec![1], Values::Texts(vec![session.start_time.clone()])));
    for name in ["analysis", "processing"] {
        root.group(name);
    }
    root.group("stimulus").group("presentation");
    root.group("stimulus").group("templates");
    let general = root.group("general");
    general.insert("source_script", Array::text(&session.source).with_attribute("file_name", text("spikelet")));
    writer.general(general);
    let acquisition = root.group("acquisition");
    for trace in &results.traces {
        let group = acquisition.group(&trace.name);
        writer.describe(group, &format!("acquisition/{}", trace.name), "core", "TimeSeries");
        let indices: Vec<String> = trace.indices.iter().map(u32::to_string).collect();
        let columns =
            if indices.is_empty() { String::new() } else { format!("; columns are the indices {}", indices.join(", ")) };
        group.set_attribute("description", text(format!("{} of the simulated network{columns}", trace.name)));
        group.set_attribute("comments", text("no comments"));
        let shape = if trace.indices.is_empty() { vec![trace.rows()] } else { vec![trace.rows(), trace.columns()] };
        let unit = if trace.unit.is_empty() { "1" } else { &trace.unit };
        let data = Array::new(shape, Values::F32(trace.values.clone())).deflated().with_attribute("unit", text(unit));
        let number = |value: f64| Attribute::Numbers(vec![value]);
        group.insert(
            "data",
            data.with_attribute("conversion", number(1.0))
                .with_attribute("resolution", number(-1.0))
                .with_attribute("offset", number(0.0)),
        );
        let start = Array::new(Vec::new(), Values::F64(vec![trace.start_ms / 1000.0]));
        let rate = 1000.0 / trace.interval_ms;
        group.insert("starting_time", start.with_attribute("rate", number(rate)).with_attribute("unit", text("seconds")));
    }
    writer.units(root.group("units"), results);
    root.to_bytes()
}

impl Writer<'_> {
    /// What the author says.
    fn general(&self, group: &mut Group) {
        let Session { metadata, description, .. } = self.session;
        let list = |texts: &[String]| Array::new(vec![texts.len()], Values::Texts(texts.to_vec()));
        let purpose = metadata.experiment_description.as_ref().unwrap_or(description);
        group.insert("experiment_description", Array::text(purpose));
        let Metadata { experimenter, keywords, related_publications, .. } = metadata;
        for (name, texts) in
            [("experimenter", experimenter), ("keywords", keywords), ("related_publications", related_publications)]
        {
            if !texts.is_empty() {
                group.insert(name, list(texts));
            }
        }
        for (name, value) in [("institution", &metadata.institution), ("lab", &metadata.lab)] {
            if let Some(value) = value {
                group.insert(name, Array::text(value));
            }
        }
        if let Some(subject) = &metadata.subject {
            let group = group.group("subject");
            self.describe(group, "general/subject", "core", "Subject");
            group.insert("subject_id", Array::text(&subject.subject_id));
            let Subject { species, sex, age, description, strain, genotype, .. } = subject;
            let given =
                [("species", species), ("sex", sex), ("description", description), ("strain", strain), ("genotype", genotype)];
            for (name, value) in given {
                if let Some(value) = value {
                    group.insert(name, Array::text(value));
                }
            }
            if let Some(age) = age {
                group.insert("age", Array::text(age).with_attribute("reference", text("birth")));
            }
        }
    }

    /// The table of units, in the order of the neurons.
    fn units(&self, group: &mut Group, results: &Results) {
        self.describe(group, "units", "core", "Units");
        group.set_attribute("description", text("simulated neurons, with all their spikes"));
        group.set_attribute(
            "colnames",
            Attribute::Texts(["population", "neuron", "obs_intervals", "spike_times"].map(str::to_owned).into()),
        );
        let starts: Vec<usize> = results
            .populations
            .iter()
            .scan(0, |next, (_, size)| {
                let start = *next;
                *next += *size as usize;
                Some(start)
            })
            .collect();
        let count = results.populations.iter().map(|(_, size)| *size as usize).sum();
        let mut times: Vec<Vec<f64>> = vec![Vec::new(); count];
        for (population, neuron, time_ms) in &results.spikes {
            times[starts[*population] + *neuron as usize].push(time_ms / 1000.0);
        }
        let ends: Vec<u64> = times
            .iter()
            .scan(0, |end, own| {
                *end += own.len() as u64;
                Some(*end)
            })
            .collect();
        let whole = |values: Vec<u64>| Array::new(vec![values.len()], Values::U64(values)).deflated();
        let units =
            || results.populations.iter().flat_map(|(name, size)| (0..u64::from(*size)).map(move |neuron| (name, neuron)));
        let id = Array::new(vec![count], Values::I64((0..count as i64).collect())).deflated();
        group.insert("id", self.column("id", "ElementIdentifiers", id, ""));
        let names = Array::new(vec![count], Values::Texts(units().map(|(name, _)| name.clone()).collect()));
        group.insert("population", self.column("population", "VectorData", names, "the population of the neuron"));
        let neurons = whole(units().map(|(_, neuron)| neuron).collect());
        group.insert("neuron", self.column("neuron", "VectorData", neurons, "its index in the population"));
        let observed = results.observed_ms.map(|time_ms| time_ms / 1000.0);
        let observed = Array::new(vec![count, 2], Values::F64(observed.repeat(count))).deflated();
        group.insert("obs_intervals", self.column("obs_intervals", "VectorData", observed, "the time of the run, in s"));
        let each = self.index("obs_intervals", whole((1..=count as u64).collect()), "an interval for each unit");
        group.insert("obs_intervals_index", each);
        let times: Vec<f64> = times.into_iter().flatten().collect();
        let resolution = Attribute::Numbers(vec![self.session.dt_ms / 1000.0]);
        let times = Array::new(vec![times.len()], Values::F64(times)).deflated().with_attribute("resolution", resolution);
        group.insert(
            "spike_times",
            self.column("spike_times", "VectorData", times, "the beginning of the step in which the neuron fires, in s"),
        );
        let ends = self.index("spike_times", whole(ends), "the end of the spikes of each unit");
        group.insert("spike_times_index", ends);
    }
}
