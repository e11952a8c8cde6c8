//! The arguments of `spikelet list` and `show`.

use clap::{Args, Subcommand, ValueEnum};

use super::TrainingMethod;

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// What to list
    #[arg(value_enum)]
    pub(crate) what: ListKind,
    /// Lists only the models of this kind
    #[arg(long, value_enum)]
    pub(crate) kind: Option<ModelKind>,
    /// Prints one JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ListKind {
    Networks,
    Models,
    Trainings,
    Devices,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ModelKind {
    Neuron,
    Source,
    Synapse,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ShowArguments {
    /// A library model: its equations, parameters and presets
    Model {
        /// Its name (`spikelet list models`)
        name: String,
        #[command(flatten)]
        form: ModelForm,
    },
    /// A training: the file that `spikelet train` reads
    Training {
        /// Its name (`spikelet list trainings`)
        name: String,
        /// How it computes gradients; default: its own method
        #[arg(long, value_enum)]
        method: Option<TrainingMethod>,
    },
    /// The JSON Schema of network files, for editors
    Schema {
        /// The files
        #[arg(value_enum, default_value_t = SchemaKind::Network)]
        of: SchemaKind,
    },
}

/// Files with a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaKind {
    Network,
    Training,
}

/// Another representation of a model.
#[derive(Debug, Clone, Copy, Args)]
#[group(multiple = false)]
pub(crate) struct ModelForm {
    /// Prints the GPU kernel
    #[arg(long)]
    pub(crate) wgsl: bool,
    /// Prints the intermediate code, one operation per line
    #[arg(long)]
    pub(crate) ir: bool,
    /// Prints the equations as LaTeX
    #[arg(long)]
    pub(crate) latex: bool,
}
