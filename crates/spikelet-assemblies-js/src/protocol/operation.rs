//! Operations on assemblies, and what they give.

use serde::{Deserialize, Serialize};

use spikelet_module::typed;

/// An operation of the calculus; see `spikelet_assemblies::operations`.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Operation {
    /// Forms an assembly from a stimulus or from the assembly of another area.
    Form {
        /// A stimulus or area.
        source: String,
        /// The area of the assembly.
        area: String,
        /// Number of rounds.
        rounds: u32,
    },
    /// Projects an assembly forth and back.
    ReciprocalProject {
        /// The area of the assembly.
        from: String,
        /// The other area.
        to: String,
        /// Number of rounds.
        rounds: u32,
    },
    /// Brings the images of two assemblies closer together.
    Associate {
        /// The assemblies.
        parents: [Parent; 2],
        /// The area of their images.
        area: String,
        /// Number of rounds of each part.
        rounds: u32,
    },
    /// Forms an assembly of two.
    Merge {
        /// The two.
        parents: [Parent; 2],
        /// The area of the new one.
        area: String,
        /// Number of rounds.
        rounds: u32,
    },
    /// Recalls the other parent of a merged assembly.
    Recall {
        /// The parent that fires.
        parent: Parent,
        /// The area of the merged assembly.
        merged: String,
        /// The area of the other parent.
        other: String,
        /// Number of rounds.
        rounds: u32,
    },
    /// Completes an assembly from a part of it.
    Complete {
        /// The area.
        area: String,
        /// The part of its winners that fires at first.
        fraction: f64,
        /// Number of rounds.
        rounds: u32,
        /// Which neurons are kept.
        draw: u32,
    },
    /// Forms assemblies of two stimuli in one area.
    Separate {
        /// The stimuli.
        stimuli: [String; 2],
        /// The area.
        area: String,
        /// Number of rounds of each.
        rounds: u32,
    },
}

/// An assembly that takes part in an operation.
#[derive(Debug, Clone, Deserialize)]
pub struct Parent {
    /// Its area.
    pub area: String,
    /// What keeps it firing; without it the area is fixed.
    pub stimulus: Option<String>,
}

/// What an operation gives. The scripts give each operation the type of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum Report {
    /// An assembly.
    Formed(Formed),
    /// Of a reciprocal projection.
    Reciprocal {
        /// The assembly of the other area.
        formed: Formed,
        /// Overlap of the original assembly with what one round back gives.
        returned: f64,
        /// The same after more rounds with recurrent input.
        settled: f64,
    },
    /// Of an association.
    Association {
        /// The images of each parent, of both, and of each parent afterwards.
        images: Vec<Formed>,
        /// Overlap of the images before.
        before: f64,
        /// Overlap of each image with that of both.
        joint: [f64; 2],
        /// Overlap of the images afterwards.
        after: f64,
        /// Overlap of each image afterwards with the other one before.
        crossed: [f64; 2],
        /// Overlap of each image afterwards with that of both.
        kept: [f64; 2],
    },
    /// Of a merge.
    Merged {
        /// The assemblies of the parents.
        parents: [Formed; 2],
        /// The new assembly.
        merged: Formed,
    },
    /// Of a completion.
    Completed {
        /// The winners before.
        #[serde(serialize_with = "typed::words")]
        original: Vec<u32>,
        /// Those that fired at first.
        #[serde(serialize_with = "typed::words")]
        kept: Vec<u32>,
        /// The assembly afterwards.
        formed: Formed,
        /// Its overlap with the original.
        recovered: f64,
    },
    /// Of a separation.
    Separated {
        /// The assemblies.
        formed: [Formed; 2],
        /// Their overlap.
        overlap: f64,
    },
}

/// An assembly that was formed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Formed {
    /// Its area.
    pub area: String,
    /// The winners of the last round.
    #[serde(serialize_with = "typed::words")]
    pub neurons: Vec<u32>,
    /// The number of neurons of the area that have ever won.
    pub support: u32,
    /// Share of the winners that had won the round before.
    pub stability: f64,
}
