//! What a loss is, in JSON.

use serde::{Deserialize, Serialize};
use spikelet_network::Error;

use crate::Reading;

/// A term of the loss, as in JSON: what it computes of which reading, and its options. An option that its type does not use is an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LossTerm {
    /// What it computes.
    #[serde(rename = "type")]
    pub kind: LossKind,
    /// The population that it reads.
    pub population: String,
    /// What it reads.
    pub reading: Reading,
    /// The variable, for a reading of a variable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// The factor of this term in the sum.
    #[serde(default = "one")]
    pub weight: f64,
    /// For readings by step: the time in ms from which on steps count. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_ms: Option<f64>,
    /// `cross_entropy`: the factor of the readings in the softmax. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// `cross_entropy` of first spikes: the time constant τ₀ of the softmax in ms. Default: 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tau0_ms: Option<f64>,
    /// `cross_entropy` of first spikes: the time constant τ₁ of the cost of late spikes in ms. Default: 6.4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tau1_ms: Option<f64>,
    /// `cross_entropy` of first spikes: the factor α of the cost of late spikes. Default: 0.003.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// `mean_square` with classes: the value of the unit of the class. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<f64>,
    /// `mean_square` with classes: the value of all other units. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off: Option<f64>,
    /// `van_rossum`: the time constant of the kernel in ms. Default: 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tau_ms: Option<f64>,
    /// `rate`: spikes per sample below which a neuron costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// `rate`: mean number of spikes per sample and neuron above which the population costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// `rate`: spikes per sample that every neuron should have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
    /// `assembly`: number of winners. Default: the size of the assembly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<f64>,
    /// `assembly`: the temperature of the soft selection, in the unit of the reading. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// `assembly`: the neurons of the assembly of each class. Default: consecutive parts of equal size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assemblies: Option<Vec<Vec<u32>>>,
}

fn one() -> f64 {
    1.0
}

/// What a term computes of a sample; a batch has the mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LossKind {
    /// −log softmax(`scale` · reading) of the unit of the class; of readings by step the mean over the steps. Of first spike times t:
    /// −log softmax(−t/τ₀) + α(exp(t/τ₁) − 1), with t of the class in the second term (Wunderlich & Pehle 2021, Scientific Reports
    /// 11:12829); a neuron that does not fire has the duration as t, and no adjoint. If that of the class does not fire, the cost is
    /// log N + α(exp(t/τ₁) − 1) for N units, and none has an adjoint.
    CrossEntropy,
    /// The mean of (reading − target)² over units, and over steps.
    MeanSquare,
    /// The squared distance of van Rossum (2001, Neural Computation 13:751): (1/τ)∫(f − g)² dt, where f and g are the spike trains of a
    /// unit and of the target, each convolved with exp(−t/τ); the mean over units.
    VanRossum,
    /// Costs of numbers of spikes n of N neurons: Σ max(0, `lower` − n)²/N, max(0, Σn/N − `upper`)² (Zenke & Vogels 2021, Neural
    /// Computation 33:899), and Σ(n − `target`)²/N (as Bellec et al. 2020, Nature Communications 11:3625).
    Rate,
    /// −Σ log m/|A| over the neurons of an assembly A, where m are the memberships of a soft selection of the k largest readings s:
    /// m = 1/(1 + exp((θ − s)/`temperature`)), with the threshold θ at which Σm = k (Amos, Koltun & Kolter 2019, arXiv:1906.08707). It is 0
    /// if the assembly wins completely.
    Assembly,
}

impl LossKind {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            LossKind::CrossEntropy => "cross_entropy",
            LossKind::MeanSquare => "mean_square",
            LossKind::VanRossum => "van_rossum",
            LossKind::Rate => "rate",
            LossKind::Assembly => "assembly",
        }
    }

    /// The names of its options for this reading.
    fn options(self, reading: Reading) -> Vec<&'static str> {
        let own: &[&str] = match self {
            LossKind::CrossEntropy if reading == Reading::FirstSpike => &["tau0_ms", "tau1_ms", "alpha"],
            LossKind::CrossEntropy => &["scale"],
            LossKind::MeanSquare => &["on", "off"],
            LossKind::VanRossum => &["tau_ms"],
            LossKind::Rate => &["lower", "upper", "target"],
            LossKind::Assembly => &["k", "temperature", "assemblies"],
        };
        let windowed = reading.is_by_step() && matches!(self, LossKind::CrossEntropy | LossKind::MeanSquare);
        own.iter().copied().chain(windowed.then_some("from_ms")).collect()
    }

    /// What it can read.
    fn readings(self) -> &'static [Reading] {
        use Reading::{Count, FirstSpike, Last, Max, Mean, Spikes, Trace};
        match self {
            LossKind::CrossEntropy | LossKind::MeanSquare => &[Count, FirstSpike, Spikes, Max, Mean, Last, Trace],
            LossKind::VanRossum => &[Spikes],
            LossKind::Rate => &[Count],
            LossKind::Assembly => &[Count, Max, Mean, Last],
        }
    }
}

impl LossTerm {
    /// A term without options. A reading of a variable needs its `variable`.
    pub fn new(kind: LossKind, population: impl Into<String>, reading: Reading) -> LossTerm {
        LossTerm {
            kind,
            population: population.into(),
            reading,
            variable: None,
            weight: 1.0,
            from_ms: None,
            scale: None,
            tau0_ms: None,
            tau1_ms: None,
            alpha: None,
            on: None,
            off: None,
            tau_ms: None,
            lower: None,
            upper: None,
            target: None,
            k: None,
            temperature: None,
            assemblies: None,
        }
    }

    /// Rejects a reading that its type does not use, and options of other types or out of range. `path` is its place: `loss[0]`.
    pub(super) fn check(&self, path: &str) -> Result<(), Error> {
        let name = self.kind.name();
        let readings = self.kind.readings();
        if !readings.contains(&self.reading) {
            let names: Vec<&str> = readings.iter().map(|of| of.name()).collect();
            let expected = format!("`{name}` reads {}", names.join(" or "));
            let found = format!("{:?}", self.reading.name());
            return Err(Error::invalid(format!("{path}.reading"), found, expected, "change it, or the type"));
        }
        if self.variable.is_some() && !self.reading.reads_variable() {
            let found = format!("given with the reading {:?}", self.reading.name());
            let expected = "that reading is of spikes, not of a variable";
            return Err(Error::invalid(format!("{path}.variable"), found, expected, "remove it, or read \"max\" or \"trace\""));
        }
        let used = self.kind.options(self.reading);
        for (option, given, limits) in self.given() {
            if !used.contains(&option) {
                let list: Vec<String> = used.iter().map(|name| format!("`{name}`")).collect();
                let expected = format!("`{name}` of {} has the options {}", self.reading.name(), list.join(", "));
                return Err(Error::invalid(format!("{path}.{option}"), given, expected, "remove it"));
            }
            if !limits {
                let expected = "a finite number is expected, for time constants and `temperature` above 0, for times and numbers of \
                                spikes 0 or more";
                return Err(Error::invalid(format!("{path}.{option}"), given, expected, "change it"));
            }
        }
        if !self.weight.is_finite() {
            return Err(Error::invalid(format!("{path}.weight"), self.weight, "a finite number is expected", "change it"));
        }
        Ok(())
    }

    /// The options that are given: name, text, and whether they are within their limits.
    fn given(&self) -> Vec<(&'static str, String, bool)> {
        type Limits = fn(f64) -> bool;
        let finite: Limits = f64::is_finite;
        let positive: Limits = |value| value > 0.0 && value.is_finite();
        let not_negative: Limits = |value| value >= 0.0 && value.is_finite();
        let numbers = [
            ("from_ms", self.from_ms, not_negative),
            ("scale", self.scale, finite),
            ("tau0_ms", self.tau0_ms, positive),
            ("tau1_ms", self.tau1_ms, positive),
            ("alpha", self.alpha, finite),
            ("on", self.on, finite),
            ("off", self.off, finite),
            ("tau_ms", self.tau_ms, positive),
            ("lower", self.lower, not_negative),
            ("upper", self.upper, not_negative),
            ("target", self.target, not_negative),
            ("k", self.k, positive),
            ("temperature", self.temperature, positive),
        ];
        let numbers = numbers.into_iter().filter_map(|(name, value, limits)| {
            let value = value?;
            Some((name, value.to_string(), limits(value)))
        });
        let lists = self.assemblies.as_ref().map(|lists| ("assemblies", format!("{} lists", lists.len()), true));
        numbers.chain(lists).collect()
    }
}
