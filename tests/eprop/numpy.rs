//! The random numbers of NumPy's `RandomState`: MT19937 (Matsumoto & Nishimura 1998, ACM Trans Model Comput Simul 8:3), numbers of 53 bits,
//! and the polar method of Marsaglia & Bray 1964 (SIAM Review 6:260) for normal ones.

const WORDS: usize = 624;
const MIDDLE: usize = 397;

pub(super) struct RandomState {
    words: [u32; WORDS],
    next: usize,
    /// The second of two normal numbers.
    kept: Option<f64>,
}

impl RandomState {
    pub(super) fn new(seed: u32) -> RandomState {
        let mut words = [seed; WORDS];
        for at in 1..WORDS {
            let before = words[at - 1];
            words[at] = 1_812_433_253_u32.wrapping_mul(before ^ before >> 30).wrapping_add(at as u32);
        }
        RandomState { words, next: WORDS, kept: None }
    }

    fn bits(&mut self) -> u32 {
        if self.next == WORDS {
            for at in 0..WORDS {
                let both = self.words[at] & 0x8000_0000 | self.words[(at + 1) % WORDS] & 0x7fff_ffff;
                let twist = if both & 1 == 1 { 0x9908_b0df } else { 0 };
                self.words[at] = self.words[(at + MIDDLE) % WORDS] ^ both >> 1 ^ twist;
            }
            self.next = 0;
        }
        let mut word = self.words[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= word << 7 & 0x9d2c_5680;
        word ^= word << 15 & 0xefc6_0000;
        word ^ word >> 18
    }

    /// In [0, 1).
    pub(super) fn uniform(&mut self) -> f64 {
        let (high, low) = (self.bits() >> 5, self.bits() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// Standard normal.
    pub(super) fn normal(&mut self) -> f64 {
        if let Some(kept) = self.kept.take() {
            return kept;
        }
        loop {
            let [x, y] = [2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0];
            let square = x * x + y * y;
            if square < 1.0 && square != 0.0 {
                let scale = (-2.0 * square.ln() / square).sqrt();
                self.kept = Some(scale * x);
                return scale * y;
            }
        }
    }
}

#[test]
fn numbers_are_those_of_numpy() {
    let mut random = RandomState::new(1);
    let uniform = [0.417022004702574, 0.7203244934421581, 0.00011437481734488664];
    assert_eq!(uniform.map(|_| random.uniform()), uniform);
    let mut random = RandomState::new(1);
    let normal = [1.6243453636632417, -0.6117564136500754, -0.5281717522634557];
    for expected in normal {
        let found = random.normal();
        assert!((found - expected).abs() < 1e-14, "{found}, expected {expected}");
    }
}
