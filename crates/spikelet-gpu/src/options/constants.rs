//! Sizes that only affect the speed of a GPU, by name.

use std::ops::RangeInclusive;

use spikelet::Error;

use super::GpuOptions;

/// How the work of an epoch is divided on a GPU. No spike depends on these numbers; the best ones depend on the device, and `./run` of
/// `cargo xtask gpu kit` measures them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GpuConstants {
    /// Teams of 64 invocations that share the spikes of an epoch, for stored rows: 1 to 32,768.
    pub spike_teams: u32,
    /// The same for rows that are drawn, which take longer, with several teams per row: 1 to 32,768.
    pub drawing_teams: u32,
    /// Maximum number of teams that share a drawn row: 1 to 1,024.
    pub drawn_parts: u32,
    /// Maximum number of neurons of a network, or of neurons that stop after each step, that run in one workgroup: up to 1,048,576.
    pub single_neurons: u32,
    /// Maximum number of neurons, synapses and so on that this workgroup visits in a step: up to 1,048,576.
    pub single_items: u64,
    /// Submissions in flight, each with a part of the log of spikes: 2 to 16.
    pub in_flight: u32,
}

impl Default for GpuConstants {
    fn default() -> GpuConstants {
        GpuConstants {
            spike_teams: 256,
            drawing_teams: 2048,
            drawn_parts: 32,
            single_neurons: 1024,
            single_items: 4096,
            in_flight: 3,
        }
    }
}

/// A number in the options of a GPU.
struct Constant {
    name: &'static str,
    range: RangeInclusive<u64>,
    get: fn(&GpuOptions) -> u64,
    set: fn(&mut GpuOptions, u64),
}

/// The names of all numbers that [`GpuOptions::set_constant`] accepts.
pub const CONSTANTS: [&str; 8] = [
    "spike_teams",
    "drawing_teams",
    "drawn_parts",
    "single_neurons",
    "single_items",
    "in_flight",
    "workgroup_size",
    "events_per_submission",
];

/// The same numbers, in that order. The device has its own limit for `workgroup_size`.
const TABLE: [Constant; 8] = [
    Constant {
        name: CONSTANTS[0],
        range: 1..=32_768,
        get: |of| of.constants.spike_teams.into(),
        set: |of, value| of.constants.spike_teams = value as u32,
    },
    Constant {
        name: CONSTANTS[1],
        range: 1..=32_768,
        get: |of| of.constants.drawing_teams.into(),
        set: |of, value| of.constants.drawing_teams = value as u32,
    },
    Constant {
        name: CONSTANTS[2],
        range: 1..=1024,
        get: |of| of.constants.drawn_parts.into(),
        set: |of, value| of.constants.drawn_parts = value as u32,
    },
    Constant {
        name: CONSTANTS[3],
        range: 0..=1 << 20,
        get: |of| of.constants.single_neurons.into(),
        set: |of, value| of.constants.single_neurons = value as u32,
    },
    Constant {
        name: CONSTANTS[4],
        range: 0..=1 << 20,
        get: |of| of.constants.single_items,
        set: |of, value| of.constants.single_items = value,
    },
    // What is left over of one submission is in the part of the log before that of the next.
    Constant {
        name: CONSTANTS[5],
        range: 2..=16,
        get: |of| of.constants.in_flight.into(),
        set: |of, value| of.constants.in_flight = value as u32,
    },
    Constant {
        name: CONSTANTS[6],
        range: 64..=4096,
        get: |of| of.workgroup_size.into(),
        set: |of, value| of.workgroup_size = value as u32,
    },
    Constant {
        name: CONSTANTS[7],
        range: 1..=1 << 40,
        get: |of| of.events_per_submission.unwrap_or(crate::sizes::EVENTS),
        set: |of, value| of.events_per_submission = Some(value),
    },
];

impl Constant {
    fn check(&self, value: u64) -> Result<(), Error> {
        if self.range.contains(&value) {
            return Ok(());
        }
        Err(Error::Invalid {
            path: format!("the option `{}` of a GPU", self.name),
            value: value.to_string(),
            expected: format!("it is from {} to {}", self.range.start(), self.range.end()),
            way_out: format!("use {}", (self.get)(&GpuOptions::default())),
            kind: None,
        })
    }
}

impl GpuConstants {
    /// Rejects numbers with which no device can run.
    ///
    /// # Errors
    /// The first of them, with its range.
    pub fn check(&self) -> Result<(), Error> {
        let options = GpuOptions { constants: *self, ..GpuOptions::default() };
        TABLE.iter().try_for_each(|constant| constant.check((constant.get)(&options)))
    }
}

impl GpuOptions {
    /// The number of a name of [`CONSTANTS`].
    pub fn constant(&self, name: &str) -> Option<u64> {
        TABLE.iter().find(|constant| constant.name == name).map(|constant| (constant.get)(self))
    }

    /// Sets the number of a name of [`CONSTANTS`].
    ///
    /// # Errors
    /// There is no such name, or the number is outside of its range.
    pub fn set_constant(&mut self, name: &str, value: u64) -> Result<(), Error> {
        let Some(constant) = TABLE.iter().find(|constant| constant.name == name) else {
            return Err(Error::Invalid {
                path: "the option of a GPU".into(),
                value: format!("`{name}`"),
                expected: format!("there are {}", CONSTANTS.join(", ")),
                way_out: "use one of these names".into(),
                kind: None,
            });
        };
        constant.check(value)?;
        (constant.set)(self, value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use spikelet::{Activity, Backend, Epoch, Network, Plan, Trial, catalogue};

    use super::*;
    use crate::{Device, Gpu};

    #[test]
    fn every_constant_is_set_and_read_by_its_name() {
        let usual = GpuOptions::default();
        usual.constants.check().unwrap_or_else(|error| panic!("{error}"));
        for (name, value) in CONSTANTS.into_iter().zip([512, 1024, 8, 100, 200, 4, 128, 1000]) {
            let mut options = usual;
            options.set_constant(name, value).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(options.constant(name), Some(value));
            let others = CONSTANTS.iter().filter(|other| **other != name);
            others.for_each(|other| assert_eq!(options.constant(other), usual.constant(other), "{name} sets {other}"));
        }
    }

    #[test]
    fn wrong_names_and_numbers_are_explained() {
        let set = |name: &str, value: u64| GpuOptions::default().set_constant(name, value).map_err(|error| error.to_string());
        let range = set("in_flight", 1).expect_err("it is too small");
        assert_eq!(range, "the option `in_flight` of a GPU is 1, but it is from 2 to 16; use 3");
        let name = set("teams", 1).expect_err("there is none");
        assert!(name.contains("`teams`") && name.contains("spike_teams, drawing_teams"), "{name}");
        let none = GpuConstants { spike_teams: 0, ..GpuConstants::default() }.check().expect_err("it is too small");
        assert!(none.to_string().contains("`spike_teams`"), "{none}");
        assert_eq!(GpuOptions::default().constant("teams"), None);
    }

    fn activity(device: &Device, options: GpuOptions, plan: &Arc<Plan>) -> Vec<Activity> {
        pollster::block_on(async {
            let mut gpu = Gpu::with_options(device.clone(), options)?;
            gpu.load((0..2).map(|number| Trial { number, plan: plan.clone() }).collect()).await?;
            gpu.advance(Epoch::new(0, 170)).await
        })
        .unwrap_or_else(|error: Error| panic!("{options:?}: {error}"))
    }

    /// Stored and drawn rows, synapses with state, winners, in one dispatch and in many.
    #[test]
    fn no_constant_changes_a_spike() {
        let device = match pollster::block_on(Device::open()) {
            Ok(device) => device,
            Err(error) => {
                assert!(std::env::var_os("SPIKELET_REQUIRE_ADAPTER").is_none(), "{error}");
                return println!("skipped: no adapter ({error})");
            }
        };
        let few =
            GpuConstants { spike_teams: 1, drawing_teams: 5, drawn_parts: 1, single_neurons: 0, single_items: 0, in_flight: 2 };
        let many = GpuConstants {
            spike_teams: 4096,
            drawing_teams: 300,
            drawn_parts: 1024,
            single_neurons: 1 << 20,
            single_items: 1 << 20,
            in_flight: 7,
        };
        let files =
            [include_str!("../../../../tests/networks/procedural.json"), include_str!("../../../../tests/networks/winners.json")];
        for network in files.into_iter().map(Network::from_json).chain([catalogue::network("cuba", 0.1)]) {
            let network = network.unwrap_or_else(|error| panic!("{error}"));
            let plan = Arc::new(Plan::new(&network).unwrap_or_else(|error| panic!("{error}")));
            let usual = activity(&device, GpuOptions::default(), &plan);
            assert!(usual[0].spikes.len() > 20, "{}: {} spikes", network.name, usual[0].spikes.len());
            for constants in [few, many] {
                let found = activity(&device, GpuOptions { constants, ..GpuOptions::default() }, &plan);
                assert!(found == usual, "{}, {constants:?}", network.name);
            }
        }
    }
}
