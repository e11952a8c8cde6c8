//! Compiled kernels in the user's cache folder, from one run to the next.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use etcetera::base_strategy::{BaseStrategy, choose_native_strategy};
use spikelet::Error;
use spikelet_gpu::{Device, Selector, StoredPipelines};

use crate::{files, terminal};

/// The file of a name; `None` if the user has no home folder.
fn file(name: &str) -> Option<PathBuf> {
    Some(choose_native_strategy().ok()?.cache_dir().join("spikelet/pipelines").join(name))
}

/// Opens a GPU, with the kernels that earlier runs have compiled.
pub(crate) async fn open(selector: &Selector, quiet: bool) -> Result<Device, Error> {
    Device::open_with_pipelines(selector, |name| {
        let path = file(name)?;
        let notice = |why: &str| {
            if !quiet {
                terminal::notice(&format_args!("{} {why}; kernels are compiled again", path.display()));
            }
        };
        match fs::read(&path) {
            Ok(bytes) => {
                let stored = StoredPipelines::from_bytes(&bytes);
                if stored.is_none() {
                    notice("is damaged");
                }
                stored
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                notice(&format!("cannot be read ({error})"));
                None
            }
        }
    })
    .await
}

/// Stores the kernels of a device, if there are new ones: under a temporary name, which is then changed, as other runs may read them.
pub(crate) fn store(device: &Device, quiet: bool) {
    let Some((path, stored)) = device.pipelines().and_then(|(name, stored)| Some((file(name)?, stored))) else { return };
    let bytes = stored.to_bytes();
    if fs::read(&path).is_ok_and(|known| known == bytes) {
        return;
    }
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = folder.and_then(|()| files::write(&path, |file| file.write_all(&bytes)));
    if let (Err(error), false) = (written, quiet) {
        terminal::notice(&format_args!("{} cannot be written ({error}); kernels are compiled again next time", path.display()));
    }
}
