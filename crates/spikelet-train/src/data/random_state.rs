//! The random numbers of NumPy's `RandomState`.

/// Size of the state in words.
const WORDS: usize = 624;

/// The generator of `numpy.random.RandomState(seed)`, with the same numbers: MT19937 (Matsumoto & Nishimura 1998, ACM TOMACS 8:3) with
/// the conversions that NumPy keeps unchanged for old programs. Published data that were drawn with it can be drawn again.
#[derive(Debug, Clone)]
pub struct RandomState {
    words: Box<[u32; WORDS]>,
    next: usize,
    /// The second number of the last pair of [`RandomState::randn`].
    spare: Option<f64>,
}

impl RandomState {
    /// As `RandomState(seed)`.
    pub fn new(seed: u32) -> RandomState {
        let mut words = Box::new([seed; WORDS]);
        for index in 1..WORDS {
            let last = words[index - 1];
            words[index] = 1_812_433_253_u32.wrapping_mul(last ^ last >> 30).wrapping_add(index as u32);
        }
        RandomState { words, next: WORDS, spare: None }
    }

    /// 32 random bits.
    fn word(&mut self) -> u32 {
        if self.next == WORDS {
            self.twist();
        }
        let mut word = self.words[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= word << 7 & 0x9d2c_5680;
        word ^= word << 15 & 0xefc6_0000;
        word ^ word >> 18
    }

    /// The next state.
    fn twist(&mut self) {
        const MIDDLE: usize = 397;
        for index in 0..WORDS {
            let joined = self.words[index] & 0x8000_0000 | self.words[(index + 1) % WORDS] & 0x7fff_ffff;
            let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.words[index] = self.words[(index + MIDDLE) % WORDS] ^ joined >> 1 ^ odd;
        }
        self.next = 0;
    }

    /// A number in [0, 1) with 53 bits, as `rand()`.
    pub fn rand(&mut self) -> f64 {
        let (high, low) = (self.word() >> 5, self.word() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// A whole number below `end`, as `randint(end)`; 0 for an end of 0.
    pub fn randint(&mut self, end: u32) -> u32 {
        let largest = end.saturating_sub(1);
        // As many bits as the largest number has; a number that is larger is drawn again.
        let mask = u32::MAX.checked_shr(largest.leading_zeros()).unwrap_or(0);
        loop {
            if largest == 0 {
                return 0;
            }
            let number = self.word() & mask;
            if number <= largest {
                return number;
            }
        }
    }

    /// A number of the standard normal distribution, as `randn()`: the polar method of Marsaglia, which draws pairs.
    pub fn randn(&mut self) -> f64 {
        if let Some(number) = self.spare.take() {
            return number;
        }
        loop {
            let (x, y) = (2.0 * self.rand() - 1.0, 2.0 * self.rand() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 && square != 0.0 {
                let factor = (-2.0 * libm::log(square) / square).sqrt();
                self.spare = Some(factor * x);
                return factor * y;
            }
        }
    }

    /// A random order of numbers, as `shuffle`.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            let other = self.randint(last as u32 + 1) as usize;
            list.swap(last, other);
        }
    }
}
