//! The memory of the system: the free memory, and the limits of this process.

use std::fs;
use std::path::Path;

use sysinfo::{MemoryRefreshKind, Process, ProcessRefreshKind, ProcessesToUpdate, RefreshKind, System, get_current_pid};

/// Free memory in bytes, within the limits of the process.
pub fn free() -> Option<u64> {
    [available(), limit(Path::new("/"))].into_iter().flatten().min()
}

/// Available address space in bytes, if there is a limit (`ulimit -v`).
pub fn addresses() -> Option<u64> {
    left_of(Path::new("/"), "Max address space", "VmSize:")
}

/// Resident memory of this process in bytes.
pub fn resident() -> Option<u64> {
    let (own, mut system) = (get_current_pid().ok()?, System::new().ok()?);
    let kind = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[own]), false, kind);
    system.process(own).map(Process::memory)
}

/// Free memory of the machine in bytes.
fn available() -> Option<u64> {
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    System::new_with_specifics(memory).ok().map(|system| system.available_memory())
}

/// What is left of the limits of the process on Linux, those of `ulimit` and of its control groups, with the system files below `root`.
/// sysinfo reads control groups too, but counts cached files as used memory.
fn limit(root: &Path) -> Option<u64> {
    let data = left_of(root, "Max data size", "VmData:");
    let addresses = left_of(root, "Max address space", "VmSize:");
    [addresses, data, of_groups(root)].into_iter().flatten().min()
}

/// The remaining part of a limit of the process.
fn left_of(root: &Path, limit: &str, used: &str) -> Option<u64> {
    let limits = fs::read_to_string(root.join("proc/self/limits")).ok()?;
    let soft: u64 = limits.lines().find_map(|line| line.strip_prefix(limit))?.split_whitespace().next()?.parse().ok()?;
    let used = kibibytes(&root.join("proc/self/status"), used)?;
    Some(soft.saturating_sub(used))
}

/// The remaining part of the limits of the control groups of the process and their parents.
fn of_groups(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let left = groups.lines().flat_map(|line| {
        // Number, controllers, path; version 2 has number 0 and names no controllers.
        let mut parts = line.splitn(3, ':');
        let (controllers, path) = (parts.nth(1).unwrap_or_default(), parts.next().unwrap_or_default());
        let files = match controllers {
            "" => Some(("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file ")),
            _ if controllers.split(',').any(|controller| controller == "memory") => {
                Some(("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "))
            }
            _ => None,
        };
        files.into_iter().flat_map(move |(mount, limit, usage, cached)| {
            let place = root.join(mount);
            Path::new(path.trim_start_matches('/')).ancestors().map(move |group| {
                let group = place.join(group);
                let number = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
                let statistics = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
                // Inactive file caches count as free.
                let cached = statistics.lines().find_map(|line| line.strip_prefix(cached)?.trim().parse().ok()).unwrap_or(0);
                Some(number(limit)?.saturating_sub(number(usage)?.saturating_sub(cached)))
            })
        })
    });
    left.flatten().min()
}

fn kibibytes(file: &Path, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Held by tests of this process that allocate large arrays: one of them lets such an allocation fail, whosever it is.
#[cfg(test)]
pub(crate) static LARGE_ALLOCATIONS: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_held() {
        let _alone = LARGE_ALLOCATIONS.lock();
        let before = resident().expect("the system tells");
        let taken = std::hint::black_box(vec![1_u8; 64 << 20]);
        let held = resident().expect("the system tells");
        assert!(held >= before + (48 << 20), "{before} bytes became {held} with {} more", taken.len());
        assert!(free().is_some_and(|free| free > 0) && available() >= free());
    }

    #[test]
    fn the_tightest_limit_counts() {
        let root = std::env::temp_dir().join(format!("spikelet-memory-{}", std::process::id()));
        _ = fs::remove_dir_all(&root);
        let put = |name: &str, text: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is writable");
            fs::write(path, text).expect("the folder is writable");
        };
        assert_eq!(limit(&root), None);
        put("proc/self/status", "VmSize:\t 100 kB\nVmRSS:\t 50 kB\nVmData:\t 60 kB\n");
        let limits = |addresses: &str| {
            format!(
                "Limit  Soft Limit  Hard Limit  Units\nMax data size  unlimited  unlimited  bytes\nMax address space  {addresses}  unlimited  bytes\n"
            )
        };
        put("proc/self/limits", &limits("unlimited"));
        assert_eq!(limit(&root), None);
        put("proc/self/limits", &limits("7270400"));
        assert_eq!(limit(&root), Some(7000 << 10));
        // Version 2: a group without a limit in one that has one; half of what is used is a cache.
        put("proc/self/cgroup", "0::/jobs/mine\n");
        put("sys/fs/cgroup/jobs/mine/memory.max", "max\n");
        put("sys/fs/cgroup/jobs/mine/memory.current", "1024000\n");
        put("sys/fs/cgroup/jobs/memory.max", "7168000\n");
        put("sys/fs/cgroup/jobs/memory.current", "2048000\n");
        put("sys/fs/cgroup/jobs/memory.stat", "anon 1\ninactive_file 1024000\n");
        assert_eq!(limit(&root), Some(6000 << 10));
        // Version 1, in a container: the path is that of the host, the limit is at the root.
        put("proc/self/cgroup", "3:cpu,cpuacct:/docker/a\n2:memory:/docker/a\n");
        put("sys/fs/cgroup/memory/memory.limit_in_bytes", "6144000\n");
        put("sys/fs/cgroup/memory/memory.usage_in_bytes", "1024000\n");
        assert_eq!(limit(&root), Some(5000 << 10));
        fs::remove_dir_all(&root).expect("it can be removed");
    }
}
