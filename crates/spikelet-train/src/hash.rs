//! FNV-1a with 64 bits: <http://www.isthe.com/chongo/tech/comp/fnv/>.

/// A hash that numbers are added to.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// The hash of some bytes.
    pub(crate) fn of(bytes: &[u8]) -> u64 {
        let mut hash = Fnv::default();
        hash.add_bytes(bytes);
        hash.finish()
    }

    fn add_bytes(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    }

    pub(crate) fn add(&mut self, number: u64) {
        self.add_bytes(&number.to_le_bytes());
    }

    pub(crate) fn finish(&self) -> u64 {
        self.0
    }
}
