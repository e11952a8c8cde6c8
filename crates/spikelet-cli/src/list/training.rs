//! `spikelet list trainings`.

use serde::Serialize;
use spikelet::grouped;
use spikelet_train::{Method, PRESETS, Preset};

use super::item::Item;
use crate::failure::Failure;

#[derive(Serialize)]
pub(super) struct TrainingItem {
    name: &'static str,
    title: &'static str,
    citation: &'static str,
    methods: Vec<Method>,
    neurons: u64,
    epochs: u32,
}

impl Item for TrainingItem {
    fn label(&self) -> &str {
        self.name
    }

    fn lines(&self) -> Vec<String> {
        let methods: Vec<&str> = self.methods.iter().map(|method| method.name()).collect();
        let size = format!("{} neurons, {} epochs, {}", grouped(self.neurons), self.epochs, methods.join(" or "));
        vec![self.title.to_owned(), size, self.citation.to_owned()]
    }
}

pub(super) fn all() -> Result<Vec<TrainingItem>, Failure> {
    let item = |preset: &Preset| {
        let training = preset.training(None)?;
        let Preset { name, title, citation, .. } = *preset;
        let (neurons, epochs) = (training.network.neurons(), training.epochs);
        Ok(TrainingItem { name, title, citation, methods: preset.methods().collect(), neurons, epochs })
    };
    PRESETS.iter().map(item).collect()
}
