//! Free memory of a GPU, where its driver tells it.
#![allow(
    unsafe_code,
    reason = "wgpu has no such query; the extension VK_EXT_memory_budget of Vulkan is read through its handles"
)]

/// The memory of a device that its driver reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceMemory {
    /// Bytes of its largest own heap; of an integrated GPU, those of the memory that it shares.
    pub bytes: u64,
    /// Bytes of it that this process can still allocate, by the estimate of the driver.
    pub free: u64,
}

/// What the driver of an adapter reports now; `None` without Vulkan, or without its extension `VK_EXT_memory_budget`.
#[cfg(any(target_os = "linux", target_os = "windows"))]
pub(crate) fn of(adapter: &wgpu::Adapter) -> Option<DeviceMemory> {
    use ash::vk;
    // SAFETY: the handles are used before `adapter` is dropped, to read properties alone; both calls are those of Vulkan 1.1, which is tested.
    let (heaps, budget) = unsafe {
        let adapter = adapter.as_hal::<wgpu::hal::api::Vulkan>()?;
        let (instance, device) = (adapter.shared_instance().raw_instance(), adapter.raw_physical_device());
        let version = instance.get_physical_device_properties(device).api_version;
        let extensions = instance.enumerate_device_extension_properties(device).ok()?;
        let has = |name| extensions.iter().any(|of| of.extension_name_as_c_str() == Ok(name));
        if version < vk::API_VERSION_1_1 || !has(ash::ext::memory_budget::NAME) {
            return None;
        }
        let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        let mut properties = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
        instance.get_physical_device_memory_properties2(device, &mut properties);
        (properties.memory_properties, budget)
    };
    let own =
        heaps.memory_heaps_as_slice().iter().enumerate().filter(|(_, of)| of.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
    let (index, heap) = own.max_by_key(|(_, of)| of.size)?;
    let free = budget.heap_budget[index].saturating_sub(budget.heap_usage[index]);
    Some(DeviceMemory { bytes: heap.size, free })
}

/// Other systems do not report it through wgpu.
#[cfg(not(any(target_os = "linux", target_os = "windows")))]
pub(crate) fn of(_: &wgpu::Adapter) -> Option<DeviceMemory> {
    None
}
