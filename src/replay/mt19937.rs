//! The Mersenne Twister MT19937 of Matsumoto and Nishimura, as C++ has it in `std::mt19937`.

/// Words of its state.
const WORDS: usize = 624;
/// Distance of the word that each is mixed with.
const SHIFT: usize = 397;

/// A stream of 32-bit words that the seed decides.
#[derive(Debug, Clone)]
pub(super) struct Mt19937 {
    state: Box<[u32; WORDS]>,
    next: usize,
}

impl Mt19937 {
    pub(super) fn new(seed: u32) -> Self {
        let mut state = Box::new([0; WORDS]);
        let mut word = seed;
        for (index, place) in state.iter_mut().enumerate() {
            if index > 0 {
                word = (word ^ (word >> 30)).wrapping_mul(1_812_433_253).wrapping_add(index as u32);
            }
            *place = word;
        }
        Self { state, next: WORDS }
    }

    /// The next word.
    pub(super) fn draw(&mut self) -> u32 {
        if self.next == WORDS {
            self.twist();
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// The next two words as one number, the first as its high half.
    pub(super) fn draw_u64(&mut self) -> u64 {
        let high = u64::from(self.draw());
        high << 32 | u64::from(self.draw())
    }

    fn twist(&mut self) {
        for index in 0..WORDS {
            let next = self.state[(index + 1) % WORDS];
            let joined = self.state[index] & 0x8000_0000 | next & 0x7fff_ffff;
            let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[index] = self.state[(index + SHIFT) % WORDS] ^ (joined >> 1) ^ odd;
        }
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ten_thousandth_word_is_the_one_the_cpp_standard_asks_for() {
        let mut random = Mt19937::new(5_489);
        let last = (0..10_000).map(|_| random.draw()).last();
        assert_eq!(last, Some(4_123_659_995));
    }
}
