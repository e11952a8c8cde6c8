//! Vulkan on machines for computing: the loader and the list of drivers may not be where they usually are.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Variables for the processes of a run.
pub(crate) type Variables = Vec<(&'static str, OsString)>;

/// The folder of the kit with a Vulkan loader, for machines that have a driver alone.
const LOADER: &str = "lib";

/// Where containers have NVIDIA's description of its driver, if not where loaders look.
const DRIVERS: [&str; 4] = [
    "/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json",
    "/usr/local/nvidia/vulkan/icd.d/nvidia_icd.json",
    "/usr/local/nvidia/lib64/vulkan/icd.d/nvidia_icd.json",
    "/opt/nvidia/share/vulkan/icd.d/nvidia_icd.json",
];

/// What to try one after the other until there is a GPU: the machine as it is, the loader of the kit, and with it a driver in an unusual place.
pub(crate) fn environments(kit: &Path) -> Vec<Variables> {
    let mut all = vec![Variables::new()];
    if !cfg!(target_os = "linux") {
        return all;
    }
    let loader = kit.join(LOADER);
    if loader.is_dir() {
        let before = env::var_os("LD_LIBRARY_PATH");
        let folders = std::iter::once(loader).chain(before.iter().flat_map(env::split_paths));
        // Only a folder with a colon in its name cannot be joined; then the loader of the machine has to do.
        all.extend(env::join_paths(folders).ok().map(|folders| vec![("LD_LIBRARY_PATH", folders)]));
    }
    let is_named = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].iter().any(|name| env::var_os(name).is_some());
    let driver = DRIVERS.map(PathBuf::from).into_iter().find(|driver| !is_named && driver.is_file());
    if let Some(driver) = driver {
        let with = all.last().into_iter().flatten().cloned().chain([("VK_DRIVER_FILES", driver.into_os_string())]);
        all.push(with.collect());
    }
    all
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_machine_as_it_is_comes_first() {
        let kit = env::temp_dir().join(format!("spikelet-kit-drivers-{}", std::process::id()));
        let without = environments(&kit);
        assert!(without[0].is_empty() && !without.iter().flatten().any(|(name, _)| *name == "LD_LIBRARY_PATH"));
        std::fs::create_dir_all(kit.join(LOADER)).expect("a folder");
        let with = environments(&kit);
        assert!(with[0].is_empty() && with.len() == without.len() + 1);
        let (name, folders) = &with[1][0];
        assert_eq!(*name, "LD_LIBRARY_PATH");
        assert_eq!(env::split_paths(folders).next(), Some(kit.join(LOADER)));
        std::fs::remove_dir_all(&kit).expect("it goes");
    }
}
