// Words of a reading in `tables`: where its values begin in `readings`, the steps of maxima, the adjoints; which of the observed values.
const VALUES: u32 = 0u;
const PLACES: u32 = 1u;
const ADJOINTS: u32 = 2u;
const OBSERVED: u32 = 3u;
const READOUT_WORDS: u32 = 4u;
