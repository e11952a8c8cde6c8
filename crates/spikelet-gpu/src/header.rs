//! The data shared by host and kernels: the words of the buffer `header`.

/// Defines the fields once, for the struct, its words and their names.
macro_rules! words {
    ($(#[$about:meta])* $of:ident, $($field:ident),* $(; $last:ident)?) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub(crate) struct $of {
            $(pub(crate) $field: u32),*
        }

        impl $of {
            pub(crate) const FIELDS: &[&str] = &[$(stringify!($field)),* $(, stringify!($last))?];
            pub(crate) const WORDS: usize = [$(stringify!($field)),*].len();

            pub(crate) fn words(&self) -> [u32; $of::WORDS] {
                [$(self.$field),*]
            }

            /// The fields at the start of these words.
            #[allow(dead_code, reason = "a header is never read")]
            pub(crate) fn of_words(words: &[u32]) -> $of {
                let mut words = words.iter().copied();
                $of { $($field: words.next().unwrap_or_default()),* }
            }
        }
    };
}

words!(
    /// `Header` of shaders/header.wgsl without the part after its fixed fields; a test compares the two.
    Header,
    until,
    log_part,
    walks,
    epoch_steps,
    completed,
    capacity,
    log_parts,
    epoch_spikes,
    seed_low,
    seed_high,
    slots,
    columns,
    channels,
    clock_columns,
    clock_rows,
    populations,
    populations_offset,
    channels_offset,
    jobs_offset,
    memory_steps,
    memory_offset,
    memory_words,
    tables_words,
    clocks_words,
    state_words,
    ring_words,
    samples_words,
    zero;
    progress
);

words!(
    /// `Progress` of shaders/header.wgsl.
    Progress,
    count,
    log_begin,
    log_end,
    origin,
    step_next,
    begin_next,
    left_next,
    action_next,
    step_now,
    begin_now,
    left_now,
    action_now,
    number,
    fault,
    fault_port,
    fault_value,
    diverged,
    not_comparable
);
