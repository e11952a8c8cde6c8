//! Trainings by name: published settings, with data that are generated. Each is a file in `presets`.

use spikelet_network::Error;

use crate::{Method, Training};

/// A training by its name.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// Its name on the command line and in the page.
    pub name: &'static str,
    /// A short title.
    pub title: &'static str,
    /// Its publication.
    pub citation: &'static str,
    /// Its file for each method: the first is the default. Other methods use that file, too.
    files: &'static [(Method, &'static str)],
}

/// All trainings that have a name, in the order of a menu.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "yin-yang",
        title: "Classes of points of the yin-yang symbol, by the times of input spikes",
        citation: "Kriener, Göltz & Petrovici 2022, NICE; Wunderlich & Pehle 2021, Scientific Reports 11:12829",
        files: &[
            (Method::EventProp, include_str!("../presets/yin_yang_eventprop.json")),
            (Method::Bptt, include_str!("../presets/yin_yang_bptt.json")),
        ],
    },
    Preset {
        name: "randman",
        title: "Ten classes of spike times on smooth random manifolds",
        citation: "Zenke & Vogels 2021, Neural Computation 33:899",
        files: &[(Method::Bptt, include_str!("../presets/randman.json"))],
    },
    Preset {
        name: "xor",
        title: "Whether exactly one of two spikes is late",
        citation: "Bohte, Kok & La Poutré 2002, Neurocomputing 48:17",
        files: &[(Method::EventProp, include_str!("../presets/xor.json"))],
    },
    Preset {
        name: "random-spikes",
        title: "Random labels of random spike trains, with four hidden neurons",
        citation: "Neftci, Mostafa & Zenke 2019, IEEE Signal Processing Magazine 36(6):51",
        files: &[(Method::Bptt, include_str!("../presets/random_spikes.json"))],
    },
    Preset {
        name: "evidence",
        title: "The side with more of seven cues, more than a second after the last of them",
        citation: "Bellec et al. 2020, Nature Communications 11:3625",
        files: &[(Method::Bptt, include_str!("../presets/evidence.json"))],
    },
    Preset {
        name: "delayed-match",
        title: "Whether a stimulus equals the one before a delay",
        citation: "Miller, Erickson & Desimone 1996, Journal of Neuroscience 16:5154",
        files: &[(Method::Bptt, include_str!("../presets/delayed_match.json"))],
    },
    Preset {
        name: "pattern",
        title: "A sum of four sines, in answer to random spikes",
        citation: "Bellec et al. 2020, Nature Communications 11:3625",
        files: &[(Method::Bptt, include_str!("../presets/pattern.json"))],
    },
];

/// The training named `name`.
///
/// # Errors
/// An unknown name, with a suggestion.
pub fn preset(name: &str) -> Result<&'static Preset, Error> {
    let found = PRESETS.iter().find(|preset| preset.name == name);
    found.ok_or_else(|| Error::unknown_name("", "training", name, PRESETS.iter().map(|preset| preset.name)))
}

impl Preset {
    /// The methods that it has a file for, its own first.
    pub fn methods(&self) -> impl Iterator<Item = Method> {
        self.files.iter().map(|(method, _)| *method)
    }

    /// Its file, as JSON: for a method, or for its own. That of backpropagation through time is for e-prop, too.
    pub fn text(&self, method: Option<Method>) -> &'static str {
        let wanted = if method == Some(Method::Eprop) { Some(Method::Bptt) } else { method };
        let own = self.files.iter().find(|(of, _)| Some(*of) == wanted);
        own.unwrap_or(&self.files[0]).1
    }

    /// The training, by a method or by its own.
    ///
    /// # Errors
    /// None for a file that the tests have read.
    pub fn training(&self, method: Option<Method>) -> Result<Training, Error> {
        let training = Training::from_json(self.text(method))?;
        Ok(Training { method: method.unwrap_or(training.method), ..training })
    }
}
